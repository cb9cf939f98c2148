// SPDX-License-Identifier: Apache-2.0
/* record/elf_part.c: an ELF file of which only the parts needed are read. */
#include "record/elf_part.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

enum {
	HEAD_BYTES = 4096,
	MAX_NOTE = 64 << 10,
	MAX_SECTIONS = 4 << 20, /* of their headers and names */
	MAX_FRAMES = 256 << 20,
};
#define MAX_FILE ((off_t)16 << 30)

/* Reads bytes of the file to where they belong. */
static bool part_read(struct op_elf_part *p, int fd, uint64_t at, uint64_t n,
		      uint64_t most)
{
	if (at > p->bytes || n > p->bytes - at || n > most)
		return false;
	while (n) {
		ssize_t got = pread(fd, (uint8_t *)p->memory + at, n,
				    (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += (uint64_t)got;
		n -= (uint64_t)got;
	}
	return true;
}

static bool reopen(struct op_elf_part *p)
{
	struct op_err err = { 0 };

	return !op_elf_open(&p->elf, op_view(p->memory, p->bytes), &err);
}

/* They are not always behind the ELF header: tools that add some put them at
 * the end. */
static void read_segments(struct op_elf_part *p, int fd)
{
	const struct op_elf_table *t = &p->elf.segments;

	part_read(p, fd, t->at, (uint64_t)t->nr * t->bytes, MAX_SECTIONS);
}

static void read_notes(struct op_elf_part *p, int fd)
{
	struct op_elf_segment s;

	for (uint32_t i = 0; op_elf_segment(&p->elf, i, &s); i++)
		if (s.type == PT_NOTE)
			part_read(p, fd, s.offset, s.file_bytes, MAX_NOTE);
}

/* The headers of sections say where their names are, so they come first. */
static void read_sections(struct op_elf_part *p, int fd)
{
	Elf64_Ehdr h;
	Elf64_Shdr names;
	uint64_t n;

	memcpy(&h, p->memory, sizeof(h));
	n = (uint64_t)h.e_shnum * h.e_shentsize;
	if (h.e_shentsize < sizeof(names) || h.e_shstrndx >= h.e_shnum ||
	    !part_read(p, fd, h.e_shoff, n, MAX_SECTIONS))
		return;
	memcpy(&names,
	       (uint8_t *)p->memory + h.e_shoff +
		       (size_t)h.e_shstrndx * h.e_shentsize,
	       sizeof(names));
	part_read(p, fd, names.sh_offset, names.sh_size, MAX_SECTIONS);
}

static bool has_frames(const struct op_elf *e,
		       const struct op_elf_segment *load)
{
	struct op_elf_segment s;

	for (uint32_t i = 0; op_elf_segment(e, i, &s); i++)
		if (s.type == PT_GNU_EH_FRAME && s.offset >= load->offset &&
		    s.offset - load->offset < load->file_bytes)
			return true;
	return false;
}

/* A Go program without .debug_frame has its frames among its data. */
static bool is_go(const struct op_elf *e)
{
	struct op_elf_section s;

	return !op_elf_section(e, ".debug_frame", &s) &&
	       (op_elf_section(e, ".gopclntab", &s) ||
		op_elf_section(e, ".data.rel.ro.gopclntab", &s));
}

static void read_frames(struct op_elf_part *p, int fd)
{
	static const char *const wanted[] = { ".eh_frame", ".eh_frame_hdr",
					      ".debug_frame" };
	struct op_elf_section s;
	struct op_elf_segment seg;
	bool any = false;

	for (size_t i = 0; i < op_countof(wanted); i++)
		if (op_elf_section(&p->elf, wanted[i], &s))
			any |= part_read(p, fd, s.offset, s.bytes.n,
					 MAX_FRAMES);
	any &= !is_go(&p->elf);
	/* Without section headers, it is found by way of the segment that
	 * holds it. */
	for (uint32_t i = 0; !any && op_elf_segment(&p->elf, i, &seg); i++)
		if (seg.type == PT_LOAD &&
		    (!(seg.flags & PF_X) || has_frames(&p->elf, &seg)))
			part_read(p, fd, seg.offset, seg.file_bytes,
				  MAX_FRAMES);
}

bool op_elf_part_open(struct op_elf_part *p, int fd, bool with_frames)
{
	struct stat st;
	uint64_t head;

	*p = (struct op_elf_part){ 0 };
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_size < (off_t)sizeof(Elf64_Ehdr) || st.st_size > MAX_FILE)
		return false;
	p->bytes = (size_t)st.st_size;
	p->memory = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->memory == MAP_FAILED) {
		p->memory = NULL;
		return false;
	}
	head = p->bytes < HEAD_BYTES ? p->bytes : HEAD_BYTES;
	if (!part_read(p, fd, 0, head, HEAD_BYTES) || !reopen(p)) {
		op_elf_part_close(p);
		return false;
	}
	read_segments(p, fd);
	read_notes(p, fd);
	if (with_frames && p->elf.is_64) {
		read_sections(p, fd);
		if (reopen(p))
			read_frames(p, fd);
	}
	return true;
}

void op_elf_part_close(struct op_elf_part *p)
{
	if (p->memory)
		munmap(p->memory, p->bytes);
	*p = (struct op_elf_part){ 0 };
}

/* --- segments only --- */

static uint32_t count_loads(const struct op_elf *e)
{
	struct op_elf_segment s;
	uint32_t n = 0;

	for (uint32_t i = 0; op_elf_segment(e, i, &s); i++)
		n += s.type == PT_LOAD && n < OP_ELF_PART_LOADS;
	return n;
}

uint8_t *op_elf_part_loads(const struct op_elf *e, struct op_elf *out,
			   struct op_err *err)
{
	uint32_t nr = count_loads(e), n = 0;
	size_t bytes = sizeof(Elf64_Ehdr) + nr * sizeof(Elf64_Phdr);
	uint8_t *p = op_heap_resize(NULL, bytes, err);
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
				      ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = e->type,
			 .e_machine = e->machine,
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = (uint16_t)nr };
	struct op_elf_segment s;

	if (!p)
		return NULL;
	memcpy(p, &h, sizeof(h));
	for (uint32_t i = 0; n < nr && op_elf_segment(e, i, &s); i++) {
		Elf64_Phdr row = { .p_type = s.type,
				   .p_flags = s.flags,
				   .p_offset = s.offset,
				   .p_vaddr = s.vaddr,
				   .p_filesz = s.file_bytes,
				   .p_memsz = s.mem_bytes,
				   .p_align = s.align };

		if (s.type == PT_LOAD)
			memcpy(p + sizeof(h) + n++ * sizeof(row), &row,
			       sizeof(row));
	}
	op_elf_open(out, op_view(p, bytes), err);
	return p;
}
