// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/write.h: between the files that write messages.
 *
 * A message written from the back stands whole in memory. Where it is large it
 * is so for its samples; to write it into a sink all but the samples is
 * encoded, with gaps of the right size, and the samples follow into the sink a
 * few at a time. */
#ifndef OP_FMT_OTLP_WRITE_H
#define OP_FMT_OTLP_WRITE_H

#include "base/vec.h"
#include "fmt/otlp/otlp.h"

/* Samples of a profile. */
struct op_otlp_samples {
	const struct op_dict *d;
	const struct op_profile *p;
	/* The first one has a field of values though it is empty: see
	 * op_otlp_marked(). */
	bool is_marked;
};

struct op_otlp_gap {
	struct op_otlp_samples samples; /* that belong here */
	size_t mark;			/* of the writer */
	size_t size;
};

struct op_otlp_gaps {
	struct op_arena mem;
	OP_VEC(struct op_otlp_gap) v; /* the last one of the message first */
};

/* write.c: the rows of a dictionary as they stand in it, and a resource with
 * all that is in it. */
void op_otlp_rows_write(struct op_pbw *w, const struct op_dict *d);
void op_otlp_resource_write(struct op_pbw *w, const struct op_dict *d,
			    const struct op_resource *r);

/* Samples from one to before another. */
void op_otlp_samples_write(struct op_pbw *w, const struct op_otlp_samples *s,
			   uint32_t from, uint32_t to);

/* A message in which samples have attributes and times only, as many of the
 * one as of the other, could be of v1.9, with values in place of attributes.
 * Then the first sample has an empty run of values, which v1.9 cannot have.
 * The profile of that sample; NULL: nothing is in doubt. */
const struct op_profile *op_otlp_marked(const struct op_model *m);

/* The message, without the samples if there are gaps to put them in. */
int op_otlp_encode_around(const struct op_model *m, struct op_pbw *w,
			  struct op_otlp_gaps *gaps);

/* write_stream.c: what a sample takes, with its tag and length. */
size_t op_otlp_sample_size(const struct op_otlp_samples *s, uint32_t i);

/* Notes where the samples of a profile belong; gives their size. */
size_t op_otlp_gap_add(struct op_otlp_gaps *gaps, struct op_pbw *w,
		       const struct op_otlp_samples *s);

#endif
