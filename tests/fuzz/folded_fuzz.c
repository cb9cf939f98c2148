// SPDX-License-Identifier: Apache-2.0
/* Any bytes as folded stacks.
 *
 * What can be read keeps the invariants of the model. Written with
 * annotations and read again it is the same model, to the byte as OTLP;
 * written plainly it has the same total, unless a sum reached the end of
 * int64_t. */
#include "fmt/format.h"
#include "fmt/otlp/otlp.h"
#include "fuzz/prop.h"
#include "model/merge.h"

struct memory {
	struct op_sink sink;
	struct op_buf buf;
	bool left_out; /* some type was */
};

static int memory_write(struct op_sink *sink, struct op_view v,
			struct op_err *err)
{
	struct memory *s = (struct memory *)sink;

	op_buf_view(&s->buf, v);
	return err->code;
}

static void note(void *ctx, const char *text)
{
	PROP(*text);
	((struct memory *)ctx)->left_out = true;
}

static int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	*(struct op_model *)ctx = *m;
	return err->code;
}

static bool read_all(struct op_model *m, struct op_view v)
{
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA };
	struct op_err err = { 0 };

	*m = (struct op_model){ 0 };
	if (!op_format_folded.read(v, &opts, keep, m, &err))
		op_normalise(m, &err);
	if (!err.code)
		return true;
	prop_error(&err, v.n);
	op_model_free(m);
	return false;
}

static bool write_all(struct memory *s, const struct op_model *m,
		      const char *setting, struct op_err *err)
{
	const char *settings[] = { setting, NULL };
	struct op_write_opts opts = { .settings = settings,
				      .note = note,
				      .ctx = s };

	*s = (struct memory){ .sink.write = memory_write, .buf.err = err };
	s->buf.limit = PROP_QUOTA;
	op_format_folded.write(m, &opts, &s->sink, err);
	PROP(!err->code || err->code == OP_ENOMEM || err->code == OP_ELIMIT);
	return !err->code;
}

static void check_equal(const struct op_model *a, const struct op_model *b)
{
	struct op_err err = { 0 };
	struct op_pbw x = { .err = &err }, y = { .err = &err };

	PROP(!op_otlp_encode(a, &x));
	PROP(!op_otlp_encode(b, &y));
	PROP(op_view_eq(op_pbw_result(&x), op_pbw_result(&y)));
	op_pbw_free(&y);
	op_pbw_free(&x);
}

static void check_annotated(const struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_model back;
	struct memory s;

	if (write_all(&s, m, "annotate=yes", &err) && !s.left_out && s.buf.n) {
		struct op_view text = op_view(s.buf.p, s.buf.n);

		PROP(op_format_folded.sniff(text) == 95);
		if (read_all(&back, text)) {
			check_equal(m, &back);
			op_model_free(&back);
		}
	}
	op_buf_free(&s.buf);
}

/* The sum of the values, each of a sample at most, or that it is large. */
static bool total_of(const struct op_model *m, int64_t *out)
{
	struct op_walk w = { 0 };
	bool small = true;

	*out = 0;
	while (op_walk_next(m, &w)) {
		const struct op_profile *p = w.profile;

		for (uint32_t i = 0; i < p->nr_samples; i++) {
			struct op_values v = op_sample_values(p, i);

			for (uint32_t k = 0; k < v.n; k++)
				small &= v.p[k] < INT64_MAX >> 32 &&
					 v.p[k] > INT64_MIN >> 32;
		}
		*out = op_add_sat(*out, op_profile_total(p));
	}
	return small;
}

static void check_plain(const struct op_model *m)
{
	struct op_err err = { 0 };
	int64_t before, after;
	struct op_model back;
	struct memory s;

	if (total_of(m, &before) && write_all(&s, m, NULL, &err)) {
		if (!s.left_out && read_all(&back, op_view(s.buf.p, s.buf.n))) {
			if (total_of(&back, &after))
				PROP(before == after);
			op_model_free(&back);
		}
		op_buf_free(&s.buf);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct op_model m;
	int score = n ? op_format_folded.sniff(op_view(data, n)) : 0;

	PROP(score >= 0 && score <= 95);
	if (!read_all(&m, op_view(data, n)))
		return 0;
	prop_model(&m);
	check_annotated(&m);
	check_plain(&m);
	op_model_free(&m);
	return 0;
}
