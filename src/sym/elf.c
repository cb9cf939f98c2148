// SPDX-License-Identifier: Apache-2.0
/* sym/elf.c: headers, sections and segments of ELF files. */
#include "sym/elf.h"

#include <elf.h>

/* Page size for rounding: mappings begin at multiples of a page, and no machine
 * has smaller pages. */
enum { PAGE = 4096 };

/* --- the file --- */

static bool is_inside(const struct op_elf *e, uint64_t at, uint64_t n)
{
	return at <= e->file.n && n <= e->file.n - at;
}

/* n bytes at an offset, or nothing. */
static struct op_view part(const struct op_elf *e, uint64_t at, uint64_t n)
{
	if (!is_inside(e, at, n))
		return (struct op_view){ 0 };
	return op_view(e->file.p + at, (size_t)n);
}

static void header_64(struct op_elf *e, Elf64_Ehdr *h)
{
	memcpy(h, e->file.p, sizeof(*h));
}

/* Converts the 32-bit header to the 64-bit one. */
static void header_32(struct op_elf *e, Elf64_Ehdr *h)
{
	Elf32_Ehdr s;

	memcpy(&s, e->file.p, sizeof(s));
	*h = (Elf64_Ehdr){
		.e_type = s.e_type,
		.e_machine = s.e_machine,
		.e_entry = s.e_entry,
		.e_phoff = s.e_phoff,
		.e_shoff = s.e_shoff,
		.e_phentsize = s.e_phentsize,
		.e_phnum = s.e_phnum,
		.e_shentsize = s.e_shentsize,
		.e_shnum = s.e_shnum,
		.e_shstrndx = s.e_shstrndx,
	};
}

/* A table of nr rows, as far as they are in the file. */
static struct op_elf_table table(const struct op_elf *e, uint64_t at,
				 uint64_t nr, uint32_t bytes, uint32_t least)
{
	uint64_t most;

	if (!at || bytes < least || at > e->file.n)
		return (struct op_elf_table){ 0 };
	most = (e->file.n - at) / bytes;
	if (nr > most)
		nr = most;
	if (nr > UINT32_MAX)
		nr = UINT32_MAX;
	return (struct op_elf_table){ at, (uint32_t)nr, bytes };
}

static void section_row(const struct op_elf *e, uint32_t i, Elf64_Shdr *h)
{
	uint64_t at = e->sections.at + (uint64_t)i * e->sections.bytes;
	Elf32_Shdr s;

	if (e->is_64) {
		memcpy(h, e->file.p + at, sizeof(*h));
		return;
	}
	memcpy(&s, e->file.p + at, sizeof(s));
	*h = (Elf64_Shdr){ s.sh_name,	   s.sh_type,	s.sh_flags, s.sh_addr,
			   s.sh_offset,	   s.sh_size,	s.sh_link,  s.sh_info,
			   s.sh_addralign, s.sh_entsize };
}

/* The three counts that do not fit into the header are in section 0. */
static void tables(struct op_elf *e, const Elf64_Ehdr *h)
{
	uint32_t ph_least = e->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint32_t sh_least = e->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint64_t nr_sections = h->e_shnum, nr_segments = h->e_phnum;
	uint32_t names = h->e_shstrndx;
	struct op_elf_section s;
	Elf64_Shdr first = { 0 };

	e->sections = table(e, h->e_shoff, 1, h->e_shentsize, sh_least);
	if (e->sections.nr)
		section_row(e, 0, &first);
	if (!nr_sections)
		nr_sections = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (nr_segments == PN_XNUM && first.sh_info)
		nr_segments = first.sh_info;
	e->sections = table(e, h->e_shoff, nr_sections, h->e_shentsize,
			    sh_least);
	e->segments = table(e, h->e_phoff, nr_segments, h->e_phentsize,
			    ph_least);
	if (op_elf_section_at(e, names, &s))
		e->names = s.bytes;
}

int op_elf_open(struct op_elf *e, struct op_view file, struct op_err *err)
{
	struct op_elf out = { .file = file };
	Elf64_Ehdr h;

	if (file.n < EI_NIDENT || memcmp(file.p, ELFMAG, SELFMAG))
		return op_fail_at(err, OP_EFORMAT, 0, "is not an ELF file");
	if (file.p[EI_CLASS] != ELFCLASS32 && file.p[EI_CLASS] != ELFCLASS64)
		return op_fail_at(err, OP_EFORMAT, EI_CLASS,
				  "an ELF file of unknown class %u",
				  file.p[EI_CLASS]);
	if (file.p[EI_DATA] != ELFDATA2LSB)
		return op_fail_at(err, OP_EFORMAT, EI_DATA,
				  "an ELF file that is not little-endian");
	out.is_64 = file.p[EI_CLASS] == ELFCLASS64;
	if (file.n < (out.is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return op_fail_at(err, OP_EFORMAT, file.n,
				  "truncated ELF header");
	if (out.is_64)
		header_64(&out, &h);
	else
		header_32(&out, &h);
	out.type = h.e_type;
	out.machine = h.e_machine;
	out.entry = h.e_entry;
	tables(&out, &h);
	*e = out;
	return OP_OK;
}

/* --- rows --- */

bool op_elf_segment(const struct op_elf *e, uint32_t i,
		    struct op_elf_segment *out)
{
	uint64_t at = e->segments.at + (uint64_t)i * e->segments.bytes;
	Elf64_Phdr h;
	Elf32_Phdr s;

	if (i >= e->segments.nr)
		return false;
	if (e->is_64) {
		memcpy(&h, e->file.p + at, sizeof(h));
		*out = (struct op_elf_segment){ h.p_type,   h.p_flags,
						h.p_offset, h.p_vaddr,
						h.p_align,  h.p_filesz,
						h.p_memsz };
	} else {
		memcpy(&s, e->file.p + at, sizeof(s));
		*out = (struct op_elf_segment){ s.p_type,   s.p_flags,
						s.p_offset, s.p_vaddr,
						s.p_align,  s.p_filesz,
						s.p_memsz };
	}
	return true;
}

struct op_view op_elf_text(struct op_view table, uint64_t at)
{
	const uint8_t *p, *end;

	if (at >= table.n)
		return (struct op_view){ 0 };
	p = table.p + at;
	end = memchr(p, 0, table.n - (size_t)at);
	return end ? op_view(p, (size_t)(end - p)) : (struct op_view){ 0 };
}

/* No longer names are looked up, and a file may use one of megabytes for all of
 * its sections. */
static struct op_view section_name(const struct op_elf *e, uint64_t at)
{
	enum { MOST = 1024 };
	struct op_view table = e->names;

	if (at < table.n && table.n - at > MOST)
		table.n = (size_t)at + MOST;
	return op_elf_text(table, at);
}

bool op_elf_section_at(const struct op_elf *e, uint32_t i,
		       struct op_elf_section *out)
{
	Elf64_Shdr h;

	if (!i || i >= e->sections.nr)
		return false;
	section_row(e, i, &h);
	*out = (struct op_elf_section){
		.name = section_name(e, h.sh_name),
		.index = i,
		.type = h.sh_type,
		.flags = h.sh_flags,
		.vaddr = h.sh_addr,
		.offset = h.sh_offset,
		.size = h.sh_size,
		.entry_size = h.sh_entsize,
		.link = h.sh_link,
		.info = h.sh_info,
	};
	if (h.sh_type != SHT_NOBITS)
		out->bytes = part(e, h.sh_offset, h.sh_size);
	return true;
}

bool op_elf_section(const struct op_elf *e, const char *name,
		    struct op_elf_section *out)
{
	struct op_elf_section s;

	for (uint32_t i = 1; op_elf_section_at(e, i, &s); i++)
		if (op_view_is(s.name, name)) {
			*out = s;
			return true;
		}
	return false;
}

bool op_elf_section_of(const struct op_elf *e, uint32_t type,
		       struct op_elf_section *out)
{
	struct op_elf_section s;

	for (uint32_t i = 1; op_elf_section_at(e, i, &s); i++)
		if (s.type == type) {
			*out = s;
			return true;
		}
	return false;
}

/* --- addresses --- */

static bool has_offset(const struct op_elf_segment *s, uint64_t at)
{
	return at >= s->offset && at - s->offset < s->file_bytes;
}

/* The same, rounded to whole pages at both ends. */
static bool has_page(const struct op_elf_segment *s, uint64_t at)
{
	uint64_t first = s->offset / PAGE, last;

	if (!s->file_bytes ||
	    __builtin_add_overflow(s->offset, s->file_bytes - 1, &last))
		return false;
	return at / PAGE >= first && at / PAGE <= last / PAGE;
}

bool op_elf_offset_to_vaddr(const struct op_elf *e, uint64_t offset,
			    uint64_t *vaddr)
{
	struct op_elf_segment s;
	int best = 0;

	for (uint32_t i = 0; op_elf_segment(e, i, &s); i++) {
		int score = s.flags & PF_X ? 2 : 1;

		if (s.type != PT_LOAD || !has_page(&s, offset))
			continue;
		if (has_offset(&s, offset))
			score += 2;
		if (score > best) {
			best = score;
			*vaddr = offset - s.offset + s.vaddr;
		}
	}
	return best > 0;
}

bool op_elf_memory_to_vaddr(const struct op_elf *e, uint64_t start,
			    uint64_t pgoff, uint64_t address, uint64_t *vaddr)
{
	uint64_t offset;

	if (address < start ||
	    __builtin_add_overflow(address - start, pgoff, &offset))
		return false;
	return op_elf_offset_to_vaddr(e, offset, vaddr);
}

struct op_view op_elf_at(const struct op_elf *e, uint64_t vaddr, size_t n)
{
	struct op_elf_segment s;

	for (uint32_t i = 0; op_elf_segment(e, i, &s); i++) {
		uint64_t in = vaddr - s.vaddr;
		uint64_t left = s.file_bytes - in;

		if (s.type != PT_LOAD || vaddr < s.vaddr || in >= s.file_bytes)
			continue;
		if (!is_inside(e, s.offset, in))
			continue;
		if (left > e->file.n - s.offset - in)
			left = e->file.n - s.offset - in;
		return op_view(e->file.p + s.offset + in,
			       n < left ? n : (size_t)left);
	}
	return (struct op_view){ 0 };
}

/* --- notes --- */

static uint64_t aligned(uint64_t n, unsigned int align)
{
	return (n + align - 1) & ~(uint64_t)(align - 1);
}

/* A note: sizes of owner and content, type, then both, padded. */
bool op_elf_note_in(struct op_view notes, unsigned int align, const char *owner,
		    uint32_t type, struct op_view *out)
{
	size_t want = strlen(owner) + 1;
	size_t at = 0;
	Elf64_Nhdr h;

	while (notes.n - at >= sizeof(h)) {
		uint64_t content, end;

		memcpy(&h, notes.p + at, sizeof(h));
		content = aligned(at + sizeof(h) + h.n_namesz, align);
		end = content + h.n_descsz;
		if (end > notes.n)
			return false;
		if (h.n_type == type && h.n_namesz == want &&
		    !memcmp(notes.p + at + sizeof(h), owner, want)) {
			*out = op_view(notes.p + content, h.n_descsz);
			return true;
		}
		end = aligned(end, align);
		if (end > notes.n)
			return false;
		at = (size_t)end;
	}
	return false;
}

bool op_elf_note(const struct op_elf *e, const char *owner, uint32_t type,
		 struct op_view *out)
{
	struct op_elf_segment g;
	struct op_elf_section s;

	for (uint32_t i = 0; op_elf_segment(e, i, &g); i++)
		if (g.type == PT_NOTE &&
		    op_elf_note_in(part(e, g.offset, g.file_bytes),
				   g.align == 8 ? 8 : 4, owner, type, out))
			return true;
	for (uint32_t i = 1; op_elf_section_at(e, i, &s); i++)
		if (s.type == SHT_NOTE &&
		    op_elf_note_in(s.bytes, 4, owner, type, out))
			return true;
	return false;
}

bool op_elf_debuglink(const struct op_elf *e, struct op_elf_link *out)
{
	struct op_elf_section s;
	struct op_elf_link l;
	uint64_t at;

	if (!op_elf_section(e, ".gnu_debuglink", &s))
		return false;
	l.name = op_elf_text(s.bytes, 0);
	at = aligned(l.name.n + 1, 4);
	if (!l.name.n || at + sizeof(l.crc) > s.bytes.n)
		return false;
	memcpy(&l.crc, s.bytes.p + at, sizeof(l.crc));
	*out = l;
	return true;
}
