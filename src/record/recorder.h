// SPDX-License-Identifier: Apache-2.0
/* record/recorder.h: records where the processes of this machine spend CPU
 * time.
 *
 *	op_recorder_open(&r, &opts, &err);
 *	op_recorder_start(r);
 *	while (...) {
 *		poll(op_recorder_fd(r), op_recorder_wait_ms(r))
 *		op_recorder_tick(r);
 *		op_recorder_take(r, &model);	when a window ends
 *	}
 *	op_recorder_close(r);
 */
#ifndef OP_RECORD_RECORDER_H
#define OP_RECORD_RECORDER_H

#include <sys/types.h>

#include "base/regex.h"
#include "model/model.h"
#include "sym/kept.h"

struct op_recorder;

struct op_recorder_opts {
	uint32_t hertz;
	/* Processes to record, with what they start; none: all. */
	const pid_t *pids;
	uint32_t nr_pids;
	/* A child that will execute a program; 0: none. */
	pid_t command;
	bool user_only;	   /* no frames of the kernel */
	bool is_aggregate; /* sums instead of observations */
	bool no_bpf;	   /* use perf events even if BPF would do */
	/* Only: */
	int64_t uid;		/* of this user; -1: any */
	uint64_t cgroup;	/* in this control group, or below; 0: any */
	struct op_regex *comm;	/* threads of this name; NULL: any */
	double min_age_s;	/* processes that run this long */
	const char *const *env; /* variables to report; NULL ends it */
	uint64_t table_bytes;	/* limit of unwind tables; 0: 32 MiB */
	/* Gets binaries that their names do not lead to; NULL: nobody needs
	 * them. A window is taken only after the names of the one before were
	 * looked up. */
	struct op_kept *kept;
};

struct op_recorder_counts {
	uint64_t taken;	      /* by BPF: the next, lost and filtered */
	uint64_t samples;     /* recorded */
	uint64_t complete;    /* of them, with a complete stack */
	uint64_t lost;	      /* no room, or unreadable */
	uint64_t foreign;     /* of processes that cannot be named from here */
	uint64_t filtered;    /* left out on demand */
	uint64_t lost_events; /* of processes */
	uint64_t bpf_ns, bpf_runs;
	uint32_t processes; /* with samples, so far */
	bool has_bpf;
};

int op_recorder_open(struct op_recorder **out,
		     const struct op_recorder_opts *opts, struct op_err *err);
int op_recorder_start(struct op_recorder *r);
void op_recorder_stop(struct op_recorder *r);
void op_recorder_close(struct op_recorder *r);

/* Becomes readable before the next tick is due, if there is much to read. */
int op_recorder_fd(const struct op_recorder *r);
/* How long to wait for the next tick: the longer, the less happens. */
int op_recorder_wait_ms(const struct op_recorder *r);

/* Processes what has happened. */
int op_recorder_tick(struct op_recorder *r);

/* What was recorded since the last call. */
int op_recorder_take(struct op_recorder *r, struct op_model *out);

struct op_recorder_counts op_recorder_counts(const struct op_recorder *r);

#endif
