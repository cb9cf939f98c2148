// SPDX-License-Identifier: Apache-2.0
#include "server/site.h"

#include "base/budget.h"
#include "test.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static char asked[100];
static uint32_t nr_opened;

static void ask(const struct op_api *api, const char *name,
		const struct op_params *params, struct op_response *out)
{
	const char *x = op_param(params, "x");

	CHECK(op_budget() && op_budget()->input == 1000);
	(void)api;
	snprintf(asked, sizeof(asked), "%s %s", name, x ? x : "");
	out->status = 200;
	out->type = "application/json";
	op_buf_z(&out->body, "{}");
}

static int open_file(void *ctx, const char *name, struct op_buf *bytes,
		     uint32_t *file_out, struct op_err *err)
{
	(void)ctx;
	snprintf(asked, sizeof(asked), "open %s %.*s", name, (int)bytes->n,
		 (const char *)bytes->p);
	op_buf_free(bytes);
	if (!strcmp(name, "bad"))
		return op_fail(err, OP_EFORMAT, "not a profile");
	if (!strcmp(name, "slow"))
		return op_work(UINT64_MAX / 2, err);
	if (!strcmp(name, "large") && !op_heap_resize(NULL, 1 << 30, err))
		return err->code;
	*file_out = ++nr_opened;
	return OP_OK;
}

static struct op_site site = {
	.guard = { TOKEN, 8080 },
	.ask = ask,
	.open = open_file,
	.max_file = 20,
	.input_bytes = 1000,
	.budget_times = 1,
};

struct request {
	enum op_method method;
	const char *url, *body;
};

/* The status; the body of the reply is in text. */
static int go(struct request q, char *text, size_t room)
{
	struct op_err err = { 0 };
	struct op_request r = { .method = q.method,
				.url.err = &err,
				.body.err = &err,
				.host = { "localhost:8080", 14, 1 } };
	struct op_response out = { .body.err = &err };
	uint64_t max;

	asked[0] = 0;
	op_buf_z(&r.url, q.url);
	if (q.body) {
		op_buf_z(&r.body, q.body);
		r.body_bytes = strlen(q.body);
	}
	if (op_site_admit(&site, &r, &max, &out)) {
		CHECK(!q.body || max >= strlen(q.body));
		op_site_answer(&site, &r, &r.body, &out);
	}
	snprintf(text, room, "%.*s", (int)out.body.n, (const char *)out.body.p);
	op_buf_free(&r.url);
	op_buf_free(&r.body);
	op_buf_free(&out.body);
	return out.status;
}

TEST(addresses)
{
	static const struct {
		struct request q;
		int status;
		const char *asked;
	} cases[] = {
		{ { OP_GET, "/" TOKEN "/api/top?x=1%202", NULL },
		  200,
		  "top 1 2" },
		{ { OP_HEAD, "/" TOKEN "/api/top", NULL }, 200, "top " },
		{ { OP_GET, "/" TOKEN "/api/", NULL }, 200, " " },
		{ { OP_GET, "/" TOKEN "/api/x?x=%zz", NULL }, 400, "" },
		{ { OP_GET, "/" TOKEN "/api/x?x=1&x=2", NULL }, 400, "" },
		{ { OP_GET, "/" TOKEN "/none.js", NULL }, 404, "" },
		{ { OP_GET, "/" TOKEN "/lib/../app.js", NULL }, 404, "" },
		{ { OP_GET, "/" TOKEN "/%2e%2e/x", NULL }, 404, "" },
		{ { OP_GET, "/" TOKEN, NULL }, 308, "" },
		{ { OP_GET, "/", NULL }, 403, "" },
		{ { OP_GET, "/favicon.ico", NULL }, 403, "" },
		{ { OP_GET, "http://localhost:8080/" TOKEN "/", NULL },
		  403,
		  "" },
		{ { OP_OTHER_METHOD, "/" TOKEN "/", NULL }, 405, "" },
		{ { OP_POST, "/" TOKEN "/", NULL }, 405, "" },
		{ { OP_POST, "/" TOKEN "/api/top", NULL }, 405, "" },
		{ { OP_GET, "/" TOKEN "/api/open", NULL }, 405, "" },
		{ { OP_POST, "/" TOKEN "/api/open?name=a.jfr", "bytes" },
		  200,
		  "open a.jfr bytes" },
		{ { OP_POST, "/" TOKEN "/api/open", "b" }, 200, "open file b" },
		{ { OP_POST, "/" TOKEN "/api/open?nam=a", "b" }, 400, "" },
		{ { OP_POST, "/" TOKEN "/api/open?name=bad", "b" },
		  400,
		  "open bad b" },
		{ { OP_POST, "/" TOKEN "/api/open?name=slow", "b" },
		  413,
		  "open slow b" },
		{ { OP_POST, "/" TOKEN "/api/open?name=large", "b" },
		  413,
		  "open large b" },
		{ { OP_POST, "/" TOKEN "/api/open", "more than 20 characters" },
		  413,
		  "" },
	};
	char text[200];

	for (size_t i = 0; i < op_countof(cases); i++) {
		int status = go(cases[i].q, text, sizeof(text));

		if (status != cases[i].status || strcmp(asked, cases[i].asked))
			TEST_FAIL("%s: %d '%s'", cases[i].q.url, status, asked);
		if (status >= 400 && strncmp(text, "{\"error\":\"", 10))
			TEST_FAIL("%.60s: '%.60s'", cases[i].q.url, text);
	}
	go((struct request){ OP_POST, "/" TOKEN "/api/open?name=x", "b" }, text,
	   sizeof(text));
	CHECK_STR(text, "{\"file\":3}");
}

TEST(streams)
{
	static const struct {
		enum op_method method;
		const char *url;
		bool is_stream;
	} cases[] = {
		{ OP_GET, "/" TOKEN "/api/events", true },
		{ OP_GET, "/" TOKEN "/api/events?x", true },
		{ OP_HEAD, "/" TOKEN "/api/events", false },
		{ OP_GET, "/" TOKEN "/api/event", false },
		{ OP_GET, "/api/events", false },
	};

	for (size_t i = 0; i < op_countof(cases); i++) {
		struct op_err err = { 0 };
		struct op_request r = { .method = cases[i].method,
					.url.err = &err };

		op_buf_z(&r.url, cases[i].url);
		CHECK_EQ(op_site_is_stream(&site, &r), cases[i].is_stream);
		op_buf_free(&r.url);
	}
}

/* Without memory there is an answer that says so, or none. */
TEST(memory)
{
	char text[200];

	EACH_ALLOC_FAILS(k) {
		int status = go((struct request){ OP_GET,
						  "/" TOKEN "/api/x?x=1",
						  NULL },
				text, sizeof(text));

		CHECK(status == 200 || status == 500 || status == 403);
		CHECK_EQ(status == 200, !op_alloc_failed());
	}
}

TEST_MAIN(addresses, streams, memory)
