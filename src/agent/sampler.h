// SPDX-License-Identifier: Apache-2.0
/* agent/sampler.h: takes the stacks of all threads at a fixed interval. */
#ifndef OP_AGENT_SAMPLER_H
#define OP_AGENT_SAMPLER_H

#include "agent/threads.h"

struct op_sampler_opts {
	uint64_t interval_ns; /* of all threads; 0: not at all */
	/* Of threads in spans of traces with a number up to this. */
	uint64_t snapshot_ns;
	uint32_t snapshot_max;
	struct op_channel *channel;
	const uint8_t *tables;
	int alive;	 /* a socket that ends with the helper */
	bool has_memory; /* allocations are sampled, too */
};

struct op_sampler {
	struct op_sampler_opts opts;
	struct op_threads threads;
	struct op_agent_walk walk; /* of threads that do not run */
	uint64_t frames[OP_AGENT_MAX_FRAMES];
	const struct op_channel_map *map; /* of this round */
	uint64_t loads;		 /* changes of the loader's list, so far */
	uint64_t unloads;	 /* libraries that were unloaded, so far */
	uint64_t map_unloads;	 /* those that the map does not have */
	uint64_t listed_ns;	 /* when threads were listed last */
	uint64_t checked_ns;	 /* when the helper was seen last */
	uint64_t asked_ns;	 /* when the helper was asked to read maps */
	bool has_gone;		 /* a thread has ended since they were listed */
	uint64_t nr_lost_allocs; /* that are in the count of the channel */
	uint32_t nr_cpus;	 /* that the program may use */
	bool is_over;
	uint32_t bell; /* a futex: rung to stop, or if allocations wait */
	/* Of this round. */
	uint64_t round_ns; /* CLOCK_MONOTONIC */
	bool is_snapshot;
	uint64_t interval_ns;
	uint64_t first_ns; /* CLOCK_REALTIME */
	uint64_t spread_ns;
	uint32_t nr_signals;
};

/* Its storage is zero and large. */
int op_sampler_open(struct op_sampler *s, const struct op_sampler_opts *opts,
		    struct op_err *err);
/* Runs until op_sampler_stop(), or until it cannot go on: then err says why. */
void op_sampler_run(struct op_sampler *s, struct op_err *err);
void op_sampler_stop(struct op_sampler *s);
void op_sampler_close(struct op_sampler *s);

/* One round, for tests. */
int op_sampler_round(struct op_sampler *s, struct op_err *err);

#endif
