// SPDX-License-Identifier: Apache-2.0
/* Any bytes as what a client sends to the local server. The first byte says in
 * pieces of which size they come. Each request gets exactly one reply, with a
 * status that is known, and whatever the pieces are, the replies are the same,
 * but for which of two faults is reported. Nothing is answered without the
 * token. */
#include "fuzz/prop.h"
#include "server/http1.h"
#include "server/site.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

enum { MAX_FILE = 100 };

static uint32_t nr_asked;

static void ask(const struct op_api *api, const char *name,
		const struct op_params *params, struct op_response *out)
{
	(void)api;
	PROP(strlen(name) < 40);
	for (size_t i = 0; i < params->list.n; i++)
		PROP(params->list.p[i].name && params->list.p[i].value);
	nr_asked++;
	out->status = 200;
	out->type = "application/json";
	op_buf_z(&out->body, "{}");
}

static int open_file(void *ctx, const char *name, struct op_buf *bytes,
		     uint32_t *file_out, struct op_err *err)
{
	(void)ctx;
	(void)name;
	PROP(bytes->n <= MAX_FILE);
	nr_asked++;
	*file_out = 0;
	op_buf_free(bytes);
	return *name == '!' ? op_fail(err, OP_EFORMAT, "none") : OP_OK;
}

static const struct op_site site = {
	.guard = { TOKEN, 8080 },
	.ask = ask,
	.open = open_file,
	.max_file = MAX_FILE,
	.input_bytes = 1000,
	.budget_times = 1,
};

/* Writes the head of a reply, whose lines are as many as they are meant. */
static void put(const struct op_request *r, struct op_response *reply,
		struct op_buf *out)
{
	size_t at = out->n;

	PROP(reply->status >= 200 && reply->status < 600);
	PROP(strcmp(op_status_text(reply->status), "Unknown"));
	op_response_head(out, reply, r->keeps_alive ? 0 : OP_HTTP1_CLOSES);
	PROP(!memcmp(out->p + at, "HTTP/1.1 ", 9));
	PROP(op_view_ends(op_view(out->p, out->n), "\r\n\r\n"));
	for (size_t i = at; i < out->n; i++)
		PROP(out->p[i] != '\n' || out->p[i - 1] == '\r');
	op_buf_view(out, op_view(reply->body.p, reply->body.n));
	op_buf_free(&reply->body);
}

static bool has_token(const struct op_request *r)
{
	return op_view_holds(op_view(r->url.p, r->url.n), TOKEN);
}

/* Gives whether the connection goes on. */
static bool answer(struct op_http1 *h, struct op_buf *out)
{
	const struct op_request *r = op_http1_request(h);
	struct op_response reply = { 0 };
	uint32_t before = nr_asked;
	bool goes_on = r->keeps_alive && !op_site_is_stream(&site, r);

	op_site_answer(&site, r, op_http1_body(h), &reply);
	PROP(nr_asked - before <= 1);
	PROP(nr_asked == before || has_token(r));
	put(r, &reply, out);
	op_http1_next(h);
	return goes_on;
}

static bool refused(struct op_http1 *h, uint64_t *max_body, struct op_buf *out)
{
	const struct op_request *r = op_http1_request(h);
	struct op_err err = { 0 };
	struct op_response reply = { .body.err = &err };

	if (op_site_admit(&site, r, max_body, &reply)) {
		PROP(has_token(r) && !reply.body.n);
		return false;
	}
	put(r, &reply, out);
	return true;
}

static void run(struct op_view in, size_t piece, struct op_buf *out)
{
	struct op_err err = { 0 };
	struct op_http1 *h = op_http1_new(&err);
	uint64_t max_body = 0;
	bool goes_on = true;
	size_t at = 0;

	while (goes_on && at < in.n) {
		size_t n = in.n - at < piece ? in.n - at : piece;
		size_t took = op_http1_feed(h, op_view(in.p + at, n), max_body);

		PROP(took <= n);
		at += took;
		switch (op_http1_state(h)) {
		case OP_HTTP1_READING:
			PROP(took == n);
			break;
		case OP_HTTP1_HEAD:
			goes_on = !refused(h, &max_body, out);
			break;
		case OP_HTTP1_REQUEST:
			PROP(op_http1_body(h)->n <= max_body);
			goes_on = answer(h, out);
			max_body = 0;
			break;
		case OP_HTTP1_FAILED:
			PROP(op_http1_status(h) >= 400);
			/* Of two faults the first that is seen counts. */
			op_buf_z(out, "failed");
			goes_on = false;
			break;
		}
	}
	op_http1_free(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_err err = { 0 };
	struct op_buf whole = { .err = &err }, pieces = { .err = &err };

	if (!n)
		return 0;
	run(op_view(p + 1, n - 1), SIZE_MAX, &whole);
	run(op_view(p + 1, n - 1), (size_t)p[0] + 1, &pieces);
	PROP(!err.code);
	PROP(whole.n == pieces.n &&
	     (!whole.n || !memcmp(whole.p, pieces.p, whole.n)));
	op_buf_free(&whole);
	op_buf_free(&pieces);
	return 0;
}
