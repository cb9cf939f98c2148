// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/head.c: what the conventions have no place for: the types of a
 * profile, its range of time, its attributes, the scope it was in. All of it
 * is one attribute of the scope of its records, which receivers pass over:
 *
 *	otprof.profile = {
 *		index: [resource, scope, profile], frames: "2021",
 *		type: ["cpu", "nanoseconds"],
 *		period: ["cpu", "nanoseconds", 10], time: [start, duration],
 *		dropped: 0, attributes: { key: value },
 *		scope: ["name", "version"]
 *	}
 */
#include "fmt/splunk/splunk_int.h"

enum { MAX_MEMBERS = 8 };

/* --- reading --- */

static const struct op_any *member(struct op_kvs kvs, const char *key)
{
	for (uint32_t i = 0; i < kvs.n; i++)
		if (op_view_is(kvs.p[i].key, key))
			return &kvs.p[i].value;
	return NULL;
}

static struct op_view text_at(const struct op_any *list, uint32_t i)
{
	if (!list || list->kind != OP_ANY_ARRAY || i >= list->n ||
	    list->array[i].kind != OP_ANY_STRING)
		return (struct op_view){ 0 };
	return list->array[i].bytes;
}

static int64_t int_of(const struct op_any *v)
{
	return v && v->kind == OP_ANY_INT ? v->num : 0;
}

static int64_t int_at(const struct op_any *list, uint32_t i)
{
	if (!list || list->kind != OP_ANY_ARRAY || i >= list->n)
		return 0;
	return int_of(&list->array[i]);
}

static void frames_read(struct op_splunk_head *h, const struct op_any *v)
{
	if (!v || v->kind != OP_ANY_STRING)
		return;
	h->has_frames = true;
	if (op_view_is(v->bytes, SPLUNK_FRAMES_1_4))
		h->frames = OP_SPLUNK_1_4;
	else
		h->has_frames = op_view_is(v->bytes, SPLUNK_FRAMES_2021);
}

struct op_splunk_head op_splunk_head_read(const struct op_scope *scope)
{
	const struct op_any *all = member(scope->attrs, SPLUNK_HEAD), *v;
	struct op_splunk_head h = { 0 };
	struct op_kvs kvs;

	if (!all || all->kind != OP_ANY_KVLIST)
		return h;
	h.is_there = true;
	kvs = (struct op_kvs){ all->kvlist, all->n };
	v = member(kvs, "index");
	for (uint32_t i = 0; i < op_countof(h.index); i++)
		h.index[i] = int_at(v, i);
	frames_read(&h, member(kvs, "frames"));
	v = member(kvs, "type");
	h.type = text_at(v, 0);
	h.unit = text_at(v, 1);
	v = member(kvs, "period");
	h.period_type = text_at(v, 0);
	h.period_unit = text_at(v, 1);
	h.period = int_at(v, 2);
	v = member(kvs, "time");
	h.time_ns = (uint64_t)int_at(v, 0);
	h.duration_ns = (uint64_t)int_at(v, 1);
	h.dropped_attrs = int_of(member(kvs, "dropped"));
	v = member(kvs, "attributes");
	if (v && v->kind == OP_ANY_KVLIST)
		h.attrs = (struct op_kvs){ v->kvlist, v->n };
	v = member(kvs, "scope");
	h.has_scope = v && v->kind == OP_ANY_ARRAY;
	h.scope_name = text_at(v, 0);
	h.scope_version = text_at(v, 1);
	return h;
}

/* --- writing --- */

/* Members of the head, and where their lists are put. */
struct heading {
	struct op_kv *p;
	uint32_t n;
	struct op_arena *mem;
};

static struct op_any *add(struct heading *h, const char *key)
{
	struct op_kv *kv = &h->p[h->n++];

	kv->key = op_view_z(key);
	return &kv->value;
}

/* A list of texts, to be filled in. */
static struct op_any *add_list(struct heading *h, const char *key, uint32_t n)
{
	struct op_any *v = add(h, key);

	v->kind = OP_ANY_ARRAY;
	v->array = op_new(h->mem, struct op_any, n);
	v->n = v->array ? n : 0;
	return v->array;
}

static struct op_any text_value(struct op_view v)
{
	struct op_any any = { .kind = OP_ANY_STRING };

	any.bytes = v;
	return any;
}

static struct op_any int_value(int64_t v)
{
	struct op_any any = { .kind = OP_ANY_INT };

	any.num = v;
	return any;
}

static void types_add(struct heading *h, const struct op_model *m,
		      const struct op_profile *p)
{
	struct op_any *list = add_list(h, "type", 2);

	if (list) {
		list[0] = text_value(op_string(m, p->sample_type.type));
		list[1] = text_value(op_string(m, p->sample_type.unit));
	}
	if (!p->period && !p->period_type.type && !p->period_type.unit)
		return;
	list = add_list(h, "period", 3);
	if (list) {
		list[0] = text_value(op_string(m, p->period_type.type));
		list[1] = text_value(op_string(m, p->period_type.unit));
		list[2] = int_value(p->period);
	}
}

static void times_add(struct heading *h, const struct op_profile *p)
{
	struct op_any *list;

	if (!p->time_ns && !p->duration_ns)
		return;
	list = add_list(h, "time", 2);
	if (list) {
		list[0] = int_value((int64_t)p->time_ns);
		list[1] = int_value((int64_t)p->duration_ns);
	}
}

static void attrs_add(struct heading *h, const struct op_model *m,
		      const struct op_profile *p)
{
	struct op_ids ids = op_list(&m->dict.sets, p->attrs);
	struct op_any *v;

	if (p->dropped_attrs)
		*add(h, "dropped") = int_value(p->dropped_attrs);
	if (!ids.n)
		return;
	v = add(h, "attributes");
	v->kind = OP_ANY_KVLIST;
	v->kvlist = op_new(h->mem, struct op_kv, ids.n);
	for (; v->kvlist && v->n < ids.n; v->n++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[v->n]];

		v->kvlist[v->n] = (struct op_kv){ .key = op_string(m, a->key),
						  .value = a->value };
	}
}

static void scope_add(struct heading *h, const struct op_scope *s)
{
	struct op_any *list;

	if (op_view_is(s->name, SPLUNK_SCOPE) &&
	    op_view_is(s->version, SPLUNK_VERSION))
		return;
	list = add_list(h, "scope", 2);
	if (list) {
		list[0] = text_value(s->name);
		list[1] = text_value(s->version);
	}
}

static void index_add(struct heading *h, const struct op_walk *w)
{
	struct op_any *list = add_list(h, "index", 3);

	if (list) {
		list[0] = int_value(w->r);
		list[1] = int_value(w->s);
		list[2] = int_value(w->p);
	}
}

bool op_splunk_head_write(const struct op_model *m, const struct op_walk *w,
			  uint32_t frames, struct op_arena *mem,
			  struct op_kv *out)
{
	struct heading h = { .p = op_new(mem, struct op_kv, MAX_MEMBERS),
			     .mem = mem };

	if (!h.p)
		return false;
	index_add(&h, w);
	if (frames != OP_NO_ID)
		*add(&h, "frames") = text_value(op_view_z(
			frames == OP_SPLUNK_2021 ? SPLUNK_FRAMES_2021 :
						   SPLUNK_FRAMES_1_4));
	types_add(&h, m, w->profile);
	times_add(&h, w->profile);
	attrs_add(&h, m, w->profile);
	scope_add(&h, w->scope);
	*out = (struct op_kv){ .key = op_view_z(SPLUNK_HEAD),
			       .value = { .kind = OP_ANY_KVLIST, .n = h.n } };
	out->value.kvlist = h.p;
	return !mem->err->code;
}
