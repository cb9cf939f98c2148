// SPDX-License-Identifier: Apache-2.0
/* fmt/logs/json.c: OTLP logs as JSON. It is read by way of protobuf, as
 * profiles are (fmt/otlp_json); written straight from the structs. */
#include "fmt/logs/logs.h"

#include "fmt/otlp_json/transcode.h"

struct writer {
	struct op_json *w;
	const struct op_model *m; /* whose strings ids are of */
};

/* --- fields that are left out when zero --- */

static void text_field(struct op_json *w, const char *key, struct op_view v)
{
	if (!v.n)
		return;
	op_json_key(w, key);
	op_json_string(w, v);
}

static void uint_field(struct op_json *w, const char *key, uint32_t v)
{
	if (!v)
		return;
	op_json_key(w, key);
	op_json_uint(w, v);
}

static void time_field(struct op_json *w, const char *key, uint64_t v)
{
	if (!v)
		return;
	op_json_key(w, key);
	op_json_uint_text(w, v);
}

static void id_field(struct op_json *w, const char *key, struct op_view v,
		     size_t want)
{
	if (v.n != want)
		return;
	op_json_key(w, key);
	op_json_hex(w, v);
}

static void open(struct op_json *w, const char *key, char bracket)
{
	op_json_key(w, key);
	op_json_open(w, bracket);
}

/* --- values --- */

static void any_write(const struct writer *x, const struct op_any *v);

static void kvs_write(const struct writer *x, const char *key,
		      struct op_kvs kvs)
{
	if (!kvs.n)
		return;
	open(x->w, key, '[');
	for (uint32_t i = 0; i < kvs.n; i++) {
		op_json_open(x->w, '{');
		text_field(x->w, "key", op_kv_key(x->m, &kvs.p[i]));
		if (kvs.p[i].value.kind != OP_ANY_NONE) {
			op_json_key(x->w, "value");
			any_write(x, &kvs.p[i].value);
		}
		op_json_close(x->w, '}');
	}
	op_json_close(x->w, ']');
}

static void array_write(const struct writer *x, const struct op_any *v)
{
	open(x->w, "arrayValue", '{');
	if (v->n) {
		open(x->w, "values", '[');
		for (uint32_t i = 0; i < v->n; i++)
			any_write(x, &v->array[i]);
		op_json_close(x->w, ']');
	}
	op_json_close(x->w, '}');
}

/* An object, empty for no value. Recursion is bounded by what readers allow. */
static void any_write(const struct writer *x, const struct op_any *v)
{
	struct op_json *w = x->w;

	op_json_open(w, '{');
	switch (v->kind) {
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		op_json_key(w, "stringValue");
		op_json_string(w, op_any_text(x->m, v));
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
		array_write(x, v);
		break;
	case OP_ANY_KVLIST:
		open(w, "kvlistValue", '{');
		kvs_write(x, "values", (struct op_kvs){ v->kvlist, v->n });
		op_json_close(w, '}');
		break;
	case OP_ANY_BYTES:
		op_json_key(w, "bytesValue");
		op_json_base64(w, v->bytes);
		break;
	}
	op_json_close(w, '}');
}

/* --- messages --- */

static void record_write(const struct writer *x, const struct op_log *r)
{
	struct op_json *w = x->w;

	op_json_open(w, '{');
	time_field(w, "timeUnixNano", r->time_ns);
	time_field(w, "observedTimeUnixNano", r->observed_ns);
	if (r->severity) {
		op_json_key(w, "severityNumber");
		op_json_int(w, r->severity);
	}
	text_field(w, "severityText", r->severity_text);
	text_field(w, "name", r->name);
	if (r->body.kind != OP_ANY_NONE) {
		op_json_key(w, "body");
		any_write(x, &r->body);
	}
	kvs_write(x, "attributes", r->attrs);
	uint_field(w, "droppedAttributesCount", r->dropped_attrs);
	uint_field(w, "flags", r->flags);
	id_field(w, "traceId", r->trace_id, 16);
	id_field(w, "spanId", r->span_id, 8);
	text_field(w, "eventName", r->event_name);
	op_json_close(w, '}');
}

static void scope_write(const struct writer *x, const struct op_log_scope *s)
{
	struct op_json *w = x->w;

	op_json_open(w, '{');
	if (s->head.name.n || s->head.version.n || s->head.attrs.n ||
	    s->head.dropped_attrs) {
		open(w, "scope", '{');
		text_field(w, "name", s->head.name);
		text_field(w, "version", s->head.version);
		kvs_write(x, "attributes", s->head.attrs);
		uint_field(w, "droppedAttributesCount", s->head.dropped_attrs);
		op_json_close(w, '}');
	}
	if (s->nr_records) {
		open(w, "logRecords", '[');
		for (uint32_t i = 0; i < s->nr_records; i++)
			record_write(x, &s->records[i]);
		op_json_close(w, ']');
	}
	text_field(w, "schemaUrl", s->head.schema_url);
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

static void resource_write(const struct writer *x,
			   const struct op_log_resource *r)
{
	struct op_json *w = x->w;

	op_json_open(w, '{');
	if (r->head.attrs.n || r->head.dropped_attrs || r->head.nr_entities) {
		open(w, "resource", '{');
		kvs_write(x, "attributes", r->head.attrs);
		uint_field(w, "droppedAttributesCount", r->head.dropped_attrs);
		entities_write(w, &r->head);
		op_json_close(w, '}');
	}
	if (r->nr_scopes) {
		open(w, "scopeLogs", '[');
		for (uint32_t i = 0; i < r->nr_scopes; i++)
			scope_write(x, &r->scopes[i]);
		op_json_close(w, ']');
	}
	text_field(w, "schemaUrl", r->head.schema_url);
	op_json_close(w, '}');
}

void op_logs_json(const struct op_logs *l, const struct op_model *strings,
		  struct op_json *w)
{
	const struct writer x = { w, strings };

	op_json_open(w, '{');
	if (l->nr_resources) {
		open(w, "resourceLogs", '[');
		for (uint32_t i = 0; i < l->nr_resources; i++)
			resource_write(&x, &l->resources[i]);
		op_json_close(w, ']');
	}
	op_json_close(w, '}');
}

int op_logs_to_json(struct op_view message, struct op_buf *out,
		    struct op_err *err)
{
	struct op_json w = { .out = out };
	struct op_logs l = { 0 };

	if (!op_logs_decode(&l, message, err))
		op_logs_json(&l, NULL, &w);
	op_logs_free(&l);
	return err->code ? err->code : out->err->code;
}

/* --- reading --- */

int op_logs_from_json(struct op_json_in *in, struct op_buf *out)
{
	struct op_json_wire w = { .out = *out, .root = LOGS_DATA };

	if (op_json_peek(in) != '{')
		op_json_bad(in, in->p, "a JSON object expected");
	else
		op_json_transcode(in, &w);
	*out = w.out;
	return in->err->code;
}

const uint8_t *op_logs_json_place(struct op_json_in in, uint64_t at)
{
	struct op_json_wire w = { .root = LOGS_DATA };

	op_json_peek(&in);
	return op_json_place(in, &w, at);
}
