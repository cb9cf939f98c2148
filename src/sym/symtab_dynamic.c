// SPDX-License-Identifier: Apache-2.0
/* sym/symtab_dynamic.c: symbols by way of the dynamic segment.
 *
 * It tells where the table of symbols begins, but not how many there are: that
 * is found in the hash table over them.
 *
 *	DT_HASH		u32 buckets, u32 symbols, ...
 *	DT_GNU_HASH	u32 buckets, first symbol, bloom words, shift;
 *			bloom words; u32 buckets: a symbol where a chain begins;
 *			u32 a symbol from the first on: bit 0 ends a chain
 */
#include <elf.h>

#include "sym/symtab_int.h"

struct places {
	uint64_t symbols, names, names_bytes, hash, gnu_hash;
};

static void place(struct places *p, uint64_t tag, uint64_t v)
{
	switch (tag) {
	case DT_SYMTAB:
		p->symbols = v;
		break;
	case DT_STRTAB:
		p->names = v;
		break;
	case DT_STRSZ:
		p->names_bytes = v;
		break;
	case DT_HASH:
		p->hash = v;
		break;
	case DT_GNU_HASH:
		p->gnu_hash = v;
		break;
	}
}

static bool places(const struct op_elf *e, struct places *p)
{
	size_t word = e->is_64 ? 8 : 4;
	struct op_elf_segment s;
	struct op_view v = { 0 };

	for (uint32_t i = 0; !v.n && op_elf_segment(e, i, &s); i++)
		if (s.type == PT_DYNAMIC && s.file_bytes <= SIZE_MAX)
			v = op_elf_at(e, s.vaddr, (size_t)s.file_bytes);
	for (size_t at = 0; v.n - at >= 2 * word; at += 2 * word) {
		uint64_t tag = 0, value = 0;

		memcpy(&tag, v.p + at, word);
		memcpy(&value, v.p + at + word, word);
		if (tag == DT_NULL)
			break;
		place(p, tag, value);
	}
	return p->symbols && p->names && p->names_bytes;
}

/* The i-th u32 of a table. */
static bool u32_at(struct op_view v, uint64_t i, uint32_t *out)
{
	if (i >= v.n / 4)
		return false;
	memcpy(out, v.p + 4 * i, 4);
	return true;
}

/* v begins with the hash table; where it ends is not known yet. */
static uint64_t count_gnu(struct op_view v, bool is_64)
{
	uint32_t nr_buckets, first, nr_bloom, x, last = 0;
	uint64_t buckets, chains, nr;

	if (!u32_at(v, 0, &nr_buckets) || !u32_at(v, 1, &first) ||
	    !u32_at(v, 2, &nr_bloom))
		return 0;
	buckets = 4 + (uint64_t)nr_bloom * (is_64 ? 2 : 1);
	chains = buckets + nr_buckets;
	for (uint64_t i = buckets; i < chains; i++) {
		if (!u32_at(v, i, &x))
			return 0;
		if (x > last)
			last = x;
	}
	if (last < first)
		return first;
	nr = last;
	while (u32_at(v, chains + nr - first, &x) && !(x & 1))
		nr++;
	return nr + 1;
}

bool op_elf_dynamic_symbols(const struct op_elf *e, struct op_elf_symbols *out)
{
	size_t bytes = e->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct places p = { 0 };
	uint64_t nr = 0;
	uint32_t v;

	if (!places(e, &p) || p.names_bytes > SIZE_MAX)
		return false;
	if (p.hash && u32_at(op_elf_at(e, p.hash, 8), 1, &v))
		nr = v;
	else if (p.gnu_hash)
		nr = count_gnu(op_elf_at(e, p.gnu_hash, SIZE_MAX), e->is_64);
	if (nr > e->file.n / bytes)
		nr = e->file.n / bytes;
	out->e = e;
	out->rows = op_elf_at(e, p.symbols, (size_t)nr * bytes);
	out->names = op_elf_at(e, p.names, (size_t)p.names_bytes);
	out->nr = out->rows.n / bytes;
	return out->nr > 0;
}
