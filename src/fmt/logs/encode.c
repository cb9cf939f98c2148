// SPDX-License-Identifier: Apache-2.0
/* fmt/logs/encode.c: OTLP logs as protobuf, from the last byte to the first
 * (pb/write.h). Texts are written where they stand: logs have no table of
 * strings. */
#include "fmt/logs/logs.h"

#include "fmt/logs/fields.h"

struct writer {
	struct op_pbw *w;
	const struct op_model *m; /* whose strings ids are of */
};

static void text(struct op_pbw *w, uint32_t num, struct op_view v)
{
	if (v.n)
		op_pbw_string(w, num, v);
}

static void bytes(struct op_pbw *w, uint32_t num, struct op_view v)
{
	if (v.n)
		op_pbw_bytes(w, num, v);
}

/* A member of a oneof is written even when it is zero. */
static void oneof_uint(struct op_pbw *w, uint32_t num, uint64_t v)
{
	op_pbw_varint(w, v);
	op_pbw_varint(w, OP_PB(num, OP_PB_VARINT));
}

/* --- values --- */

static void kv_write(const struct writer *x, uint32_t num,
		     const struct op_kv *kv);
static void any_write(const struct writer *x, const struct op_any *v);

static void list_write(const struct writer *x, const struct op_any *v)
{
	size_t end = op_pbw_mark(x->w);

	for (uint32_t i = v->n; i--;) {
		size_t item = op_pbw_mark(x->w);

		if (v->kind == OP_ANY_KVLIST) {
			kv_write(x, LIST_VALUES, &v->kvlist[i]);
			continue;
		}
		any_write(x, &v->array[i]);
		op_pbw_len(x->w, LIST_VALUES, item);
	}
	op_pbw_len(x->w, v->kind == OP_ANY_KVLIST ? ANY_KVLIST : ANY_ARRAY,
		   end);
}

/* Recursion is bounded by what readers allow. */
static void any_write(const struct writer *x, const struct op_any *v)
{
	switch (v->kind) {
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		op_pbw_string(x->w, ANY_STRING, op_any_text(x->m, v));
		break;
	case OP_ANY_BOOL:
		oneof_uint(x->w, ANY_BOOL, v->flag);
		break;
	case OP_ANY_INT:
		oneof_uint(x->w, ANY_INT, (uint64_t)v->num);
		break;
	case OP_ANY_DOUBLE:
		op_pbw_raw(x->w, op_view(&v->real, sizeof(v->real)));
		op_pbw_varint(x->w, OP_PB(ANY_DOUBLE, OP_PB_I64));
		break;
	case OP_ANY_ARRAY:
	case OP_ANY_KVLIST:
		list_write(x, v);
		break;
	case OP_ANY_BYTES:
		op_pbw_bytes(x->w, ANY_BYTES, v->bytes);
		break;
	}
}

static void kv_write(const struct writer *x, uint32_t num,
		     const struct op_kv *kv)
{
	size_t end = op_pbw_mark(x->w);
	size_t value = end;

	any_write(x, &kv->value);
	op_pbw_len(x->w, KV_VALUE, value);
	text(x->w, KV_KEY, op_kv_key(x->m, kv));
	op_pbw_len(x->w, num, end);
}

static void kvs_write(const struct writer *x, uint32_t num, struct op_kvs kvs)
{
	for (uint32_t i = kvs.n; i--;)
		kv_write(x, num, &kvs.p[i]);
}

/* --- messages --- */

static void fixed32(struct op_pbw *w, uint32_t num, uint32_t v)
{
	if (!v)
		return;
	op_pbw_raw(w, op_view(&v, sizeof(v)));
	op_pbw_varint(w, OP_PB(num, OP_PB_I32));
}

static void record_write(const struct writer *x, const struct op_log *r)
{
	struct op_pbw *w = x->w;
	size_t end = op_pbw_mark(w), body;

	text(w, LOG_EVENT_NAME, r->event_name);
	op_pbw_fixed64(w, LOG_OBSERVED, r->observed_ns);
	bytes(w, LOG_SPAN_ID, r->span_id);
	bytes(w, LOG_TRACE_ID, r->trace_id);
	fixed32(w, LOG_FLAGS, r->flags);
	op_pbw_uint(w, LOG_DROPPED, r->dropped_attrs);
	kvs_write(x, LOG_ATTRIBUTES, r->attrs);
	body = op_pbw_mark(w);
	any_write(x, &r->body);
	op_pbw_len_nonempty(w, LOG_BODY, body);
	text(w, LOG_NAME, r->name);
	text(w, LOG_SEVERITY_TEXT, r->severity_text);
	op_pbw_uint(w, LOG_SEVERITY, (uint64_t)(int64_t)r->severity);
	op_pbw_fixed64(w, LOG_TIME, r->time_ns);
	op_pbw_len(w, SCOPE_LOGS_RECORDS, end);
}

static void scope_write(const struct writer *x, const struct op_log_scope *s)
{
	size_t end = op_pbw_mark(x->w), scope;

	text(x->w, SCOPE_LOGS_SCHEMA_URL, s->head.schema_url);
	for (uint32_t i = s->nr_records; i-- && !x->w->err->code;)
		record_write(x, &s->records[i]);
	scope = op_pbw_mark(x->w);
	op_pbw_uint(x->w, SCOPE_DROPPED, s->head.dropped_attrs);
	kvs_write(x, SCOPE_ATTRIBUTES, s->head.attrs);
	text(x->w, SCOPE_VERSION, s->head.version);
	text(x->w, SCOPE_NAME, s->head.name);
	op_pbw_len_nonempty(x->w, SCOPE_LOGS_SCOPE, scope);
	op_pbw_len(x->w, RESOURCE_LOGS_SCOPES, end);
}

static void entity_write(struct op_pbw *w, const struct op_entity *e)
{
	size_t end = op_pbw_mark(w);

	for (uint32_t i = e->nr_description_keys; i--;)
		op_pbw_string(w, ENTITY_DESCRIPTION_KEYS,
			      e->description_keys[i]);
	for (uint32_t i = e->nr_id_keys; i--;)
		op_pbw_string(w, ENTITY_ID_KEYS, e->id_keys[i]);
	text(w, ENTITY_TYPE, e->type);
	text(w, ENTITY_SCHEMA_URL, e->schema_url);
	op_pbw_len(w, RESOURCE_ENTITIES, end);
}

static void resource_write(const struct writer *x,
			   const struct op_log_resource *r)
{
	size_t end = op_pbw_mark(x->w), resource;

	text(x->w, RESOURCE_LOGS_SCHEMA_URL, r->head.schema_url);
	for (uint32_t i = r->nr_scopes; i--;)
		scope_write(x, &r->scopes[i]);
	resource = op_pbw_mark(x->w);
	for (uint32_t i = r->head.nr_entities; i--;)
		entity_write(x->w, &r->head.entities[i]);
	op_pbw_uint(x->w, RESOURCE_DROPPED, r->head.dropped_attrs);
	kvs_write(x, RESOURCE_ATTRIBUTES, r->head.attrs);
	op_pbw_len_nonempty(x->w, RESOURCE_LOGS_RESOURCE, resource);
	op_pbw_len(x->w, LOGS_RESOURCE_LOGS, end);
}

int op_logs_encode(const struct op_logs *l, const struct op_model *strings,
		   struct op_pbw *w)
{
	const struct writer x = { w, strings };

	for (uint32_t i = l->nr_resources; i--;)
		resource_write(&x, &l->resources[i]);
	return w->err->code;
}
