// SPDX-License-Identifier: Apache-2.0
/* What must hold of every viewer's format.
 *
 * What can be read keeps the invariants of the model, and is normal if it
 * says so. Every viewer's format can be written of it, as valid JSON, and
 * what the readers make of that has the same total, written or not: nothing
 * is lost between, unless it was below 0 or past what 64 bits hold. */
#ifndef OP_TESTS_FUZZ_VIEWER_PROP_H
#define OP_TESTS_FUZZ_VIEWER_PROP_H

#include "fmt/format.h"
#include "pb/json_extract.h"
#include "fuzz/prop.h"

struct viewer_text {
	struct op_sink sink; /* first */
	struct op_buf buf;
};

static int viewer_text_write(struct op_sink *sink, struct op_view v,
			     struct op_err *err)
{
	op_buf_view(&((struct viewer_text *)sink)->buf, v);
	return err->code;
}

static void viewer_note(void *ctx, const char *text)
{
	(void)ctx;
	PROP(*text);
}

static int viewer_keep(void *ctx, struct op_model *m, struct op_err *err)
{
	*(struct op_model *)ctx = *m;
	return err->code;
}

static bool viewer_read(const struct op_format *f, struct op_model *m,
			struct op_view v)
{
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA,
				     .note = viewer_note };
	struct op_err err = { 0 };

	*m = (struct op_model){ 0 };
	f->read(v, &opts, viewer_keep, m, &err);
	if (!err.code)
		return true;
	prop_error(&err, v.n);
	op_model_free(m);
	return false;
}

/* The sum of all values; false if one is below 0 or a time or value large. */
static bool viewer_total(const struct op_model *m, int64_t *out)
{
	const uint64_t large = (uint64_t)1 << 56;
	struct op_walk w = { 0 };
	bool fits = true;

	*out = 0;
	while (op_walk_next(m, &w)) {
		const struct op_profile *p = w.profile;

		for (uint32_t i = 0; i < p->nr_samples; i++) {
			struct op_values v = op_sample_values(p, i);
			struct op_times t = op_sample_times(p, i);

			for (uint32_t k = 0; k < v.n; k++)
				fits &= v.p[k] >= 0 &&
					(uint64_t)v.p[k] < large >> 20;
			for (uint32_t k = 0; k < t.n; k++)
				fits &= t.p[k] < large;
			*out = op_add_sat(*out, op_sample_total(p, i));
		}
	}
	return fits && *out < (int64_t)large;
}

static void viewer_valid(struct op_view text)
{
	struct op_err err = { 0 };
	struct op_json_in in = op_json_start(text, &err);

	op_json_skip(&in);
	op_json_finish(&in);
	PROP(!err.code);
}

/* A CPU profile holds one type only, and so need not have all. */
static void viewer_again(const struct op_format *f, const struct op_model *m,
			 bool has_all)
{
	struct op_err err = { 0 };
	struct op_write_opts opts = { .note = viewer_note };
	struct viewer_text t = { .sink.write = viewer_text_write,
				 .buf = { .err = &err } };
	int64_t before, after;
	struct op_model back;

	t.buf.limit = 4 * PROP_QUOTA;
	f->write(m, &opts, &t.sink, &err);
	if (prop_went(&err)) {
		struct op_view text = op_view(t.buf.p, t.buf.n);

		viewer_valid(text);
		PROP(!f->sniff || op_format_sniff(text) == f);
		if (f->read && viewer_total(m, &before) &&
		    viewer_read(f, &back, text)) {
			PROP(!has_all || !viewer_total(&back, &after) ||
			     before == after);
			op_model_free(&back);
		}
	}
	op_buf_free(&t.buf);
}

static int viewer_fuzz(const struct op_format *f, const uint8_t *data, size_t n)
{
	struct op_model m, same;
	struct op_err err = { 0 };
	int score = n ? f->sniff(op_view(data, n)) : 0;

	PROP(score >= 0 && score <= 95);
	if (!viewer_read(f, &m, op_view(data, n)))
		return 0;
	prop_model(&m);
	if (viewer_read(f, &same, op_view(data, n))) {
		prop_order(&m, &same);
		op_model_free(&same);
	}
	op_normalise(&m, &err);
	if (prop_went(&err)) {
		viewer_again(&op_format_chrome_trace, &m, true);
		viewer_again(&op_format_speedscope, &m, true);
		viewer_again(&op_format_cpuprofile, &m, false);
		viewer_again(&op_format_firefox, &m, true);
	}
	op_model_free(&m);
	return 0;
}

#endif
