// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/map.c: what is mapped where. */
#include "fmt/perf/map.h"

#include "base/hash.h"
#include "fmt/perf/binary.h"
#include "fmt/perf/perf_int.h"

/* --- files --- */

static bool dso_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_perf_dso *a = (const struct op_perf_dso *)table + id;
	const struct op_perf_dso *b = key;

	return a->kind == b->kind && a->inode == b->inode &&
	       (!b->id_len || (a->id_len == b->id_len &&
			       !memcmp(a->id, b->id, sizeof(a->id)))) &&
	       op_view_eq(a->name, b->name);
}

uint32_t op_perf_dso(struct op_perf *f, const struct op_perf_dso *key)
{
	struct op_perf_dso row = *key;
	uint32_t hash = op_hash32(key->name.p, key->name.n);
	uint32_t id = op_intern_find(&f->maps.dso_index, hash, dso_eq,
				     f->maps.dsos.p, key);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)f->maps.dsos.n;
	row.name = op_perf_kept(f, key->name);
	if (op_vec_push(&f->mem, &f->maps.dsos, row))
		op_intern_add(&f->maps.dso_index, &f->mem, hash, id);
	return id;
}

/* --- spaces --- */

/* Index of the first mapping that ends behind an address. */
static size_t first_behind(const struct op_perf_space *s, uint64_t address)
{
	size_t lo = 0, hi = s->maps.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->maps.p[mid].end <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct op_perf_map *op_perf_map_find(struct op_perf_space *s, uint64_t address)
{
	struct op_perf_map *m = s->maps.p + s->last;
	size_t i;

	if (s->last < s->maps.n && m->start <= address && address < m->end)
		return m;
	i = first_behind(s, address);
	if (i == s->maps.n || s->maps.p[i].start > address)
		return NULL;
	s->last = (uint32_t)i;
	return &s->maps.p[i];
}

void op_perf_map_locate(struct op_perf *f, struct op_perf_map *m, uint64_t ip)
{
	struct op_perf_binary *b;
	uint64_t vaddr;

	if (m->is_located)
		return;
	m->is_located = true;
	b = op_perf_binary(f, m->dso);
	if (b && op_elf_memory_to_vaddr(&b->file->elf, m->start, m->offset, ip,
					&vaddr))
		m->base = vaddr - (ip - m->start);
}

uint64_t op_perf_map_next(const struct op_perf_space *s, uint64_t address)
{
	size_t i = first_behind(s, address);

	while (i < s->maps.n && s->maps.p[i].start < address)
		i++;
	return i < s->maps.n ? s->maps.p[i].start : UINT64_MAX;
}

static bool insert(struct op_perf *f, struct op_perf_space *s, size_t i,
		   const struct op_perf_map *map)
{
	/* A process has fewer, unless its system was told otherwise. */
	enum { MOST = 1 << 17 };

	if (s->maps.n == MOST) {
		op_fail(f->err, OP_ELIMIT, "more than %d mappings", MOST);
		return false;
	}
	if (!op_vec_reserve(&f->maps.mem, &s->maps, 1))
		return false;
	memmove(s->maps.p + i + 1, s->maps.p + i,
		(s->maps.n - i) * sizeof(*map));
	s->maps.p[i] = *map;
	s->maps.n++;
	return true;
}

/* The part of a mapping from an address on. */
static struct op_perf_map from_on(struct op_perf_map m, uint64_t start)
{
	m.offset += start - m.start;
	m.base += start - m.start;
	m.start = start;
	m.mapping = OP_NO_ID;
	return m;
}

void op_perf_map_cut(struct op_perf *f, struct op_perf_space *s, uint64_t start,
		     uint64_t end)
{
	size_t i = first_behind(s, start), to;
	struct op_perf_map *m = s->maps.p;

	s->version = ++f->maps.nr_versions;
	if (i < s->maps.n && m[i].start < start) {
		if (m[i].end > end) {
			struct op_perf_map rest = from_on(m[i], end);

			if (!insert(f, s, i + 1, &rest))
				return;
			m = s->maps.p;
		}
		m[i].end = start;
		m[i].mapping = OP_NO_ID;
		i++;
	}
	for (to = i; to < s->maps.n && m[to].end <= end; to++)
		;
	if (to < s->maps.n && m[to].start < end)
		m[to] = from_on(m[to], end);
	if (to > i)
		memmove(m + i, m + to, (s->maps.n - to) * sizeof(*m));
	s->maps.n -= to - i;
}

void op_perf_map_add(struct op_perf *f, struct op_perf_space *s,
		     const struct op_perf_map *map)
{
	if (map->start >= map->end)
		return;
	op_perf_map_cut(f, s, map->start, map->end);
	if (!f->err->code)
		insert(f, s, first_behind(s, map->start), map);
}

/* --- who has which --- */

struct op_perf_space *op_perf_space_new(struct op_perf *f)
{
	struct op_perf_space *s = f->maps.free_spaces;

	if (s)
		f->maps.free_spaces = s->next;
	else
		s = op_new(&f->maps.mem, struct op_perf_space, 1);
	if (!s)
		return NULL;
	s->maps.n = 0;
	s->nr_users = 1;
	s->next = NULL;
	s->version = ++f->maps.nr_versions;
	return s;
}

void op_perf_space_drop(struct op_perf *f, struct op_perf_space *s)
{
	if (!s || --s->nr_users)
		return;
	s->next = f->maps.free_spaces;
	f->maps.free_spaces = s;
}

bool op_perf_space_own(struct op_perf *f, struct op_perf_space **s)
{
	struct op_perf_space *old = *s, *copy;

	if (old && old->nr_users == 1)
		return true;
	copy = op_perf_space_new(f);
	if (!copy)
		return false;
	*s = copy;
	if (!old)
		return true;
	old->nr_users--;
	if (!op_vec_reserve(&f->maps.mem, &copy->maps, old->maps.n))
		return false;
	if (old->maps.n)
		memcpy(copy->maps.p, old->maps.p,
		       old->maps.n * sizeof(*old->maps.p));
	copy->maps.n = old->maps.n;
	return true;
}
