// SPDX-License-Identifier: Apache-2.0
#include "write/page.h"

#include "base/utf8.h"

struct buf_sink {
	struct op_sink sink;
	struct op_buf *out;
};

static int to_buf(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	op_buf_view(((struct buf_sink *)sink)->out, v);
	return err->code;
}

int page_write(const struct op_model *m, const struct op_format *f,
	       const char *const *settings, struct op_buf *out)
{
	struct buf_sink sink = { { to_buf }, out };
	struct op_write_opts opts = { .settings = settings };

	return f->write(m, &opts, &sink.sink, out->err);
}

static const uint8_t *find(struct op_view v, const char *text)
{
	return memmem(v.p, v.n, text, strlen(text));
}

static struct op_view rest(struct op_view v, const uint8_t *from)
{
	return op_view(from, (size_t)(v.p + v.n - from));
}

struct op_view page_data(struct op_view page)
{
	static const char begin[] = "id=\"data\">", end[] = "</script>";
	const uint8_t *from = find(page, begin), *to;

	if (!from)
		return (struct op_view){ 0 };
	page = rest(page, from + strlen(begin));
	to = find(page, "<");
	if (!to || find(page, end) != to)
		return (struct op_view){ 0 };
	return op_view(page.p, (size_t)(to - page.p));
}

/* --- XML --- */

static bool has_bad_char(struct op_view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] < ' ' && v.p[i] != '\n' && v.p[i] != '\t')
			return true;
	return find(v, "\xef\xbf\xbe") || find(v, "\xef\xbf\xbf");
}

/* An ampersand begins one of the five that every parser knows. */
static bool entity_ok(struct op_view v)
{
	static const char *const known[] = { "&lt;", "&gt;", "&amp;", "&quot;",
					     "&#39;" };

	for (size_t i = 0; i < op_countof(known); i++)
		if (find(op_view(v.p, v.n < 6 ? v.n : 6), known[i]) == v.p)
			return true;
	return false;
}

/* A start tag: up to the > that is not in quotes; NULL: none. */
static const uint8_t *tag_end(struct op_view v)
{
	bool quoted = false;

	for (size_t i = 1; i < v.n; i++) {
		if (v.p[i] == '"')
			quoted = !quoted;
		else if (v.p[i] == '<')
			return NULL;
		else if (v.p[i] == '>' && !quoted)
			return v.p + i;
	}
	return NULL;
}

static struct op_view tag_name(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *from = p;

	while (p < end && *p != ' ' && *p != '/' && *p != '>')
		p++;
	return op_view(from, (size_t)(p - from));
}

bool page_is_xml(struct op_view v)
{
	enum { MOST = 8 };
	struct op_view open[MOST];
	size_t depth = 0;

	if (!op_utf8_valid(v) || has_bad_char(v) || find(v, "<?xml ") != v.p)
		return false;
	v = rest(v, find(v, "?>") + 2);
	while (v.n) {
		const uint8_t *end;

		if (find(op_view(v.p, v.n < 9 ? v.n : 9), "<![CDATA[") == v.p) {
			end = find(v, "]]>");
			v = rest(v, end + 3);
			continue;
		}
		if (*v.p == '&' && !entity_ok(v))
			return false;
		if (*v.p != '<') {
			v = rest(v, v.p + 1);
			continue;
		}
		end = tag_end(v);
		if (!end)
			return false;
		if (v.p[1] == '/') {
			if (!depth ||
			    !op_view_eq(tag_name(v.p + 2, end), open[--depth]))
				return false;
		} else if (end[-1] != '/') {
			if (depth == MOST)
				return false;
			open[depth++] = tag_name(v.p + 1, end);
		}
		v = rest(v, end + 1);
	}
	return !depth;
}
