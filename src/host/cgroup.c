// SPDX-License-Identifier: Apache-2.0
/* host/cgroup.c: control groups by number. */
#include "host/cgroup.h"

#include <stdlib.h>

#include "base/hash.h"
#include "host/host.h"

static bool cgroup_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct op_host_cgroup_row *)table)[id].id ==
	       *(const uint64_t *)key;
}

static uint32_t find(const struct op_host_cgroups *c, uint64_t id)
{
	return op_intern_find(&c->index, op_hash_words(&id, 1), cgroup_eq,
			      c->rows.p, &id);
}

struct op_view op_host_cgroup(struct op_host *h, uint64_t id)
{
	uint32_t found = find(&h->cgroups, id);

	if (found == OP_NO_ID)
		return (struct op_view){ 0 };
	h->cgroups.rows.p[found].used = ++h->cgroups.nr_used;
	return h->cgroups.rows.p[found].path;
}

static int newest_first(const void *a, const void *b)
{
	const struct op_host_cgroup_row *x = a, *y = b;

	return (x->used < y->used) - (x->used > y->used);
}

/* Keeps the half that was used last. The index has room for all of them, so
 * that to fill it anew takes no memory. */
static void halve(struct op_host *h)
{
	struct op_host_cgroups *c = &h->cgroups;
	size_t keep = c->rows.n / 2;

	for (uint32_t i = 0; i < c->rows.n; i++)
		op_intern_remove(&c->index, op_hash_words(&c->rows.p[i].id, 1),
				 i);
	qsort(c->rows.p, c->rows.n, sizeof(*c->rows.p), newest_first);
	for (size_t i = keep; i < c->rows.n; i++)
		op_host_text_drop(h, c->rows.p[i].path);
	c->rows.n = keep;
	for (uint32_t i = 0; i < keep; i++)
		op_intern_add(&c->index, &h->mem,
			      op_hash_words(&c->rows.p[i].id, 1), i);
}

void op_host_cgroup_add(struct op_host *h, const struct op_host_cgroup *r)
{
	struct op_host_cgroups *c = &h->cgroups;
	struct op_host_cgroup_row row = { .id = r->id, .used = ++c->nr_used };

	if (find(c, r->id) != OP_NO_ID)
		return;
	if (h->is_live && c->rows.n >= OP_HOST_MAX_CGROUPS)
		halve(h);
	if (!op_host_text_keep(h, r->path, &row.path) ||
	    !op_vec_push(&h->mem, &c->rows, row))
		return;
	if (!op_intern_add(&c->index, &h->mem, op_hash_words(&row.id, 1),
			   (uint32_t)c->rows.n - 1))
		op_host_text_drop(h, c->rows.p[--c->rows.n].path);
}
