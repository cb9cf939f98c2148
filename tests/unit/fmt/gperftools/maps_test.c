// SPDX-License-Identifier: Apache-2.0
/* Memory maps behind the samples: one address at a time, and what the mapping
 * is that it gets. */
#include "gperftools_fixture.h"

static const char *mapping_text(const struct op_model *m)
{
	static char text[200];
	const struct op_mapping *row = &m->dict.mappings[1];
	const struct op_attr *id;

	if (m->dict.nr[OP_MAPPINGS] < 2)
		return "none";
	id = op_set_find(m, row->attrs, "process.executable.build_id.gnu");
	snprintf(text, sizeof(text), "%llx-%llx+%llx %.*s %.*s",
		 (unsigned long long)row->start, (unsigned long long)row->limit,
		 (unsigned long long)row->offset,
		 (int)op_string(m, row->filename).n,
		 (const char *)op_string(m, row->filename).p,
		 id ? (int)op_any_text(m, &id->value).n : 1,
		 id ? (const char *)op_any_text(m, &id->value).p : "-");
	return text;
}

#define PROC(range, perms, offset, file) \
	range " " perms " " offset " 08:01 12  " file "\n"

static const struct {
	const char *address, *maps, *want, *notes;
} rows[] = {
	/* As in /proc. */
	{ "0x1801", PROC("1000-2000", "r-xp", "00003000", "/bin/a"),
	  "1000-2000+3000 /bin/a -", "" },
	{ "0x1801", PROC("1000-2000", "rw-p", "00003000", "/bin/a"), "none",
	  "" },
	{ "0x1801", PROC("1000-2000", "r-xs", "00003000", "/my dir/a b"),
	  "1000-2000+3000 /my dir/a b -", "" },
	{ "0x1801", PROC("1000-2000", "r-xp", "0", "/bin/a (deleted)"),
	  "1000-2000+0 /bin/a -", "" },
	{ "0x1801", PROC("1000-2000", "r-xp", "0", ""), "1000-2000+0  -", "" },
	/* In short. */
	{ "0x1801", "  00001000-00002000: /bin/a\n", "1000-2000+0 /bin/a -",
	  "" },
	{ "0x1801", "0x1000-0x2000 /bin/a (@FF00) abc123456\n",
	  "1000-2000+ff00 /bin/a abc123456", "" },
	{ "0x1801", "1000 2000 r-xp /bin/a cafe\n", "1000-2000+0 /bin/a cafe",
	  "" },
	{ "0x1801", "1000-2000: cafe\n", "1000-2000+0 cafe -", "" },
	{ "0x1801", "1000-2000\n", "1000-2000+0  -", "" },
	/* Loggers and variables. */
	{ "0x1801", "I0102 12:00:01 7 maps.cc:45] 1000-2000: /bin/a\n",
	  "1000-2000+0 /bin/a -", "" },
	{ "0x1801", "dir = /x\n1000-2000: $dir/a$dirb$c\n",
	  "1000-2000+0 /x/a/xb$c -", "" },
	{ "0x1801", "a=/x\nb=$a/y\n1000-2000: $b/z\n", "1000-2000+0 /x/y/z -",
	  "" },
	/* Parts of one file are one. */
	{ "0x1801",
	  PROC("1000-1800", "r-xp", "1000", "/a")
		  PROC("1800-2000", "r-xp", "1800", "/a"),
	  "1000-2000+1000 /a -", "" },
	{ "0x1801", "1000-1800: \n1800-2000: /a\n", "1000-2000+0 /a -", "" },
	{ "0x1801",
	  PROC("1000-1800", "r-xp", "1000", "/a")
		  PROC("1800-2000", "r-xp", "1900", "/a"),
	  "1800-2000+1900 /a -", "" },
	{ "0x1801", "1000-1800: /a\n1800-2000: /b\n", "1800-2000+0 /b -", "" },
	{ "0x1801", "1000-1800: /a (@0) ab\n1800-2000: /a (@0) cd\n",
	  "1800-2000+0 /a cd", "" },
	/* What was left out before a part. */
	{ "0x1801", PROC("2000-3000", "r-xp", "1000", "/a"), "1000-3000+0 /a -",
	  "" },
	{ "0x1801", PROC("2000-3000", "r-xp", "100", "/a"), "none", "" },
	{ "0x1801", PROC("2000-3000", "r-xp", "9000", "/a"), "none", "" },
	/* Programs that are moved, and at their fixed address. */
	{ "0x1801", "1000-1800: /anon_hugepage\n1800-2000: /a\n",
	  "1800-2000+0 /a -", "" },
	{ "0x401801", PROC("401000-402000", "r-xp", "1000", "/a"),
	  "400000-402000+0 /a -", "" },
	/* The first of two counts, whatever their order. */
	{ "0x1801", "1000-9000: /a.so\n1400-2000: /b.so\n",
	  "1000-9000+0 /a.so -", "" },
	{ "0x1801", "1400-2000: /b.so\n1000-9000: /a.so\n",
	  "1400-2000+0 /b.so -", "" },
	{ "0x3801", "1400-2000: /b.so\n1000-9000: /a.so\n",
	  "1000-9000+0 /a.so -", "" },
	{ "0x3801", "1400-2000: /b.so\n1000-9000: /a\n", "1000-9000+0 /a -",
	  "" },
	/* No map. */
	{ "0x1", "0-1000: /a\n", "none", "" },
	{ "0x1801", "2000-1000: /a\n", "none", "" },
	{ "0x1801", "# comment\n\nwhat is this\n1000=2000\n", "none",
	  "1 unknown lines skipped\n" },
	{ "0x1801", "1000-20000000000000000: /a\n1000-2000x\n1000-\n", "none",
	  "3 unknown lines skipped\n" },
};

TEST(one_address)
{
	static struct gperf g;
	char text[400];

	for (size_t i = 0; i < op_countof(rows); i++) {
		const char *got;

		snprintf(text, sizeof(text),
			 "x profile: total 1\n1 @ %s\n--- Memory map: ---\n%s",
			 rows[i].address, rows[i].maps);
		gperf_read(&g, op_view_z(text));
		got = g.err.code ? g.err.text : mapping_text(&g.m);
		if (strcmp(got, rows[i].want))
			TEST_FAIL("%.60s: %.80s", rows[i].maps, got);
		if (strcmp(g.notes, rows[i].notes))
			TEST_FAIL("%.60s notes %.80s", rows[i].maps, g.notes);
		op_model_free(&g.m);
	}
}

/* The program comes before libraries and what is no file. */
TEST(program_is_first)
{
	static struct gperf g;

	gperf_read(&g, op_view_z("x profile: total 1\n"
				 "1 @ 0x1801 0x2801 0x3801 0x4801\n"
				 "--- Memory map: ---\n1000-2000: [vdso]\n"
				 "2000-3000: /libc.so\n3000-4000: /l.so.6\n"
				 "4000-5000: /so.x\n"));
	CHECK_EQ(g.m.dict.nr[OP_MAPPINGS], 5);
	CHECK_STR(mapping_text(&g.m), "4000-5000+0 /so.x -");
	op_model_free(&g.m);
}

/* Variables that double each other do not fill the memory. */
TEST(variables_that_grow)
{
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	static struct gperf g;

	op_buf_z(&text, "x profile: total 0\n--- Memory map: ---\n"
			"a=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n");
	for (char c = 'b'; c < 'p'; c++)
		op_buf_printf(&text, "%c=$%c$%c$%c$%c\n", c, c - 1, c - 1,
			      c - 1, c - 1);
	CHECK_EQ(gperf_read(&g, op_view(text.p, text.n)), OP_ELIMIT);
	op_buf_free(&text);
}

/* Many maps that lie in each other take no longer than others. */
TEST(many_maps)
{
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	static struct gperf g;

	op_buf_z(&text, "x profile: total 0\n1 @");
	for (unsigned int i = 1; i < 20000; i++)
		op_buf_printf(&text, " 0x%x", 0x10000 + 16 * i);
	op_buf_z(&text, "\n--- Memory map: ---\n");
	for (unsigned int i = 1; i < 20000; i++)
		op_buf_printf(&text, "%x-%x: /%u.so\n", i, 0x1000000 - i, i);
	CHECK_EQ(gperf_read(&g, op_view(text.p, text.n)), OP_OK);
	CHECK_STR(mapping_text(&g.m), "1-ffffff+0 /1.so -");
	op_model_free(&g.m);
	op_buf_free(&text);
}

TEST_MAIN(one_address, program_is_first, variables_that_grow, many_maps)
