// SPDX-License-Identifier: Apache-2.0
/* fmt/html/write.c: a page that draws flame graphs, in one file.
 *
 * The page is ui/flame/flame.html, in which {{name}} stands for a part. Its
 * policy allows this style and this script by their hashes and nothing else,
 * no network either. */
#include "fmt/html/html_int.h"
#include "pb/json_write.h"
#include "sym/sha256.h"

/* Above that a page takes seconds to open. */
enum { MANY_NODES = 2000000 };

struct writer {
	const struct op_model *m;
	const struct op_write_opts *opts;
	struct op_graph_opts graph;
	struct op_buf script;
	struct op_sink *sink;
	struct op_err *err;
};

static void put(struct writer *w, struct op_view v)
{
	if (!w->err->code && v.n)
		w->sink->write(w->sink, v, w->err);
}

static void put_buf(struct writer *w, struct op_buf *b)
{
	put(w, op_view(b->p, b->n));
	op_buf_free(b);
}

/* --- parts --- */

static void put_title(struct writer *w)
{
	struct op_buf text = { .err = w->err };

	op_graph_escape(&text, op_graph_title(w->m, &w->graph));
	put_buf(w, &text);
}

/* 'sha256-...' of a text, as a policy has it. */
static void hash_of(struct op_buf *out, struct op_view v)
{
	struct op_buf text = { .err = out->err };
	struct op_json json = { .out = &text };
	uint8_t hash[OP_SHA256_BYTES];
	struct op_sha256 s;

	op_sha256_init(&s);
	op_sha256_add(&s, v);
	op_sha256_end(&s, hash);
	op_json_base64(&json, op_view(hash, sizeof(hash)));
	op_buf_z(out, " 'sha256-");
	if (!out->err->code) /* without the quotes of JSON */
		op_buf_view(out, op_view(text.p + 1, text.n - 2));
	op_buf_z(out, "'");
	op_buf_free(&text);
}

static void put_policy(struct writer *w)
{
	struct op_buf text = { .err = w->err };

	op_buf_z(&text, "default-src 'none'; base-uri 'none'; script-src");
	hash_of(&text, op_view(w->script.p, w->script.n));
	op_buf_z(&text, "; style-src");
	hash_of(&text, op_page_style());
	put_buf(w, &text);
}

static void put_style(struct writer *w)
{
	put(w, op_page_style());
}

static void put_script(struct writer *w)
{
	put(w, op_view(w->script.p, w->script.n));
}

static void put_version(struct writer *w)
{
	put(w, op_view_z(OTPROF_VERSION));
}

static void put_data(struct writer *w)
{
	uint64_t nr = 0;

	if (w->err->code || op_html_data(w->m, &w->graph, w->sink, &nr, w->err))
		return;
	if (nr > MANY_NODES && w->opts && w->opts->note)
		w->opts->note(w->opts->ctx,
			      "so many frames that the page opens slowly: "
			      "--min-width 0.01 leaves out the smallest");
}

static const struct {
	const char *name;
	void (*put)(struct writer *w);
} parts[] = {
	{ "policy", put_policy }, { "version", put_version },
	{ "title", put_title },	  { "style", put_style },
	{ "script", put_script }, { "data", put_data },
};

/* --- the page --- */

static void put_part(struct writer *w, struct op_view name)
{
	for (size_t i = 0; i < op_countof(parts); i++)
		if (op_view_is(name, parts[i].name))
			parts[i].put(w);
}

static void put_page(struct writer *w, struct op_view page)
{
	while (page.n) {
		const uint8_t *open = memmem(page.p, page.n, "{{", 2);
		const uint8_t *end = page.p + page.n, *close;

		if (!open) {
			put(w, page);
			return;
		}
		put(w, op_view(page.p, (size_t)(open - page.p)));
		open += 2;
		close = memmem(open, (size_t)(end - open), "}}", 2);
		if (!close)
			return;
		put_part(w, op_view(open, (size_t)(close - open)));
		page = op_view(close + 2, (size_t)(end - close - 2));
	}
}

int op_html_write(const struct op_model *m, const struct op_write_opts *opts,
		  struct op_sink *out, struct op_err *err)
{
	struct writer w = {
		.m = m, .opts = opts, .script.err = err, .sink = out, .err = err
	};

	if (op_graph_settings(opts, &w.graph, err))
		return err->code;
	op_page_script(&w.script);
	put_page(&w, op_page_html_source());
	op_buf_free(&w.script);
	return err->code;
}
