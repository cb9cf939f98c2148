// SPDX-License-Identifier: Apache-2.0
/* Any bytes as logs that hold profiles, protobuf or JSON, or as OTLP profiles
 * to be written as such (splunk_prop.h). */
#include "fuzz/splunk_prop.h"

static void from_otlp(struct op_view in)
{
	struct op_model m = { .mem.quota = PROP_QUOTA };
	struct op_err err = { 0 };

	if (!op_otlp_decode(&m, in, NULL, &err)) {
		splunk_fixed(&m, "logs-encoding=protobuf", false);
		splunk_fixed(&m, "logs-encoding=json", true);
	}
	op_model_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_view in = op_view(p, n);
	struct op_model m;
	bool is_pprof;

	op_splunk_sniff(in, &is_pprof);
	if (n && splunk_read(&m, in, true)) {
		splunk_prop(&m, true);
		op_model_free(&m);
	}
	if (n)
		from_otlp(in);
	return 0;
}
