// SPDX-License-Identifier: Apache-2.0
#include "sym/lines_scope.h"

#include "test.h"

TEST(names)
{
	struct op_arena mem = { .err = OP_IGNORED };
	struct op_scopes s = { 0 };
	uint32_t app = op_scopes_add(&s, &mem, 0, "app");
	uint32_t hidden = op_scopes_add(&s, &mem, app, "(anonymous namespace)");
	uint32_t box = op_scopes_add(&s, &mem, hidden, "box<int>");

	CHECK(op_scopes_put(&s, &mem, 10, app));
	CHECK(op_scopes_put(&s, &mem, 20, box));
	CHECK_STR(op_scopes_name(&s, &mem, 10, "run"), "app::run");
	CHECK_STR(op_scopes_name(&s, &mem, 20, "~box"),
		  "app::(anonymous namespace)::box<int>::~box");
	CHECK(op_scopes_name(&s, &mem, 20, "~box") ==
	      op_scopes_name(&s, &mem, 20, "~box"));
	CHECK_STR(op_scopes_name(&s, &mem, 15, "main"), NULL);
	CHECK_STR(op_scopes_name(&s, &mem, 30, "main"), NULL);
	op_arena_free(&mem);
}

TEST(too_long)
{
	static char name[5000];
	struct op_arena mem = { .err = OP_IGNORED };
	struct op_scopes s = { 0 };
	uint32_t scope = 0;

	CHECK_STR(op_scopes_name(&s, &mem, 1, "x"), NULL);
	memset(name, 'a', sizeof(name) - 1);
	scope = op_scopes_add(&s, &mem, 0, name);
	CHECK(op_scopes_put(&s, &mem, 1, scope));
	CHECK(op_scopes_put(&s, &mem, 2, op_scopes_add(&s, &mem, 0, "b")));
	CHECK_STR(op_scopes_name(&s, &mem, 1, "x"), NULL);
	CHECK_STR(op_scopes_name(&s, &mem, 2, name), NULL);
	op_arena_free(&mem);
}

TEST(without_memory)
{
	EACH_ALLOC_FAILS(k) {
		struct op_arena mem = { .err = OP_IGNORED };
		struct op_scopes s = { 0 };
		uint32_t scope = op_scopes_add(&s, &mem, 0, "a");
		bool ok = scope && op_scopes_put(&s, &mem, 1, scope) &&
			  op_scopes_name(&s, &mem, 1, "b");

		CHECK_EQ(ok, !op_alloc_failed());
		op_arena_free(&mem);
	}
}

TEST_MAIN(names, too_long, without_memory)
