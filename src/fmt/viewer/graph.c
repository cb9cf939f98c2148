// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/graph.c: what flame graphs in HTML and SVG share. */
#include "fmt/viewer/graph.h"

#include "base/number.h"
#include "base/utf8.h"

static int width_parse(const char *s, double *least, struct op_err *err)
{
	struct op_view number = op_view_z(s);
	double v;

	number.n -= op_view_ends(number, "%");
	if (!op_number_parse(number, &v) || v >= 100)
		return op_fail(err, OP_EUSAGE,
			       "--min-width takes a percentage below 100, "
			       "not '%.40s'",
			       s);
	*least = v / 100;
	return OP_OK;
}

int op_graph_settings(const struct op_write_opts *opts,
		      struct op_graph_opts *out, struct op_err *err)
{
	const char *const *settings = opts ? opts->settings : NULL;
	const char *width = op_setting(settings, "min-width");

	out->title = op_setting(settings, "title");
	out->threads = op_setting(settings, "threads") != NULL;
	return width ? width_parse(width, &out->least, err) : OP_OK;
}

struct op_view op_graph_title(const struct op_model *m,
			      const struct op_graph_opts *opts)
{
	static const char *const keys[] = {
		"service.name",		"process.executable.name",
		"process.command",	"jfr.java.arguments",
		"process.runtime.name",
	};

	if (opts->title)
		return op_view_z(opts->title);
	for (size_t k = 0; m->nr_resources && k < op_countof(keys); k++) {
		const struct op_kvs *kvs = &m->resources[0].attrs;

		for (uint32_t i = 0; i < kvs->n; i++) {
			struct op_view v = op_any_text(m, &kvs->p[i].value);

			if (v.n &&
			    op_view_is(op_kv_key(m, &kvs->p[i]), keys[k]))
				return v;
		}
	}
	return op_view_z("Profile");
}

/* --- text --- */

/* Characters that XML does not have, which are more than control characters:
 * U+FFFE and U+FFFF are not either. */
static size_t bad_at(struct op_view v, size_t i)
{
	if (v.p[i] < ' ')
		return v.p[i] != '\t' && v.p[i] != '\n';
	if (v.n - i >= 3 && v.p[i] == 0xef && v.p[i + 1] == 0xbf &&
	    v.p[i + 2] >= 0xbe)
		return 3;
	return 0;
}

static const char *entity(uint8_t c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void escape_valid(struct op_buf *out, struct op_view v)
{
	size_t from = 0, bad;

	for (size_t i = 0; i < v.n; i++) {
		const char *as = entity(v.p[i]);

		bad = bad_at(v, i);
		if (!as && !bad)
			continue;
		op_buf_view(out, op_view(v.p + from, i - from));
		op_buf_z(out, as ? as : "\xef\xbf\xbd");
		i += bad ? bad - 1 : 0;
		from = i + 1;
	}
	op_buf_view(out, op_view(v.p + from, v.n - from));
}

void op_graph_escape(struct op_buf *out, struct op_view v)
{
	while (v.n) {
		size_t n = op_utf8_prefix(v), bad;

		escape_valid(out, op_view(v.p, n));
		v = op_view(v.p + n, v.n - n);
		if (!v.n)
			break;
		op_buf_z(out, "\xef\xbf\xbd");
		bad = op_utf8_bad(v);
		v = op_view(v.p + bad, v.n - bad);
	}
}
