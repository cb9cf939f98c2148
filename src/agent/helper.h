// SPDX-License-Identifier: Apache-2.0
/* agent/helper.h: what the helper of a profiled program does: it makes the
 * tables that the program unwinds with, and models of its samples.
 *
 * There are two kinds of models, since logs have a record per sample, with the
 * times of the thread, while samples of profiles are joined. */
#ifndef OP_AGENT_HELPER_H
#define OP_AGENT_HELPER_H

#include <pthread.h>

#include "agent/helper_code.h"
#include "agent/helper_heap.h"
#include "agent/ring.h"
#include "host/context.h"

enum op_agent_helper_kind { OP_AGENT_PROFILES, OP_AGENT_LOGS, OP_AGENT_KINDS };

struct op_agent_helper_opts {
	uint32_t pid;
	uint32_t sampler;	    /* the thread in it that takes samples */
	int channel, tables, alive; /* descriptors */
	uint64_t interval_ns;	    /* of samples; 0: there are none */
	uint64_t snapshot_ns;	    /* of snapshots, likewise */
	bool wants[OP_AGENT_KINDS];
	bool has_memory; /* allocations are sampled, too */
};

/* What is counted. */
enum op_agent_type {
	OP_AGENT_SAMPLES,
	OP_AGENT_SNAPSHOTS,
	OP_AGENT_ALLOC_OBJECTS,
	OP_AGENT_ALLOC_SPACE,
	OP_AGENT_INUSE_OBJECTS,
	OP_AGENT_INUSE_SPACE,
	OP_AGENT_TYPES,
};

/* What it has read of a thread. */
struct op_agent_helper_thread {
	struct op_channel_thread head;
	struct op_channel_sample last; /* of which its frames are kept */
	uint64_t *frames;
	bool is_missed; /* it was not there when a window ended */
};

struct op_agent_helper_counts {
	uint64_t samples, complete;
	uint64_t allocs;	      /* sampled */
	uint64_t lost, late, unheard; /* as the program counts them */
	uint64_t rounds, skipped, signals;
	uint64_t spread_ns, max_spread_ns; /* sum, largest */
};

/* Of the rounds of a kind since the last window. */
struct op_agent_helper_rounds {
	uint64_t nr, spread_ns, max_spread_ns;
};

struct op_agent_helper {
	struct op_agent_helper_opts opts;
	struct op_err *err;
	struct op_arena mem;
	struct op_channel *channel;
	struct op_agent_helper_code code;
	struct op_ring_reader ring;
	struct op_live live[OP_AGENT_KINDS];
	uint32_t process[OP_AGENT_KINDS];
	struct op_live_type types[OP_AGENT_TYPES];
	OP_VEC(struct op_agent_helper_thread) threads; /* by tid */
	OP_VEC(struct op_live_frame) frames; /* of the sample at hand */
	struct op_context_watch context;
	struct op_agent_heap heap;
	double carry[OP_AGENT_TYPES]; /* what rounding has left */
	struct op_agent_helper_counts counts;
	struct op_agent_helper_counts taken;	 /* what former windows had */
	struct op_agent_helper_rounds rounds[2]; /* of all, of snapshots */
	uint64_t nr_frames; /* of events since the last window */
	uint64_t unloads;   /* that the maps have */
	uint32_t woken;	    /* op_channel.wake, when it was looked at last */
	bool has_rest;	    /* of what was written before the last step */
	bool has_ended;
	bool has_watcher;
	pthread_t watcher;     /* waits for the end of the program */
	bool is_hung_up;       /* what it saw */
	unsigned int nr_looks; /* for the end, since then */
};

/* Its storage is the caller's, zero and must not move. The program waits until
 * this is done. */
int op_agent_helper_init(struct op_agent_helper *h,
			 const struct op_agent_helper_opts *opts,
			 struct op_err *err);
void op_agent_helper_fini(struct op_agent_helper *h);

/* Waits for the program for at most so long, and processes what it has written.
 * has_ended: it runs no more, and everything is processed. */
int op_agent_helper_step(struct op_agent_helper *h, int timeout_ms);

/* So much was sampled that op_agent_helper_take() is due; until then nothing
 * more is processed. */
bool op_agent_helper_is_full(const struct op_agent_helper *h);

/* What was sampled since the last call; empty where a kind is not wanted.
 * Profiles of samples say how the rounds were, in attributes of the window. */
int op_agent_helper_take(struct op_agent_helper *h,
			 struct op_model out[OP_AGENT_KINDS]);

#endif
