// SPDX-License-Identifier: Apache-2.0
/* model/check.c: applies the rules of OTLP to a model. */
#include "model/check_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/printable.h"
#include "base/utf8.h"

enum { WARNING = false, ERROR = true };

/* clang-format off */
const struct op_rule_info op_rules[OP_NR_RULES] = {
	[OP_RULE_RESOURCE_MISSING] =
	{ "resource-missing", "C1", ERROR,
	  "there is at least one resource_profiles" },
	[OP_RULE_SCOPE_MISSING] =
	{ "scope-missing", "C2", ERROR,
	  "each resource_profiles has a scope_profiles" },
	[OP_RULE_PROFILE_MISSING] =
	{ "profile-missing", "C3", ERROR,
	  "each scope_profiles has a profile" },
	[OP_RULE_ZERO_ELEMENT] =
	{ "zero-element", "C14 S1", ERROR,
	  "each table begins with its zero value" },
	[OP_RULE_STRING_INDEX] =
	{ "string-index", "C5 C15 C17 C19 S6", ERROR,
	  "string indexes are within the string table" },
	[OP_RULE_ATTRIBUTE_INDEX] =
	{ "attribute-index", "C4 C7 C20 S6", ERROR,
	  "attribute indexes are within the attribute table" },
	[OP_RULE_STACK_INDEX] =
	{ "stack-index", "C6 S6", ERROR,
	  "stack indexes are within the stack table" },
	[OP_RULE_LINK_INDEX] =
	{ "link-index", "C8 S6", ERROR,
	  "link indexes are within the link table" },
	[OP_RULE_LOCATION_INDEX] =
	{ "location-index", "C19 S6", ERROR,
	  "location indexes are within the location table" },
	[OP_RULE_MAPPING_INDEX] =
	{ "mapping-index", "C16 S6", ERROR,
	  "mapping indexes are within the mapping table" },
	[OP_RULE_FUNCTION_INDEX] =
	{ "function-index", "C16 S6", ERROR,
	  "function indexes are within the function table" },
	[OP_RULE_KEY_TWICE] =
	{ "key-twice", "C20", ERROR,
	  "the keys of a list of attributes are unique" },
	[OP_RULE_KEY_AMBIGUOUS] =
	{ "key-ambiguous", "M1", ERROR,
	  "a key is given either inline or by reference" },
	[OP_RULE_SAMPLE_EMPTY] =
	{ "sample-empty", "C12", ERROR,
	  "each sample has values or timestamps" },
	[OP_RULE_SAMPLE_COUNTS] =
	{ "sample-counts", "C10", ERROR,
	  "values and timestamps are equal in number" },
	[OP_RULE_SAMPLE_VALUES] =
	{ "sample-values", "C11", ERROR,
	  "without timestamps there is exactly one value" },
	[OP_RULE_MAPPING_RANGE] =
	{ "mapping-range", "C15", ERROR,
	  "a mapping ends after it begins" },
	[OP_RULE_LINE_NEGATIVE] =
	{ "line-negative", "C16 C17", ERROR,
	  "lines and columns are not negative" },
	[OP_RULE_FUNCTION_NAME] =
	{ "function-name", "M2", ERROR,
	  "a function has a name, system name or file name" },
	[OP_RULE_ID_LENGTH] =
	{ "id-length", "C18 M3", ERROR,
	  "trace and profile ids have 16 bytes, span ids 8" },
	[OP_RULE_PROFILE_ID_ZERO] =
	{ "profile-id-zero", "M4", ERROR,
	  "a profile id is not all zeros" },
	[OP_RULE_PAYLOAD_FORMAT] =
	{ "payload-format", "M5", ERROR,
	  "an original payload comes with its format" },
	[OP_RULE_UTF8] =
	{ "utf8", "M6", ERROR,
	  "strings are valid UTF-8" },
	[OP_RULE_TIME_RANGE] =
	{ "time-range", "C9 S5", WARNING,
	  "timestamps are within the profile's time range" },
	[OP_RULE_SAMPLE_SHAPES] =
	{ "sample-shapes", "C13", WARNING,
	  "all samples of a profile have the same shape" },
	[OP_RULE_SAMPLE_TWICE] =
	{ "sample-twice", "S4", WARNING,
	  "stack, attributes and link identify one sample" },
	[OP_RULE_LINK_ZERO] =
	{ "link-zero", "S7", WARNING,
	  "the ids of a link are not all zeros" },
	[OP_RULE_DUPLICATE] =
	{ "duplicate", "C21 S2", WARNING,
	  "the rows of a table are unique" },
	[OP_RULE_ORPHAN] =
	{ "orphan", "C22 S3", WARNING,
	  "each row of a table is used" },
	[OP_RULE_BUILD_ID] =
	{ "build-id", "M7", WARNING,
	  "each mapping has a build ID" },
	[OP_RULE_DIALECT] =
	{ "dialect", "M8", WARNING,
	  "field numbers are those of the current release" },
};
/* clang-format on */

void op_check_at(struct op_checker *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->path, sizeof(c->path), fmt, ap);
	va_end(ap);
}

void op_check_say(struct op_checker *c, enum op_rule rule, const char *field,
		  const char *fmt, ...)
{
	struct op_finding f = { .rule = rule };
	va_list ap;

	f.is_error = op_rules[rule].is_error || c->opts->strict;
	if (f.is_error)
		c->out->nr_errors++;
	else
		c->out->nr_warnings++;
	if (c->out->nr[rule]++ >= c->opts->most && c->opts->most)
		return;
	if (!c->fn)
		return;
	snprintf(f.path, sizeof(f.path), "%s%s%s", c->path,
		 *c->path && *field ? "." : "", field);
	va_start(ap, fmt);
	vsnprintf(f.text, sizeof(f.text), fmt, ap);
	va_end(ap);
	op_make_printable(f.text, "");
	c->fn(c->ctx, &f);
}

bool op_check_id(struct op_checker *c, const char *field, uint32_t id,
		 enum op_table t)
{
	static const enum op_rule rules[OP_NR_TABLES] = {
		[OP_MAPPINGS] = OP_RULE_MAPPING_INDEX,
		[OP_LOCATIONS] = OP_RULE_LOCATION_INDEX,
		[OP_FUNCTIONS] = OP_RULE_FUNCTION_INDEX,
		[OP_LINKS] = OP_RULE_LINK_INDEX,
		[OP_STRINGS] = OP_RULE_STRING_INDEX,
		[OP_ATTRS] = OP_RULE_ATTRIBUTE_INDEX,
		[OP_STACKS] = OP_RULE_STACK_INDEX,
	};
	uint32_t nr = c->m->dict.nr[t];

	if (op_likely(id < nr))
		return true;
	if (id == UINT32_MAX)
		op_check_say(c, rules[t], field,
			     "a negative or huge index is out of range for a "
			     "table of %u",
			     nr);
	else
		op_check_say(c, rules[t], field,
			     "index %u is out of range for a table of %u", id,
			     nr);
	return false;
}

void op_check_utf8(struct op_checker *c, const char *field, struct op_view v)
{
	size_t n = op_utf8_prefix(v);

	if (op_unlikely(n != v.n))
		op_check_say(c, OP_RULE_UTF8, field,
			     "not valid UTF-8 at byte %zu", n);
}

/* --- attributes --- */

static bool key_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_view *keys = table;

	return op_view_eq(keys[id], *(const struct op_view *)key);
}

/* Finds keys that occur twice in a list; if they are few, by comparing all
 * pairs. */
static void check_keys(struct op_checker *c, const char *field,
		       const struct op_view *keys, uint32_t n)
{
	enum { FEW = 16 };
	struct op_intern index = { 0 };
	struct op_arena mem = { .err = c->err };

	for (uint32_t i = 0; i < n; i++) {
		uint32_t hash = n > FEW ? op_hash32(keys[i].p, keys[i].n) : 0;
		uint32_t k = 0;

		while (n <= FEW && k < i && !op_view_eq(keys[k], keys[i]))
			k++;
		if (n > FEW) {
			k = op_intern_find(&index, hash, key_eq, keys,
					   &keys[i]);
			k = k == OP_NO_ID ? i : k;
			if (k == i)
				op_intern_add(&index, &mem, hash, i);
		}
		if (k < i)
			op_check_say(c, OP_RULE_KEY_TWICE, field,
				     "key '%.*s' occurs twice",
				     (int)(keys[i].n < 80 ? keys[i].n : 80),
				     (const char *)keys[i].p);
	}
	op_arena_free(&mem);
}

enum { FEW_KEYS = 32 };

/* Room for the keys of a list: few, which holds FEW_KEYS, or an allocated
 * array. */
static struct op_view *keys_room(struct op_checker *c, struct op_view *few,
				 uint32_t n)
{
	return n > FEW_KEYS ? op_new(&c->mem, struct op_view, n) : few;
}

void op_check_set(struct op_checker *c, uint32_t set)
{
	struct op_ids ids = op_list(&c->m->dict.sets, set);
	struct op_view few[FEW_KEYS];
	struct op_view *keys = keys_room(c, few, ids.n);
	uint32_t n = 0;

	if (!keys)
		return;
	for (uint32_t i = 0; i < ids.n; i++) {
		uint32_t key;

		if (!op_check_id(c, "attribute_indices", ids.p[i], OP_ATTRS))
			continue;
		key = c->m->dict.attrs[ids.p[i]].key;
		if (op_check_has(c, key, OP_STRINGS))
			keys[n++] = op_string(c->m, key);
	}
	check_keys(c, "attribute_indices", keys, n);
}

/* The depth that readers allow limits the recursion. */
void op_check_kvs(struct op_checker *c, const char *field, struct op_kvs kvs)
{
	struct op_view few[FEW_KEYS];
	struct op_view *keys = keys_room(c, few, kvs.n);
	uint32_t n = 0;

	if (!keys)
		return;
	for (uint32_t i = 0; i < kvs.n; i++) {
		const struct op_kv *kv = &kvs.p[i];

		op_check_utf8(c, field, kv->key);
		if (kv->key_id && kv->key.n)
			op_check_say(c, OP_RULE_KEY_AMBIGUOUS, field,
				     "attribute %u has both key and "
				     "key_strindex",
				     i);
		if (op_check_id(c, field, kv->key_id, OP_STRINGS))
			keys[n++] = op_kv_key(c->m, kv);
		op_check_any(c, field, &kv->value);
	}
	check_keys(c, field, keys, n);
}

void op_check_any(struct op_checker *c, const char *field,
		  const struct op_any *v)
{
	switch (v->kind) {
	case OP_ANY_STRING:
		op_check_utf8(c, field, v->bytes);
		break;
	case OP_ANY_STRING_ID:
		op_check_id(c, field, v->string_id, OP_STRINGS);
		break;
	case OP_ANY_ARRAY:
		for (uint32_t i = 0; i < v->n; i++)
			op_check_any(c, field, &v->array[i]);
		break;
	case OP_ANY_KVLIST:
		op_check_kvs(c, field, (struct op_kvs){ v->kvlist, v->n });
		break;
	}
}

/* --- samples --- */

enum shape { EMPTY, TIMES_ONLY, TOTAL, PAIRS };

static const char *const shape_names[] = { "neither", "only timestamps",
					   "only values", "both" };

static void check_times(struct op_checker *c, const struct op_profile *p,
			struct op_times times)
{
	for (uint32_t k = 0; k < times.n; k++) {
		/* Avoids time + duration, which may overflow. */
		if (times.p[k] >= p->time_ns &&
		    times.p[k] - p->time_ns < p->duration_ns)
			continue;
		op_check_say(c, OP_RULE_TIME_RANGE, "timestamps_unix_nano",
			     "%llu is not in [%llu, +%llu)",
			     (unsigned long long)times.p[k],
			     (unsigned long long)p->time_ns,
			     (unsigned long long)p->duration_ns);
	}
}

static enum shape check_shape(struct op_checker *c, struct op_values values,
			      struct op_times times)
{
	if (!values.n && !times.n) {
		op_check_say(c, OP_RULE_SAMPLE_EMPTY, "",
			     "neither values nor timestamps");
		return EMPTY;
	}
	if (!values.n)
		return TIMES_ONLY;
	if (times.n && values.n != times.n)
		op_check_say(c, OP_RULE_SAMPLE_COUNTS, "values",
			     "%u values and %u timestamps", values.n, times.n);
	if (!times.n && values.n > 1)
		op_check_say(c, OP_RULE_SAMPLE_VALUES, "values",
			     "%u values without timestamps", values.n);
	return times.n ? PAIRS : TOTAL;
}

static void check_samples(struct op_checker *c, const struct op_walk *w)
{
	const struct op_profile *p = w->profile;
	enum shape first = EMPTY;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_values values = op_sample_values(p, i);
		struct op_times times = op_sample_times(p, i);
		enum shape shape;

		op_check_at(c,
			    "resource_profiles[%u].scope_profiles[%u]"
			    ".profiles[%u].samples[%u]",
			    w->r, w->s, w->p, i);
		op_check_id(c, "stack_index", p->stack[i], OP_STACKS);
		op_check_id(c, "link_index", p->link[i], OP_LINKS);
		op_check_set(c, p->set[i]);
		check_times(c, p, times);
		shape = check_shape(c, values, times);
		if (!i)
			first = shape;
		if (shape != first)
			op_check_say(c, OP_RULE_SAMPLE_SHAPES, "",
				     "has %s, the first sample %s",
				     shape_names[shape], shape_names[first]);
	}
}

struct identity {
	uint32_t stack, link, nr_attrs;
	const uint32_t *attrs; /* sorted */
};

static bool identity_eq(const void *table, uint32_t id, const void *key)
{
	const struct identity *a = (const struct identity *)table + id;
	const struct identity *k = key;

	return a->stack == k->stack && a->link == k->link &&
	       a->nr_attrs == k->nr_attrs &&
	       (!k->nr_attrs ||
		!memcmp(a->attrs, k->attrs, k->nr_attrs * sizeof(*k->attrs)));
}

static int id_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The members of each set in order, so that sets can be compared. */
static uint32_t *sorted_sets(struct op_checker *c)
{
	const struct op_lists *sets = &c->m->dict.sets;
	uint32_t n = sets->at[sets->nr];
	uint32_t *items = op_new_raw(&c->mem, uint32_t, n);

	if (!items)
		return NULL;
	if (n)
		memcpy(items, sets->items, n * sizeof(*items));
	for (uint32_t i = 0; i < sets->nr; i++)
		qsort(items + sets->at[i], sets->end[i] - sets->at[i],
		      sizeof(*items), id_cmp);
	return items;
}

static void check_identities(struct op_checker *c, const struct op_walk *w,
			     const uint32_t *sorted)
{
	const struct op_lists *sets = &c->m->dict.sets;
	const struct op_profile *p = w->profile;
	struct identity *rows = op_new(&c->mem, struct identity, p->nr_samples);
	struct op_intern index = { 0 };

	if (!rows || !op_intern_reserve(&index, &c->mem, p->nr_samples))
		return;
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t at = sets->at[p->set[i]];
		uint64_t words[3];
		uint32_t hash, same;

		rows[i].stack = p->stack[i];
		rows[i].link = p->link[i];
		rows[i].attrs = sorted + at;
		rows[i].nr_attrs = sets->end[p->set[i]] - at;
		words[0] = (uint64_t)rows[i].stack << 32 | rows[i].link;
		words[1] = rows[i].nr_attrs;
		words[2] = op_hash32(rows[i].attrs,
				     rows[i].nr_attrs * sizeof(uint32_t));
		hash = op_hash_words(words, op_countof(words));
		same = op_intern_find(&index, hash, identity_eq, rows,
				      &rows[i]);
		if (same == OP_NO_ID) {
			op_intern_add(&index, &c->mem, hash, i);
			continue;
		}
		op_check_at(c,
			    "resource_profiles[%u].scope_profiles[%u]"
			    ".profiles[%u].samples[%u]",
			    w->r, w->s, w->p, i);
		op_check_say(c, OP_RULE_SAMPLE_TWICE, "",
			     "same stack, attributes and link as samples[%u]",
			     same);
	}
}

/* --- profiles --- */

static void check_profile(struct op_checker *c, const struct op_walk *w,
			  const uint32_t *sorted)
{
	static const uint8_t zeros[16];
	const struct op_profile *p = w->profile;

	op_check_at(c, "resource_profiles[%u].scope_profiles[%u].profiles[%u]",
		    w->r, w->s, w->p);
	op_check_id(c, "sample_type.type_strindex", p->sample_type.type,
		    OP_STRINGS);
	op_check_id(c, "sample_type.unit_strindex", p->sample_type.unit,
		    OP_STRINGS);
	op_check_id(c, "period_type.type_strindex", p->period_type.type,
		    OP_STRINGS);
	op_check_id(c, "period_type.unit_strindex", p->period_type.unit,
		    OP_STRINGS);
	op_check_set(c, p->attrs);
	if (p->id_len && p->id_len != sizeof(p->id))
		op_check_say(c, OP_RULE_ID_LENGTH, "profile_id",
			     "%u bytes, must be 16", p->id_len);
	if (p->id_len == sizeof(p->id) && !memcmp(p->id, zeros, sizeof(zeros)))
		op_check_say(c, OP_RULE_PROFILE_ID_ZERO, "profile_id",
			     "is all zeros");
	if (!p->payload.n != !p->payload_format.n)
		op_check_say(c, OP_RULE_PAYLOAD_FORMAT, "original_payload",
			     p->payload.n ? "has no format" :
					    "is missing for its format");
	op_check_utf8(c, "original_payload_format", p->payload_format);
	check_samples(c, w);
	check_identities(c, w, sorted);
}

static void check_scope(struct op_checker *c, uint32_t r, uint32_t s,
			const struct op_scope *scope)
{
	op_check_at(c, "resource_profiles[%u].scope_profiles[%u]", r, s);
	if (!scope->nr_profiles)
		op_check_say(c, OP_RULE_PROFILE_MISSING, "profiles",
			     "is empty");
	op_check_utf8(c, "schema_url", scope->schema_url);
	op_check_utf8(c, "scope.name", scope->name);
	op_check_utf8(c, "scope.version", scope->version);
	op_check_kvs(c, "scope.attributes", scope->attrs);
}

static void check_resource(struct op_checker *c, uint32_t r,
			   const struct op_resource *res)
{
	op_check_at(c, "resource_profiles[%u]", r);
	if (!res->nr_scopes)
		op_check_say(c, OP_RULE_SCOPE_MISSING, "scope_profiles",
			     "is empty");
	op_check_utf8(c, "schema_url", res->schema_url);
	op_check_kvs(c, "resource.attributes", res->attrs);
	for (uint32_t i = 0; i < res->nr_entities; i++) {
		const struct op_entity *e = &res->entities[i];

		op_check_utf8(c, "resource.entity_refs", e->schema_url);
		op_check_utf8(c, "resource.entity_refs", e->type);
		for (uint32_t k = 0; k < e->nr_id_keys; k++)
			op_check_utf8(c, "resource.entity_refs", e->id_keys[k]);
		for (uint32_t k = 0; k < e->nr_description_keys; k++)
			op_check_utf8(c, "resource.entity_refs",
				      e->description_keys[k]);
	}
	for (uint32_t s = 0; s < res->nr_scopes; s++)
		check_scope(c, r, s, &res->scopes[s]);
}

static void check_dialect(struct op_checker *c)
{
	const struct op_model *m = c->m;

	*c->path = 0;
	if (m->dialect_note)
		op_check_say(c, OP_RULE_DIALECT, "", "read as %s, but %s",
			     m->dialect, m->dialect_note);
	else if (m->dialect && strcmp(m->dialect, "v1.10"))
		op_check_say(c, OP_RULE_DIALECT, "",
			     "has wire version %s, which current receivers "
			     "misread",
			     m->dialect);
}

int op_check(const struct op_model *m, const struct op_check_opts *opts,
	     op_finding_fn *fn, void *ctx, struct op_check_result *out,
	     struct op_err *err)
{
	static const struct op_check_opts defaults;
	struct op_checker c = {
		.m = m,
		.opts = opts ? opts : &defaults,
		.fn = fn,
		.ctx = ctx,
		.out = out,
		.err = err,
		.mem.err = err,
	};
	uint32_t *sorted = sorted_sets(&c);
	struct op_walk w = { 0 };

	check_dialect(&c);
	if (!m->nr_resources)
		op_check_say(&c, OP_RULE_RESOURCE_MISSING, "resource_profiles",
			     "is empty");
	for (uint32_t r = 0; r < m->nr_resources; r++)
		check_resource(&c, r, &m->resources[r]);
	while (!err->code && op_walk_next(m, &w))
		check_profile(&c, &w, sorted);
	if (!err->code)
		op_check_dict(&c);
	if (!err->code)
		op_check_duplicates(&c);
	if (!err->code)
		op_check_orphans(&c);
	op_arena_free(&c.mem);
	return err->code;
}
