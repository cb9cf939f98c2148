// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a pprof message, or as an OTLP message to be written as one.
 *
 * What is read keeps the invariants of the model and has no row twice or too
 * many; written and read again its content is the same. What came from OTLP
 * can always be written and read, and stays the same from then on; unless it
 * says how the types of a pprof file were, no two have one name. */
#include "fmt/otlp/otlp.h"
#include "fmt/pprof/pprof.h"
#include "fuzz/prop.h"
#include "model/content.h"
#include "model/semconv.h"

static bool is_quota(const struct op_err *err)
{
	return err->code == OP_ENOMEM || err->code == OP_ELIMIT;
}

/* The model written as pprof and read again; false if a quota was in the
 * way. */
static bool again(const struct op_model *m, struct op_model *out)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err, .limit = PROP_QUOTA };
	struct op_view bytes;

	*out = (struct op_model){ .mem.quota = PROP_QUOTA };
	op_pprof_encode(m, NULL, &w);
	bytes = op_pbw_result(&w);
	PROP(!err.code || is_quota(&err));
	if (!err.code)
		op_pprof_decode(out, bytes, &err);
	PROP(!err.code || is_quota(&err));
	if (err.code)
		op_model_free(out);
	else
		prop_model(out);
	op_pbw_free(&w);
	return !err.code;
}

static void ids(struct op_model *m)
{
	struct op_err err = { 0 };

	op_content_ids(m, &err);
	PROP(!err.code || is_quota(&err));
}

static void prop_same(struct op_model *a, struct op_model *b)
{
	struct op_walk x = { 0 }, y = { 0 };

	ids(a);
	ids(b);
	while (op_walk_next(a, &x)) {
		PROP(op_walk_next(b, &y));
		PROP(!memcmp(x.profile->id, y.profile->id, 16));
	}
	PROP(!op_walk_next(b, &y));
}

static void from_pprof(struct op_view in)
{
	struct op_model m = { .mem.quota = PROP_QUOTA }, second;
	struct op_model twin = { .mem.quota = PROP_QUOTA };
	struct op_err err = { 0 };

	if (op_pprof_decode(&m, in, &err)) {
		prop_error(&err, in.n);
	} else {
		prop_model(&m);
		if (again(&m, &second)) {
			prop_same(&m, &second);
			op_model_free(&second);
		}
		if (!op_pprof_decode(&twin, in, &err)) {
			ids(&twin);
			prop_order(&m, &twin);
		}
	}
	op_model_free(&m);
	op_model_free(&twin);
}

static bool has_order(const struct op_model *m)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		for (uint32_t i = 0; i < w.scope->attrs.n; i++)
			if (op_view_is(op_kv_key(m, &w.scope->attrs.p[i]),
				       OP_ATTR_SAMPLE_TYPE_ORDER))
				return true;
	return false;
}

/* A column of the file is one profile, or two if it has samples with times
 * and without. */
static void prop_names(const struct op_model *m)
{
	struct op_walk x = { 0 }, y;

	while (op_walk_next(m, &x)) {
		int nr = 0;

		y = (struct op_walk){ 0 };
		while (op_walk_next(m, &y))
			nr += op_view_eq(
				op_string(m, x.profile->sample_type.type),
				op_string(m, y.profile->sample_type.type));
		PROP(nr <= 2);
		PROP(nr == 1 || m->resources[0].scopes[0].nr_profiles % 2 == 0);
	}
}

static void from_otlp(struct op_view in)
{
	struct op_model m = { .mem.quota = PROP_QUOTA }, second, third;
	struct op_err err = { 0 };

	if (!op_otlp_decode(&m, in, NULL, &err) && again(&m, &second)) {
		if (!has_order(&m))
			prop_names(&second);
		if (again(&second, &third)) {
			prop_same(&second, &third);
			op_model_free(&third);
		}
		op_model_free(&second);
	}
	op_model_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	from_pprof(op_view(p, n));
	from_otlp(op_view(p, n));
	return 0;
}
