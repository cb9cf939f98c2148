// SPDX-License-Identifier: Apache-2.0
#include "write/elf.h"

#include <assert.h>

static size_t put(struct elf *f, const void *p, size_t n)
{
	size_t at = f->n;

	assert(n <= sizeof(f->p) - f->n);
	if (n)
		memcpy(f->p + at, p, n);
	f->n += n;
	return at;
}

static void pad(struct elf *f)
{
	static const uint8_t zeros[16];

	put(f, zeros, (16 - f->n % 16) % 16);
}

static uint32_t text(uint8_t *texts, size_t *n, size_t most, const char *s)
{
	size_t at = *n, len = strlen(s) + 1;

	assert(len <= most - at);
	memcpy(texts + at, s, len);
	*n += len;
	return (uint32_t)at;
}

void elf_start(struct elf *f, bool is_64)
{
	static const uint8_t zeros[sizeof(Elf64_Ehdr)];

	memset(f, 0, sizeof(*f));
	f->is_64 = is_64;
	memcpy(f->head.e_ident, ELFMAG, SELFMAG);
	f->head.e_ident[EI_CLASS] = is_64 ? ELFCLASS64 : ELFCLASS32;
	f->head.e_ident[EI_DATA] = ELFDATA2LSB;
	f->head.e_ident[EI_VERSION] = EV_CURRENT;
	f->head.e_type = ET_DYN;
	f->head.e_machine = is_64 ? EM_X86_64 : EM_386;
	f->head.e_version = EV_CURRENT;
	f->head.e_ehsize = is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	f->head.e_phentsize = is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	f->head.e_shentsize = is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	f->nr_sections = 1;
	f->names_n = 1;
	for (int i = 0; i < 2; i++) {
		f->symbols[i].nr = 1;
		f->symbols[i].texts_n = 1;
	}
	put(f, zeros, sizeof(zeros));
}

uint32_t elf_add(struct elf *f, const char *name, uint32_t type, uint64_t vaddr,
		 struct op_view bytes)
{
	Elf64_Shdr *s = &f->sections[f->nr_sections];

	assert(f->nr_sections < ELF_ROWS);
	pad(f);
	*s = (Elf64_Shdr){ .sh_name = text(f->names, &f->names_n,
					   sizeof(f->names), name),
			   .sh_type = type,
			   .sh_addr = vaddr,
			   .sh_offset = f->n,
			   .sh_size = bytes.n,
			   .sh_addralign = 1 };
	put(f, bytes.p, bytes.n);
	return f->nr_sections++;
}

void elf_segment(struct elf *f, uint32_t type, uint32_t flags, uint64_t vaddr,
		 uint32_t section)
{
	const Elf64_Shdr *s = &f->sections[section];

	assert(f->nr_segments < ELF_ROWS);
	f->segments[f->nr_segments++] = (Elf64_Phdr){
		.p_type = type,
		.p_flags = flags,
		.p_offset = s->sh_offset,
		.p_vaddr = vaddr,
		.p_filesz = s->sh_size,
		.p_memsz = s->sh_size,
		.p_align = 4,
	};
}

static unsigned char info(const char *how)
{
	static const char binds[] = "lgw", types[] = "nofsF";
	unsigned int bind = (unsigned int)(strchr(binds, how[0]) - binds);
	unsigned int type = STT_GNU_IFUNC;

	if (how[1] != 'i')
		type = (unsigned int)(strchr(types, how[1]) - types);
	return (unsigned char)(bind << 4 | type);
}

void elf_symbol(struct elf *f, const char *name, uint64_t value, uint64_t size,
		const char *how)
{
	struct elf_symbols *s = &f->symbols[strchr(how, 'd') != NULL];

	assert(s->nr < op_countof(s->rows));
	s->rows[s->nr++] = (Elf64_Sym){
		.st_name = text(s->texts, &s->texts_n, ELF_TEXTS, name),
		.st_info = info(how),
		.st_shndx = strchr(how, 'u') ? SHN_UNDEF : 1,
		.st_value = value,
		.st_size = size,
	};
}

size_t elf_note(uint8_t *out, const char *owner, uint32_t type,
		struct op_view content)
{
	Elf64_Nhdr h = { (uint32_t)strlen(owner) + 1, (uint32_t)content.n,
			 type };
	size_t at = sizeof(h) + (h.n_namesz + 3u) / 4 * 4;

	memset(out, 0, at + content.n + 3);
	memcpy(out, &h, sizeof(h));
	memcpy(out + sizeof(h), owner, h.n_namesz);
	if (content.n)
		memcpy(out + at, content.p, content.n);
	return at + (content.n + 3) / 4 * 4;
}

void elf_build_id(struct elf *f, struct op_view id)
{
	uint8_t note[128];
	size_t n = elf_note(note, "GNU", NT_GNU_BUILD_ID, id);

	elf_segment(f, PT_NOTE, PF_R, 0,
		    elf_add(f, ".note.gnu.build-id", SHT_NOTE, 0,
			    op_view(note, n)));
}

static void symbol_row(struct elf *f, const Elf64_Sym *s)
{
	Elf32_Sym small = { .st_name = s->st_name,
			    .st_value = (uint32_t)s->st_value,
			    .st_size = (uint32_t)s->st_size,
			    .st_info = s->st_info,
			    .st_shndx = s->st_shndx };

	if (f->is_64)
		put(f, s, sizeof(*s));
	else
		put(f, &small, sizeof(small));
}

static void symbols_end(struct elf *f, int which, const char *name,
			const char *texts)
{
	struct elf_symbols *s = &f->symbols[which];
	uint32_t row;

	if (s->nr == 1)
		return;
	row = elf_add(f, name, which ? SHT_DYNSYM : SHT_SYMTAB, 0,
		      (struct op_view){ 0 });
	for (uint32_t i = 0; i < s->nr; i++)
		symbol_row(f, &s->rows[i]);
	f->sections[row].sh_size = f->n - f->sections[row].sh_offset;
	f->sections[row].sh_entsize = f->is_64 ? sizeof(Elf64_Sym) :
						 sizeof(Elf32_Sym);
	f->sections[row].sh_link = elf_add(f, texts, SHT_STRTAB, 0,
					   op_view(s->texts, s->texts_n));
}

static void segment_row(struct elf *f, const Elf64_Phdr *s)
{
	Elf32_Phdr small = { s->p_type,
			     (uint32_t)s->p_offset,
			     (uint32_t)s->p_vaddr,
			     (uint32_t)s->p_paddr,
			     (uint32_t)s->p_filesz,
			     (uint32_t)s->p_memsz,
			     s->p_flags,
			     (uint32_t)s->p_align };

	if (f->is_64)
		put(f, s, sizeof(*s));
	else
		put(f, &small, sizeof(small));
}

static void section_row(struct elf *f, const Elf64_Shdr *s)
{
	Elf32_Shdr small = { s->sh_name,
			     s->sh_type,
			     (uint32_t)s->sh_flags,
			     (uint32_t)s->sh_addr,
			     (uint32_t)s->sh_offset,
			     (uint32_t)s->sh_size,
			     s->sh_link,
			     s->sh_info,
			     (uint32_t)s->sh_addralign,
			     (uint32_t)s->sh_entsize };

	if (f->is_64)
		put(f, s, sizeof(*s));
	else
		put(f, &small, sizeof(small));
}

static void head_write(struct elf *f)
{
	const Elf64_Ehdr *h = &f->head;
	Elf32_Ehdr small = { .e_type = h->e_type,
			     .e_machine = h->e_machine,
			     .e_version = h->e_version,
			     .e_entry = (uint32_t)h->e_entry,
			     .e_phoff = (uint32_t)h->e_phoff,
			     .e_shoff = (uint32_t)h->e_shoff,
			     .e_ehsize = h->e_ehsize,
			     .e_phentsize = h->e_phentsize,
			     .e_phnum = h->e_phnum,
			     .e_shentsize = h->e_shentsize,
			     .e_shnum = h->e_shnum,
			     .e_shstrndx = h->e_shstrndx };

	memcpy(small.e_ident, h->e_ident, EI_NIDENT);
	if (f->is_64)
		memcpy(f->p, h, sizeof(*h));
	else
		memcpy(f->p, &small, sizeof(small));
}

static void counts(struct elf *f, uint32_t names)
{
	f->head.e_phnum = (uint16_t)f->nr_segments;
	f->head.e_shnum = (uint16_t)f->nr_sections;
	f->head.e_shstrndx = (uint16_t)names;
	if (!f->many)
		return;
	f->sections[0].sh_size = f->nr_sections;
	f->sections[0].sh_link = names;
	f->sections[0].sh_info = f->nr_segments;
	f->head.e_phnum = PN_XNUM;
	f->head.e_shnum = 0;
	f->head.e_shstrndx = SHN_XINDEX;
}

void elf_finish(struct elf *f)
{
	uint32_t names;

	symbols_end(f, 0, ".symtab", ".strtab");
	symbols_end(f, 1, ".dynsym", ".dynstr");
	names = elf_add(f, ".shstrtab", SHT_STRTAB, 0, (struct op_view){ 0 });
	f->sections[names].sh_size = f->names_n;
	put(f, f->names, f->names_n);
	pad(f);
	counts(f, names);
	if (f->nr_segments)
		f->head.e_phoff = f->n;
	for (uint32_t i = 0; i < f->nr_segments; i++)
		segment_row(f, &f->segments[i]);
	if (f->no_sections) {
		f->head.e_shnum = f->head.e_shstrndx = 0;
	} else {
		f->head.e_shoff = f->n;
		for (uint32_t i = 0; i < f->nr_sections; i++)
			section_row(f, &f->sections[i]);
	}
	head_write(f);
}

struct op_view elf_view(const struct elf *f)
{
	return op_view(f->p, f->n);
}
