// SPDX-License-Identifier: Apache-2.0
/* fmt/folded/write.c: the samples of one type as lines.
 *
 * Plain, stacks of the same text are one line with the sum of their samples,
 * in the order in which they are first met. Annotated, each observation is a
 * line, and each profile begins with its "# otprof".
 */
#include <stdio.h>

#include "base/budget.h"
#include "base/hash.h"
#include "fmt/folded/folded_int.h"
#include "query/default_profile.h"
#include "query/stack_sums.h"

enum { BLOCK = 64 * 1024, STEPS_A_FRAME = 4 };

struct names {
	struct op_intern index;
	OP_VEC(struct op_view) rows;
	/* Per line of the dictionary, and per location without lines; as
	 * OP_NO_ID until they are asked for. */
	uint32_t *by_line;
	uint32_t *by_location;
};

/* Lists of names, root first, each once. */
struct paths {
	struct op_intern index;
	struct op_id_vec at;
	struct op_id_vec items;
	OP_VEC(int64_t) sums;
	uint32_t *by_stack;
};

struct writer {
	const struct op_model *m;
	struct op_err *err;
	struct op_sink *sink;
	struct op_arena mem;
	struct op_buf out;
	struct op_buf stack, notes; /* parts of a line */
	bool annotate;
	struct op_folded_style style;
	struct names names;
	struct paths paths;
	struct op_id_vec frames; /* of one stack */
	uint64_t steps;
};

static void flush(struct writer *w)
{
	if (w->out.n && !w->err->code)
		w->sink->write(w->sink, op_view(w->out.p, w->out.n), w->err);
	w->out.n = 0;
}

/* --- names --- */

/* There is no way to write these in the plain form: they would end the name or
 * the line. */
static void replace(struct op_buf *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->p[i] == ';')
			b->p[i] = ':';
		else if (b->p[i] < ' ' || b->p[i] == 0x7f)
			b->p[i] = ' ';
	}
}

static bool name_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_view *rows = table;

	return op_view_eq(rows[id], *(const struct op_view *)key);
}

static uint32_t name_put(struct writer *w, struct op_view text)
{
	uint32_t hash = op_hash32(text.p, text.n);
	uint32_t id = op_intern_find(&w->names.index, hash, name_eq,
				     w->names.rows.p, &text);
	uint8_t *copy;

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)w->names.rows.n;
	copy = op_arena_alloc(&w->mem, text.n);
	if (!copy)
		return id;
	memcpy(copy, text.p, text.n);
	if (op_vec_push(&w->mem, &w->names.rows, op_view(copy, text.n)))
		op_intern_add(&w->names.index, &w->mem, hash, id);
	return id;
}

/* The id of a text, which is freed. */
static uint32_t name_take(struct writer *w, struct op_buf *raw)
{
	struct op_buf text = { .err = w->err };
	uint32_t id = 0;

	if (w->annotate)
		op_folded_encode(&text, op_view(raw->p, raw->n), false, ";");
	else
		replace(raw);
	if (!w->err->code)
		id = name_put(w, w->annotate ? op_view(text.p, text.n) :
					       op_view(raw->p, raw->n));
	op_buf_free(&text);
	op_buf_free(raw);
	return id;
}

static uint32_t name_new(struct writer *w, const struct op_location *l,
			 const struct op_line *line)
{
	struct op_buf raw = { .err = w->err };

	op_folded_put_frame(&raw, w->m, l, line, &w->style);
	return name_take(w, &raw);
}

static uint32_t name_of(struct writer *w, uint32_t location, uint32_t k)
{
	const struct op_location *l = &w->m->dict.locations[location];
	uint32_t line = l->first_line + k;
	uint32_t *id = l->nr_lines ? &w->names.by_line[line] :
				     &w->names.by_location[location];

	if (op_unlikely(*id == OP_NO_ID))
		*id = name_new(w, l,
			       l->nr_lines ? &w->m->dict.lines[line] : NULL);
	return *id;
}

static void thread_name(struct writer *w, uint32_t set)
{
	struct op_buf raw = { .err = w->err };

	if (op_folded_put_thread(&raw, w->m, set))
		(void)op_vec_push(&w->mem, &w->frames, name_take(w, &raw));
}

/* The names of a sample's stack into w->frames, the root first. */
static void stack_names(struct writer *w, const struct op_profile *p,
			uint32_t sample)
{
	struct op_ids ids = op_list(&w->m->dict.stacks, p->stack[sample]);

	w->frames.n = 0;
	if (w->style.threads)
		thread_name(w, p->set[sample]);
	for (uint32_t i = ids.n; i-- && !w->err->code;) {
		uint32_t k = w->m->dict.locations[ids.p[i]].nr_lines;

		k += !k;
		op_steps(&w->steps, (uint64_t)k * STEPS_A_FRAME, w->err);
		while (k-- && !w->err->code)
			(void)op_vec_push(&w->mem, &w->frames,
					  name_of(w, ids.p[i], k));
	}
}

/* --- plain --- */

static bool path_eq(const void *table, uint32_t id, const void *key)
{
	const struct paths *t = table;
	const struct op_id_vec *k = key;
	uint32_t at = t->at.p[id];

	return t->at.p[id + 1] - at == k->n &&
	       (!k->n || !memcmp(t->items.p + at, k->p, k->n * sizeof(*k->p)));
}

/* The path that w->frames is. */
static uint32_t path_put(struct writer *w)
{
	struct op_id_vec *f = &w->frames;
	struct paths *t = &w->paths;
	uint32_t hash = op_hash32(f->p, f->n * sizeof(*f->p));
	uint32_t id = op_intern_find(&t->index, hash, path_eq, t, f);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)t->sums.n;
	if (!op_vec_reserve(&w->mem, &t->items, f->n) ||
	    !op_vec_push(&w->mem, &t->at, (uint32_t)(t->items.n + f->n)) ||
	    !op_vec_push(&w->mem, &t->sums, 0) ||
	    !op_intern_add(&t->index, &w->mem, hash, id))
		return 0;
	if (f->n)
		memcpy(t->items.p + t->items.n, f->p, f->n * sizeof(*f->p));
	t->items.n += f->n;
	return id;
}

static void sum_up(struct writer *w, const struct op_profile *p)
{
	enum op_aggregator how = op_aggregator_of(w->m, p);
	struct paths *t = &w->paths;

	for (uint32_t i = 0; i < p->nr_samples && !w->err->code; i++) {
		uint32_t *id = &t->by_stack[p->stack[i]];
		int64_t *sum;

		if (*id == OP_NO_ID || w->style.threads) {
			stack_names(w, p, i);
			*id = path_put(w);
		}
		if (w->err->code)
			return;
		sum = &t->sums.p[*id];
		*sum = op_add_sat(*sum, op_sample_amount(how, p, i));
	}
}

static void put_i64(struct op_buf *out, int64_t v)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	char text[24];
	size_t i = sizeof(text);

	do
		text[--i] = (char)('0' + u % 10);
	while (u /= 10);
	if (v < 0)
		text[--i] = '-';
	op_buf_view(out, op_view(text + i, sizeof(text) - i));
}

/* The first name must not make the line a comment, the last must not end in
 * what would be taken for a count. */
static void put_path(struct writer *w, uint32_t id)
{
	const struct paths *t = &w->paths;
	uint32_t end = t->at.p[id + 1];
	size_t start = w->out.n, leaf = start;

	for (uint32_t i = t->at.p[id]; i < end; i++) {
		if (i != t->at.p[id])
			op_buf_byte(&w->out, ';');
		leaf = w->out.n;
		op_buf_view(&w->out, w->names.rows.p[t->items.p[i]]);
	}
	if (t->at.p[id] == end)
		op_buf_z(&w->out, OP_FOLDED_UNKNOWN);
	if (w->err->code)
		return;
	if (w->out.p[start] == '#')
		w->out.p[start] = '_';
	for (;;) {
		struct op_view name = op_view(w->out.p + leaf, w->out.n - leaf);

		if (!op_folded_misread(name))
			break;
		while (name.p[name.n - 1] == ' ')
			name.n--;
		*(uint8_t *)memrchr(name.p, ' ', name.n) = '_';
	}
}

static void write_plain(struct writer *w, const struct op_profile *chosen)
{
	struct op_walk walk = { 0 };

	w->paths.by_stack = op_new_ids(&w->mem, w->m->dict.nr[OP_STACKS]);
	(void)op_vec_push(&w->mem, &w->paths.at, 0);
	while (!w->err->code && op_walk_next(w->m, &walk))
		if (op_same_type(w->m, walk.profile, chosen))
			sum_up(w, walk.profile);
	for (uint32_t i = 0; i < w->paths.sums.n && !w->err->code; i++) {
		put_path(w, i);
		op_buf_byte(&w->out, ' ');
		put_i64(&w->out, w->paths.sums.p[i]);
		op_buf_byte(&w->out, '\n');
		if (w->out.n >= BLOCK)
			flush(w);
	}
}

/* --- annotated --- */

static void put_stack(struct writer *w, struct op_buf *out,
		      const struct op_profile *p, uint32_t sample)
{
	stack_names(w, p, sample);
	for (size_t i = 0; i < w->frames.n && !w->err->code; i++) {
		struct op_view name = w->names.rows.p[w->frames.p[i]];

		if (i)
			op_buf_byte(out, ';');
		/* It would make the line a comment. */
		if (!i && name.p[0] == '#') {
			op_buf_z(out, "%23");
			name = op_view(name.p + 1, name.n - 1);
		}
		op_buf_view(out, name);
	}
}

static void put_notes(struct writer *w, struct op_buf *out, uint32_t set,
		      uint32_t link)
{
	struct op_ids ids = op_list(&w->m->dict.sets, set);
	const struct op_link *l = &w->m->dict.links[link];
	char before = ' ';

	for (uint32_t i = 0; i < ids.n; i++, before = ',') {
		const struct op_attr *a = &w->m->dict.attrs[ids.p[i]];

		op_buf_byte(out, before);
		op_folded_put_attr(out, w->m, op_string(w->m, a->key),
				   &a->value);
	}
	if (!link)
		return;
	op_buf_byte(out, before);
	op_buf_z(out, OP_FOLDED_TRACE "=");
	op_buf_hex(out, op_view(l->trace_id, sizeof(l->trace_id)));
	op_buf_z(out, "," OP_FOLDED_SPAN "=");
	op_buf_hex(out, op_view(l->span_id, sizeof(l->span_id)));
}

/* A line for each observation, or one for what has no times. */
static void put_sample(struct writer *w, const struct op_profile *p, uint32_t i)
{
	struct op_values values = op_sample_values(p, i);
	struct op_times times = op_sample_times(p, i);
	uint32_t n = times.n ? times.n : values.n != 0;

	w->stack.n = w->notes.n = 0;
	put_stack(w, &w->stack, p, i);
	put_notes(w, &w->notes, p->set[i], p->link[i]);
	for (uint32_t k = 0; k < n && !w->err->code; k++) {
		op_buf_view(&w->out, op_view(w->stack.p, w->stack.n));
		op_buf_byte(&w->out, ' ');
		if (!times.n)
			put_i64(&w->out, op_sample_total(p, i));
		else
			put_i64(&w->out, values.n ? values.p[k] : 1);
		op_buf_view(&w->out, op_view(w->notes.p, w->notes.n));
		if (times.n)
			op_buf_printf(&w->out, " %llu",
				      (unsigned long long)times.p[k]);
		op_buf_byte(&w->out, '\n');
		if (w->out.n >= BLOCK)
			flush(w);
	}
}

static void write_annotated(struct writer *w, const struct op_profile *chosen)
{
	struct op_walk walk = { 0 };

	while (!w->err->code && op_walk_next(w->m, &walk)) {
		if (!op_same_type(w->m, walk.profile, chosen))
			continue;
		op_folded_put_head(&w->out, w->m, &walk);
		for (uint32_t i = 0;
		     i < walk.profile->nr_samples && !w->err->code; i++)
			put_sample(w, walk.profile, i);
	}
}

/* --- both --- */

static void tell_others(struct writer *w, const struct op_write_opts *opts,
			const struct op_profile *chosen)
{
	struct op_buf text = { .err = w->err };
	uint32_t nr = op_other_types(w->m, chosen, &text);

	op_buf_z(&text, nr == 1 ? " is left out" : " are left out");
	op_buf_z(&text, ": folded stacks hold one type");
	op_buf_byte(&text, 0);
	if (nr && !w->err->code)
		opts->note(opts->ctx, (const char *)text.p);
	op_buf_free(&text);
}

static bool wants_notes(const struct op_write_opts *opts, struct op_err *err)
{
	const char *s = opts ? op_setting(opts->settings, "annotate") : NULL;

	if (!s || !strcmp(s, "no"))
		return false;
	if (strcmp(s, "yes"))
		op_fail(err, OP_EUSAGE, "--annotate takes yes or no, not '%s'",
			s);
	return true;
}

static struct op_folded_style style_of(const struct op_write_opts *opts)
{
	const char *const *set = opts ? opts->settings : NULL;

	return (struct op_folded_style){
		.lines = op_setting(set, "lines"),
		.simple = op_setting(set, "simple"),
		.norm = op_setting(set, "norm"),
		.threads = op_setting(set, "threads"),
	};
}

int op_folded_write(const struct op_model *m, const struct op_write_opts *opts,
		    struct op_sink *sink, struct op_err *err)
{
	const struct op_profile *chosen = op_default_profile(m);
	struct writer w = { .m = m, .err = err, .mem.err = err, .sink = sink };

	w.out.err = w.stack.err = w.notes.err = err;
	w.annotate = wants_notes(opts, err);
	w.style = style_of(opts);
	w.names.by_line = op_new_ids(&w.mem, m->dict.nr_lines);
	w.names.by_location = op_new_ids(&w.mem, m->dict.nr[OP_LOCATIONS]);
	if (!err->code && chosen && opts && opts->note)
		tell_others(&w, opts, chosen);
	if (!err->code && chosen && w.annotate)
		write_annotated(&w, chosen);
	else if (!err->code && chosen)
		write_plain(&w, chosen);
	flush(&w);
	op_buf_free(&w.notes);
	op_buf_free(&w.stack);
	op_buf_free(&w.out);
	op_arena_free(&w.mem);
	return err->code;
}
