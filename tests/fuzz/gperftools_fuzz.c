// SPDX-License-Identifier: Apache-2.0
/* Any bytes as one of gperftools' formats: a model that keeps its invariants,
 * has no row too many and is the same as OTLP and back, and as pprof and back,
 * or a refusal. */
#include "fmt/pprof/pprof.h"
#include "fuzz/jfr_prop.h"

static void prop_pprof(struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err, .limit = PROP_QUOTA };
	struct op_model back = { .mem.quota = PROP_QUOTA };

	if (!op_pprof_encode(m, NULL, &w) &&
	    !op_pprof_decode(&back, op_pbw_result(&w), &err))
		prop_same(m, &back);
	PROP(!err.code || is_quota(&err));
	op_model_free(&back);
	op_pbw_free(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA };
	struct op_view in = op_view(p, n);
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	int score = op_format_gperftools.sniff(in);

	PROP(score >= 0 && score <= 95);
	op_format_gperftools.read(in, &opts, keep, &m, &err);
	if (err.code) {
		prop_error(&err, n);
		return 0;
	}
	prop_model(&m);
	prop_pprof(&m);
	prop_otlp(&m);
	prop_normal(&m);
	op_model_free(&m);
	return 0;
}
