// SPDX-License-Identifier: Apache-2.0
/* model/builder.h: builds a model row by row.
 *
 * Every row is interned: equal rows get one id, and row 0 exists from the
 * start. Samples with the same identity {stack, attribute set, link} are
 * merged, and their observations are packed (model/obs.h) as they are added.
 *
 * The builder carries the error: after the first failure every call returns 0
 * and the model cannot be finished. Bytes passed in are copied, and invalid
 * UTF-8 in text is replaced. Ids passed in must come from the same builder.
 */
#ifndef OP_MODEL_BUILDER_H
#define OP_MODEL_BUILDER_H

#include "base/intern.h"
#include "base/vec.h"
#include "model/model.h"

struct op_build_profile;

struct op_build_scope {
	struct op_scope scope;
	uint32_t resource;
};

struct op_builder {
	struct op_model *m;
	struct op_err *err;
	struct op_err *before; /* where the model's arena recorded */
	struct op_intern index[OP_NR_TABLES];
	struct op_intern set_index;

	OP_VEC(struct op_mapping) mappings;
	OP_VEC(struct op_location) locations;
	OP_VEC(struct op_line) lines;
	OP_VEC(struct op_function) functions;
	OP_VEC(struct op_link) links;
	OP_VEC(struct op_view) strings;
	OP_VEC(struct op_attr) attrs;
	struct op_id_vec stack_at;
	struct op_id_vec frames;
	struct op_id_vec set_at;
	struct op_id_vec members;
	struct op_id_vec scratch;

	OP_VEC(struct op_resource) resources;
	OP_VEC(struct op_build_scope) scopes;
	OP_VEC(struct op_build_profile *) profiles;
	struct op_profile nowhere;
	bool has_fixed;
	/* What to do with observations. May be set until op_builder_finish(),
	 * except OP_TIMED_SUMS and OP_TIMED_COUNTED, which must be set before
	 * the first profile. */
	enum op_timed timed;
	/* Sums may differ from those of the observations: one saturated, or a
	 * value is negative, so that saturation depends on the order; or values
	 * of a gauge were added up. */
	bool sums_differ;
};

/* m must be empty except for its quota; until op_builder_finish() its arena
 * records in err. On failure, later calls on the builder do nothing. */
int op_builder_init(struct op_builder *b, struct op_model *m,
		    struct op_err *err);

/* Moves everything into the model. The builder cannot be used afterwards. On
 * failure the caller must free the model. */
int op_builder_finish(struct op_builder *b);

/* Reserves space for as many rows as a dictionary has, or for the samples of a
 * profile that has none yet, so that tables need not grow step by step. This is
 * only a hint: it cannot fail, and the actual number may be larger or smaller.
 */
void op_build_reserve(struct op_builder *b, const struct op_dict *d);
void op_build_reserve_samples(struct op_builder *b, uint32_t profile,
			      uint32_t nr);

/* Dictionary rows. */
uint32_t op_build_string(struct op_builder *b, struct op_view s);
uint32_t op_build_mapping(struct op_builder *b, const struct op_mapping *row);
uint32_t op_build_function(struct op_builder *b, const struct op_function *row);
/* first_line and nr_lines of row are ignored; lines is used instead. */
uint32_t op_build_location(struct op_builder *b, const struct op_location *row,
			   const struct op_line *lines, uint32_t nr_lines);
/* Leaf first. */
uint32_t op_build_stack(struct op_builder *b, const uint32_t *locations,
			uint32_t n);
/* Many stacks at once, so that their cache misses overlap. */
void op_build_stacks(struct op_builder *b, const struct op_ids *stacks,
		     uint32_t n, uint32_t *out);
uint32_t op_build_link(struct op_builder *b, const struct op_link *row);

/* An attribute row. The value is copied, with its strings inline. from is the
 * model that string ids in the value refer to; NULL: this builder. */
uint32_t op_build_attr(struct op_builder *b, struct op_view key,
		       const struct op_any *value, struct op_view unit,
		       const struct op_model *from);

/* The set of these attributes. Order does not matter; duplicate ids count once.
 */
uint32_t op_build_set(struct op_builder *b, const uint32_t *attrs, uint32_t n);

/* The set plus one attribute. */
uint32_t op_build_set_with(struct op_builder *b, uint32_t set, uint32_t attr);

/* Adds a resource, a scope of a resource, a profile of a scope, and returns its
 * number for later calls. Views and attributes are copied (from: as above); the
 * rows below them are not. */
uint32_t op_build_resource(struct op_builder *b, const struct op_resource *head,
			   const struct op_model *from);
uint32_t op_build_scope(struct op_builder *b, uint32_t resource,
			const struct op_scope *head,
			const struct op_model *from);
/* Replaces the head of a resource, including its attributes. */
void op_build_resource_head(struct op_builder *b, uint32_t resource,
			    const struct op_resource *head);
/* Ids in head (types, attribute set) are those of the builder. */
uint32_t op_build_profile(struct op_builder *b, uint32_t scope,
			  const struct op_profile *head);

/* A profile with the same samples as another one of the same scope: only values
 * are added to it; samples are created in the other one. */
uint32_t op_build_profile_like(struct op_builder *b, uint32_t profile,
			       const struct op_profile *head);

/* The head of a profile, which may be modified; after a failure, a dummy. */
struct op_profile *op_build_profile_head(struct op_builder *b,
					 uint32_t profile);

/* The identity of a sample. */
struct op_identity {
	uint32_t stack, set, link;
};

/* The sample of the profile with this identity; created if it is new. */
uint32_t op_build_sample(struct op_builder *b, uint32_t profile,
			 struct op_identity id);

/* Many samples at once, as with op_build_stacks(). */
void op_build_samples(struct op_builder *b, uint32_t profile,
		      const struct op_identity *ids, uint32_t n, uint32_t *out);

/* The identity of a sample of a profile. */
struct op_identity op_build_identity(struct op_builder *b, uint32_t profile,
				     uint32_t sample);

/* Adds to the one value of a sample without timestamps. */
void op_build_add(struct op_builder *b, uint32_t profile, uint32_t sample,
		  int64_t value);

/* Adds an observation. A profile takes values either with timestamps or
 * without; adding the other kind later is OP_EUSAGE. */
void op_build_observe(struct op_builder *b, uint32_t profile, uint32_t sample,
		      int64_t value, uint64_t time_ns);

/* Adds a value for the observation added last to the profile that this one is
 * like (op_build_profile_like). Observations without one have the value 0. */
void op_build_observe_like(struct op_builder *b, uint32_t profile,
			   int64_t value);

/* A run of observations. */
struct op_build_run {
	size_t n;
	const uint32_t *samples;
	const uint64_t *times_ns;
	const uint64_t *values[3]; /* of each profile */
};

/* Adds the observations to the first of these profiles, and their values to the
 * others, which are like it. */
void op_build_observe_run(struct op_builder *b, const uint32_t *profiles,
			  uint32_t nr, const struct op_build_run *run);

/* Gives this value to all observations so far that have none. If samples are
 * sums, each gets its sum multiplied by this value. */
void op_build_fill_like(struct op_builder *b, uint32_t profile, int64_t value);

/* A profile from a source that mixes samples with and without timestamps: it
 * becomes two if it has both. */
struct op_build_pair {
	uint32_t scope;
	const struct op_profile *head;
	uint32_t id[2];
	bool made[2];
};

/* The profile for samples with timestamps, or without; created on first use.
 * The first one created gets the profile id and payload of the head. */
uint32_t op_build_pair_id(struct op_builder *b, struct op_build_pair *pair,
			  bool timed);

/* The sample that an observation shall belong to: one of the same profile,
 * which the callback may create, or OP_NO_ID to drop it. */
typedef uint32_t op_build_move_fn(void *ctx, uint32_t sample, uint64_t time_ns);

/* Calls fn for each observation of a profile with timestamps, sample by sample;
 * profiles that are like it change accordingly. Samples left without
 * observations are dropped, so sample ids change. Returns true if anything
 * changed. */
bool op_build_move(struct op_builder *b, uint32_t profile, op_build_move_fn *fn,
		   void *ctx);

/* Removes the samples of a profile but keeps the profile. */
void op_build_clear(struct op_builder *b, uint32_t profile);

#endif
