// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/write.c: the model as OTLP/JSON of today's release.
 *
 * Straight from the model, through a buffer of fixed size. Zero values are
 * left out as proto3 has it, but never a row of a table. 64-bit numbers are
 * strings, ids are hex, other bytes base64. */
#include "fmt/otlp_json/otlp_json.h"
#include "pb/json_write.h"

enum { BUFFER = 64 * 1024 };

struct writer {
	struct op_json json; /* first, see spill() */
	struct op_buf buf;
	struct op_sink *sink;
};

static void spill(struct op_json *json)
{
	struct writer *w = (struct writer *)json;

	if (!w->buf.err->code)
		w->sink->write(w->sink, op_view(w->buf.p, w->buf.n),
			       w->buf.err);
	w->buf.n = 0;
}

/* --- fields that are left out when zero --- */

op_inline void uint_field(struct op_json *w, const char *key, uint32_t v)
{
	if (!v)
		return;
	op_json_key(w, key);
	op_json_uint(w, v);
}

op_inline void uint64_field(struct op_json *w, const char *key, uint64_t v)
{
	if (!v)
		return;
	op_json_key(w, key);
	op_json_uint_text(w, v);
}

op_inline void int64_field(struct op_json *w, const char *key, int64_t v)
{
	if (!v)
		return;
	op_json_key(w, key);
	op_json_int_text(w, v);
}

op_inline void text_field(struct op_json *w, const char *key, struct op_view v)
{
	if (!v.n)
		return;
	op_json_key(w, key);
	op_json_string(w, v);
}

op_inline void ids_field(struct op_json *w, const char *key, struct op_ids ids)
{
	if (!ids.n)
		return;
	op_json_key(w, key);
	op_json_ids(w, ids.p, ids.n);
}

/* A key and the bracket behind it. */
op_inline void open(struct op_json *w, const char *key, char bracket)
{
	op_json_key(w, key);
	op_json_open(w, bracket);
}

/* --- values --- */

static void any_write(struct op_json *w, const struct op_any *v);

/* The members of a KeyValue. */
static void kv_write(struct op_json *w, const struct op_kv *kv)
{
	op_json_open(w, '{');
	uint_field(w, "keyStrindex", kv->key_id);
	if (!kv->key_id)
		text_field(w, "key", kv->key);
	op_json_key(w, "value");
	any_write(w, &kv->value);
	op_json_close(w, '}');
}

static void kvs_write(struct op_json *w, const char *key, struct op_kvs kvs)
{
	if (!kvs.n)
		return;
	open(w, key, '[');
	for (uint32_t i = 0; i < kvs.n; i++)
		kv_write(w, &kvs.p[i]);
	op_json_close(w, ']');
}

static void array_write(struct op_json *w, const struct op_any *v)
{
	open(w, "arrayValue", '{');
	if (v->n) {
		open(w, "values", '[');
		for (uint32_t i = 0; i < v->n; i++)
			any_write(w, &v->array[i]);
		op_json_close(w, ']');
	}
	op_json_close(w, '}');
}

/* An object, empty for no value. Recursion is bounded by what readers allow. */
static void any_write(struct op_json *w, const struct op_any *v)
{
	op_json_open(w, '{');
	switch (v->kind) {
	case OP_ANY_STRING:
		op_json_key(w, "stringValue");
		op_json_string(w, v->bytes);
		break;
	case OP_ANY_BOOL:
		op_json_key(w, "boolValue");
		op_json_bool(w, v->flag);
		break;
	case OP_ANY_INT:
		op_json_key(w, "intValue");
		op_json_int_text(w, v->num);
		break;
	case OP_ANY_DOUBLE:
		op_json_key(w, "doubleValue");
		op_json_double(w, v->real);
		break;
	case OP_ANY_ARRAY:
		array_write(w, v);
		break;
	case OP_ANY_KVLIST:
		open(w, "kvlistValue", '{');
		kvs_write(w, "values", (struct op_kvs){ v->kvlist, v->n });
		op_json_close(w, '}');
		break;
	case OP_ANY_BYTES:
		op_json_key(w, "bytesValue");
		op_json_base64(w, v->bytes);
		break;
	case OP_ANY_STRING_ID:
		op_json_key(w, "stringValueStrindex");
		op_json_uint(w, v->string_id);
		break;
	}
	op_json_close(w, '}');
}

/* --- dictionary --- */

static void mappings_write(struct op_json *w, const struct op_dict *d)
{
	open(w, "mappingTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_MAPPINGS]; i++) {
		const struct op_mapping *m = &d->mappings[i];

		op_json_open(w, '{');
		uint64_field(w, "memoryStart", m->start);
		uint64_field(w, "memoryLimit", m->limit);
		uint64_field(w, "fileOffset", m->offset);
		uint_field(w, "filenameStrindex", m->filename);
		ids_field(w, "attributeIndices", op_list(&d->sets, m->attrs));
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void lines_write(struct op_json *w, const struct op_line *lines,
			uint32_t nr)
{
	if (!nr)
		return;
	open(w, "lines", '[');
	for (uint32_t i = 0; i < nr; i++) {
		op_json_open(w, '{');
		uint_field(w, "functionIndex", lines[i].function);
		int64_field(w, "line", lines[i].line);
		int64_field(w, "column", lines[i].column);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void locations_write(struct op_json *w, const struct op_dict *d)
{
	open(w, "locationTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS]; i++) {
		const struct op_location *l = &d->locations[i];

		op_json_open(w, '{');
		uint_field(w, "mappingIndex", l->mapping);
		uint64_field(w, "address", l->address);
		lines_write(w, d->lines + l->first_line, l->nr_lines);
		ids_field(w, "attributeIndices", op_list(&d->sets, l->attrs));
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void functions_write(struct op_json *w, const struct op_dict *d)
{
	open(w, "functionTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_FUNCTIONS]; i++) {
		const struct op_function *f = &d->functions[i];

		op_json_open(w, '{');
		uint_field(w, "nameStrindex", f->name);
		uint_field(w, "systemNameStrindex", f->system_name);
		uint_field(w, "filenameStrindex", f->filename);
		int64_field(w, "startLine", f->start_line);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void links_write(struct op_json *w, const struct op_dict *d)
{
	open(w, "linkTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_LINKS]; i++) {
		const struct op_link *l = &d->links[i];

		op_json_open(w, '{');
		if (l->trace_len == sizeof(l->trace_id)) {
			op_json_key(w, "traceId");
			op_json_hex(w, op_view(l->trace_id, l->trace_len));
		}
		if (l->span_len == sizeof(l->span_id)) {
			op_json_key(w, "spanId");
			op_json_hex(w, op_view(l->span_id, l->span_len));
		}
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void strings_write(struct op_json *w, const struct op_dict *d)
{
	open(w, "stringTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_STRINGS]; i++)
		op_json_string(w, d->strings[i]);
	op_json_close(w, ']');
}

static void attrs_write(struct op_json *w, const struct op_dict *d)
{
	open(w, "attributeTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_ATTRS]; i++) {
		const struct op_attr *a = &d->attrs[i];

		op_json_open(w, '{');
		uint_field(w, "keyStrindex", a->key);
		if (a->key || a->unit || a->value.kind != OP_ANY_NONE) {
			op_json_key(w, "value");
			any_write(w, &a->value);
		}
		uint_field(w, "unitStrindex", a->unit);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void stacks_write(struct op_json *w, const struct op_dict *d)
{
	open(w, "stackTable", '[');
	for (uint32_t i = 0; i < d->stacks.nr; i++) {
		op_json_open(w, '{');
		ids_field(w, "locationIndices", op_list(&d->stacks, i));
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void dictionary_write(struct op_json *w, const struct op_dict *d)
{
	open(w, "dictionary", '{');
	mappings_write(w, d);
	locations_write(w, d);
	functions_write(w, d);
	links_write(w, d);
	strings_write(w, d);
	attrs_write(w, d);
	stacks_write(w, d);
	op_json_close(w, '}');
}

/* --- profiles --- */

static void samples_write(struct op_json *w, const struct op_dict *d,
			  const struct op_profile *p)
{
	if (!p->nr_samples)
		return;
	open(w, "samples", '[');
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_values values = op_sample_values(p, i);
		struct op_times times = op_sample_times(p, i);

		op_json_open(w, '{');
		uint_field(w, "stackIndex", p->stack[i]);
		ids_field(w, "attributeIndices", op_list(&d->sets, p->set[i]));
		uint_field(w, "linkIndex", p->link[i]);
		if (values.n) {
			op_json_key(w, "values");
			op_json_int_texts(w, values.p, values.n);
		}
		if (times.n) {
			op_json_key(w, "timestampsUnixNano");
			op_json_uint_texts(w, times.p, times.n);
		}
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void value_type_write(struct op_json *w, const char *key,
			     struct op_value_type t)
{
	if (!t.type && !t.unit)
		return;
	open(w, key, '{');
	uint_field(w, "typeStrindex", t.type);
	uint_field(w, "unitStrindex", t.unit);
	op_json_close(w, '}');
}

static void profile_write(struct op_json *w, const struct op_dict *d,
			  const struct op_profile *p)
{
	op_json_open(w, '{');
	value_type_write(w, "sampleType", p->sample_type);
	samples_write(w, d, p);
	uint64_field(w, "timeUnixNano", p->time_ns);
	uint64_field(w, "durationNano", p->duration_ns);
	value_type_write(w, "periodType", p->period_type);
	int64_field(w, "period", p->period);
	if (p->id_len == sizeof(p->id)) {
		op_json_key(w, "profileId");
		op_json_hex(w, op_view(p->id, p->id_len));
	}
	uint_field(w, "droppedAttributesCount", p->dropped_attrs);
	text_field(w, "originalPayloadFormat", p->payload_format);
	if (p->payload.n) {
		op_json_key(w, "originalPayload");
		op_json_base64(w, p->payload);
	}
	ids_field(w, "attributeIndices", op_list(&d->sets, p->attrs));
	op_json_close(w, '}');
}

static void scope_write(struct op_json *w, const struct op_dict *d,
			const struct op_scope *s)
{
	op_json_open(w, '{');
	if (s->name.n || s->version.n || s->attrs.n || s->dropped_attrs) {
		open(w, "scope", '{');
		text_field(w, "name", s->name);
		text_field(w, "version", s->version);
		kvs_write(w, "attributes", s->attrs);
		uint_field(w, "droppedAttributesCount", s->dropped_attrs);
		op_json_close(w, '}');
	}
	if (s->nr_profiles) {
		open(w, "profiles", '[');
		for (uint32_t i = 0; i < s->nr_profiles; i++)
			profile_write(w, d, &s->profiles[i]);
		op_json_close(w, ']');
	}
	text_field(w, "schemaUrl", s->schema_url);
	op_json_close(w, '}');
}

static void names_write(struct op_json *w, const char *key,
			const struct op_view *v, uint32_t n)
{
	if (!n)
		return;
	open(w, key, '[');
	for (uint32_t i = 0; i < n; i++)
		op_json_string(w, v[i]);
	op_json_close(w, ']');
}

static void entities_write(struct op_json *w, const struct op_resource *r)
{
	if (!r->nr_entities)
		return;
	open(w, "entityRefs", '[');
	for (uint32_t i = 0; i < r->nr_entities; i++) {
		const struct op_entity *e = &r->entities[i];

		op_json_open(w, '{');
		text_field(w, "schemaUrl", e->schema_url);
		text_field(w, "type", e->type);
		names_write(w, "idKeys", e->id_keys, e->nr_id_keys);
		names_write(w, "descriptionKeys", e->description_keys,
			    e->nr_description_keys);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void resource_write(struct op_json *w, const struct op_dict *d,
			   const struct op_resource *r)
{
	op_json_open(w, '{');
	if (r->attrs.n || r->dropped_attrs || r->nr_entities) {
		open(w, "resource", '{');
		kvs_write(w, "attributes", r->attrs);
		uint_field(w, "droppedAttributesCount", r->dropped_attrs);
		entities_write(w, r);
		op_json_close(w, '}');
	}
	if (r->nr_scopes) {
		open(w, "scopeProfiles", '[');
		for (uint32_t i = 0; i < r->nr_scopes; i++)
			scope_write(w, d, &r->scopes[i]);
		op_json_close(w, ']');
	}
	text_field(w, "schemaUrl", r->schema_url);
	op_json_close(w, '}');
}

int op_otlp_json_write(const struct op_model *m, bool pretty,
		       struct op_sink *sink, struct op_err *err)
{
	struct writer out = { .buf.err = err, .sink = sink };
	struct op_json *w = &out.json;

	*w = (struct op_json){ .out = &out.buf,
			       .pretty = pretty,
			       .spill = spill };
	op_buf_reserve(&out.buf, BUFFER);
	op_json_open(w, '{');
	if (m->nr_resources) {
		open(w, "resourceProfiles", '[');
		for (uint32_t i = 0; i < m->nr_resources; i++)
			resource_write(w, &m->dict, &m->resources[i]);
		op_json_close(w, ']');
	}
	dictionary_write(w, &m->dict);
	op_json_close(w, '}');
	op_buf_byte(&out.buf, '\n');
	spill(w);
	op_buf_free(&out.buf);
	return err->code;
}
