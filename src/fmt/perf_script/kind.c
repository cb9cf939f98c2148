// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/kind.c: tells heads, frames and the rest apart.
 *
 * A time, or ids before an event, make a head of any line. What has neither is
 * one only if a frame follows. Where no field but those of frames is printed
 * (-F ip,sym) there are no heads: then every sample begins with an empty line,
 * or, if it has no callers, every line is one. */
#include "fmt/perf_script/kind.h"

#include "fmt/format.h"
#include "pb/json_extract.h"
#include "fmt/perf_script/word.h"

enum { COMM_BYTES = 15 }; /* the kernel's limit */

static bool begins_blank(struct op_view line)
{
	return line.n && op_script_is_blank(line.p[0]);
}

static bool ends_blank(struct op_view line)
{
	return line.n && op_script_is_blank(line.p[line.n - 1]);
}

/* Whether the next line is a frame for sure: "12 things" is not. */
static bool frame_follows(struct op_view in, size_t next)
{
	struct op_script_frame f;
	struct op_view line;

	return op_script_next(in, &next, &line) && begins_blank(line) &&
	       op_script_frame(line, &f) &&
	       (f.file.n || op_script_is_aligned(line) || line.p[0] == '\t');
}

static bool begins_record(struct op_view v)
{
	return op_script_begins(op_script_trim(v), "PERF_RECORD_");
}

static bool is_record(const struct op_script_head *h)
{
	return begins_record(h->event) || begins_record(h->more);
}

/* Ids alone may be any text that ends in a number: then a frame follows, or
 * the line has a comm of 16 columns and ends as perf ends it. */
static bool is_head(struct op_view in, struct op_script_place *at,
		    struct op_view line)
{
	const struct op_script_head *h = &at->head;

	if (!op_script_head(line, &at->head))
		return false;
	return h->has_time || h->event.n || frame_follows(in, at->next) ||
	       (ends_blank(line) &&
		(begins_blank(line) || h->comm.n >= COMM_BYTES) &&
		!memchr(h->who.p, ';', h->who.n));
}

/* A number, then an event, perhaps with its period, or an address: a short
 * head. */
static bool has_more_behind(struct op_view line)
{
	struct op_view w;
	uint64_t period;

	op_script_word(&line);
	if (op_script_is_aligned(line))
		return true;
	w = op_script_word(&line);
	if (op_script_number(w, &period))
		w = op_script_word(&line);
	return w.n && w.p[w.n - 1] == ':';
}

/* A comm of hex digits makes a head look like a frame, and so does a number
 * that is a period or an id. */
static bool is_frame(struct op_script_place *at, struct op_view line)
{
	const struct op_script_frame *f = &at->frame;

	if (!op_script_frame(line, &at->frame) ||
	    (at->has_short && has_more_behind(line)))
		return false;
	if (!f->symbol.n || (f->symbol.p[f->symbol.n - 1] != ':' &&
			     !memmem(f->symbol.p, f->symbol.n, ": ", 2)))
		return true;
	return !op_script_head(line, &at->head) ||
	       (!at->head.has_time && !at->head.event.n);
}

/* The first is one if it has a frame or one follows; then all end alike. */
static bool is_short_head(struct op_view in, struct op_script_place *at,
			  struct op_view line)
{
	const struct op_script_head *h = &at->head;
	struct op_script_frame f;

	if (at->has_frames || (at->has_heads && !at->has_short) ||
	    !op_script_short_head(line, &at->head) || h->comm.n > COMM_BYTES)
		return false;
	if (h->more.n && op_script_own_frame(h->more, &f) &&
	    (f.file.n || op_script_is_aligned(h->more)))
		return true;
	if (h->more.n)
		return h->event.n && frame_follows(in, at->next);
	if (h->has_period && h->event.n)
		return true;
	if (!h->event.n &&
	    (at->in_sample || (!h->has_ids && op_script_frame(line, &f))))
		return false;
	return frame_follows(in, at->next) ||
	       (at->has_short && ends_blank(line));
}

/* Lines that each are a sample: all that follow are such. */
static bool are_bare_lines(struct op_view in, size_t next)
{
	enum { ENOUGH = 30 };
	struct op_view line;

	for (int i = 0; i < ENOUGH && op_script_next(in, &next, &line); i++)
		if (!line.n || line.p[0] != ' ' || !op_script_is_aligned(line))
			return false;
	return true;
}

static bool is_bare(struct op_view in, struct op_script_place *at,
		    struct op_view line)
{
	if (at->has_heads || !begins_blank(line) || !op_script_is_aligned(line))
		return false;
	if (at->after_blank)
		return op_script_frame(line, &at->frame);
	if (!at->bare_lines)
		at->bare_lines = line.p[0] == ' ' &&
				 are_bare_lines(in, at->next);
	return at->bare_lines && op_script_own_frame(line, &at->frame);
}

static enum op_script_kind
kind_of(struct op_view in, struct op_script_place *at, struct op_view line)
{
	if (!op_script_trim(line).n)
		return OP_SCRIPT_BLANK;
	if (at->in_sample && begins_blank(line) && is_frame(at, line))
		return OP_SCRIPT_FRAME;
	if (line.p[0] == '#')
		return OP_SCRIPT_COMMENT;
	if (is_head(in, at, line))
		return is_record(&at->head) ? OP_SCRIPT_RECORD : OP_SCRIPT_HEAD;
	/* Text that lost its indentation. */
	if (at->in_sample && is_frame(at, line) &&
	    (at->frame.symbol.n || at->frame.file.n))
		return OP_SCRIPT_FRAME;
	if (at->in_sample && op_script_is_extra(line))
		return OP_SCRIPT_EXTRA;
	if (is_short_head(in, at, line))
		return OP_SCRIPT_HEAD;
	return is_bare(in, at, line) ? OP_SCRIPT_BARE : OP_SCRIPT_UNKNOWN;
}

bool op_script_take(struct op_view in, struct op_script_place *at,
		    struct op_view *line, enum op_script_kind *kind)
{
	if (!op_script_next(in, &at->next, line))
		return false;
	*kind = kind_of(in, at, *line);
	switch (*kind) {
	case OP_SCRIPT_HEAD:
		at->has_short = !at->head.has_time &&
				!(at->head.has_ids && at->head.comm.n);
		at->has_heads = at->in_sample = true;
		at->has_frames = false;
		break;
	case OP_SCRIPT_BARE:
		at->in_sample = at->has_frames = at->after_blank;
		break;
	case OP_SCRIPT_FRAME:
		at->has_frames = true;
		break;
	case OP_SCRIPT_BLANK:
	case OP_SCRIPT_RECORD:
		at->in_sample = at->has_frames = false;
		break;
	default:
		break;
	}
	at->after_blank = *kind == OP_SCRIPT_BLANK;
	return true;
}

static int head_score(const struct op_script_place *at, struct op_view in,
		      bool is_first)
{
	const struct op_script_head *h = &at->head;

	if (h->has_time && h->event.n)
		return is_first ? 80 : 70;
	/* "Changes in version 1.20:" has a time too. */
	if (!is_first || (h->has_time && !h->has_ids && h->cpu < 0 &&
			  !h->more.n && !frame_follows(in, at->next)))
		return 0;
	return frame_follows(in, at->next) && h->has_ids ? 70 : 65;
}

/* Whether the first line is JSON without an end, every word of which would be
 * taken for one of a head. perf's own "[ perf record: ... ]" is short. */
static bool is_long_json(struct op_view in)
{
	enum { SHORT = 4096 };
	struct op_view line;
	size_t next = 0;

	return op_script_next(in, &next, &line) && line.n > SHORT &&
	       op_json_begins(line);
}

/* Only comments, of which there may be many, or only branches are known but
 * have no samples. */
int op_script_sniff(struct op_view in)
{
	enum { ENOUGH = 60, FEW = 10, WITHOUT_SAMPLES = 50 };
	struct op_script_place at = { 0 };
	enum op_script_kind kind;
	struct op_view line;
	int nr = 0, unknown = 0, score = 0;

	in = op_view_first(in, OP_SNIFF_TEXT);
	if (is_long_json(in))
		return 0;
	while (nr < ENOUGH && op_script_take(in, &at, &line, &kind)) {
		nr += kind != OP_SCRIPT_COMMENT;
		if (kind == OP_SCRIPT_HEAD)
			return head_score(&at, in, !unknown);
		if (kind == OP_SCRIPT_BARE)
			return unknown ? 0 : 60;
		if (kind == OP_SCRIPT_COMMENT && !unknown &&
		    (op_view_is(line, "# ========") ||
		     op_script_begins(line, "# captured on")))
			score = WITHOUT_SAMPLES;
		if (kind != OP_SCRIPT_UNKNOWN)
			continue;
		if (!unknown && op_script_is_extra(line))
			score = WITHOUT_SAMPLES;
		if (++unknown > FEW)
			break;
	}
	return score;
}
