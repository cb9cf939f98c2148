// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/json_sink.c: JSON written to a sink piece by piece. */
#include "fmt/viewer/json_sink.h"

#include <stdio.h>

#include "pb/json_extract.h"

enum { BUFFER = 64 * 1024 };

static void spill(struct op_json *json)
{
	struct op_json_sink *s = (struct op_json_sink *)json;

	if (!s->buf.err->code)
		s->sink->write(s->sink, op_view(s->buf.p, s->buf.n),
			       s->buf.err);
	s->buf.n = 0;
}

int op_json_sink_open(struct op_json_sink *s, struct op_sink *sink,
		      struct op_err *err)
{
	*s = (struct op_json_sink){ .sink = sink, .buf.err = err };
	s->json.out = &s->buf;
	s->json.spill = spill;
	op_buf_reserve(&s->buf, BUFFER);
	return err->code;
}

int op_json_sink_close(struct op_json_sink *s)
{
	struct op_err *err = s->buf.err;

	op_buf_byte(&s->buf, '\n');
	spill(&s->json);
	op_buf_free(&s->buf);
	return err->code;
}

void op_json_decimal(struct op_json *w, uint64_t v, unsigned int digits)
{
	static const uint32_t powers[] = { 1,	      10,	100,
					   1000,      10000,	100000,
					   1000000,   10000000, 100000000,
					   1000000000 };
	uint8_t *p = op_json_begin(w, 2 * OP_DIGITS_ROOM);
	uint64_t rest = v % powers[digits];

	if (!p)
		return;
	p = op_put_digits(p, v / powers[digits]);
	if (rest) {
		*p++ = '.';
		while (rest) {
			digits--;
			*p++ = (uint8_t)('0' + rest / powers[digits]);
			rest %= powers[digits];
		}
	}
	op_json_end(w, p);
}

void op_json_key_open(struct op_json *w, const char *key, char bracket)
{
	op_json_key(w, key);
	op_json_open(w, bracket);
}

void op_json_key_uint(struct op_json *w, const char *key, uint64_t v)
{
	op_json_key(w, key);
	op_json_uint(w, v);
}

void op_json_key_z(struct op_json *w, const char *key, const char *v)
{
	op_json_key(w, key);
	op_json_z(w, v);
}

void op_json_key_text(struct op_json *w, const char *key, struct op_view v)
{
	op_json_key(w, key);
	op_json_string(w, v);
}

/* --- flame charts --- */

static size_t common(const struct op_id_vec *a, const struct op_id_vec *b)
{
	size_t n = a->n < b->n ? a->n : b->n, i = 0;

	while (i < n && a->p[i] == b->p[i])
		i++;
	return i;
}

void op_chart(struct op_frames *f, const struct op_track *t, op_chart_fn *fn,
	      void *ctx)
{
	struct op_arena mem = { .err = f->err };
	struct op_id_vec open = { 0 }, next = { 0 };
	uint64_t now = 0;

	for (size_t i = 0; i <= t->spans.n && !f->err->code; i++) {
		const struct op_span *s = &t->spans.p[i];
		bool is_end = i == t->spans.n;
		struct op_id_vec swap = open;
		size_t same;

		next.n = 0;
		if (!is_end && s->from == s->to)
			continue;
		if (!is_end)
			op_frames_stack(f, s->stack, &mem, &next);
		same = is_end || s->from != now ? 0 : common(&open, &next);
		for (size_t k = open.n; k-- > same && !f->err->code;)
			fn(ctx, false, open.p[k], now);
		for (size_t k = same; k < next.n && !f->err->code; k++)
			fn(ctx, true, next.p[k], s->from);
		if (!is_end)
			now = s->to;
		open = next;
		next = swap;
	}
	op_arena_free(&mem);
}

struct op_view op_process_name(const struct op_model *m,
			       const struct op_resource *r)
{
	static const char *const keys[] = { "process.title", "service.name",
					    "process.executable.name" };

	for (size_t i = 0; i < op_countof(keys); i++)
		for (uint32_t k = 0; k < r->attrs.n; k++) {
			const struct op_kv *kv = &r->attrs.p[k];
			struct op_view text = op_any_text(m, &kv->value);

			if (text.n && op_view_is(op_kv_key(m, kv), keys[i]))
				return text;
		}
	return (struct op_view){ 0 };
}

bool op_process_id(const struct op_model *m, const struct op_resource *r,
		   int64_t *out)
{
	for (uint32_t i = 0; i < r->attrs.n; i++) {
		const struct op_kv *kv = &r->attrs.p[i];

		if (!op_view_is(op_kv_key(m, kv), "process.pid"))
			continue;
		if (kv->value.kind == OP_ANY_INT)
			*out = kv->value.num;
		return kv->value.kind == OP_ANY_INT ||
		       op_text_number(op_any_text(m, &kv->value), out);
	}
	return false;
}

static size_t put_printable(char *out, struct op_view v)
{
	size_t n = v.n < 60 ? v.n : 60;

	for (size_t i = 0; i < n; i++)
		out[i] = v.p[i] < ' ' || v.p[i] > '~' ? '?' : (char)v.p[i];
	return n;
}

struct op_type_text op_type_text(const struct op_model *m,
				 const struct op_profile *p)
{
	struct op_type_text t = { 0 };
	size_t n = put_printable(t.s, op_string(m, p->sample_type.type));

	t.s[n++] = '/';
	put_printable(t.s + n, op_string(m, p->sample_type.unit));
	return t;
}

void op_note_lost(const struct op_write_opts *opts, uint64_t nr)
{
	char text[100];

	if (!nr || !opts || !opts->note)
		return;
	snprintf(text, sizeof(text), "%llu negative observation%s left out",
		 (unsigned long long)nr, nr == 1 ? "" : "s");
	opts->note(opts->ctx, text);
}
