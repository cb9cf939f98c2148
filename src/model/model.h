// SPDX-License-Identifier: Apache-2.0
/* model/model.h: the one representation of profiles.
 *
 * It has the shape of OTLP Profiles: a dictionary of shared tables, and
 * resource > scope > profile > sample. Rows refer to rows by uint32_t id, which
 * is the index into the table; id 0 is the zero value and means "none". Large
 * data is stored as a struct of arrays.
 *
 *	dictionary                        profile
 *	  strings   view[]                  stack[i]   attrs[i]   link[i]
 *	  mappings  row[]                   value_at[i .. i+1)  into values[]
 *	  functions row[]                   time_at[i .. i+1)   into times[]
 *	  links     row[]
 *	  attrs     row[]
 *	  locations row[] -> lines[]
 *	  stacks    at[i] .. end[i] into frames[] (leaf first)
 *	  sets      at[i .. i+1) into members[]   (attribute sets)
 *
 * Attribute sets are our addition: OTLP writes a list of attribute ids at every
 * reference. We intern the lists, so that three numbers identify a sample. Set
 * 0 is empty.
 *
 * Invariants of a model that came from a reader or a builder:
 *  (1) every table has at least its row 0;
 *  (2) every id is below the size of its table: no checks when indexing;
 *  (3) a sample has as many values as timestamps, or one of the two is absent;
 *      both are absent only in an invalid message.
 * A model read with op_read_opts.unchecked satisfies only (1).
 *
 * One arena holds everything that is not a view of the input. The input must
 * outlive the model; op_model_own() transfers its ownership.
 */
#ifndef OP_MODEL_MODEL_H
#define OP_MODEL_MODEL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/view.h"

enum op_any_kind {
	OP_ANY_NONE,
	OP_ANY_STRING,
	OP_ANY_BOOL,
	OP_ANY_INT,
	OP_ANY_DOUBLE,
	OP_ANY_ARRAY,
	OP_ANY_KVLIST,
	OP_ANY_BYTES,
	OP_ANY_STRING_ID, /* a dictionary string */
};

/* A value of any kind. kvlist and array hold n elements. */
struct op_any {
	uint32_t kind;
	uint32_t n;
	union {
		struct op_view bytes; /* also for OP_ANY_STRING */
		bool flag;
		int64_t num;
		double real;
		struct op_any *array;
		struct op_kv *kvlist;
		uint32_t string_id;
	};
};

/* The key is a dictionary string or, if key_id is 0, inline. */
struct op_kv {
	struct op_view key;
	uint32_t key_id;
	struct op_any value;
};

struct op_kvs {
	struct op_kv *p;
	uint32_t n;
};

struct op_value_type {
	uint32_t type; /* string */
	uint32_t unit; /* string */
};

struct op_mapping {
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	uint32_t filename; /* string */
	uint32_t attrs;	   /* set */
};

struct op_function {
	int64_t start_line;
	uint32_t name;	      /* string */
	uint32_t system_name; /* string */
	uint32_t filename;    /* string */
};

/* Compared and hashed as bytes, so without padding. */
struct op_line {
	int64_t line;
	int64_t column;
	uint32_t function;
	uint32_t zero;
};

struct op_location {
	uint64_t address;
	uint32_t mapping;
	uint32_t attrs; /* set */
	uint32_t first_line;
	uint32_t nr_lines; /* innermost callee first */
};

/* A length of 0 means that the id is absent; a valid link has 16 and 8. */
struct op_link {
	uint8_t trace_id[16];
	uint8_t span_id[8];
	uint8_t trace_len;
	uint8_t span_len;
};

struct op_attr {
	uint32_t key;  /* string */
	uint32_t unit; /* string */
	struct op_any value;
};

/* Lists of ids: list i is items[at[i] .. end[i]). Contiguous lists, in order,
 * have no separate array of ends: end is at + 1. at[nr] is the number of items.
 */
struct op_lists {
	uint32_t *at;
	uint32_t *end;
	uint32_t *items;
	uint32_t nr;
};

enum op_table {
	OP_MAPPINGS,
	OP_LOCATIONS,
	OP_FUNCTIONS,
	OP_LINKS,
	OP_STRINGS,
	OP_ATTRS,
	OP_STACKS,
	OP_NR_TABLES,
};

struct op_dict {
	struct op_mapping *mappings;
	struct op_location *locations;
	struct op_line *lines;
	struct op_function *functions;
	struct op_link *links;
	struct op_view *strings;
	struct op_attr *attrs;
	struct op_lists stacks;
	struct op_lists sets;
	uint32_t nr[OP_NR_TABLES]; /* rows, including stacks */
	uint32_t nr_lines;
	unsigned int missing; /* bit per table: row 0 was not in the input */
};

/* The form of timestamped observations that a caller wants. */
enum op_timed {
	OP_TIMED_ARRAYS,
	OP_TIMED_PACKED,  /* only for callers that can handle it */
	OP_TIMED_SUMS,	  /* one value per sample, for types that add up */
	OP_TIMED_COUNTED, /* the same, and how many each is the sum of */
};

struct op_obs;

struct op_profile {
	struct op_value_type sample_type;
	struct op_value_type period_type;
	int64_t period;
	uint64_t time_ns; /* since 1970 */
	uint64_t duration_ns;
	uint32_t attrs; /* set */
	uint32_t dropped_attrs;
	uint8_t id[16];
	uint8_t id_len; /* 0: none, 16 */
	struct op_view payload_format;
	struct op_view payload;

	uint32_t nr_samples;
	uint32_t *stack;
	uint32_t *set; /* of attributes */
	uint32_t *link;
	uint32_t *value_at; /* nr_samples + 1 offsets; NULL: no values */
	uint32_t *time_at;  /* the same for times; may be the same array */
	int64_t *values;
	uint64_t *times; /* ns since 1970 */
	/* Per sample, its timestamps in the input; NULL: they are in times. */
	const uint8_t **time_views;

	/* The observations of a profile with timestamps may be packed
	 * (model/obs.h) instead of the four members above; values NULL: all are
	 * 1. Packed profiles can be ordered, get an id and be written as OTLP.
	 * All other code needs arrays: see op_model_unpack(). */
	const struct op_obs *packed_times;
	const struct op_obs *packed_values;

	/* Per sample, the observations with timestamps that its value is the
	 * sum of (OP_TIMED_COUNTED); NULL: it is no such sum. */
	const uint32_t *observed;
};

struct op_scope {
	struct op_view name;
	struct op_view version;
	struct op_view schema_url;
	struct op_kvs attrs;
	uint32_t dropped_attrs;
	uint32_t nr_profiles;
	struct op_profile *profiles;
};

struct op_entity {
	struct op_view schema_url;
	struct op_view type;
	struct op_view *id_keys;
	struct op_view *description_keys;
	uint32_t nr_id_keys;
	uint32_t nr_description_keys;
};

struct op_resource {
	struct op_kvs attrs;
	uint32_t dropped_attrs;
	uint32_t nr_entities;
	struct op_entity *entities;
	struct op_view schema_url;
	uint32_t nr_scopes;
	struct op_scope *scopes;
};

struct op_model {
	struct op_arena mem;
	struct op_dict dict;
	struct op_resource *resources;
	uint32_t nr_resources;
	const char *dialect;	  /* wire version, if a format has several */
	const char *dialect_note; /* why another one is possible; NULL */
	/* Every row occurs once and is used, and samples with the same identity
	 * are merged. False: unknown. */
	bool normal;
	struct op_owned *owned;
};

/* Makes op_model_free() call free_fn(p, n), for the input that the model has
 * views of. On failure nothing changes and the caller still owns the input. */
int op_model_own(struct op_model *m, void (*free_fn)(void *p, size_t n),
		 void *p, size_t n, struct op_err *err);

/* Frees the arena and everything the model owns; m is then all zero. */
void op_model_free(struct op_model *m);

/* A copy of the rows above the samples, for callers that change profile ids.
 * Everything else is shared with m; mem holds the copy. */
int op_model_twin(const struct op_model *m, struct op_arena *mem,
		  struct op_model *out);

/* Unpacks packed observations of all profiles to arrays. */
int op_model_unpack(struct op_model *m, struct op_err *err);

/* The same for one profile. before: a profile already unpacked that may share
 * its timestamps, or NULL. False if out of memory. */
bool op_profile_unpack(struct op_arena *mem, struct op_profile *p,
		       const struct op_profile *before);

/* Adds row 0 to every empty table. */
int op_dict_complete(struct op_dict *d, struct op_arena *mem);

struct op_ids {
	const uint32_t *p;
	uint32_t n;
};

/* Contiguous lists; at has nr + 1 offsets. */
op_inline struct op_lists op_lists(uint32_t *at, uint32_t *items, uint32_t nr)
{
	return (struct op_lists){ at, at + 1, items, nr };
}

op_inline struct op_ids op_list(const struct op_lists *l, uint32_t i)
{
	return (struct op_ids){ l->items + l->at[i], l->end[i] - l->at[i] };
}

op_inline struct op_view op_string(const struct op_model *m, uint32_t id)
{
	return m->dict.strings[id];
}

op_inline struct op_view op_kv_key(const struct op_model *m,
				   const struct op_kv *kv)
{
	return kv->key_id ? op_string(m, kv->key_id) : kv->key;
}

/* The text of a string value of either kind; empty for other kinds. */
op_inline struct op_view op_any_text(const struct op_model *m,
				     const struct op_any *v)
{
	if (v->kind == OP_ANY_STRING)
		return v->bytes;
	if (v->kind == OP_ANY_STRING_ID)
		return op_string(m, v->string_id);
	return (struct op_view){ 0 };
}

struct op_values {
	const int64_t *p;
	uint32_t n;
};

struct op_times {
	const op_unaligned_u64 *p;
	uint32_t n;
};

op_inline struct op_values op_sample_values(const struct op_profile *p,
					    uint32_t i)
{
	if (!p->value_at)
		return (struct op_values){ 0 };
	return (struct op_values){ p->values + p->value_at[i],
				   p->value_at[i + 1] - p->value_at[i] };
}

op_inline struct op_times op_sample_times(const struct op_profile *p,
					  uint32_t i)
{
	uint32_t n;

	if (!p->time_at)
		return (struct op_times){ 0 };
	n = p->time_at[i + 1] - p->time_at[i];
	if (p->time_views)
		return (struct op_times){ (const void *)p->time_views[i], n };
	return (struct op_times){ p->times + p->time_at[i], n };
}

/* How many timestamps a sample has, or had before it was summed. */
op_inline uint32_t op_sample_observed(const struct op_profile *p, uint32_t i)
{
	return p->observed ? p->observed[i] : op_sample_times(p, i).n;
}

/* Copies timestamps that are views of the input to arrays, for callers that
 * need them aligned. */
int op_model_align_times(struct op_model *m, struct op_err *err);

/* The sum of the values of a sample, or 1 for each timestamp without a value.
 * Saturates. */
int64_t op_sample_total(const struct op_profile *p, uint32_t i);

/* a + b, saturating. */
op_inline int64_t op_add_sat(int64_t a, int64_t b)
{
	int64_t sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

/* Number of observations of a profile: timestamps, or values without one. */
uint64_t op_profile_observations(const struct op_profile *p);

/* Whether any profile has a sample. */
bool op_model_has_samples(const struct op_model *m);

/* The sum over all samples; saturates. */
int64_t op_profile_total(const struct op_profile *p);

/* End of the time range of a profile; saturates. */
op_inline uint64_t op_profile_end(const struct op_profile *p)
{
	uint64_t end;

	if (__builtin_add_overflow(p->time_ns, p->duration_ns, &end))
		return UINT64_MAX;
	return end;
}

/* Whether the times of a profile are dates, not those of a clock that counts
 * from the start of the machine or of the recording. */
bool op_profile_has_date(const struct op_model *m, const struct op_profile *p);

/* Extends the time range of a to include that of b; an absent range is ignored.
 */
void op_profile_widen(struct op_profile *a, const struct op_profile *b);

/* The attribute of a set with this key, or NULL. */
const struct op_attr *op_set_find(const struct op_model *m, uint32_t set,
				  const char *key);

/* Deep equality of values; strings are compared by content, however stored. */
bool op_any_eq(const struct op_model *ma, const struct op_any *a,
	       const struct op_model *mb, const struct op_any *b);

/* Iterates over the profiles of the model in order:
 *	struct op_walk w = { 0 };
 *	while (op_walk_next(m, &w))
 *		... w.profile, w.scope, w.resource, w.r, w.s, w.p ...
 */
struct op_walk {
	const struct op_resource *resource;
	const struct op_scope *scope;
	const struct op_profile *profile;
	uint32_t r, s, p; /* their indexes */
	uint32_t next_p, next_s, next_r;
};

bool op_walk_next(const struct op_model *m, struct op_walk *w);

#endif
