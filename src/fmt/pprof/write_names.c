// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/write_names.c: names of sample types, each of which is there once.
 *
 * Readers of pprof know a sample type by its name alone, whatever its unit, and
 * leave out, or refuse, those of which there are two. Names of which there is
 * one stay. Those that are there several times are told apart by the first of
 * these that can:
 *
 *	cpu_samples        samples: what they were taken by
 *	samples:jdk.X      the type of the event
 *	cpu_nanoseconds    the unit
 *	cpu, cpu_2         their order
 */
#include "fmt/pprof/write_int.h"

#include <stdio.h>

/* Gives a name for a column. */
typedef void name_fn(struct op_pprof_writer *w, const struct op_pprof_column *c,
		     struct op_view *out);

static struct op_view join(struct op_pprof_writer *w, struct op_view a,
			   const char *between, struct op_view b)
{
	enum { MAX_BYTES = 4096 }; /* texts are shared, names are not */
	size_t n = a.n + strlen(between) + b.n;
	uint8_t *p = NULL;

	if (n > MAX_BYTES)
		op_fail(w->err, OP_ELIMIT,
			"the name of a sample type is too long: %zu bytes", n);
	else
		p = op_arena_alloc(&w->mem, n);
	if (!p)
		return (struct op_view){ 0 };
	if (a.n)
		memcpy(p, a.p, a.n);
	memcpy(p + a.n, between, strlen(between));
	if (b.n)
		memcpy(p + n - b.n, b.p, b.n);
	return op_view(p, n);
}

static void by_period(struct op_pprof_writer *w,
		      const struct op_pprof_column *c, struct op_view *out)
{
	*out = c->type;
	if (c->period.n && op_view_is(c->type, "samples"))
		*out = join(w, c->period, "_", c->type);
}

static void by_event(struct op_pprof_writer *w, const struct op_pprof_column *c,
		     struct op_view *out)
{
	*out = c->event.n ? join(w, c->type, ":", c->event) : c->type;
}

static void by_unit(struct op_pprof_writer *w, const struct op_pprof_column *c,
		    struct op_view *out)
{
	*out = c->unit.n ? join(w, c->type, "_", c->unit) : c->type;
}

static bool is_used(const struct op_pprof_writer *w, struct op_view name)
{
	for (size_t i = 0; i < w->columns.n; i++)
		if (w->columns.p[i].has_name &&
		    op_view_eq(w->columns.p[i].name, name))
			return true;
	return false;
}

static void name_put(struct op_pprof_column *c, struct op_view name)
{
	c->name = name;
	c->has_name = true;
}

/* The next column of the same type, from i on; OP_NO_ID: there is none. */
static uint32_t next_of(const struct op_pprof_writer *w, struct op_view type,
			uint32_t i)
{
	for (; i < w->columns.n; i++)
		if (op_view_eq(w->columns.p[i].type, type))
			return i;
	return OP_NO_ID;
}

/* Names all columns of a type by a rule; none if it does not tell them
 * apart. */
static bool name_by(struct op_pprof_writer *w, uint32_t first, name_fn *rule)
{
	struct op_view type = w->columns.p[first].type;
	uint32_t i, end = first;
	bool is_fine = true;

	for (i = first; i != OP_NO_ID && is_fine; i = next_of(w, type, i + 1)) {
		struct op_view name;

		rule(w, &w->columns.p[i], &name);
		is_fine = !w->err->code && !is_used(w, name);
		if (is_fine)
			name_put(&w->columns.p[i], name);
		end = i;
	}
	for (i = first; !is_fine && i != OP_NO_ID && i <= end;
	     i = next_of(w, type, i + 1))
		w->columns.p[i].has_name = false;
	return is_fine;
}

static void name_by_number(struct op_pprof_writer *w, uint32_t first)
{
	struct op_view type = w->columns.p[first].type;
	unsigned int nth = 1;

	for (uint32_t i = first; i != OP_NO_ID && !w->err->code;
	     i = next_of(w, type, i + 1), nth++) {
		unsigned int n = nth < 2 ? 2 : nth;
		struct op_view base, name;
		char digits[16];

		by_event(w, &w->columns.p[i], &base);
		name = base;
		while (is_used(w, name) && !w->err->code) {
			snprintf(digits, sizeof(digits), "%u", n++);
			name = join(w, base, "_", op_view_z(digits));
		}
		name_put(&w->columns.p[i], name);
	}
}

void op_pprof_names_make(struct op_pprof_writer *w)
{
	static name_fn *const rules[] = { by_period, by_event, by_unit };

	for (uint32_t i = 0; i < w->columns.n; i++) {
		struct op_pprof_column *c = &w->columns.p[i];

		if (w->is_restored || (next_of(w, c->type, 0) == i &&
				       next_of(w, c->type, i + 1) == OP_NO_ID))
			name_put(c, c->type);
	}
	for (uint32_t i = 0; i < w->columns.n && !w->err->code; i++) {
		size_t k = 0;

		if (w->columns.p[i].has_name)
			continue;
		while (k < op_countof(rules) && !name_by(w, i, rules[k]))
			k++;
		if (k == op_countof(rules))
			name_by_number(w, i);
	}
}
