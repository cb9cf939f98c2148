// SPDX-License-Identifier: Apache-2.0
/* fmt/svg/write.c: a flame graph as a picture that can be searched and zoomed.
 *
 * One profile, the root at the top, where a viewer begins. Without the script
 * it is still a picture: all that is needed to see it is in the markup. */
#include "fmt/svg/svg_int.h"

#include "base/budget.h"
#include "base/embed.h"
#include "base/number.h"
#include "model/semconv.h"
#include "query/default_profile.h"
#include "query/flame_walk.h"

OP_EMBED(op_svg_script, "ui/flame/svg.js");

enum {
	BLOCK = 64 * 1024,
	WIDTH = 1200,
	MARGIN = 10,
	ROW = 17,
	HEAD = 66, /* title, what can be clicked, details */
	FOOT = 10,
};

/* Of the font, which has one width for all characters. */
static const double char_width = 6.63;

struct picture {
	const struct op_model *m;
	const struct op_profile *p;
	struct op_graph_opts graph;
	struct op_sink *sink;
	struct op_err *err;
	struct op_buf out;
	struct op_flame flame;
	int64_t *weights;
	double *next_x;	 /* per node: where its next child begins */
	double per_unit; /* pixels */
	double least;
	uint32_t rows;
	bool is_diff;
};

static void flush(struct picture *s)
{
	if (s->out.n && !s->err->code)
		s->sink->write(s->sink, op_view(s->out.p, s->out.n), s->err);
	s->out.n = 0;
}

/* --- what is drawn --- */

static bool is_drawn(const struct picture *s, uint32_t node)
{
	return s->weights[node] && (double)s->weights[node] >= s->least;
}

static int measure(struct picture *s)
{
	uint32_t node = 0, depth = 0;
	bool skip = false;

	op_arena_tells(&s->flame.tree_mem, s->err);
	s->weights = op_flame_weights(&s->flame, s->err);
	s->next_x = op_new(&s->flame.tree_mem, double, s->flame.nodes.n);
	if (!s->weights || !s->next_x)
		return s->err->code;
	if (s->weights[0])
		s->per_unit = (WIDTH - 2 * MARGIN) / (double)s->weights[0];
	s->least = (double)s->weights[0] * s->graph.least;
	s->rows = 1;
	while ((node = op_flame_next(&s->flame, node, skip, &depth)) !=
	       OP_NO_NODE) {
		skip = !is_drawn(s, node);
		if (!skip && depth >= s->rows)
			s->rows = depth + 1;
	}
	return OP_OK;
}

/* --- frames --- */

static const char *colour(const struct picture *s, uint32_t node,
			  struct op_svg_colour *c)
{
	const struct op_flame_node *n = &s->flame.nodes.p[node];
	double weight = (double)s->weights[node];

	if (s->is_diff)
		*c = op_svg_change(weight > 0 ? (double)n->total / weight : 0);
	else if (!node)
		*c = op_svg_plain();
	else
		*c = op_svg_kind(s->flame.origin.p[n->name].type,
				 s->flame.names.p[n->name].text,
				 n->inlined > n->total / 2);
	return c->text;
}

static void put_detail(struct picture *s, uint32_t node)
{
	const struct op_flame_node *n = &s->flame.nodes.p[node];
	double all = (double)s->weights[0];
	double percent = all > 0 ? 100 * (double)s->weights[node] / all : 0;

	op_buf_z(&s->out, " (");
	op_svg_value(&s->out, n->total,
		     op_string(s->m, s->p->sample_type.unit));
	op_buf_printf(&s->out, ", %s%%)", op_fixed_text(percent, 2).s);
}

/* As much of a name as there is room for. */
static void put_label(struct picture *s, struct op_view name, double w)
{
	size_t most = (size_t)((w - 6) / char_width), n = 0, cut = 0;

	for (size_t i = 0; i < name.n; i++) {
		if ((name.p[i] & 0xc0) == 0x80)
			continue;
		if (n + 2 == most)
			cut = i;
		n++;
	}
	op_graph_escape(&s->out, n > most ? op_view(name.p, cut) : name);
	if (n > most)
		op_buf_z(&s->out, "..");
}

/* A name is escaped, and measured, in each frame that has it. */
enum { STEPS_A_CHAR = 4 };

static void put_frame(struct picture *s, uint32_t node, uint32_t depth,
		      double x)
{
	double w = s->per_unit * (double)s->weights[node];
	struct op_view name = op_view_z("all");
	struct op_svg_colour c;
	uint32_t y = HEAD + depth * ROW;

	if (!node && !s->weights[0])
		w = WIDTH - 2 * MARGIN;
	if (node)
		name = s->flame.names.p[s->flame.nodes.p[node].name].text;
	if (op_work(name.n * STEPS_A_CHAR, s->err))
		return;
	op_buf_z(&s->out, "<g><title>");
	op_graph_escape(&s->out, name);
	put_detail(s, node);
	op_buf_printf(&s->out,
		      "</title><rect x=\"%s\" y=\"%u\" width=\"%s\" "
		      "height=\"%u\" fill=\"%s\"/>",
		      op_fixed_text(x, 2).s, y, op_fixed_text(w, 2).s, ROW - 1,
		      colour(s, node, &c));
	if (w >= 6 + 3 * char_width) {
		op_buf_printf(&s->out, "<text x=\"%s\" y=\"%u.5\">",
			      op_fixed_text(x + 3, 2).s, y + 12);
		put_label(s, name, w);
		op_buf_z(&s->out, "</text>");
	}
	op_buf_z(&s->out, "</g>\n");
	if (s->out.n >= BLOCK)
		flush(s);
}

static void put_frames(struct picture *s)
{
	uint32_t node = 0, depth = 0;
	bool skip = false;

	op_buf_z(&s->out, "<g id=\"frames\">\n");
	put_frame(s, 0, 0, MARGIN);
	s->next_x[0] = MARGIN;
	while (!s->err->code && (node = op_flame_next(&s->flame, node, skip,
						      &depth)) != OP_NO_NODE) {
		double *x = &s->next_x[s->flame.nodes.p[node].parent];

		skip = !is_drawn(s, node);
		if (!skip)
			put_frame(s, node, depth, *x);
		s->next_x[node] = *x;
		*x += s->per_unit * (double)s->weights[node];
	}
	op_buf_z(&s->out, "</g>\n");
}

/* --- around them --- */

static const char style[] =
	"text{font:11px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\","
	"monospace;fill:#1d1b19}\n"
	"#back{fill:#fff}\n"
	".title{font:600 16px system-ui,\"Segoe UI\",\"DejaVu Sans\","
	"sans-serif;text-anchor:middle}\n"
	".quiet{fill:#6d6862}\n"
	"#frames text{pointer-events:none}\n"
	"#frames g:hover rect{stroke:#1d1b19;stroke-width:1}\n"
	"#frames .caller{opacity:.6}\n"
	"#frames .hit rect{fill:#e58ae8}\n"
	"@media(prefers-color-scheme:dark){\n"
	"#back{fill:#1b1c1f}\n"
	".title,#detail,#search,#reset,#matched{fill:#eceae6}\n"
	".quiet{fill:#a09c96}\n"
	"#frames g:hover rect{stroke:#fff}\n"
	"}\n";

static void put_type(struct picture *s)
{
	op_graph_escape(&s->out, op_string(s->m, s->p->sample_type.type));
	op_buf_z(&s->out, ", ");
	if (s->is_diff)
		op_buf_z(&s->out, "net change ");
	op_svg_value(&s->out, s->flame.total,
		     op_string(s->m, s->p->sample_type.unit));
}

static void put_head(struct picture *s, uint32_t height)
{
	struct op_view title = op_graph_title(s->m, &s->graph);

	op_buf_printf(&s->out,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		      "version=\"1.1\" width=\"%d\" height=\"%u\" "
		      "viewBox=\"0 0 %d %u\" role=\"img\" data-char=\"%s\">\n"
		      "<title>",
		      WIDTH, height, WIDTH, height,
		      op_fixed_text(char_width, 2).s);
	op_graph_escape(&s->out, title);
	op_buf_printf(&s->out,
		      "</title>\n<style>%s</style>\n"
		      "<rect id=\"back\" width=\"100%%\" height=\"100%%\"/>\n"
		      "<text class=\"title\" x=\"%d\" y=\"22\">",
		      style, WIDTH / 2);
	op_graph_escape(&s->out, title);
	op_buf_printf(&s->out,
		      "</text>\n<text class=\"quiet\" x=\"%d\" y=\"40\" "
		      "text-anchor=\"middle\">",
		      WIDTH / 2);
	put_type(s);
	op_buf_printf(&s->out,
		      "</text>\n<text id=\"reset\" x=\"%d\" y=\"22\" "
		      "style=\"display:none\">Reset zoom</text>\n"
		      "<text id=\"search\" x=\"%d\" y=\"22\" "
		      "text-anchor=\"end\" style=\"display:none\">Search"
		      "</text>\n"
		      "<text id=\"detail\" x=\"%d\" y=\"%d\"> </text>\n"
		      "<text id=\"matched\" x=\"%d\" y=\"%d\" "
		      "text-anchor=\"end\"> </text>\n",
		      MARGIN, WIDTH - MARGIN, MARGIN, HEAD - 8, WIDTH - MARGIN,
		      HEAD - 8);
}

static void draw(struct picture *s)
{
	if (op_flame_build(&s->flame, s->m, s->p, s->err) || measure(s))
		return;
	put_head(s, HEAD + s->rows * ROW + FOOT);
	put_frames(s);
	op_buf_z(&s->out, "<script><![CDATA[\n");
	op_buf_view(&s->out, op_embedded(op_svg_script));
	op_buf_z(&s->out, "]]></script>\n</svg>\n");
	flush(s);
}

/* --- the format --- */

/* The types that are not in the picture; of the type that is, how many
 * profiles. */
static void tell_others(struct picture *s, const struct op_write_opts *opts)
{
	struct op_buf text = { .err = s->err };
	uint32_t nr = op_other_types(s->m, s->p, &text), same = 0;
	struct op_walk w = { 0 };

	while (op_walk_next(s->m, &w))
		same += op_same_type(s->m, w.profile, s->p);
	if (same > 1)
		op_buf_printf(&text, "%s%u more of this type", nr ? ", " : "",
			      same - 1);
	nr += same - 1;
	op_buf_z(&text, nr == 1 ? " is left out" : " are left out");
	op_buf_z(&text, ": an image holds one profile");
	op_buf_byte(&text, 0);
	if (nr && !s->err->code)
		opts->note(opts->ctx, (const char *)text.p);
	op_buf_free(&text);
}

int op_svg_write(const struct op_model *m, const struct op_write_opts *opts,
		 struct op_sink *out, struct op_err *err)
{
	struct picture s = { .m = m,
			     .p = op_default_profile(m),
			     .graph.least = 0.0005,
			     .sink = out,
			     .err = err,
			     .out.err = err };
	const struct op_attr *diff;

	if (op_graph_settings(opts, &s.graph, err))
		return err->code;
	if (!s.p)
		return op_fail(err, OP_EFORMAT, "there is no profile to draw");
	diff = op_set_find(m, s.p->attrs, OP_ATTR_DIFF);
	s.is_diff = diff && diff->value.kind == OP_ANY_BOOL && diff->value.flag;
	s.flame.origins = true;
	s.flame.threads = s.graph.threads;
	if (opts && opts->note)
		tell_others(&s, opts);
	if (!err->code)
		draw(&s);
	op_buf_free(&s.out);
	op_flame_free(&s.flame);
	return err->code;
}
