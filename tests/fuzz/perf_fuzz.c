// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a recording of perf.
 *
 * What is read keeps the invariants of the model, and as OTLP and back it is
 * the same. What cannot be read is refused with a place. Recovering never
 * finds less than reading, and show counts what can be read. */
#include "fuzz/jfr_prop.h"

static bool perf_read(struct op_model *m, struct op_view in,
		      const char *setting, struct op_err *err)
{
	const char *settings[] = { setting, NULL };
	/* Files of this machine are none of its business. */
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA,
				     .root = "",
				     .settings = settings };

	*m = (struct op_model){ 0 };
	op_format_perf.read(in, &opts, keep, m, err);
	if (err->code)
		prop_error(err, in.n);
	else
		prop_model(m);
	return !err->code;
}

static void count(void *ctx, struct op_view kind, uint64_t nr, uint64_t bytes)
{
	prop_view(kind);
	PROP(nr && bytes >= 8 * nr);
	*(uint64_t *)ctx += nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_err err = { 0 }, again = { 0 }, info = { 0 };
	struct op_view in = op_view(p, n);
	struct op_model m, all;
	uint64_t nr = 0, nr_records = 0;
	bool ok = perf_read(&m, in, NULL, &err);

	op_format_perf.info(in, count, &nr_records, &info);
	if (ok) {
		nr = nr_observed(&m);
		PROP(!info.code || is_quota(&info));
		PROP(info.code || nr_records || !nr);
		prop_otlp(&m);
		prop_normal(&m);
		timed_prop(&op_format_perf, in);
	}
	op_model_free(&m);
	if (perf_read(&all, in, "recover=yes", &again)) {
		PROP(nr_observed(&all) >= nr);
		prop_normal(&all);
	} else {
		PROP(!ok || is_quota(&again));
	}
	op_model_free(&all);
	return 0;
}
