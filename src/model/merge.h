// SPDX-License-Identifier: Apache-2.0
/* model/merge.h: a model made of the rows that others use.
 *
 * Only what is reachable from a sample is taken over, each row once. Mappings
 * come first and keep the order of their table, in which the first is the
 * program; all else stands in the order in which it is first met. So equal
 * content gives equal models, and doing it again changes nothing.
 */
#ifndef OP_MODEL_MERGE_H
#define OP_MODEL_MERGE_H

#include "model/builder.h"

/* Takes rows of one model into a builder, remembering where they went. */
struct op_import {
	struct op_builder *to;
	const struct op_model *from;
	uint32_t *map[OP_NR_TABLES]; /* OP_NO_ID: not asked for yet */
	uint32_t *set_map;
	OP_VEC(uint32_t) ids;
	OP_VEC(struct op_line) lines;
	struct op_arena scratch;
};

/* False if there is no memory; op_import_fini() is due either way. */
bool op_import_init(struct op_import *im, struct op_builder *to,
		    const struct op_model *from);
void op_import_fini(struct op_import *im);

/* Takes over the mappings that these stacks lead to, in the order of their
 * table. stacks has a byte for each stack, not 0 where it will be imported;
 * NULL: those of all samples. Due before any other row. */
void op_import_mappings(struct op_import *im, const uint8_t *stacks);

/* Sets the byte of each stack that a sample has, and of each mapping that a
 * stack with its byte set leads to. */
void op_mark_stacks(const struct op_model *m, uint8_t *stacks);
void op_mark_mappings(const struct op_dict *d, const uint8_t *stacks,
		      uint8_t *mappings);

/* The builder's id of a row of the other model. */
uint32_t op_import_string(struct op_import *im, uint32_t id);
uint32_t op_import_function(struct op_import *im, uint32_t id);
uint32_t op_import_mapping(struct op_import *im, uint32_t id);
uint32_t op_import_location(struct op_import *im, uint32_t id);
uint32_t op_import_stack(struct op_import *im, uint32_t id);
uint32_t op_import_link(struct op_import *im, uint32_t id);
uint32_t op_import_set(struct op_import *im, uint32_t id);

/* The head of a profile, with the builder's ids. */
struct op_profile op_import_head(struct op_import *im,
				 const struct op_profile *p);

/* All samples of a profile; it is made even if there are none. */
void op_import_samples(struct op_import *im, const struct op_profile *p,
		       struct op_build_pair *to);

/* Those with times, or those without, into a profile of the builder. */
void op_import_samples_of(struct op_import *im, const struct op_profile *p,
			  bool timed, uint32_t profile);

/* The same from a builder that is not finished and stays so. */
bool op_import_builder(struct op_import *im, struct op_builder *to,
		       struct op_builder *from);

/* Adds all that it has of a profile to one of the other; of a profile that is
 * like another, after that one. Gives where its samples went, good until
 * op_import_fini(); NULL if it is like another or after a failure. */
const uint32_t *op_import_built(struct op_import *im, struct op_builder *from,
				uint32_t profile, uint32_t to);

/* What the functions below give is normal (op_model.normal).
 *
 * m without duplicates and orphans, samples of one identity merged, strings
 * of resources and scopes by reference. Profiles stay as many as they are;
 * one that mixes samples with and without times becomes two. On failure m is
 * as it was. */
int op_normalise(struct op_model *m, struct op_err *err);

/* The same for a model that is normal but for rows that nothing refers to:
 * much less work, since no row is looked for, and frames, samples and
 * observations, which may be packed, stay where they are. On failure m is to
 * be freed. */
int op_reorder(struct op_model *m, struct op_err *err);

/* The resources of all of them, normalised, one behind the other; observations
 * that are packed get their arrays. out is empty
 * but for its quota; on failure it is to be freed. */
int op_concat(struct op_model *const *models, size_t n, struct op_model *out,
	      struct op_err *err);

/* All of them in one model: profiles of equal resource, scope, sample type,
 * period and attributes become one, with and without times apart (one without
 * samples goes with either). Values are joined as their aggregator says. out
 * as above. */
int op_merge(struct op_model *const *models, size_t n, struct op_model *out,
	     struct op_err *err);

#endif
