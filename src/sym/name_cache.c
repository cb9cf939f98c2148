// SPDX-License-Identifier: Apache-2.0
/* sym/name_cache.c: which functions are at an address, as found before. */
#include "sym/name_cache.h"

#include "base/hash.h"
#include "sym/sha256.h"

/* For how many calls a brief result is used. */
enum { BRIEF_CALLS = 64 };

/* The part of a frame that has a fixed size; its texts follow. */
struct fixed {
	int64_t line, column, function_line;
	uint32_t name, readable, file, dir; /* bytes */
};

void op_name_cache_init(struct op_name_cache *c, size_t max_bytes)
{
	*c = (struct op_name_cache){ .max_bytes = max_bytes,
				     .mem.err = OP_IGNORED,
				     .newest = OP_NO_ID,
				     .oldest = OP_NO_ID };
	c->pool.mem = &c->mem;
}

void op_name_cache_fini(struct op_name_cache *c)
{
	op_arena_free(&c->mem);
}

struct op_name_id op_name_id(struct op_view bytes)
{
	uint8_t sum[OP_SHA256_BYTES];
	struct op_name_id id;
	struct op_sha256 s;

	op_sha256_init(&s);
	op_sha256_add(&s, bytes);
	op_sha256_end(&s, sum);
	memcpy(id.hash, sum, sizeof(id.hash));
	return id;
}

/* --- rows --- */

static bool key_eq(const void *table, uint32_t id, const void *key)
{
	return !memcmp(&((const struct op_name_row *)table)[id].key, key,
		       sizeof(struct op_name_key));
}

static uint32_t key_hash(const struct op_name_key *k)
{
	uint64_t words[] = { k->id.hash[0], k->start, k->limit, k->offset,
			     k->address };

	return op_hash_words(words, op_countof(words));
}

/* What a row takes, with its place in the index. */
static size_t cost(const struct op_name_row *r)
{
	return sizeof(*r) + 2 * sizeof(struct op_slot) + op_pool_room(r->bytes);
}

static void list_out(struct op_name_cache *c, uint32_t id)
{
	const struct op_name_row *r = &c->rows.p[id];

	if (r->newer == OP_NO_ID)
		c->newest = r->older;
	else
		c->rows.p[r->newer].older = r->older;
	if (r->older == OP_NO_ID)
		c->oldest = r->newer;
	else
		c->rows.p[r->older].newer = r->newer;
}

static void list_in(struct op_name_cache *c, uint32_t id)
{
	struct op_name_row *r = &c->rows.p[id];

	r->newer = OP_NO_ID;
	r->older = c->newest;
	if (c->newest == OP_NO_ID)
		c->oldest = id;
	else
		c->rows.p[c->newest].newer = id;
	c->newest = id;
}

/* There is room in the list of free rows: see row_take(). */
static void drop(struct op_name_cache *c, uint32_t id)
{
	struct op_name_row *r = &c->rows.p[id];

	list_out(c, id);
	op_intern_remove(&c->index, key_hash(&r->key), id);
	c->bytes -= cost(r);
	op_pool_free(&c->pool, r->frames, r->bytes);
	c->free_rows.p[c->free_rows.n++] = id;
}

static uint32_t row_take(struct op_name_cache *c)
{
	static const struct op_name_row none;
	size_t all = c->rows.n + 1;

	if (c->free_rows.n)
		return c->free_rows.p[--c->free_rows.n];
	if (!op_vec_reserve(&c->mem, &c->free_rows, all - c->free_rows.n) ||
	    !op_vec_push(&c->mem, &c->rows, none))
		return OP_NO_ID;
	return (uint32_t)c->rows.n - 1;
}

/* Objects of many sizes come and go, and what is free may be of the wrong
 * sizes: then all begins anew. */
static void shrink(struct op_name_cache *c)
{
	uint64_t nr_calls = c->nr_calls;

	while (c->oldest != OP_NO_ID && c->bytes > c->max_bytes)
		drop(c, c->oldest);
	if (c->mem.used <= 2 * c->max_bytes + OP_ARENA_BIG)
		return;
	op_name_cache_fini(c);
	op_name_cache_init(c, c->max_bytes);
	c->nr_calls = nr_calls;
}

/* --- frames --- */

static uint8_t *text_put(uint8_t *to, struct op_view v)
{
	if (v.n)
		memcpy(to, v.p, v.n);
	return to + v.n;
}

static struct op_view text_take(const uint8_t **p, uint32_t n)
{
	struct op_view v = op_view(*p, n);

	*p += n;
	return v;
}

static size_t frames_bytes(const struct op_name_result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nr; i++)
		n += sizeof(struct fixed) + r->frames[i].name.n +
		     r->frames[i].readable.n + r->frames[i].file.n +
		     r->frames[i].dir.n;
	return n;
}

static void frames_put(uint8_t *to, const struct op_name_result *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		const struct op_sym_frame *f = &r->frames[i];
		struct fixed x = { f->line,
				   f->column,
				   f->function_line,
				   (uint32_t)f->name.n,
				   (uint32_t)f->readable.n,
				   (uint32_t)f->file.n,
				   (uint32_t)f->dir.n };

		memcpy(to, &x, sizeof(x));
		to = text_put(to + sizeof(x), f->name);
		to = text_put(to, f->readable);
		to = text_put(to, f->file);
		to = text_put(to, f->dir);
	}
}

static void frames_read(const struct op_name_row *r, struct op_sym_frame *out)
{
	const uint8_t *p = r->frames;

	for (uint32_t i = 0; i < r->nr; i++) {
		struct fixed x;

		memcpy(&x, p, sizeof(x));
		p += sizeof(x);
		out[i] = (struct op_sym_frame){
			.line = x.line,
			.column = x.column,
			.function_line = x.function_line,
		};
		out[i].name = text_take(&p, x.name);
		out[i].readable = text_take(&p, x.readable);
		out[i].file = text_take(&p, x.file);
		out[i].dir = text_take(&p, x.dir);
	}
}

/* --- calls --- */

void op_name_cache_begin(struct op_name_cache *c)
{
	c->nr_calls++;
}

bool op_name_cache_find(struct op_name_cache *c, const struct op_name_key *key,
			struct op_sym_frame *room, struct op_name_result *out)
{
	uint32_t id = op_intern_find(&c->index, key_hash(key), key_eq,
				     c->rows.p, key);
	const struct op_name_row *r;

	if (id == OP_NO_ID)
		return false;
	if (c->rows.p[id].until < c->nr_calls) {
		drop(c, id);
		return false;
	}
	list_out(c, id);
	list_in(c, id);
	r = &c->rows.p[id];
	frames_read(r, room);
	*out = (struct op_name_result){
		.why = r->why, .lost = r->lost, .nr = r->nr, .frames = room
	};
	return true;
}

void op_name_cache_put(struct op_name_cache *c, const struct op_name_key *key,
		       const struct op_name_result *r)
{
	struct op_name_row row = {
		.key = *key,
		.nr = (uint32_t)r->nr,
		.why = r->why,
		.lost = r->lost,
		.until = r->is_brief ? c->nr_calls + BRIEF_CALLS : UINT64_MAX,
	};
	uint32_t hash = key_hash(key), id;
	size_t bytes = frames_bytes(r);

	/* One that takes a large part of all is not worth it. */
	if (bytes > c->max_bytes / 8 || r->nr > OP_LINES_MAX ||
	    op_intern_find(&c->index, hash, key_eq, c->rows.p, key) != OP_NO_ID)
		return;
	row.bytes = (uint32_t)bytes;
	row.frames = op_pool_alloc(&c->pool, bytes);
	if (!row.frames)
		return;
	id = row_take(c);
	if (id == OP_NO_ID || !op_intern_add(&c->index, &c->mem, hash, id)) {
		op_pool_free(&c->pool, row.frames, bytes);
		if (id != OP_NO_ID)
			c->free_rows.p[c->free_rows.n++] = id;
		return;
	}
	frames_put(row.frames, r);
	c->rows.p[id] = row;
	c->bytes += cost(&row);
	list_in(c, id);
	shrink(c);
}
