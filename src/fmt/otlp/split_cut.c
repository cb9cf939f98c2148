// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/split_cut.c: assigns samples to messages.
 *
 * Each profile is first added to the current message, then tried in a message
 * of its own, and only then cut. A try ends as soon as the message is full, so
 * that all tries together cost no more than a few times what is written. */
#include <stdio.h>

#include "base/varint.h"
#include "fmt/otlp/split_int.h"
#include "fmt/otlp/split_part.h"

struct split {
	struct op_part part;
	struct op_part_mark empty;
	struct op_pbw w;
	const struct op_split_opts *opts;
	op_part_fn *fn;
	void *ctx;
	struct op_err *err;
	/* Rows that are too large by themselves, so that they are not examined
	 * again for each sample that has them. */
	uint8_t *bad_stacks, *bad_sets;
	const struct op_scope *bad_scope;
	struct op_arena mem;
	uint64_t lost_profiles, lost_samples, lost_observations, lost_payloads;
};

static uint32_t nr_observations(const struct op_profile *p, uint32_t sample)
{
	struct op_times times = op_sample_times(p, sample);

	return times.n ? times.n : op_sample_values(p, sample).n;
}

/* The encoded size of an observation, without tags and lengths. */
static uint64_t observation_bytes(const struct op_profile *p, uint32_t sample,
				  uint32_t k)
{
	struct op_values values = op_sample_values(p, sample);
	size_t n = op_sample_times(p, sample).n ? sizeof(uint64_t) : 0;

	return n + (values.n ? op_varint_size((uint64_t)values.p[k]) : 0);
}

/* Delivers the part and empties it. */
static void part_send(struct split *s)
{
	struct op_model m;

	if (!s->part.profiles.n || s->err->code)
		return;
	s->w.p = s->w.end;
	if (!op_part_model(&s->part, &m) && !op_otlp_encode(&m, &s->w))
		s->fn(s->ctx, &m, op_pbw_result(&s->w), s->err);
	op_part_undo(&s->part, &s->empty);
}

static bool profile_begin(struct split *s, const struct op_walk *w,
			  bool is_whole)
{
	struct op_part_mark mark = op_part_mark(&s->part);

	op_part_profile(&s->part, w, is_whole);
	if (!op_part_is_over(&s->part))
		return true;
	op_part_undo(&s->part, &mark);
	return false;
}

static bool slice_put(struct split *s, struct op_slice slice)
{
	struct op_part_mark mark = op_part_mark(&s->part);

	op_part_sample(&s->part, slice);
	if (!op_part_is_over(&s->part))
		return true;
	op_part_undo(&s->part, &mark);
	return false;
}

static bool profile_whole(struct split *s, const struct op_walk *w)
{
	const struct op_profile *p = w->profile;
	struct op_part_mark mark = op_part_mark(&s->part);
	bool fits = profile_begin(s, w, true);

	for (uint32_t i = 0; fits && i < p->nr_samples && !s->err->code; i++)
		fits = slice_put(s, (struct op_slice){ i, 0,
						       nr_observations(p, i) });
	if (!fits)
		op_part_undo(&s->part, &mark);
	return fits;
}

/* --- a profile in slices --- */

/* Whether the rows alone are too many for one message. */
static bool is_bad(struct split *s, uint32_t stack, uint32_t set)
{
	struct op_part_mark mark = op_part_mark(&s->part);
	bool bad;

	op_part_rows(&s->part, stack, set);
	bad = op_part_is_over(&s->part);
	op_part_undo(&s->part, &mark);
	return bad;
}

/* Drops observations that are too large even for a message of their own. */
static void lose(struct split *s, const struct op_profile *p, uint32_t i,
		 uint32_t nr)
{
	s->lost_samples++;
	s->lost_observations += nr;
	if (is_bad(s, p->stack[i], 0))
		s->bad_stacks[p->stack[i]] = 1;
	if (is_bad(s, 0, p->set[i]))
		s->bad_sets[p->set[i]] = 1;
}

/* The observation before which a slice that begins with this one must end. */
static uint32_t slice_end(struct split *s, const struct op_profile *p,
			  struct op_slice slice)
{
	enum { LENGTHS = 3 * 6 }; /* of sample, values, times */
	struct op_part_mark mark = op_part_mark(&s->part);
	uint32_t k = slice.from;
	uint64_t n;

	op_part_sample(&s->part, (struct op_slice){ slice.sample, k, k });
	n = s->part.bytes + LENGTHS;
	op_part_undo(&s->part, &mark);
	for (; k < slice.to; k++) {
		n += observation_bytes(p, slice.sample, k);
		if (n > s->part.max)
			break;
	}
	return k > slice.from ? k : slice.from + 1;
}

/* Sends the part and begins the profile again. It fitted before. */
static void profile_again(struct split *s, const struct op_walk *w)
{
	part_send(s);
	if (!s->err->code)
		profile_begin(s, w, false);
}

/* Splits a sample into as many slices as necessary. */
static void sample_cut(struct split *s, const struct op_walk *w, uint32_t i)
{
	uint32_t nr = nr_observations(w->profile, i);
	struct op_slice slice = { i, 0, nr };

	while (slice.from < nr && !s->err->code) {
		slice.to = nr;
		slice.to = slice_end(s, w->profile, slice);
		if (slice_put(s, slice)) {
			slice.from = slice.to;
		} else if (!s->part.slices.n) {
			lose(s, w->profile, i, nr - slice.from);
			return;
		}
		if (slice.from < nr)
			profile_again(s, w);
	}
}

/* Whether a sample is so large that it is better split than moved to the next
 * message. */
static bool is_large(const struct split *s, const struct op_profile *p,
		     uint32_t i)
{
	uint32_t nr = nr_observations(p, i);
	uint64_t n = 0;

	for (uint32_t k = 0; k < nr && n <= s->part.max / 4; k++)
		n += observation_bytes(p, i, k);
	return n > s->part.max / 4;
}

static void sample_put(struct split *s, const struct op_walk *w, uint32_t i)
{
	const struct op_profile *p = w->profile;
	uint32_t nr = nr_observations(p, i);
	struct op_slice all = { i, 0, nr };

	if (s->bad_stacks[p->stack[i]] || s->bad_sets[p->set[i]]) {
		s->lost_samples++;
		s->lost_observations += nr;
		return;
	}
	if (slice_put(s, all))
		return;
	if (s->part.slices.n && !is_large(s, p, i)) {
		profile_again(s, w);
		if (s->err->code || slice_put(s, all))
			return;
	}
	sample_cut(s, w, i);
}

/* Drops a profile that is too large even without samples. */
static void profile_lose(struct split *s, const struct op_walk *w)
{
	static const struct op_profile none;
	struct op_walk bare = *w;

	s->lost_profiles++;
	bare.profile = &none;
	if (profile_begin(s, &bare, false))
		op_part_undo(&s->part, &s->empty);
	else
		s->bad_scope = w->scope;
}

static void profile_cut(struct split *s, const struct op_walk *w)
{
	const struct op_profile *p = w->profile;

	if (!profile_begin(s, w, false)) {
		profile_lose(s, w);
		return;
	}
	s->lost_payloads += p->payload.n != 0;
	for (uint32_t i = 0; i < p->nr_samples && !s->err->code; i++)
		sample_put(s, w, i);
}

static void profile_put(struct split *s, const struct op_walk *w)
{
	if (w->scope == s->bad_scope) {
		s->lost_profiles++;
		return;
	}
	if (profile_whole(s, w))
		return;
	if (s->part.profiles.n) {
		part_send(s);
		if (s->err->code || profile_whole(s, w))
			return;
	}
	profile_cut(s, w);
}

/* --- all of it --- */

static void note(struct split *s, const char *text)
{
	if (s->opts->note)
		s->opts->note(s->opts->note_ctx, text);
}

static void tell(struct split *s)
{
	char text[200];

	if (s->lost_profiles) {
		snprintf(text, sizeof(text),
			 "%llu profiles were dropped: even without samples "
			 "they are larger than %zu bytes",
			 (unsigned long long)s->lost_profiles, s->opts->max);
		note(s, text);
	}
	if (s->lost_samples) {
		snprintf(text, sizeof(text),
			 "%llu observations of %llu samples were dropped: each "
			 "is larger than %zu bytes",
			 (unsigned long long)s->lost_observations,
			 (unsigned long long)s->lost_samples, s->opts->max);
		note(s, text);
	}
	if (s->lost_payloads) {
		snprintf(text, sizeof(text),
			 "%llu profiles were sent without their original "
			 "payload, to keep within %zu bytes",
			 (unsigned long long)s->lost_payloads, s->opts->max);
		note(s, text);
	}
}

static bool begin(struct split *s, const struct op_model *m)
{
	if (op_part_init(&s->part, m, s->opts->max, s->err))
		return false;
	s->empty = op_part_mark(&s->part);
	s->bad_stacks = op_new(&s->mem, uint8_t, m->dict.nr[OP_STACKS]);
	s->bad_sets = op_new(&s->mem, uint8_t, m->dict.sets.nr);
	return !s->err->code;
}

int op_split_cut(const struct op_model *m, const struct op_split_opts *opts,
		 op_part_fn *fn, void *ctx, struct op_err *err)
{
	struct split s = {
		.w = { .err = err, .limit = opts->max },
		.mem.err = err,
		.opts = opts,
		.fn = fn,
		.ctx = ctx,
		.err = err,
	};
	struct op_walk w = { 0 };

	if (begin(&s, m)) {
		while (!err->code && op_walk_next(m, &w))
			profile_put(&s, &w);
		part_send(&s);
	}
	if (!err->code)
		tell(&s);
	op_pbw_free(&s.w);
	op_part_fini(&s.part);
	op_arena_free(&s.mem);
	return err->code;
}
