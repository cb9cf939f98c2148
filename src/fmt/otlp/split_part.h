// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/split_part.h: a model that grows sample by sample from another one
 * and knows the size of its message.
 *
 * Rows are copied when they are first needed, with new IDs, and are not
 * compared: the other model has each once (op_model.normal). Each addition is
 * encoded to learn its size, and can be undone at the cost of what it added, so
 * that a whole model is split in one pass. */
#ifndef OP_FMT_OTLP_SPLIT_PART_H
#define OP_FMT_OTLP_SPLIT_PART_H

#include "fmt/otlp/write.h"

/* Observations of a sample. */
struct op_slice {
	uint32_t sample, from, to;
};

struct op_part_profile {
	struct op_walk at;
	size_t first_sample; /* of the part */
	bool is_whole;
};

/* Rows of the part. */
struct op_part_table {
	uint32_t *map;	      /* from's row to ours, or OP_NO_ID */
	struct op_id_vec ids; /* and back */
	void *rows;
	size_t cap;
};

enum { OP_PART_SETS = OP_NR_TABLES, OP_PART_TABLES };

struct op_part {
	const struct op_model *from;
	struct op_err *err;
	/* Upper limit of the size of the message. The part may exceed max: then
	 * the last addition is incomplete and must be undone. */
	size_t bytes, max;
	/* Like those of a dictionary, except that locations have from's
	 * mappings, and that the rows of stacks and sets are their offsets. */
	struct op_part_table tables[OP_PART_TABLES];
	OP_VEC(struct op_line) lines;
	struct op_id_vec frames, members;
	size_t *attr_bytes; /* of from's attributes; 0: unknown */

	OP_VEC(struct op_part_profile) profiles;
	/* The samples of all profiles. */
	OP_VEC(struct op_slice) slices;
	struct op_id_vec stack, set, link, value_at, time_at;
	OP_VEC(int64_t) values;
	OP_VEC(const uint8_t *) times;

	struct op_pbw w; /* buffer to measure encoded data */
	struct op_arena mem;
	struct op_arena head_mem; /* of resources, scopes and profiles */
};

/* The state of a part, to return to. */
struct op_part_mark {
	size_t rows[OP_PART_TABLES], lines, frames, members;
	size_t profiles, samples, bytes;
};

/* Makes an empty part. The model must not change. op_part_fini() is required
 * even on failure. Out of memory is reported through err, here and below. */
int op_part_init(struct op_part *p, const struct op_model *from, size_t max,
		 struct op_err *err);
void op_part_fini(struct op_part *p);

struct op_part_mark op_part_mark(const struct op_part *p);
void op_part_undo(struct op_part *p, const struct op_part_mark *mark);

/* Begins a profile without samples. A whole one keeps its ID and its original
 * payload; otherwise each part has an ID of its own. */
void op_part_profile(struct op_part *p, const struct op_walk *at,
		     bool is_whole);

/* Adds observations of a sample to the last profile. */
void op_part_sample(struct op_part *p, struct op_slice slice);

/* Adds the rows of a stack and of a set, without a sample. */
void op_part_rows(struct op_part *p, uint32_t stack, uint32_t set);

op_inline bool op_part_is_over(const struct op_part *p)
{
	return p->bytes > p->max;
}

/* The part as a model, which is valid until the part changes and must not be
 * freed. Only op_part_undo() to the empty part may follow. */
int op_part_model(struct op_part *p, struct op_model *out);

#endif
