// SPDX-License-Identifier: Apache-2.0
/* What the fuzz targets of profiles in logs share.
 *
 * What is read keeps the invariants of the model. It can be written in each
 * form, as protobuf and as JSON, which is known for what it is; and what is
 * read of that and written again stays the same from then on. Written as text
 * it is the same at once, unless a loss is told. */
#ifndef OP_TESTS_FUZZ_SPLUNK_PROP_H
#define OP_TESTS_FUZZ_SPLUNK_PROP_H

#include "fmt/format.h"
#include "fmt/splunk/splunk_int.h"
#include "fuzz/prop.h"
#include "model/content.h"

struct splunk_bytes {
	struct op_sink sink; /* first */
	struct op_buf buf;
};

static int splunk_put(struct op_sink *sink, struct op_view v,
		      struct op_err *err)
{
	op_buf_view(&((struct splunk_bytes *)sink)->buf, v);
	return err->code;
}

static void splunk_note(void *ctx, const char *text)
{
	PROP(*text);
	if (ctx && strstr(text, "cannot hold"))
		*(bool *)ctx = true;
}

static bool splunk_read(struct op_model *m, struct op_view in, bool any)
{
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA,
				     .note = splunk_note };
	struct op_err err = { 0 };

	*m = (struct op_model){ .mem.quota = PROP_QUOTA };
	op_splunk_read(in, &opts, m, &err);
	if (!err.code) {
		prop_model(m);
		return true;
	}
	if (any)
		prop_error(&err, in.n);
	else
		PROP(err.code == OP_ENOMEM || err.code == OP_ELIMIT);
	op_model_free(m);
	return false;
}

static void splunk_ids(struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		m->resources[w.r].scopes[w.s].profiles[w.p].id_len = 0;
	op_content_ids(m, &err);
	PROP(!err.code || err.code == OP_ENOMEM);
}

static void splunk_same(struct op_model *a, struct op_model *b)
{
	struct op_walk x = { 0 }, y = { 0 };

	splunk_ids(a);
	splunk_ids(b);
	while (op_walk_next(a, &x)) {
		PROP(op_walk_next(b, &y));
		PROP(!memcmp(x.profile->id, y.profile->id, 16));
	}
	PROP(!op_walk_next(b, &y));
}

static bool splunk_has_samples(const struct op_model *m)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		if (w.profile->nr_samples)
			return true;
	return false;
}

/* Written and read again; false if a quota was in the way. */
static bool splunk_again(const struct op_model *m, const char *logs,
			 bool is_pprof, struct op_model *out, bool *lost)
{
	const char *const settings[] = { logs, NULL };
	struct op_write_opts opts = { .settings = settings,
				      .note = splunk_note,
				      .ctx = lost };
	struct op_err err = { 0 };
	struct splunk_bytes t = { .sink.write = splunk_put,
				  .buf = { .err = &err } };
	bool ok, found_pprof;

	t.buf.limit = 4 * PROP_QUOTA;
	op_splunk_write(m, &opts, is_pprof, &t.sink, &err);
	ok = prop_went(&err);
	if (ok && splunk_has_samples(m)) {
		PROP(op_splunk_sniff(op_view(t.buf.p, t.buf.n), &found_pprof));
		PROP(found_pprof == is_pprof || logs);
	}
	ok = ok && splunk_read(out, op_view(t.buf.p, t.buf.n), false);
	op_buf_free(&t.buf);
	return ok;
}

static void splunk_fixed(const struct op_model *m, const char *logs,
			 bool is_pprof)
{
	struct op_model second, third;
	bool ignored;

	if (!splunk_again(m, logs, is_pprof, &second, &ignored))
		return;
	if (splunk_again(&second, logs, is_pprof, &third, &ignored)) {
		splunk_same(&second, &third);
		op_model_free(&third);
	}
	op_model_free(&second);
}

/* All of that, of a model that was read. To pack takes most of the time. */
static void splunk_prop(struct op_model *m, bool has_pprof)
{
	struct op_err err = { 0 };
	struct op_model second;
	bool lost = false;

	op_normalise(m, &err);
	if (!prop_went(&err))
		return;
	if (splunk_again(m, "logs-encoding=protobuf", false, &second, &lost)) {
		if (!lost)
			splunk_same(m, &second);
		op_model_free(&second);
	}
	splunk_fixed(m, "logs-encoding=json", false);
	if (has_pprof)
		splunk_fixed(m, "logs-encoding=protobuf", true);
}

#endif
