// SPDX-License-Identifier: Apache-2.0
/* fmt/chrome/slices.c: slices of a thread into runs of self time.
 *
 * Slices are gone through in order of time with a stack of those that are
 * open. Whatever opens or closes ends a run of the innermost one. Nesting is
 * what times say; where they contradict each other
 *
 *	an end names another slice       those above it end too
 *	an end without a slice           is left out
 *	a slice that does not end        ends with the last event
 *	a slice that ends after the one  has its end cut, by up to 1 us: two
 *	it begins in                     times rounded down to microseconds
 *	                                 are that much off; by more it is not
 *	                                 in that one, but beside it: in a lane
 *	                                 of its own
 */
#include "fmt/chrome/chrome.h"

/* Hostile files could have as many lanes as slices. In the last one ends are
 * cut. */
enum { LANES = 16, SLACK_NS = 1000 };

struct open {
	uint32_t node, frame;
	uint32_t serial; /* no other slice has it */
	int64_t start;
	int64_t end; /* of it or what it is in, whichever is first */
};

struct sweep {
	struct op_chrome *c;
	uint32_t thread;
	bool is_last; /* of the lanes */
	OP_VEC(struct open) stack;
	OP_VEC(struct op_chrome_slice) rest; /* for the next lane */
	struct op_chrome_run run;	     /* not told yet */
	uint32_t run_node, run_serial, next_serial;
	int64_t now; /* up to which runs have been made */
};

/* --- order --- */

/* Longer ones first, since they hold the others. Begins and ends stay as they
 * are, before those. */
static bool in_order(const struct op_chrome_slice *a,
		     const struct op_chrome_slice *b)
{
	if (a->ts != b->ts)
		return a->ts < b->ts;
	if (a->dur < 0)
		return true;
	return b->dur >= 0 && a->dur >= b->dur;
}

static void merge(const struct op_chrome_slice *a, size_t na,
		  const struct op_chrome_slice *b, size_t nb,
		  struct op_chrome_slice *out)
{
	while (na && nb) {
		if (in_order(a, b)) {
			*out++ = *a++;
			na--;
		} else {
			*out++ = *b++;
			nb--;
		}
	}
	memcpy(out, a, na * sizeof(*a));
	memcpy(out + na, b, nb * sizeof(*b));
}

static bool is_sorted(const struct op_chrome_slice *s, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (!in_order(&s[i - 1], &s[i]))
			return false;
	return true;
}

/* Stable. */
static void sort(struct op_chrome *c, struct op_chrome_thread *t)
{
	struct op_chrome_slice *from = t->slices.p, *to;
	size_t n = t->slices.n;

	if (is_sorted(from, n))
		return;
	to = op_new_raw(&c->mem, struct op_chrome_slice, n);
	if (!to) {
		op_chrome_nomem(c);
		return;
	}
	for (size_t width = 1; width < n; width *= 2) {
		struct op_chrome_slice *swap = from;

		for (size_t i = 0; i < n; i += 2 * width) {
			size_t na = n - i < width ? n - i : width;
			size_t left = n - i - na;

			merge(from + i, na, from + i + na,
			      left < width ? left : width, to + i);
		}
		from = to;
		to = swap;
	}
	if (from != t->slices.p)
		memcpy(t->slices.p, from, n * sizeof(*from));
	op_arena_drop(&c->mem, from == t->slices.p ? to : from,
		      n * sizeof(*from));
}

/* --- runs --- */

static void run_end(struct sweep *s)
{
	if (s->run.to > s->run.from) {
		s->run.stack = op_tree_stack(&s->c->tree, s->run_node);
		op_chrome_observe(s->c, OP_CHROME_SLICES, &s->run);
	}
	s->run.to = s->run.from = 0;
}

/* What is innermost was at work until then. */
static void advance(struct sweep *s, int64_t until)
{
	const struct open *top;

	if (until <= s->now)
		return;
	if (s->stack.n) {
		top = &s->stack.p[s->stack.n - 1];
		if (s->run_serial != top->serial || s->run.to != s->now) {
			run_end(s);
			s->run_node = top->node;
			s->run.from = s->now;
			s->run_serial = top->serial;
		}
		s->run.to = until;
	}
	s->now = until;
}

/* Closes all that end by then. */
static void close_by(struct sweep *s, int64_t ts)
{
	while (s->stack.n && s->stack.p[s->stack.n - 1].end <= ts) {
		advance(s, s->stack.p[s->stack.n - 1].end);
		s->stack.n--;
	}
}

/* --- slices --- */

static void push(struct sweep *s, const struct op_chrome_slice *e, int64_t end)
{
	struct open o = { .frame = e->frame,
			  .serial = ++s->next_serial,
			  .start = e->ts,
			  .end = end };
	uint32_t parent = s->stack.n ? s->stack.p[s->stack.n - 1].node : 0;

	o.node = op_tree_child(&s->c->tree, parent, e->frame);
	if (!op_vec_push(&s->c->mem, &s->stack, o))
		op_chrome_nomem(s->c);
}

static void whole(struct sweep *s, const struct op_chrome_slice *e)
{
	int64_t end = op_add_sat(e->ts, e->dur);
	int64_t outer = s->stack.n ? s->stack.p[s->stack.n - 1].end : INT64_MAX;

	if (end > outer && end - outer > SLACK_NS && !s->is_last) {
		if (!op_vec_push(&s->c->mem, &s->rest, *e))
			op_chrome_nomem(s->c);
		return;
	}
	if (end > outer)
		s->c->counts.cut += end - outer > SLACK_NS;
	push(s, e, end < outer ? end : outer);
}

/* The open slice that an end is of; stack.n if there is none. */
static size_t match(const struct sweep *s, const struct op_chrome_slice *e)
{
	const struct op_chrome_frame *frames = s->c->frames.p;
	uint32_t top = s->stack.n ? (uint32_t)s->stack.n - 1 : 0;

	if (e->frame == OP_NO_ID)
		return top;
	/* No deeper than stacks are, or it could take forever. */
	for (size_t i = s->stack.n; i-- && s->stack.n - i < OP_TREE_DEPTH;) {
		uint32_t frame = s->stack.p[i].frame;

		if (frame == e->frame || op_view_eq(frames[frame].name.raw,
						    frames[e->frame].name.raw))
			return i;
	}
	return top;
}

/* What began at this very time, written before the end, is not in what ends:
 * it moves down by one. */
static bool moves_down(struct sweep *s, size_t at, int64_t ts)
{
	size_t n = s->stack.n;

	if (at + 1 == n)
		return false;
	for (size_t i = at + 1; i < n; i++)
		if (s->stack.p[i].start != ts)
			return false;
	for (size_t i = at + 1; i < n; i++) {
		struct open o = s->stack.p[i];
		uint32_t parent = i > 1 ? s->stack.p[i - 2].node : 0;

		o.node = op_tree_child(&s->c->tree, parent, o.frame);
		s->stack.p[i - 1] = o;
	}
	s->stack.n--;
	return true;
}

static void end(struct sweep *s, const struct op_chrome_slice *e)
{
	size_t at = match(s, e);

	advance(s, e->ts);
	if (at >= s->stack.n)
		s->c->counts.lone_ends++;
	else if (!moves_down(s, at, e->ts))
		s->stack.n = at;
}

static void lane(struct sweep *s, const struct op_chrome_slice *e, size_t n)
{
	int64_t outer;

	s->now = n ? e->ts : 0;
	for (; n && !s->c->err->code; n--, e++) {
		close_by(s, e->ts);
		advance(s, e->ts);
		outer = s->stack.n ? s->stack.p[s->stack.n - 1].end : INT64_MAX;
		if (e->dur == OP_CHROME_END)
			end(s, e);
		else if (e->dur == OP_CHROME_BEGIN)
			push(s, e, outer);
		else
			whole(s, e);
	}
}

/* Those that have no end end where the last event does. */
static int64_t last_time(const struct op_chrome_thread *t)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < t->slices.n; i++) {
		const struct op_chrome_slice *e = &t->slices.p[i];
		int64_t to = op_add_sat(e->ts, e->dur > 0 ? e->dur : 0);

		if (to > last)
			last = to;
	}
	return last;
}

static void close_all(struct sweep *s, int64_t last)
{
	close_by(s, last);
	s->c->counts.open_ends += s->stack.n;
	advance(s, last);
	s->stack.n = 0;
	run_end(s);
}

void op_chrome_slices(struct op_chrome *c, uint32_t thread)
{
	struct op_chrome_thread *t = &c->threads.p[thread];
	struct sweep s = { .c = c, .run.thread = thread };
	struct op_chrome_slice *list = t->slices.p;
	size_t n = t->slices.n;
	int64_t last = last_time(t);

	sort(c, t);
	for (int i = 1; n && !c->err->code; i++) {
		s.is_last = i == LANES;
		lane(&s, list, n);
		close_all(&s, last);
		/* What did not fit takes the place of what did. */
		n = s.rest.n;
		if (n)
			memcpy(list, s.rest.p, n * sizeof(*list));
		s.rest.n = 0;
	}
}
