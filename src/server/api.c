// SPDX-License-Identifier: Apache-2.0
/* server/api.c: the table of requests, and what all of them do: parameters are
 * checked, work is limited, and a failure becomes an answer. */
#include "server/api.h"

#include <stdio.h>

#include "base/budget.h"
#include "base/closest.h"
#include "server/api_int.h"

/* What a request selects, with or without a second selection. */
enum { NONE, ONE, TWO };

static const struct request {
	const char *name;
	op_api_fn *answer;
	int selections;
	const char *params; /* its own, with commas */
} requests[] = {
	{ "overview", op_api_overview, NONE, "" },
	{ "values", op_api_values, ONE, "label,limit,match" },
	{ "flame", op_api_flame, TWO, "by,inverted,least,limit" },
	{ "top", op_api_top, TWO, "by,sort,limit,match" },
	{ "peek", op_api_peek, ONE, "function,limit" },
	{ "lines", op_api_lines, ONE, "function" },
	{ "series", op_api_series, ONE, "by,columns,limit" },
	{ "heatmap", op_api_heatmap, ONE, "rows,width" },
	{ "lanes", op_api_lanes, ONE, "columns,limit,match,sort,intervals" },
	{ "chart", op_api_chart, ONE, "columns,limit" },
	{ "traces", op_api_traces, ONE, "limit" },
	{ "spans", op_api_spans, ONE, "trace,limit" },
	{ "download", op_api_download, TWO, "format" },
	{ "source", op_api_source, NONE, "file" },
};

static const char selection[] = "type,where,from,to,focus,ignore,hide,"
				"show_from,collapse,file";
static const char difference[] = "normalize";
static const char before[] = "before.";

static const struct request *find(const char *name, struct op_err *err)
{
	struct op_closest c = { .wanted = op_view_z(name) };

	for (size_t i = 0; i < op_countof(requests); i++) {
		if (!strcmp(requests[i].name, name))
			return &requests[i];
		op_closest_offer(&c, op_view_z(requests[i].name));
	}
	op_fail(err, OP_EUSAGE, "unknown API call api/%.60s%s%.*s%s", name,
		c.best.n ? "; did you mean api/" : "", (int)c.best.n,
		(const char *)c.best.p, c.best.n ? "?" : "");
	return NULL;
}

/* --- parameters --- */

static bool is_in(const char *list, const char *name, struct op_closest *c)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (strlen(name) == n && !memcmp(name, list, n))
			return true;
		op_closest_offer(c, op_view(list, n));
		list += n + (list[n] == ',');
	}
	return false;
}

static bool takes(const struct request *x, const char *name,
		  struct op_closest *c)
{
	size_t n = sizeof(before) - 1;

	*c = (struct op_closest){ .wanted = op_view_z(name) };
	if (is_in(x->params, name, c) ||
	    (x->selections != NONE && is_in(selection, name, c)))
		return true;
	if (x->selections != TWO)
		return false;
	return is_in(difference, name, c) ||
	       (!strncmp(name, before, n) && is_in(selection, name + n, c));
}

/* A parameter that nobody reads would be a wrong answer without a word. */
static int params_check(const struct request *x, const struct op_params *p,
			struct op_err *err)
{
	for (size_t i = 0; i < p->list.n; i++) {
		const char *name = p->list.p[i].name;
		struct op_closest c;

		if (takes(x, name, &c))
			continue;
		return op_fail(err, OP_EUSAGE,
			       "api/%s has no parameter '%.60s'%s%.*s%s",
			       x->name, name,
			       c.best.n ? "; did you mean '" : "",
			       (int)c.best.n, (const char *)c.best.p,
			       c.best.n ? "'?" : "");
	}
	return OP_OK;
}

void op_api_fail(struct op_request *r, const char *name,
		 const struct op_err *why)
{
	if (why->has_at)
		op_fail_at(r->err, why->code, why->at, "%s: %.180s", name,
			   why->text);
	else
		op_fail(r->err, why->code, "%s: %.180s", name, why->text);
}

uint32_t op_api_number(struct op_request *r, const char *name,
		       uint32_t fallback, uint32_t most)
{
	uint64_t v = op_param_number(r->params, name, fallback, most, r->err);

	if (!v)
		op_fail(r->err, OP_EUSAGE, "%s expects a number from 1 to %u",
			name, most);
	return (uint32_t)v;
}

bool op_api_flag(struct op_request *r, const char *name)
{
	return op_param_number(r->params, name, 0, 1, r->err);
}

struct op_regex *op_api_pattern(struct op_request *r, const char *name)
{
	const char *text = op_param(r->params, name);
	struct op_err why = { 0 };
	struct op_regex *re = text ? op_regex_new(text, &why) : NULL;

	if (why.code)
		op_api_fail(r, name, &why);
	return re;
}

uint32_t op_api_choice(struct op_request *r, const char *name,
		       const char *const *words, uint32_t nr)
{
	const char *text = op_param(r->params, name);
	struct op_buf list = { .err = r->err };

	for (uint32_t i = 0; i < nr; i++)
		if (!text || !strcmp(text, words[i]))
			return i;
	for (uint32_t i = 0; i < nr; i++)
		op_buf_printf(&list, "%s%s", i ? " or " : "", words[i]);
	op_fail(r->err, OP_EUSAGE, "%s expects %.*s, not '%.60s'", name,
		(int)list.n, (const char *)list.p, text);
	op_buf_free(&list);
	return 0;
}

/* --- answers --- */

void op_api_time_put(struct op_request *r, uint64_t ns)
{
	uint64_t origin = r->api->origin_ns;

	if (ns >= origin)
		op_json_uint(&r->w, ns - origin);
	else if (origin - ns <= INT64_MAX)
		op_json_int(&r->w, -(int64_t)(origin - ns));
	else
		op_json_int(&r->w, INT64_MIN);
}

void op_api_time(struct op_request *r, const char *key, uint64_t ns)
{
	op_json_key(&r->w, key);
	op_api_time_put(r, ns);
}

void op_api_rest(struct op_request *r, uint64_t nr, const char *key,
		 int64_t sum)
{
	op_api_open(&r->w, "rest", '{');
	op_api_uint(&r->w, "nr", nr);
	if (key)
		op_api_int(&r->w, key, sum);
	op_json_close(&r->w, '}');
}

/* Memory that the budget refuses is no fault of the system. */
static int status_of(const struct op_err *err)
{
	switch (err->code) {
	case OP_EUSAGE:
		return 400;
	case OP_EFORMAT:
		return 404;
	case OP_ELIMIT:
		return 413;
	default:
		return op_budget()->refused ? 413 : 500;
	}
}

/* Whatever was written before is gone. What is left of the budget may be too
 * little for the sentence, which has none. Without memory for it the body stays
 * empty, and the status says enough. */
static void failure(struct op_response *out, const struct op_err *err,
		    int status)
{
	struct op_json w = { .out = &out->body };
	struct op_err none = { 0 };
	struct op_budget *spent;

	out->status = status;
	out->type = "application/json";
	out->file_name[0] = 0;
	op_buf_free(&out->body);
	out->body = (struct op_buf){ .err = &none };
	spent = op_budget_use(NULL);
	op_json_open(&w, '{');
	op_api_text(&w, "error", op_view_z(err->text));
	if (err->has_at)
		op_api_uint(&w, "at", err->at);
	op_json_close(&w, '}');
	op_budget_use(spent);
	if (none.code)
		out->body.n = 0;
}

/* As much as a run that reads the files has. A recording is our own, and has no
 * size yet. */
static struct op_budget budget_of(const struct op_api *api)
{
	const struct op_budget *run = op_budget();
	struct op_budget b = { .times = run ? run->times : 1,
			       .part = run ? run->part : 0 };

	for (uint32_t i = 0; i < api->nr_files; i++)
		b.input += api->files[i].bytes;
	if (api->is_live)
		b.times = 0;
	return b;
}

void op_api_answer(const struct op_api *api, const char *name,
		   const struct op_params *params, struct op_response *out)
{
	struct op_err err = { 0 };
	struct op_budget budget = budget_of(api), *run = op_budget_use(&budget);
	const struct request *x = find(name, &err);
	struct op_request r = { api, params, out, { 0 }, &err };

	*out = (struct op_response){ .status = 200,
				     .type = "application/json",
				     .body.err = &err };
	r.w.out = &out->body;
	if (!x) {
		failure(out, &err, 404);
	} else {
		if (!params_check(x, params, &err))
			x->answer(&r);
		if (err.code)
			failure(out, &err, status_of(&err));
	}
	out->body.err = OP_IGNORED;
	op_budget_use(run);
}
