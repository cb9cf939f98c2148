// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/metadata.c: the object beside the viewer's data, read and
 * written. */
#include "fmt/viewer/metadata.h"

#include "model/any_text.h"
#include "model/semconv.h"
#include "model/time_value.h"

/* --- reading --- */

/* False if it is not one of the kinds; it is passed all the same. */
static bool value_take(struct op_json_in *in, struct op_arena *mem,
		       struct op_any *out)
{
	int c = op_json_peek(in);

	*out = (struct op_any){ .kind = OP_ANY_STRING };
	if (c == '"') {
		out->bytes = op_json_extract_text(in, mem);
	} else if (c == 't' || c == 'f') {
		out->kind = OP_ANY_BOOL;
		out->flag = c == 't';
		op_json_skip(in);
	} else {
		out->kind = OP_ANY_INT;
		return op_text_number(op_json_extract_id(in), &out->num);
	}
	return true;
}

struct op_kvs op_metadata_values(struct op_json_in *in, struct op_arena *mem)
{
	OP_VEC(struct op_kv) all = { 0 };
	bool first = true;

	if (!op_json_enter(in, '{'))
		return (struct op_kvs){ 0 };
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);
		struct op_kv kv = { .key = op_json_text_of(in, key, mem) };

		if (value_take(in, mem, &kv.value) && !in->err->code)
			(void)op_vec_push(mem, &all, kv);
	}
	return (struct op_kvs){ all.p, (uint32_t)all.n };
}

struct op_metadata op_metadata_read(struct op_json_in *in, struct op_arena *mem)
{
	struct op_metadata t = { 0 };
	bool first = true;
	struct op_any v;

	if (!op_json_enter(in, '{'))
		return t;
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (op_json_is(key, "type"))
			t.type = op_json_extract_text(in, mem);
		else if (op_json_is(key, "unit"))
			t.unit = op_json_extract_text(in, mem);
		else if (op_json_is(key, "resource"))
			t.resource = op_metadata_values(in, mem);
		else if (op_json_is(key, "attributes"))
			t.attrs = op_metadata_values(in, mem);
		else if (op_json_is(key, "thread"))
			t.thread = op_metadata_values(in, mem);
		else if (!value_take(in, mem, &v))
			continue;
		else if (op_json_is(key, "timed"))
			t.is_timed = v.kind == OP_ANY_BOOL && v.flag;
		else if (op_json_is(key, "profile") && v.kind == OP_ANY_INT)
			t.profile = (uint32_t)v.num;
		else if (op_json_is(key, "value_ns") && v.kind == OP_ANY_INT)
			t.value_ns = v.num;
		else if (op_json_is(key, "time_base_ns") &&
			 v.kind == OP_ANY_STRING)
			op_text_number(v.bytes, &t.base_ns);
	}
	if (t.value_ns <= 0)
		t.value_ns = (int64_t)op_unit_ns(t.unit);
	t.value_ns += !t.value_ns;
	return t;
}

int64_t op_metadata_value(const struct op_metadata *t, int64_t ns)
{
	int64_t half = t->value_ns / 2;

	return op_add_sat(ns, ns < 0 ? -half : half) / t->value_ns;
}

static uint32_t set_with(struct op_builder *b, uint32_t set, struct op_view key,
			 const struct op_any *v)
{
	uint32_t attr = op_build_attr(b, key, v, (struct op_view){ 0 }, NULL);

	return op_build_set_with(b, set, attr);
}

uint32_t op_metadata_set(struct op_builder *b, struct op_kvs attrs)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < attrs.n && !b->err->code; i++)
		set = set_with(b, set, attrs.p[i].key, &attrs.p[i].value);
	return set;
}

uint32_t op_metadata_thread(struct op_builder *b, struct op_kvs thread)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < thread.n && !b->err->code; i++) {
		const struct op_kv *kv = &thread.p[i];
		const char *key = NULL;

		if (op_view_is(kv->key, "id"))
			key = OP_ATTR_THREAD_ID;
		else if (op_view_is(kv->key, "name"))
			key = OP_ATTR_THREAD_NAME;
		if (key)
			set = set_with(b, set, op_view_z(key), &kv->value);
	}
	return set;
}

/* --- writing --- */

static bool is_plain(const struct op_any *v)
{
	return v->kind == OP_ANY_STRING || v->kind == OP_ANY_STRING_ID ||
	       v->kind == OP_ANY_INT || v->kind == OP_ANY_BOOL;
}

static void put_value(struct op_json *j, const struct op_model *m,
		      struct op_view key, const struct op_any *v)
{
	if (!is_plain(v))
		return;
	op_json_key_view(j, key);
	op_any_json(j, m, v);
}

void op_metadata_write(struct op_json *j, const struct op_model *m,
		       const struct op_walk *w, struct op_telling how)
{
	struct op_ids ids = op_list(&m->dict.sets, w->profile->attrs);
	struct op_kvs kvs = w->resource->attrs;

	op_json_key(j, "profile");
	op_json_uint(j, how.profile);
	op_json_key(j, "type");
	op_json_string(j, op_string(m, w->profile->sample_type.type));
	op_json_key(j, "unit");
	op_json_string(j, op_string(m, w->profile->sample_type.unit));
	op_json_key(j, "timed");
	op_json_bool(j, how.is_timed);
	if (how.value_ns &&
	    !op_unit_ns(op_string(m, w->profile->sample_type.unit))) {
		op_json_key(j, "value_ns");
		op_json_uint(j, how.value_ns);
	}
	if (how.base_ns) {
		op_json_key(j, "time_base_ns");
		op_json_uint_text(j, how.base_ns);
	}
	op_json_key(j, "resource");
	op_json_open(j, '{');
	for (uint32_t i = 0; i < kvs.n; i++)
		put_value(j, m, op_kv_key(m, &kvs.p[i]), &kvs.p[i].value);
	op_json_close(j, '}');
	op_json_key(j, "attributes");
	op_json_open(j, '{');
	for (uint32_t i = 0; i < ids.n; i++)
		put_value(j, m, op_string(m, m->dict.attrs[ids.p[i]].key),
			  &m->dict.attrs[ids.p[i]].value);
	op_json_close(j, '}');
}

void op_metadata_write_thread(struct op_json *j, const struct op_model *m,
			      const struct op_attr *id,
			      const struct op_attr *name)
{
	op_json_open(j, '{');
	if (id)
		put_value(j, m, op_view_z("id"), &id->value);
	if (name)
		put_value(j, m, op_view_z("name"), &name->value);
	op_json_close(j, '}');
}

void op_metadata_write_track(struct op_json *j, const struct op_model *m,
			     const struct op_walk *w, struct op_telling how,
			     const struct op_track *t)
{
	op_json_key(j, "otprof");
	op_json_open(j, '{');
	op_metadata_write(j, m, w, how);
	op_json_key(j, "thread");
	op_metadata_write_thread(j, m, t->id, t->name);
	op_json_close(j, '}');
}
