// SPDX-License-Identifier: Apache-2.0
/* query/lines.c: each line of the dictionary is looked up once, then stacks are
 * walked by numbers. */
#include "query/lines.h"

#include <stdlib.h>

#include "base/budget.h"
#include "base/hash.h"

enum { STEPS_A_FRAME = 8 };

#define NOT_ASKED OP_NO_ID
#define NO_MATCH (OP_NO_ID - 1)

struct adding {
	struct op_lines *l;
	const struct op_model *m;
	struct op_regex *re;
	struct op_text_table names; /* that were asked about */
	bool *matches;		    /* per name */
	uint32_t *function_of;	    /* per function of the dictionary */
	uint32_t *row_of;	    /* per line of the dictionary */
	struct op_intern functions, rows;
	uint32_t nr_stacks;
	uint64_t steps;
	struct op_err *err;
};

static void add(int64_t *to, int64_t value)
{
	*to = op_add_sat(*to, value);
}

/* --- what a line is --- */

/* Whether a name matches; each is matched once. */
static bool name_matches(struct adding *a, struct op_view name)
{
	uint32_t nr = (uint32_t)a->names.list.n;
	uint32_t id = op_text_put(&a->names, name, a->err);

	if (a->err->code)
		return false;
	if (id == nr)
		a->matches[id] = op_regex_matches(a->re, name, a->err);
	return a->matches[id];
}

static bool function_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_lines_function *all = table, *k = key;

	return op_view_eq(all[id].name, k->name) &&
	       op_view_eq(all[id].file, k->file);
}

static uint32_t function_put(struct adding *a, struct op_view name,
			     struct op_view file)
{
	struct op_lines_function f = { .name = name, .file = file };
	uint64_t words[] = { op_hash32(name.p, name.n),
			     op_hash32(file.p, file.n) };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id = op_intern_find(&a->functions, hash, function_eq,
				     a->l->functions.p, &f);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)a->l->functions.n;
	if (!op_vec_push(&a->l->mem, &a->l->functions, f) ||
	    !op_intern_add(&a->functions, &a->l->mem, hash, id))
		return NO_MATCH;
	return id;
}

static uint32_t function_of(struct adding *a, uint32_t function)
{
	const struct op_function *f = &a->m->dict.functions[function];
	uint32_t *known = &a->function_of[function];
	struct op_view name;

	if (*known != NOT_ASKED)
		return *known;
	name = op_string(a->m, f->name ? f->name : f->system_name);
	*known = NO_MATCH;
	if (name.n && name_matches(a, name))
		*known = function_put(a, name, op_string(a->m, f->filename));
	return *known;
}

static bool row_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_lines_row *rows = table, *k = key;

	return rows[id].function == k->function && rows[id].line == k->line;
}

static uint32_t row_put(struct adding *a, uint32_t function, int64_t line)
{
	struct op_lines_row r = { .function = function, .line = line };
	uint64_t words[] = { function, (uint64_t)line };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t id = op_intern_find(&a->rows, hash, row_eq, a->l->rows.p, &r);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)a->l->rows.n;
	if (!op_vec_push(&a->l->mem, &a->l->rows, r) ||
	    !op_intern_add(&a->rows, &a->l->mem, hash, id))
		return NO_MATCH;
	return id;
}

/* The row of a line of the dictionary, if its function matches. */
static uint32_t row_of(struct adding *a, uint32_t line)
{
	const struct op_line *l = &a->m->dict.lines[line];
	uint32_t *known = &a->row_of[line];
	uint32_t function;

	if (op_likely(*known != NOT_ASKED))
		return *known;
	function = function_of(a, l->function);
	*known = function < NO_MATCH ? row_put(a, function, l->line) : NO_MATCH;
	return *known;
}

/* --- stacks --- */

static void frame_add(struct adding *a, uint32_t line, bool is_leaf,
		      int64_t value)
{
	uint32_t id = row_of(a, line);
	struct op_lines_function *f;
	struct op_lines_row *r;

	if (id >= NO_MATCH)
		return;
	r = &a->l->rows.p[id];
	f = &a->l->functions.p[r->function];
	if (r->seen != a->nr_stacks)
		add(&r->cum, value);
	if (f->seen != a->nr_stacks)
		add(&f->cum, value);
	r->seen = f->seen = a->nr_stacks;
	if (is_leaf) {
		add(&r->flat, value);
		add(&f->flat, value);
	}
}

static void stack_add(struct adding *a, const struct op_stack_sum *s)
{
	struct op_ids locs = op_list(&a->m->dict.stacks, s->stack);

	a->nr_stacks++;
	for (uint32_t i = 0; i < locs.n && !a->err->code; i++) {
		const struct op_location *l = &a->m->dict.locations[locs.p[i]];

		if (!op_steps(&a->steps,
			      (uint64_t)(l->nr_lines + 1) * STEPS_A_FRAME,
			      a->err))
			return;
		for (uint32_t k = 0; k < l->nr_lines; k++)
			frame_add(a, l->first_line + k, !i && !k, s->value);
	}
}

/* --- order --- */

static uint64_t size_of(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static int function_cmp(const void *a, const void *b, void *lines)
{
	const struct op_lines *l = lines;
	const struct op_lines_function *x =
		&l->functions.p[*(const uint32_t *)a];
	const struct op_lines_function *y =
		&l->functions.p[*(const uint32_t *)b];
	int c;

	if (size_of(x->cum) != size_of(y->cum))
		return size_of(x->cum) < size_of(y->cum) ? 1 : -1;
	c = op_view_cmp(x->name, y->name);
	return c ? c : op_view_cmp(x->file, y->file);
}

static int line_cmp(const void *a, const void *b)
{
	const struct op_lines_row *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Functions in their order, and rows by function. */
static int finish(struct adding *a)
{
	struct op_lines *l = a->l;
	uint32_t n = (uint32_t)l->functions.n;
	struct op_lines_function *sorted = op_new(&l->mem,
						  struct op_lines_function, n);
	uint32_t *order = op_new_raw(&l->mem, uint32_t, n);
	uint32_t *place = op_new_raw(&l->mem, uint32_t, n);

	if (a->err->code || !n)
		return a->err->code;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), function_cmp, l);
	for (uint32_t i = 0; i < n; i++) {
		sorted[i] = l->functions.p[order[i]];
		place[order[i]] = i;
	}
	memcpy(l->functions.p, sorted, n * sizeof(*sorted));
	for (size_t i = 0; i < l->rows.n; i++)
		l->rows.p[i].function = place[l->rows.p[i].function];
	qsort(l->rows.p, l->rows.n, sizeof(*l->rows.p), line_cmp);
	for (uint32_t i = (uint32_t)l->rows.n; i--;) {
		l->functions.p[l->rows.p[i].function].first_row = i;
		l->functions.p[l->rows.p[i].function].nr_rows++;
	}
	return OP_OK;
}

int op_lines_build(struct op_lines *l, const struct op_model *m,
		   const struct op_profile *like, struct op_regex *re,
		   struct op_err *err)
{
	const struct op_group_by by = { 0 };
	struct adding a = { .l = l, .m = m, .re = re, .err = err };

	if (op_groups_init(&l->groups, m, &by, err) ||
	    op_stack_sums(&l->sums, m, like, &l->groups, err))
		return err->code;
	l->total = l->sums.total;
	op_arena_tells(&l->mem, err);
	a.matches = op_new(&l->mem, bool, m->dict.nr[OP_FUNCTIONS]);
	a.function_of = op_new_ids(&l->mem, m->dict.nr[OP_FUNCTIONS]);
	a.row_of = op_new_ids(&l->mem, m->dict.nr_lines);
	for (size_t i = 0; i < l->sums.list.n && !err->code; i++)
		stack_add(&a, &l->sums.list.p[i]);
	l->nr_names = (uint32_t)a.names.list.n;
	finish(&a);
	op_text_table_free(&a.names);
	return err->code;
}

void op_lines_free(struct op_lines *l)
{
	op_groups_free(&l->groups);
	op_stack_sums_free(&l->sums);
	op_arena_free(&l->mem);
	*l = (struct op_lines){ 0 };
}
