// SPDX-License-Identifier: Apache-2.0
/* server/api_select.c: finds what of the profiles a request is about.
 *
 * A type alone needs no scan: every query gets the type and skips profiles of
 * other types. */
#include <stdio.h>

#include "base/time.h"
#include "model/select.h"
#include "query/default_profile.h"
#include "query/totals.h"
#include "server/api_int.h"

/* --- parameters --- */

enum { LONG_LIST = 4096 };

static const char before[] = "before.";

struct reading {
	struct op_request *r;
	const char *prefix;
	char name[40]; /* of the parameter read last */
};

static const char *param(struct reading *x, const char *name)
{
	snprintf(x->name, sizeof(x->name), "%s%s", x->prefix, name);
	return op_param(x->r->params, x->name);
}

/* Patterns and conditions are read again by the scan, which does not know the
 * name of the parameter that is at fault. */
static const char *pattern_param(struct reading *x, const char *name)
{
	const char *text = param(x, name);

	op_regex_free(op_api_pattern(x->r, x->name));
	return text;
}

static const char *where_param(struct reading *x)
{
	const char *text = param(x, "where");
	struct op_where where = { 0 };
	struct op_err why = { 0 };

	if (text && op_where_parse(&where, text, &why))
		op_api_fail(x->r, x->name, &why);
	op_where_free(&where);
	return text;
}

static struct op_time time_param(struct reading *x, const char *name)
{
	const char *text = param(x, name);
	struct op_time t = { 0 };
	struct op_err why = { 0 };

	if (text && op_time_parse(text, &t, &why))
		op_api_fail(x->r, x->name, &why);
	return t;
}

static void range_read(struct reading *x, struct op_range *out)
{
	const struct op_api *api = x->r->api;
	struct op_time from = time_param(x, "from"), to = time_param(x, "to");
	struct op_range span = { 0 };

	if ((!from.kind && !to.kind) || x->r->err->code)
		return;
	(void)op_store_span(api->store, &span);
	out->from = op_time_ns(from, api->origin_ns, span.to);
	out->to = to.kind ? op_time_ns(to, api->origin_ns, span.to) :
			    UINT64_MAX;
	if (out->from >= out->to)
		op_fail(x->r->err, OP_EUSAGE, "%sfrom is not before %sto",
			x->prefix, x->prefix);
}

/* The type is that of both selections unless the second has its own. */
static int selection_read(struct op_selection *s, struct reading *x)
{
	struct op_selector *sel = &s->scan.select;
	struct op_err *err = x->r->err;

	s->types = param(x, "type");
	if (!s->types)
		s->types = op_param(x->r->params, "type");
	sel->where = where_param(x);
	sel->focus = pattern_param(x, "focus");
	sel->ignore = pattern_param(x, "ignore");
	sel->edit.hide = pattern_param(x, "hide");
	sel->edit.show_from = pattern_param(x, "show_from");
	(void)param(x, "collapse");
	sel->edit.collapse = op_api_flag(x->r, x->name);
	(void)param(x, "file");
	sel->source = (uint32_t)op_param_number(
		x->r->params, x->name, OP_ALL_SOURCES, OP_ALL_SOURCES - 1, err);
	range_read(x, &s->range);
	return err->code;
}

/* --- scans --- */

static bool filters(const struct op_selection *s)
{
	const struct op_selector *sel = &s->scan.select;

	return s->scan.range.to || sel->where || sel->focus || sel->ignore ||
	       op_frame_edit_is_set(&sel->edit);
}

/* What is left if nothing is. */
static void use_none(struct op_selection *s, const struct op_profile *like)
{
	struct op_selected_none *n = &s->none;

	n->m = *s->whole.m;
	n->profile = *like;
	n->profile.nr_samples = 0;
	n->scope = (struct op_scope){ .nr_profiles = 1,
				      .profiles = &n->profile };
	n->resource = (struct op_resource){ .nr_scopes = 1,
					    .scopes = &n->scope };
	n->m.resources = &n->resource;
	n->m.nr_resources = 1;
	s->m = &n->m;
	s->like = &n->profile;
}

static int choose(struct op_selection *s, const struct op_model *m,
		  struct op_err *err)
{
	s->m = m;
	s->like = op_choose_profile(m, s->types);
	if (!s->like && s->types)
		return op_type_fail(m, s->types, err);
	if (!s->like)
		return op_fail(err, OP_EFORMAT, "there is no profile yet");
	return OP_OK;
}

/* A profile of what lasts: it has no points. */
static const struct op_profile *lasting(const struct op_model *m)
{
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		if (op_lasting_kind(m, &w).stamp != OP_STAMP_POINT)
			return w.profile;
	return NULL;
}

/* The types that are selected and those of what lasts, as a list: a file may
 * have many more observations of other types. NULL: all types, since no type is
 * selected, or a name has a comma. */
static const char *types_that_last(struct op_selection *s, struct op_err *err)
{
	const struct op_model *m = s->whole.m;
	struct op_buf *out = &s->lasting;
	struct op_walk w = { 0 };
	size_t commas = 0;

	out->err = err;
	op_buf_z(out, s->types ? s->types : "");
	while (s->types && op_walk_next(m, &w)) {
		size_t at = out->n;

		if (op_lasting_kind(m, &w).stamp == OP_STAMP_POINT)
			continue;
		op_buf_byte(out, ',');
		op_buf_view(out, op_string(m, w.profile->sample_type.type));
		for (at++; at < out->n; at++)
			commas += out->p[at] == ',';
		/* Many profiles would make it long. */
		if (out->n > LONG_LIST)
			return NULL;
	}
	op_buf_byte(out, 0);
	return s->types && !commas ? (const char *)out->p : NULL;
}

static int scan(struct op_selection *s, struct op_request *r,
		enum op_select_for use)
{
	bool sums = use == OP_FOR_SUMS || use == OP_FOR_SUMS_COPY;

	s->scan.as = sums ? OP_SCAN_SUMMED : OP_SCAN_RAW;
	s->scan.select.types = use == OP_FOR_ALL_TYPES ?
				       types_that_last(s, r->err) :
				       s->types;
	if (r->err->code ||
	    op_store_scan(r->api->store, &s->scan, &s->found, r->err))
		return r->err->code;
	s->m = s->found.m;
	s->like = op_choose_profile(s->m, s->types);
	if (!s->like && use == OP_FOR_ALL_TYPES)
		s->like = lasting(s->m);
	return OP_OK;
}

int op_selection_open(struct op_selection *s, struct op_request *r,
		      const char *prefix, enum op_select_for use)
{
	struct reading x = { .r = r, .prefix = prefix };
	bool copies = use == OP_FOR_COPY || use == OP_FOR_SUMS_COPY;
	struct op_scan all = { 0 };
	const struct op_profile *like;

	if (selection_read(s, &x))
		return r->err->code;
	if (use != OP_FOR_RANGE)
		s->scan.range = s->range;
	all.select.source = s->scan.select.source;
	if (op_store_scan(r->api->store, &all, &s->whole, r->err) ||
	    choose(s, s->whole.m, r->err))
		return r->err->code;
	like = s->like;
	if (!copies && !filters(s))
		return OP_OK;
	if (!scan(s, r, use) && !s->like)
		use_none(s, like);
	return r->err->code;
}

void op_selection_close(struct op_selection *s)
{
	op_buf_free(&s->lasting);
	op_scanned_free(&s->found);
	op_scanned_free(&s->whole);
}

/* --- differences --- */

bool op_has_before(const struct op_params *p)
{
	for (size_t i = 0; i < p->list.n; i++)
		if (!strncmp(p->list.p[i].name, before, sizeof(before) - 1))
			return true;
	return false;
}

static int difference_open(struct op_subject *s, struct op_request *r)
{
	bool normalize = op_api_flag(r, "normalize");

	if (op_selection_open(&s->side[1], r, "", OP_FOR_SUMS_COPY) ||
	    op_selection_open(&s->side[0], r, before, OP_FOR_SUMS_COPY) ||
	    op_difference_build(&s->d, s->side[0].m, s->side[1].m, normalize,
				r->err))
		return r->err->code;
	s->m = &s->d.m;
	s->like = op_choose_profile(s->m, s->side[1].types);
	op_difference_totals(&s->d, s->like, s->total);
	return OP_OK;
}

int op_subject_open(struct op_subject *s, struct op_request *r)
{
	s->is_diff = op_has_before(r->params);
	if (s->is_diff)
		return difference_open(s, r);
	if (op_selection_open(&s->side[1], r, "", OP_FOR_SUMS))
		return r->err->code;
	s->m = s->side[1].m;
	s->like = s->side[1].like;
	return OP_OK;
}

void op_subject_close(struct op_subject *s)
{
	op_difference_free(&s->d);
	op_selection_close(&s->side[0]);
	op_selection_close(&s->side[1]);
}

/* --- what answers begin with --- */

void op_api_type(struct op_request *r, const struct op_model *m,
		 const struct op_profile *like)
{
	op_api_text(&r->w, "type", op_string(m, like->sample_type.type));
	op_api_text(&r->w, "unit", op_string(m, like->sample_type.unit));
	op_api_text(&r->w, "event", op_profile_event(m, like));
}

int op_api_by(struct op_request *r, const char *name,
	      const struct op_model *const m[2], struct op_group_by *out)
{
	const char *text = op_param(r->params, name);
	struct op_err why = { 0 };

	if (op_group_by_parse(out, text, &why))
		op_fail(r->err, OP_EUSAGE,
			"%s expects at most %d labels with commas, as in "
			"'thread,function'",
			name, OP_MAX_LABELS);
	else if (op_group_by_check(out, m[0], &why) &&
		 (!m[1] || op_group_by_check(out, m[1], OP_IGNORED)))
		op_api_fail(r, name, &why);
	return r->err->code;
}

int op_subject_by(struct op_request *r, const struct op_subject *s,
		  struct op_group_by *out)
{
	const struct op_model *m[] = { s->side[1].whole.m, s->side[0].whole.m };

	return op_api_by(r, "by", m, out);
}
