// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/otlp_json.c: files of OTLP/JSON: one object, or several behind
 * one another, on lines of their own or not. */
#include "fmt/otlp_json/otlp_json_int.h"

#include "fmt/otlp_json/transcode.h"

static bool is_ours(struct op_view key)
{
	return op_json_field_find(&op_json_messages[DATA], key, 0) >= 0;
}

/* Looks at the keys at the top as far as the first bytes show them. */
static int json_sniff(struct op_view v)
{
	enum { FIRST = 4096 };
	struct op_err ignored = { 0 };
	struct op_view start = op_view_first(v, FIRST);
	struct op_json_in in = op_otlp_json_begin(start, &ignored);
	bool first = true;

	if (op_json_peek(&in) != '{')
		return 0;
	in.p++;
	while (op_json_more(&in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(&in);

		if (is_ours(key.raw))
			return 90;
		op_json_skip(&in);
	}
	return first && !ignored.code ? 5 : 0;
}

static int json_write(const struct op_model *m,
		      const struct op_write_opts *opts, struct op_sink *out,
		      struct op_err *err)
{
	const char *style = op_setting(opts ? opts->settings : NULL, "style");

	if (style && strcmp(style, "pretty") && strcmp(style, "compact") &&
	    strcmp(style, "lines"))
		return op_fail(
			err, OP_EUSAGE,
			"--style takes pretty, compact or lines, not '%s'",
			style);
	return op_otlp_json_write(m, style && !strcmp(style, "pretty"), out,
				  err);
}

static const struct op_format_opt settings[] = {
	{ "style", "pretty|compact|lines",
	  "indented, or one line per message; default: compact", true },
	{ 0 },
};

const struct op_format op_format_otlp_json = {
	.name = "otlp-json",
	.summary = "OTLP profiles, JSON; reads every version since v1.4",
	.endings = { ".otlp.json", ".jsonl", ".json" },
	.is_otlp = true,
	.opts = settings,
	.copies = true,
	.sniff = json_sniff,
	.read = op_otlp_json_read,
	.write = json_write,
};
