// SPDX-License-Identifier: Apache-2.0
/* model/where_match.c: evaluates conditions on samples.
 *
 * A condition is evaluated in its positive form: != as =, !~ as =~. The result
 * for a set, a link, a location or a stack is cached; "absent" leads to the
 * next place where the label may be. Negative conditions are inverted at the
 * end. */
#include "model/where.h"

#include "base/budget.h"
#include "base/number.h"

typedef uint8_t answer;
enum { UNKNOWN, ABSENT, NO, YES };

/* Per condition; arrays that its label does not need are NULL. */
struct op_where_memo {
	uint8_t *sets, *links, *locations, *stacks;
	uint8_t outer; /* of the profile, scope and resource */
};

struct ask {
	struct op_where_match *x;
	const struct op_condition *c;
	struct op_where_memo *memo;
	struct op_err *err;
};

static answer yes_if(bool b)
{
	return b ? YES : NO;
}

/* --- one text or number --- */

static bool is_in(struct op_view list, struct op_view text)
{
	const char *s = (const char *)list.p;

	for (;;) {
		size_t n = strcspn(s, ",");

		if (op_view_eq(op_view(s, n), text))
			return true;
		if (!s[n])
			return false;
		s += n + 1;
	}
}

static bool compare(const struct op_condition *c, double v)
{
	switch (c->op) {
	case OP_WHERE_LT:
		return v < c->number;
	case OP_WHERE_LE:
		return v <= c->number;
	case OP_WHERE_GT:
		return v > c->number;
	default:
		return v >= c->number;
	}
}

static bool text_is(const struct ask *a, struct op_view text)
{
	struct op_decimal d;
	double v;

	switch (a->c->op) {
	case OP_WHERE_EQ:
	case OP_WHERE_NE:
		return op_view_eq(text, a->c->value);
	case OP_WHERE_MATCH:
	case OP_WHERE_NO_MATCH:
		return op_regex_matches(a->c->re, text, a->err);
	case OP_WHERE_HOLDS:
		return op_view_holds(text, (const char *)a->c->value.p);
	case OP_WHERE_IN:
		return is_in(a->c->value, text);
	default:
		return op_decimal_read(text, &d) && op_decimal_real(&d, &v) &&
		       compare(a->c, v);
	}
}

/* A path, which also matches by its last part. */
static bool path_is(const struct ask *a, struct op_view path)
{
	size_t i = path.n;

	while (i && path.p[i - 1] != '/')
		i--;
	return text_is(a, path) ||
	       ((a->c->op == OP_WHERE_EQ || a->c->op == OP_WHERE_NE) &&
		text_is(a, op_view(path.p + i, path.n - i)));
}

static bool value_is(const struct ask *a, const struct op_any *v)
{
	struct op_buf text = { .err = a->err };
	bool found;

	op_label_value_text(&text, a->x->m, a->c->label, v);
	found = !a->err->code && text_is(a, op_view(text.p, text.n));
	op_buf_free(&text);
	return found;
}

/* --- attributes --- */

/* Whether the label as a whole is it, as views show it: "main (12)". */
static bool shown_is(const struct ask *a, struct op_attr_source s)
{
	enum op_label_kind kind = a->c->label.kind;
	struct op_buf text = { .err = a->err };
	bool found;

	if ((kind != OP_LABEL_THREAD && kind != OP_LABEL_PROCESS) ||
	    a->c->op > OP_WHERE_NO_MATCH)
		return false;
	found = op_label_text(&text, a->x->m, a->c->label, s) &&
		!a->err->code && text_is(a, op_view(text.p, text.n));
	op_buf_free(&text);
	return found;
}

static answer ask_attrs(const struct ask *a, struct op_attr_source s)
{
	answer result = ABSENT;
	const struct op_any *v;

	for (size_t k = 0; (v = op_label_value(a->x->m, a->c->label, s, &k));) {
		if (value_is(a, v))
			return YES;
		result = NO;
	}
	return result == NO && shown_is(a, s) ? YES : result;
}

static answer ask_set(const struct ask *a, uint32_t set)
{
	uint8_t *known = &a->memo->sets[set];

	if (*known == UNKNOWN)
		*known = ask_attrs(a, (struct op_attr_source){ .set = set });
	return *known;
}

static answer ask_link(const struct ask *a, uint32_t link)
{
	uint8_t *known = &a->memo->links[link];
	struct op_buf text = { .err = a->err };

	if (*known != UNKNOWN)
		return *known;
	*known = ABSENT;
	if (op_label_link_text(&text, a->x->m, a->c->label, link))
		*known = yes_if(text_is(a, op_view(text.p, text.n)));
	op_buf_free(&text);
	return *known;
}

static answer ask_type(const struct ask *a, const struct op_profile *p)
{
	const struct op_model *m = a->x->m;
	struct op_view type = op_string(m, p->sample_type.type);
	struct op_buf both = { .err = a->err };
	bool found = text_is(a, type);

	op_buf_view(&both, type);
	op_buf_byte(&both, '/');
	op_buf_view(&both, op_string(m, p->sample_type.unit));
	found = found || text_is(a, op_view(both.p, both.n));
	op_buf_free(&both);
	return yes_if(found);
}

/* The result for what all samples of a profile have in common. */
static answer ask_outer(const struct ask *a, const struct op_walk *w)
{
	struct op_attr_source s = { .set = w->profile->attrs };
	struct op_view event;
	answer found;

	if (a->c->label.kind == OP_LABEL_TYPE)
		return ask_type(a, w->profile);
	if (a->c->label.kind == OP_LABEL_EVENT) {
		event = op_profile_event(a->x->m, w->profile);
		return event.n ? yes_if(text_is(a, event)) : ABSENT;
	}
	found = ask_attrs(a, s);
	s.kvs = &w->scope->attrs;
	if (found == ABSENT)
		found = ask_attrs(a, s);
	s.kvs = &w->resource->attrs;
	return found == ABSENT ? ask_attrs(a, s) : found;
}

/* --- frames --- */

static answer ask_line(const struct ask *a, const struct op_line *line)
{
	const struct op_model *m = a->x->m;
	const struct op_function *f = &m->dict.functions[line->function];
	struct op_any number = { .kind = OP_ANY_INT, .num = line->line };

	switch (a->c->label.kind) {
	case OP_LABEL_FUNCTION:
		return yes_if(text_is(a, op_string(m, f->name)) ||
			      (f->system_name &&
			       text_is(a, op_string(m, f->system_name))));
	case OP_LABEL_FILE:
		return yes_if(path_is(a, op_string(m, f->filename)));
	default:
		return yes_if(value_is(a, &number));
	}
}

static answer ask_frame(const struct ask *a, const struct op_location *l)
{
	const struct op_dict *d = &a->x->m->dict;
	answer found = ABSENT;
	const struct op_mapping *map = &d->mappings[l->mapping];

	if (a->c->label.kind == OP_LABEL_MODULE)
		return l->mapping ?
			       yes_if(path_is(a, op_string(a->x->m,
							   map->filename))) :
			       ABSENT;
	if (a->c->label.kind == OP_LABEL_ATTRIBUTE) {
		struct op_attr_source s = { .set = l->attrs };

		found = ask_attrs(a, s);
		s.set = map->attrs;
		return found == ABSENT ? ask_attrs(a, s) : found;
	}
	for (uint32_t i = 0; i < l->nr_lines && found != YES; i++)
		found = ask_line(a, &d->lines[l->first_line + i]);
	return found;
}

/* Whether it is true for any frame. */
static answer ask_stack(const struct ask *a, uint32_t stack)
{
	struct op_ids locs = op_list(&a->x->m->dict.stacks, stack);
	uint8_t *known = &a->memo->stacks[stack];
	answer found = ABSENT;

	if (*known != UNKNOWN)
		return *known;
	for (uint32_t i = 0; i < locs.n && found != YES; i++) {
		uint8_t *frame = &a->memo->locations[locs.p[i]];

		if (*frame == UNKNOWN)
			*frame = ask_frame(a,
					   &a->x->m->dict.locations[locs.p[i]]);
		if (*frame > found)
			found = *frame;
	}
	*known = found;
	return found;
}

/* --- samples --- */

static bool is_link(struct op_label l)
{
	return l.kind == OP_LABEL_TRACE || l.kind == OP_LABEL_SPAN;
}

static bool is_of_profile(struct op_label l)
{
	return l.kind == OP_LABEL_TYPE || l.kind == OP_LABEL_EVENT;
}

static bool is_of_stack(struct op_label l)
{
	return op_label_is_frame(l) || l.kind == OP_LABEL_ATTRIBUTE;
}

static answer ask_sample(const struct ask *a, const struct op_profile *p,
			 uint32_t i)
{
	answer found = ABSENT;

	if (a->memo->links)
		found = ask_link(a, p->link[i]);
	if (found == ABSENT && a->memo->sets)
		found = ask_set(a, p->set[i]);
	if (found == ABSENT)
		found = a->memo->outer;
	if (found == ABSENT && a->memo->stacks)
		found = ask_stack(a, p->stack[i]);
	if (found == ABSENT)
		found = yes_if(text_is(a, op_view("", 0)));
	return found;
}

bool op_where_sample(struct op_where_match *x, const struct op_profile *p,
		     uint32_t i, struct op_err *err)
{
	for (size_t k = 0; k < x->w->list.n && !err->code; k++) {
		struct ask a = { x, &x->w->list.p[k], &x->memo[k], err };
		bool negative = a.c->op == OP_WHERE_NE ||
				a.c->op == OP_WHERE_NO_MATCH;

		if ((ask_sample(&a, p, i) == YES) == negative)
			return false;
	}
	return !err->code;
}

void op_where_profile(struct op_where_match *x, const struct op_walk *at,
		      struct op_err *err)
{
	for (size_t k = 0; k < x->w->list.n && !err->code; k++) {
		struct ask a = { x, &x->w->list.p[k], &x->memo[k], err };

		if (!op_label_is_frame(a.c->label))
			a.memo->outer = ask_outer(&a, at);
	}
}

static bool memo_init(struct op_where_match *x, struct op_where_memo *memo,
		      struct op_label l)
{
	const struct op_dict *d = &x->m->dict;

	memo->outer = ABSENT;
	if (is_link(l))
		memo->links = op_new(&x->mem, uint8_t, d->nr[OP_LINKS]);
	if (is_of_stack(l)) {
		memo->locations = op_new(&x->mem, uint8_t, d->nr[OP_LOCATIONS]);
		memo->stacks = op_new(&x->mem, uint8_t, d->nr[OP_STACKS]);
	}
	if (!op_label_is_frame(l) && !is_of_profile(l))
		memo->sets = op_new(&x->mem, uint8_t, d->sets.nr);
	return (!is_link(l) || memo->links) &&
	       (!is_of_stack(l) || (memo->locations && memo->stacks)) &&
	       (op_label_is_frame(l) || is_of_profile(l) || memo->sets);
}

int op_where_match_init(struct op_where_match *x, const struct op_where *w,
			const struct op_model *m, struct op_err *err)
{
	*x = (struct op_where_match){ .w = w, .m = m };
	op_arena_tells(&x->mem, err);
	x->memo = op_new(&x->mem, struct op_where_memo, w->list.n);
	for (size_t k = 0; k < w->list.n; k++)
		if (!x->memo || !memo_init(x, &x->memo[k], w->list.p[k].label))
			return err->code;
	return OP_OK;
}

void op_where_match_fini(struct op_where_match *x)
{
	op_arena_free(&x->mem);
	*x = (struct op_where_match){ 0 };
}
