// SPDX-License-Identifier: Apache-2.0
/* Samples of perf record --call-graph dwarf: registers and a part of the
 * stack, 8 KiB unless told otherwise. */
#include <elf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "snap.h"

enum { FIRST_OF_PERF = 64 }; /* types of records that perf adds */

struct perf {
	const uint8_t *file;
	size_t n;
	struct perf_event_attr attr;
	struct mapping {
		uint32_t pid;
		struct snap_map map;
	} * mappings;
	size_t nr, cap;
	uint32_t pid;	/* that snap has the maps of; 0: none */
	bool has_files; /* of snap: code in a file */
	struct snap snap;
	struct snap_part part;
};

static uint64_t u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* PERF_RECORD_MMAP2: pid, tid, addr, len, pgoff, 24 bytes, prot, flags, name.
 */
static void on_mmap(struct perf *f, const uint8_t *p)
{
	struct mapping *m;

	if (f->nr == f->cap)
		f->mappings = realloc(f->mappings,
				      (f->cap = f->cap * 2 + 64) * sizeof(*m));
	if (!f->mappings)
		abort();
	m = &f->mappings[f->nr++];
	memset(m, 0, sizeof(*m));
	m->pid = u32(p);
	m->map.start = u64(p + 8);
	m->map.end = m->map.start + u64(p + 16);
	m->map.offset = u64(p + 24);
	m->map.is_code = u32(p + 56) & 4;
	snprintf(m->map.path, sizeof(m->map.path), "%s", (const char *)p + 64);
	if (!strncmp(m->map.path, "//anon", 6))
		m->map.path[0] = 0;
	f->pid = 0;
}

/* A program that is executed has none of the mappings of the one before. */
static void on_exec(struct perf *f, uint32_t pid)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nr; i++)
		if (f->mappings[i].pid != pid)
			f->mappings[n++] = f->mappings[i];
	f->nr = n;
	f->pid = 0;
}

static void maps_of(struct perf *f, uint32_t pid)
{
	struct snap *s = &f->snap;

	if (f->pid == pid)
		return;
	free(s->maps);
	s->maps = malloc((f->nr + 1) * sizeof(*s->maps));
	if (!s->maps)
		abort();
	s->nr_maps = 0;
	f->has_files = false;
	/* Where two overlap the newer counts, so it is found first. */
	for (size_t i = f->nr; i--;) {
		const struct snap_map *m = &f->mappings[i].map;

		if (f->mappings[i].pid != pid)
			continue;
		f->has_files |= m->is_code && m->path[0] == '/';
		s->maps[s->nr_maps++] = *m;
	}
	s->maps_id++;
	f->pid = pid;
}

static void regs_of(uint64_t mask, const uint8_t *p, uint64_t *r)
{
	/* arch/x86/include/uapi/asm/perf_regs.h by DWARF number */
	static const int8_t dwarf[24] = {
		0,  3,	2,  1,	4, 5, 6,  7,  16, -1, -1, -1,
		-1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15,
	};

	for (int i = 0; i < 64; i++) {
		if (!(mask >> i & 1))
			continue;
		if (i < 24 && dwarf[i] >= 0)
			r[dwarf[i]] = u64(p);
		p += 8;
	}
}

/* Executing a program, the kernel removes all mappings and adds those of the
 * program one by one. Until code is mapped only the kernel runs, and there is
 * no stack to unwind. Otherwise only a lost record explains that there is no
 * code. */
static bool has_no_code(const struct perf *f, uint16_t misc)
{
	bool in_kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			 PERF_RECORD_MISC_KERNEL;

	return !f->has_files && (in_kernel || f->snap.has_lost);
}

static bool on_sample(struct perf *f, uint16_t misc, const uint8_t *p,
		      const uint8_t *end)
{
	uint64_t type = f->attr.sample_type, mask = f->attr.sample_regs_user;
	uint32_t pid = 0;

	/* What would stand before the registers and has no fixed size. */
	if (type & (PERF_SAMPLE_READ | PERF_SAMPLE_RAW |
		    PERF_SAMPLE_BRANCH_STACK) ||
	    !(type & PERF_SAMPLE_TID && type & PERF_SAMPLE_STACK_USER))
		return false;
	p += type & PERF_SAMPLE_IDENTIFIER ? 8 : 0;
	p += type & PERF_SAMPLE_IP ? 8 : 0;
	pid = u32(p);
	p += type & PERF_SAMPLE_TID ? 8 : 0;
	p += type & PERF_SAMPLE_TIME ? 8 : 0;
	p += type & PERF_SAMPLE_ADDR ? 8 : 0;
	p += type & PERF_SAMPLE_ID ? 8 : 0;
	p += type & PERF_SAMPLE_STREAM_ID ? 8 : 0;
	p += type & PERF_SAMPLE_CPU ? 8 : 0;
	p += type & PERF_SAMPLE_PERIOD ? 8 : 0;
	p += type & PERF_SAMPLE_CALLCHAIN ? 8 + 8 * u64(p) : 0;
	if (p + 16 >= end || !u64(p))
		return true; /* a thread of the kernel */
	regs_of(mask, p + 8, f->snap.regs);
	p += 8 + 8 * (size_t)__builtin_popcountll(mask);
	f->part.at = f->snap.regs[7];
	f->part.n = (size_t)u64(p);
	f->part.p = p + 8;
	if (!f->part.n || f->part.n > (size_t)(end - p - 16))
		return true;
	f->part.n = (size_t)u64(p + 8 + f->part.n);
	maps_of(f, pid);
	if (f->snap.nr_maps && !has_no_code(f, misc))
		compare(&f->snap);
	return true;
}

struct record {
	uint64_t time;
	const uint8_t *p;
};

/* A sample begins with its time, after what stands before it; other records of
 * the kernel end with it, before what stands after it. */
static uint64_t time_of(const struct perf *f, const uint8_t *p,
			const struct perf_event_header *h)
{
	uint64_t type = f->attr.sample_type;
	uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			  PERF_SAMPLE_TID;
	uint64_t after = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
			 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	size_t at;

	if (h->type == PERF_RECORD_SAMPLE)
		at = sizeof(*h) +
		     8 * (size_t)__builtin_popcountll(type & before);
	else
		at = h->size -
		     8 * (size_t)(1 + __builtin_popcountll(type & after));
	return at <= h->size - 8u ? u64(p + at) : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->p < y->p ? -1 : x->p > y->p;
}

static bool on_record(struct perf *f, const uint8_t *p)
{
	struct perf_event_header h;

	memcpy(&h, p, sizeof(h));
	if (h.type == PERF_RECORD_MMAP2)
		on_mmap(f, p + sizeof(h));
	else if (h.type == PERF_RECORD_COMM &&
		 h.misc & PERF_RECORD_MISC_COMM_EXEC)
		on_exec(f, u32(p + sizeof(h)));
	else if (h.type == PERF_RECORD_LOST)
		f->snap.has_lost = true;
	else if (h.type == PERF_RECORD_SAMPLE)
		return on_sample(f, h.misc, p + sizeof(h), p + h.size);
	return true;
}

/* perf writes the buffer of one CPU after that of another, and a program that
 * is moved to another CPU as it starts has its mappings in several: records are
 * in the order of time only when sorted. */
static bool records(struct perf *f, const uint8_t *p, const uint8_t *end)
{
	struct record *all = malloc(((size_t)(end - p) / 8 + 1) * sizeof(*all));
	size_t n = 0;
	bool is_good = all && f->attr.sample_id_all &&
		       f->attr.sample_type & PERF_SAMPLE_TIME;

	while (is_good &&
	       (size_t)(end - p) >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		memcpy(&h, p, sizeof(h));
		is_good = h.size >= sizeof(h) && h.size <= end - p;
		/* Those of perf itself have no time. */
		if (is_good && h.type < FIRST_OF_PERF)
			all[n++] = (struct record){ time_of(f, p, &h), p };
		p += h.size;
	}
	if (is_good)
		qsort(all, n, sizeof(*all), by_time);
	for (size_t i = 0; is_good && i < n; i++)
		is_good = on_record(f, all[i].p);
	free(all);
	return is_good;
}

/* The same kernel has the same vDSO in every process. */
static void own_vdso(struct snap *s)
{
	char *text = file_text("/proc/self/maps", &s->vdso_bytes);
	struct snap_map *maps;
	size_t nr;

	s->vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	maps = maps_parse(text ? text : "", &nr);
	for (size_t i = 0; i < nr; i++)
		if (maps[i].start == (uint64_t)(uintptr_t)s->vdso)
			s->vdso_bytes = (size_t)(maps[i].end - maps[i].start);
	free(maps);
	free(text);
}

bool perf_run(const char *path)
{
	struct perf f = { 0 };
	uint64_t attrs, data, size;

	f.file = (const uint8_t *)file_text(path, &f.n);
	if (!f.file || f.n < 104 || memcmp(f.file, "PERFILE2", 8))
		return false;
	attrs = u64(f.file + 24);
	data = u64(f.file + 40);
	size = u64(f.file + 48);
	if (attrs > f.n - sizeof(f.attr) || data > f.n || size > f.n - data)
		return false;
	memcpy(&f.attr, f.file + attrs, sizeof(f.attr));
	own_vdso(&f.snap);
	f.snap.parts = &f.part;
	f.snap.nr_parts = 1;
	return records(&f, f.file + data, f.file + data + size);
}
