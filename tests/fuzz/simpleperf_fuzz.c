// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a report of simpleperf.
 *
 * What is read keeps the invariants of the model, and as OTLP and back it is
 * the same. What cannot be read is refused with a place. Recovering never
 * finds less than reading, and show counts the samples that can be read. */
#include "fuzz/jfr_prop.h"

static bool report_read(struct op_model *m, struct op_view in,
			const char *setting, struct op_err *err)
{
	const char *settings[] = { setting, NULL };
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA,
				     .settings = settings };

	*m = (struct op_model){ 0 };
	op_format_simpleperf.read(in, &opts, keep, m, err);
	if (err->code)
		prop_error(err, in.n);
	else
		prop_model(m);
	return !err->code;
}

static void count(void *ctx, struct op_view kind, uint64_t nr, uint64_t bytes)
{
	prop_view(kind);
	PROP(nr && bytes >= 4 * nr);
	if (op_view_is(kind, "Sample"))
		*(uint64_t *)ctx += nr;
}

/* Of each event, whose periods may be a second profile of the same samples. */
static uint64_t nr_samples(const struct op_model *m)
{
	struct op_walk w = { 0 };
	uint64_t nr = 0;

	while (op_walk_next(m, &w))
		if (op_view_is(op_string(m, w.profile->sample_type.type),
			       "samples"))
			nr += op_profile_observations(w.profile);
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_err err = { 0 }, again = { 0 }, info = { 0 };
	struct op_view in = op_view(p, n);
	struct op_model m, all;
	uint64_t nr = 0, counted = 0;
	bool ok = report_read(&m, in, NULL, &err);

	op_format_simpleperf.info(in, count, &counted, &info);
	if (ok) {
		nr = nr_observed(&m);
		PROP(!info.code && counted <= nr_samples(&m));
		prop_otlp(&m);
	}
	op_model_free(&m);
	if (report_read(&all, in, "recover=yes", &again))
		PROP(nr_observed(&all) >= nr);
	else
		PROP(!ok || is_quota(&again));
	op_model_free(&all);
	return 0;
}
