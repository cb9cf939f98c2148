// SPDX-License-Identifier: Apache-2.0
/* host/image.c: the tables of a program or library, in memory. */
#include "host/image.h"

enum {
	MAX_SEGMENTS = 64,
	MAX_DYNAMIC = 128,
	MAX_NAME = 64,
	PAGE = 4096,
};

bool op_image_memory(const struct op_image *im, uint64_t at, void *out,
		     size_t n)
{
	uint32_t pages = (uint32_t)(n / PAGE) + 1;

	if (*im->reads_left < pages) {
		*im->reads_left = 0;
		return false;
	}
	*im->reads_left -= pages;
	return op_proc_memory(im->p, im->pid, at, out, n);
}

static bool u32_at(const struct op_image *im, uint64_t at, uint32_t *out)
{
	return op_image_memory(im, at, out, sizeof(*out));
}

/* --- segments --- */

static bool head_read(const struct op_image *im, Elf64_Ehdr *h)
{
	return op_image_memory(im, im->start, h, sizeof(*h)) &&
	       !memcmp(h->e_ident, ELFMAG, SELFMAG) &&
	       h->e_ident[EI_CLASS] == ELFCLASS64 &&
	       h->e_ident[EI_DATA] == ELFDATA2LSB &&
	       h->e_machine == EM_X86_64 &&
	       (h->e_type == ET_EXEC || h->e_type == ET_DYN) &&
	       h->e_phentsize == sizeof(Elf64_Phdr) && h->e_phnum &&
	       h->e_phnum <= MAX_SEGMENTS;
}

/* glibc replaces what tables of a library say by addresses; musl does not. */
static uint64_t table_at(const struct op_image *im, uint64_t v)
{
	return v >= im->start && v < im->end ? v : v + im->bias;
}

static void dynamic_entry(struct op_image *im, const Elf64_Dyn *d)
{
	uint64_t v = d->d_un.d_val;

	switch (d->d_tag) {
	case DT_SYMTAB:
		im->symbols = table_at(im, v);
		break;
	case DT_STRTAB:
		im->names = table_at(im, v);
		break;
	case DT_HASH:
		im->hash = table_at(im, v);
		break;
	case DT_GNU_HASH:
		im->gnu_hash = table_at(im, v);
		break;
	case DT_RELA:
		im->relocs[0].at = table_at(im, v);
		break;
	case DT_RELASZ:
		im->relocs[0].bytes = v;
		break;
	case DT_JMPREL:
		im->relocs[1].at = table_at(im, v);
		break;
	case DT_PLTRELSZ:
		im->relocs[1].bytes = v;
		break;
	case DT_FLAGS_1:
		im->is_program |= (v & DF_1_PIE) != 0;
		break;
	}
}

static void dynamic_read(struct op_image *im, const Elf64_Phdr *s)
{
	Elf64_Dyn all[MAX_DYNAMIC];
	size_t nr = s->p_memsz / sizeof(all[0]);

	if (nr > MAX_DYNAMIC)
		nr = MAX_DYNAMIC;
	if (!op_image_memory(im, im->bias + s->p_vaddr, all,
			     nr * sizeof(all[0])))
		return;
	for (size_t i = 0; i < nr && all[i].d_tag != DT_NULL; i++)
		dynamic_entry(im, &all[i]);
}

static void interpreter_read(struct op_image *im, const Elf64_Phdr *s)
{
	uint8_t name[256];
	size_t n = s->p_memsz < sizeof(name) ? s->p_memsz : sizeof(name);

	im->has_glibc = op_image_memory(im, im->bias + s->p_vaddr, name, n) &&
			op_view_holds(op_view(name, n), "/ld-linux");
}

/* The bias is that of the segment which has the first byte of the file. */
static bool bias_find(struct op_image *im, const Elf64_Phdr *s, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (s[i].p_type != PT_LOAD || s[i].p_offset >= PAGE)
			continue;
		im->bias = im->start - (s[i].p_vaddr - s[i].p_offset);
		return true;
	}
	return false;
}

bool op_image_read(struct op_image *im)
{
	Elf64_Phdr s[MAX_SEGMENTS];
	Elf64_Ehdr h;

	if (!head_read(im, &h) ||
	    !op_image_memory(im, im->start + h.e_phoff, s,
			     h.e_phnum * sizeof(s[0])) ||
	    !bias_find(im, s, h.e_phnum))
		return false;
	im->is_program = h.e_type == ET_EXEC;
	for (size_t i = 0; i < h.e_phnum; i++) {
		if (s[i].p_type == PT_DYNAMIC)
			dynamic_read(im, &s[i]);
		else if (s[i].p_type == PT_INTERP)
			interpreter_read(im, &s[i]);
		else if (s[i].p_type == PT_TLS)
			im->tls = s[i];
	}
	return im->symbols && im->names;
}

/* --- symbols --- */

static bool is_name(const struct op_image *im, const Elf64_Sym *s,
		    const char *name)
{
	size_t n = strlen(name) + 1;
	char text[MAX_NAME];

	return n <= sizeof(text) &&
	       op_image_memory(im, im->names + s->st_name, text, n) &&
	       !memcmp(text, name, n);
}

static bool symbol_at(const struct op_image *im, uint32_t i, Elf64_Sym *out)
{
	return op_image_memory(im, im->symbols + (uint64_t)i * sizeof(*out),
			       out, sizeof(*out));
}

bool op_image_is_symbol(const struct op_image *im, uint32_t i, const char *name)
{
	Elf64_Sym s;

	return symbol_at(im, i, &s) && is_name(im, &s, name);
}

static bool is_defined(const struct op_image *im, uint32_t i, const char *name,
		       Elf64_Sym *out)
{
	Elf64_Sym s;

	if (!symbol_at(im, i, &s) || s.st_shndx == SHN_UNDEF ||
	    !is_name(im, &s, name))
		return false;
	*out = s;
	return true;
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

/* u32 buckets, first symbol, words, shift; the words of a Bloom filter; a
 * bucket is the first symbol of a chain; hashes, whose bit 0 ends a chain. */
static bool by_gnu_hash(const struct op_image *im, const char *name,
			Elf64_Sym *out)
{
	uint32_t head[4], h = gnu_hash(name), i, one = 0;
	uint64_t at = im->gnu_hash + sizeof(head), word, bits;

	if (!op_image_memory(im, im->gnu_hash, head, sizeof(head)) ||
	    !head[0] || !head[2])
		return false;
	bits = 1ull << h % 64 | 1ull << (head[3] < 32 ? h >> head[3] : 0) % 64;
	if (!op_image_memory(im, at + 8ull * (h / 64 % head[2]), &word,
			     sizeof(word)) ||
	    (word & bits) != bits)
		return false;
	at += 8ull * head[2];
	if (!u32_at(im, at + 4ull * (h % head[0]), &i) || i < head[1])
		return false;
	at += 4ull * head[0];
	for (; !(one & 1); i++) {
		if (!u32_at(im, at + 4ull * (i - head[1]), &one))
			return false;
		if ((one | 1) == (h | 1) && is_defined(im, i, name, out))
			return true;
	}
	return false;
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t h = 0;

	for (; *name; name++) {
		h = (h << 4) + (uint8_t)*name;
		h ^= h >> 24 & 0xf0;
		h &= 0x0fffffff;
	}
	return h;
}

/* u32 buckets, symbols; the first symbol of each bucket; the next symbol of
 * each symbol, 0 after the last. */
static bool by_hash(const struct op_image *im, const char *name, Elf64_Sym *out)
{
	uint32_t head[2], i;
	uint64_t at = im->hash + sizeof(head);

	if (!op_image_memory(im, im->hash, head, sizeof(head)) || !head[0] ||
	    !u32_at(im, at + 4ull * (sysv_hash(name) % head[0]), &i))
		return false;
	at += 4ull * head[0];
	while (i) {
		if (is_defined(im, i, name, out))
			return true;
		if (!u32_at(im, at + 4ull * i, &i))
			return false;
	}
	return false;
}

bool op_image_symbol(const struct op_image *im, const char *name,
		     Elf64_Sym *out)
{
	if (im->gnu_hash)
		return by_gnu_hash(im, name, out);
	return im->hash && by_hash(im, name, out);
}

/* --- relocations --- */

void op_image_relocs(const struct op_image *im, op_image_reloc_fn *fn,
		     void *arg)
{
	enum { NR = 512 };
	Elf64_Rela some[NR];

	for (size_t t = 0; t < op_countof(im->relocs); t++) {
		uint64_t at = im->relocs[t].at;
		uint64_t nr = im->relocs[t].bytes / sizeof(some[0]);

		while (nr) {
			size_t k = nr < NR ? (size_t)nr : NR;

			if (!op_image_memory(im, at, some, k * sizeof(some[0])))
				break;
			for (size_t i = 0; i < k; i++)
				if (!fn(arg, &some[i]))
					return;
			at += k * sizeof(some[0]);
			nr -= k;
		}
	}
}
