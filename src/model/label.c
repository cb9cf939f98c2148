// SPDX-License-Identifier: Apache-2.0
/* model/label.c: the attributes behind the built-in labels. */
#include "model/label.h"

#include "model/any_text.h"
#include "model/semconv.h"

enum { MAX_KEYS = 6 };

static const struct {
	const char *name;
	enum op_label_kind kind;
	const char *keys[MAX_KEYS];
} builtin[] = {
	{ "type", OP_LABEL_TYPE, { 0 } },
	{ "event", OP_LABEL_EVENT, { 0 } },
	{ "service", OP_LABEL_SERVICE, { "service.name" } },
	{ "process",
	  OP_LABEL_PROCESS,
	  { "process.executable.name", "process.title", "process.command",
	    OP_ATTR_PID } },
	{ "thread",
	  OP_LABEL_THREAD,
	  { OP_ATTR_THREAD_NAME, OP_ATTR_THREAD_ID } },
	{ "state", OP_LABEL_STATE, { OP_ATTR_THREAD_STATE } },
	{ "class", OP_LABEL_CLASS, { "jfr.class", "firefox.class" } },
	{ "quality",
	  OP_LABEL_QUALITY,
	  { "otprof.stack.end", "perf.stack.end", "jfr.stack.truncated",
	    "thread.stack.truncated" } },
	{ "trace", OP_LABEL_TRACE, { "trace_id", "trace.id" } },
	{ "span", OP_LABEL_SPAN, { "span_id", "span.id" } },
	{ "function", OP_LABEL_FUNCTION, { 0 } },
	{ "line", OP_LABEL_LINE, { 0 } },
	{ "file", OP_LABEL_FILE, { 0 } },
	{ "module", OP_LABEL_MODULE, { 0 } },
};

struct op_label op_label_named(struct op_view name)
{
	for (size_t i = 0; i < op_countof(builtin); i++)
		if (op_view_is(name, builtin[i].name))
			return (struct op_label){ builtin[i].kind, name };
	return (struct op_label){ OP_LABEL_ATTRIBUTE, name };
}

/* The k-th key of a label; NULL: there are no more. */
static const char *builtin_key(struct op_label l, size_t k)
{
	for (size_t i = 0; i < op_countof(builtin); i++)
		if (builtin[i].kind == l.kind && k < MAX_KEYS)
			return builtin[i].keys[k];
	return NULL;
}

static const struct op_any *find(const struct op_model *m,
				 struct op_attr_source s, struct op_view key)
{
	struct op_ids ids = op_list(&m->dict.sets, s.set);

	for (uint32_t i = 0; s.kvs && i < s.kvs->n; i++)
		if (op_view_eq(op_kv_key(m, &s.kvs->p[i]), key))
			return &s.kvs->p[i].value;
	for (uint32_t i = 0; !s.kvs && i < ids.n; i++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[i]];

		if (op_view_eq(op_string(m, a->key), key))
			return &a->value;
	}
	return NULL;
}

/* False for "is the stack truncated" counts as absent. */
static bool counts(struct op_label l, const struct op_any *v)
{
	return v->kind != OP_ANY_NONE && !(l.kind == OP_LABEL_QUALITY &&
					   v->kind == OP_ANY_BOOL && !v->flag);
}

const struct op_any *op_label_value(const struct op_model *m, struct op_label l,
				    struct op_attr_source s, size_t *k)
{
	enum { OWN_NAME = MAX_KEYS, END };

	while (*k < END) {
		const char *key = builtin_key(l, *k);
		const struct op_any *v;

		if (key)
			v = find(m, s, op_view_z(key));
		else
			v = find(m, s, l.name);
		*k = key ? *k + 1 : END;
		if (v && counts(l, v))
			return v;
	}
	return NULL;
}

void op_label_value_text(struct op_buf *out, const struct op_model *m,
			 struct op_label l, const struct op_any *v)
{
	if (l.kind == OP_LABEL_QUALITY && v->kind == OP_ANY_BOOL)
		op_buf_z(out, "truncated");
	else
		op_any_plain(out, m, v);
}

bool op_label_text(struct op_buf *out, const struct op_model *m,
		   struct op_label l, struct op_attr_source s)
{
	size_t k = 0;
	const struct op_any *v = op_label_value(m, l, s, &k);
	bool has_id = l.kind == OP_LABEL_THREAD || l.kind == OP_LABEL_PROCESS;
	const struct op_any *last = NULL, *next;

	if (!v)
		return false;
	op_label_value_text(out, m, l, v);
	while (has_id && (next = op_label_value(m, l, s, &k)))
		last = next;
	/* The last key of both is numeric. */
	if (last && last->kind == OP_ANY_INT) {
		op_buf_z(out, " (");
		op_any_plain(out, m, last);
		op_buf_byte(out, ')');
	}
	return true;
}

/* Some writers fill what has no id with zeros. */
static bool is_id(struct op_view id)
{
	for (size_t i = 0; i < id.n; i++)
		if (id.p[i])
			return true;
	return false;
}

bool op_label_link_text(struct op_buf *out, const struct op_model *m,
			struct op_label l, uint32_t link)
{
	const struct op_link *x = &m->dict.links[link];
	struct op_view id = l.kind == OP_LABEL_TRACE ?
				    op_view(x->trace_id, x->trace_len) :
				    op_view(x->span_id, x->span_len);

	if (!is_id(id))
		return false;
	op_buf_hex(out, id);
	return true;
}

/* --- events --- */

/* Suffixes of attribute keys whose value is the name of an event: of
 * OP_ATTR_EVENT and of other tools. */
static const char *const event_keys[] = {
	"event",
	"event.type",
	"event_type",
};

static bool is_event_key(struct op_view key)
{
	for (size_t i = 0; i < op_countof(event_keys); i++)
		if (op_view_ends(key, event_keys[i]))
			return true;
	return false;
}

struct op_view op_profile_event(const struct op_model *m,
				const struct op_profile *p)
{
	struct op_ids ids = op_list(&m->dict.sets, p->attrs);

	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[i]];

		if (is_event_key(op_string(m, a->key)) &&
		    op_any_text(m, &a->value).n)
			return op_any_text(m, &a->value);
	}
	return (struct op_view){ 0 };
}

/* --- which there are --- */

struct search {
	struct op_label l;
	struct op_closest *closest;
	uint32_t nr_offered;
	bool found;
};

static void look_at(struct search *s, struct op_view key)
{
	enum { MAX_OFFERED = 10000 };

	for (size_t k = 0; builtin_key(s->l, k); k++)
		s->found |= op_view_is(key, builtin_key(s->l, k));
	s->found |= op_view_eq(key, s->l.name);
	if (!s->found && s->nr_offered++ < MAX_OFFERED)
		op_closest_offer(s->closest, key);
}

static void look_at_list(struct search *s, const struct op_model *m,
			 const struct op_kvs *kvs)
{
	for (uint32_t i = 0; i < kvs->n; i++)
		look_at(s, op_kv_key(m, &kvs->p[i]));
}

bool op_label_exists(const struct op_model *m, struct op_label l,
		     struct op_closest *closest)
{
	struct search s = { .l = l, .closest = closest };

	*closest = (struct op_closest){ .wanted = l.name };
	if (op_label_is_frame(l) || l.kind == OP_LABEL_TYPE ||
	    l.kind == OP_LABEL_EVENT)
		return true;
	for (size_t i = 0; i < op_countof(builtin); i++)
		if (l.kind == OP_LABEL_ATTRIBUTE)
			op_closest_offer(closest, op_view_z(builtin[i].name));
	if ((l.kind == OP_LABEL_TRACE || l.kind == OP_LABEL_SPAN) &&
	    m->dict.nr[OP_LINKS] > 1)
		return true;
	for (uint32_t i = 1; i < m->dict.nr[OP_ATTRS] && !s.found; i++)
		look_at(&s, op_string(m, m->dict.attrs[i].key));
	for (uint32_t r = 0; r < m->nr_resources && !s.found; r++) {
		look_at_list(&s, m, &m->resources[r].attrs);
		for (uint32_t k = 0; k < m->resources[r].nr_scopes; k++)
			look_at_list(&s, m, &m->resources[r].scopes[k].attrs);
	}
	return s.found;
}
