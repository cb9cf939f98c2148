// SPDX-License-Identifier: Apache-2.0
#include "write/sketch.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORD = 128, MOST = 16 };

/* The next word of a line into out; false at its end. */
static bool word_next(const char **s, char *out)
{
	size_t n;

	while (**s == ' ')
		(*s)++;
	n = strcspn(*s, " \n");
	if (!n || n >= WORD)
		return false;
	memcpy(out, *s, n);
	out[n] = 0;
	*s += n;
	return true;
}

static uint32_t attr_put(struct op_builder *b, const char *word)
{
	size_t n = strcspn(word, "=");
	struct op_any v = { .kind = OP_ANY_STRING };

	v.bytes = op_view_z(word + n + 1);
	return op_build_attr(b, op_view(word, n), &v, (struct op_view){ 0 },
			     NULL);
}

static uint32_t frame_put(struct op_builder *b, const char *name, size_t n)
{
	struct op_function f = { .name = op_build_string(b, op_view(name, n)) };
	struct op_line line = { .function = op_build_function(b, &f) };
	struct op_location loc = { 0 };

	return op_build_location(b, &loc, &line, 1);
}

/* "a;b;c" from the root, turned to leaf first. */
static uint32_t stack_put(struct op_builder *b, const char *text)
{
	uint32_t ids[MOST];
	uint32_t n = 0;

	if (!strcmp(text, "-"))
		return 0;
	for (size_t len; *text && n < MOST; text += len + (text[len] == ';')) {
		len = strcspn(text, ";");
		ids[MOST - ++n] = frame_put(b, text, len);
	}
	return op_build_stack(b, ids + MOST - n, n);
}

static uint32_t link_put(struct op_builder *b, int number)
{
	struct op_link link = { .trace_len = 16, .span_len = 8 };

	link.trace_id[0] = link.span_id[0] = (uint8_t)number;
	return op_build_link(b, &link);
}

static void observe(struct op_builder *b, uint32_t profile, uint32_t sample,
		    const char *word)
{
	char *end;
	int64_t value = strtoll(word, &end, 10);

	if (*end == '@')
		op_build_observe(b, profile, sample, value,
				 strtoull(end + 1, NULL, 10));
	else
		op_build_add(b, profile, sample, value);
}

/* A line: the identity first, because its parts may stand behind values. */
static const char *sample_put(struct op_builder *b, uint32_t profile,
			      const char *line)
{
	struct op_identity id = { 0 };
	uint32_t attrs[MOST], nr_attrs = 0, sample;
	char word[WORD];
	const char *s = line;

	if (!word_next(&s, word))
		return line + strlen(line);
	id.stack = stack_put(b, word);
	while (word_next(&s, word)) {
		if (*word == '#')
			id.link = link_put(b, (int)strtol(word + 1, NULL, 10));
		else if (strchr(word, '='))
			attrs[nr_attrs++] = attr_put(b, word);
	}
	id.set = op_build_set(b, attrs, nr_attrs);
	sample = op_build_sample(b, profile, id);
	s = line;
	word_next(&s, word);
	while (word_next(&s, word))
		if (*word != '#' && !strchr(word, '='))
			observe(b, profile, sample, word);
	return s + (*s == '\n');
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static uint32_t resource_put(struct op_builder *b, const char *attrs)
{
	struct op_resource r = { 0 };
	struct op_kv kvs[MOST];
	char words[MOST][WORD];

	memset(kvs, 0, sizeof(kvs));
	while (attrs && word_next(&attrs, words[r.attrs.n])) {
		const char *w = words[r.attrs.n];
		struct op_kv *kv = &kvs[r.attrs.n++];

		kv->key = op_view(w, strcspn(w, "="));
		kv->value.kind = OP_ANY_STRING;
		kv->value.bytes = op_view_z(w + kv->key.n + 1);
	}
	r.attrs.p = kvs;
	return op_build_resource(b, &r, NULL);
}

static void profile_put(struct op_builder *b, const struct sketch *s,
			uint32_t scope)
{
	struct op_profile head = {
		.period = s->period,
		.time_ns = s->time_ns,
		.duration_ns = s->duration_ns,
		.id_len = s->id ? 16 : 0,
		.id = { s->id },
	};
	const char *attrs = s->attrs;
	const char *line = s->samples;
	char word[WORD];
	uint32_t p;

	head.sample_type.type = op_build_string(b, op_view_z(s->type ? s->type :
								       "cpu"));
	head.sample_type.unit = op_build_string(
		b, op_view_z(s->unit ? s->unit : "nanoseconds"));
	head.period_type.type = op_build_string(b, op_view_z(s->period_type));
	head.period_type.unit = op_build_string(b, op_view_z(s->period_unit));
	while (attrs && word_next(&attrs, word))
		head.attrs = op_build_set_with(b, head.attrs,
					       attr_put(b, word));
	p = op_build_profile(b, scope, &head);
	while (line && *line)
		line = sample_put(b, p, line);
}

int sketch_model(struct op_model *m, const struct sketch *s, size_t n,
		 struct op_err *err)
{
	uint32_t resource = 0, scope = 0;
	struct op_builder b;

	if (op_builder_init(&b, m, err))
		return err->code;
	for (size_t i = 0; i < n && !err->code; i++) {
		struct op_scope head = { .name = op_view_z(s[i].scope) };
		bool again = i && same(s[i].resource, s[i - 1].resource);

		if (!again)
			resource = resource_put(&b, s[i].resource);
		if (!again || !same(s[i].scope, s[i - 1].scope))
			scope = op_build_scope(&b, resource, &head, NULL);
		if (!err->code)
			profile_put(&b, &s[i], scope);
	}
	return op_builder_finish(&b);
}

void sketch_one(struct op_model *m, const struct sketch *s)
{
	struct op_err err = { 0 };

	*m = (struct op_model){ 0 };
	if (sketch_model(m, s, 1, &err)) {
		fprintf(stderr, "sketch: %s\n", err.text);
		abort();
	}
}

/* --- back to text --- */

static int line_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Puts pieces into a buffer in order. */
static void put_sorted(struct op_buf *b, char **pieces, size_t n)
{
	qsort(pieces, n, sizeof(*pieces), line_cmp);
	for (size_t i = 0; i < n; i++) {
		op_buf_z(b, pieces[i]);
		free(pieces[i]);
	}
	free(pieces);
}

static char *take(struct op_buf *b)
{
	char *s;

	op_buf_byte(b, 0);
	s = b->p ? strdup((char *)b->p) : NULL;
	op_buf_free(b);
	if (!s)
		abort();
	return s;
}

static void put_view(struct op_buf *b, struct op_view v)
{
	op_buf_view(b, v);
}

static void put_value(struct op_buf *b, const struct op_model *m,
		      const struct op_any *v)
{
	if (v->kind == OP_ANY_STRING || v->kind == OP_ANY_STRING_ID)
		put_view(b, op_any_text(m, v));
	else if (v->kind == OP_ANY_INT)
		op_buf_printf(b, "%lld", (long long)v->num);
	else if (v->kind == OP_ANY_BOOL)
		op_buf_z(b, v->flag ? "true" : "false");
	else
		op_buf_printf(b, "(kind %u, %u elements)", v->kind, v->n);
	for (uint32_t i = 0; v->kind == OP_ANY_ARRAY && i < v->n; i++) {
		op_buf_byte(b, i ? ',' : ':');
		put_value(b, m, &v->array[i]);
	}
}

static void put_set(struct op_buf *b, const struct op_model *m, uint32_t set)
{
	struct op_ids ids = op_list(&m->dict.sets, set);
	char **words = calloc(ids.n + 1, sizeof(*words));

	if (!words)
		abort();
	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[i]];
		struct op_buf one = { .err = b->err };

		op_buf_byte(&one, ' ');
		put_view(&one, op_string(m, a->key));
		op_buf_byte(&one, '=');
		put_value(&one, m, &a->value);
		if (a->unit)
			op_buf_byte(&one, '/');
		put_view(&one, op_string(m, a->unit));
		words[i] = take(&one);
	}
	put_sorted(b, words, ids.n);
}

static void put_stack(struct op_buf *b, const struct op_model *m, uint32_t id)
{
	const struct op_dict *d = &m->dict;
	struct op_ids ids = op_list(&d->stacks, id);

	if (!ids.n)
		op_buf_byte(b, '-');
	for (uint32_t i = ids.n; i--;) {
		const struct op_location *l = &d->locations[ids.p[i]];

		for (uint32_t k = l->nr_lines; k--;) {
			const struct op_line *n = &d->lines[l->first_line + k];
			uint32_t name = d->functions[n->function].name;

			put_view(b, op_string(m, name));
			if (k)
				op_buf_byte(b, '>');
		}
		if (!l->nr_lines)
			op_buf_printf(b, "0x%llx",
				      (unsigned long long)l->address);
		if (i)
			op_buf_byte(b, ';');
	}
}

static char *sample_text(const struct op_model *m, const struct op_profile *p,
			 uint32_t i)
{
	struct op_values values = op_sample_values(p, i);
	struct op_times times = op_sample_times(p, i);
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };

	op_buf_byte(&b, '\t');
	put_stack(&b, m, p->stack[i]);
	for (uint32_t k = 0; k < values.n || k < times.n; k++) {
		op_buf_byte(&b, ' ');
		if (k < values.n)
			op_buf_printf(&b, "%lld", (long long)values.p[k]);
		if (k < times.n)
			op_buf_printf(&b, "@%llu",
				      (unsigned long long)times.p[k]);
	}
	put_set(&b, m, p->set[i]);
	if (p->link[i])
		op_buf_printf(&b, " #%u",
			      m->dict.links[p->link[i]].trace_id[0]);
	op_buf_byte(&b, '\n');
	return take(&b);
}

static void put_profile(struct op_buf *b, const struct op_model *m,
			const struct op_profile *p)
{
	char **lines = calloc(p->nr_samples + 1, sizeof(*lines));

	if (!lines)
		abort();
	op_buf_z(b, "profile ");
	put_view(b, op_string(m, p->sample_type.type));
	op_buf_byte(b, '/');
	put_view(b, op_string(m, p->sample_type.unit));
	if (p->period)
		op_buf_printf(b, " period %lld", (long long)p->period);
	if (p->time_ns || p->duration_ns)
		op_buf_printf(b, " %llu+%llu", (unsigned long long)p->time_ns,
			      (unsigned long long)p->duration_ns);
	if (p->id_len)
		op_buf_printf(b, " id %u", p->id[0]);
	put_set(b, m, p->attrs);
	op_buf_byte(b, '\n');
	for (uint32_t i = 0; i < p->nr_samples; i++)
		lines[i] = sample_text(m, p, i);
	put_sorted(b, lines, p->nr_samples);
}

const char *sketch_text(const struct op_model *m)
{
	static char texts[2][16384];
	static unsigned int turn;
	char *out = texts[turn++ % 2];
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	char *s;

	for (uint32_t r = 0; r < m->nr_resources; r++) {
		const struct op_resource *res = &m->resources[r];

		op_buf_z(&b, "resource");
		for (uint32_t i = 0; i < res->attrs.n; i++) {
			op_buf_byte(&b, ' ');
			put_view(&b, op_kv_key(m, &res->attrs.p[i]));
			op_buf_byte(&b, '=');
			put_value(&b, m, &res->attrs.p[i].value);
		}
		op_buf_byte(&b, '\n');
		for (uint32_t k = 0; k < res->nr_scopes; k++) {
			const struct op_scope *scope = &res->scopes[k];

			op_buf_z(&b, "scope ");
			put_view(&b, scope->name);
			op_buf_byte(&b, '\n');
			for (uint32_t p = 0; p < scope->nr_profiles; p++)
				put_profile(&b, m, &scope->profiles[p]);
		}
	}
	s = take(&b);
	snprintf(out, sizeof(texts[0]), "%s", s);
	free(s);
	return out;
}
