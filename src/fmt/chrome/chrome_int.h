// SPDX-License-Identifier: Apache-2.0
/* fmt/chrome/chrome_int.h: between the files of the trace event format.
 *
 *	[ event, ... ]                       a bare list, its end optional
 *	{ "traceEvents": [ event, ... ],     or an object
 *	  "stackFrames": { id: { name, parent } }, "samples": [ sample ] }
 *
 *	event = { ph, name, cat, pid, tid, ts, dur, args, ... }
 *
 * All events are first put by thread; then each thread is put in order of time
 * and its slices become runs of self time.
 */
#ifndef OP_FMT_CHROME_CHROME_INT_H
#define OP_FMT_CHROME_CHROME_INT_H

#include "fmt/cpuprofile/v8.h"
#include "fmt/format.h"
#include "fmt/viewer/metadata.h"

/* In otherData: nanoseconds to add to all times, which are written so that
 * a double can hold them. */
#define OP_CHROME_BASE "otprof.time_base_ns"

/* Metadata events that only we write: what a process and a thread were in the
 * model. */
#define OP_CHROME_PROFILE "otprof.profile"
#define OP_CHROME_THREAD "otprof.thread"

/* On locations: the category of the event. */
#define OP_ATTR_CATEGORY "otprof.trace.category"

/* A name and category that events have. */
struct op_chrome_frame {
	struct op_json_text name, cat; /* as they stand in the file */
	uint32_t location;	       /* OP_NO_ID: not made yet */
	uint32_t name_id;	       /* the first frame of this name */
};

/* A slice or half of one; order in the file is order in the list. */
struct op_chrome_slice {
	int64_t ts;	/* ns */
	int64_t dur;	/* ns, or one of the two below */
	uint32_t frame; /* OP_NO_ID: an end without a name */
};

enum { OP_CHROME_BEGIN = -1, OP_CHROME_END = -2 };

struct op_chrome_sample {
	int64_t ts;
	uint32_t row;	/* of stackFrames; OP_NO_ID: node says it */
	uint32_t node;	/* of the stack tree */
	uint32_t order; /* in the file */
};

struct op_chrome_thread {
	uint32_t process;
	struct op_view tid, name;
	bool is_told; /* by us, in place of tid and name */
	struct op_kvs told;
	bool has_set;
	uint32_t set; /* of attributes */
	OP_VEC(struct op_chrome_slice) slices;
	OP_VEC(struct op_chrome_sample) samples;
};

/* What a process has profiles of. */
enum op_chrome_kind {
	OP_CHROME_SLICES,
	OP_CHROME_SAMPLES,
	OP_CHROME_V8,
	OP_CHROME_NR_KINDS,
};

struct op_chrome_profile {
	bool made;
	bool is_timed;
	uint32_t id;
	uint64_t first, end; /* ns */
};

struct op_chrome_process {
	struct op_view pid, name;
	struct op_metadata *told; /* NULL: another wrote the file */
	bool made;
	uint32_t scope;
	struct op_chrome_profile profiles[OP_CHROME_NR_KINDS];
};

/* A V8 profile that comes in chunks, told apart by process and id. */
struct op_chrome_v8 {
	uint32_t process, thread;
	struct op_view id;
	int64_t first_ns; /* of its events */
	struct op_v8 v8;
};

/* What was left out or put right. */
struct op_chrome_counts {
	uint64_t async, instant, counter, flow, object, other;
	uint64_t lone_ends, open_ends, cut;
	uint64_t no_time;
};

struct op_chrome {
	struct op_view in;
	struct op_err *err;
	struct op_arena mem; /* freed when the file is read */
	struct op_builder b;
	struct op_stack_tree tree;
	struct op_call_tree stack_frames;

	struct op_intern frame_index, name_index, thread_index, process_index;
	struct op_intern v8_index;
	OP_VEC(struct op_chrome_frame) frames;
	OP_VEC(struct op_chrome_thread) threads;
	OP_VEC(struct op_chrome_process) processes;
	OP_VEC(struct op_chrome_v8 *) v8;
	uint32_t last_thread; /* that was asked for */
	uint32_t *open_names; /* for slices.c: one a frame, all OP_NO_ID */
	int64_t base_ns, first_ns;
	struct op_chrome_counts counts;
};

/* --- events.c --- */

/* Reads the whole file into threads. */
void op_chrome_events(struct op_chrome *c);

uint32_t op_chrome_thread(struct op_chrome *c, struct op_view pid,
			  struct op_view tid);
uint32_t op_chrome_frame(struct op_chrome *c, struct op_json_text name,
			 struct op_json_text cat);

/* The location of a frame, for the stack tree. */
uint32_t op_chrome_location(void *ctx, uint32_t frame);

/* --- args.c --- */

/* One event as it stands in the file. */
struct op_chrome_event {
	struct op_json_text name, cat;
	struct op_view pid, tid, id, sf;
	int64_t ts, dur;
	bool has_ts, has_dur;
	int ph;
	const uint8_t *args;  /* where they begin; NULL: none */
	const uint8_t *stack; /* the same */
};

/* Names of processes and threads. */
void op_chrome_metadata(struct op_chrome *c, struct op_json_in *in,
			const struct op_chrome_event *e);

/* Whether an event is part of a V8 profile; then it is read. */
bool op_chrome_is_v8(struct op_chrome *c, struct op_json_in *in,
		     const struct op_chrome_event *e);

/* A sample that is an event or stands in the list of samples. */
void op_chrome_sample(struct op_chrome *c, struct op_json_in *in,
		      const struct op_chrome_event *e);

void op_chrome_stack_frames(struct op_chrome *c, struct op_json_in *in);

/* --- slices.c --- */

/* Makes runs of a thread's slices. */
void op_chrome_slices(struct op_chrome *c, uint32_t thread);

/* --- read.c --- */

/* An observation of a thread: what stack was at work from when to when. */
struct op_chrome_run {
	uint32_t thread, stack;
	int64_t from, to;
};

void op_chrome_observe(struct op_chrome *c, enum op_chrome_kind kind,
		       const struct op_chrome_run *run);

int op_chrome_read(struct op_view in, const struct op_read_opts *opts,
		   op_model_fn *fn, void *ctx, struct op_err *err);

/* --- write.c --- */

int op_chrome_write(const struct op_model *m, const struct op_write_opts *opts,
		    struct op_sink *sink, struct op_err *err);

#endif
