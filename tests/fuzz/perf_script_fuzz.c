// SPDX-License-Identifier: Apache-2.0
/* Any bytes as what perf script prints: a model that keeps its invariants and
 * is the same as OTLP and back, or a refusal. What looks like it is read, but
 * for its text without samples. */
#include "fuzz/jfr_prop.h"

enum { SCORE_OF_SAMPLES = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA };
	struct op_view in = op_view(p, n);
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	op_format_perf_script.read(in, &opts, keep, &m, &err);
	if (err.code) {
		prop_error(&err, n);
		PROP(is_quota(&err) ||
		     op_format_perf_script.sniff(in) < SCORE_OF_SAMPLES);
		return 0;
	}
	prop_model(&m);
	prop_otlp(&m);
	op_model_free(&m);
	return 0;
}
