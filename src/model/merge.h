// SPDX-License-Identifier: Apache-2.0
/* model/merge.h: builds a model from the rows that other models use.
 *
 * Only rows reachable from a sample are copied, each once. Mappings come first
 * and keep their table order, because the first is the main program; all other
 * rows are in the order in which they are first met. So equal content gives
 * equal models, and doing it again changes nothing.
 */
#ifndef OP_MODEL_MERGE_H
#define OP_MODEL_MERGE_H

#include "model/builder.h"

/* Copies rows of one model into a builder and remembers their new ids. */
struct op_import {
	struct op_builder *to;
	const struct op_model *from;
	uint32_t *map[OP_NR_TABLES]; /* OP_NO_ID: not imported yet */
	uint32_t *set_map;
	OP_VEC(uint32_t) ids;
	OP_VEC(struct op_line) lines;
	struct op_arena scratch;
};

/* False if out of memory; call op_import_fini() in either case. */
bool op_import_init(struct op_import *im, struct op_builder *to,
		    const struct op_model *from);
void op_import_fini(struct op_import *im);

/* Imports the mappings that these stacks use, in table order. stacks has one
 * byte per stack, nonzero if the stack will be imported; NULL: the stacks of
 * all samples. Must be called before importing any other row. */
void op_import_mappings(struct op_import *im, const uint8_t *stacks);

/* Sets the byte of each stack that a sample uses, and of each mapping that a
 * stack with its byte set uses. */
void op_mark_stacks(const struct op_model *m, uint8_t *stacks);
void op_mark_mappings(const struct op_dict *d, const uint8_t *stacks,
		      uint8_t *mappings);

/* The id in the builder of a row of the other model. */
uint32_t op_import_string(struct op_import *im, uint32_t id);
uint32_t op_import_function(struct op_import *im, uint32_t id);
uint32_t op_import_mapping(struct op_import *im, uint32_t id);
uint32_t op_import_location(struct op_import *im, uint32_t id);
uint32_t op_import_stack(struct op_import *im, uint32_t id);
uint32_t op_import_link(struct op_import *im, uint32_t id);
uint32_t op_import_set(struct op_import *im, uint32_t id);
/* Without attributes of a window (model/semconv.h). */
uint32_t op_import_lasting_set(struct op_import *im, uint32_t id);

/* The head of a profile, with ids of the builder. */
struct op_profile op_import_head(struct op_import *im,
				 const struct op_profile *p);

/* All samples of a profile; the profile is created even if there are none. */
void op_import_samples(struct op_import *im, const struct op_profile *p,
		       struct op_build_pair *to);

/* The samples with timestamps, or those without, into a profile of the builder.
 */
void op_import_samples_of(struct op_import *im, const struct op_profile *p,
			  bool timed, uint32_t profile);

/* The same from a builder, which is not finished by it. */
bool op_import_builder(struct op_import *im, struct op_builder *to,
		       struct op_builder *from);

/* Adds all samples of a profile to one of the other builder. A profile that is
 * like another must be imported after that one. Returns the new ids of its
 * samples, valid until op_import_fini(); NULL if it is like another or after a
 * failure. */
const uint32_t *op_import_built(struct op_import *im, struct op_builder *from,
				uint32_t profile, uint32_t to);

/* The functions below return normal models (op_model.normal).
 *
 * Removes duplicates and unused rows from m, merges samples with the same
 * identity, and stores strings of resources and scopes by reference. The number
 * of profiles does not change, except that one that mixes samples with and
 * without timestamps becomes two. On failure m is unchanged. */
int op_normalise(struct op_model *m, struct op_err *err);

/* The same for a model that is normal except for unused rows and their order.
 * This is much less work: there are no lookups, and frames, samples and
 * observations, which may be packed, stay in place. On failure the caller must
 * free m. */
int op_reorder(struct op_model *m, struct op_err *err);

/* Concatenates the resources of all models, normalized; packed observations are
 * unpacked to arrays. out must be empty except for its quota; on failure the
 * caller must free it. */
int op_concat(struct op_model *const *models, size_t n, struct op_model *out,
	      struct op_err *err);

/* Merges all models: profiles with equal resource, scope, sample type, period
 * and attributes become one, but profiles with and without timestamps stay
 * separate (one without samples joins either). Values are combined according to
 * their aggregator. out as above. */
int op_merge(struct op_model *const *models, size_t n, struct op_model *out,
	     struct op_err *err);

#endif
