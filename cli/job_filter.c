// SPDX-License-Identifier: Apache-2.0
/* cli/job_filter.c: the options that select a part of the profiles. */
#include <inttypes.h>
#include <stdio.h>

#include "job.h"
#include "show.h"

/* Format options that commands support for every format. */
static const char *const shorthands[] = { "thread", "state", "event" };

void job_filter_options(struct job *j, struct op_err *err)
{
	const struct op_opt rows[] = {
		{ OP_OPT_STRING, 0, "type", "TYPE,...",
		  "keep profiles of these types, or type/unit",
		  &j->filter.types },
		{ OP_OPT_SETTING, 0, "where", "CONDITION,...",
		  "keep samples with these labels, as 'thread=~\"http.*\"'",
		  &j->where_texts },
		{ OP_OPT_SETTING, 0, "event", "NAME,...",
		  "keep profiles of these events", &j->settings },
		{ OP_OPT_SETTING, 0, "thread", "TEXT",
		  "keep threads whose name contains TEXT", &j->settings },
		{ OP_OPT_SETTING, 0, "state", "STATE,...",
		  "keep threads in these states", &j->settings },
		{ OP_OPT_STRING, 0, "focus", "REGEX",
		  "keep samples with a matching frame", &j->filter.focus },
		{ OP_OPT_STRING, 0, "ignore", "REGEX",
		  "drop samples with a matching frame", &j->filter.ignore },
		{ OP_OPT_STRING, 0, "hide", "REGEX",
		  "remove matching frames from stacks", &j->filter.edit.hide },
		{ OP_OPT_STRING, 0, "show-from", "REGEX",
		  "keep samples with a matching frame, without its callers",
		  &j->filter.edit.show_from },
		{ OP_OPT_FLAG, 0, "collapse-recursion", NULL,
		  "show a function that calls itself once",
		  &j->filter.edit.collapse },
		{ OP_OPT_STRING, 0, "from", "TIME",
		  "start of the range: RFC 3339, seconds, +5s or -1m",
		  &j->from_text },
		{ OP_OPT_STRING, 0, "to", "TIME", "end of the range, exclusive",
		  &j->to_text },
		{ 0 },
	};

	job_options_add(j, rows, err);
}

/* --- values --- */

static int times_parse(struct job *j, struct op_err *err)
{
	if (j->from_text)
		op_time_parse(j->from_text, &j->from, err);
	if (j->to_text && !err->code)
		op_time_parse(j->to_text, &j->to, err);
	return err->code;
}

/* The error shows the position. */
static int where_parse(struct job *j, const char *text, struct op_err *err)
{
	struct op_err why = { 0 };
	size_t at;

	if (!op_where_parse(&j->where, text, &why))
		return OP_OK;
	if (why.code != OP_EUSAGE || !why.has_at)
		return op_fail(err, why.code, "--where: %s", why.text);
	at = why.at < strlen(text) ? (size_t)why.at : strlen(text);
	return op_fail(err, OP_EUSAGE,
		       "--where: %s, at character %zu: '%.*s' >>> '%.40s'",
		       why.text, at + 1, (int)(at < 40 ? at : 40),
		       text + (at < 40 ? 0 : at - 40), text + at);
}

int job_filter_begin(struct job *j, struct op_err *err)
{
	for (size_t i = 0; i < j->where_texts.list.n && !err->code; i++)
		where_parse(j, strchr(j->where_texts.list.p[i], '=') + 1, err);
	if (j->where.list.n)
		j->filter.where = &j->where;
	return err->code ? err->code : times_parse(j, err);
}

void job_filter_end(struct job *j)
{
	op_where_free(&j->where);
	op_arena_free(&j->where_texts.mem);
}

/* --- which there are --- */

bool job_cuts(const struct job *j)
{
	return j->from.kind || j->to.kind;
}

static bool selects(const struct job *j)
{
	const struct op_filter_opts *f = &j->filter;

	return f->types || f->where || f->focus || f->ignore ||
	       op_frame_edit_is_set(&f->edit) || job_cuts(j);
}

bool job_filters(const struct job *j)
{
	return selects(j) || j->filter.aggregate;
}

bool job_changes(const struct job *j)
{
	return job_filters(j) || j->symbolize || j->settings.list.n;
}

bool job_is_shorthand(const char *setting)
{
	size_t n = strcspn(setting, "=");

	for (size_t i = 0; i < op_countof(shorthands); i++)
		if (strlen(shorthands[i]) == n &&
		    !memcmp(shorthands[i], setting, n))
			return true;
	return false;
}

/* --- nothing found --- */

static void option_text(struct op_buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	op_buf_printf(out, "%s--%s '%.60s'", out->n ? " " : "", name, value);
}

/* The options that selected the samples. */
static void options_text(const struct job *j, struct op_buf *out)
{
	option_text(out, "type", j->filter.types);
	for (size_t i = 0; i < j->where_texts.list.n; i++)
		option_text(out, "where",
			    strchr(j->where_texts.list.p[i], '=') + 1);
	option_text(out, "focus", j->filter.focus);
	option_text(out, "ignore", j->filter.ignore);
	option_text(out, "show-from", j->filter.edit.show_from);
	option_text(out, "from", j->from_text);
	option_text(out, "to", j->to_text);
	for (size_t i = 0; i < j->settings.list.n; i++) {
		const char *s = j->settings.list.p[i];

		if (job_is_shorthand(s))
			op_buf_printf(out, "%s--%.*s '%.60s'",
				      out->n ? " " : "", (int)strcspn(s, "="),
				      s, strchr(s, '=') + 1);
	}
}

int job_found(const struct job *j, const struct op_model *m, struct op_err *err)
{
	struct op_buf list = { .err = err }, count = { .err = err };

	if (err->code || op_model_has_samples(m))
		return err->code;
	options_text(j, &list);
	op_buf_byte(&list, 0);
	text_number(&count, (int64_t)j->nr_looked_at);
	op_buf_byte(&count, 0);
	if (!err->code && op_setting(j->input.settings, "recover"))
		op_fail(err, OP_EFORMAT, "no sample could be recovered");
	else if (!err->code && list.n > 1)
		op_fail(err, OP_EFORMAT, "no sample matches %s%s%s%s",
			(const char *)list.p, j->nr_looked_at ? " (" : "",
			j->nr_looked_at ? (const char *)count.p : "",
			j->nr_looked_at ? " looked at)" : "");
	op_buf_free(&list);
	op_buf_free(&count);
	return err->code;
}

static uint64_t observations(const struct op_model *m)
{
	struct op_walk w = { 0 };
	uint64_t n = 0;

	while (op_walk_next(m, &w))
		n += op_profile_observations(w.profile);
	return n;
}

/* --- filtering --- */

static void filter_note(void *ctx, const char *text)
{
	const struct job *j = ctx;

	cli_warn(j->input.cmd, NULL, text);
}

static int range_of(const struct job *j, const struct op_model *m,
		    struct op_range *out, struct op_err *err)
{
	struct op_range span = { 0 };
	bool relative = j->from.kind > OP_TIME_AT || j->to.kind > OP_TIME_AT;

	if (!job_cuts(j))
		return OP_OK;
	if (!op_model_span(m, &span) && relative)
		return op_fail(err, OP_EUSAGE,
			       "the profiles have no time that --from and --to "
			       "could be relative to");
	out->from = op_time_ns(j->from, span.from, span.to);
	out->to = UINT64_MAX;
	if (j->to.kind)
		out->to = op_time_ns(j->to, span.from, span.to);
	if (out->from >= out->to)
		return op_fail(err, OP_EUSAGE, "--from is not before --to");
	return OP_OK;
}

/* A label that no sample has is allowed, but may be misspelled. */
static void labels_check(const struct job *j, const struct op_model *m)
{
	for (size_t i = 0; i < j->where.list.n; i++) {
		struct op_label l = j->where.list.p[i].label;
		struct op_closest c;
		char text[200];

		if (op_label_exists(m, l, &c))
			continue;
		snprintf(text, sizeof(text),
			 c.best.n ? "no sample has the label '%.*s'; did you "
				    "mean '%.*s'?" :
				    "no sample has the label '%.*s'%.*s",
			 (int)(l.name.n < 80 ? l.name.n : 80), l.name.p,
			 (int)c.best.n, c.best.p);
		cli_warn(j->input.cmd, NULL, text);
	}
}

/* Replaces a model by the result of a filter. */
static int apply(struct job *j, struct op_filter_opts o, struct op_model *m,
		 struct op_err *err)
{
	struct op_model out = { 0 };

	o.note = filter_note;
	o.ctx = j;
	if (op_filter(m, &o, &out, err)) {
		op_model_free(&out);
		return err->code;
	}
	op_model_free(m);
	*m = out;
	return OP_OK;
}

int job_filter(struct job *j, struct op_model *m, struct op_err *err)
{
	struct op_filter_opts o = j->filter;

	if (!job_filters(j))
		return job_found(j, m, err);
	j->nr_looked_at = observations(m);
	labels_check(j, m);
	if (range_of(j, m, &o.range, err) || apply(j, o, m, err))
		return err->code;
	return job_found(j, m, err);
}

static const char *shorthand(const struct job *j, const struct op_format *f,
			     const char *name)
{
	const char *value = op_setting(j->input.settings, name);

	return value && !job_format_knows(f, name, false) ? value : NULL;
}

int job_filter_shorthands(struct job *j, const struct op_format *f,
			  struct op_model *m, struct op_err *err)
{
	const char *thread = shorthand(j, f, "thread");
	const char *state = shorthand(j, f, "state");
	struct op_where w = { 0 };
	struct op_filter_opts o = { .types = shorthand(j, f, "event"),
				    .where = &w };

	if (!o.types && !thread && !state)
		return OP_OK;
	j->nr_looked_at += observations(m);
	if (thread)
		op_where_add(&w, "thread", OP_WHERE_HOLDS, thread, err);
	if (state && !err->code)
		op_where_add(&w, "state", OP_WHERE_IN, state, err);
	if (!err->code)
		apply(j, o, m, err);
	op_where_free(&w);
	return err->code;
}
