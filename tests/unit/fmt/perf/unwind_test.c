// SPDX-License-Identifier: Apache-2.0
/* Binaries that are at hand: addresses as they have them, and callers. */
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf_fixture.h"
#include "write/elf.h"

enum { VADDR = 0x401000, BYTES = 0x100 };

static struct elf elf;
static char dir[200];
static uint64_t text_at; /* offset of .text */

static void put_num(uint8_t **p, uint64_t v, unsigned int n)
{
	memcpy(*p, &v, n);
	*p += n;
}

/* One function, which never moves the stack pointer: the return address is
 * where that points to. */
static size_t frame_info(uint8_t *out)
{
	/* version, no augmentation, alignments 1 and -8, column 16; the CFA is
	 * rsp + 8, the return address 8 before it */
	static const uint8_t cie[] = { 1, 0,	1, 0x78, 16, 12, 7,
				       8, 0x90, 1, 0,	 0,  0,	 0 };
	uint8_t *p = out;

	put_num(&p, 4 + sizeof(cie), 4);
	put_num(&p, 0, 4);
	memcpy(p, cie, sizeof(cie));
	p += sizeof(cie);
	put_num(&p, 4 + 16 + 4, 4);
	put_num(&p, (uint64_t)(p - out), 4);
	put_num(&p, VADDR, 8);
	put_num(&p, BYTES, 8);
	put_num(&p, 0, 4);
	put_num(&p, 0, 4);
	return (size_t)(p - out);
}

static void binary_write(void)
{
	static const uint8_t code[BYTES];
	uint8_t frames[100];
	char path[250];
	uint32_t text;
	FILE *f;

	elf_start(&elf, true);
	text = elf_add(&elf, ".text", SHT_PROGBITS, VADDR,
		       op_view(code, sizeof(code)));
	elf.sections[text].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	elf_segment(&elf, PT_LOAD, PF_R | PF_X, VADDR, text);
	text_at = elf.sections[text].sh_offset;
	elf_add(&elf, ".eh_frame", SHT_PROGBITS, VADDR + 0x1000,
		op_view(frames, frame_info(frames)));
	elf_build_id(&elf, op_view("\x0a\x0b\x0c\x0d", 4));
	elf_finish(&elf);
	snprintf(dir, sizeof(dir), "%s/perf-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	CHECK(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x", dir);
	f = fopen(path, "w");
	CHECK(f);
	if (!f)
		return;
	fwrite(elf_view(&elf).p, 1, elf_view(&elf).n, f);
	fclose(f);
}

static void binary_remove(void)
{
	char path[250];

	snprintf(path, sizeof(path), "%s/x", dir);
	unlink(path);
	rmdir(dir);
}

static uint64_t inode_of(void)
{
	struct stat st = { 0 };
	char path[250];

	snprintf(path, sizeof(path), "%s/x", dir);
	CHECK(!stat(path, &st));
	return st.st_ino;
}

/* "%s" of lines is what the mapping says of the file. */
static void check_at(const char *path, const char *mapping, const char *lines,
		     const char *want)
{
	char text[1000];
	const char *got;
	struct perf p;

	perf_root = dir;
	snprintf(text, sizeof(text), "mmap 10 0x7000+0x1000@0x%llx %s %s @1\n",
		 (unsigned long long)text_at, path, mapping);
	perf_begin(&p, "file");
	perf_lines(&p, "event cpu-clock regs=0x1c0 "
		       "has=ip+tid+time+chain+regs+stack\n"
		       "feature 6 text\"x86_64\"\n");
	perf_lines(&p, text);
	perf_lines(&p, lines);
	got = strchr(told(perf_end(&p), NULL), '\t');
	CHECK_STR(got, want);
	perf_free(&p);
}

static void check_told(const char *mapping, const char *lines, const char *want)
{
	check_at("/x", mapping, lines, want);
}

#define END " process.executable.name=x\n"

/* The file counts only if it is what was recorded. */
TEST(address)
{
	char mine[60], there[60], other[60], here[60];

	binary_write();
	snprintf(mine, sizeof(mine), "inode=%llu",
		 (unsigned long long)inode_of());
	snprintf(other, sizeof(other), "inode=%llu",
		 (unsigned long long)inode_of() + 1);
	snprintf(there, sizeof(there), "\tx+0x401010 @5 10/10" END);
	snprintf(here, sizeof(here), "\tx+0x%llx @5 10/10" END,
		 (unsigned long long)text_at + 0x10);
	check_told("id=0a0b0c0d", "sample 10/10 @5 ip=0x7010\n", there);
	check_told(mine, "sample 10/10 @5 ip=0x7010\n", there);
	check_told("id=0a0b0c0e", "sample 10/10 @5 ip=0x7010\n", here);
	check_told(other, "sample 10/10 @5 ip=0x7010\n", here);
	check_told("", "sample 10/10 @5 ip=0x7010\n", here);
	binary_remove();
}

#define ID "id=0a0b0c0d"

TEST(stack)
{
	binary_write();
	/* rbp, rsp, rip */
	check_told(ID,
		   "sample 10/10 @5 ip=0x7010 regs=0,0x9000,0x7010 "
		   "stack=20700000000000003070000000000000\n",
		   "\tx+0x401010;x+0x40101f;x+0x40102f @5 10/10 "
		   "process.executable.name=x "
		   "perf.stack.end=stack memory missing\n");
	check_told(ID,
		   "sample 10/10 @5 ip=0x7010 regs=0,0x9000,0x7010 "
		   "stack=20700000000000000000000000000000\n",
		   "\tx+0x401010;x+0x40101f @5 10/10" END);
	check_told(ID, "sample 10/10 @5 ip=0x7010\n",
		   "\tx+0x401010 @5 10/10" END);
	check_told(ID,
		   "sample 10/10 @5 mode=1 chain=k,0xff00 "
		   "regs=0,0x9000,0x7010 stack=0000000000000000\n",
		   "\t!?+0xff00;x+0x401010 @5 10/10" END);
	binary_remove();
}

static int watch_begin(void)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	CHECK(fd >= 0 && inotify_add_watch(fd, dir, IN_OPEN) >= 0);
	return fd;
}

/* Whether a file of the folder was opened since. */
static bool watch_end(int fd)
{
	char events[4096];
	ssize_t n = read(fd, events, sizeof(events));

	close(fd);
	return n > 0;
}

static const char *const roots[] = { NULL, "" };

/* Nobody allowed it, so that no file is opened: addresses stay offsets in the
 * file, and of a stack there is the leaf. */
TEST(not_allowed)
{
	char text[600], want[300];
	struct perf p;
	int fd;

	binary_write();
	for (size_t i = 0; i < op_countof(roots); i++) {
		snprintf(text, sizeof(text),
			 "event cpu-clock regs=0x1c0 "
			 "has=ip+tid+time+regs+stack\n"
			 "feature 6 text\"x86_64\"\n"
			 "mmap 10 0x7000+0x1000@0x%llx %s/x " ID " @1\n"
			 "sample 10/10 @5 ip=0x7010 regs=0,0x9000,0x7010 "
			 "stack=20700000000000003070000000000000\n",
			 (unsigned long long)text_at, dir);
		snprintf(want, sizeof(want),
			 "\tx+0x%llx @5 10/10 process.executable.name=x "
			 "perf.stack.end=binaries may not be opened\n",
			 (unsigned long long)text_at + 0x10);
		perf_root = roots[i];
		fd = watch_begin();
		perf_begin(&p, "file");
		perf_lines(&p, text);
		CHECK_STR(strchr(told(perf_end(&p), NULL), '\t'), want);
		CHECK(!watch_end(fd));
		CHECK(strstr(perf_note, "1 stacks have no callers"));
		perf_free(&p);
	}
	/* The same inside of a root that is allowed is opened. */
	perf_root = "/";
	fd = watch_begin();
	perf_begin(&p, "file");
	perf_lines(&p, text);
	CHECK(strstr(told(perf_end(&p), NULL), "x+0x401010;x+0x40101f"));
	CHECK(watch_end(fd));
	perf_free(&p);
	binary_remove();
}

/* One file under many names is read once, and a path does not leave its root.
 */
TEST(names_of_a_file)
{
	char want[100];

	binary_write();
	snprintf(want, sizeof(want), "\tx+0x401010 @5 10/10" END);
	check_at("/./x", ID, "sample 10/10 @5 ip=0x7010\n", want);
	check_at("/../../.././x", ID, "sample 10/10 @5 ip=0x7010\n", want);
	binary_remove();
}

TEST(oom)
{
	char text[300];
	struct perf p;

	binary_write();
	perf_root = dir;
	snprintf(text, sizeof(text),
		 "event cpu-clock regs=0x1c0 has=ip+tid+time+regs+stack\n"
		 "feature 6 text\"x86_64\"\n"
		 "mmap 10 0x7000+0x1000@0x%llx /x " ID " @1\n"
		 "sample 10/10 @5 ip=0x7010 regs=0,0x9000,0x7010 "
		 "stack=20700000000000003070000000000000\n",
		 (unsigned long long)text_at);
	perf_begin(&p, "pipe");
	perf_lines(&p, text);
	perf_end(&p);
	EACH_ALLOC_FAILS(k) {
		struct op_model m;
		struct op_err err;

		read_with(&m, op_view(p.out.p, p.out.n), NULL, &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
		op_model_free(&m);
	}
	perf_free(&p);
	binary_remove();
}

TEST_MAIN(address, stack, not_allowed, names_of_a_file, oom)
