// SPDX-License-Identifier: Apache-2.0
/* bench/unwind.c: unwind tables against elfutils.
 *
 * usage: unwind [--quick] FILE...
 *
 * Building: the whole table of a file against the same rows by elfutils, which
 * is dwarf_getcfi_elf(), one dwarf_cfi_addrframe() a row, each telling where
 * the next begins, dwarf_frame_cfa() and dwarf_frame_register() of the return
 * address and the six registers a table has; what it finds is not even kept.
 * Beside it, without goals: only finding the rows, and only the last row of
 * each function. Programs: only running them, without a table, for a row.
 * Looking up: all of that for random addresses of the same
 * functions, when all have been looked up before. Before a clock starts, both
 * must have found the same CFA in each function.
 */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"
#include "sym/unwind_build.h"
#include "sym/unwind_elf.h"

enum {
	LOOKUPS = 20000,
	LOOKUP_GOAL = 30,  /* ns */
	PROGRAM_GOAL = 30, /* ns a row */
};

struct file {
	const char *name;
	struct op_view bytes;
	uint64_t *lasts; /* the last byte of each function */
	size_t nr;
	uint64_t *pcs;	  /* LOOKUPS of them, anywhere */
	uint64_t nr_rows; /* of all programs, when they were run last */
	uint64_t sum;

	struct op_arena mem;
	struct op_unwind_build build;
	struct op_unwind_table table;
	Elf *elf;
	Dwarf_CFI *cfi;
};

static _Noreturn void die(const char *name, const char *why)
{
	fprintf(stderr, "unwind: %s: %s\n", name, why);
	exit(1);
}

static void ours_build(void *arg)
{
	struct file *f = arg;
	struct op_err err = { 0 };
	struct op_cfi cfi;
	struct op_elf e;

	op_arena_free(&f->mem);
	if (op_elf_open(&e, f->bytes, &err) ||
	    op_unwind_elf(&e, &f->mem, &cfi, &err) ||
	    op_unwind_build_init(&f->build, &cfi, &f->mem, &err) ||
	    op_unwind_build_all(&f->build) ||
	    op_unwind_build_table(&f->build, &f->table))
		die(f->name, err.text);
}

static void peer_open(struct file *f)
{
	f->elf = elf_memory((char *)f->bytes.p, f->bytes.n);
	f->cfi = f->elf ? dwarf_getcfi_elf(f->elf) : NULL;
	if (!f->cfi)
		die(f->name, "elfutils finds no call frame information");
}

static void peer_close(struct file *f)
{
	dwarf_cfi_end(f->cfi);
	elf_end(f->elf);
	f->cfi = NULL;
}

/* The offset of a CFA that is a register and an offset; -1: there is none,
 * or it is an expression. */
static int64_t peer_look(struct file *f, uint64_t pc)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	int64_t v = -1;
	size_t nr;

	if (dwarf_cfi_addrframe(f->cfi, pc, &frame))
		return -1;
	if (!dwarf_frame_cfa(frame, &ops, &nr) && nr == 1)
		v = (int64_t)(ops[0].atom == 0x92 ? ops[0].number2 :
						    ops[0].number);
	free(frame);
	return v;
}

/* What a table has of a row. */
static uint64_t peer_row(Dwarf_Frame *frame)
{
	static const int regs[] = { 3, 6, 12, 13, 14, 15, 16 };
	uint64_t sum = 0;
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (!dwarf_frame_cfa(frame, &ops, &nr) && nr)
		sum = ops[0].number;
	for (size_t i = 0; i < op_countof(regs); i++)
		if (!dwarf_frame_register(frame, regs[i], mem, &ops, &nr) && nr)
			sum += ops[0].atom;
	return sum;
}

/* Rows of all functions. */
static void peer_rows(struct file *f, bool is_read)
{
	const struct op_cfi_range *r = f->build.index.ranges.p;
	Dwarf_Frame *frame;

	peer_open(f);
	for (size_t i = 0; i < f->nr; i++) {
		Dwarf_Addr pc = f->build.index.base + r[i].start, next;

		while (pc <= f->lasts[i] &&
		       !dwarf_cfi_addrframe(f->cfi, pc, &frame)) {
			next = pc;
			dwarf_frame_info(frame, NULL, &next, NULL);
			if (is_read)
				f->sum += peer_row(frame);
			free(frame);
			if (next <= pc)
				break;
			pc = next;
		}
	}
	peer_close(f);
}

static void peer_build(void *arg)
{
	peer_rows(arg, true);
}

static void peer_find(void *arg)
{
	peer_rows(arg, false);
}

/* The last row of each. */
static void peer_lasts(void *arg)
{
	struct file *f = arg;
	Dwarf_Frame *frame;

	peer_open(f);
	for (size_t i = 0; i < f->nr; i++)
		if (!dwarf_cfi_addrframe(f->cfi, f->lasts[i], &frame))
			free(frame);
	peer_close(f);
}

static bool count_row(void *arg, uint64_t vaddr, const struct op_cfi_state *s)
{
	struct file *f = arg;

	(void)vaddr, (void)s;
	f->nr_rows++;
	return true;
}

static void ours_programs(void *arg)
{
	struct file *f = arg;
	const struct op_cfi_sink sink = { count_row, f };

	f->nr_rows = 0;
	for (size_t i = 0; i < f->nr; i++)
		op_cfi_index_run(&f->build.index, i, &sink);
}

static void ours_lookups(void *arg)
{
	struct file *f = arg;
	const struct op_rule *r;

	for (size_t i = 0; i < LOOKUPS; i++)
		if (!op_unwind_find(&f->table, f->pcs[i], &r))
			f->sum += (uint64_t)r->cfa_off + r->saved[1];
	bench_keep(&f->sum);
}

static void peer_lookups(void *arg)
{
	struct file *f = arg;

	for (size_t i = 0; i < LOOKUPS; i++) {
		Dwarf_Frame *frame;

		if (dwarf_cfi_addrframe(f->cfi, f->pcs[i], &frame))
			continue;
		f->sum += peer_row(frame);
		free(frame);
	}
	bench_keep(&f->sum);
}

static void *must(void *p)
{
	if (!p)
		die("", "no memory");
	return p;
}

static void file_open(struct file *f, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *p;

	*f = (struct file){ .name = strrchr(path, '/') + 1 };
	if (fd < 0 || fstat(fd, &st))
		die(path, "cannot be read");
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		 fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		die(path, "cannot be mapped");
	f->bytes = op_view(p, (size_t)st.st_size);
}

/* Which addresses to ask for: by the table's own list of functions. */
static void file_functions(struct file *f)
{
	const struct op_cfi_index *ix = &f->build.index;
	uint64_t seed = 1;

	f->nr = ix->ranges.n;
	f->lasts = must(calloc(f->nr, sizeof(*f->lasts)));
	f->pcs = must(calloc(LOOKUPS, sizeof(*f->pcs)));
	for (size_t i = 0; i < f->nr; i++)
		f->lasts[i] = ix->base + ix->ranges.p[i].end - 1;
	for (size_t i = 0; i < LOOKUPS; i++) {
		const struct op_cfi_range *r =
			&ix->ranges.p[bench_below(&seed, (uint32_t)f->nr)];

		f->pcs[i] = ix->base + r->start +
			    bench_below(&seed, r->end - r->start);
	}
}

/* Both find the same CFA at the last byte of each function, for which all of
 * its program has to be run. We give the padding behind a function to it,
 * elfutils does not. */
static void same(struct file *f)
{
	size_t nr = 0;

	peer_open(f);
	for (size_t i = 0; i < f->nr; i++) {
		const struct op_rule *r;
		int64_t off = -1;

		for (int k = 0; k < 16 && off < 0; k++)
			off = peer_look(f, f->lasts[i] - (uint64_t)k);
		if (off < 0)
			continue;
		while (peer_look(f, f->lasts[i]) < 0)
			f->lasts[i]--;
		if (op_unwind_find(&f->table, f->lasts[i], &r) ||
		    r->cfa != OP_CFA_REG || r->cfa_off != off)
			die(f->name, "tables differ");
		nr++;
	}
	if (nr < f->nr * 9 / 10)
		die(f->name, "elfutils knows less");
}

struct unit {
	const char *fmt;
	double scale;
};

/* most: as much of the unit at most; 0: there is no goal. */
static void report(const struct file *f, const char *what,
		   struct bench_times times, struct unit unit, int most)
{
	char work[96], ours[32], peer[32], wanted[32] = "";

	snprintf(work, sizeof(work), "unwind, %s: %s", f->name, what);
	snprintf(ours, sizeof(ours), unit.fmt, times.ours * unit.scale);
	snprintf(peer, sizeof(peer), unit.fmt, times.peer * unit.scale);
	if (most)
		snprintf(wanted, sizeof(wanted), "<= %d ns", most);
	bench_report(&(struct bench_row){
		work, ours, peer, times.peer / times.ours, wanted,
		!most || times.ours * unit.scale <= most });
}

static void report_programs(const struct file *f, double seconds)
{
	double ns = seconds * 1e9 / (double)f->nr_rows;
	char what[96], ours[32], wanted[32];

	snprintf(what, sizeof(what), "unwind, %s: programs, %llu rows", f->name,
		 (unsigned long long)f->nr_rows);
	snprintf(ours, sizeof(ours), "%.1f ns", ns);
	snprintf(wanted, sizeof(wanted), "<= %d ns", PROGRAM_GOAL);
	bench_report(&(struct bench_row){ what, ours, "-", 0, wanted,
					  ns <= PROGRAM_GOAL });
}

static void report_size(const struct file *f)
{
	char what[96], bytes[32];

	snprintf(what, sizeof(what), "unwind, %s: table of %.1f MB", f->name,
		 (double)f->bytes.n / 1e6);
	snprintf(bytes, sizeof(bytes), "%.1f KB", f->table.head->bytes / 1e3);
	bench_report(&(struct bench_row){ what, bytes, "-", 0, "", true });
}

static void bench_file(const char *path, struct bench_effort effort)
{
	struct file f;
	const struct bench_pair build = { ours_build, peer_build, &f };
	const struct bench_pair find = { ours_build, peer_find, &f };
	const struct bench_pair lasts = { ours_build, peer_lasts, &f };
	const struct bench_pair programs = { ours_programs, NULL, &f };
	const struct bench_pair look = { ours_lookups, peer_lookups, &f };
	const struct unit ms = { "%.2f ms", 1e3 };
	const struct unit ns = { "%.1f ns", 1e9 / LOOKUPS };
	char what[64];

	file_open(&f, path);
	ours_build(&f);
	file_functions(&f);
	same(&f);
	peer_close(&f);
	snprintf(what, sizeof(what), "build, %zu functions", f.nr);
	report(&f, what, bench_run(&build, effort), ms, 0);
	report(&f, "build, peer: rows not read", bench_run(&find, effort), ms,
	       0);
	report(&f, "build, peer: last rows only", bench_run(&lasts, effort), ms,
	       0);
	report_programs(&f, bench_run(&programs, effort).ours);
	peer_open(&f);
	peer_lookups(&f);
	report(&f, "look up", bench_run(&look, effort), ns, LOOKUP_GOAL);
	peer_close(&f);
	report_size(&f);
	op_arena_free(&f.mem);
	munmap((void *)f.bytes.p, f.bytes.n);
	free(f.lasts);
	free(f.pcs);
}

int main(int argc, char **argv)
{
	struct bench_effort effort = bench_effort_for(
		bench_is_quick(argc, argv));

	elf_version(EV_CURRENT);
	for (int i = 1; i < argc; i++)
		if (argv[i][0] != '-')
			bench_file(argv[i], effort);
	return 0;
}
