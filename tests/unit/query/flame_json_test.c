// SPDX-License-Identifier: Apache-2.0
#include "query/flame_json.h"

#include "query/group_by.h"
#include "test.h"
#include "write/sketch.h"

/* The tree of some samples as JSON; NULL: it failed. The result is good until
 * the next call. */
static const char *json(const char *samples, const char *by, double least,
			uint32_t limit, struct op_err *err)
{
	static char text[2000];
	struct sketch s = { .samples = samples };
	struct op_flame f = { .origins = true };
	struct op_buf out = { .err = err };
	struct op_json w = { .out = &out };
	struct op_flame_json x = { .w = &w, .least = least, .limit = limit };
	struct op_group_by g;
	struct op_model m = { 0 };

	op_json_open(&w, '{');
	if (!sketch_model(&m, &s, 1, err) && !op_group_by_parse(&g, by, err) &&
	    !op_flame_build_by(&f, &m, m.resources[0].scopes[0].profiles, &g,
			       err) &&
	    !op_flame_json_tree(&x, &f, err) &&
	    !op_flame_json_frames(&x, &f, err)) {
		op_json_key(&w, "cut");
		op_json_uint(&w, x.nr_cut);
		op_json_int(&w, x.cut);
		op_json_close(&w, '}');
	}
	snprintf(text, sizeof(text), "%.*s", (int)out.n, (const char *)out.p);
	op_buf_free(&out);
	op_flame_json_free(&x);
	op_flame_free(&f);
	op_model_free(&m);
	return err->code ? NULL : text;
}

static const char *const samples = "a;b;c 50 thread.name=t\n"
				   "a;d 30 thread.name=t\n"
				   "a;e 2 thread.name=u\n"
				   "f 1 thread.name=u";

TEST(trees)
{
	static const struct {
		const char *by;
		double least;
		uint32_t limit;
		const char *want;
	} rows[] = {
		{ NULL, 0, 0,
		  "{\"nodes\":[0,1,0,0,2,0,0,3,50,2,4,30,1,5,2,2,6,1],"
		  "\"inlined\":[],\"frames\":[0,1,2,2,3,2,2,2,4,2,2,2,5,2,2,2,"
		  "6,2,2,2,7,2,2,2,8,2,2,2],\"strings\":[\"(smaller frames)\","
		  "\"cut\",\"\",\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"],"
		  "\"cut\":0,0}" },
		{ NULL, 0.1, 0,
		  "{\"nodes\":[0,0,1,1,1,0,0,0,2,1,2,0,0,3,50,2,4,30],"
		  "\"inlined\":[],\"frames\":[0,1,2,2,3,2,2,2,4,2,2,2,5,2,2,2,"
		  "6,2,2,2],\"strings\":[\"(smaller frames)\","
		  "\"cut\",\"\",\"a\",\"b\",\"c\",\"d\"],\"cut\":2,3}" },
		{ NULL, 0, 2,
		  "{\"nodes\":[0,0,1,1,1,0,0,0,82],\"inlined\":[],"
		  "\"frames\":[0,1,2,2,3,2,2,2],\"strings\":["
		  "\"(smaller frames)\",\"cut\",\"\",\"a\"],\"cut\":5,83}" },
		{ "thread", 0, 0,
		  "{\"nodes\":[0,1,80,1,2,3],\"inlined\":[],\"frames\":[0,1,2,"
		  "2,3,4,2,2,5,4,2,2],\"strings\":[\"(smaller frames)\","
		  "\"cut\",\"\",\"t\",\"thread\",\"u\"],\"cut\":0,0}" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };

		CHECK_STR(json(samples, rows[i].by, rows[i].least,
			       rows[i].limit, &err),
			  rows[i].want);
	}
}

/* What names may be is text of JSON all the same. */
TEST(names)
{
	struct op_err err = { 0 };
	const char *text = json("a\"b\\;\xff\x01</script> 1", NULL, 0, 0, &err);

	CHECK(text && strstr(text, "\"a\\\"b\\\\\",\"\xef\xbf\xbd\\u0001</"
				   "script>\""));
}

TEST(oom)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };

		if (!json(samples, "thread,function", 0.1, 3, &err))
			CHECK_EQ(err.code, OP_ENOMEM);
	}
}

TEST_MAIN(trees, names, oom)
