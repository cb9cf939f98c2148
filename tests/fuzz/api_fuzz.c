// SPDX-License-Identifier: Apache-2.0
/* Any request to the API, as "name?parameters". Whatever it is, the answer has
 * a status, and is one JSON value or a file; a failure has a sentence; and the
 * same request has the same answer. */
#include <stdlib.h>

#include "fuzz/prop.h"
#include "pb/json_extract.h"
#include "server/api.h"
#include "write/sketch.h"

static const struct sketch files[][2] = {
	{ { .samples = "main;a 10@1000 20@2000 thread.name=t http.route=/x\n"
		       "main;b;b 30@1500 thread.name=\"\\\n"
		       "</script>;\xff\x01 5@900 #1\n"
		       "- 1@2500 #2",
	    .resource = "service.name=shop" },
	  { .samples = "main;wait 700@1100 400@2000 thread.name=t",
	    .type = "park",
	    .resource = "service.name=shop" } },
	{ { .samples = "main;a 7\nmain;c 9" },
	  { .samples = "main 3", .type = "inuse_space", .unit = "bytes" } },
};

static void store_make(struct op_api *api)
{
	struct op_err err = { 0 };

	api->store = op_memory_store(&err);
	for (size_t i = 0; i < op_countof(files); i++) {
		struct op_model m = { 0 };

		PROP(!sketch_model(&m, files[i], 2, &err));
		PROP(!op_store_put(api->store, i ? "b" : "a", &m, &err));
	}
}

static void prop_reply(const struct op_response *r)
{
	struct op_err err = { 0 };
	struct op_json_in in;

	PROP(r->status == 200 || r->status == 400 || r->status == 404 ||
	     r->status == 413 || r->status == 500);
	PROP(r->status != 500);
	PROP(!r->file_name[0] || r->status == 200);
	PROP(!strpbrk(r->file_name, "/\\\"\r\n"));
	if (r->file_name[0])
		return;
	PROP(!strcmp(r->type, "application/json"));
	in = op_json_start(op_view(r->body.p, r->body.n), &err);
	op_json_skip(&in);
	op_json_finish(&in);
	PROP(!err.code);
	if (r->status != 200)
		PROP(r->body.n > 11 && !memcmp(r->body.p, "{\"error\":\"", 10));
}

static void ask(const struct op_api *api, const char *name,
		const struct op_params *p)
{
	struct op_response r[2];

	for (int i = 0; i < 2; i++) {
		op_api_answer(api, name, p, &r[i]);
		prop_reply(&r[i]);
	}
	PROP(r[0].status == r[1].status && r[0].body.n == r[1].body.n);
	PROP(!r[0].body.n || !memcmp(r[0].body.p, r[1].body.p, r[0].body.n));
	op_buf_free(&r[0].body);
	op_buf_free(&r[1].body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct op_api_file names[] = {
		{ "a", "otlp", 1000, { 0 } }, { "b", "otlp", 100, { 5, 9 } }
	};
	static struct op_api api = { .title = "../a \"b\"",
				     .files = names,
				     .nr_files = 2,
				     .origin_ns = 900 };
	const uint8_t *query = n ? memchr(data, '?', n) : NULL;
	size_t name_n = query ? (size_t)(query - data) : n;
	struct op_params p = { 0 };
	struct op_err err = { 0 };
	char name[40] = "";

	if (name_n >= sizeof(name) || (name_n && memchr(data, 0, name_n)))
		return 0;
	if (!api.store)
		store_make(&api);
	if (name_n)
		memcpy(name, data, name_n);
	if (query)
		op_params_parse(&p, op_view(query + 1, n - name_n - 1), &err);
	if (!err.code)
		ask(&api, name, &p);
	op_params_free(&p);
	return 0;
}
