// SPDX-License-Identifier: Apache-2.0
/* rpc/part.h: a part of a model that grows sample by sample and knows how large
 * a message it makes.
 *
 * Rows are taken over when they are first needed, and are not compared: the
 * model has each once (op_model.normal). What was added last can be taken back,
 * at the cost of what it had added, so that a whole model is cut into parts in
 * one go over it. */
#ifndef OP_RPC_PART_H
#define OP_RPC_PART_H

#include "base/vec.h"
#include "model/model.h"

/* Observations of a sample. */
struct op_piece {
	uint32_t sample, from, to;
};

struct op_part_profile {
	struct op_walk at;
	size_t first; /* piece */
	bool is_whole;
};

struct op_part {
	const struct op_model *from;
	struct op_err *err;
	/* Of the message, at most. The part may be larger than max: then what
	 * was added last is incomplete and to be taken back. */
	size_t bytes, max;
	uint32_t *map[OP_NR_TABLES]; /* row to row of the part, or OP_NO_ID */
	uint32_t *set_map;
	struct op_id_vec rows[OP_NR_TABLES]; /* and back */
	struct op_id_vec sets;
	OP_VEC(struct op_piece) pieces;
	OP_VEC(struct op_part_profile) profiles;
	struct op_arena mem;
	struct op_arena model_mem;
};

/* The state of a part, to go back to. */
struct op_part_mark {
	size_t rows[OP_NR_TABLES], sets, pieces, profiles, bytes;
};

/* An empty part. The model must stay as it is. op_part_fini() is due also on
 * failure. Out of memory is told through err here and below. */
int op_part_init(struct op_part *p, const struct op_model *from, size_t max,
		 struct op_err *err);
void op_part_fini(struct op_part *p);

struct op_part_mark op_part_mark(const struct op_part *p);
void op_part_back(struct op_part *p, const struct op_part_mark *mark);

/* Begins a profile without samples. One that is whole keeps its id and its
 * original payload; of any other each part has an id of its own. */
void op_part_profile(struct op_part *p, const struct op_walk *at,
		     bool is_whole);

/* Adds observations of a sample to the profile that was begun last. */
void op_part_sample(struct op_part *p, struct op_piece piece);

/* Takes over the rows of a stack and of a set, without a sample. */
void op_part_rows(struct op_part *p, uint32_t stack, uint32_t set);

op_inline bool op_part_is_over(const struct op_part *p)
{
	return p->bytes > p->max;
}

/* What observations of a sample take, tags and lengths left out. */
uint64_t op_part_observation_bytes(const struct op_profile *p, uint32_t sample,
				   uint32_t k);

/* How many observations a sample has. */
uint32_t op_part_nr_observations(const struct op_profile *p, uint32_t sample);

/* part_model.c: the part as a model, which is good until the next change of
 * the part and is not to be freed. */
int op_part_model(struct op_part *p, struct op_model *out);

#endif
