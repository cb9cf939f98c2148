// SPDX-License-Identifier: Apache-2.0
/* cli/flame_explore.c: an interactive flame graph on the whole terminal.
 *
 * A key changes the state, and then everything is drawn again. Each cell and
 * line is drawn at its position, and names are printable and as wide as
 * counted, so that none can move another. */
#include <stdio.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/text_width.h"
#include "flame_view.h"
#include "model/semconv.h"
#include "screen.h"

enum { MAX_PATTERN = 200, TITLE_ROWS = 1, STATUS_ROWS = 2 };
enum mode { GRAPH, SEARCH, TYPES, HELP };

struct explorer {
	struct answer *a;
	struct op_arena mem;
	struct op_flame f;
	struct op_flame_layout l;
	struct op_flame_search s;
	struct op_id_vec zooms; /* Esc returns there */
	uint32_t cell;		/* the current cell */
	uint32_t top;		/* the first row on the screen */
	uint32_t type;		/* in the list of types */
	enum mode mode;
	bool inverted, is_done;
	char typed[MAX_PATTERN + 1], pattern[MAX_PATTERN + 1];
	char message[256];

	uint32_t rows, columns; /* of the screen */
	enum screen_colours colours;
	bool utf8;
	struct op_buf title, out, name;
};

static const char *const help[] = {
	"arrow keys, h j k l   move between frames",
	"Enter                 zoom to the frame",
	"Esc, Backspace        zoom out",
	"/                     search for a regular expression",
	"n, N                  next and previous match",
	"i                     invert: callers below functions",
	"t                     list the types of profiles",
	"?                     show these keys",
	"q                     quit",
};

/* --- state --- */

static uint32_t current(const struct explorer *x)
{
	return x->l.cells.p[x->cell].node;
}

static void say(struct explorer *x, const char *text)
{
	snprintf(x->message, sizeof(x->message), "%s", text);
}

/* Places the cells; the cursor stays with a node. */
static void place(struct explorer *x, uint32_t node)
{
	x->l.width = x->columns;
	if (!op_flame_layout(&x->l, &x->f, x->a->err))
		x->cell = op_flame_cell_of(&x->l, &x->f, node);
}

static void search(struct explorer *x)
{
	struct op_err err = { 0 };

	if (!x->pattern[0])
		op_flame_search_free(&x->s);
	else if (op_flame_search(&x->s, &x->f, x->pattern, &err))
		say(x, err.text);
}

/* Makes the graph of the selected type from the start. */
static void build(struct explorer *x)
{
	struct answer *a = x->a;

	/* A new request has the whole budget again. */
	if (op_budget())
		op_budget()->work = 0;
	op_flame_search_free(&x->s);
	op_flame_free(&x->f);
	x->f = (struct op_flame){ .inverted = x->inverted, .by_size = true };
	x->zooms.n = 0;
	x->l.root = 0;
	x->top = 0;
	if (op_flame_build_by(&x->f, &a->m, a->like, &a->by, a->err))
		return;
	search(x);
	place(x, 0);
	a->out.n = 0;
	answer_head(a);
	x->title.n = 0;
	if (a->out.n)
		op_buf_view(&x->title, op_view(a->out.p, a->out.n - 1));
	a->out.n = 0;
}

/* Going back always goes outwards. */
static void zoom_in(struct explorer *x)
{
	uint32_t node = current(x), *last;

	if (node == x->l.root)
		return;
	while (x->zooms.n) {
		last = &x->zooms.p[x->zooms.n - 1];
		if (*last != node && op_flame_is_below(&x->f, node, *last))
			break;
		x->zooms.n--;
	}
	x->mem.err = x->a->err;
	if (op_flame_is_below(&x->f, node, x->l.root))
		(void)op_vec_push(&x->mem, &x->zooms, x->l.root);
	x->l.root = node;
	place(x, node);
}

static void zoom_out(struct explorer *x)
{
	uint32_t node = x->l.root;

	if (!node)
		return;
	x->l.root = x->zooms.n ? x->zooms.p[--x->zooms.n] : 0;
	place(x, node);
}

static void next_hit(struct explorer *x, bool back)
{
	uint32_t cell;

	if (!x->s.hit) {
		say(x, "nothing was searched for: press / and type a pattern");
		return;
	}
	cell = op_flame_next_hit(&x->l, &x->f, &x->s, x->cell, back);
	if (cell != OP_NO_CELL)
		x->cell = cell;
	else if (x->s.nr)
		say(x, "no match is wide enough to be shown here");
}

static void type_use(struct explorer *x)
{
	struct answer *a = x->a;
	const struct op_profile *before = a->like;

	if (x->type >= a->types.nr ||
	    answer_use(a, a->types.rows[x->type].like)) {
		say(x, a->err->text);
		*a->err = (struct op_err){ 0 };
		answer_use(a, before);
	}
	if (!a->err->code)
		build(x);
}

/* --- keys --- */

static void key_search(struct explorer *x, int key)
{
	size_t n = strlen(x->typed);

	if (key == SCREEN_ESCAPE) {
		x->mode = GRAPH;
	} else if (key == '\n' || key == '\r') {
		x->mode = GRAPH;
		memcpy(x->pattern, x->typed, sizeof(x->pattern));
		op_flame_search_free(&x->s);
		search(x);
		if (x->s.nr && !op_flame_is_hit(&x->s, &x->f, current(x)))
			next_hit(x, false);
	} else if (key == 0x7f || key == '\b') {
		while (n && (x->typed[n - 1] & 0xc0) == 0x80)
			n--;
		x->typed[n ? n - 1 : 0] = 0;
	} else if (key >= ' ' && key < SCREEN_END && n < MAX_PATTERN) {
		x->typed[n] = (char)key;
		x->typed[n + 1] = 0;
	}
}

static void key_types(struct explorer *x, int key)
{
	if ((key == SCREEN_UP || key == 'k') && x->type)
		x->type--;
	else if ((key == SCREEN_DOWN || key == 'j') &&
		 x->type + 1 < x->a->types.nr)
		x->type++;
	else if (key == SCREEN_ESCAPE || key == 't' || key == 0x7f)
		x->mode = GRAPH;
	else if (key == 'q')
		x->is_done = true;
	if (key != '\n' && key != '\r')
		return;
	x->mode = GRAPH;
	type_use(x);
}

static void types_open(struct explorer *x)
{
	if (x->a->types.nr < 2) {
		say(x, "all profiles are of one type");
		return;
	}
	x->type = (uint32_t)(x->a->type - x->a->types.rows);
	x->mode = TYPES;
}

static void move(struct explorer *x, enum op_flame_move to)
{
	x->cell = op_flame_move(&x->l, &x->f, x->cell, to);
}

static void key_move(struct explorer *x, int key)
{
	if (key == SCREEN_LEFT || key == 'h')
		move(x, OP_FLAME_LEFT);
	else if (key == SCREEN_RIGHT || key == 'l')
		move(x, OP_FLAME_RIGHT);
	else if (key == SCREEN_UP || key == 'k')
		move(x, OP_FLAME_CALLER);
	else if (key == SCREEN_DOWN || key == 'j')
		move(x, OP_FLAME_CALLEE);
}

static void key_graph(struct explorer *x, int key)
{
	switch (key) {
	case 'q':
		x->is_done = true;
		break;
	case '\n':
	case '\r':
		zoom_in(x);
		break;
	case SCREEN_ESCAPE:
	case '\b':
	case 0x7f:
		zoom_out(x);
		break;
	case '/':
		x->mode = SEARCH;
		x->typed[0] = 0;
		break;
	case 'n':
	case 'N':
		next_hit(x, key == 'N');
		break;
	case 'i':
		x->inverted = !x->inverted;
		build(x);
		break;
	case 't':
		types_open(x);
		break;
	case '?':
		x->mode = HELP;
		break;
	default:
		key_move(x, key);
	}
}

static void key_do(struct explorer *x, int key)
{
	x->message[0] = 0;
	if (key == SCREEN_END)
		x->is_done = true;
	else if (x->mode == SEARCH)
		key_search(x, key);
	else if (x->mode == TYPES)
		key_types(x, key);
	else if (x->mode == HELP)
		x->mode = GRAPH;
	else
		key_graph(x, key);
}

/* --- colours --- */

/* The scope of the function: its package, class or path. */
static struct op_view family_of(struct op_view name)
{
	size_t end = 0;

	for (size_t n = 0; n < name.n && !strchr("(<", name.p[n]); n++)
		if (strchr(".:/", name.p[n]))
			end = n;
	return end ? op_view(name.p, end) : name;
}

static void colour(struct op_buf *out, enum screen_colours kind,
		   struct op_view name)
{
	/* Of 256 colors; light ones, so that black text is legible. */
	static const uint8_t tints[][4] = {
		{ 203, 209, 210, 216 }, { 214, 215, 221, 222 },
		{ 107, 113, 114, 150 }, { 73, 79, 80, 116 },
		{ 74, 75, 111, 117 },	{ 139, 140, 176, 182 },
	};
	static const uint8_t of_8[] = { 1, 2, 3, 4, 6, 7 };
	struct op_view family = family_of(name);
	uint32_t of = op_hash_fixed(family.p, family.n) % op_countof(tints);

	if (kind == SCREEN_256)
		op_buf_printf(out, "\033[0;38;5;16;48;5;%um",
			      tints[of][op_hash_fixed(name.p, name.n) % 4]);
	else
		op_buf_printf(out, "\033[0;30;4%um", of_8[of]);
}

static void style(struct explorer *x, uint32_t cell)
{
	static const char *const hits[] = { "\033[0;1;4m", "\033[0;30;45m",
					    "\033[0;38;5;16;48;5;201m" };
	const struct op_flame_cell *c = &x->l.cells.p[cell];

	if (cell == x->cell)
		op_buf_z(&x->out, "\033[0;1;7m");
	else if (op_flame_is_hit(&x->s, &x->f, c->node))
		op_buf_z(&x->out, hits[x->colours]);
	else if (c->node != x->l.root &&
		 !op_flame_is_below(&x->f, c->node, x->l.root))
		op_buf_z(&x->out, "\033[0;2m");
	else if (x->colours == SCREEN_PLAIN)
		op_buf_z(&x->out, "\033[0m");
	else
		colour(&x->out, x->colours, flame_name(&x->f, c->node));
}

/* --- lines --- */

/* A line of the screen, over its whole width. */
static void line(struct explorer *x, uint32_t row, const char *sgr,
		 struct op_view text)
{
	if (row >= x->rows)
		return;
	screen_at(&x->out, row, 0);
	op_buf_z(&x->out, sgr);
	op_buf_columns(&x->out, text, x->columns, x->utf8);
	op_buf_z(&x->out, "\033[0m");
}

static void row_draw(struct explorer *x, uint32_t row, uint32_t at)
{
	line(x, at, "\033[0m", op_view_z(""));
	if (row >= op_flame_rows(&x->l))
		return;
	for (uint32_t i = x->l.rows.p[row]; i < x->l.rows.p[row + 1]; i++) {
		const struct op_flame_cell *c = &x->l.cells.p[i];
		struct op_view name;

		screen_at(&x->out, at, c->x);
		style(x, i);
		name = flame_name(&x->f, c->node);
		if (x->colours == SCREEN_PLAIN) {
			flame_cell(&x->out, x->a, name, c->width);
			continue;
		}
		op_buf_byte(&x->out, '|');
		flame_label(&x->out, x->a, name, c->width - 1);
	}
	op_buf_z(&x->out, "\033[0m");
}

static void type_line(struct explorer *x, uint32_t i, uint32_t at)
{
	const struct op_type_row *row = &x->a->types.rows[i];
	const struct op_model *m = &x->a->m;
	struct op_view event = op_profile_event(m, row->like);
	struct op_err quiet = { 0 };
	struct units u;

	units_init(&u, m, row->like, NULL, &quiet);
	x->name.n = 0;
	op_buf_view(&x->name, op_string(m, row->like->sample_type.type));
	if (event.n) {
		op_buf_z(&x->name, " (");
		op_buf_view(&x->name, event);
		op_buf_byte(&x->name, ')');
	}
	op_buf_byte(&x->name, ' ');
	units_text(&x->name, &u, row->total, " ");
	line(x, at, i == x->type ? "\033[0;7m" : "\033[0m",
	     op_view(x->name.p, x->name.n));
}

/* The area between title and status, of n rows. */
static void middle_draw(struct explorer *x, uint32_t n)
{
	uint32_t row = x->l.cells.p[x->cell].row;
	uint32_t first = x->type >= n ? x->type - n + 1 : 0;

	if (row < x->top)
		x->top = row;
	if (n && row >= x->top + n)
		x->top = row - n + 1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i + TITLE_ROWS;

		if (x->mode == HELP)
			line(x, at, "\033[0m",
			     op_view_z(i < op_countof(help) ? help[i] : ""));
		else if (x->mode != TYPES)
			row_draw(x, x->top + i, at);
		else if (first + i < x->a->types.nr)
			type_line(x, first + i, at);
		else
			line(x, at, "\033[0m", op_view_z(""));
	}
}

/* --- status --- */

static void value_text(struct explorer *x, const char *what, int64_t v)
{
	op_buf_printf(&x->name, "%s ", what);
	units_text(&x->name, &x->a->units, v, " ");
	op_buf_printf(&x->name, " (%s%%)",
		      op_fixed_text(table_share(v, x->f.total), 2).s);
}

static void values_line(struct explorer *x, uint32_t at)
{
	const struct op_flame_node *n = &x->f.nodes.p[current(x)];
	int64_t root = x->f.nodes.p[x->l.root].total;

	x->name.n = 0;
	value_text(x, "self", n->self);
	value_text(x, ", total", n->total);
	if (x->l.root && op_flame_is_below(&x->f, current(x), x->l.root))
		op_buf_printf(&x->name, ", %s%% of the zoom",
			      op_fixed_text(table_share(n->total, root), 2).s);
	line(x, at, "\033[0m", op_view(x->name.p, x->name.n));
}

static void idle_text(struct explorer *x)
{
	op_buf_z(&x->name, "? shows the keys, q quits");
	if (x->l.negative.nr) {
		op_buf_z(&x->name, "; ");
		flame_hidden(&x->name, &x->l.negative, "with negative values",
			     x->f.total);
	}
	if (x->l.narrow.nr) {
		op_buf_z(&x->name, "; ");
		flame_hidden(&x->name, &x->l.narrow, "narrower than a column",
			     x->f.total);
	}
}

static void last_line(struct explorer *x, uint32_t at)
{
	x->name.n = 0;
	if (x->mode == SEARCH)
		op_buf_printf(&x->name, "/%s", x->typed);
	else if (x->mode == HELP)
		op_buf_z(&x->name, "any key goes back");
	else if (x->mode == TYPES)
		op_buf_z(&x->name, "Enter chooses a type, Esc goes back");
	else if (x->message[0])
		op_buf_z(&x->name, x->message);
	else if (x->s.hit)
		op_buf_printf(
			&x->name, "%s%% matched by %llu frame%s of /%s",
			op_fixed_text(table_share(x->s.total, x->f.total), 2).s,
			(unsigned long long)x->s.nr, x->s.nr == 1 ? "" : "s",
			x->pattern);
	else
		idle_text(x);
	line(x, at, "\033[0;1m", op_view(x->name.p, x->name.n));
}

/* The rows that the whole name needs, at most a third of the screen. */
static uint32_t name_rows(struct explorer *x)
{
	struct op_view rest;
	uint32_t n = 0, used, most = x->rows / 3 ? x->rows / 3 : 1;

	x->name.n = 0;
	op_buf_terminal(&x->name,
			op_view_first(flame_name(&x->f, current(x)),
				      (size_t)x->rows * x->columns),
			x->utf8);
	rest = op_view(x->name.p, x->name.n);
	do {
		struct op_view part = op_text_fit(rest, x->columns, &used);

		rest = op_view(rest.p + part.n, rest.n - part.n);
		n++;
	} while (rest.n && used && n < most);
	return n;
}

static void name_draw(struct explorer *x, uint32_t at, uint32_t n)
{
	struct op_view rest = op_view(x->name.p, x->name.n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t used;
		struct op_view part = op_text_fit(rest, x->columns, &used);

		line(x, at + i, "\033[0;1m", i + 1 < n ? part : rest);
		rest = op_view(rest.p + part.n, rest.n - part.n);
	}
}

static void draw(struct explorer *x)
{
	uint32_t n = name_rows(x), used = TITLE_ROWS + n + STATUS_ROWS;
	uint32_t middle = x->rows > used ? x->rows - used : 0;
	uint32_t at = TITLE_ROWS + middle;

	name_draw(x, at, n);
	line(x, 0, "\033[0;7m", op_view(x->title.p, x->title.n));
	middle_draw(x, middle);
	values_line(x, at + n);
	last_line(x, at + n + 1);
	screen_draw(&x->out);
}

/* --- the loop --- */

static void run(struct explorer *x)
{
	build(x);
	while (!x->a->err->code && !x->is_done) {
		int key;

		draw(x);
		key = screen_key();
		if (key != SCREEN_REDRAW) {
			key_do(x, key);
			continue;
		}
		/* Clears what was drawn at another size. */
		op_buf_z(&x->out, "\033[0m\033[2J");
		screen_size(&x->rows, &x->columns);
		place(x, current(x));
	}
}

/* The timer is for files: users may take as long as they like. */
static void clock_stop(void)
{
	uint64_t times = cli_budget;

	cli_budget = 0;
	cli_budget_set();
	cli_budget_clock(NULL, 0);
	cli_budget = times;
	cli_budget_set();
}

void flame_explore(struct answer *a, const struct flame_opts *o)
{
	struct explorer x = { .a = a,
			      .inverted = o->inverted,
			      .colours = screen_colours(),
			      .utf8 = flame_is_utf8(),
			      .title.err = a->err,
			      .name.err = a->err,
			      .out.err = a->err };

	clock_stop();
	if (!screen_open(a->err)) {
		screen_size(&x.rows, &x.columns);
		run(&x);
		screen_close();
	}
	op_flame_search_free(&x.s);
	op_flame_layout_free(&x.l);
	op_flame_free(&x.f);
	op_buf_free(&x.title);
	op_buf_free(&x.name);
	op_buf_free(&x.out);
	op_arena_free(&x.mem);
}
