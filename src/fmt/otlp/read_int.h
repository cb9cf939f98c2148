// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/read_int.h: what the parts of the OTLP decoder share. */
#ifndef OP_FMT_OTLP_READ_INT_H
#define OP_FMT_OTLP_READ_INT_H

#include "base/intern.h"
#include "base/vec.h"
#include "fmt/otlp/dialect.h"
#include "fmt/otlp/otlp.h"
#include "fmt/wire/wire.h"
#include "pb/read.h"

/* Fields of a profile that the current version does not have. They become
 * attributes when the tables are complete. */
struct op_dec_leftover {
	struct op_profile *profile;
	uint32_t temporality;
	uint32_t first_comment; /* in op_dec.comments */
	uint32_t nr_comments;
};

/* The set of a run of up to eight bytes, so that frequent ones are found
 * without reading their IDs. */
struct op_set_memo {
	uint64_t bytes;
	uint32_t set;
	uint32_t nr_bytes; /* 0: free */
};

struct op_dec {
	struct op_model *m;
	struct op_wire wire; /* for messages shared with other signals */
	struct op_arena *mem;
	struct op_err *err;
	const struct op_dialect *dialect;
	uint32_t limit[OP_NR_TABLES]; /* IDs must be below */
	uint32_t fill[OP_NR_TABLES];  /* rows decoded so far */

	OP_VEC(struct op_line) lines;
	struct op_id_vec frames;

	/* Attribute sets, found by content. */
	struct op_intern sets;
	struct op_id_vec set_at;
	struct op_id_vec members;
	struct op_set_memo *memo;
	unsigned int memo_shift;  /* of a 64-bit hash */
	struct op_id_vec scratch; /* the ids a set is made of */

	struct op_id_vec comments;
	OP_VEC(struct op_dec_leftover) leftovers;

	struct op_shape shape; /* what the samples looked like */
};

/* Fails, or returns UINT32_MAX if unchecked. */
op_cold uint32_t op_dec_id_past(struct op_dec *d, uint64_t at, uint64_t v,
				enum op_table t);

/* The ID in a field, checked against its table. */
op_inline uint32_t op_dec_id(struct op_dec *d, const struct op_cur *c,
			     const struct op_pb_field *f, enum op_table t)
{
	if (op_likely(f->v < d->limit[t]))
		return (uint32_t)f->v;
	return op_dec_id_past(d, (uint64_t)(f->bytes.p - c->base), f->v, t);
}

/* Appends the IDs of a run, each checked, to v. */
void op_dec_ids_add(struct op_dec *d, struct op_cur run, enum op_table t,
		    struct op_id_vec *v);

/* The set of the IDs in the scratch list, which is emptied. */
uint32_t op_dec_set(struct op_dec *d);

/* The set of a run of attribute IDs. */
op_inline uint32_t op_dec_run_set(struct op_dec *d, struct op_cur run)
{
	size_t n = op_cur_left(&run);
	struct op_set_memo *memo;
	uint64_t bytes;

	if (op_unlikely(n - 1 >= 8 || run.p >= run.words_end)) {
		op_dec_ids_add(d, run, OP_ATTRS, &d->scratch);
		return op_dec_set(d);
	}
	memcpy(&bytes, run.p, sizeof(bytes));
	bytes = bytes << (64 - 8 * n) >> (64 - 8 * n);
	memo = &d->memo[bytes * 0x9e3779b97f4a7c15u >> d->memo_shift];
	if (op_unlikely(memo->bytes != bytes || memo->nr_bytes != n)) {
		op_dec_ids_add(d, run, OP_ATTRS, &d->scratch);
		*memo = (struct op_set_memo){ bytes, op_dec_set(d),
					      (uint32_t)n };
	}
	return memo->set;
}

/* A list of IDs in more than one part: set and these. */
op_cold uint32_t op_dec_set_more(struct op_dec *d, struct op_cur run,
				 uint32_t set);

/* Joins the set of a row with another field of attribute IDs. */
op_inline uint32_t op_dec_attrs(struct op_dec *d, const struct op_cur *c,
				const struct op_pb_field *f, uint32_t set)
{
	if (op_likely(f->wire == OP_PB_LEN && !set))
		return op_dec_run_set(d, op_pb_sub(c, f));
	if (f->wire != OP_PB_LEN && f->wire != OP_PB_VARINT)
		return set;
	return op_dec_set_more(d, op_pb_sub(c, f), set);
}

/* read_profile.c */
void op_dec_profile(struct op_dec *d, struct op_cur c, struct op_profile *p);

/* read_dictionary.c */
struct op_dec_counts {
	size_t nr[OP_NR_TABLES];
	size_t stack_bytes;
};

/* Adds the rows of a dictionary message. */
void op_dec_dictionary_count(struct op_cur c, struct op_dec_counts *out);
bool op_dec_tables_new(struct op_dec *d, const struct op_dec_counts *counts);
void op_dec_dictionary(struct op_dec *d, struct op_cur c);

/* Gives the grown arrays to the model and completes its tables. */
int op_dec_tables_finish(struct op_dec *d);

#endif
