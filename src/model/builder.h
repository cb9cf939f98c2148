// SPDX-License-Identifier: Apache-2.0
/* model/builder.h: makes a model row by row.
 *
 * Every row is interned: equal rows get one id, row 0 is there from the start.
 * Samples of one identity {stack, attribute set, link} are one, and their
 * observations are packed (model/obs.h) as they come.
 *
 * The error is carried inside: after the first failure every call gives 0 and
 * the model cannot be finished. Bytes given are copied, and text that is not
 * UTF-8 is made so. Ids given must come from the same builder.
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
	/* What becomes of observations; may be set until op_builder_finish(),
	 * but for OP_TIMED_SUMS, which is set before the first profile. */
	enum op_timed timed;
	/* Sums may be others than those of the observations: one was held at
	 * an end of int64_t, or a value is negative, so that it depends on the
	 * order whether one is held; or values of a gauge were added up. */
	bool sums_differ;
};

/* m is empty but for its quota. On failure the builder only takes calls that
 * do nothing. */
int op_builder_init(struct op_builder *b, struct op_model *m,
		    struct op_err *err);

/* Hands everything to the model. The builder is over, also on failure; the
 * model is then to be freed. */
int op_builder_finish(struct op_builder *b);

/* Makes room for as many rows as a dictionary has, or for the samples of a
 * profile that has none yet, so that tables do not grow step by step. Only a
 * hint: it cannot fail, and neither more nor fewer rows do harm. */
void op_build_reserve(struct op_builder *b, const struct op_dict *d);
void op_build_reserve_samples(struct op_builder *b, uint32_t profile,
			      uint32_t nr);

/* Dictionary rows. */
uint32_t op_build_string(struct op_builder *b, struct op_view s);
uint32_t op_build_mapping(struct op_builder *b, const struct op_mapping *row);
uint32_t op_build_function(struct op_builder *b, const struct op_function *row);
/* first_line and nr_lines of row are ignored: the lines are given. */
uint32_t op_build_location(struct op_builder *b, const struct op_location *row,
			   const struct op_line *lines, uint32_t nr_lines);
/* Leaf first. */
uint32_t op_build_stack(struct op_builder *b, const uint32_t *locations,
			uint32_t n);
/* Many of them: what takes time is to wait for memory, and they wait for it
 * together. */
void op_build_stacks(struct op_builder *b, const struct op_ids *stacks,
		     uint32_t n, uint32_t *out);
uint32_t op_build_link(struct op_builder *b, const struct op_link *row);

/* An attribute row; the value is copied, its strings inline. from is the
 * model that ids of strings in the value are of; NULL: this builder. */
uint32_t op_build_attr(struct op_builder *b, struct op_view key,
		       const struct op_any *value, struct op_view unit,
		       const struct op_model *from);

/* The set of these attributes: their order does not matter, an id given twice
 * counts once. */
uint32_t op_build_set(struct op_builder *b, const uint32_t *attrs, uint32_t n);

/* set and one more attribute. */
uint32_t op_build_set_with(struct op_builder *b, uint32_t set, uint32_t attr);

/* Adds a resource, a scope to a resource, a profile to a scope; the result
 * names it in later calls. Views and attributes are copied (from: as above);
 * the rows below are not. */
uint32_t op_build_resource(struct op_builder *b, const struct op_resource *head,
			   const struct op_model *from);
uint32_t op_build_scope(struct op_builder *b, uint32_t resource,
			const struct op_scope *head,
			const struct op_model *from);
/* Gives a resource that was added another head; its attributes are new. */
void op_build_resource_head(struct op_builder *b, uint32_t resource,
			    const struct op_resource *head);
/* Ids in head (types, attribute set) are the builder's. */
uint32_t op_build_profile(struct op_builder *b, uint32_t scope,
			  const struct op_profile *head);

/* A profile of the same samples as another, which is in the same scope: only
 * values are added to it, and the samples are asked for there. */
uint32_t op_build_profile_like(struct op_builder *b, uint32_t profile,
			       const struct op_profile *head);

/* What was added, to be changed; after a failure, one that goes nowhere. */
struct op_profile *op_build_profile_head(struct op_builder *b,
					 uint32_t profile);

/* A sample's identity. */
struct op_identity {
	uint32_t stack, set, link;
};

/* The sample of this identity in the profile, made if it is new. */
uint32_t op_build_sample(struct op_builder *b, uint32_t profile,
			 struct op_identity id);

/* Many of them, as with op_build_stacks(). */
void op_build_samples(struct op_builder *b, uint32_t profile,
		      const struct op_identity *ids, uint32_t n, uint32_t *out);

/* What a sample of a profile is. */
struct op_identity op_build_identity(struct op_builder *b, uint32_t profile,
				     uint32_t sample);

/* Adds to the one value of a sample without times. */
void op_build_add(struct op_builder *b, uint32_t profile, uint32_t sample,
		  int64_t value);

/* Adds an observation. A profile takes values either with times or without:
 * the other kind afterwards is OP_EUSAGE. */
void op_build_observe(struct op_builder *b, uint32_t profile, uint32_t sample,
		      int64_t value, uint64_t time_ns);

/* Adds a value to the observation that was added last to the profile that
 * this one is like (op_build_profile_like). Those that get none have 0. */
void op_build_observe_like(struct op_builder *b, uint32_t profile,
			   int64_t value);

/* A run of observations. */
struct op_build_run {
	size_t n;
	const uint32_t *samples;
	const uint64_t *times_ns;
	const uint64_t *values[3]; /* of each profile */
};

/* Adds them to the first of these profiles, and to the others, which are like
 * it, their values. */
void op_build_observe_run(struct op_builder *b, const uint32_t *profiles,
			  uint32_t nr, const struct op_build_run *run);

/* Gives this value to all observations so far that have none. Where samples
 * are sums, each gets its sum times this value. */
void op_build_fill_like(struct op_builder *b, uint32_t profile, int64_t value);

/* A profile from a source that mixes samples with and without times: becomes
 * two where it has both. */
struct op_build_pair {
	uint32_t scope;
	const struct op_profile *head;
	uint32_t id[2];
	bool made[2];
};

/* The profile for samples with times, or without; made when first asked for.
 * The first one made has the head's profile id and payload. */
uint32_t op_build_pair_id(struct op_builder *b, struct op_build_pair *pair,
			  bool timed);

/* Whose an observation shall be: a sample of the same profile, which may be
 * made for it, or OP_NO_ID: it is dropped. */
typedef uint32_t op_build_move_fn(void *ctx, uint32_t sample, uint64_t time_ns);

/* Asks this of each observation of a profile with times, sample by sample; the
 * profiles that are like it follow. Samples that are left with none are
 * dropped, so that ids of samples are new. True if anything has changed. */
bool op_build_move(struct op_builder *b, uint32_t profile, op_build_move_fn *fn,
		   void *ctx);

/* Forgets the samples of a profile, which stays. */
void op_build_clear(struct op_builder *b, uint32_t profile);

#endif
