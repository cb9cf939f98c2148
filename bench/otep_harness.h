// SPDX-License-Identifier: Apache-2.0
/* bench/otep_harness.h: a pprof file in the encodings that OTEP 239 compared,
 * as its benchmark wrote them; otep_harness.c says how that is. */
#ifndef BENCH_OTEP_HARNESS_H
#define BENCH_OTEP_HARNESS_H

#include "base/err.h"
#include "base/intern.h"
#include "base/vec.h"
#include "base/view.h"
#include "pb/write.h"

struct harness_sample {
	uint32_t first, nr; /* in locations */
	uint32_t first_value;
	uint32_t set;	    /* of labels, in the order they are met, from 1 */
	uint64_t time;	    /* seconds since 1970; 0: none */
	struct op_view msg; /* of the file */
};

/* A pprof message taken apart. */
struct harness {
	struct op_arena mem;
	struct op_err err;
	uint32_t nr_types;
	OP_VEC(struct harness_sample) samples;
	OP_VEC(uint64_t) locations; /* of all samples */
	OP_VEC(int64_t) values;
	OP_VEC(struct op_view) rows[7]; /* by field number: 3 to 6 */
	OP_VEC(struct op_view) sets;	/* of labels: the bytes */
	struct op_intern set_index;
	uint32_t *strings; /* new numbers, those that nobody names left out */
};

enum harness_kind { HARNESS_PPROF, HARNESS_ARRAYS, HARNESS_EXT };

/* False if the message is none; h->err then says why. */
bool harness_read(struct harness *h, struct op_view pprof);
void harness_free(struct harness *h);

/* Each sample as many samples as its first value says, with a time. */
bool harness_split(struct harness *h);

/* Appends the encoding to w. */
void harness_write(struct harness *h, enum harness_kind kind, struct op_pbw *w);

#endif
