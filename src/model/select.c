// SPDX-License-Identifier: Apache-2.0
/* model/select.c: matches types, functions, files and mappings. */
#include "model/select.h"

#include "base/buf.h"
#include "base/vec.h"
#include "model/label.h"

/* --- types --- */

/* Takes a text off the front. */
static bool begins(struct op_view *v, struct op_view text)
{
	if (v->n < text.n || !op_view_eq(op_view(v->p, text.n), text))
		return false;
	*v = op_view(v->p + text.n, v->n - text.n);
	return true;
}

/* Whether the rest of a text is a slash and this. */
static bool ends_in(struct op_view rest, struct op_view text)
{
	return begins(&rest, op_view_z("/")) && op_view_eq(rest, text);
}

/* A type, an event, "type/unit", "type/unit/event", and with what its period is
 * of behind that. */
static bool entry_selects(const struct op_model *m, const struct op_profile *p,
			  struct op_view entry)
{
	struct op_view type = op_string(m, p->sample_type.type);
	struct op_view unit = op_string(m, p->sample_type.unit);
	struct op_view event = op_profile_event(m, p);
	struct op_view slash = op_view_z("/"), rest = entry;

	if (!entry.n)
		return false;
	if (op_view_eq(entry, type) || op_view_eq(entry, event))
		return true;
	if (!begins(&rest, type) || !begins(&rest, slash) ||
	    !begins(&rest, unit))
		return false;
	if (!rest.n || ends_in(rest, event))
		return true;
	return begins(&rest, slash) && begins(&rest, event) &&
	       ends_in(rest, op_string(m, p->period_type.type));
}

bool op_type_selected(const struct op_model *m, const struct op_profile *p,
		      const char *types)
{
	/* An event may have commas in its name, as those of perf do. */
	bool selected = !types || entry_selects(m, p, op_view_z(types));

	while (types && *types && !selected) {
		size_t n = strcspn(types, ",");

		selected = entry_selects(m, p, op_view(types, n));
		types += n + (types[n] == ',');
	}
	return selected;
}

static bool same_type(const struct op_model *m, const struct op_profile *a,
		      const struct op_profile *b)
{
	return op_view_eq(op_string(m, a->sample_type.type),
			  op_string(m, b->sample_type.type)) &&
	       op_view_eq(op_string(m, a->sample_type.unit),
			  op_string(m, b->sample_type.unit));
}

/* Whether an earlier profile has its type. */
static bool is_repeated(const struct op_model *m, const struct op_walk *w)
{
	struct op_walk before = { 0 };

	while (op_walk_next(m, &before) && before.profile != w->profile)
		if (same_type(m, before.profile, w->profile))
			return true;
	return false;
}

int op_type_fail(const struct op_model *m, const char *types,
		 struct op_err *err)
{
	enum { MOST = 8, LOOK_AT = 1000 };
	struct op_err quiet = { 0 };
	struct op_buf list = { .err = &quiet };
	struct op_closest c = { .wanted = op_view_z(types) };
	struct op_walk w = { 0 };
	int seen = 0, n = 0;

	while (op_walk_next(m, &w) && seen++ < LOOK_AT && n < MOST) {
		if (is_repeated(m, &w))
			continue;
		op_buf_z(&list, n++ ? ", " : "");
		op_closest_offer(&c, op_string(m, w.profile->sample_type.type));
		op_closest_offer(&c, op_profile_event(m, w.profile));
		op_buf_view(&list, op_string(m, w.profile->sample_type.type));
		op_buf_byte(&list, '/');
		op_buf_view(&list, op_string(m, w.profile->sample_type.unit));
	}
	if (c.best.n)
		op_fail(err, OP_EUSAGE,
			"no profile of type '%.60s': did you mean '%.*s'?",
			types, (int)c.best.n, (const char *)c.best.p);
	else if (list.n)
		op_fail(err, OP_EUSAGE,
			"no profile of type '%.60s': there is %.*s", types,
			(int)(list.n < 120 ? list.n : 120),
			(const char *)list.p);
	else
		op_fail(err, OP_EUSAGE,
			"no profile of type '%.60s': there are no profiles",
			types);
	op_buf_free(&list);
	return err->code;
}

/* --- frames --- */

enum { UNKNOWN, NO, YES };

int op_frame_match_init(struct op_frame_match *f, const struct op_model *m,
			const char *pattern, struct op_err *err)
{
	*f = (struct op_frame_match){ .m = m, .mem.err = err };
	if (!pattern)
		return OP_OK;
	f->re = op_regex_new(pattern, err);
	if (!f->re)
		return err->code;
	f->strings = op_new(&f->mem, uint8_t, m->dict.nr[OP_STRINGS]);
	f->locations = op_new(&f->mem, uint8_t, m->dict.nr[OP_LOCATIONS]);
	f->stacks = op_new(&f->mem, uint8_t, m->dict.nr[OP_STACKS]);
	if (!f->strings || !f->locations || !f->stacks)
		return err->code;
	return OP_OK;
}

void op_frame_match_fini(struct op_frame_match *f)
{
	op_regex_free(f->re);
	op_arena_free(&f->mem);
	*f = (struct op_frame_match){ 0 };
}

/* String 0 is not a name. */
static bool string_matches(struct op_frame_match *f, uint32_t id,
			   struct op_err *err)
{
	if (f->strings[id] == UNKNOWN)
		f->strings[id] = id && op_regex_matches(f->re,
							op_string(f->m, id),
							err) ?
					 YES :
					 NO;
	return f->strings[id] == YES;
}

bool op_frame_match_line(struct op_frame_match *f, uint32_t location,
			 const struct op_line *line, struct op_err *err)
{
	const struct op_dict *d = &f->m->dict;
	const struct op_location *l = &d->locations[location];
	const struct op_function *fn;

	if (string_matches(f, d->mappings[l->mapping].filename, err))
		return true;
	if (!line)
		return false;
	fn = &d->functions[line->function];
	return string_matches(f, fn->name, err) ||
	       string_matches(f, fn->system_name, err) ||
	       string_matches(f, fn->filename, err);
}

static bool location_matches(struct op_frame_match *f, uint32_t id,
			     struct op_err *err)
{
	const struct op_dict *d = &f->m->dict;
	const struct op_location *l = &d->locations[id];
	bool found = op_frame_match_line(f, id, NULL, err);

	for (uint32_t i = 0; i < l->nr_lines && !found; i++)
		found = op_frame_match_line(f, id, &d->lines[l->first_line + i],
					    err);
	return found;
}

bool op_frame_match(struct op_frame_match *f, uint32_t stack,
		    struct op_err *err)
{
	struct op_ids locs = op_list(&f->m->dict.stacks, stack);
	bool found = false;

	if (f->stacks[stack] != UNKNOWN)
		return f->stacks[stack] == YES;
	for (uint32_t i = 0; i < locs.n && !found && !err->code; i++) {
		uint8_t *known = &f->locations[locs.p[i]];

		if (*known == UNKNOWN)
			*known = location_matches(f, locs.p[i], err) ? YES : NO;
		found = *known == YES;
	}
	f->stacks[stack] = found ? YES : NO;
	return found;
}
