// SPDX-License-Identifier: Apache-2.0
/* query/flame_layout.c: places the frames of a flame graph row by row. */
#include "query/flame_layout.h"

#include "base/regex.h"

/* --- cells --- */

struct placing {
	struct op_flame_layout *l;
	const struct op_flame *f;
	uint32_t *sizes; /* per node: nodes of its branch, itself included */
	struct op_err *err;
};

/* Callers have lower ids than what they call. */
static void sizes_count(struct placing *p)
{
	const struct op_flame *f = p->f;

	p->sizes = op_new_raw(&p->l->mem, uint32_t, f->nodes.n);
	if (!p->sizes)
		return;
	for (size_t i = 0; i < f->nodes.n; i++)
		p->sizes[i] = 1;
	for (size_t i = f->nodes.n; i-- > 1;)
		p->sizes[f->nodes.p[i].parent] += p->sizes[i];
}

static void cell_add(struct placing *p, struct op_flame_cell c)
{
	if (!p->err->code)
		(void)op_vec_push(&p->l->mem, &p->l->cells, c);
}

static void row_begin(struct placing *p)
{
	uint32_t first = (uint32_t)p->l->cells.n;

	if (!p->err->code)
		(void)op_vec_push(&p->l->mem, &p->l->rows, first);
}

static void hide(struct placing *p, struct op_flame_hidden *h, uint32_t node)
{
	h->nr += p->sizes[node];
	h->total = op_add_sat(h->total, p->f->nodes.p[node].total);
}

static double weight(const struct op_flame *f, uint32_t node)
{
	int64_t v = f->nodes.p[node].total;

	return v > 0 ? (double)v : 0;
}

/* What the width of a cell stands for: its value, or more where callees with
 * negative values are part of it. */
static double scale_of(const struct op_flame *f, uint32_t node)
{
	uint32_t c = f->nodes.p[node].first_child;
	double all = weight(f, node), sum = 0;

	for (; c != OP_NO_NODE; c = f->nodes.p[c].next)
		sum += weight(f, c);
	return sum > all ? sum : all;
}

static uint32_t column(double v)
{
	return (uint32_t)(v + 0.5);
}

/* The cells of what a cell calls. What is narrower than a column has none,
 * so that the others have their true place. */
static void callees_add(struct placing *p, struct op_flame_cell of)
{
	const double least = 1 - 1e-9; /* a column, but for rounding */
	double scale = scale_of(p->f, of.node), before = 0;
	uint32_t c = p->f->nodes.p[of.node].first_child;
	uint32_t x = of.x, end = of.x + of.width;

	for (; c != OP_NO_NODE; c = p->f->nodes.p[c].next) {
		double w = weight(p->f, c);
		struct op_flame_cell cell = { .node = c, .row = of.row + 1 };
		uint32_t right;

		if (p->f->nodes.p[c].total < 0) {
			hide(p, &p->l->negative, c);
			continue;
		}
		cell.span = scale > 0 ? of.span * w / scale : 0;
		if (cell.span < least || x >= end) {
			hide(p, &p->l->narrow, c);
			continue;
		}
		cell.left = of.left + of.span * before / scale;
		before += w;
		right = column(of.left + of.span * before / scale);
		if (right <= x)
			right = x + 1;
		cell.x = x;
		x = right < end ? right : end;
		cell.width = x - cell.x;
		cell_add(p, cell);
	}
}

/* The callers of the root, outermost first, and itself: a row each. */
static void path_add(struct placing *p)
{
	const struct op_flame_node *nodes = p->f->nodes.p;
	struct op_id_vec path = { 0 };
	uint32_t node = p->l->root;

	for (; node != OP_NO_NODE && !p->err->code; node = nodes[node].parent)
		(void)op_vec_push(&p->l->mem, &path, node);
	for (size_t i = path.n; i-- && !p->err->code;) {
		row_begin(p);
		cell_add(p, (struct op_flame_cell){
				    .node = path.p[i],
				    .row = (uint32_t)(path.n - 1 - i),
				    .width = p->l->width,
				    .span = p->l->width });
	}
}

int op_flame_layout(struct op_flame_layout *l, const struct op_flame *f,
		    struct op_err *err)
{
	struct placing p = { .l = l, .f = f, .err = err };

	op_arena_tells(&l->mem, err);
	op_arena_reset(&l->mem);
	*l = (struct op_flame_layout){ .mem = l->mem,
				       .width = l->width ? l->width : 1,
				       .root = l->root };
	sizes_count(&p);
	path_add(&p);
	while (!err->code && l->rows.p[l->rows.n - 1] < l->cells.n) {
		size_t i = l->rows.p[l->rows.n - 1], end = l->cells.n;

		row_begin(&p);
		for (; i < end && !err->code; i++)
			callees_add(&p, l->cells.p[i]);
	}
	return err->code;
}

void op_flame_layout_free(struct op_flame_layout *l)
{
	op_arena_free(&l->mem);
	*l = (struct op_flame_layout){ 0 };
}

/* --- names --- */

/* What follows a dot is not always a name of its own. */
static bool is_suffix(struct op_view v)
{
	static const char *const all[] = { "isra", "part",     "constprop",
					   "cold", "lto_priv", "llvm",
					   "so",   "clone" };

	for (size_t i = 0; i < op_countof(all); i++) {
		size_t n = strlen(all[i]);

		if (v.n >= n && !memcmp(v.p, all[i], n) &&
		    (v.n == n || v.p[n] == '.'))
			return true;
	}
	return false;
}

static bool begins_name(uint8_t c)
{
	uint8_t lower = op_ascii_lower(c);

	return (lower >= 'a' && lower <= 'z') || c == '_' || c == '$' ||
	       c == '(' || c >= 0x80;
}

struct op_view op_flame_short(struct op_view name, size_t n)
{
	struct op_view best = name;

	if (op_view_holds(name, "+0x"))
		return name;
	for (size_t i = 0; i + 1 < name.n && best.n > n; i++) {
		struct op_view rest = op_view(name.p + i + 1, name.n - i - 1);

		if (strchr("(<[ ", name.p[i]))
			break;
		if (!strchr(".:/", name.p[i]) || !begins_name(*rest.p))
			continue;
		if (is_suffix(rest))
			break;
		best = rest;
	}
	return best;
}

/* --- movement --- */

bool op_flame_is_below(const struct op_flame *f, uint32_t node, uint32_t other)
{
	while (node > other && node != OP_NO_NODE)
		node = f->nodes.p[node].parent;
	return node == other;
}

uint32_t op_flame_cell_of(const struct op_flame_layout *l,
			  const struct op_flame *f, uint32_t node)
{
	while (node < f->nodes.n) {
		for (uint32_t i = 0; i < l->cells.n; i++)
			if (l->cells.p[i].node == node)
				return i;
		node = f->nodes.p[node].parent;
	}
	return 0;
}

static bool is_cell_in(const struct op_flame_layout *l, uint32_t i,
		       uint32_t row)
{
	return i < l->cells.n && l->cells.p[i].row == row;
}

/* The first cell below that is called by a node. */
static uint32_t callee_of(const struct op_flame_layout *l,
			  const struct op_flame *f, uint32_t cell)
{
	uint32_t row = l->cells.p[cell].row + 1;

	if (row >= op_flame_rows(l))
		return cell;
	for (uint32_t i = l->rows.p[row]; is_cell_in(l, i, row); i++)
		if (f->nodes.p[l->cells.p[i].node].parent ==
		    l->cells.p[cell].node)
			return i;
	return cell;
}

static uint32_t caller_of(const struct op_flame_layout *l,
			  const struct op_flame *f, uint32_t cell)
{
	uint32_t parent = f->nodes.p[l->cells.p[cell].node].parent;
	uint32_t row = l->cells.p[cell].row;

	if (!row)
		return cell;
	for (uint32_t i = l->rows.p[row - 1]; is_cell_in(l, i, row - 1); i++)
		if (l->cells.p[i].node == parent)
			return i;
	return cell;
}

uint32_t op_flame_move(const struct op_flame_layout *l,
		       const struct op_flame *f, uint32_t cell,
		       enum op_flame_move to)
{
	uint32_t row = l->cells.p[cell].row;

	switch (to) {
	case OP_FLAME_LEFT:
		return cell && is_cell_in(l, cell - 1, row) ? cell - 1 : cell;
	case OP_FLAME_RIGHT:
		return is_cell_in(l, cell + 1, row) ? cell + 1 : cell;
	case OP_FLAME_CALLER:
		return caller_of(l, f, cell);
	default:
		return callee_of(l, f, cell);
	}
}

/* --- search --- */

static bool *names_match(struct op_arena *mem, const struct op_flame *f,
			 const char *pattern, struct op_err *err)
{
	struct op_regex *re = op_regex_new(pattern, err);
	bool *hit = re ? op_new(mem, bool, f->names.n) : NULL;

	for (size_t i = 0; !err->code && i < f->used.n; i++)
		hit[f->used.p[i]] = op_regex_matches(
			re, f->names.p[f->used.p[i]].text, err);
	op_regex_free(re);
	return err->code ? NULL : hit;
}

/* A frame below another that matches is not counted twice. */
static void share_add(struct op_flame_search *s, const struct op_flame *f,
		      bool *covered)
{
	for (uint32_t i = 1; i < f->nodes.n; i++) {
		bool is_hit = s->hit[f->nodes.p[i].name];

		covered[i] = covered[f->nodes.p[i].parent];
		s->nr += is_hit;
		if (is_hit && !covered[i])
			s->total = op_add_sat(s->total, f->nodes.p[i].total);
		covered[i] |= is_hit;
	}
}

int op_flame_search(struct op_flame_search *s, const struct op_flame *f,
		    const char *pattern, struct op_err *err)
{
	struct op_flame_search found = { .mem.err = err };
	bool *covered = op_new(&found.mem, bool, f->nodes.n);

	if (covered)
		found.hit = names_match(&found.mem, f, pattern, err);
	if (err->code) {
		op_flame_search_free(&found);
		return err->code;
	}
	share_add(&found, f, covered);
	op_flame_search_free(s);
	*s = found;
	s->mem.err = NULL;
	return OP_OK;
}

void op_flame_search_free(struct op_flame_search *s)
{
	op_arena_free(&s->mem);
	*s = (struct op_flame_search){ 0 };
}

uint32_t op_flame_next_hit(const struct op_flame_layout *l,
			   const struct op_flame *f,
			   const struct op_flame_search *s, uint32_t cell,
			   bool back)
{
	uint32_t n = (uint32_t)l->cells.n;

	for (uint32_t i = 0; i < n; i++) {
		cell = back ? (cell ? cell : n) - 1 : (cell + 1) % n;
		if (op_flame_is_hit(s, f, l->cells.p[cell].node))
			return cell;
	}
	return OP_NO_CELL;
}
