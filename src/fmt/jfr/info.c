// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/info.c: how many events of which type a recording holds. */
#include "fmt/jfr/info.h"

#include <stdlib.h>

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/chunk_header.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/metadata.h"
#include "fmt/jfr/walk.h"

struct count {
	struct op_view name;
	uint64_t nr, bytes;
};

struct counts {
	struct op_arena mem;
	OP_VEC(struct count) rows;
};

static void count_add(struct op_jfr *j, struct counts *all,
		      const struct op_jfr_type *t)
{
	struct count row = { .nr = t->nr_events, .bytes = t->nr_bytes };

	for (size_t i = 0; i < all->rows.n; i++) {
		if (!op_view_eq(all->rows.p[i].name, t->name))
			continue;
		all->rows.p[i].nr += row.nr;
		all->rows.p[i].bytes += row.bytes;
		return;
	}
	row.name = op_jfr_kept(j, t->name);
	(void)op_vec_push(&all->mem, &all->rows, row);
}

static void chunk_count(struct op_jfr *j, const struct op_source *file,
			const struct op_jfr_header *h, struct counts *all)
{
	struct op_jfr_chunk c;

	op_jfr_chunk_begin(&c, j, file, h, j->err);
	c.counts = true;
	if (!j->err->code && !op_jfr_metadata_read(&c, h->meta_at) &&
	    !op_jfr_walk(&c))
		for (size_t i = 0; i < c.types.n && !j->err->code; i++)
			if (c.types.p[i].nr_events)
				count_add(j, all, &c.types.p[i]);
	if (j->err->has_at)
		j->err->at += h->at;
	op_jfr_chunk_end(&c);
}

static int count_cmp(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	return op_view_cmp(x->name, y->name);
}

int op_jfr_info(const struct op_source *in, op_info_fn *fn, void *ctx,
		struct op_err *err)
{
	struct op_jfr j = { .err = err, .mem.err = err };
	struct counts all = { .mem.err = err };
	struct op_jfr_header h;

	for (uint64_t at = 0; at < in->n && !err->code; at += h.size)
		if (!op_jfr_header_read(in, at, &h, err) &&
		    !op_jfr_header_check(in, &h, err))
			chunk_count(&j, in, &h, &all);
	if (all.rows.n && !err->code)
		qsort(all.rows.p, all.rows.n, sizeof(*all.rows.p), count_cmp);
	for (size_t i = 0; i < all.rows.n && !err->code; i++)
		fn(ctx, all.rows.p[i].name, all.rows.p[i].nr,
		   all.rows.p[i].bytes);
	op_arena_free(&all.mem);
	op_jfr_spare_free(&j);
	op_arena_free(&j.mem);
	return err->code;
}
