// SPDX-License-Identifier: Apache-2.0
/* Threads of a core file. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/user.h>

#include "snap.h"

enum { MAX_THREADS = 256 };

struct core {
	const uint8_t *file;
	size_t n;
	struct snap snap;
	struct elf_prstatus threads[MAX_THREADS];
	size_t nr_threads;
	uint64_t vdso;
};

/* Whether a file is executed at an offset: a core file need not have what is
 * in files, and then it does not say. */
static bool is_code(const char *path, uint64_t offset)
{
	FILE *f = fopen(path, "rb");
	bool found = false;
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!f)
		return false;
	if (fread(&eh, sizeof(eh), 1, f) != 1 || memcmp(&eh, ELFMAG, 4) ||
	    fseek(f, (long)eh.e_phoff, SEEK_SET))
		eh.e_phnum = 0;
	for (int i = 0; i < eh.e_phnum && fread(&ph, sizeof(ph), 1, f); i++)
		if (ph.p_type == PT_LOAD && ph.p_flags & PF_X &&
		    offset >= (ph.p_offset & -4096ull) &&
		    offset < ph.p_offset + ph.p_filesz)
			found = true;
	fclose(f);
	return found;
}

static void add_map(struct core *c, uint64_t start, uint64_t end,
		    uint64_t offset, const char *path)
{
	struct snap *s = &c->snap;
	struct snap_map *m;

	s->maps = realloc(s->maps, (s->nr_maps + 1) * sizeof(*s->maps));
	if (!s->maps)
		abort();
	m = &s->maps[s->nr_maps++];
	memset(m, 0, sizeof(*m));
	m->start = start;
	m->end = end;
	m->offset = offset;
	snprintf(m->path, sizeof(m->path), "%s", path);
	m->is_code = path[0] == '/' && is_code(path, offset);
}

/* NT_FILE: number, page size, (start, end, offset in pages)..., names. */
static void files(struct core *c, const uint8_t *p, size_t n)
{
	uint64_t head[2], row[3];
	const char *name, *end = (const char *)p + n;

	if (n < sizeof(head))
		return;
	memcpy(head, p, sizeof(head));
	if (head[0] > (n - sizeof(head)) / sizeof(row))
		return;
	name = (const char *)p + sizeof(head) + head[0] * sizeof(row);
	for (uint64_t i = 0; i < head[0] && name < end; i++) {
		memcpy(row, p + sizeof(head) + i * sizeof(row), sizeof(row));
		add_map(c, row[0], row[1], row[2] * head[1], name);
		name += strlen(name) + 1;
	}
}

static void auxv(struct core *c, const uint8_t *p, size_t n)
{
	Elf64_auxv_t a;

	for (; n >= sizeof(a); p += sizeof(a), n -= sizeof(a)) {
		memcpy(&a, p, sizeof(a));
		if (a.a_type == AT_SYSINFO_EHDR)
			c->vdso = a.a_un.a_val;
	}
}

static void notes(struct core *c, const uint8_t *p, size_t n)
{
	while (n >= sizeof(Elf64_Nhdr)) {
		const uint8_t *desc;
		Elf64_Nhdr h;
		size_t all;

		memcpy(&h, p, sizeof(h));
		desc = p + sizeof(h) + ((h.n_namesz + 3) & ~3u);
		all = (size_t)(desc - p) + ((h.n_descsz + 3) & ~3u);
		if (all > n)
			return;
		if (h.n_type == NT_PRSTATUS && c->nr_threads < MAX_THREADS &&
		    h.n_descsz == sizeof(c->threads[0]))
			memcpy(&c->threads[c->nr_threads++], desc, h.n_descsz);
		else if (h.n_type == NT_FILE)
			files(c, desc, h.n_descsz);
		else if (h.n_type == NT_AUXV)
			auxv(c, desc, h.n_descsz);
		p += all;
		n -= all;
	}
}

static void load(struct core *c, const Elf64_Phdr *ph)
{
	struct snap *s = &c->snap;

	s->parts = realloc(s->parts, (s->nr_parts + 1) * sizeof(*s->parts));
	if (!s->parts)
		abort();
	s->parts[s->nr_parts++] = (struct snap_part){ ph->p_vaddr,
						      c->file + ph->p_offset,
						      (size_t)ph->p_filesz };
	if (ph->p_vaddr == c->vdso) {
		s->vdso = c->file + ph->p_offset;
		s->vdso_bytes = (size_t)ph->p_filesz;
		add_map(c, ph->p_vaddr, ph->p_vaddr + ph->p_memsz, 0, "[vdso]");
	}
	if (!(ph->p_flags & PF_X))
		return;
	for (size_t i = 0; i < s->nr_maps; i++)
		if (ph->p_vaddr >= s->maps[i].start &&
		    ph->p_vaddr < s->maps[i].end) {
			s->maps[i].is_code = true;
			return;
		}
	add_map(c, ph->p_vaddr, ph->p_vaddr + ph->p_memsz, 0, "");
	s->maps[s->nr_maps - 1].is_code = true;
}

static void segments(struct core *c, uint32_t type)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	memcpy(&eh, c->file, sizeof(eh));
	for (unsigned int i = 0; i < eh.e_phnum; i++) {
		size_t at = eh.e_phoff + i * sizeof(ph);

		if (at > c->n - sizeof(ph))
			return;
		memcpy(&ph, c->file + at, sizeof(ph));
		if (ph.p_type != type || ph.p_offset > c->n ||
		    ph.p_filesz > c->n - ph.p_offset)
			continue;
		if (type == PT_NOTE)
			notes(c, c->file + ph.p_offset, (size_t)ph.p_filesz);
		else
			load(c, &ph);
	}
}

bool core_run(const char *path)
{
	static unsigned int id;
	static struct core c;

	memset(&c, 0, sizeof(c));
	c.file = (const uint8_t *)file_text(path, &c.n);
	if (!c.file || c.n < sizeof(Elf64_Ehdr) || memcmp(c.file, ELFMAG, 4))
		return false;
	segments(&c, PT_NOTE);
	segments(&c, PT_LOAD);
	c.snap.maps_id = ++id;
	for (size_t i = 0; i < c.nr_threads; i++) {
		struct user_regs_struct u;

		memcpy(&u, &c.threads[i].pr_reg, sizeof(u));
		const uint64_t all[NR_REGS] = {
			u.rax, u.rdx, u.rcx, u.rbx, u.rsi, u.rdi,
			u.rbp, u.rsp, u.r8,  u.r9,  u.r10, u.r11,
			u.r12, u.r13, u.r14, u.r15, u.rip,
		};
		memcpy(c.snap.regs, all, sizeof(all));
		compare(&c.snap);
	}
	return c.nr_threads > 0;
}
