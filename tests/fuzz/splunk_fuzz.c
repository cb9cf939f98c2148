// SPDX-License-Identifier: Apache-2.0
/* Any bytes as logs that hold profiles, protobuf or JSON, as OTLP profiles to
 * be written as such (splunk_prop.h), and as logs of any kind. */
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

/* Any logs: what JSON says of them it says again after reading it. */
static void any_logs(struct op_view in)
{
	struct op_err err = { 0 };
	struct op_buf once = { .err = &err }, twice = { .err = &err };
	struct op_buf wire = { .err = &err };
	struct op_json_in text;

	if (op_logs_to_json(in, &once, &err)) {
		prop_error(&err, in.n);
	} else {
		text = op_json_in(op_view(once.p, once.n), &err);
		op_logs_from_json(&text, &wire);
		op_logs_to_json(op_view(wire.p, wire.n), &twice, &err);
		PROP(!err.code);
		PROP(op_view_eq(op_view(once.p, once.n),
				op_view(twice.p, twice.n)));
	}
	op_buf_free(&once);
	op_buf_free(&twice);
	op_buf_free(&wire);
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
	any_logs(in);
	return 0;
}
