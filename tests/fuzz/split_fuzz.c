// SPDX-License-Identifier: Apache-2.0
/* Two bytes that say how large a message may be, then any bytes as an OTLP
 * message of any dialect.
 *
 * What can be read is sent in parts none of which is too large, whose profiles
 * have ids that differ, which break no rule that the whole keeps and which
 * together are the whole. */
#include "fuzz/prop.h"
#include "model/check.h"
#include "write/parts.h"

/* Whether a message is one of which all this can be said: its dialect is sure
 * once it is written anew, and its strings are text, so that none change. */
static bool is_sure(struct op_view in)
{
	struct op_otlp_opts unchecked = { .unchecked = true };
	struct op_check_opts opts = { .most = 1 };
	struct op_check_result r = { 0 };
	struct op_model m = { .mem.quota = PROP_QUOTA };
	struct op_err err = { 0 };
	bool sure;

	sure = !op_otlp_decode(&m, in, &unchecked, &err) && !m.dialect_note &&
	       !op_check(&m, &opts, NULL, NULL, &r, &err) &&
	       !r.nr[OP_RULE_UTF8] && !r.nr[OP_RULE_KEY_TWICE] &&
	       !r.nr[OP_RULE_KEY_AMBIGUOUS] && !r.nr[OP_RULE_SAMPLE_EMPTY];
	op_model_free(&m);
	return sure;
}

/* Broken messages, or ones that nobody could send. */
static bool is_sound(struct op_view in)
{
	struct op_model m = { .mem.quota = PROP_QUOTA };
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err, .limit = 1 << 20 };
	bool sound = !op_otlp_decode(&m, in, NULL, &err) &&
		     !op_normalise(&m, &err) && !op_otlp_encode(&m, &w) &&
		     is_sure(op_pbw_result(&w));

	op_pbw_free(&w);
	op_model_free(&m);
	return sound;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct op_view in;
	struct parts out;
	const char *why;
	size_t max;

	if (n < 2)
		return 0;
	max = 20 + (size_t)(data[0] | data[1] << 8) % 4000;
	in = op_view(data + 2, n - 2);
	if (!is_sure(in) || !is_sound(in))
		return 0;
	why = parts_check(in, max, &out);
	if (why)
		fprintf(stderr, "%zu bytes at most, %zu parts: %s\n%s", max,
			out.nr, why, out.notes);
	PROP(!why);
	return 0;
}
