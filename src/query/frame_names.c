// SPDX-License-Identifier: Apache-2.0
/* query/frame_names.c: puts the names of frames together. */
#include "query/frame_names.h"

#include <inttypes.h>

#include "base/budget.h"

struct naming {
	struct op_frame_names *n;
	const struct op_model *m;
	unsigned int parts;
	struct op_buf text;
	uint64_t steps;
	struct op_id_vec unnamed; /* texts that are made of an address */
	struct op_err *err;
};

static struct op_view last_part(struct op_view path)
{
	size_t i = path.n;

	while (i && path.p[i - 1] != '/')
		i--;
	return op_view(path.p + i, path.n - i);
}

static struct op_view module_of(const struct naming *x,
				const struct op_location *l)
{
	return op_string(x->m, x->m->dict.mappings[l->mapping].filename);
}

/* A function without a name is its module, as a row for each address would say
 * little; the most detailed view has the addresses. */
static void unnamed_text(struct naming *x, const struct op_location *l)
{
	struct op_view module = last_part(module_of(x, l));

	if (x->parts & OP_FRAME_LINE) {
		op_buf_view(&x->text, module);
		op_buf_printf(&x->text, "%s0x%" PRIx64, module.n ? "+" : "",
			      l->address);
		return;
	}
	if (!module.n) {
		op_buf_z(&x->text, "<unknown>");
		return;
	}
	/* The names that the kernel gives have brackets already: [vdso]. */
	if (module.p[0] == '[') {
		op_buf_view(&x->text, module);
		return;
	}
	op_buf_byte(&x->text, '[');
	op_buf_view(&x->text, module);
	op_buf_byte(&x->text, ']');
}

static void file_text(struct naming *x, const struct op_line *line)
{
	const struct op_dict *d = &x->m->dict;
	bool has_line = x->parts & OP_FRAME_LINE && line && line->line;
	struct op_view file = { 0 };

	if (line)
		file = op_string(x->m, d->functions[line->function].filename);
	if (!file.n && !x->text.n)
		file = op_view_z("(no file)");
	else if (x->text.n && (file.n || has_line))
		op_buf_byte(&x->text, ' ');
	op_buf_view(&x->text, file);
	if (has_line)
		op_buf_printf(&x->text, ":%" PRId64, line->line);
}

static void module_text(struct naming *x, const struct op_location *l)
{
	struct op_view module = module_of(x, l);
	bool is_alone = !x->text.n;

	op_buf_z(&x->text, is_alone ? "" : " (");
	if (module.n)
		op_buf_view(&x->text, module);
	else
		op_buf_z(&x->text, is_alone ? "(no module)" : "no module");
	op_buf_z(&x->text, is_alone ? "" : ")");
}

/* The name of a frame; line NULL: its location has none. */
static uint32_t name_of(struct naming *x, const struct op_location *l,
			const struct op_line *line)
{
	const struct op_dict *d = &x->m->dict;
	const struct op_function *f = line ? &d->functions[line->function] :
					     &d->functions[0];
	struct op_view name = op_string(x->m,
					f->name ? f->name : f->system_name);
	bool unnamed = x->parts & OP_FRAME_FUNCTION && !name.n;
	uint32_t id;

	/* Most names are a string of the model: no copy. */
	if (x->parts == OP_FRAME_FUNCTION && name.n)
		return op_text_put(&x->n->texts, name, x->err);
	x->text.n = 0;
	if (unnamed)
		unnamed_text(x, l);
	else if (x->parts & OP_FRAME_FUNCTION)
		op_buf_view(&x->text, name);
	if (x->parts & OP_FRAME_FILE)
		file_text(x, line);
	if (x->parts & OP_FRAME_MODULE)
		module_text(x, l);
	/* A long name of a module may come with each of its addresses. */
	if (!op_steps(&x->steps, x->text.n, x->err))
		return 0;
	id = op_text_copy(&x->n->texts, op_view(x->text.p, x->text.n), x->err);
	if (unnamed)
		(void)op_vec_push(&x->n->texts.mem, &x->unnamed, id);
	return id;
}

static void location_names(struct naming *x, uint32_t i)
{
	const struct op_dict *d = &x->m->dict;
	const struct op_location *l = &d->locations[i];

	for (uint32_t k = 0; k < l->nr_lines && !x->err->code; k++)
		x->n->line_name[l->first_line + k] = name_of(
			x, l, &d->lines[l->first_line + k]);
	if (!l->nr_lines)
		x->n->location_name[i] = name_of(x, l, NULL);
}

static void mark_named(struct naming *x)
{
	struct op_text_table *t = &x->n->texts;

	x->n->has_name = op_new(&t->mem, bool, t->list.n);
	if (!x->n->has_name)
		return;
	memset(x->n->has_name, true, t->list.n);
	for (size_t i = 0; i < x->unnamed.n; i++)
		x->n->has_name[x->unnamed.p[i]] = false;
}

int op_frame_names_init(struct op_frame_names *n, const struct op_model *m,
			unsigned int parts, struct op_err *err)
{
	struct naming x = {
		.n = n, .m = m, .parts = parts, .text.err = err, .err = err
	};
	const struct op_dict *d = &m->dict;

	op_arena_tells(&n->texts.mem, err);
	n->line_name = op_new(&n->texts.mem, uint32_t, d->nr_lines);
	n->location_name = op_new(&n->texts.mem, uint32_t, d->nr[OP_LOCATIONS]);
	if (!n->line_name || !n->location_name)
		return err->code;
	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS] && !err->code; i++)
		location_names(&x, i);
	if (!err->code)
		mark_named(&x);
	op_buf_free(&x.text);
	return err->code;
}

void op_frame_names_free(struct op_frame_names *n)
{
	op_text_table_free(&n->texts);
	*n = (struct op_frame_names){ 0 };
}
