// SPDX-License-Identifier: Apache-2.0
/* Any bytes as one OTLP message, of any dialect.
 *
 * What decodes keeps the invariants of the model. Written and read again it is
 * the same once both are normalised, and the hashes of its profiles, which do
 * not come by way of the encoder, are the same at once. The checker stands
 * every message that can be read at all, and finds no index past a table in
 * one that was read with its indexes checked. */
#include "fmt/otlp/otlp.h"
#include "fuzz/prop.h"
#include "model/check.h"
#include "model/content.h"
#include "model/merge.h"

static bool decode(struct op_model *m, struct op_view in, bool unchecked)
{
	struct op_otlp_opts opts = { .unchecked = unchecked };
	struct op_err err = { 0 };

	*m = (struct op_model){ .mem.quota = PROP_QUOTA };
	if (!op_otlp_decode(m, in, &opts, &err)) {
		PROP(m->dialect);
		return true;
	}
	prop_error(&err, in.n);
	op_model_free(m);
	return false;
}

/* False if a quota was in the way. */
static bool normalise(struct op_model *m)
{
	struct op_err err = { 0 };

	op_normalise(m, &err);
	PROP(!err.code || err.code == OP_ENOMEM || err.code == OP_ELIMIT);
	if (err.code)
		return false;
	prop_model(m);
	return true;
}

static struct op_view encode(const struct op_model *m, struct op_pbw *w,
			     struct op_err *err)
{
	*w = (struct op_pbw){ .err = err };
	PROP(!op_otlp_encode(m, w));
	return op_pbw_result(w);
}

static bool is_v1_10(const struct op_model *m)
{
	return op_view_is(op_view_z(m->dialect), "v1.10");
}

/* The model of these bytes, normalised, as bytes again. NULL: not to be had,
 * because of a quota or because the bytes look like another dialect. */
static const struct op_pbw *second(struct op_view bytes, struct op_pbw *w,
				   struct op_err *err)
{
	const struct op_pbw *got = NULL;
	struct op_model m;

	if (!decode(&m, bytes, false))
		return NULL;
	if (is_v1_10(&m) && normalise(&m)) {
		encode(&m, w, err);
		got = w;
	}
	op_model_free(&m);
	return got;
}

static bool write_equals(const struct op_model *first, struct op_view want)
{
	struct op_err err = { 0 };
	struct op_pbw as_is, again = { 0 };
	struct op_view bytes = encode(first, &as_is, &err);
	const struct op_pbw *got = second(bytes, &again, &err);
	bool equal = !got || op_view_eq(op_pbw_result(got), want);

	op_pbw_free(&again);
	op_pbw_free(&as_is);
	return equal;
}

/* Each profile's id is the hash of its content. */
static bool ids_make(struct op_model *m)
{
	struct op_walk w = { 0 };
	struct op_err err = { 0 };

	while (op_walk_next(m, &w))
		m->resources[w.r].scopes[w.s].profiles[w.p].id_len = 0;
	op_content_ids(m, &err);
	PROP(!err.code || err.code == OP_ENOMEM);
	return !err.code;
}

static void check_ids_equal(const struct op_model *a, const struct op_model *b)
{
	struct op_walk v = { 0 }, w = { 0 };

	while (op_walk_next(a, &v)) {
		PROP(op_walk_next(b, &w));
		PROP(!memcmp(v.profile->id, w.profile->id,
			     sizeof(v.profile->id)));
	}
	PROP(!op_walk_next(b, &w));
}

static void check_content(struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_pbw w;
	struct op_view bytes = encode(m, &w, &err);
	struct op_model copy;

	if (decode(&copy, bytes, false)) {
		if (is_v1_10(&copy) && ids_make(m) && ids_make(&copy))
			check_ids_equal(m, &copy);
		op_model_free(&copy);
	}
	op_pbw_free(&w);
}

/* Writing and reading change nothing but the order and number of rows, unless
 * strings had to be made UTF-8, which may make two of them one. */
static void check_round_trip(struct op_view in, bool is_utf8)
{
	struct op_model as_came, normal;
	struct op_err err = { 0 };
	struct op_pbw w;

	if (!decode(&as_came, in, false))
		return;
	prop_model(&as_came);
	if (is_utf8 && decode(&normal, in, false)) {
		if (normalise(&normal)) {
			struct op_view bytes = encode(&normal, &w, &err);

			PROP(write_equals(&normal, bytes));
			PROP(write_equals(&as_came, bytes));
			op_pbw_free(&w);
		}
		op_model_free(&normal);
	}
	if (is_utf8)
		check_content(&as_came);
	op_model_free(&as_came);
}

static void check_rules(struct op_view in, struct op_check_result *out,
			const char **dialect)
{
	struct op_check_opts opts = { .most = 3 };
	struct op_err err = { 0 };
	struct op_model m;

	if (!decode(&m, in, true))
		return;
	op_check(&m, &opts, NULL, NULL, out, &err);
	PROP(!err.code || err.code == OP_ENOMEM);
	*dialect = m.dialect;
	op_model_free(&m);
}

static void check_agrees(struct op_view in, const struct op_check_result *r,
			 const char *dialect)
{
	struct op_model m;

	if (!decode(&m, in, false))
		return;
	PROP(dialect && op_view_is(op_view_z(dialect), m.dialect));
	for (int rule = OP_RULE_STRING_INDEX; rule <= OP_RULE_FUNCTION_INDEX;
	     rule++)
		PROP(!r->nr[rule]);
	PROP(!r->nr[OP_RULE_SAMPLE_COUNTS]);
	op_model_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct op_view in = op_view(data, n);
	struct op_check_result result = { 0 };
	const char *dialect = NULL;

	check_rules(in, &result, &dialect);
	check_agrees(in, &result, dialect);
	check_round_trip(in, !result.nr[OP_RULE_UTF8]);
	return 0;
}
