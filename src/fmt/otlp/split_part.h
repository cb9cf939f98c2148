// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/split_part.h: a model that grows sample by sample out of another and
 * knows how large a message it makes.
 *
 * Rows are copied when they are first needed, under their new ids, and are not
 * compared: the other model has each once (op_model.normal). What an addition
 * takes is known by encoding it, and it can be undone at the cost of what it
 * added, so that a whole model is split in one pass. */
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
	/* Of the message, at most. The part may be larger than max: then what
	 * was added last is incomplete and must be undone. */
	size_t bytes, max;
	/* As those of a dictionary, but that locations have from's mappings,
	 * and that of stacks and sets the rows are where they begin. */
	struct op_part_table tables[OP_PART_TABLES];
	OP_VEC(struct op_line) lines;
	struct op_id_vec frames, members;
	size_t *attr_bytes; /* of from's attributes; 0: not known yet */

	OP_VEC(struct op_part_profile) profiles;
	/* The samples of all of them. */
	OP_VEC(struct op_slice) slices;
	struct op_id_vec stack, set, link, value_at, time_at;
	OP_VEC(int64_t) values;
	OP_VEC(const uint8_t *) times;

	struct op_pbw w; /* what is encoded to be measured */
	struct op_arena mem;
	struct op_arena head_mem; /* of resources, scopes and profiles */
};

/* The state of a part, to go back to. */
struct op_part_mark {
	size_t rows[OP_PART_TABLES], lines, frames, members;
	size_t profiles, samples, bytes;
};

/* An empty part. The model must stay as it is. op_part_fini() is due also on
 * failure. Out of memory is reported through err here and below. */
int op_part_init(struct op_part *p, const struct op_model *from, size_t max,
		 struct op_err *err);
void op_part_fini(struct op_part *p);

struct op_part_mark op_part_mark(const struct op_part *p);
void op_part_undo(struct op_part *p, const struct op_part_mark *mark);

/* Begins a profile without samples. One that is whole keeps its id and its
 * original payload; of any other each part has an id of its own. */
void op_part_profile(struct op_part *p, const struct op_walk *at,
		     bool is_whole);

/* Adds observations of a sample to the profile that was begun last. */
void op_part_sample(struct op_part *p, struct op_slice slice);

/* Adds the rows of a stack and of a set, without a sample. */
void op_part_rows(struct op_part *p, uint32_t stack, uint32_t set);

op_inline bool op_part_is_over(const struct op_part *p)
{
	return p->bytes > p->max;
}

/* The part as a model, which is good until the next change of the part and is
 * not to be freed. Only op_part_undo() to the empty part may follow. */
int op_part_model(struct op_part *p, struct op_model *out);

#endif
