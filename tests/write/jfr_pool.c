// SPDX-License-Identifier: Apache-2.0
/* tests/write/jfr_pool.c: constant pools, the checkpoints that hold them, and
 * entries that are made from a text. */
#include "write/jfr_int.h"

#include <stdlib.h>

/* --- pools --- */

static struct jfr_pool *pool_of(struct jfr *j, uint64_t type_id)
{
	struct jfr_pool *p;

	for (p = j->pools; p; p = p->next)
		if (p->type_id == type_id && !p->is_closed)
			return p;
	p = jfr_alloc(sizeof(*p));
	p->type_id = type_id;
	p->next = j->pools;
	j->pools = p;
	return p;
}

void jfr_pool(struct jfr *j, const char *type, uint64_t id, const char *values,
	      ...)
{
	struct jfr_bytes b = { 0 };
	struct jfr_pool *p;
	va_list ap;
	char *text;

	va_start(ap, values);
	text = jfr_format(values, ap);
	va_end(ap);
	jfr_int(j, &b, id, 8, 0);
	jfr_values(j, &b, jfr_type_find(j, type), text);
	/* Values may have opened other pools. */
	p = pool_of(j, jfr_type_id(j, type));
	p->nr++;
	jfr_put(&p->b, b.p, b.n);
	j->is_marked = false;
	free(b.p);
	free(text);
}

void jfr_pool_split(struct jfr *j, const char *type)
{
	pool_of(j, jfr_type_id(j, type))->is_closed = true;
}

/* --- checkpoints --- */

/* Pools in the order in which they were begun. */
static uint64_t pools_put(struct jfr *j, struct jfr_bytes *b)
{
	struct jfr_pool *done = NULL, *p;
	uint64_t nr = 0;

	for (; done != j->pools; done = p, nr++) {
		for (p = j->pools; p->next != done; p = p->next)
			;
		jfr_int(j, b, p->type_id, 8, 0);
		jfr_int(j, b, p->nr, 4, 0);
		jfr_put(b, p->b.p, p->b.n);
	}
	return nr;
}

static void pools_drop(struct jfr *j)
{
	while (j->pools) {
		struct jfr_pool *p = j->pools;

		j->pools = p->next;
		free(p->b.p);
		free(p);
	}
}

/* A delta as long as can be, so that it can be changed. */
static void delta_put(struct jfr *j, struct jfr_bytes *b, int64_t delta)
{
	jfr_int(j, b, (uint64_t)delta, 8, j->is_forward ? 9 : 0);
}

static void link_forward(struct jfr *j, size_t to)
{
	struct jfr_bytes b = { 0 };

	delta_put(j, &b, (int64_t)(to - j->newest));
	memcpy(j->out.p + j->delta_at, b.p, b.n);
	free(b.p);
}

void jfr_checkpoint_to(struct jfr *j, int mask, int64_t delta)
{
	struct jfr_bytes body = { 0 }, pools = { 0 };
	size_t here = jfr_here(j), behind;
	uint64_t nr;

	if (!j->has_no_enums)
		jfr_enums(j);
	nr = pools_put(j, &pools);
	jfr_int(j, &body, 0, 8, 0); /* start */
	jfr_int(j, &body, 0, 8, 0); /* duration */
	behind = body.n;
	delta_put(j, &body, delta);
	jfr_byte(&body, (unsigned int)mask);
	jfr_int(j, &body, nr, 4, 0);
	jfr_put(&body, pools.p, pools.n);
	free(pools.p);
	pools_drop(j);
	behind = body.n - behind;
	jfr_event_put(j, 1, &body, 4);
	if (j->is_forward && j->newest)
		link_forward(j, here);
	j->delta_at = j->out.n - behind;
	j->newest = here;
	if (!j->is_forward || !j->checkpoint)
		j->checkpoint = here;
}

void jfr_checkpoint(struct jfr *j)
{
	int64_t delta = (int64_t)j->newest - (int64_t)jfr_here(j);

	jfr_checkpoint_to(j, 0, j->newest && !j->is_forward ? delta : 0);
}

void jfr_pools_finish(struct jfr *j)
{
	if (j->pools || !j->newest)
		jfr_checkpoint(j);
}

void jfr_pools_free(struct jfr *j)
{
	pools_drop(j);
	while (j->names) {
		struct jfr_name *n = j->names;

		j->names = n->next;
		free(n->type);
		free(n->text);
		free(n);
	}
}

/* --- enums --- */

static bool is_declared(const struct jfr *j, const char *name)
{
	for (const struct jfr_type *t = j->types; t; t = t->next)
		if (!strcmp(t->name, name))
			return true;
	return false;
}

void jfr_enums(struct jfr *j)
{
	static const char *const types[] = { "jdk.types.FrameType",
					     "jdk.types.ThreadState" };

	jfr_types_close(j);
	for (size_t i = 0; i < 2; i++) {
		const struct jfr_enum *e = jfr_enum_rows(j->flavour, types[i]);

		if (j->has_enums[i] || !is_declared(j, types[i]))
			continue;
		j->has_enums[i] = true;
		for (; e->name; e++)
			jfr_pool(j, types[i], e->id, "'%s'", e->name);
	}
}
