// SPDX-License-Identifier: Apache-2.0
#include "host/proc.h"

#include <sys/sysmacros.h>

#include "host_fixture.h"
#include "proc_tree.h"
#include "write/elf.h"

static struct elf elf;
static struct op_proc proc;

static const struct {
	const char *line;
	uint64_t start, len, offset, inode;
	uint32_t prot, maj, min;
	const char *name;
} lines[] = {
	{ "1000-3000 r-xp 00001000 fe:01 77                      /lib/x",
	  0x1000, 0x2000, 0x1000, 77, PROT_READ | PROT_EXEC, 0xfe, 1,
	  "/lib/x" },
	{ "7f00-7f10 rwxp 00000000 00:00 0", 0x7f00, 0x10, 0, 0,
	  PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0, "" },
	{ "7f00-7f10 --xs 0 0:0 0 /a b (deleted)", 0x7f00, 0x10, 0, 0,
	  PROT_EXEC, 0, 0, "/a b (deleted)" },
	{ "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]",
	  0xffffffffff600000, 0x1000, 0, 0, PROT_EXEC, 0, 0, "[vsyscall]" },
};

static const char *const no_lines[] = {
	"",
	"1000",
	"1000-",
	"1000-1000 r-xp 0 0:0 0",
	"3000-1000 r-xp 0 0:0 0",
	"1000-2000 r-x",
	"1000-2000 r-xp 0 0:0 ",
	"1000-2000 r-xp 0 0 0 /x",
	"x-2000 r-xp 0 0:0 0 /x",
	"000000000000000000000000001000-2000 r-xp 0 0:0 0 /x",
};

TEST(map_line)
{
	struct op_host_mmap m;

	for (size_t i = 0; i < op_countof(no_lines); i++)
		if (op_proc_map_line(op_view_z(no_lines[i]), &m))
			TEST_FAIL("%s", no_lines[i]);
	for (size_t i = 0; i < op_countof(lines); i++) {
		CHECK(op_proc_map_line(op_view_z(lines[i].line), &m));
		CHECK_EQ(m.start, lines[i].start);
		CHECK_EQ(m.len, lines[i].len);
		CHECK_EQ(m.offset, lines[i].offset);
		CHECK_EQ(m.inode, lines[i].inode);
		CHECK_EQ(m.prot, lines[i].prot);
		CHECK_EQ(m.maj, lines[i].maj);
		CHECK_EQ(m.min, lines[i].min);
		CHECK(op_view_is(m.name, lines[i].name));
	}
}

static void begin(void)
{
	folder_make(&tree);
	proc = (struct op_proc){ .root = tree.path };
	host_begin(true);
}

static void end(void)
{
	host_end();
	op_proc_fini(&proc);
	tree_end();
}

/* A binary in the root of process 5. */
static void binary_put(const char *name, const char *id)
{
	elf_start(&elf, true);
	elf_build_id(&elf, op_view_z(id));
	elf_finish(&elf);
	tree_put(name, elf_view(&elf).p, elf_view(&elf).n);
}

static void maps_put(const char *file, const char *name, uint64_t add)
{
	char text[600];
	struct stat st;

	CHECK(!stat(folder_path(&tree, file), &st));
	snprintf(text, sizeof(text),
		 "1000-2000 r--p 0 %x:%x %llu /bin/a\n"
		 "2000-3000 r-xp 1000 %x:%x %llu %s\n"
		 "4000-5000 rwxp 0 0:0 0 \n"
		 "6000-7000 r-xp 0 0:0 0 [vdso]\n"
		 "nonsense\n"
		 "f000-f001 r-xp 0 0:0 0 [vsyscall]\n",
		 major(st.st_dev), minor(st.st_dev),
		 (unsigned long long)st.st_ino, major(st.st_dev),
		 minor(st.st_dev), (unsigned long long)(st.st_ino + add), name);
	tree_text("5/maps", text);
}

static const struct op_host_binary *binary_at(uint64_t address)
{
	uint32_t id = op_host_process_find(&host, 5);
	struct op_host_space *s = host.tasks.processes.p[id].space;
	struct op_host_map *m = s ? op_host_map_find(s, address) : NULL;

	return m ? &host.maps.binaries.p[m->binary] : NULL;
}

TEST(read_process)
{
	const struct op_host_binary *b;

	begin();
	binary_put("5/root/bin/a", "0123456789abcdefghij");
	maps_put("5/root/bin/a", "/bin/a", 0);
	tree_text("5/task/5/comm", "main\n");
	tree_text("5/task/7/comm", "new\nline\n");
	tree_link("5/exe", "/bin/a");
	CHECK(op_proc_read(&proc, 5, &host));
	CHECK(op_view_is(host_name(5), "main"));
	CHECK(op_view_is(host_name(7), "new\nline"));
	CHECK(op_view_is(host_program(5), "/bin/a"));
	CHECK(op_view_is(host_at(5, 0x2000), "/bin/a"));
	CHECK(op_view_is(host_at(5, 0x4000), "/tmp/perf-5.map"));
	CHECK(op_view_is(host_at(5, 0x6000), "[vdso]"));
	CHECK(op_view_is(host_at(5, 0x1000), ""));
	CHECK(op_view_is(host_at(5, 0xf000), ""));
	b = binary_at(0x2000);
	CHECK_EQ(b->id_len, 20);
	CHECK(!memcmp(b->id, "0123456789abcdefghij", 20));
	CHECK_EQ(b->inode, 0);
	/* The second time nothing is opened, and nothing is new. */
	CHECK(op_proc_read(&proc, 5, &host));
	CHECK_EQ(proc.nr_opened, 1);
	CHECK_EQ(host.maps.binaries.n, 3);
	CHECK_EQ(err.code, 0);
	end();
}

/* Another file under the name that was mapped: no build id of it. */
TEST(other_file)
{
	const struct op_host_binary *b;

	begin();
	binary_put("5/root/bin/a", "id");
	maps_put("5/root/bin/a", "/bin/a", 1);
	tree_text("5/task/5/comm", "main\n");
	CHECK(op_proc_read(&proc, 5, &host));
	b = binary_at(0x2000);
	CHECK(b && !b->id_len && b->inode);
	end();
}

/* The file that is mapped is found under the mapping itself first. */
TEST(map_files)
{
	const struct op_host_binary *b;

	begin();
	binary_put("5/root/bin/a", "replaced");
	binary_put("5/map_files/2000-3000", "mapped");
	maps_put("5/map_files/2000-3000", "/bin/a\\012b (deleted)", 0);
	tree_text("5/task/5/comm", "main\n");
	CHECK(op_proc_read(&proc, 5, &host));
	b = binary_at(0x2000);
	CHECK(b && op_view_is(op_view(b->id, b->id_len), "mapped"));
	CHECK(b && op_view_is(b->name, "/bin/a\nb (deleted)"));
	end();
}

/* A file that changed in place has its new id. */
TEST(changed_file)
{
	begin();
	binary_put("5/root/bin/a", "old");
	maps_put("5/root/bin/a", "/bin/a", 0);
	tree_text("5/task/5/comm", "main\n");
	CHECK(op_proc_read(&proc, 5, &host));
	binary_put("5/root/bin/a", "a newer one");
	CHECK(op_proc_read(&proc, 5, &host));
	CHECK_EQ(proc.nr_opened, 2);
	CHECK_EQ(binary_at(0x2000)->id_len, 11);
	end();
}

/* Nothing, or what is nonsense, is not an error. */
TEST(broken)
{
	struct op_proc_stat st;
	char exe[4];

	begin();
	CHECK(!op_proc_read(&proc, 5, &host));
	CHECK(!op_proc_stat(&proc, 5, &st));
	CHECK(!op_proc_is_alive(&proc, 5));
	tree_text("5/task/5/x", "");
	CHECK(op_proc_is_alive(&proc, 5));
	CHECK(!op_proc_read(&proc, 5, &host));
	tree_text("5/maps", "a\nb");
	CHECK(op_proc_read(&proc, 5, &host));
	tree_text("5/stat", "5 (x");
	CHECK(!op_proc_stat(&proc, 5, &st));
	tree_text("5/stat", "5 (x) S 1 2 3");
	CHECK(!op_proc_stat(&proc, 5, &st));
	tree_text("5/stat", "5 (a) b) )" TREE_STAT);
	CHECK(op_proc_stat(&proc, 5, &st));
	CHECK_EQ(st.parent_pid, 1);
	CHECK_EQ(st.start_ticks, 12345);
	CHECK_EQ(st.uid, getuid());
	tree_link("5/exe", "/longer");
	CHECK(!op_proc_link(&proc, 5, "exe", exe, sizeof(exe)));
	CHECK_EQ(err.code, 0);
	end();
}

/* Lines that are longer than any and many of them. */
TEST(large)
{
	enum { NR = 20000, LONG = 200000 };
	size_t n = 0, room = NR * 64 + LONG + 64;
	char *text = malloc(room);

	CHECK(text != NULL);
	if (!text)
		return;
	begin();
	memset(text, 'x', LONG);
	n = LONG;
	n += (size_t)snprintf(text + n, room - n, "\n");
	for (unsigned int i = 0; i < NR; i++)
		n += (size_t)snprintf(text + n, room - n,
				      "%x000-%x000 r-xp 0 0:0 0 [c]\n",
				      i * 2 + 2, i * 2 + 3);
	tree_text("5/task/5/comm", "");
	tree_put("5/maps", text, n);
	CHECK(op_proc_read(&proc, 5, &host));
	CHECK(op_view_is(host_at(5, 0x2000), "[c]"));
	CHECK(op_view_is(host_at(5, (uint64_t)NR * 0x2000), "[c]"));
	end();
	free(text);
}

static void count(void *arg, uint32_t id)
{
	uint32_t *n = arg;

	n[0]++;
	n[1] += id == (uint32_t)getpid();
}

/* This process itself. */
TEST(self)
{
	uint32_t n[2] = { 0 }, pid = (uint32_t)getpid();
	struct op_view name;

	begin();
	proc.root = NULL;
	CHECK(op_proc_pids(&proc, count, n));
	CHECK_EQ(n[1], 1);
	n[0] = n[1] = 0;
	CHECK(op_proc_tids(&proc, pid, count, n));
	CHECK(n[0] >= 1 && n[1] == 1);
	CHECK(op_proc_read(&proc, pid, &host));
	name = host_at(pid, (uint64_t)(uintptr_t)op_proc_read);
	CHECK(name.n && op_view_eq(name, host_program(pid)));
	CHECK(op_view_holds(host_at(pid, (uint64_t)(uintptr_t)getpid), "libc"));
	CHECK(host_name(pid).n > 0);
	end();
}

TEST_MAIN(map_line, read_process, other_file, map_files, changed_file, broken,
	  large, self)
