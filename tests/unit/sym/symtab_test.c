// SPDX-License-Identifier: Apache-2.0
#include "sym/symtab.h"

#include "test.h"
#include "write/elf.h"

static struct elf f;
static uint8_t code[0x1000];

static const char *name_of(const struct op_symtab *t, uint64_t vaddr)
{
	const struct op_symbol *s = op_symtab_find(t, vaddr);
	static char text[64];

	if (!s)
		return NULL;
	snprintf(text, sizeof(text), "%.*s", (int)s->name_bytes, s->name);
	return text;
}

/* Code at 0x1000 and data behind it. */
static void begin(bool is_64)
{
	elf_start(&f, is_64);
	elf_add(&f, ".text", SHT_PROGBITS, 0x1000, op_view(code, 0x1000));
	f.sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
}

static void build(struct op_symtab *t, struct op_arena *mem)
{
	struct op_err err = { 0 };
	struct op_elf e;

	elf_finish(&f);
	*t = (struct op_symtab){ .mem = mem };
	CHECK_EQ(op_elf_open(&e, elf_view(&f), &err), OP_OK);
	CHECK_EQ(op_symtab_add_elf(t, &e, &err), OP_OK);
	op_symtab_finish(t);
}

struct sym {
	const char *name;
	uint64_t value, size;
	const char *how;
};

/* Which of two symbols at one address is preferred. */
TEST(aliases)
{
	static const struct {
		const char *rule;
		struct sym a, b;
		const char *want;
	} rows[] = {
		{ "global before weak",
		  { "w", 0x1000, 8, "wf" },
		  { "global", 0x1000, 8, "gf" },
		  "global" },
		{ "weak before local",
		  { "l", 0x1000, 8, "lf" },
		  { "weak", 0x1000, 8, "wf" },
		  "weak" },
		{ "a size before none",
		  { "g", 0x1000, 0, "gf" },
		  { "local", 0x1000, 8, "lf" },
		  "local" },
		{ "function before label",
		  { "l", 0x1000, 8, "gn" },
		  { "function", 0x1000, 8, "lf" },
		  "function" },
		{ "fewer underscores",
		  { "__a", 0x1000, 8, "gf" },
		  { "_write", 0x1000, 8, "gf" },
		  "_write" },
		{ "shorter",
		  { "abcd", 0x1000, 8, "gf" },
		  { "xyz", 0x1000, 8, "gf" },
		  "xyz" },
		{ "first",
		  { "b", 0x1000, 8, "gf" },
		  { "a", 0x1000, 8, "gf" },
		  "a" },
		{ "one of each table",
		  { "same", 0x1000, 8, "gfd" },
		  { "same", 0x1000, 8, "gf" },
		  "same" },
		{ "ifunc",
		  { "memcpy", 0x1000, 8, "gi" },
		  { "__memcpy", 0x1000, 8, "lf" },
		  "memcpy" },
		{ "without version",
		  { "read@@V_2", 0x1000, 8, "gf" },
		  { "__read", 0x1000, 8, "gf" },
		  "read" },
		{ "not defined",
		  { "u", 0, 0, "gfu" },
		  { "d", 0x1000, 8, "lf" },
		  "d" },
		{ "data is no code",
		  { "d", 0x1000, 8, "go" },
		  { "c", 0x1000, 8, "ln" },
		  "c" },
		{ "marks are no names",
		  { "$x", 0x1000, 8, "gn" },
		  { ".L4", 0x1000, 8, "ln" },
		  NULL },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		for (int turned = 0; turned < 2; turned++) {
			const struct sym *a = turned ? &rows[i].b : &rows[i].a;
			const struct sym *b = turned ? &rows[i].a : &rows[i].b;
			struct op_arena mem = { 0 };
			struct op_symtab t;
			const char *got;

			begin(i % 2);
			elf_symbol(&f, a->name, a->value, a->size, a->how);
			elf_symbol(&f, b->name, b->value, b->size, b->how);
			build(&t, &mem);
			got = name_of(&t, 0x1007);
			if (!got != !rows[i].want ||
			    (got && strcmp(got, rows[i].want)))
				TEST_FAIL("%s: %s", rows[i].rule, got);
			op_arena_free(&mem);
		}
}

TEST(places)
{
	static const struct {
		uint64_t at;
		const char *want;
	} rows[] = {
		{ 0xfff, NULL },       { 0x1000, "outer" },
		{ 0x103f, "outer" },   { 0x1040, "inner" },
		{ 0x104f, "inner" },   { 0x1050, "outer" },
		{ 0x10ff, "outer" },   { 0x1100, "asm_one" },
		{ 0x11ff, "asm_one" }, { 0x1200, "sized" },
		{ 0x120f, "sized" },   { 0x1210, NULL },
		{ 0x1ff0, "asm_end" }, { 0x1fff, "asm_end" },
		{ 0x2000, NULL },      { UINT64_MAX, NULL },
	};
	struct op_arena mem = { 0 };
	struct op_symtab t;

	begin(true);
	elf_symbol(&f, "asm_end", 0x1ff0, 0, "gf");
	elf_symbol(&f, "sized", 0x1200, 0x10, "gf");
	elf_symbol(&f, "asm_one", 0x1100, 0, "gn");
	elf_symbol(&f, "outer", 0x1000, 0x100, "gf");
	elf_symbol(&f, "inner", 0x1040, 0x10, "lf");
	elf_symbol(&f, "label", 0x1080, 0, "ln");
	elf_symbol(&f, "past", 0x1300, UINT64_MAX, "gf");
	build(&t, &mem);
	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_STR(name_of(&t, rows[i].at), rows[i].want);
	op_arena_free(&mem);
}

TEST(empty)
{
	struct op_arena mem = { 0 };
	struct op_symtab t;

	begin(true);
	build(&t, &mem);
	CHECK(!op_symtab_find(&t, 0x1000));
	op_arena_free(&mem);
}

/* A table whose names, size or link lie gives no names and no trouble. */
TEST(lies)
{
	for (int lie = 0; lie < 4; lie++) {
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		struct op_symtab t = { .mem = &mem };
		struct op_elf e;
		uint64_t at;
		Elf64_Shdr h;

		begin(true);
		elf_symbol(&f, "a", 0x1000, 8, "gf");
		elf_finish(&f);
		at = f.head.e_shoff + 2 * sizeof(h); /* of .symtab */
		memcpy(&h, f.p + at, sizeof(h));
		h.sh_link = lie == 0 ? 9999 : lie == 1 ? 2 : h.sh_link;
		h.sh_size = lie == 2 ? UINT64_MAX : h.sh_size;
		memcpy(f.p + at, &h, sizeof(h));
		if (lie == 3)
			memset(f.p + h.sh_offset + sizeof(Elf64_Sym), 0xff, 4);
		CHECK_EQ(op_elf_open(&e, elf_view(&f), &err), OP_OK);
		CHECK_EQ(op_symtab_add_elf(&t, &e, &err), OP_OK);
		op_symtab_finish(&t);
		CHECK(lie == 1 || !op_symtab_find(&t, 0x1000));
		op_arena_free(&mem);
	}
}

/* --- PLT --- */

enum { GOT = 0x5000, PLT = 0x3000 };

static void jump(uint8_t *entry, size_t at, uint64_t vaddr, uint64_t slot)
{
	int32_t far = (int32_t)(slot - (vaddr + at + 6));

	entry[at] = 0xff;
	entry[at + 1] = 0x25;
	memcpy(entry + at + 2, &far, 4);
}

/* Three entries, one with each kind of prefix, and one that leads nowhere. */
static void plt(void)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2 };
	uint8_t text[64] = { 0 };
	Elf64_Rela r[] = {
		{ GOT + 8, ELF64_R_INFO(2, R_X86_64_JUMP_SLOT), 0 },
		{ GOT, ELF64_R_INFO(1, R_X86_64_GLOB_DAT), 0 },
		{ GOT + 16, ELF64_R_INFO(0, R_X86_64_IRELATIVE), 0x1040 },
		{ GOT + 24, ELF64_R_INFO(77, R_X86_64_JUMP_SLOT), 0 },
	};
	uint32_t rela, sec;

	jump(text, 0, PLT, GOT);
	memcpy(text + 16, endbr64, 4);
	jump(text, 20, PLT, GOT + 8);
	memcpy(text + 32, endbr64, 5);
	jump(text, 37, PLT, GOT + 16);
	jump(text, 48, PLT, GOT + 24);
	begin(true);
	sec = elf_add(&f, ".plt.sec", SHT_PROGBITS, PLT,
		      op_view(text, sizeof(text)));
	f.sections[sec].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	rela = elf_add(&f, ".rela.plt", SHT_RELA, 0, op_view(r, sizeof(r)));
	elf_symbol(&f, "puts", 0, 0, "gfud");
	elf_symbol(&f, "read@V1", 0, 0, "gfud");
	elf_symbol(&f, "pick", 0x1040, 16, "gid");
	f.sections[rela].sh_link = rela + 1; /* .dynsym comes next */
}

TEST(plt_entries)
{
	struct op_arena mem = { 0 };
	struct op_symtab t;

	plt();
	build(&t, &mem);
	CHECK_STR(name_of(&t, PLT), "puts@plt");
	CHECK_STR(name_of(&t, PLT + 15), "puts@plt");
	CHECK_STR(name_of(&t, PLT + 16), "read@plt");
	CHECK_STR(name_of(&t, PLT + 32), "pick@plt");
	CHECK_STR(name_of(&t, PLT + 48), NULL);
	CHECK_STR(name_of(&t, 0x1040), "pick");
	op_arena_free(&mem);
}

/* --- a file without sections --- */

enum { TABLES = 0x6000 };

/* Code, and behind it a segment with the tables of the dynamic linker: symbols
 * at 0, names at 0x100, a hash table at 0x200, the dynamic table at 0x300. */
static void dynamic(bool is_gnu)
{
	static const char names[] = "\0first\0second";
	Elf64_Sym y[] = { { 0 },
			  { 1, 0x12, 0, 1, 0x1000, 0x10 },
			  { 7, 0x12, 0, 1, 0x1010, 0x10 } };
	uint32_t sysv[] = { 1, 3, 1, 0, 2, 0 };
	/* 2 buckets, symbols from 1 on, 1 bloom word; chains 1 and 2 */
	uint32_t gnu[] = { 2, 1, 1, 0, 0, 0, 1, 2, 0x11, 0x13 };
	Elf64_Dyn d[] = { { DT_SYMTAB, { TABLES } },
			  { DT_STRTAB, { TABLES + 0x100 } },
			  { DT_STRSZ, { sizeof(names) } },
			  { is_gnu ? DT_GNU_HASH : DT_HASH,
			    { TABLES + 0x200 } },
			  { DT_NULL, { 0 } } };
	uint8_t t[0x400] = { 0 };
	uint32_t section;

	memcpy(t, y, sizeof(y));
	memcpy(t + 0x100, names, sizeof(names));
	memcpy(t + 0x200, is_gnu ? (void *)gnu : (void *)sysv,
	       is_gnu ? sizeof(gnu) : sizeof(sysv));
	memcpy(t + 0x300, d, sizeof(d));
	begin(true);
	section = elf_add(&f, ".tables", SHT_PROGBITS, TABLES,
			  op_view(t, sizeof(t)));
	elf_segment(&f, PT_LOAD, PF_R, TABLES, section);
	elf_segment(&f, PT_DYNAMIC, PF_R, TABLES + 0x300, section);
	f.segments[1].p_filesz = sizeof(d);
	f.no_sections = true;
}

TEST(no_sections)
{
	for (int is_gnu = 0; is_gnu < 2; is_gnu++) {
		struct op_arena mem = { 0 };
		struct op_symtab t;

		dynamic(is_gnu);
		build(&t, &mem);
		CHECK_STR(name_of(&t, 0x1000), "first");
		CHECK_STR(name_of(&t, 0x101f), "second");
		CHECK_EQ(t.rows.n, 2);
		op_arena_free(&mem);
	}
}

/* Section rows say again and again that the one table is theirs. */
TEST(tables_in_one_place)
{
	enum { SYMBOLS = 1000, TABLES_MORE = 20 };
	const size_t row = sizeof(Elf64_Shdr);
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err };
	struct op_symtab t = { .mem = &mem };
	struct op_elf e;
	uint8_t *rows;

	begin(true);
	for (int i = 0; i < TABLES_MORE; i++)
		elf_add(&f, ".x", SHT_PROGBITS, 0, op_view(code, 1));
	for (int i = 0; i < SYMBOLS; i++)
		elf_symbol(&f, "a", 0x1000 + (uint64_t)i, 1, "gf");
	elf_finish(&f);
	rows = f.p + f.head.e_shoff;
	/* .symtab is the first behind them. */
	for (size_t i = 0; i < TABLES_MORE; i++)
		memcpy(rows + (2 + i) * row, rows + (2 + TABLES_MORE) * row,
		       row);
	CHECK_EQ(op_elf_open(&e, elf_view(&f), &err), OP_OK);
	CHECK_EQ(op_symtab_add_elf(&t, &e, &err), OP_OK);
	CHECK(t.rows.n >= SYMBOLS);
	CHECK(t.rows.n <= elf_view(&f).n / sizeof(Elf32_Sym));
	op_arena_free(&mem);
}

TEST(without_memory)
{
	plt();
	elf_finish(&f);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_arena mem = { .err = &err };
		struct op_symtab t = { .mem = &mem };
		struct op_elf e;

		op_elf_open(&e, elf_view(&f), &err);
		op_symtab_add_elf(&t, &e, &err);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
		op_arena_free(&mem);
	}
}

TEST_MAIN(aliases, places, empty, lies, plt_entries, no_sections,
	  tables_in_one_place, without_memory)
