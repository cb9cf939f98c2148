// SPDX-License-Identifier: Apache-2.0
/* server/site.c: what is at which address. */
#include "server/site.h"

#include <stdio.h>

#include "base/budget.h"
#include "pb/json_write.h"
#include "server/http1.h"
#include "server/page.h"

/* What follows "api/" in a path behind the token; false: it is not there. */
static bool api_name(struct op_view path, struct op_view *name)
{
	static const char front[] = "/api/";
	size_t n = sizeof(front) - 1;

	if (path.n < n || memcmp(path.p, front, n))
		return false;
	*name = op_view(path.p + n, path.n - n);
	return true;
}

static bool refuse(struct op_response *out, int status, const char *why)
{
	op_response_error(out, status, why);
	return false;
}

static bool admit_file(const struct op_site *s, const struct op_request *r,
		       uint64_t *max_body, struct op_response *out)
{
	if (r->method != OP_POST)
		return refuse(out, 405, "expected the method POST");
	if (!s->open)
		return refuse(out, 403, "files cannot be added to this page");
	if (r->body_bytes > s->max_file)
		return refuse(out, 413, "the file is too large");
	*max_body = s->max_file;
	return true;
}

bool op_site_admit(const struct op_site *s, const struct op_request *r,
		   uint64_t *max_body, struct op_response *out)
{
	struct op_view path = op_request_path(r), name;
	const char *why;

	*max_body = 0;
	if (r->method == OP_OTHER_METHOD)
		return refuse(out, 405, "expected the method GET or HEAD");
	why = op_guard_refuses(&s->guard, r);
	if (why)
		return refuse(out, 403, why);
	if (!op_guard_enter(&s->guard, &path))
		return refuse(out, 403,
			      "the token is missing: open the address that "
			      "otprof printed");
	if (api_name(path, &name) && op_view_is(name, "open"))
		return admit_file(s, r, max_body, out);
	if (r->method == OP_POST)
		return refuse(out, 405, "expected the method GET or HEAD");
	return true;
}

bool op_site_is_stream(const struct op_site *s, const struct op_request *r)
{
	struct op_view path = op_request_path(r), name;

	return r->method == OP_GET && op_guard_enter(&s->guard, &path) &&
	       api_name(path, &name) && op_view_is(name, "events");
}

/* --- answers --- */

static void answer_file(struct op_view path, struct op_response *out)
{
	struct op_page_file file;

	if (!op_page_find(op_view(path.p + 1, path.n - 1), &file)) {
		op_response_error(out, 404, "not found");
		return;
	}
	out->status = 200;
	out->type = file.type;
	op_buf_view(&out->body, file.bytes);
}

/* 400 if the request is wrong; what was sent may also be no profile. */
static int status_of(int code)
{
	switch (code) {
	case OP_EUSAGE:
	case OP_EFORMAT:
		return 400;
	case OP_ELIMIT:
		return 413;
	default:
		return op_budget()->refused ? 413 : 500;
	}
}

/* The sentence needs no budget, of which nothing may be left. */
static void fail(struct op_response *out, const struct op_err *err)
{
	int status = status_of(err->code);
	struct op_budget *spent = op_budget_use(NULL);

	op_response_error(out, status, err->text);
	op_budget_use(spent);
}

/* The name of the file; it is the only parameter. */
static const char *open_name(const struct op_params *p, struct op_err *err)
{
	const char *name = op_param(p, "name");

	for (size_t i = 0; i < p->list.n; i++)
		if (strcmp(p->list.p[i].name, "name") != 0)
			op_fail(err, OP_EUSAGE,
				"api/open has no parameter '%.60s'",
				p->list.p[i].name);
	return name ? name : "file";
}

static bool answer_open(const struct op_site *s, const struct op_params *p,
			struct op_buf *body, struct op_response *out)
{
	struct op_json w = { .out = &out->body };
	struct op_err err = { 0 };
	const char *name = open_name(p, &err);
	uint32_t file = 0;

	if (err.code || s->open(s->ctx, name, body, &file, &err)) {
		fail(out, &err);
		return false;
	}
	out->status = 200;
	out->type = "application/json";
	op_json_open(&w, '{');
	op_json_key(&w, "file");
	op_json_uint(&w, file);
	op_json_close(&w, '}');
	return true;
}

static bool answer_api(const struct op_site *s, const struct op_request *r,
		       struct op_view name, struct op_buf *body,
		       struct op_response *out)
{
	struct op_err err = { 0 };
	struct op_params params = { 0 };
	char text[40];
	bool is_new = false;

	if (!s->ask || name.n >= sizeof(text)) {
		op_response_error(out, 404, "unknown API call");
		return false;
	}
	memcpy(text, name.p, name.n);
	text[name.n] = 0;
	if (op_params_parse(&params, op_request_query(r), &err))
		fail(out, &err);
	else if (r->method == OP_POST)
		is_new = answer_open(s, &params, body, out);
	else
		s->ask(s->api, text, &params, out);
	op_params_free(&params);
	return is_new;
}

static bool answer(const struct op_site *s, const struct op_request *r,
		   struct op_buf *body, struct op_response *out)
{
	struct op_view path = op_request_path(r), name;

	if (!op_guard_enter(&s->guard, &path)) {
		op_response_error(out, 403, "the token is missing");
		return false;
	}
	if (api_name(path, &name))
		return answer_api(s, r, name, body, out);
	if (path.n) {
		answer_file(path, out);
		return false;
	}
	/* Addresses in the page are relative to the slash. */
	op_response_error(out, 308, "the address must end in a slash");
	snprintf(out->location, sizeof(out->location), "/%s/", s->guard.token);
	return false;
}

bool op_site_answer(const struct op_site *s, const struct op_request *r,
		    struct op_buf *body, struct op_response *out)
{
	struct op_budget own = { .input = s->input_bytes,
				 .times = s->budget_times };
	struct op_budget *before = op_budget_use(&own);
	struct op_err err = { 0 };
	bool is_new;

	out->body.err = &err;
	is_new = answer(s, r, body, out);
	/* A reply that could not be written whole is none. */
	if (err.code) {
		struct op_err again = { 0 };

		op_buf_free(&out->body);
		out->body = (struct op_buf){ .err = &again };
		fail(out, &err);
	}
	out->body.err = NULL;
	op_budget_use(before);
	return is_new;
}
