// SPDX-License-Identifier: Apache-2.0
/* Any bytes as folded stacks, written to be looked at.
 *
 * Whatever the names are, the data of the page is JSON without a <, and the
 * picture is XML. The first byte picks the settings. */
#include "fmt/format.h"
#include "fuzz/prop.h"
#include "pb/json_read.h"
#include "write/page.h"

static int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	*(struct op_model *)ctx = *m;
	return err->code;
}

static void check_html(struct op_view page)
{
	struct op_view json = page_data(page);
	struct op_err err = { 0 };
	struct op_json_in in = op_json_in(json, &err);

	PROP(json.n);
	op_json_skip(&in);
	PROP(!err.code);
	PROP(!op_json_peek(&in));
}

static void check_format(const struct op_model *m, const struct op_format *f,
			 const char *const *settings)
{
	struct op_err err = { 0 };
	struct op_buf out = { .err = &err };

	page_write(m, f, settings, &out);
	PROP(!err.code);
	if (f == &op_format_html)
		check_html(op_view(out.p, out.n));
	else
		PROP(page_is_xml(op_view(out.p, out.n)));
	op_buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *settings[3] = { NULL };
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA };
	struct op_err err = { 0 };
	struct op_model m = { 0 };
	int nr = 0;

	if (!n)
		return 0;
	if (*data & 1)
		settings[nr++] = "threads=";
	if (*data & 2)
		settings[nr++] = "min-width=10";
	if (!op_format_folded.read(op_view(data + 1, n - 1), &opts, keep, &m,
				   &err)) {
		check_format(&m, &op_format_html, settings);
		check_format(&m, &op_format_svg, settings);
	}
	op_model_free(&m);
	return 0;
}
