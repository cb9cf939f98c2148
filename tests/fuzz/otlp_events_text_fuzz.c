// SPDX-License-Identifier: Apache-2.0
/* Any bytes as events in protobuf's text format. What is read keeps the
 * invariants of the model; written as text and as bytes and read again its
 * content is the same, unless the writer tells of a loss. */
#include "fmt/otlp_events/otlp_events_int.h"
#include "fuzz/draft_prop.h"

static void again(struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err, .limit = PROP_QUOTA };
	struct op_pbw bytes = { .err = &err, .limit = PROP_QUOTA };
	struct op_model a = { .mem.quota = PROP_QUOTA };
	struct op_model b = { .mem.quota = PROP_QUOTA };
	bool lost = false;
	struct op_write_opts opts = { .note = draft_note, .ctx = &lost };

	op_events_text_write(m, &opts, &text);
	op_events_encode(m, NULL, &bytes);
	PROP(!err.code || draft_quota(&err));
	if (!err.code)
		op_events_text_read(&a, op_view(text.p, text.n), &err);
	if (!err.code)
		op_events_decode(&b, op_pbw_result(&bytes), &err);
	PROP(!err.code || draft_quota(&err));
	if (!err.code) {
		prop_model(&a);
		draft_same(&a, &b);
		if (!lost)
			draft_same(m, &a);
	}
	op_buf_free(&text);
	op_pbw_free(&bytes);
	op_model_free(&a);
	op_model_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_model m = { .mem.quota = PROP_QUOTA };
	struct op_err err = { 0 };

	if (op_events_text_read(&m, op_view(p, n), &err)) {
		prop_error(&err, n);
	} else {
		prop_model(&m);
		again(&m);
	}
	op_model_free(&m);
	return 0;
}
