// SPDX-License-Identifier: Apache-2.0
#include "sym/cache.h"

#define DEFAULT_BYTES ((size_t)512 << 20)

struct op_cache_entry {
	struct op_binary binary;
	struct op_arena mem; /* of the key */
	struct op_wanted key;
	uint64_t used; /* the clock, when it was asked for last */
};

static bool is_known(const struct op_build_ids *i)
{
	return i->gnu.n || i->go.n || i->htlhash.n;
}

/* What has build ids is the same wherever it lies; but where it is looked for
 * first, its path, may make the difference between found and not found. */
static bool same(const struct op_cache_entry *e, const struct op_wanted *w)
{
	const struct op_wanted *k = &e->key;
	bool same_path = op_view_eq(k->path, w->path);

	if (!op_view_eq(k->ids.gnu, w->ids.gnu) ||
	    !op_view_eq(k->ids.go, w->ids.go) ||
	    !op_view_eq(k->ids.htlhash, w->ids.htlhash))
		return false;
	if (is_known(&w->ids))
		return same_path || op_binary_is_open(&e->binary);
	return same_path && k->time_ns == w->time_ns;
}

static void entry_free(struct op_cache_entry *e)
{
	op_binary_close(&e->binary);
	op_arena_free(&e->mem);
	op_heap_free(e);
}

static struct op_view copy(struct op_arena *mem, struct op_view v, bool *ok)
{
	uint8_t *p = op_arena_alloc(mem, v.n);

	if (!p) {
		*ok = false;
		return (struct op_view){ 0 };
	}
	if (v.n)
		memcpy(p, v.p, v.n);
	return op_view(p, v.n);
}

static struct op_cache_entry *
entry_new(struct op_cache *c, const struct op_wanted *w, struct op_err *err)
{
	struct op_cache_entry *e = op_heap_resize(NULL, sizeof(*e));
	bool ok = true;

	if (!e) {
		op_fail(err, OP_ENOMEM, "no memory for a binary");
		return NULL;
	}
	memset(e, 0, sizeof(*e));
	e->key = *w;
	e->key.path = copy(&e->mem, w->path, &ok);
	e->key.ids.gnu = copy(&e->mem, w->ids.gnu, &ok);
	e->key.ids.go = copy(&e->mem, w->ids.go, &ok);
	e->key.ids.htlhash = copy(&e->mem, w->ids.htlhash, &ok);
	if (!ok)
		op_fail(err, OP_ENOMEM, "no memory for a binary");
	if (!ok || op_binary_open(&e->binary, &c->find, &e->key, err)) {
		entry_free(e);
		return NULL;
	}
	c->nr_opened++;
	return e;
}

static size_t bytes(const struct op_cache *c)
{
	size_t sum = 0;

	for (int i = 0; i < OP_CACHE_FILES; i++)
		if (c->entries[i])
			sum += op_binary_bytes(&c->entries[i]->binary);
	return sum;
}

/* The one that was not asked for the longest, but not the newest; -1 if there
 * is no such. */
static int oldest(const struct op_cache *c)
{
	int found = -1;

	for (int i = 0; i < OP_CACHE_FILES; i++)
		if (c->entries[i] && c->entries[i]->used != c->clock &&
		    (found < 0 ||
		     c->entries[i]->used < c->entries[found]->used))
			found = i;
	return found;
}

static void drop(struct op_cache *c, int i)
{
	entry_free(c->entries[i]);
	c->entries[i] = NULL;
	c->nr_dropped++;
}

static int free_place(struct op_cache *c)
{
	for (int i = 0; i < OP_CACHE_FILES; i++)
		if (!c->entries[i])
			return i;
	return -1;
}

/* What lines took since the last call counts as well. */
static void shrink(struct op_cache *c)
{
	size_t most = c->max_bytes ? c->max_bytes : DEFAULT_BYTES;
	int i;

	while (bytes(c) > most && (i = oldest(c)) >= 0)
		drop(c, i);
}

struct op_binary *op_cache_get(struct op_cache *c, const struct op_wanted *w,
			       struct op_err *err)
{
	struct op_cache_entry *e = NULL;
	int i;

	for (i = 0; i < OP_CACHE_FILES && !e; i++)
		if (c->entries[i] && same(c->entries[i], w))
			e = c->entries[i];
	c->clock++;
	if (!e) {
		i = free_place(c);
		if (i < 0) {
			i = oldest(c);
			drop(c, i);
		}
		e = c->entries[i] = entry_new(c, w, err);
	}
	if (!e)
		return NULL;
	e->used = c->clock;
	shrink(c);
	return &e->binary;
}

void op_cache_free(struct op_cache *c)
{
	for (int i = 0; i < OP_CACHE_FILES; i++)
		if (c->entries[i])
			drop(c, i);
}
