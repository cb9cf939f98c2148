// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/read.c: samples as the readers add them, and which reader a
 * file is for. */
#include "fmt/gperftools/gperftools_int.h"

void op_gperf_bad(struct op_gperf *g, struct op_view at, const char *what)
{
	op_fail_at(g->err, OP_EFORMAT, at.p ? (uint64_t)(at.p - g->in.p) : 0,
		   "%s", what);
}

void op_gperf_type_add(struct op_gperf *g, const char *type, const char *unit)
{
	g->types[g->nr_types++] = (struct op_gperf_type){ op_view_z(type),
							  op_view_z(unit) };
}

/* --- samples --- */

struct op_gperf_sample *op_gperf_sample_add(struct op_gperf *g)
{
	struct op_gperf_sample s = { .first = g->addresses.n };

	op_gperf_comments_end(g);
	if (op_vec_push(&g->mem, &g->samples, s))
		return &g->samples.p[g->samples.n - 1];
	return &g->nowhere;
}

void op_gperf_address_add(struct op_gperf *g, uint64_t address)
{
	if (!g->err->code && op_vec_push(&g->mem, &g->addresses, address))
		g->samples.p[g->samples.n - 1].nr++;
}

void op_gperf_drop_second(struct op_gperf *g, struct op_gperf_sample *s)
{
	g->addresses.p[s->first + 1] = g->addresses.p[s->first];
	s->first++;
	s->nr--;
}

void op_gperf_drop_repeated(struct op_gperf *g)
{
	for (size_t i = 0; i < g->samples.n; i++) {
		struct op_gperf_sample *s = &g->samples.p[i];
		const uint64_t *a = g->addresses.p + s->first;

		if (s->nr > 1 && a[0] == a[1] + 1)
			op_gperf_drop_second(g, s);
	}
}

/* --- kinds --- */

typedef void read_fn(struct op_gperf *g, struct op_view text);

/* The reader of a text; NULL if it is none of these. Some begin with comments,
 * which are taken off. */
static read_fn *text_kind(struct op_view *text)
{
	struct op_view rest = *text, line = { 0 };

	while (op_gperf_line(&rest, &line) && op_gperf_is_idle(line))
		*text = rest;
	if (op_gperf_is_heap(line))
		return op_gperf_read_heap;
	if (op_gperf_is_threads(line))
		return op_gperf_read_threads;
	if (op_gperf_is_java(*text))
		return op_gperf_read_java;
	if (op_gperf_is_contention(line))
		return op_gperf_read_contention;
	return op_gperf_is_count(*text) ? op_gperf_read_count : NULL;
}

bool op_gperf_is_text(struct op_view in)
{
	struct op_view text = op_view_first(in, OP_SNIFF_TEXT);

	return text_kind(&text);
}

static void profile_read(struct op_gperf *g)
{
	struct op_view text = g->in;
	read_fn *read = text_kind(&text);

	if (read)
		read(g, text);
	else
		op_gperf_read_cpu(g);
	op_gperf_comments_end(g);
}

int op_gperf_read(struct op_view in, const struct op_read_opts *opts,
		  op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_gperf g = {
		.err = err, .mem.err = err, .opts = opts, .in = in
	};
	struct op_model m = { 0 };

	if (opts)
		g.mem.quota = m.mem.quota = opts->mem_quota;
	profile_read(&g);
	if (g.nr_unknown)
		op_note_skipped(opts, err, "%llu unknown lines skipped",
				(unsigned long long)g.nr_unknown);
	if (!err->code)
		op_gperf_build(&g, &m);
	op_arena_free(&g.mem);
	return op_model_deliver(&m, fn, ctx, err);
}
