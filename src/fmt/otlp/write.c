// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/write.c: the model as ProfilesData of the current wire version.
 *
 * Written backwards (pb/write.h): rows and fields are visited last to first and
 * come out in ascending order. Zero values are omitted, but never a row of a
 * table. */
#include "fmt/otlp/write.h"

#include "fmt/otlp/fields.h"
#include "fmt/wire/wire.h"
#include "model/obs.h"
static void kv_write(struct op_pbw *w, uint32_t num, const struct op_kv *kv);

/* A string field, which proto3 omits if empty. */
static void text(struct op_pbw *w, uint32_t num, struct op_view v)
{
	if (v.n)
		op_pbw_string(w, num, v);
}

/* The fields of an AnyValue. Readers limit the recursion. */
static void any_write(struct op_pbw *w, const struct op_any *v);

static void list_write(struct op_pbw *w, const struct op_any *v)
{
	size_t end = op_pbw_mark(w);

	for (uint32_t i = v->n; i--;) {
		size_t item = op_pbw_mark(w);

		if (v->kind == OP_ANY_KVLIST) {
			kv_write(w, LIST_VALUES, &v->kvlist[i]);
			continue;
		}
		any_write(w, &v->array[i]);
		op_pbw_len(w, LIST_VALUES, item);
	}
	op_pbw_len(w, v->kind == OP_ANY_KVLIST ? ANY_KVLIST : ANY_ARRAY, end);
}

static void any_write(struct op_pbw *w, const struct op_any *v)
{
	switch (v->kind) {
	case OP_ANY_STRING:
		op_pbw_string(w, ANY_STRING, v->bytes);
		break;
	case OP_ANY_ARRAY:
	case OP_ANY_KVLIST:
		list_write(w, v);
		break;
	case OP_ANY_BOOL:
	case OP_ANY_INT:
	case OP_ANY_DOUBLE:
	case OP_ANY_BYTES:
		op_wire_scalar_write(w, v);
		break;
	case OP_ANY_STRING_ID:
		op_wire_oneof_uint(w, ANY_STRING_ID, v->string_id);
		break;
	}
}

static void kv_write(struct op_pbw *w, uint32_t num, const struct op_kv *kv)
{
	size_t end = op_pbw_mark(w);
	size_t value;

	op_pbw_uint(w, KV_KEY_ID, kv->key_id);
	value = op_pbw_mark(w);
	any_write(w, &kv->value);
	op_pbw_len_nonempty(w, KV_VALUE, value);
	if (!kv->key_id)
		text(w, KV_KEY, kv->key);
	op_pbw_len(w, num, end);
}

static void kvs_write(struct op_pbw *w, uint32_t num, struct op_kvs kvs)
{
	for (uint32_t i = kvs.n; i--;)
		kv_write(w, num, &kvs.p[i]);
}

/* --- dictionary --- */

static void set_write(struct op_pbw *w, const struct op_dict *d, uint32_t num,
		      uint32_t set)
{
	struct op_ids ids = op_list(&d->sets, set);

	if (ids.n)
		op_pbw_packed_u32(w, num, ids.p, ids.n);
}

static void stacks_write(struct op_pbw *w, const struct op_dict *d)
{
	for (uint32_t i = d->stacks.nr; i--;) {
		struct op_ids ids = op_list(&d->stacks, i);
		size_t end = op_pbw_mark(w);

		op_pbw_packed_u32(w, STACK_LOCATIONS, ids.p, ids.n);
		op_pbw_len(w, DICT_STACK, end);
	}
}

static void attrs_write(struct op_pbw *w, const struct op_dict *d)
{
	for (uint32_t i = d->nr[OP_ATTRS]; i--;) {
		const struct op_attr *a = &d->attrs[i];
		size_t end = op_pbw_mark(w);
		size_t value;

		op_pbw_uint(w, ATTRIBUTE_UNIT, a->unit);
		value = op_pbw_mark(w);
		any_write(w, &a->value);
		op_pbw_len_nonempty(w, ATTRIBUTE_VALUE, value);
		op_pbw_uint(w, ATTRIBUTE_KEY, a->key);
		op_pbw_len(w, DICT_ATTRIBUTE, end);
	}
}

static void links_write(struct op_pbw *w, const struct op_dict *d)
{
	for (uint32_t i = d->nr[OP_LINKS]; i--;) {
		const struct op_link *l = &d->links[i];
		size_t end = op_pbw_mark(w);

		if (l->span_len == sizeof(l->span_id))
			op_pbw_bytes(w, LINK_SPAN_ID,
				     op_view(l->span_id, l->span_len));
		if (l->trace_len == sizeof(l->trace_id))
			op_pbw_bytes(w, LINK_TRACE_ID,
				     op_view(l->trace_id, l->trace_len));
		op_pbw_len(w, DICT_LINK, end);
	}
}

static void functions_write(struct op_pbw *w, const struct op_dict *d)
{
	for (uint32_t i = d->nr[OP_FUNCTIONS]; i--;) {
		const struct op_function *f = &d->functions[i];
		size_t end = op_pbw_mark(w);

		op_pbw_uint(w, FUNCTION_START_LINE, (uint64_t)f->start_line);
		op_pbw_uint(w, FUNCTION_FILENAME, f->filename);
		op_pbw_uint(w, FUNCTION_SYSTEM_NAME, f->system_name);
		op_pbw_uint(w, FUNCTION_NAME, f->name);
		op_pbw_len(w, DICT_FUNCTION, end);
	}
}

static void lines_write(struct op_pbw *w, const struct op_line *lines,
			uint32_t nr)
{
	for (uint32_t i = nr; i--;) {
		size_t end = op_pbw_mark(w);

		op_pbw_uint(w, LINE_COLUMN, (uint64_t)lines[i].column);
		op_pbw_uint(w, LINE_LINE, (uint64_t)lines[i].line);
		op_pbw_uint(w, LINE_FUNCTION, lines[i].function);
		op_pbw_len(w, LOCATION_LINES, end);
	}
}

static void locations_write(struct op_pbw *w, const struct op_dict *d)
{
	for (uint32_t i = d->nr[OP_LOCATIONS]; i--;) {
		const struct op_location *l = &d->locations[i];
		size_t end = op_pbw_mark(w);

		set_write(w, d, LOCATION_ATTRIBUTES, l->attrs);
		lines_write(w, d->lines + l->first_line, l->nr_lines);
		op_pbw_uint(w, LOCATION_ADDRESS, l->address);
		op_pbw_uint(w, LOCATION_MAPPING, l->mapping);
		op_pbw_len(w, DICT_LOCATION, end);
	}
}

static void mappings_write(struct op_pbw *w, const struct op_dict *d)
{
	for (uint32_t i = d->nr[OP_MAPPINGS]; i--;) {
		const struct op_mapping *m = &d->mappings[i];
		size_t end = op_pbw_mark(w);

		set_write(w, d, MAPPING_ATTRIBUTES, m->attrs);
		op_pbw_uint(w, MAPPING_FILENAME, m->filename);
		op_pbw_uint(w, MAPPING_OFFSET, m->offset);
		op_pbw_uint(w, MAPPING_LIMIT, m->limit);
		op_pbw_uint(w, MAPPING_START, m->start);
		op_pbw_len(w, DICT_MAPPING, end);
	}
}

void op_otlp_rows_write(struct op_pbw *w, const struct op_dict *d)
{
	stacks_write(w, d);
	attrs_write(w, d);
	for (uint32_t i = d->nr[OP_STRINGS]; i--;)
		op_pbw_string(w, DICT_STRING, d->strings[i]);
	links_write(w, d);
	functions_write(w, d);
	locations_write(w, d);
	mappings_write(w, d);
}

static void dictionary_write(struct op_pbw *w, const struct op_dict *d)
{
	size_t end = op_pbw_mark(w);

	op_otlp_rows_write(w, d);
	op_pbw_len(w, DATA_DICTIONARY, end);
}

/* --- profiles --- */

struct encoder {
	struct op_pbw *w;
	const struct op_dict *d;
	struct op_otlp_gaps *gaps; /* NULL: samples are written here */
	const struct op_profile *marked;
};

/* Whether a sample shows which version it is of; sets has_attrs if it could be
 * mistaken. */
static bool is_clear(const struct op_dict *d, const struct op_profile *p,
		     uint32_t i, bool *has_attrs)
{
	uint32_t nr_attrs = op_list(&d->sets, p->set[i]).n;
	uint32_t nr_times = p->packed_times ? op_obs_count(p->packed_times, i) :
					      op_sample_times(p, i).n;

	if (p->link[i] || p->packed_values || op_sample_values(p, i).n)
		return true;
	*has_attrs |= nr_attrs;
	return nr_attrs && nr_times && nr_attrs != nr_times;
}

const struct op_profile *op_otlp_marked(const struct op_model *m)
{
	const struct op_profile *first = NULL;
	struct op_walk w = { 0 };
	bool has_attrs = false;

	while (op_walk_next(m, &w)) {
		if (!first && w.profile->nr_samples)
			first = w.profile;
		for (uint32_t i = 0; i < w.profile->nr_samples; i++)
			if (is_clear(&m->dict, w.profile, i, &has_attrs))
				return NULL;
	}
	return has_attrs ? first : NULL;
}

void op_otlp_samples_write(struct op_pbw *w, const struct op_otlp_samples *s,
			   uint32_t from, uint32_t to)
{
	const struct op_profile *p = s->p;

	if (p->packed_times)
		op_fail(w->err, OP_EUSAGE, "observations are still packed");
	for (uint32_t i = to; i-- > from && !w->err->code;) {
		struct op_values values = op_sample_values(p, i);
		struct op_times times = op_sample_times(p, i);
		size_t end = op_pbw_mark(w);

		op_pbw_packed_fixed64(w, SAMPLE_TIMES, times.p, times.n);
		op_pbw_packed_i64(w, SAMPLE_VALUES, values.p, values.n);
		if (op_unlikely(!i && s->is_marked))
			op_pbw_bytes(w, SAMPLE_VALUES, (struct op_view){ 0 });
		op_pbw_uint(w, SAMPLE_LINK, p->link[i]);
		set_write(w, s->d, SAMPLE_ATTRIBUTES, p->set[i]);
		op_pbw_uint(w, SAMPLE_STACK, p->stack[i]);
		op_pbw_len(w, PROFILE_SAMPLES, end);
	}
}

static void value_type_write(struct op_pbw *w, uint32_t num,
			     struct op_value_type t)
{
	size_t end = op_pbw_mark(w);

	op_pbw_uint(w, VALUE_TYPE_UNIT, t.unit);
	op_pbw_uint(w, VALUE_TYPE_TYPE, t.type);
	op_pbw_len_nonempty(w, num, end);
}

/* This function and its callers return the number of bytes that are left out:
 * lengths include them. */
static size_t profile_write(struct encoder *e, const struct op_profile *p)
{
	struct op_otlp_samples samples = { e->d, p, p == e->marked };
	const struct op_dict *d = e->d;
	struct op_pbw *w = e->w;
	size_t end = op_pbw_mark(w);
	size_t left_out = 0;

	set_write(w, d, PROFILE_ATTRIBUTES, p->attrs);
	if (p->payload.n)
		op_pbw_bytes(w, PROFILE_PAYLOAD, p->payload);
	text(w, PROFILE_PAYLOAD_FORMAT, p->payload_format);
	op_pbw_uint(w, PROFILE_DROPPED, p->dropped_attrs);
	if (p->id_len == sizeof(p->id))
		op_pbw_bytes(w, PROFILE_ID, op_view(p->id, p->id_len));
	op_pbw_uint(w, PROFILE_PERIOD, (uint64_t)p->period);
	value_type_write(w, PROFILE_PERIOD_TYPE, p->period_type);
	op_pbw_uint(w, PROFILE_DURATION, p->duration_ns);
	op_pbw_fixed64(w, PROFILE_TIME, p->time_ns);
	if (e->gaps)
		left_out = op_otlp_gap_add(e->gaps, w, &samples);
	else
		op_otlp_samples_write(w, &samples, 0, p->nr_samples);
	value_type_write(w, PROFILE_SAMPLE_TYPE, p->sample_type);
	op_pbw_len(w, SCOPE_PROFILES_PROFILES, end - left_out);
	return left_out;
}

static size_t scope_write(struct encoder *e, const struct op_scope *s)
{
	struct op_pbw *w = e->w;
	size_t end = op_pbw_mark(w);
	size_t scope, left_out = 0;

	text(w, SCOPE_PROFILES_SCHEMA_URL, s->schema_url);
	for (uint32_t i = s->nr_profiles; i--;)
		left_out += profile_write(e, &s->profiles[i]);
	scope = op_pbw_mark(w);
	op_pbw_uint(w, SCOPE_DROPPED, s->dropped_attrs);
	kvs_write(w, SCOPE_ATTRIBUTES, s->attrs);
	text(w, SCOPE_VERSION, s->version);
	text(w, SCOPE_NAME, s->name);
	op_pbw_len_nonempty(w, SCOPE_PROFILES_SCOPE, scope);
	op_pbw_len(w, RESOURCE_PROFILES_SCOPES, end - left_out);
	return left_out;
}

static void entities_write(struct op_pbw *w, const struct op_resource *r)
{
	for (uint32_t i = r->nr_entities; i--;) {
		const struct op_entity *e = &r->entities[i];
		size_t end = op_pbw_mark(w);

		for (uint32_t k = e->nr_description_keys; k--;)
			op_pbw_string(w, ENTITY_DESCRIPTION_KEYS,
				      e->description_keys[k]);
		for (uint32_t k = e->nr_id_keys; k--;)
			op_pbw_string(w, ENTITY_ID_KEYS, e->id_keys[k]);
		text(w, ENTITY_TYPE, e->type);
		text(w, ENTITY_SCHEMA_URL, e->schema_url);
		op_pbw_len(w, RESOURCE_ENTITIES, end);
	}
}

static void resource_write(struct encoder *e, const struct op_resource *r)
{
	struct op_pbw *w = e->w;
	size_t end = op_pbw_mark(w);
	size_t resource, left_out = 0;

	text(w, RESOURCE_PROFILES_SCHEMA_URL, r->schema_url);
	for (uint32_t i = r->nr_scopes; i--;)
		left_out += scope_write(e, &r->scopes[i]);
	resource = op_pbw_mark(w);
	entities_write(w, r);
	op_pbw_uint(w, RESOURCE_DROPPED, r->dropped_attrs);
	kvs_write(w, RESOURCE_ATTRIBUTES, r->attrs);
	op_pbw_len_nonempty(w, RESOURCE_PROFILES_RESOURCE, resource);
	op_pbw_len(w, DATA_RESOURCE_PROFILES, end - left_out);
}

void op_otlp_resource_write(struct op_pbw *w, const struct op_dict *d,
			    const struct op_resource *r)
{
	struct encoder e = { .w = w, .d = d };

	resource_write(&e, r);
}

/* An estimate of the size of the dictionary, rather too large: the unused part
 * of a large block costs nothing, but a second block costs a copy. */
static size_t dictionary_guess(const struct op_dict *d)
{
	return 4 * (size_t)d->stacks.at[d->stacks.nr] +
	       8 * (size_t)d->stacks.nr + 64 * (size_t)d->nr[OP_LOCATIONS] +
	       64 * (size_t)d->nr[OP_STRINGS];
}

/* The same for the samples. */
static size_t samples_guess(const struct op_model *m)
{
	struct op_walk w = { 0 };
	size_t n = 0;

	while (op_walk_next(m, &w)) {
		const struct op_profile *p = w.profile;
		uint32_t nr = p->nr_samples;

		n += 20 * (size_t)nr;
		n += p->time_at ? 8 * (size_t)p->time_at[nr] : 0;
		n += p->value_at ? 5 * (size_t)p->value_at[nr] : 0;
	}
	return n;
}

int op_otlp_encode_around(const struct op_model *m, struct op_pbw *w,
			  struct op_otlp_gaps *gaps)
{
	struct encoder e = { w, &m->dict, gaps, op_otlp_marked(m) };
	size_t n = dictionary_guess(&m->dict);

	if (!w->start && !w->limit)
		op_pbw_room(w, n + (gaps ? 0 : samples_guess(m)));
	dictionary_write(w, &m->dict);
	for (uint32_t i = m->nr_resources; i--;)
		resource_write(&e, &m->resources[i]);
	op_pbw_result(w); /* which reports the limit */
	return w->err->code;
}

int op_otlp_encode(const struct op_model *m, struct op_pbw *w)
{
	return op_otlp_encode_around(m, w, NULL);
}
