// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/common.c: values, scopes and resources as JSON. */
#include "fmt/otlp_json/common.h"

static void kv_write(struct op_json *w, const struct op_kv *kv,
		     const struct op_model *strings)
{
	op_json_open(w, '{');
	if (strings || !kv->key_id)
		op_json_text_field(w, "key", op_kv_key(strings, kv));
	else
		op_json_uint_field(w, "keyStrindex", kv->key_id);
	op_json_key(w, "value");
	op_otlp_json_any(w, &kv->value, strings);
	op_json_close(w, '}');
}

void op_otlp_json_kvs(struct op_json *w, const char *key, struct op_kvs kvs,
		      const struct op_model *strings)
{
	if (!kvs.n)
		return;
	op_json_field_open(w, key, '[');
	for (uint32_t i = 0; i < kvs.n; i++)
		kv_write(w, &kvs.p[i], strings);
	op_json_close(w, ']');
}

static void array_write(struct op_json *w, const struct op_any *v,
			const struct op_model *strings)
{
	op_json_field_open(w, "arrayValue", '{');
	if (v->n) {
		op_json_field_open(w, "values", '[');
		for (uint32_t i = 0; i < v->n; i++)
			op_otlp_json_any(w, &v->array[i], strings);
		op_json_close(w, ']');
	}
	op_json_close(w, '}');
}

static void string_write(struct op_json *w, const struct op_any *v,
			 const struct op_model *strings)
{
	if (v->kind == OP_ANY_STRING_ID && !strings) {
		op_json_key(w, "stringValueStrindex");
		op_json_uint(w, v->string_id);
		return;
	}
	op_json_key(w, "stringValue");
	op_json_string(w, op_any_text(strings, v));
}

/* Recursion is bounded by what readers allow. */
void op_otlp_json_any(struct op_json *w, const struct op_any *v,
		      const struct op_model *strings)
{
	op_json_open(w, '{');
	switch (v->kind) {
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		string_write(w, v, strings);
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
		array_write(w, v, strings);
		break;
	case OP_ANY_KVLIST:
		op_json_field_open(w, "kvlistValue", '{');
		op_otlp_json_kvs(w, "values",
				 (struct op_kvs){ v->kvlist, v->n }, strings);
		op_json_close(w, '}');
		break;
	case OP_ANY_BYTES:
		op_json_key(w, "bytesValue");
		op_json_base64(w, v->bytes);
		break;
	}
	op_json_close(w, '}');
}

void op_otlp_json_scope(struct op_json *w, const struct op_scope *s,
			const struct op_model *strings)
{
	if (!s->name.n && !s->version.n && !s->attrs.n && !s->dropped_attrs)
		return;
	op_json_field_open(w, "scope", '{');
	op_json_text_field(w, "name", s->name);
	op_json_text_field(w, "version", s->version);
	op_otlp_json_kvs(w, "attributes", s->attrs, strings);
	op_json_uint_field(w, "droppedAttributesCount", s->dropped_attrs);
	op_json_close(w, '}');
}

static void names_write(struct op_json *w, const char *key,
			const struct op_view *v, uint32_t n)
{
	if (!n)
		return;
	op_json_field_open(w, key, '[');
	for (uint32_t i = 0; i < n; i++)
		op_json_string(w, v[i]);
	op_json_close(w, ']');
}

static void entities_write(struct op_json *w, const struct op_resource *r)
{
	if (!r->nr_entities)
		return;
	op_json_field_open(w, "entityRefs", '[');
	for (uint32_t i = 0; i < r->nr_entities; i++) {
		const struct op_entity *e = &r->entities[i];

		op_json_open(w, '{');
		op_json_text_field(w, "schemaUrl", e->schema_url);
		op_json_text_field(w, "type", e->type);
		names_write(w, "idKeys", e->id_keys, e->nr_id_keys);
		names_write(w, "descriptionKeys", e->description_keys,
			    e->nr_description_keys);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

void op_otlp_json_resource(struct op_json *w, const struct op_resource *r,
			   const struct op_model *strings)
{
	if (!r->attrs.n && !r->dropped_attrs && !r->nr_entities)
		return;
	op_json_field_open(w, "resource", '{');
	op_otlp_json_kvs(w, "attributes", r->attrs, strings);
	op_json_uint_field(w, "droppedAttributesCount", r->dropped_attrs);
	entities_write(w, r);
	op_json_close(w, '}');
}
