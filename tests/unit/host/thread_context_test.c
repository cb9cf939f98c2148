// SPDX-License-Identifier: Apache-2.0
/* Where the variable is found to be is where the process itself has it. */
#include "host/thread_context.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

#include "context_fixture.h"
#include "host/proc_memory.h"
#include "image_fixture.h"
#include "proc_tree.h"

static struct op_proc proc;
static struct op_thread_context found;

/* A program or library that was built beside this test. */
static const char *path_of(const char *name)
{
	static char path[PATH_MAX + 40];
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n > 0 ? n : 0] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	snprintf(path, sizeof(path), "%s/%s", self, name);
	return path;
}

static bool is_built(void)
{
	return !access(path_of("tls_pie"), X_OK);
}

/* As a recorder computes it. */
static uint64_t address(uint32_t pid, uint64_t thread_pointer)
{
	uint64_t dtv = 0, block = 0;

	if (found.kind == OP_THREAD_CONTEXT_STATIC)
		return thread_pointer + (uint64_t)found.offset;
	if (found.kind != OP_THREAD_CONTEXT_DTV ||
	    !op_proc_memory(&proc, pid, thread_pointer + 8, &dtv, 8) ||
	    !op_proc_memory(&proc, pid, dtv + 16 * found.module, &block, 8))
		return 0;
	return block + (uint64_t)found.offset;
}

/* --- libraries --- */

enum { CONTEXT, LOAD, THREAD_POINTER };

static const char *libraries[2];

static uint64_t load(void)
{
	void *(*fn)(void) = NULL;

	for (size_t i = 0; i < op_countof(libraries) && libraries[i]; i++) {
		void *lib = dlopen(path_of(libraries[i]),
				   RTLD_NOW | RTLD_GLOBAL);

		if (!lib)
			fprintf(stderr, "%s\n", dlerror());
		*(void **)&fn = lib ? dlsym(lib, "tls_address") : NULL;
	}
	return fn ? (uint64_t)(uintptr_t)fn() : 0;
}

static uint64_t host(int step)
{
	switch (step) {
	case CONTEXT:
		context_map();
		break;
	case LOAD:
		return load();
	case THREAD_POINTER:
		return (uint64_t)pthread_self();
	}
	return 0;
}

TEST(in_libraries)
{
	enum { ANY = 99 };
	static const struct {
		const char *names[2];
		uint32_t kind;
	} rows[] = {
		{ { "tls_ie.so" }, OP_THREAD_CONTEXT_STATIC },
		{ { "tls_ie_local.so" }, OP_THREAD_CONTEXT_STATIC },
		/* Whether a small one is in static TLS is up to glibc. */
		{ { "tls_desc.so" }, ANY },
		{ { "tls_desc_local.so" }, ANY },
		{ { "tls_desc_big.so" }, OP_THREAD_CONTEXT_DTV },
		{ { "tls_gd.so" }, OP_THREAD_CONTEXT_DTV },
		{ { "tls_gd_local.so" }, OP_THREAD_CONTEXT_DTV },
		{ { "tls_gd_big.so" }, OP_THREAD_CONTEXT_DTV },
		{ { "tls_gd_sysv.so" }, OP_THREAD_CONTEXT_DTV },
		{ { "tls_variable.so", "tls_reference.so" },
		  OP_THREAD_CONTEXT_STATIC },
	};

	if (!is_built())
		TEST_SKIP("thread contexts are for x86-64");
	proc = (struct op_proc){ 0 };
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct child c;
		uint32_t pid;
		uint64_t want;

		memcpy(libraries, rows[i].names, sizeof(libraries));
		c = child_begin(host);
		pid = (uint32_t)c.pid;
		want = child_do(&c, LOAD);
		CHECK(want != 0);
		CHECK(!op_thread_context_find(&proc, pid, &found));
		child_do(&c, CONTEXT);
		CHECK(op_thread_context_find(&proc, pid, &found));
		if (address(pid, child_do(&c, THREAD_POINTER)) != want ||
		    (rows[i].kind != ANY && rows[i].kind != found.kind))
			TEST_FAIL("%s: kind %u, module %u, offset %lld",
				  rows[i].names[0], found.kind, found.module,
				  (long long)found.offset);
		child_end(&c);
	}
}

/* A process with a context, but without the variable. */
TEST(none)
{
	struct child c = child_begin(host);

	proc = (struct op_proc){ 0 };
	child_do(&c, CONTEXT);
	CHECK(!op_thread_context_find(&proc, (uint32_t)c.pid, &found));
	CHECK_EQ(found.kind, OP_THREAD_CONTEXT_NONE);
	child_end(&c);
	CHECK(!op_thread_context_find(&proc, (uint32_t)c.pid, &found));
}

/* --- programs --- */

static pid_t program_begin(const char *name, int *to, uint64_t where[2])
{
	int in[2], out[2];
	pid_t pid;

	CHECK_EQ(pipe(in), 0);
	CHECK_EQ(pipe(out), 0);
	pid = fork();
	if (!pid) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		execl(path_of(name), name, NULL);
		_exit(3);
	}
	close(in[0]);
	close(out[1]);
	CHECK_EQ(read(out[0], where, 16), 16);
	close(out[0]);
	*to = in[1];
	return pid;
}

TEST(in_programs)
{
	static const char *const names[] = { "tls_pie", "tls_exec" };

	if (!is_built())
		TEST_SKIP("thread contexts are for x86-64");
	proc = (struct op_proc){ 0 };
	for (size_t i = 0; i < op_countof(names); i++) {
		uint64_t where[2] = { 0 };
		int status = 0, to;
		pid_t pid = program_begin(names[i], &to, where);

		CHECK(op_thread_context_find(&proc, (uint32_t)pid, &found));
		CHECK_EQ(found.kind, OP_THREAD_CONTEXT_STATIC);
		CHECK(where[1] && address((uint32_t)pid, where[0]) == where[1]);
		close(to);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
}

/* --- made-up processes --- */

static struct image library, program;

/* The library has the variable; the program only says that glibc is there. */
static void begin(uint32_t type, uint64_t first, uint64_t second)
{
	folder_make(&tree);
	proc = (struct op_proc){ .root = tree.path };
	tree_text("5/maps", image_maps);
	image_make(&library, type);
	image_make(&program, 0);
	program.names[1] = 'x';
	library.slot[0] = first;
	library.slot[1] = second;
	library.index[0] = 2;
	library.index[1] = 0x100000;
}

static bool find(void)
{
	static uint8_t memory[IMAGE_END];

	memcpy(memory + LIBRARY_AT, &library, sizeof(library));
	memcpy(memory + PROGRAM_AT, &program, sizeof(program));
	tree_put("5/mem", memory, sizeof(memory));
	return op_thread_context_find(&proc, 5, &found);
}

TEST(slots)
{
	static const uint64_t index_at = LIBRARY_AT + IMAGE_OFFSET(index);
	const struct {
		uint32_t type;
		uint64_t slot[2];
		struct op_thread_context want;
	} rows[] = {
		{ 0, { 0 }, { OP_THREAD_CONTEXT_STATIC, 0, -0x18 } },
		{ R_X86_64_TPOFF64,
		  { (uint64_t)-16 },
		  { OP_THREAD_CONTEXT_STATIC, 0, -16 } },
		{ R_X86_64_TLSDESC,
		  { 1, (uint64_t)-152 },
		  { OP_THREAD_CONTEXT_STATIC, 0, -152 } },
		{ R_X86_64_TLSDESC,
		  { 1, index_at },
		  { OP_THREAD_CONTEXT_DTV, 2, 0x100000 } },
		{ R_X86_64_DTPMOD64,
		  { 3, 0x40 },
		  { OP_THREAD_CONTEXT_DTV, 3, 0x40 } },
		/* Not resolved yet, or nonsense. */
		{ R_X86_64_DTPOFF64, { 1, 1 }, { 0 } },
		{ R_X86_64_TPOFF64, { 0 }, { 0 } },
		{ R_X86_64_TPOFF64, { 16 }, { 0 } },
		{ R_X86_64_TPOFF64, { 1ull << 63 }, { 0 } },
		{ R_X86_64_TLSDESC, { 1, 0 }, { 0 } },
		{ R_X86_64_TLSDESC, { 1, 0x100000 }, { 0 } },
		{ R_X86_64_DTPMOD64, { 0, 0 }, { 0 } },
		{ R_X86_64_DTPMOD64, { 4097, 0 }, { 0 } },
		{ R_X86_64_DTPMOD64, { 1, 1ull << 63 }, { 0 } },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		begin(rows[i].type, rows[i].slot[0], rows[i].slot[1]);
		CHECK_EQ(find(), rows[i].want.kind != OP_THREAD_CONTEXT_NONE);
		if (memcmp(&found, &rows[i].want, sizeof(found)))
			TEST_FAIL("row %zu: kind %u, module %u, offset %lld", i,
				  found.kind, found.module,
				  (long long)found.offset);
		tree_end();
	}
}

/* The DTV of musl has another shape, but static TLS is as everywhere. */
TEST(musl)
{
	begin(R_X86_64_DTPMOD64, 3, 0x40);
	snprintf(program.interpreter, sizeof(program.interpreter),
		 "/lib/ld-musl-x86_64.so.1");
	CHECK(!find());
	CHECK_EQ(found.kind, OP_THREAD_CONTEXT_NONE);
	library.reloc.r_info = ELF64_R_INFO(1, R_X86_64_TLSDESC);
	library.slot[1] = (uint64_t)-8;
	CHECK(find());
	tree_end();
}

#define BROKEN(what)                                       \
	do {                                               \
		begin(R_X86_64_TPOFF64, (uint64_t)-16, 0); \
		what;                                      \
		CHECK(!find());                            \
		tree_end();                                \
	} while (0)

TEST(broken)
{
	BROKEN(library.head.e_ident[0] = 0);
	BROKEN(library.head.e_ident[EI_CLASS] = ELFCLASS32);
	BROKEN(library.head.e_machine = EM_AARCH64);
	BROKEN(library.head.e_type = ET_CORE);
	BROKEN(library.head.e_phentsize = 1);
	BROKEN(library.head.e_phnum = 0);
	BROKEN(library.head.e_phnum = UINT16_MAX);
	BROKEN(library.head.e_phoff = UINT64_MAX);
	BROKEN(library.segments[0].p_type = PT_NOTE);
	BROKEN(library.segments[1].p_memsz = 0);
	BROKEN(library.segments[1].p_vaddr = 1ull << 62);
	BROKEN(library.dynamic[0].d_tag = DT_NULL);
	BROKEN(library.hash[0] = 0);
	BROKEN(library.hash[2] = UINT32_MAX);
	BROKEN(library.symbols[1].st_shndx = SHN_UNDEF);
	BROKEN(library.symbols[1].st_info = STT_OBJECT);
	BROKEN(library.symbols[1].st_name = UINT32_MAX);
	BROKEN(library.names[5] = 0);
	BROKEN(library.reloc.r_offset = 1ull << 62);
	BROKEN(library.reloc.r_addend = 8);
	BROKEN(tree_text("5/maps", ""));
	BROKEN(tree_text("5/maps", strchr(image_maps, '\n') + 1));
	BROKEN(unlink(folder_path(&tree, "5/maps")));
}

/* Tables that do not end. */
TEST(endless)
{
	begin(R_X86_64_TPOFF64, 0, 0);
	library.names[1] = 'x';
	library.hash[4] = 1;
	CHECK(!find());
	tree_end();
	begin(R_X86_64_TPOFF64, 0, 0);
	library.dynamic[4].d_un.d_val = UINT64_MAX;
	CHECK(!find());
	tree_end();
}

TEST(program_segment)
{
	static const struct {
		uint64_t bytes, align, value;
		int64_t offset; /* 0: none */
	} rows[] = {
		{ 8, 8, 0, -8 },	 { 8, 0, 0, -8 },
		{ 9, 1, 1, -8 },	 { 0x70, 0x40, 0, -0x80 },
		{ 0x70, 0x40, 0x70, 0 }, { UINT64_MAX, 8, 0, 0 },
		{ 8, UINT64_MAX, 0, 0 }, { 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		begin(0, 0, 0);
		library.segments[3].p_memsz = rows[i].bytes;
		library.segments[3].p_align = rows[i].align;
		library.symbols[1].st_value = rows[i].value;
		CHECK_EQ(find(), rows[i].offset != 0);
		CHECK_EQ(found.offset, rows[i].offset);
		tree_end();
	}
}

TEST(schemas)
{
	CHECK(op_thread_context_is_schema(op_view_z("tls_v1")));
	CHECK(op_thread_context_is_schema(op_view_z("tlsdesc_v1_dev")));
	CHECK(!op_thread_context_is_schema(op_view_z("go_pprof_labels_v1")));
	CHECK(!op_thread_context_is_schema(op_view_z("")));
}

TEST_MAIN(in_libraries, none, in_programs, slots, musl, broken, endless,
	  program_segment, schemas)
