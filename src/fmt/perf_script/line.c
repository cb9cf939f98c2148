// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/line.c: parses the lines of perf script. */
#include "fmt/perf_script/line.h"

#include "fmt/perf_script/word.h"

bool op_script_next(struct op_view in, size_t *at, struct op_view *line)
{
	const uint8_t *end;
	size_t n;

	if (*at >= in.n)
		return false;
	end = memchr(in.p + *at, '\n', in.n - *at);
	n = end ? (size_t)(end - in.p) - *at : in.n - *at;
	*line = op_view(in.p + *at, n);
	*at += n + 1;
	if (n && line->p[n - 1] == '\r')
		line->n--;
	return true;
}

/* "pid/tid", "tid"; perf writes -1 for what it does not know. */
static bool ids(struct op_view v, struct op_script_head *out)
{
	const uint8_t *slash = v.n ? memchr(v.p, '/', v.n) : NULL;
	struct op_view first = v, second = v;
	uint64_t pid, tid;

	if (slash) {
		first.n = (size_t)(slash - v.p);
		second = op_view(slash + 1, v.n - first.n - 1);
	}
	if (op_view_is(second, "-1")) {
		out->tid = out->pid = -1;
		return true;
	}
	if (!op_script_number(first, &pid) || !op_script_number(second, &tid) ||
	    pid > INT32_MAX || tid > INT32_MAX)
		return false;
	out->tid = (int64_t)tid;
	out->pid = slash ? (int64_t)pid : -1;
	return true;
}

/* "seconds.fraction:", of six or nine digits; longer or shorter ones too. */
static bool time_of(struct op_view v, uint64_t *ns)
{
	const uint8_t *dot = v.n > 3 ? memchr(v.p, '.', v.n) : NULL;
	uint64_t s, part, scale = 1000000000;
	struct op_view fraction;

	if (!dot || v.p[v.n - 1] != ':')
		return false;
	fraction = op_view(dot + 1, (size_t)(v.p + v.n - 1 - (dot + 1)));
	if (fraction.n > 9 ||
	    !op_script_number(op_view(v.p, (size_t)(dot - v.p)), &s) ||
	    !op_script_number(fraction, &part) || s > UINT64_MAX / scale - 1)
		return false;
	*ns = s * scale;
	for (size_t i = 0; i < fraction.n; i++)
		scale /= 10;
	*ns += part * scale;
	return true;
}

/* "[003]" */
static bool cpu_of(struct op_view v, int64_t *cpu)
{
	uint64_t n;

	if (v.n < 3 || v.p[0] != '[' || v.p[v.n - 1] != ']' ||
	    !op_script_number(op_view(v.p + 1, v.n - 2), &n) || n > INT32_MAX)
		return false;
	*cpu = (int64_t)n;
	return true;
}

/* "2024-02-29 12:30:00.123456", of the field tod. */
static bool is_date(struct op_view v)
{
	return v.n == 10 && v.p[4] == '-' && v.p[7] == '-' &&
	       op_script_is_digit(v.p[0]) && op_script_is_digit(v.p[9]);
}

static bool is_clock_time(struct op_view v)
{
	return v.n >= 8 && v.p[2] == ':' && v.p[5] == ':' &&
	       op_script_is_digit(v.p[0]) && op_script_is_digit(v.p[7]);
}

/* Whose the sample is: K, U, H, G or g, of the field misc. */
static bool is_misc(struct op_view v)
{
	return v.n == 1 && memchr("KUHGg", v.p[0], 5);
}

/* What stands before the time, from its end on. */
static bool who_of(struct op_view v, struct op_script_head *out)
{
	struct op_view rest = v, w = op_script_last_word(&rest);

	out->who = v;
	out->pid = out->tid = out->cpu = -1;
	if (is_clock_time(w)) {
		w = op_script_last_word(&rest);
		if (!is_date(w))
			return false;
		w = op_script_last_word(&rest);
	}
	if (is_misc(w))
		w = op_script_last_word(&rest);
	if (cpu_of(w, &out->cpu))
		w = op_script_last_word(&rest);
	out->has_ids = ids(w, out);
	/* A CPU alone is what other tools print. */
	if (!out->has_ids && out->cpu >= 0)
		return false;
	if (!out->has_ids)
		rest = op_view(v.p, (size_t)(w.p + w.n - v.p));
	out->comm = op_script_trim(rest);
	return true;
}

/* The word that is a time, and what stands before it and behind. */
static bool split_at_time(struct op_view line, struct op_view *before,
			  struct op_view *behind, uint64_t *ns)
{
	struct op_view rest = line;

	while (rest.n) {
		struct op_view w = op_script_word(&rest);

		if (!w.n || !time_of(w, ns))
			continue;
		*before = op_view(line.p, (size_t)(w.p - line.p));
		*behind = rest;
		return true;
	}
	return false;
}

/* Without a time the ids are the first "pid/tid" behind a word, or else the
 * first number. The text behind them begins with the result. */
static struct op_view behind_ids(struct op_view line)
{
	struct op_view rest = line, w = op_script_word(&rest);
	struct op_view found = { 0 };
	struct op_script_head ignored;

	if (!w.n || ids(w, &ignored))
		return found;
	while (rest.n) {
		w = op_script_word(&rest);
		if (!ids(w, &ignored))
			continue;
		if (memchr(w.p, '/', w.n))
			return rest;
		if (!found.p)
			found = rest;
	}
	return found;
}

/* Behind "[003] U", if that is where the text begins. */
static struct op_view behind_cpu(struct op_view v, int64_t *cpu)
{
	struct op_view rest = v;

	if (cpu_of(op_script_word(&rest), cpu))
		v = rest;
	rest = v;
	return is_misc(op_script_word(&rest)) ? rest : v;
}

static bool split_at_ids(struct op_view line, struct op_view *before,
			 struct op_view *behind)
{
	struct op_view rest = behind_ids(line);
	int64_t cpu;

	if (!rest.p)
		return false;
	rest = behind_cpu(rest, &cpu);
	*before = op_view(line.p, (size_t)(rest.p - line.p));
	*behind = rest;
	return true;
}

static bool ends_event(struct op_view w)
{
	return w.n > 1 && w.p[w.n - 1] == ':';
}

static bool period_of(struct op_view w, struct op_script_head *out)
{
	uint64_t period;

	if (!op_script_number(w, &period) || period > INT64_MAX)
		return false;
	out->has_period = true;
	out->period = period;
	return true;
}

/* "period event: more", "event: more", nothing. A number in a column for
 * addresses is one, unless an event follows. */
static void what_of(struct op_view v, struct op_script_head *out)
{
	struct op_view rest = v, w = op_script_word(&rest), after = rest;
	struct op_view second = op_script_word(&after);

	if ((ends_event(second) || !op_script_is_aligned(v)) &&
	    period_of(w, out)) {
		v = rest;
		rest = after;
		w = second;
	}
	if (ends_event(w)) {
		out->event = op_view(w.p, w.n - 1);
		v = rest;
	}
	out->more = op_script_trim_end(v);
}

static bool has_event(struct op_view v)
{
	struct op_view w;

	while ((w = op_script_word(&v)).n)
		if (ends_event(w))
			return true;
	return false;
}

bool op_script_head(struct op_view line, struct op_script_head *out)
{
	struct op_view before, behind;

	*out = (struct op_script_head){ 0 };
	out->has_time = split_at_time(line, &before, &behind, &out->time_ns);
	if (!out->has_time && !split_at_ids(line, &before, &behind))
		return false;
	if (!who_of(before, out))
		return false;
	what_of(behind, out);
	/* Text that only happens to have a number in it. */
	return out->has_time || out->event.n ||
	       (!out->more.n && !has_event(out->comm));
}

/* Ids without a comm: "pid/tid", or a number in fewer columns than a period
 * takes. */
static struct op_view behind_first_ids(struct op_view line,
				       struct op_script_head *out)
{
	enum { PERIOD_COLUMNS = 10 };
	struct op_view rest = line, w = op_script_word(&rest);

	out->has_ids = w.n && ids(w, out) &&
		       (memchr(w.p, '/', w.n) ||
			w.p + w.n - line.p < PERIOD_COLUMNS);
	if (!out->has_ids) {
		out->pid = out->tid = -1;
		return line;
	}
	rest = behind_cpu(rest, &out->cpu);
	out->who = op_view(line.p, (size_t)(rest.p - line.p));
	return rest;
}

/* The comm ends at the event, or else at the address. What stands behind the
 * event, or begins with the address. */
static struct op_view behind_comm(struct op_view v, struct op_script_head *out)
{
	struct op_view rest = v, before = v, w;

	while ((w = op_script_word(&rest)).n && !ends_event(w) &&
	       !((out->has_ids || before.p > v.p) &&
		 op_script_is_aligned(before)))
		before = rest;
	out->comm = op_view(v.p, (size_t)(before.p - v.p));
	if (!ends_event(w))
		return before;
	out->event = op_view(w.p, w.n - 1);
	return rest;
}

bool op_script_short_head(struct op_view line, struct op_script_head *out)
{
	struct op_view rest;

	*out = (struct op_script_head){ .pid = -1, .tid = -1, .cpu = -1 };
	rest = behind_first_ids(line, out);
	out->more = op_script_trim_end(behind_comm(rest, out));
	rest = out->comm;
	if (period_of(op_script_last_word(&rest), out))
		out->comm = rest;
	out->comm = op_script_trim(out->comm);
	if (!out->has_ids)
		out->who = out->comm;
	return out->who.n || out->event.n;
}
