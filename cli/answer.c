// SPDX-License-Identifier: Apache-2.0
/* cli/answer.c: reads profiles, selects a type and prints a heading about it.
 */
#include "answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "model/merge.h"
#include "model/select.h"
#include "model/semconv.h"
#include "query/default_profile.h"
#include "query/groups.h"
#include "pager.h"
#include "show.h"

/* --- options --- */

static void opts_add(struct answer *a, const struct op_opt *rows)
{
	for (; rows && rows->type; rows++)
		(void)op_vec_push(&a->mem, &a->opts, *rows);
}

static void opts_add_own(struct answer *a)
{
	const struct op_opt by[] = {
		{ OP_OPT_STRING, 0, "by", "LABEL,...",
		  "by function (default), line, file, module, thread, ...",
		  &a->by_text },
		{ 0 },
	};
	const struct op_opt rows[] = {
		{ OP_OPT_U64, 'n', "rows", "N",
		  "show at most N rows; 0: all; default: 20", &a->nr_rows },
		{ 0 },
	};
	const struct op_opt csv[] = {
		{ OP_OPT_FLAG, 0, "csv", NULL, "print CSV with exact numbers",
		  &a->csv },
		{ 0 },
	};
	const struct op_opt paged[] = {
		{ OP_OPT_FLAG, 0, "pager", NULL,
		  "show the output in OTPROF_PAGER, PAGER or less", &a->pager },
		{ 0 },
	};
	const struct op_opt all[] = {
		{ OP_OPT_STRING, 0, "unit", "UNIT",
		  "show values in ns, us, ms, s, B, KiB, ..., count",
		  &a->unit_text },
		{ OP_OPT_FLAG, 0, "json", NULL, "print JSON with exact numbers",
		  &a->json },
		{ 0 },
	};

	opts_add(a, a->has & ANSWER_BY ? by : NULL);
	opts_add(a, a->has & ANSWER_ROWS ? rows : NULL);
	opts_add(a, all);
	opts_add(a, a->has & ANSWER_CSV ? csv : NULL);
	opts_add(a, a->has & ANSWER_PAGER ? paged : NULL);
}

int answer_begin(struct answer *a, const struct op_cmd *cmd,
		 const struct op_opt *own, int argc, char **argv,
		 struct op_err *err)
{
	static const struct op_opt end = { 0 };
	int first;

	a->err = a->out.err = a->mem.err = err;
	opts_add(a, own);
	opts_add_own(a);
	(void)op_vec_push(&a->mem, &a->opts, end);
	if (err->code)
		return err->code;
	first = job_begin(&a->job, cmd, a->opts.p, argc, argv, err);
	if (first < 0)
		return first;
	if (a->json && a->csv)
		return op_fail(err, OP_EUSAGE,
			       "--json and --csv are mutually exclusive");
	if (op_group_by_parse(&a->by, a->by_text, err))
		return err->code;
	if (!a->nr_rows)
		a->nr_rows = UINT64_MAX;
	if (a->has & ANSWER_PAGER)
		pager_want(a->pager);
	a->w = (struct op_json){ .out = &a->out, .pretty = true };
	/* Views compare texts, not rows. */
	a->job.any_rows = true;
	/* Profiles of other types are listed at the end. */
	a->types_text = a->job.filter.types;
	a->job.filter.types = NULL;
	/* A filter may look at each observation. */
	if (a->has & ANSWER_SUMS && !job_filters(&a->job))
		a->job.input.timed = OP_TIMED_COUNTED;
	return first;
}

/* --- what the profiles are about --- */

/* The number of values that a label has in the samples of the type, and the
 * first. */
static uint32_t count_label(struct answer *a, const char *label,
			    struct op_view *first)
{
	struct op_group_by by = { .nr_labels = 1 };
	struct op_groups g = { 0 };
	struct op_walk w = { 0 };
	struct op_view text;
	uint32_t nr = 0;
	char absent[40];

	by.labels[0] = op_label_named(op_view_z(label));
	snprintf(absent, sizeof(absent), "(no %s)", label);
	op_groups_init(&g, &a->m, &by, a->err);
	while (!a->err->code && op_walk_next(&a->m, &w)) {
		const struct op_profile *p = w.profile;

		if (!op_same_type(&a->m, p, a->like))
			continue;
		op_groups_profile(&g, &w, a->err);
		for (uint32_t i = 0; i < p->nr_samples && !a->err->code; i++)
			op_groups_sample(&g, p, i, a->err);
	}
	for (uint32_t i = 0; i < g.nr && !a->err->code; i++) {
		text = op_group_text(&g, i, 0);
		if (op_view_is(text, absent))
			continue;
		if (!nr++ && first) {
			uint8_t *copy = op_arena_alloc(&a->mem, text.n);

			if (copy && text.n)
				memcpy(copy, text.p, text.n);
			*first = op_view(copy, copy ? text.n : 0);
		}
	}
	op_groups_free(&g);
	return nr;
}

static void facts_times(struct answer *a)
{
	struct op_profile span = { 0 };
	struct op_walk w = { 0 };
	bool has_date = true;

	while (op_walk_next(&a->m, &w)) {
		if (!op_same_type(&a->m, w.profile, a->like))
			continue;
		op_profile_widen(&span, w.profile);
		has_date &= op_profile_has_date(&a->m, w.profile);
	}
	a->facts.time_ns = span.time_ns;
	a->facts.duration_ns = span.duration_ns;
	a->facts.has_date = has_date;
}

static void facts_collect(struct answer *a)
{
	a->facts = (struct answer_facts){ 0 };
	a->facts.nr_services = count_label(a, "service", &a->facts.service);
	a->facts.nr_threads = count_label(a, "thread", NULL);
	a->facts.nr_samples = op_type_samples(&a->types, &a->m, a->type);
	facts_times(a);
}

/* --- reading --- */

int answer_choose(struct answer *a)
{
	const struct op_profile *like = op_choose_profile(&a->m, a->types_text);

	if (!like && a->types_text)
		return op_type_fail(&a->m, a->types_text, a->err);
	if (!like)
		return op_fail(a->err, OP_EFORMAT,
			       "there is no profile in the input");
	return answer_use(a, like);
}

int answer_use(struct answer *a, const struct op_profile *like)
{
	const struct op_model *m = &a->m;

	a->like = like;
	op_type_list(&a->types, m);
	a->type = op_type_row(&a->types, m, a->like);
	if (!a->type)
		return op_fail(a->err, OP_ELIMIT,
			       "more than %d types of profiles: select some "
			       "with 'otprof filter --type'",
			       OP_MAX_TYPES);
	if (op_group_by_check(&a->by, m, a->err) ||
	    units_init(&a->units, m, a->like, a->unit_text, a->err))
		return a->err->code;
	facts_collect(a);
	return a->err->code;
}

/* Or there are many, and counting them would take long. */
static bool types_repeat(const struct op_model *m)
{
	struct op_walk one = { 0 }, other;
	uint32_t nr = 0;

	while (op_walk_next(m, &one)) {
		if (++nr > OP_MAX_TYPES)
			return true;
		other = one;
		while (op_walk_next(m, &other))
			if (op_same_type(m, one.profile, other.profile))
				return true;
	}
	return false;
}

/* Equal samples, of one profile or of several, are merged first, because only
 * the last value of a series may count, as with --aggregate. A file whose
 * profiles all have different types, and are sums, needs no merge: that saves
 * half of the time. */
static int read_joined(struct answer *a, char **files, int n)
{
	struct op_model m = { 0 };
	struct op_model *one[] = { &m };

	if (n > 1)
		return job_read_all(&a->job, files, n, true, &a->m, a->err);
	if (job_read_all(&a->job, files, n, false, &m, a->err))
		return a->err->code;
	if (types_repeat(&m) || op_states_repeat(&m)) {
		op_merge(one, 1, &a->m, a->err);
		op_model_free(&m);
	} else {
		a->m = m;
	}
	return a->err->code;
}

int answer_read(struct answer *a, char **files, int n)
{
	static char stdin_name[] = "-";
	char *only_stdin[] = { stdin_name };

	if (!n && isatty(STDIN_FILENO))
		return op_fail(a->err, OP_EUSAGE, "expected a FILE");
	if (!n) {
		files = only_stdin;
		n = 1;
	}
	if (read_joined(a, files, n) ||
	    job_settings_check(&a->job, NULL, a->err))
		return a->err->code;
	return answer_choose(a);
}

/* --- text --- */

/* The type, with the event that distinguishes it from others. */
static void type_text(struct answer *a, const struct op_profile *p)
{
	struct op_view type = op_string(&a->m, p->sample_type.type);
	struct op_view event = op_profile_event(&a->m, p);

	text_word(&a->out, type);
	if (event.n && !op_view_eq(event, type)) {
		op_buf_z(&a->out, " (");
		text_word(&a->out, event);
		op_buf_byte(&a->out, ')');
	}
	op_buf_byte(&a->out, ' ');
}

static void count_text(struct answer *a, uint64_t n, const char *noun)
{
	text_number(&a->out, (int64_t)n);
	op_buf_printf(&a->out, " %s%s", noun, n == 1 ? "" : "s");
}

/* "every 5 ms", "every 512 KiB", "every 1,000 cycles". */
static void period_text(struct answer *a)
{
	struct op_profile as = { .sample_type = a->like->period_type };
	struct op_err quiet = { 0 };
	struct units u;

	op_buf_z(&a->out, "every ");
	units_init(&u, &a->m, &as, NULL, &quiet);
	if (u.kind == UNITS_COUNT) {
		text_number(&a->out, a->like->period);
		op_buf_byte(&a->out, ' ');
		text_word(&a->out, op_string(&a->m, a->like->period_type.type));
	} else {
		units_text(&a->out, &u, a->like->period, " ");
	}
}

/* "(1,961 samples every 5 ms)"; if the value is the number of samples, it is
 * not repeated. */
static void samples_text(struct answer *a)
{
	bool has_count = a->facts.nr_samples &&
			 !(a->units.kind == UNITS_COUNT &&
			   a->type->total >= 0 &&
			   (uint64_t)a->type->total == a->facts.nr_samples);
	/* A period of 1 is often from a source that does not sample. */
	bool has_period = a->type->is_one_period && a->like->period > 1 &&
			  a->like->period_type.unit;

	if (!has_count && !has_period)
		return;
	op_buf_z(&a->out, " (");
	if (has_count)
		count_text(a, a->facts.nr_samples, "sample");
	if (has_count && has_period)
		op_buf_byte(&a->out, ' ');
	if (has_period)
		period_text(a);
	op_buf_byte(&a->out, ')');
}

/* In the form that --from and --to take. */
static void date_text(struct answer *a)
{
	time_t s = (time_t)(a->facts.time_ns / 1000000000);
	char text[40];
	struct tm tm;

	if (gmtime_r(&s, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		op_buf_printf(&a->out, "from %s", text);
}

static void head_text(struct answer *a)
{
	const struct answer_facts *f = &a->facts;

	size_t at = a->out.n;

	type_text(a, a->like);
	units_text(&a->out, &a->units, a->type->total, " ");
	samples_text(a);
	if (f->nr_services == 1) {
		op_buf_z(&a->out, ", service ");
		text_name(&a->out, f->service);
	} else if (f->nr_services) {
		op_buf_z(&a->out, ", ");
		count_text(a, f->nr_services, "service");
	}
	if (f->nr_threads) {
		op_buf_z(&a->out, ", ");
		count_text(a, f->nr_threads, "thread");
	}
	if (f->duration_ns || f->has_date)
		op_buf_z(&a->out, ", ");
	if (f->duration_ns)
		units_duration(&a->out, f->duration_ns, " ");
	if (f->duration_ns && f->has_date)
		op_buf_byte(&a->out, ' ');
	if (f->has_date)
		date_text(a);
	op_buf_byte(&a->out, '\n');
	text_wrap(&a->out, at);
}

static void other_text(struct answer *a, const struct op_type_row *row,
		       struct op_buf *name)
{
	struct op_err quiet = { 0 };
	struct units u;

	units_init(&u, &a->m, row->like, NULL, &quiet);
	type_text(a, row->like);
	units_text(&a->out, &u, row->total, " ");
	op_buf_z(&a->out, ": --type ");
	op_type_selector(&a->types, &a->m, row, name);
	text_word(&a->out, op_view(name->p, name->n));
	op_buf_byte(&a->out, '\n');
}

static void others_text(struct answer *a)
{
	struct op_buf name = { .err = a->err };

	op_buf_z(&a->out, a->types.nr > 1 ? "\n" : "");
	for (uint32_t i = 0; i < a->types.nr; i++)
		if (&a->types.rows[i] != a->type)
			other_text(a, &a->types.rows[i], &name);
	if (a->types.more)
		op_buf_z(&a->out, "and more types: see 'otprof show'\n");
	op_buf_free(&name);
}

/* --- JSON --- */

static void key_view(struct op_json *w, const char *key, struct op_view v)
{
	op_json_key(w, key);
	op_json_string(w, v);
}

static void key_uint(struct op_json *w, const char *key, uint64_t v)
{
	op_json_key(w, key);
	op_json_uint(w, v);
}

static void type_json(struct answer *a, const struct op_type_row *row)
{
	const struct op_profile *p = row->like;
	struct op_view event = op_profile_event(&a->m, p);

	key_view(&a->w, "type", op_string(&a->m, p->sample_type.type));
	key_view(&a->w, "unit", op_string(&a->m, p->sample_type.unit));
	if (event.n)
		key_view(&a->w, "event", event);
	op_json_key(&a->w, "total");
	op_json_int(&a->w, row->total);
}

static void head_json(struct answer *a)
{
	const struct answer_facts *f = &a->facts;

	op_json_open(&a->w, '{');
	type_json(a, a->type);
	if (f->nr_samples)
		key_uint(&a->w, "samples", f->nr_samples);
	if (a->type->is_one_period && a->like->period > 0) {
		key_uint(&a->w, "period", (uint64_t)a->like->period);
		key_view(&a->w, "period_type",
			 op_string(&a->m, a->like->period_type.type));
		key_view(&a->w, "period_unit",
			 op_string(&a->m, a->like->period_type.unit));
	}
	if (f->nr_services == 1)
		key_view(&a->w, "service", f->service);
	else if (f->nr_services)
		key_uint(&a->w, "services", f->nr_services);
	if (f->nr_threads)
		key_uint(&a->w, "threads", f->nr_threads);
	if (f->has_date)
		key_uint(&a->w, "time_unix_nano", f->time_ns);
	if (f->duration_ns)
		key_uint(&a->w, "duration_nano", f->duration_ns);
}

static void others_json(struct answer *a)
{
	struct op_buf name = { .err = a->err };

	op_json_key(&a->w, "other_types");
	op_json_open(&a->w, '[');
	for (uint32_t i = 0; i < a->types.nr; i++) {
		if (&a->types.rows[i] == a->type)
			continue;
		op_json_open(&a->w, '{');
		type_json(a, &a->types.rows[i]);
		op_type_selector(&a->types, &a->m, &a->types.rows[i], &name);
		key_view(&a->w, "select", op_view(name.p, name.n));
		op_json_close(&a->w, '}');
	}
	op_json_close(&a->w, ']');
	op_buf_free(&name);
}

/* --- all forms --- */

struct table answer_table(struct answer *a, const struct table_column *columns,
			  uint32_t nr_columns)
{
	return (struct table){ .columns = columns,
			       .nr_columns = nr_columns,
			       .units = &a->units,
			       .json = a->json ? &a->w : NULL,
			       .csv = a->csv,
			       .out = &a->out,
			       .keeps = a->keeps,
			       .err = a->err };
}

void answer_head(struct answer *a)
{
	if (a->json)
		head_json(a);
	else if (!a->csv)
		head_text(a);
}

void answer_tail(struct answer *a)
{
	if (a->json) {
		others_json(a);
		op_json_close(&a->w, '}');
		op_buf_byte(&a->out, '\n');
	} else if (!a->csv) {
		others_text(a);
	}
	if (!a->err->code)
		cli_flush(&a->out);
}

int answer_end(struct answer *a, int first)
{
	pager_end(a->err);
	if (first >= 0 && !a->err->code)
		job_names_report(&a->job);
	op_buf_free(&a->out);
	op_model_free(&a->m);
	job_end(&a->job);
	op_arena_free(&a->mem);
	return first < 0 ? first : a->err->code;
}
