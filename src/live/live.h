// SPDX-License-Identifier: Apache-2.0
/* live/live.h: events as they happen, made into models, window by window.
 *
 *	process = op_live_process(&l, &resource);
 *	binary = op_live_binary(&l, &row);
 *	op_live_add(&l, &event);
 *	...
 *	op_live_take(&l, now_ns, &model);   a window ends, the next begins
 *
 * Processes and binaries live on from window to window until they are dropped;
 * all else belongs to its window, so memory does not grow with time.
 */
#ifndef OP_LIVE_LIVE_H
#define OP_LIVE_LIVE_H

#include "model/builder.h"

enum { OP_LIVE_MAX_TYPES = 6 };

/* What an event counts. */
struct op_live_type {
	const char *name, *unit;
	/* What lies between two events, if that is fixed; NULL: it is not. */
	const char *period_name, *period_unit;
	int64_t period;
	/* An attribute of its profiles; NULL: none. */
	const char *attr_key, *attr_text;
};

struct op_live_opts {
	const struct op_live_type *types;
	uint32_t nr_types;
	/* No timestamps: only sums. */
	bool is_aggregate;
	/* Of what makes the events. */
	const char *scope_name, *scope_version;
};

/* A file, or the kernel; addresses are its own. */
struct op_live_binary {
	struct op_view name;
	uint64_t start, limit, offset; /* as in struct op_mapping */
	struct op_view build_id;       /* GNU's, in hex; empty: none */
	struct op_view htlhash;	       /* in hex; empty: not known */
};

struct op_live_frame {
	uint64_t address;
	uint32_t binary; /* OP_NO_ID: none */
	bool is_kernel;
};

/* More about a thread, for who has a record per event. */
struct op_event_thread {
	uint32_t index; /* in the program, from 1 on: it becomes thread.id */
	int32_t prio, os_prio;
	uint64_t cpu_ns, elapsed_ns;
	const char *status; /* a word for people */
};

struct op_event {
	uint64_t time_ns; /* since 1970 */
	int64_t value;
	uint32_t type; /* of the options */
	uint32_t process;
	uint32_t tid; /* 0: of no thread */
	uint32_t cpu; /* OP_NO_ID: not known */
	struct op_view thread_name;
	const char *state;   /* of the thread; NULL: not said */
	const char *quality; /* why the stack ended early; NULL: it is whole */
	const struct op_event_thread *thread; /* NULL: only tid and name */
	bool has_link;
	uint8_t trace_id[16], span_id[8];
	uint32_t nr_frames; /* the innermost first */
	const struct op_live_frame *frames;
};

struct op_live_process_row {
	struct op_arena mem;
	struct op_kvs attrs;
	bool is_free, is_leaving;
	/* In this window. */
	uint64_t window;
	uint32_t resource, scope;
	uint32_t profiles[OP_LIVE_MAX_TYPES]; /* OP_NO_ID: no event yet */
};

struct op_live_binary_row {
	struct op_arena mem;
	struct op_live_binary b;
	bool is_free, is_leaving;
	/* In this window. */
	uint64_t window;
	uint32_t mapping;
};

struct op_live {
	struct op_live_opts opts;
	struct op_err *err;
	struct op_arena mem;
	OP_VEC(struct op_live_process_row) processes;
	OP_VEC(struct op_live_binary_row) binaries;
	struct op_id_vec free_processes, free_binaries;
	struct op_id_vec locations, attrs; /* scratch */

	struct op_model model; /* of the window */
	struct op_builder b;
	uint64_t window;	   /* counts them; from 1 */
	uint64_t from_ns, last_ns; /* of its events, too */
	uint64_t nr_events;
	uint32_t frame_sets[3];
};

/* After a failure, which is in err, calls do nothing. The options' types must
 * outlive it. */
int op_live_init(struct op_live *l, const struct op_live_opts *opts,
		 uint64_t now_ns, struct op_err *err);
void op_live_fini(struct op_live *l);

/* A process or another thing that gets a resource of its own. attrs is copied.
 */
uint32_t op_live_process(struct op_live *l, const struct op_kvs *attrs);
/* Replaces the attributes, also for the events of this window. */
void op_live_process_attrs(struct op_live *l, uint32_t process,
			   const struct op_kvs *attrs);
void op_live_process_drop(struct op_live *l, uint32_t process);

uint32_t op_live_binary(struct op_live *l, const struct op_live_binary *b);
void op_live_binary_drop(struct op_live *l, uint32_t binary);

void op_live_add(struct op_live *l, const struct op_event *e);

/* Adds an attribute to the profile of a type in this window, if that has
 * events. */
void op_live_profile_attr(struct op_live *l, uint32_t process, uint32_t type,
			  const char *key, int64_t value);

/* Ends the window. out is empty if there was no event, or on failure. */
int op_live_take(struct op_live *l, uint64_t now_ns, struct op_model *out);

#endif
