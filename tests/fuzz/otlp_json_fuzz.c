// SPDX-License-Identifier: Apache-2.0
/* Any bytes, as a file of OTLP/JSON and as a message of OTLP.
 *
 * What can be read, from either, keeps the invariants of the model, and
 * written as JSON, in both styles, and read again it is the same in every byte
 * of today's wire. A failure names a byte of the text. */
#include "fmt/otlp/otlp.h"
#include "fuzz/prop.h"
#include "write/json_text.h"

/* JSON knows one NaN. */
static void nan_canonical(struct op_any *v)
{
	if (v->kind == OP_ANY_DOUBLE && v->real != v->real)
		v->num = INT64_C(0x7ff8000000000000);
	for (uint32_t i = 0; v->kind == OP_ANY_ARRAY && i < v->n; i++)
		nan_canonical(&v->array[i]);
	for (uint32_t i = 0; v->kind == OP_ANY_KVLIST && i < v->n; i++)
		nan_canonical(&v->kvlist[i].value);
}

static void nans_canonical(struct op_model *m)
{
	for (uint32_t i = 0; i < m->dict.nr[OP_ATTRS]; i++)
		nan_canonical(&m->dict.attrs[i].value);
	for (uint32_t r = 0; r < m->nr_resources; r++) {
		struct op_resource *res = &m->resources[r];

		for (uint32_t i = 0; i < res->attrs.n; i++)
			nan_canonical(&res->attrs.p[i].value);
		for (uint32_t s = 0; s < res->nr_scopes; s++)
			for (uint32_t i = 0; i < res->scopes[s].attrs.n; i++)
				nan_canonical(&res->scopes[s].attrs.p[i].value);
	}
}

static void check_back(struct op_model *m, const char *style)
{
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA };
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	struct op_model back;

	PROP(!json_write(m, style, &text));
	if (json_read(&back, op_view(text.p, text.n), &opts, &err)) {
		/* Only the quota can be in the way. */
		PROP(err.code == OP_ENOMEM || err.code == OP_ELIMIT);
	} else {
		PROP(!back.dialect_note);
		prop_model(&back);
		PROP(json_same(m, &back));
		op_model_free(&back);
	}
	op_buf_free(&text);
}

static int check_model(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)ctx;
	PROP(m->dialect);
	prop_model(m);
	nans_canonical(m);
	check_back(m, "compact");
	check_back(m, "pretty");
	op_model_free(m);
	return err->code;
}

static int drop(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)ctx;
	op_model_free(m);
	return err->code;
}

static void as_json(struct op_view in)
{
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA };
	struct op_err err = { 0 };

	if (op_format_otlp_json.read(in, &opts, check_model, NULL, &err))
		prop_error(&err, in.n);
	opts.unchecked = true;
	err = (struct op_err){ 0 };
	if (op_format_otlp_json.read(in, &opts, drop, NULL, &err))
		prop_error(&err, in.n);
}

static void as_wire(struct op_view in)
{
	struct op_model m = { .mem.quota = PROP_QUOTA };
	struct op_err err = { 0 };

	if (op_otlp_decode(&m, in, NULL, &err))
		op_model_free(&m);
	else
		check_model(NULL, &m, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct op_view in = op_view(data, n);

	if (n) {
		int score = op_format_otlp_json.sniff(in);

		PROP(score >= 0 && score <= 100);
	}
	as_json(in);
	as_wire(in);
	return 0;
}
