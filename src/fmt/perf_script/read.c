// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/read.c: the text that perf script prints, into the model.
 *
 * As with other readers of it, a line of no known kind is skipped; how many
 * there were is reported. */
#include <stdio.h>

#include "fmt/name_list.h"
#include "fmt/perf_script/kind.h"
#include "fmt/perf_script/perf_script_int.h"
#include "fmt/perf_script/word.h"

/* The source line of a frame stands on the next line of the text. */
static struct op_view with_source(struct op_view in, size_t *at,
				  struct op_view line, struct op_view *file,
				  int64_t *nr)
{
	struct op_script_frame ignored;
	struct op_script_head head;
	struct op_view next;
	size_t then = *at;

	if (!op_script_next(in, &then, &next) || !next.n ||
	    op_script_frame(next, &ignored) ||
	    !op_script_source(next, file, nr) ||
	    (op_script_head(next, &head) && head.has_time))
		return line;
	*at = then;
	return op_view(line.p, (size_t)(next.p + next.n - line.p));
}

static void frame_read(struct op_script *s, struct op_view in,
		       struct op_script_place *at, struct op_view line)
{
	struct op_view file = { 0 };
	int64_t nr = 0;

	line = with_source(in, &at->next, line, &file, &nr);
	if (!s->in_sample)
		return;
	/* What stood behind the event was an address of data. */
	if (s->has_own_frame)
		s->stack.n = s->lines.n = 0;
	s->has_own_frame = false;
	op_script_frame_add(s, &at->frame, line, file, nr);
}

static bool holds(struct op_view v, const char *part)
{
	size_t n = strlen(part);

	return !n || !v.n || (v.n >= n && memmem(v.p, v.n, part, n));
}

/* "sched:sched_switch", but not "cycles:u". */
static bool is_tracepoint(struct op_view event)
{
	const uint8_t *colon = event.n ? memchr(event.p, ':', event.n) : NULL;

	while (colon && ++colon < event.p + event.n)
		if (!memchr("ukhGHpPSDIWeb", *colon, 13))
			return true;
	return false;
}

/* Without callers the frame stands on the line itself. Arguments of a
 * tracepoint are left out. */
static void own_frame_read(struct op_script *s, struct op_view in,
			   struct op_script_place *at)
{
	bool is_free_text = is_tracepoint(s->head.event);
	struct op_view more = s->head.more, file = { 0 };
	struct op_script_frame f;
	int64_t nr = 0;

	s->has_own_frame = op_script_own_frame(more, &f) &&
			   (!is_free_text || f.file.n);
	if (s->has_own_frame) {
		more = with_source(in, &at->next, more, &file, &nr);
		op_script_frame_add(s, &f, more, file, nr);
	} else {
		s->nr_odd += !is_free_text && !op_script_is_aligned(more);
	}
}

/* Frames of what is not wanted are passed over too. */
static void sample_begin(struct op_script *s, struct op_view in,
			 struct op_script_place *at)
{
	const struct op_script_head *h = &at->head;

	op_script_sample_begin(s, h);
	if (s->err->code)
		return;
	if (s->thread && !holds(h->comm, s->thread))
		s->in_sample = false;
	if (s->in_sample && h->more.n)
		own_frame_read(s, in, at);
}

static void bare_begin(struct op_script *s)
{
	static const struct op_script_head no_head = { .pid = -1,
						       .tid = -1,
						       .cpu = -1 };

	op_script_sample_end(s);
	op_script_sample_begin(s, &no_head);
}

/* Without heads a sample has an empty line before it and one behind, so that
 * those without frames are two empty lines. */
static void bare_skipped(struct op_script *s, uint64_t nr_of_others)
{
	for (uint64_t i = nr_of_others; i + 2 <= s->nr_blank; i += 2)
		bare_begin(s);
	s->nr_blank = 0;
}

static void bare_read(struct op_script *s, struct op_view in,
		      struct op_script_place *at, struct op_view line)
{
	bare_skipped(s, s->nr_samples ? 2 : 1);
	bare_begin(s);
	if (!s->err->code)
		frame_read(s, in, at, line);
}

static void line_read(struct op_script *s, struct op_view in,
		      struct op_script_place *at, struct op_view line,
		      enum op_script_kind kind)
{
	switch (kind) {
	case OP_SCRIPT_FRAME:
		frame_read(s, in, at, line);
		break;
	case OP_SCRIPT_HEAD:
		op_script_sample_end(s);
		sample_begin(s, in, at);
		break;
	case OP_SCRIPT_BARE:
		bare_read(s, in, at, line);
		break;
	case OP_SCRIPT_BLANK:
		s->nr_blank++;
		op_script_sample_end(s);
		break;
	case OP_SCRIPT_RECORD:
		op_script_sample_end(s);
		break;
	case OP_SCRIPT_UNKNOWN:
		s->nr_skipped++;
		break;
	case OP_SCRIPT_COMMENT:
	case OP_SCRIPT_EXTRA:
		break;
	}
}

static void asked_fail(struct op_script *s, struct op_view word)
{
	struct op_name_list l = { 0 };

	for (size_t i = 0; i < s->events.n; i++)
		op_name_list_add(&l, s->events.p[i].name, NULL);
	op_fail(s->err, OP_EUSAGE, "no event '%.*s' in the text; it has %s",
		(int)(word.n < 40 ? word.n : 40), (const char *)word.p,
		op_name_list_text(&l));
}

/* Fails if --event names one that never came. */
static void asked_check(struct op_script *s)
{
	static const char option[] = "event=";
	const char *const *set = s->opts ? s->opts->settings : NULL;

	for (; set && *set; set++) {
		const char *list = *set + sizeof(option) - 1;

		if (strncmp(*set, option, sizeof(option) - 1))
			continue;
		while (*list) {
			size_t n = strcspn(list, ","), i = 0;

			while (i < s->events.n &&
			       !op_view_eq(s->events.p[i].name,
					   op_view(list, n)))
				i++;
			if (n && i == s->events.n)
				asked_fail(s, op_view(list, n));
			list += n + (list[n] == ',');
		}
	}
}

static void text_read(struct op_script *s, struct op_view in)
{
	static const struct op_resource no_resource;
	struct op_scope scope = { .name = op_view_z("perf") };
	struct op_script_place at = { 0 };
	enum op_script_kind kind;
	struct op_view line;

	s->scope = op_build_scope(&s->b,
				  op_build_resource(&s->b, &no_resource, NULL),
				  &scope, NULL);
	while (!s->err->code && op_script_take(in, &at, &line, &kind))
		line_read(s, in, &at, line, kind);
	if (s->nr_samples && !at.has_heads)
		bare_skipped(s, 1);
	op_script_sample_end(s);
	if (!s->nr_samples && !s->err->code)
		op_fail_at(s->err, OP_EFORMAT, 0,
			   "no samples as printed by perf script");
	if (!s->err->code)
		asked_check(s);
	op_script_profiles_end(s);
}

int op_script_read(struct op_view in, const struct op_read_opts *opts,
		   op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };
	struct op_script s = {
		.err = err,
		.mem.err = err,
		.opts = opts,
		.thread = op_setting(opts ? opts->settings : NULL, "thread"),
		.first_ns = UINT64_MAX,
	};

	op_builder_init(&s.b, &m, err);
	text_read(&s, in);
	if (s.nr_skipped)
		op_note_skipped(opts, err, "%llu unknown lines skipped",
				(unsigned long long)s.nr_skipped);
	if (s.nr_odd)
		op_note_skipped(opts, err,
				"unknown fields of %llu samples skipped",
				(unsigned long long)s.nr_odd);
	op_arena_free(&s.mem);
	op_builder_finish(&s.b);
	return op_model_deliver(&m, fn, ctx, err);
}
