// SPDX-License-Identifier: Apache-2.0
#include "sym/symbolize.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/check.h"
#include "model/merge.h"
#include "model/semconv.h"
#include "sym/names.h"
#include "sym/symbolize_int.h"
#include "test.h"
#include "write/elf.h"

static struct elf f;
static char folder[64];

static const char *at(const char *name)
{
	static char path[8][200];
	static int turn;

	turn = (turn + 1) % 8;
	snprintf(path[turn], sizeof(path[turn]), "%s%s", folder, name);
	return path[turn];
}

static void put(const char *name, struct op_view v)
{
	FILE *out = fopen(at(name), "w");

	CHECK(out);
	if (out) {
		fwrite(v.p, 1, v.n, out);
		fclose(out);
	}
}

/* Code at 0x41000 in a program that lies at 0x1000 in its file. */
static void program(void)
{
	static const uint8_t code[0x2000];

	elf_start(&f, true);
	elf_segment(&f, PT_LOAD, PF_R | PF_X, 0x40000,
		    elf_add(&f, ".text", SHT_PROGBITS, 0x40000,
			    op_view(code, sizeof(code))));
	f.segments[0].p_offset = 0;
	f.segments[0].p_filesz += f.sections[1].sh_offset;
	elf_build_id(&f, op_view_z("abc"));
	elf_symbol(&f, "main", 0x41000, 0x100, "gf");
	elf_symbol(&f, "work", 0x41100, 0x100, "gf");
	elf_symbol(&f, "_ZN3foo3barEv", 0x41200, 0x100, "gf");
	elf_finish(&f);
	put("/prog", elf_view(&f));
}

static void begin(void)
{
	uint8_t note[64];
	size_t n = elf_note(note, "GNU", NT_GNU_BUILD_ID, op_view_z("kern"));

	snprintf(folder, sizeof(folder), "/tmp/otprof-symbolize-XXXXXX");
	CHECK(mkdtemp(folder));
	program();
	put("/notes", op_view(note, n));
	put("/kallsyms", op_view_z("ffffffff81000000 T _text\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000100 t do_syscall\n"
				   "ffffffffc0000000 t nf_hook\t[nf]\n"));
	put("/hidden", op_view_z("0000000000000000 T _text\n"));
	CHECK(!mkdir(at("/42"), 0700));
	CHECK(!mkdir(at("/42/root"), 0700));
	CHECK(!mkdir(at("/42/root/tmp"), 0700));
	put("/42/root/tmp/perf-42.map", op_view_z("7f00000000 40 js:run\n"));
}

static void end(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_EQ(system(command), 0);
}

/* --- models --- */

/* One sample whose stack is the rows, the leaf first. */
struct row {
	const char *file; /* NULL: in no mapping; "/" begins in the folder */
	const char *id;	  /* of its build, in hex; NULL: none */
	uint64_t start, limit, offset;
	uint64_t address;
	const char *name; /* one that it has already; NULL: none */
};

static uint32_t mapping_put(struct op_builder *b, const struct row *r)
{
	struct op_mapping m = { r->start, r->limit, r->offset, 0, 0 };
	struct op_any id = { .kind = OP_ANY_STRING };
	uint32_t attr;

	if (!r->file)
		return 0;
	m.filename = op_build_string(
		b, op_view_z(r->file[0] == '/' ? at(r->file) : r->file));
	if (r->id) {
		id.bytes = op_view_z(r->id);
		attr = op_build_attr(b, op_view_z(OP_ATTR_BUILD_ID_GNU), &id,
				     (struct op_view){ 0 }, NULL);
		m.attrs = op_build_set(b, &attr, 1);
	}
	return op_build_mapping(b, &m);
}

static uint32_t location_put(struct op_builder *b, const struct row *r)
{
	struct op_location l = { .address = r->address };
	struct op_function fn = { 0 };
	struct op_line line = { 0 };

	l.mapping = mapping_put(b, r);
	if (r->name) {
		fn.name = op_build_string(b, op_view_z(r->name));
		line.function = op_build_function(b, &fn);
	}
	return op_build_location(b, &l, &line, r->name != NULL);
}

static int model(struct op_model *m, const struct row *rows, uint32_t n,
		 int64_t pid, struct op_err *err)
{
	struct op_kv kv = { .key = op_view_z(OP_ATTR_PID),
			    .value = { .kind = OP_ANY_INT, .num = pid } };
	struct op_resource res = { .attrs = { &kv, pid != 0 } };
	struct op_scope scope = { 0 };
	struct op_profile head = { .time_ns = UINT64_C(4000000000000000000) };
	struct op_identity id = { 0 };
	uint32_t ids[512], p;
	struct op_builder b;

	*m = (struct op_model){ 0 };
	if (op_builder_init(&b, m, err))
		return err->code;
	for (uint32_t i = 0; i < n; i++)
		ids[i] = location_put(&b, &rows[i]);
	head.sample_type.type = op_build_string(&b, op_view_z("cpu"));
	p = op_build_profile(&b,
			     op_build_scope(&b,
					    op_build_resource(&b, &res, NULL),
					    &scope, NULL),
			     &head);
	id.stack = op_build_stack(&b, ids, n);
	op_build_add(&b, p, op_build_sample(&b, p, id), 1);
	return op_builder_finish(&b);
}

/* The frames of the one stack, as "name|name {why}". */
static const char *text(const struct op_model *m)
{
	struct op_ids frames = op_list(&m->dict.stacks, 1);
	static char out[1024];
	size_t n = 0;

	out[0] = 0;
	for (uint32_t i = 0; i < frames.n; i++) {
		const struct op_location *l = &m->dict.locations[frames.p[i]];
		const struct op_attr *a = op_set_find(m, l->attrs,
						      OP_ATTR_UNRESOLVED);
		struct op_view why = { 0 };

		if (a)
			why = op_any_text(m, &a->value);
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s",
				      i ? " ; " : "");
		for (uint32_t k = 0; k < l->nr_lines; k++) {
			const struct op_line *line =
				&m->dict.lines[l->first_line + k];
			struct op_view v = op_string(
				m, m->dict.functions[line->function].name);

			n += (size_t)snprintf(out + n, sizeof(out) - n, "%.*s",
					      (int)v.n, v.p);
		}
		if (why.n)
			n += (size_t)snprintf(out + n, sizeof(out) - n,
					      "{%.*s}", (int)why.n, why.p);
	}
	return out;
}

static struct op_symbolize_opts options(void)
{
	return (struct op_symbolize_opts){
		.find.dirs = at("/none"),
		.kallsyms = at("/kallsyms"),
		.notes = at("/notes"),
		.proc = folder,
	};
}

#define PROG "/prog", "616263"

static const struct {
	const char *name;
	struct row rows[4];
	int64_t pid;
	const char *want;
} cases[] = {
	{ "addresses of the file",
	  { { PROG, 0, 0, 0, 0x41010, NULL },
	    { PROG, 0, 0, 0, 0x41110, NULL } },
	  0,
	  "main ; work" },
	{ "addresses in memory",
	  { { PROG, 0x7f0000000000, 0x7f0000003000, 0, 0x7f0000001010, NULL },
	    { PROG, 0x7f0000000000, 0x7f0000003000, 0, 0x7f0000001110, NULL } },
	  0,
	  "main ; work" },
	{ "in memory from the middle of the file",
	  { { PROG, 0x7f0000000000, 0x7f0000002000, 0x1000, 0x7f0000000010,
	      NULL } },
	  0,
	  "main" },
	{ "a mapping in memory, an address of the file",
	  { { PROG, 0x7f0000000000, 0x7f0000003000, 0, 0x41010, NULL } },
	  0,
	  "main" },
	{ "names are kept",
	  { { PROG, 0, 0, 0, 0x41010, "kept" },
	    { PROG, 0, 0, 0, 0x41011, NULL } },
	  0,
	  "kept ; main" },
	{ "no address, no name", { { PROG, 0, 0, 0, 0, NULL } }, 0, "" },
	{ "another build",
	  { { "/prog", "616264", 0, 0, 0, 0x41010, NULL } },
	  0,
	  "{other-build}" },
	{ "no file",
	  { { "/gone", "616263", 0, 0, 0, 0x41010, NULL },
	    { PROG, 0, 0, 0, 0x41010, NULL } },
	  0,
	  "{no-file} ; main" },
	{ "a build without a path",
	  { { "", "616263", 0, 0, 0, 0x41010, NULL } },
	  0,
	  "{no-file}" },
	{ "no ELF file",
	  { { "/notes", "616263", 0, 0, 0, 1, NULL } },
	  0,
	  "{broken}" },
	{ "no symbol", { { PROG, 0, 0, 0, 0x41fff, NULL } }, 0, "{no-symbol}" },
	{ "no build named",
	  { { "/prog", NULL, 0, 0, 0, 0x41010, NULL } },
	  0,
	  "main" },
	{ "the kernel",
	  { { "[kernel.kallsyms]", "6b65726e", 0xffffffff81000000,
	      0xffffffffffffffff, 0, 0xffffffff81000110, NULL },
	    { "[nf]", NULL, 0xffffffffc0000000, 0xffffffffc0001000, 0,
	      0xffffffffc0000010, NULL } },
	  0,
	  "do_syscall ; nf_hook" },
	{ "a hole in the kernel",
	  { { "[kernel.kallsyms]", "6b65726e", 0xffffffff81000000,
	      0xffffffffffffffff, 0, 0xfffffffff0000000, NULL } },
	  0,
	  "{no-symbol}" },
	{ "another kernel",
	  { { "[kernel.kallsyms]", "6b65726f", 0xffffffff81000000, 0, 0,
	      0xffffffff81000110, NULL } },
	  0,
	  "{other-kernel}" },
	{ "another boot",
	  { { "[kernel.kallsyms]", "6b65726e", 0xffffffff82000000, 0, 0,
	      0xffffffff82000110, NULL } },
	  0,
	  "{other-kernel}" },
	{ "a kernel that names no build",
	  { { "[kernel.kallsyms]", NULL, 0xffffffff81000000, 0, 0,
	      0xffffffff81000110, NULL } },
	  0,
	  "{other-kernel}" },
	{ "no mapping of the kernel",
	  { { NULL, NULL, 0, 0, 0, 0xffffffff81000110, NULL } },
	  0,
	  "{other-kernel}" },
	{ "code made at run time",
	  { { NULL, NULL, 0, 0, 0, 0x7f00000010, NULL },
	    { "[anon:js]", NULL, 1, 2, 0, 0x7f00000020, NULL } },
	  42,
	  "js:run ; js:run" },
	{ "code of nobody knows whom",
	  { { NULL, NULL, 0, 0, 0, 0x7f00000010, NULL } },
	  0,
	  "{no-map}" },
	{ "a process without a map",
	  { { NULL, NULL, 0, 0, 0, 0x7f00000010, NULL } },
	  43,
	  "{no-map}" },
	{ "not in the map",
	  { { NULL, NULL, 0, 0, 0, 0x7f00000040, NULL } },
	  42,
	  "{no-symbol}" },
};

static uint32_t count_rows(const struct row *r)
{
	uint32_t n = 0;

	while (n < 4 && (r[n].file || r[n].address))
		n++;
	return n;
}

static void nothing(void *ctx, const struct op_finding *found)
{
	(void)ctx;
	(void)found;
}

/* The model is one that every reader could have made. */
static void check_model(const struct op_model *m, const char *name)
{
	struct op_check_opts o = { 0 };
	struct op_check_result r = { 0 };
	struct op_err err = { 0 };

	CHECK_EQ(op_check(m, &o, nothing, NULL, &r, &err), OP_OK);
	for (uint32_t i = 0; i < m->dict.nr[OP_LOCATIONS]; i++) {
		const struct op_location *l = &m->dict.locations[i];

		if (l->first_line + l->nr_lines > m->dict.nr_lines ||
		    l->attrs >= m->dict.sets.nr)
			TEST_FAIL("%s: location %u", name, i);
	}
}

static void check_cases(const char *program)
{
	begin();
	for (size_t i = 0; i < op_countof(cases); i++) {
		struct op_symbolize_opts o = options();
		struct op_err err = { 0 };
		struct op_model m;

		o.program = program;
		CHECK_EQ(model(&m, cases[i].rows, count_rows(cases[i].rows),
			       cases[i].pid, &err),
			 OP_OK);
		/* A second time changes nothing. */
		for (int twice = 0; twice < 2; twice++) {
			CHECK_EQ(op_symbolize(&m, &o, NULL, &err), OP_OK);
			if (strcmp(text(&m), cases[i].want))
				TEST_FAIL("%s: '%.80s'", cases[i].name,
					  text(&m));
			check_model(&m, cases[i].name);
		}
		CHECK_EQ(op_normalise(&m, &err), OP_OK);
		CHECK_STR(text(&m), cases[i].want);
		op_model_free(&m);
	}
	end();
}

TEST(table)
{
	check_cases(NULL);
}

/* The same by another process. */
TEST(by_helper)
{
	const char *program = getenv("OTPROF");

	if (!program)
		TEST_SKIP("OTPROF names no program");
	check_cases(program);
}

/* A file is one, however many paths lead to it. */
TEST(paths_of_a_file)
{
	static const struct row rows[] = {
		{ "/prog", "616263", 0, 0, 0, 0x41010, NULL },
		{ "/./prog", "616263", 0, 0, 0, 0x41110, NULL },
		{ "//prog", NULL, 0, 0, 0, 0x41010, NULL },
		{ "/link", "616263", 0, 0, 0, 0x41110, NULL },
	};
	struct op_symbolize_result r;
	struct op_symbolize_opts o;
	struct op_err err = { 0 };
	struct op_model m;

	begin();
	CHECK(!symlink("prog", at("/link")));
	o = options();
	model(&m, rows, op_countof(rows), 0, &err);
	CHECK_EQ(op_symbolize(&m, &o, &r, &err), OP_OK);
	CHECK_STR(text(&m), "main ; work ; main ; work");
	CHECK_EQ(r.nr_opened, 1);
	CHECK_EQ(r.nr_unchecked, 1);
	op_model_free(&m);
	end();
}

TEST(hidden_kernel)
{
	struct op_symbolize_opts o;
	struct op_err err = { 0 };
	struct op_model m;

	begin();
	o = options();
	o.kallsyms = at("/hidden");
	model(&m, cases[12].rows, 1, 0, &err);
	CHECK_EQ(op_symbolize(&m, &o, NULL, &err), OP_OK);
	CHECK_STR(text(&m), "{other-kernel}");
	op_model_free(&m);
	end();
}

static char said[2000];

static void hear(void *ctx, const char *what)
{
	(void)ctx;
	strncat(said, what, sizeof(said) - strlen(said) - 2);
	strncat(said, "\n", 2);
}

TEST(counting)
{
	static const struct row rows[] = {
		{ PROG, 0, 0, 0, 0x41010, "kept" },
		{ PROG, 0, 0, 0, 0x41020, NULL },
		{ PROG, 0, 0, 0, 0x41130, NULL },
		{ PROG, 0, 0, 0, 0x41fff, NULL },
		{ "gone", "6162", 0, 0, 0, 0x41fff, NULL },
	};
	struct op_symbolize_result r;
	struct op_symbolize_opts o;
	struct op_err err = { 0 };
	struct op_model m;
	char want[300];

	begin();
	o = options();
	o.note = hear;
	said[0] = 0;
	model(&m, rows, op_countof(rows), 0, &err);
	CHECK_EQ(op_symbolize(&m, &o, &r, &err), OP_OK);
	CHECK_EQ(r.nr_kept, 1);
	CHECK_EQ(r.nr[OP_RESOLVED], 2);
	CHECK_EQ(r.nr[OP_NO_SYMBOL], 1);
	CHECK_EQ(r.nr[OP_NO_FILE], 1);
	CHECK_EQ(r.nr_frames, 2);
	CHECK_EQ(r.nr_opened, 1);
	CHECK_EQ(r.nr_unchecked, 0);
	snprintf(want, sizeof(want),
		 "%s/prog: 1 of 3 addresses have no name: no symbols at these "
		 "addresses\ngone: 1 of 1 addresses have no name: file not "
		 "found\n",
		 folder);
	CHECK_STR(said, want);
	op_model_free(&m);
	end();
}

/* What pprof wants to know of a mapping, and the linker's name. */
TEST(rows)
{
	static const struct row rows[] = {
		{ PROG, 0, 0, 0, 0x41220, NULL },
	};
	struct op_symbolize_opts o;
	struct op_err err = { 0 };
	const struct op_function *fn;
	struct op_model m;
	uint32_t set;

	begin();
	o = options();
	model(&m, rows, 1, 0, &err);
	op_symbolize(&m, &o, NULL, &err);
	set = m.dict.mappings[1].attrs;
	CHECK(op_set_find(&m, set, OP_ATTR_HAS_FUNCTIONS));
	CHECK(!op_set_find(&m, set, OP_ATTR_HAS_LINE_NUMBERS));
	CHECK(op_set_find(&m, set, OP_ATTR_BUILD_ID_GNU));
	fn = &m.dict.functions[m.dict.nr[OP_FUNCTIONS] - 1];
	CHECK(op_view_is(op_string(&m, fn->system_name), "_ZN3foo3barEv") ||
	      !fn->system_name);
	op_model_free(&m);
	end();
}

TEST(without_memory)
{
	static const struct row rows[] = {
		{ PROG, 0, 0, 0, 0x41010, NULL },
		{ PROG, 0, 0, 0, 0x41110, NULL },
		{ "/gone", NULL, 0, 0, 0, 0x41110, NULL },
		{ NULL, NULL, 0, 0, 0, 0x7f00000010, NULL },
		{ "[kernel.kallsyms]", "6b65726e", 0xffffffff81000000, 0, 0,
		  0xffffffff81000110, NULL },
	};
	struct op_model m;

	begin();
	for (long k = 1, again = 1; again; k++) {
		struct op_symbolize_opts o = options();
		struct op_err err = { 0 };

		CHECK_EQ(model(&m, rows, op_countof(rows), 42, &err), OP_OK);
		op_alloc_fail_at(k);
		op_symbolize(&m, &o, NULL, &err);
		again = op_alloc_failed();
		op_alloc_fail_at(0);
		CHECK(!err.code || err.code == OP_ENOMEM);
		check_model(&m, "part");
		text(&m);
		op_model_free(&m);
	}
	end();
}

/* --- names that are remembered --- */

static struct op_names *names;
static struct op_symbolize_result result;

/* The text of a model of one row. */
static const char *named(struct row row, int64_t pid)
{
	struct op_err err = { 0 };
	struct op_model m;
	const char *got;

	CHECK_EQ(model(&m, &row, 1, pid, &err), OP_OK);
	CHECK_EQ(op_symbolize_with(names, &m, &result, &err), OP_OK);
	check_model(&m, "remembered");
	got = text(&m);
	op_model_free(&m);
	return got;
}

/* Options whose paths stay valid. */
static struct op_symbolize_opts lasting_options(void)
{
	static char dirs[200], kallsyms[200], notes[200];
	struct op_symbolize_opts o = options();

	snprintf(dirs, sizeof(dirs), "%s", o.find.dirs);
	snprintf(kallsyms, sizeof(kallsyms), "%s", o.kallsyms);
	snprintf(notes, sizeof(notes), "%s", o.notes);
	o.find.dirs = dirs;
	o.kallsyms = kallsyms;
	o.notes = notes;
	return o;
}

static void names_begin_with(const char *program, size_t jit_bytes)
{
	struct op_symbolize_opts o;
	struct op_err err = { 0 };

	begin();
	o = lasting_options();
	o.program = program;
	o.jit_bytes = jit_bytes;
	names = op_names_new(&o, OP_NAMES_MAX_BYTES, &err);
	CHECK(names != NULL);
}

static void names_begin(const char *program)
{
	names_begin_with(program, 0);
}

static void names_end(void)
{
	op_names_free(names);
	end();
}

/* The second time as the first, whatever came between, and with no file. */
static void check_names(const char *program)
{
	names_begin(program);
	for (size_t i = 0; i < 2 * op_countof(cases); i++) {
		size_t c = i % op_countof(cases);
		struct op_err err = { 0 };
		struct op_model m;

		model(&m, cases[c].rows, count_rows(cases[c].rows),
		      cases[c].pid, &err);
		CHECK_EQ(op_symbolize_with(names, &m, &result, &err), OP_OK);
		if (strcmp(text(&m), cases[c].want))
			TEST_FAIL("%s: '%.80s'", cases[c].name, text(&m));
		check_model(&m, cases[c].name);
		if (i >= op_countof(cases))
			CHECK_EQ(result.nr_opened, 0);
		op_model_free(&m);
	}
	CHECK_STR(named((struct row){ PROG, 0, 0, 0, 0x41010, NULL }, 0),
		  "main");
	CHECK_EQ(result.nr_searched, 0);
	CHECK_EQ(result.nr_remembered, 1);
	CHECK_EQ(result.nr[OP_RESOLVED], 1);
	CHECK(!unlink(at("/prog")));
	CHECK_STR(named((struct row){ PROG, 0, 0, 0, 0x41010, NULL }, 0),
		  "main");
	CHECK_STR(named((struct row){ PROG, 0, 0, 0, 0x41030, NULL }, 0),
		  "{no-file}");
	CHECK(op_names_bytes(names) > 0);
	names_end();
}

TEST(remembered)
{
	check_names(NULL);
}

TEST(remembered_by_helper)
{
	const char *program = getenv("OTPROF");

	if (!program)
		TEST_SKIP("OTPROF names no program");
	check_names(program);
}

/* Another program under the path: by its build ID, or as another file. */
static void replace(const char *id)
{
	static const uint8_t code[0x2000];

	CHECK(!unlink(at("/prog")));
	elf_start(&f, true);
	elf_segment(&f, PT_LOAD, PF_R | PF_X, 0x40000,
		    elf_add(&f, ".text", SHT_PROGBITS, 0x40000,
			    op_view(code, sizeof(code))));
	elf_build_id(&f, op_view_z(id));
	elf_symbol(&f, "replaced", 0x41000, 0x1000, "gf");
	elf_finish(&f);
	put("/prog", elf_view(&f));
}

TEST(replaced)
{
	static const struct row by_id = { PROG, 0, 0, 0, 0x41010, NULL };
	static const struct row other = { PROG, 0, 0, 0, 0x41018, NULL };
	static const struct row plain = {
		"/prog", NULL, 0, 0, 0, 0x41010, NULL
	};

	names_begin(NULL);
	CHECK_STR(named(by_id, 0), "main");
	CHECK_STR(named(plain, 0), "main");
	CHECK_EQ(result.nr_unchecked, 1);
	CHECK_STR(named(plain, 0), "main");
	CHECK_EQ(result.nr_opened, 0);
	CHECK_EQ(result.nr_unchecked, 1);
	replace("xyz");
	CHECK_STR(named(by_id, 0), "main");
	CHECK_STR(named(other, 0), "{other-build}");
	CHECK_STR(named(plain, 0), "replaced");
	CHECK_EQ(result.nr_opened, 1);
	/* What is not remembered is found as soon as it is there again. */
	replace("abc");
	CHECK_STR(named(other, 0), "replaced");
	names_end();
}

static void big_map(size_t bytes)
{
	static char text[1 << 20];
	static const char line[] = "7f00000000 40 js:big\n";
	size_t n = 0;

	for (; n < bytes; n += sizeof(line) - 1)
		memcpy(text + n, line, sizeof(line) - 1);
	put("/42/root/tmp/perf-42.map", op_view(text, n));
}

/* Maps together have a limit, and a part of one is not used. */
TEST(jit_memory)
{
	static const struct row jit = {
		NULL, NULL, 0, 0, 0, 0x7f00000010, NULL
	};

	names_begin_with(NULL, 2 << 20);
	CHECK_STR(named(jit, 42), "js:run");
	CHECK(names->memory.jit_used > 0);
	big_map(100000);
	CHECK_STR(named(jit, 42), "js:big");
	CHECK(names->memory.jit_used > 100000);
	CHECK(names->memory.jit_used <= 2 << 20);
	big_map(1000000); /* its lines do not fit */
	CHECK_STR(named(jit, 42), "{no-map}");
	CHECK_EQ(names->memory.jit_used, 0);
	big_map(100000);
	CHECK_STR(named(jit, 42), "js:big");
	names_end();
	names_begin_with(NULL, 1 << 18);
	big_map(200000); /* the file is too large */
	CHECK_STR(named(jit, 42), "{no-map}");
	CHECK_EQ(names->memory.jit_used, 0);
	put("/42/root/tmp/perf-42.map", op_view_z("7f00000000 40 js:run\n"));
	CHECK_STR(named(jit, 42), "js:run");
	names_end();
}

/* The kernel is read once, a perf map again when it has changed. */
TEST(kernel_and_jit)
{
	static const struct row kernel = {
		"[kernel.kallsyms]", "6b65726e", 0xffffffff81000000, 0, 0,
		0xffffffff81000110,  NULL
	};
	static const struct row other = {
		"[kernel.kallsyms]", "6b65", 0xffffffff81000000, 0, 0,
		0xffffffff81000110,  NULL
	};
	static const struct row jit = {
		NULL, NULL, 0, 0, 0, 0x7f00000010, NULL
	};

	names_begin(NULL);
	CHECK_STR(named(kernel, 0), "do_syscall");
	CHECK(!unlink(at("/kallsyms")));
	CHECK_STR(named(kernel, 0), "do_syscall");
	CHECK_STR(named(other, 0), "{other-kernel}");
	CHECK_STR(named(jit, 42), "js:run");
	CHECK_STR(named(jit, 42), "js:run");
	put("/42/root/tmp/perf-42.map", op_view_z("7f00000000 40 js:later\n"));
	CHECK_STR(named(jit, 42), "js:later");
	for (int64_t pid = 100; pid < 300; pid++)
		CHECK_STR(named(jit, pid), "{no-map}");
	CHECK_STR(named(jit, 42), "js:later");
	CHECK(!unlink(at("/42/root/tmp/perf-42.map")));
	CHECK_STR(named(jit, 42), "{no-map}");
	names_end();
}

static bool same_lines(const struct op_model *a, const struct op_model *b,
		       uint32_t location)
{
	const struct op_location *x = &a->dict.locations[location];
	const struct op_location *y = &b->dict.locations[location];
	bool same = x->nr_lines == y->nr_lines;

	for (uint32_t i = 0; same && i < x->nr_lines; i++) {
		const struct op_line *l = &a->dict.lines[x->first_line + i];
		const struct op_line *k = &b->dict.lines[y->first_line + i];
		const struct op_function *f1, *f2;

		f1 = &a->dict.functions[l->function];
		f2 = &b->dict.functions[k->function];
		same = l->line == k->line && l->column == k->column &&
		       f1->start_line == f2->start_line &&
		       op_view_eq(op_string(a, f1->name),
				  op_string(b, f2->name)) &&
		       op_view_eq(op_string(a, f1->system_name),
				  op_string(b, f2->system_name)) &&
		       op_view_eq(op_string(a, f1->filename),
				  op_string(b, f2->filename));
	}
	return same;
}

/* The C library of this machine: what is remembered is what is found. */
TEST(real_binary)
{
	enum { NR = 400 };
	static struct row rows[NR];
	const char *program = getenv("OTPROF");
	struct op_model once, again;
	struct op_symbolize_opts o;
	struct op_err err = { 0 };
	Dl_info libc;

	if (!dladdr((void *)getenv, &libc) || !program)
		TEST_SKIP("no C library, or OTPROF names no program");
	names_begin(program);
	CHECK(!symlink(libc.dli_fname, at("/libc")));
	for (uint32_t i = 0; i < NR; i++)
		rows[i] = (struct row){ .file = "/libc",
					.address = 0x40000 + i * 1111 };
	o = lasting_options();
	o.program = program;
	CHECK_EQ(model(&once, rows, NR, 0, &err), OP_OK);
	CHECK_EQ(op_symbolize(&once, &o, &result, &err), OP_OK);
	/* A stripped one has names for a part only. */
	CHECK(result.nr[OP_RESOLVED] > NR / 10);
	for (int turn = 0; turn < 2; turn++) {
		CHECK_EQ(model(&again, rows, NR, 0, &err), OP_OK);
		CHECK_EQ(op_symbolize_with(names, &again, &result, &err),
			 OP_OK);
		CHECK_EQ(result.nr_remembered, turn * NR);
		for (uint32_t i = 1; i <= NR; i++)
			CHECK(same_lines(&once, &again, i));
		op_model_free(&again);
	}
	op_model_free(&once);
	names_end();
}

/* With any allocation failing, a later model has its names. */
TEST(names_without_memory)
{
	static const struct row rows[] = {
		{ PROG, 0, 0, 0, 0x41010, NULL },
		{ NULL, NULL, 0, 0, 0, 0x7f00000010, NULL },
		{ PROG, 0, 0, 0, 0x41110, NULL },
	};
	bool again = true;

	names_begin(NULL);
	op_names_free(names);
	for (long k = 1; again; k++) {
		struct op_symbolize_opts o = lasting_options();
		struct op_err err = { 0 };
		struct op_model m;

		CHECK_EQ(model(&m, rows, op_countof(rows), 42, &err), OP_OK);
		op_alloc_fail_at(k);
		names = op_names_new(&o, 1 << 20, &err);
		if (names)
			op_symbolize_with(names, &m, NULL, &err);
		again = op_alloc_failed();
		op_alloc_fail_at(0);
		op_model_free(&m);
		if (names) {
			CHECK_STR(named(rows[0], 0), "main");
			CHECK_STR(named(rows[1], 42), "js:run");
		}
		op_names_free(names);
	}
	end();
}

TEST_MAIN(table, by_helper, paths_of_a_file, hidden_kernel, counting, rows,
	  without_memory, remembered, remembered_by_helper, replaced,
	  kernel_and_jit, jit_memory, real_binary, names_without_memory)
