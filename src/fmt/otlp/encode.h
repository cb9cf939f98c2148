// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/encode.h: between the files that write messages.
 *
 * A message written from the back stands whole in memory. Where it is large it
 * is so for its samples; to write it into a sink all but the samples is
 * encoded, with gaps of the right size, and the samples follow into the sink a
 * few at a time. */
#ifndef OP_FMT_OTLP_ENCODE_H
#define OP_FMT_OTLP_ENCODE_H

#include "base/vec.h"
#include "fmt/otlp/otlp.h"

struct op_otlp_gap {
	const struct op_profile *profile; /* whose samples belong here */
	size_t mark;			  /* of the writer */
	size_t size;
};

struct op_otlp_gaps {
	struct op_arena mem;
	OP_VEC(struct op_otlp_gap) v; /* the last one of the message first */
};

/* encode.c: samples from one to before another. */
void op_otlp_samples_write(struct op_pbw *w, const struct op_dict *d,
			   const struct op_profile *p, uint32_t from,
			   uint32_t to);
/* The message, without the samples if there are gaps to put them in. */
int op_otlp_encode_around(const struct op_model *m, struct op_pbw *w,
			  struct op_otlp_gaps *gaps);

/* stream.c: notes where the samples of a profile belong; gives their size. */
size_t op_otlp_gap_add(struct op_otlp_gaps *gaps, struct op_pbw *w,
		       const struct op_dict *d, const struct op_profile *p);

#endif
