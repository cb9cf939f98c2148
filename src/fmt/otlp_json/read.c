// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/read.c: objects of OTLP/JSON into models, by way of the wire
 * format. */
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
	return op_model_deliver(&m, fn, ctx, err);
}

struct op_json_in op_otlp_json_begin(struct op_view in, struct op_err *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, no use here */
	struct op_json_in r = op_json_in(in, err);

	op_json_extract_word(&r, mark);
	return r;
}

int op_otlp_json_read(struct op_view v, const struct op_read_opts *opts,
		      op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_json_in in = op_otlp_json_begin(v, err);
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
