// SPDX-License-Identifier: Apache-2.0
#include "sym/vdso.h"

#include "sym/build_id.h"
#include "sym/symtab.h"
#include "test.h"

TEST(own)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_symtab t = { .mem = &mem };
	struct op_view id;
	struct op_elf e;

	if (!op_vdso_open(&e))
		TEST_SKIP("this process has no vDSO");
	CHECK(op_build_id_gnu(&e, &id));
	CHECK(e.segments.nr && e.sections.nr);
	CHECK_EQ(op_symtab_add_elf(&t, &e, &err), OP_OK);
	CHECK(t.rows.n);
	op_arena_free(&mem);
}

TEST_MAIN(own)
