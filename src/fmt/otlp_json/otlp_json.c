// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/otlp_json.c: files of OTLP/JSON: one object, or several behind
 * one another, on lines of their own or not. */
#include "fmt/otlp_json/otlp_json_int.h"

#include "fmt/otlp/otlp.h"
#include "fmt/otlp_json/transcode.h"

static void wire_free(void *p, size_t n)
{
	(void)n;
	op_heap_free(p);
}

/* Says where in the text a failure of the decoder is. */
static void place_error(struct op_json_in start, const struct op_json_wire *w,
			struct op_err *err)
{
	if (err->has_at)
		err->at = (uint64_t)(op_json_place(start, w, err->at) -
				     start.base);
}

/* Decodes the wire, which the model then owns. */
static int decode(struct op_json_wire *w, const struct op_read_opts *opts,
		  struct op_model *m, struct op_err *err)
{
	struct op_otlp_opts o = { .unchecked = opts && opts->unchecked,
				  .dialect = op_json_dialect(w->layout) };

	if (op_otlp_decode(m, op_view(w->out.p, w->out.n), &o, err))
		return err->code;
	if (op_model_own(m, wire_free, w->out.p, w->out.n, err))
		return err->code;
	w->out = (struct op_buf){ .err = err };
	if (w->mixed)
		m->dialect_note = "it has keys that no release has together";
	return OP_OK;
}

/* The buffer grows with what is put in; this is where it begins. Most files
 * are one object, whose wire takes a third of its text, so that the first
 * object gets room for all; others begin small, since they may be many. */
static void wire_begin(struct op_json_wire *w, size_t text_bytes, bool is_first)
{
	enum { SMALL = 1 << 20 };
	size_t n = text_bytes / 2;

	if (!is_first && n > SMALL)
		n = SMALL;
	if (w->out.limit && w->out.limit < n)
		n = w->out.limit;
	if (op_buf_reserve(&w->out, n))
		op_heap_hint(w->out.p, w->out.cap);
}

/* Reads the object that in stands at. */
static int object(struct op_json_in *in, const struct op_read_opts *opts,
		  op_model_fn *fn, void *ctx)
{
	struct op_err *err = in->err;
	size_t quota = opts ? opts->mem_quota : 0;
	struct op_json_wire w = { .out = { .limit = quota, .err = err },
				  .root = DATA };
	struct op_model m = { .mem.quota = quota };
	struct op_json_in start = *in;

	wire_begin(&w, (size_t)(in->end - in->p), in->p == in->base);
	if (!op_json_transcode(in, &w) && decode(&w, opts, &m, err))
		place_error(start, &w, err);
	op_buf_free(&w.out);
	if (err->code) {
		op_model_free(&m);
		return err->code;
	}
	return fn(ctx, &m, err);
}

static struct op_json_in begin(struct op_view in, struct op_err *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, no use here */
	struct op_json_in r = op_json_in(in, err);

	op_json_extract_word(&r, mark);
	return r;
}

static int json_read(struct op_view v, const struct op_read_opts *opts,
		     op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_json_in in = begin(v, err);
	int c = op_json_peek(&in);

	do {
		if (c != '{')
			op_json_bad(&in, in.p, "expected a JSON object");
		else
			object(&in, opts, fn, ctx);
		c = op_json_peek(&in);
	} while (in.p < in.end && !err->code);
	return err->code;
}

static bool is_ours(struct op_view key)
{
	return op_json_field_find(&op_json_messages[DATA], key, 0) >= 0;
}

/* Looks at the keys at the top as far as the first bytes show them. */
static int json_sniff(struct op_view v)
{
	enum { FIRST = 4096 };
	struct op_err ignored = { 0 };
	struct op_json_in in = begin(op_view(v.p, v.n < FIRST ? v.n : FIRST),
				     &ignored);
	bool first = true;

	if (op_json_peek(&in) != '{')
		return 0;
	in.p++;
	while (op_json_more(&in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(&in);

		if (is_ours(key.raw))
			return 90;
		op_json_skip(&in);
	}
	return first && !ignored.code ? 5 : 0;
}

static int json_write(const struct op_model *m,
		      const struct op_write_opts *opts, struct op_sink *out,
		      struct op_err *err)
{
	const char *style = op_setting(opts ? opts->settings : NULL, "style");

	if (style && strcmp(style, "pretty") && strcmp(style, "compact") &&
	    strcmp(style, "lines"))
		return op_fail(
			err, OP_EUSAGE,
			"--style takes pretty, compact or lines, not '%s'",
			style);
	return op_otlp_json_write(m, style && !strcmp(style, "pretty"), out,
				  err);
}

static const struct op_format_opt settings[] = {
	{ "style", "pretty|compact|lines",
	  "indented, or one line per message; default: compact", true },
	{ 0 },
};

const struct op_format op_format_otlp_json = {
	.name = "otlp-json",
	.summary = "OTLP profiles, JSON; reads every version since v1.4",
	.endings = { ".otlp.json", ".jsonl", ".json" },
	.is_otlp = true,
	.opts = settings,
	.copies = true,
	.sniff = json_sniff,
	.read = json_read,
	.write = json_write,
};
