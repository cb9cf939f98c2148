// SPDX-License-Identifier: Apache-2.0
#include "sym/kallsyms.h"

#include "test.h"

static const char text[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000100 t local\n"
			   "ffffffff81000100 T _stext\n"
			   "ffffffff81000200 W weak\n"
			   "ffffffff81000200 D data\n"
			   "ffffffffc0201000 t nf_init\t[nf_tables]\n"
			   "ffffffffc0201040 t bpf_prog_1\t[bpf]\n"
			   "ffffffffc0201080 T nf_cut";

static const char *name_of(const struct op_kallsyms *k, uint64_t at)
{
	const struct op_symbol *s = op_symtab_find(&k->symbols, at);
	static char out[80];

	if (!s)
		return NULL;
	snprintf(out, sizeof(out), "%.*s", (int)s->name_bytes, s->name);
	return out;
}

TEST(reading)
{
	static const struct {
		uint64_t at;
		const char *want;
	} rows[] = {
		{ 0, NULL },
		{ 0xffffffff80ffffff, NULL },
		{ 0xffffffff81000000, "startup_64" },
		{ 0xffffffff810000ff, "startup_64" },
		{ 0xffffffff81000100, "_stext" },
		{ 0xffffffff81000200, "weak" },
		{ 0xffffffff812fffff, NULL },
		{ 0xffffffffc0201010, "nf_init" },
		{ 0xffffffffc0201041, "bpf_prog_1" },
	};
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_kallsyms k = { .symbols.mem = &mem };

	CHECK_EQ(op_kallsyms_read(&k, op_view(text, sizeof(text) - 1), &err),
		 OP_OK);
	CHECK_EQ(k.text, 0xffffffff81000000);
	CHECK_EQ(k.stext, 0xffffffff81000100);
	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_STR(name_of(&k, rows[i].at), rows[i].want);
	op_arena_free(&mem);
}

TEST(failing)
{
	static const struct {
		const char *name;
		const char *in;
		int code;
		uint64_t at;
	} rows[] = {
		{ "empty", "", OP_EUSAGE, 0 },
		{ "hidden", "0000000000000000 T a\n0 t b\n", OP_EUSAGE, 0 },
		{ "no number", "zz T a\n", OP_EFORMAT, 0 },
		{ "no kind", "1 T a\n12 a\n", OP_EFORMAT, 6 },
		{ "no name", "1 T \n", OP_EFORMAT, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		struct op_kallsyms k = { .symbols.mem = &mem };

		op_kallsyms_read(&k, op_view_z(rows[i].in), &err);
		if (err.code != rows[i].code || err.at != rows[i].at)
			TEST_FAIL("%s: code %d at %d", rows[i].name, err.code,
				  (int)err.at);
		op_arena_free(&mem);
	}
}

TEST(without_memory)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		struct op_kallsyms ks = { .symbols.mem = &mem };

		op_kallsyms_read(&ks, op_view_z(text), &err);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_arena_free(&mem);
	}
}

TEST_MAIN(reading, failing, without_memory)
