// SPDX-License-Identifier: Apache-2.0
/* Profiles in a store, and requests about them. */
#ifndef OP_TESTS_UNIT_SERVER_API_FIXTURE_H
#define OP_TESTS_UNIT_SERVER_API_FIXTURE_H

#include "pb/json_extract.h"
#include "server/api.h"
#include "test.h"
#include "write/sketch.h"

struct fixture {
	struct op_api api;
	struct op_api_file files[4];
	struct op_response reply; /* of the last request */
};

/* Adds a file of profiles. */
static inline int fixture_put(struct fixture *f, const struct sketch *s,
			      size_t n, struct op_err *err)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	struct op_model m = { 0 };

	if (!f->api.store)
		f->api.store = op_memory_store(err);
	f->api.title = "test";
	f->api.files = f->files;
	if (!f->api.store || sketch_model(&m, s, n, err)) {
		op_model_free(&m);
		return err->code;
	}
	f->files[f->api.nr_files].name = names[f->api.nr_files];
	f->files[f->api.nr_files].format = "otlp";
	return op_store_put(f->api.store, names[f->api.nr_files++], &m, err);
}

static inline void fixture_free(struct fixture *f)
{
	op_buf_free(&f->reply.body);
	op_store_free(f->api.store);
	*f = (struct fixture){ 0 };
}

/* Whether the answer is one JSON value, or a file. */
static inline bool is_whole(const struct op_response *r)
{
	struct op_err err = { 0 };
	struct op_json_in in;

	if (strcmp(r->type, "application/json") || r->file_name[0])
		return r->status == 200;
	in = op_json_start(op_view(r->body.p, r->body.n), &err);
	op_json_skip(&in);
	op_json_finish(&in);
	return !err.code;
}

/* The answer to "name?params" as text, good until the next. */
static inline const char *ask(struct fixture *f, const char *request)
{
	size_t n = strcspn(request, "?");
	struct op_params p = { 0 };
	struct op_err err = { 0 };
	char name[80];

	snprintf(name, sizeof(name), "%.*s", (int)n, request);
	request += n + (request[n] == '?');
	op_buf_free(&f->reply.body);
	f->reply = (struct op_response){ 0 };
	if (!op_params_parse(&p, op_view_z(request), &err))
		op_api_answer(&f->api, name, &p, &f->reply);
	CHECK(err.code || is_whole(&f->reply) || op_alloc_failed());
	op_params_free(&p);
	f->reply.body.err = &err;
	op_buf_byte(&f->reply.body, 0);
	return f->reply.body.p ? (const char *)f->reply.body.p : "";
}

/* A request, and the text that its answer begins with or has in it. */
struct asked {
	const char *request;
	int status;
	const char *want;
};

static inline void ask_rows(struct fixture *f, const struct asked *rows,
			    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *got = ask(f, rows[i].request);

		if (f->reply.status != rows[i].status ||
		    !strstr(got, rows[i].want))
			TEST_FAIL("%s: %d %s", rows[i].request, f->reply.status,
				  got);
	}
}

/* The same about files of one profile each. */
static inline void ask_about(const struct sketch *files, size_t nr_files,
			     const struct asked *rows, size_t n)
{
	struct op_err err = { 0 };
	struct fixture f = { 0 };

	for (size_t i = 0; i < nr_files; i++)
		CHECK_EQ(fixture_put(&f, &files[i], 1, &err), OP_OK);
	ask_rows(&f, rows, n);
	fixture_free(&f);
}

/* A request about a file of n profiles has this status, unless an allocation
 * fails: each does in turn. */
static inline void ask_each_alloc_fails(const struct sketch *s, size_t n,
					const char *request, int status)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct fixture f = { 0 };

		if (!fixture_put(&f, s, n, &err)) {
			ask(&f, request);
			CHECK(f.reply.status == status || op_alloc_failed());
		}
		fixture_free(&f);
	}
}

#endif
