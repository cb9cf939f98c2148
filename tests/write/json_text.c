// SPDX-License-Identifier: Apache-2.0
#include "write/json_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "fmt/otlp/otlp.h"

void json_set(struct json_text *t, const char *text)
{
	*t = (struct json_text){ 0 };
	for (; *text; text++) {
		if (t->n == sizeof(t->p)) {
			fprintf(stderr, "json text: too long\n");
			abort();
		}
		if (*text == '^')
			t->mark = t->n;
		else
			t->p[t->n++] = *text == '\'' ? '"' : *text;
	}
}

static int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	struct op_model *out = ctx;

	if (out->dict.strings) {
		op_model_free(m);
		return op_fail(err, OP_EUSAGE, "more than one message");
	}
	*out = *m;
	return OP_OK;
}

int json_read(struct op_model *m, struct op_view text,
	      const struct op_read_opts *opts, struct op_err *err)
{
	uint8_t *copy = malloc(text.n ? text.n : 1);

	if (!copy)
		abort();
	memcpy(copy, text.p, text.n);
	*m = (struct op_model){ 0 };
	*err = (struct op_err){ 0 };
	if (op_format_otlp_json.read(op_view(copy, text.n), opts, keep, m, err))
		op_model_free(m);
	free(copy);
	return err->code;
}

struct buf_sink {
	struct op_sink sink;
	struct op_buf *out;
};

static int to_buf(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	op_buf_view(((struct buf_sink *)sink)->out, v);
	return err->code;
}

int json_write(const struct op_model *m, const char *style, struct op_buf *out)
{
	struct buf_sink sink = { { to_buf }, out };
	char setting[64];
	const char *settings[] = { setting, NULL };
	struct op_write_opts opts = { .settings = settings };

	snprintf(setting, sizeof(setting), "style=%s", style ? style : "");
	return op_format_otlp_json.write(m, style ? &opts : NULL, &sink.sink,
					 out->err);
}

bool json_same(const struct op_model *a, const struct op_model *b)
{
	struct op_err err = { 0 };
	struct op_pbw x = { .err = &err }, y = { .err = &err };
	bool same = !op_otlp_encode(a, &x) && !op_otlp_encode(b, &y) &&
		    op_view_eq(op_pbw_result(&x), op_pbw_result(&y));

	op_pbw_free(&x);
	op_pbw_free(&y);
	return same;
}
