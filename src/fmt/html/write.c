// SPDX-License-Identifier: Apache-2.0
/* fmt/html/write.c: a page that draws flame graphs, in one file.
 *
 * The page is ui/flame/flame.html, in which {{name}} stands for a part. Its
 * policy allows this style and this script by their hashes and nothing else,
 * no network either. */
#include "fmt/html/html_int.h"
#include "fmt/html/times.h"
#include "pb/json_write.h"
#include "sym/sha256.h"

#include <stdio.h>

/* Above that a page takes seconds to open. Observations are about 8 bytes each.
 */
enum { MANY_NODES = 2000000, MANY_OBSERVATIONS = 1000000 };

struct writer {
	const struct op_model *m;
	const struct op_write_opts *opts;
	struct op_page_opts page;
	struct op_buf style, script;
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

	op_graph_escape(&text, op_graph_title(w->m, &w->page.graph));
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
	hash_of(&text, op_view(w->style.p, w->style.n));
	put_buf(w, &text);
}

static void put_style(struct writer *w)
{
	put(w, op_view(w->style.p, w->style.n));
}

static void put_script(struct writer *w)
{
	put(w, op_view(w->script.p, w->script.n));
}

static void put_version(struct writer *w)
{
	put(w, op_view_z(OTPROF_VERSION));
}

static void note(const struct writer *w, const char *text)
{
	if (w->opts && w->opts->note)
		w->opts->note(w->opts->ctx, text);
}

static void put_data(struct writer *w)
{
	uint64_t nr = 0;

	if (!w->err->code &&
	    !op_html_data(w->m, &w->page, w->sink, &nr, w->err) &&
	    nr > MANY_NODES)
		note(w, "so many frames that the page opens slowly: "
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

/* Whether the page has observations: unless they are many, or as asked for. */
static int times_setting(struct writer *w)
{
	const char *const *settings = w->opts ? w->opts->settings : NULL;
	const char *times = op_setting(settings, "times");
	uint64_t nr = op_html_times_count(w->m);
	char text[160];

	if (times && strcmp(times, "yes") && strcmp(times, "no"))
		return op_fail(w->err, OP_EUSAGE,
			       "--times takes yes or no, not '%.40s'", times);
	w->page.has_times = nr &&
			    (times ? *times == 'y' : nr <= MANY_OBSERVATIONS);
	if (times || w->page.has_times || !nr)
		return OP_OK;
	snprintf(text, sizeof(text),
		 "the times of %llu observations are left out, and with them "
		 "the views of time: --times yes writes them",
		 (unsigned long long)nr);
	note(w, text);
	return OP_OK;
}

int op_html_write(const struct op_model *m, const struct op_write_opts *opts,
		  struct op_sink *out, struct op_err *err)
{
	struct writer w = { .m = m,
			    .opts = opts,
			    .style.err = err,
			    .script.err = err,
			    .sink = out,
			    .err = err };

	if (op_graph_settings(opts, &w.page.graph, err) || times_setting(&w))
		return err->code;
	op_page_style(&w.style, w.page.has_times);
	op_page_script(&w.script, w.page.has_times);
	put_page(&w, op_page_html_source());
	op_buf_free(&w.style);
	op_buf_free(&w.script);
	return err->code;
}
