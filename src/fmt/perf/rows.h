// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/rows.h: addresses, stacks and threads as rows of the model. */
#ifndef OP_FMT_PERF_ROWS_H
#define OP_FMT_PERF_ROWS_H

#include "base/vec.h"

/* Small cache: which location an address became. */
struct op_perf_ip_slot {
	uint64_t ip;
	uint32_t version; /* of the space */
	uint32_t location;
};

enum {
	OP_PERF_IP_CACHE_BITS = 13,
	OP_PERF_IP_CACHE_SLOTS = 1 << OP_PERF_IP_CACHE_BITS
};

struct op_perf_rows {
	uint32_t frame_sets[2]; /* of native and kernel frames */
	struct op_perf_ip_slot *ip_cache;
	struct op_id_vec frames; /* of the samples at hand */
	struct op_id_vec attrs;
	bool has_unused; /* rows were made that may be of no sample */
};

struct op_perf;
struct op_perf_event;
struct op_perf_sample;
struct op_host_space;
struct op_host_thread;

int op_perf_rows_begin(struct op_perf *f);
/* Adds the frames of a sample to op_perf.rows.frames, leaf first. Gives why the
 * last is not the outermost, if that is known. */
const char *op_perf_frames(struct op_perf *f, const struct op_perf_event *e,
			   const struct op_perf_sample *s);
/* One of a user. */
void op_perf_frame_add(struct op_perf *f, struct op_host_space *space,
		       uint64_t ip);
/* The attributes of a thread, and of where it ran. */
uint32_t op_perf_set(struct op_perf *f, const struct op_perf_sample *s);
/* And one more. */
uint32_t op_perf_set_with(struct op_perf *f, uint32_t set, const char *key,
			  const char *text);
bool op_perf_is_wanted(const struct op_perf *f, const struct op_host_thread *t);

#endif
