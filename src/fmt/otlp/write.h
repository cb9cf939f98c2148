// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/write.h: shared by the files that write messages.
 *
 * A message written backwards is complete in memory, and samples are most of a
 * large one. To write it to a sink everything but the samples is encoded, with
 * gaps of the right size, and the samples are written to the sink a few at a
 * time. */
#ifndef OP_FMT_OTLP_WRITE_H
#define OP_FMT_OTLP_WRITE_H

#include "base/vec.h"
#include "fmt/otlp/otlp.h"

/* Samples of a profile. */
struct op_otlp_samples {
	const struct op_dict *d;
	const struct op_profile *p;
	/* The first one has an empty field of values: see op_otlp_marked(). */
	bool is_marked;
};

struct op_otlp_gap {
	struct op_otlp_samples samples; /* of this gap */
	size_t mark;			/* position in the writer */
	size_t size;
};

struct op_otlp_gaps {
	struct op_arena mem;
	OP_VEC(struct op_otlp_gap) v; /* the last one of the message first */
};

/* write.c: the rows of a dictionary in their order, and a resource with its
 * contents. */
void op_otlp_rows_write(struct op_pbw *w, const struct op_dict *d);
void op_otlp_resource_write(struct op_pbw *w, const struct op_dict *d,
			    const struct op_resource *r);

/* Samples from..to, exclusive. */
void op_otlp_samples_write(struct op_pbw *w, const struct op_otlp_samples *s,
			   uint32_t from, uint32_t to);

/* A message whose samples have only attributes and timestamps, in equal
 * numbers, could be of v1.9, with values instead of attributes. Then the first
 * sample gets an empty run of values, which v1.9 cannot have. Returns the
 * profile of that sample; NULL: the message is not ambiguous. */
const struct op_profile *op_otlp_marked(const struct op_model *m);

/* Encodes the message, without the samples if there are gaps for them. */
int op_otlp_encode_around(const struct op_model *m, struct op_pbw *w,
			  struct op_otlp_gaps *gaps);

/* write_stream.c: the encoded size of a sample, with tag and length. */
size_t op_otlp_sample_size(const struct op_otlp_samples *s, uint32_t i);

/* Records the position of the samples of a profile; returns their size. */
size_t op_otlp_gap_add(struct op_otlp_gaps *gaps, struct op_pbw *w,
		       const struct op_otlp_samples *s);

#endif
