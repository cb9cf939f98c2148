// SPDX-License-Identifier: Apache-2.0
/* host/map.c: what is mapped where. */
#include "host/map.h"

#include "base/hash.h"
#include "host/host.h"

/* --- binaries --- */

static bool binary_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_host_binary *a = (const struct op_host_binary *)table +
					 id;
	const struct op_host_binary *b = key;

	return a->kind == b->kind && a->inode == b->inode && a->maj == b->maj &&
	       a->min == b->min &&
	       (!b->id_len || (a->id_len == b->id_len &&
			       !memcmp(a->id, b->id, sizeof(a->id)))) &&
	       op_view_eq(a->name, b->name);
}

static uint32_t binary_hash(struct op_view name)
{
	return op_hash32(name.p, name.n);
}

/* A row for a binary: that of one that is gone, or a new one. */
static uint32_t row_take(struct op_host *h)
{
	const struct op_host_binary none = { .is_free = true };

	if (h->maps.free_binaries.n)
		return h->maps.free_binaries.p[h->maps.free_binaries.n - 1];
	if (!op_vec_push(&h->mem, &h->maps.binaries, none) ||
	    !op_vec_push(&h->mem, &h->maps.free_binaries,
			 (uint32_t)h->maps.binaries.n - 1))
		return OP_NO_ID;
	return (uint32_t)h->maps.binaries.n - 1;
}

uint32_t op_host_binary(struct op_host *h, const struct op_host_binary *key)
{
	struct op_host_binary row = *key;
	uint32_t hash = binary_hash(key->name);
	uint32_t id = op_intern_find(&h->maps.binary_index, hash, binary_eq,
				     h->maps.binaries.p, key);

	if (op_likely(id != OP_NO_ID))
		return id;
	id = row_take(h);
	if (id == OP_NO_ID || !op_host_text_keep(h, key->name, &row.name))
		return OP_NO_ID;
	if (!op_intern_add(&h->maps.binary_index, &h->mem, hash, id)) {
		op_host_text_drop(h, row.name);
		return OP_NO_ID;
	}
	h->maps.free_binaries.n--;
	h->maps.binaries.p[id] = row;
	return id;
}

void op_host_pin(struct op_host *h, uint32_t binary)
{
	h->maps.binaries.p[binary].nr_pins++;
}

void op_host_unpin(struct op_host *h, uint32_t binary)
{
	h->maps.binaries.p[binary].nr_pins--;
}

static void binary_drop(struct op_host *h, uint32_t id)
{
	struct op_host_binary *b = &h->maps.binaries.p[id];

	/* The list of free rows first: without memory for it the row stays. */
	if (!op_vec_push(&h->mem, &h->maps.free_binaries, id))
		return;
	if (h->binary_gone)
		h->binary_gone(h->arg, b);
	op_intern_remove(&h->maps.binary_index, binary_hash(b->name), id);
	op_host_text_drop(h, b->name);
	*b = (struct op_host_binary){ .is_free = true };
}

void op_host_binaries_sweep(struct op_host *h)
{
	for (uint32_t i = 0; i < h->maps.binaries.n; i++) {
		struct op_host_binary *b = &h->maps.binaries.p[i];

		if (b->is_free)
			continue;
		if (b->is_mapped || b->nr_pins)
			b->nr_idle = 0;
		else if (b->nr_idle++ >= h->keep_sweeps)
			binary_drop(h, i);
	}
}

/* --- spaces --- */

/* Index of the first mapping that ends behind an address. */
static uint32_t first_behind(const struct op_host_space *s, uint64_t address)
{
	uint32_t lo = 0, hi = s->nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->maps[mid].end <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct op_host_map *op_host_map_find(struct op_host_space *s, uint64_t address)
{
	struct op_host_map *m = s->maps + s->last;
	uint32_t i;

	if (s->last < s->nr && m->start <= address && address < m->end)
		return m;
	i = first_behind(s, address);
	if (i == s->nr || s->maps[i].start > address)
		return NULL;
	s->last = i;
	return &s->maps[i];
}

void op_host_map_locate(struct op_host_map *m, const struct op_elf *elf,
			uint64_t ip)
{
	uint64_t vaddr;

	m->is_located = true;
	if (elf && op_elf_memory_to_vaddr(elf, m->start, m->offset, ip, &vaddr))
		m->base = vaddr - (ip - m->start);
}

uint64_t op_host_map_next(const struct op_host_space *s, uint64_t address)
{
	uint32_t i = first_behind(s, address);

	while (i < s->nr && s->maps[i].start < address)
		i++;
	return i < s->nr ? s->maps[i].start : UINT64_MAX;
}

static bool maps_reserve(struct op_host *h, struct op_host_space *s,
			 uint32_t nr)
{
	const size_t size = sizeof(*s->maps);
	struct op_host_map *grown;
	size_t bytes;

	if (nr <= s->cap)
		return true;
	bytes = op_pool_room((nr < 4 ? 4 : nr) * size);
	/* What is no power of two any more is to grow by doubling too. */
	if (bytes >= OP_ARENA_BIG && bytes < 2 * size * s->cap)
		bytes = 2 * size * s->cap;
	grown = op_pool_resize(&h->maps.pool, s->maps, s->cap * size, bytes);
	if (!grown)
		return false;
	s->maps = grown;
	s->cap = (uint32_t)(bytes / size);
	return true;
}

static bool insert(struct op_host *h, struct op_host_space *s, uint32_t i,
		   const struct op_host_map *map)
{
	if (s->nr == OP_HOST_MAX_MAPS) {
		op_fail(h->err, OP_ELIMIT, "more than %d mappings",
			OP_HOST_MAX_MAPS);
		return false;
	}
	if (!maps_reserve(h, s, s->nr + 1))
		return false;
	memmove(s->maps + i + 1, s->maps + i, (s->nr - i) * sizeof(*map));
	s->maps[i] = *map;
	s->nr++;
	return true;
}

/* The part of a mapping from an address on. */
static struct op_host_map from_on(struct op_host_map m, uint64_t start)
{
	m.offset += start - m.start;
	m.base += start - m.start;
	m.start = start;
	m.user = OP_NO_ID;
	return m;
}

void op_host_map_cut(struct op_host *h, struct op_host_space *s, uint64_t start,
		     uint64_t end)
{
	uint32_t i = first_behind(s, start), to;
	struct op_host_map *m = s->maps;

	s->version = op_host_version(h);
	if (i < s->nr && m[i].start < start) {
		if (m[i].end > end) {
			struct op_host_map rest = from_on(m[i], end);

			if (!insert(h, s, i + 1, &rest))
				return;
			m = s->maps;
		}
		m[i].end = start;
		m[i].user = OP_NO_ID;
		i++;
	}
	for (to = i; to < s->nr && m[to].end <= end; to++)
		;
	if (to < s->nr && m[to].start < end)
		m[to] = from_on(m[to], end);
	if (to > i)
		memmove(m + i, m + to, (s->nr - to) * sizeof(*m));
	s->nr -= to - i;
}

void op_host_map_add(struct op_host *h, struct op_host_space *s,
		     const struct op_host_map *map)
{
	if (map->start >= map->end)
		return;
	op_host_map_cut(h, s, map->start, map->end);
	if (!h->err->code)
		insert(h, s, first_behind(s, map->start), map);
}

/* --- who has which --- */

struct op_host_space *op_host_space_new(struct op_host *h)
{
	struct op_host_space *s = h->maps.free_spaces;

	if (s)
		h->maps.free_spaces = s->next;
	else
		s = op_new_raw(&h->maps.mem, struct op_host_space, 1);
	if (s)
		*s = (struct op_host_space){ .nr_users = 1,
					     .version = op_host_version(h) };
	return s;
}

void op_host_space_drop(struct op_host *h, struct op_host_space *s)
{
	if (!s || --s->nr_users)
		return;
	op_pool_free(&h->maps.pool, s->maps, s->cap * sizeof(*s->maps));
	s->maps = NULL;
	s->next = h->maps.free_spaces;
	h->maps.free_spaces = s;
}

bool op_host_space_own(struct op_host *h, struct op_host_space **s)
{
	struct op_host_space *old = *s, *copy;

	if (old && old->nr_users == 1)
		return true;
	copy = op_host_space_new(h);
	if (!copy)
		return false;
	*s = copy;
	if (!old)
		return true;
	old->nr_users--;
	if (!maps_reserve(h, copy, old->nr))
		return false;
	if (old->nr)
		memcpy(copy->maps, old->maps, old->nr * sizeof(*old->maps));
	copy->nr = old->nr;
	return true;
}
