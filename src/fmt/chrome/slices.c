// SPDX-License-Identifier: Apache-2.0
/* fmt/chrome/slices.c: slices of a thread into runs of self time.
 *
 * First each begin gets its end, so that all slices have a length:
 *
 *	an end with a name          ends the begin of that name that came last
 *	an end without a name       ends the begin that came last
 *	an end of no begin          is left out
 *	a begin without an end      ends with the last event of the thread
 *
 * Then slices are gone through in order of time, the longer first where they
 * begin together, with a stack of those that are open. Whatever opens or
 * closes ends a run of the innermost one. Runs cover every moment in which a
 * slice is open exactly once, also where slices overlap without one being in
 * the other:
 *
 *	outer  |---------|            up to 1 us, which is how far two times
 *	inner      |---------|        are off that were rounded down, the outer
 *	                              one is made longer or ends sooner; else
 *	       |---|+++++|===|        the inner one is in it up to its end (+)
 *	                              and on its own behind that (=)
 */
#include "fmt/chrome/chrome_int.h"

/* Hostile files could split each slice at the end of every other, or have all
 * open slices made longer by each. */
enum { MAX_SPLITS = 64, MAX_EXTENDED = 256, SLACK_NS = 1000 };

struct open {
	uint32_t node;
	uint32_t serial; /* no other slice has it */
	int64_t end;	 /* no later than that of the one it is in */
};

/* A slice, or what is left of one behind the end of another. */
struct part {
	int64_t from, to;
	uint32_t frame;
	uint32_t nr_splits;
};

struct sweep {
	struct op_chrome *c;
	OP_VEC(struct open) stack;
	OP_VEC(struct part) rests; /* a heap, the next one first */
	struct op_chrome_run run;  /* not observed yet */
	uint32_t run_node, run_serial, next_serial;
	int64_t now; /* up to which runs have been made */
};

/* Held at the end of int64_t. */
static int64_t gap(int64_t from, int64_t to)
{
	int64_t n;

	return __builtin_sub_overflow(to, from, &n) ? INT64_MAX : n;
}

/* --- begins and ends --- */

/* A begin that has no end yet. */
struct begin {
	uint32_t slice;
	uint32_t same; /* the one before of this name; OP_NO_ID: none */
	bool is_over;
};

struct pairing {
	struct op_chrome *c;
	OP_VEC(struct begin) begins;
	uint32_t *last; /* by name: of the begins that are open; OP_NO_ID */
};

static void begin(struct pairing *p, uint32_t slice, uint32_t name)
{
	struct begin b = { .slice = slice, .same = p->last[name] };

	p->last[name] = (uint32_t)p->begins.n;
	(void)op_vec_push(&p->c->mem, &p->begins, b);
}

/* The begin that an end is of; OP_NO_ID: there is none. */
static uint32_t begin_of(struct pairing *p, uint32_t frame)
{
	if (frame != OP_NO_ID)
		return p->last[p->c->frames.p[frame].name_id];
	while (p->begins.n && p->begins.p[p->begins.n - 1].is_over)
		p->begins.n--;
	return p->begins.n ? (uint32_t)p->begins.n - 1 : OP_NO_ID;
}

static void finish(struct pairing *p, struct op_chrome_slice *slices,
		   uint32_t at, int64_t ts)
{
	struct begin *b = &p->begins.p[at];
	struct op_chrome_slice *s = &slices[b->slice];

	s->dur = gap(s->ts, ts);
	b->is_over = true;
	p->last[p->c->frames.p[s->frame].name_id] = b->same;
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

/* The begins that are still open, and none is open for the next thread. */
static void finish_all(struct pairing *p, struct op_chrome_slice *slices,
		       int64_t last)
{
	for (uint32_t i = (uint32_t)p->begins.n; i--;) {
		if (p->begins.p[i].is_over)
			continue;
		p->c->counts.open_ends++;
		finish(p, slices, i, last);
	}
}

/* Gives all begins of a list in order of time their ends. */
static void pair(struct op_chrome *c, struct op_chrome_thread *t)
{
	struct pairing p = { .c = c, .last = c->open_names };
	struct op_chrome_slice *list = t->slices.p;
	int64_t last = last_time(t);
	size_t kept = 0;

	for (size_t i = 0; i < t->slices.n && !c->err->code; i++) {
		struct op_chrome_slice e = list[i];
		uint32_t at;

		if (e.dur != OP_CHROME_END) {
			if (e.dur == OP_CHROME_BEGIN)
				begin(&p, (uint32_t)kept,
				      c->frames.p[e.frame].name_id);
			list[kept++] = e;
			continue;
		}
		at = begin_of(&p, e.frame);
		if (at == OP_NO_ID)
			c->counts.lone_ends++;
		else
			finish(&p, list, at, e.ts);
	}
	t->slices.n = kept;
	if (!c->err->code)
		finish_all(&p, list, last);
}

/* --- order --- */

typedef bool before_fn(const struct op_chrome_slice *a,
		       const struct op_chrome_slice *b);

static bool by_time(const struct op_chrome_slice *a,
		    const struct op_chrome_slice *b)
{
	return a->ts <= b->ts;
}

/* Longer ones first, since they hold the others. */
static bool by_nesting(const struct op_chrome_slice *a,
		       const struct op_chrome_slice *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->dur >= b->dur;
}

static void merge(const struct op_chrome_slice *a, size_t na,
		  const struct op_chrome_slice *b, size_t nb,
		  struct op_chrome_slice *out, before_fn *before)
{
	while (na && nb) {
		if (before(a, b)) {
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

static bool is_sorted(const struct op_chrome_slice *s, size_t n,
		      before_fn *before)
{
	for (size_t i = 1; i < n; i++)
		if (!before(&s[i - 1], &s[i]))
			return false;
	return true;
}

/* Stable. */
static void sort(struct op_chrome *c, struct op_chrome_thread *t,
		 before_fn *before)
{
	struct op_chrome_slice *from = t->slices.p, *to;
	size_t n = t->slices.n;

	if (c->err->code || is_sorted(from, n, before))
		return;
	to = op_new_raw(&c->mem, struct op_chrome_slice, n);
	if (!to)
		return;
	for (size_t width = 1; width < n; width *= 2) {
		struct op_chrome_slice *swap = from;

		for (size_t i = 0; i < n; i += 2 * width) {
			size_t na = n - i < width ? n - i : width;
			size_t left = n - i - na;

			merge(from + i, na, from + i + na,
			      left < width ? left : width, to + i, before);
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

/* --- what is left of a slice behind the end of another --- */

static bool comes_before(const struct part *a, const struct part *b)
{
	return a->from != b->from ? a->from < b->from : a->to > b->to;
}

static void rest_put(struct sweep *s, struct part rest)
{
	struct part *heap;
	size_t i = s->rests.n;

	if (!op_vec_push(&s->c->mem, &s->rests, rest))
		return;
	heap = s->rests.p;
	for (; i && comes_before(&rest, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = rest;
}

static struct part rest_take(struct sweep *s)
{
	struct part *heap = s->rests.p;
	struct part first = heap[0], last = heap[--s->rests.n];
	size_t n = s->rests.n, i = 0;

	for (;;) {
		size_t k = 2 * i + 1;

		if (k + 1 < n && comes_before(&heap[k + 1], &heap[k]))
			k++;
		if (k >= n || !comes_before(&heap[k], &last))
			break;
		heap[i] = heap[k];
		i = k;
	}
	heap[i] = last;
	return first;
}

/* --- nesting --- */

/* Makes the open slices last until then; false if these are too many. */
static bool extend(struct sweep *s, int64_t end)
{
	size_t first = s->stack.n;

	while (first && s->stack.p[first - 1].end < end)
		first--;
	if (s->stack.n - first > MAX_EXTENDED)
		return false;
	for (size_t i = first; i < s->stack.n; i++)
		s->stack.p[i].end = end;
	return true;
}

/* Puts a slice in the innermost one, which it outlasts. */
static void overlap(struct sweep *s, struct part *p)
{
	int64_t outer = s->stack.p[s->stack.n - 1].end;
	struct part rest = *p;

	if (gap(outer, p->to) <= SLACK_NS && extend(s, p->to))
		return;
	p->to = outer;
	if (p->nr_splits == MAX_SPLITS) {
		s->c->counts.cut++;
		return;
	}
	rest.from = outer;
	rest.nr_splits++;
	rest_put(s, rest);
}

static void open(struct sweep *s, struct part p)
{
	struct open o = { .serial = ++s->next_serial };
	uint32_t parent;

	close_by(s, p.from);
	advance(s, p.from);
	while (s->stack.n && p.to > s->stack.p[s->stack.n - 1].end &&
	       gap(p.from, s->stack.p[s->stack.n - 1].end) <= SLACK_NS)
		s->stack.n--;
	if (s->stack.n && p.to > s->stack.p[s->stack.n - 1].end)
		overlap(s, &p);
	parent = s->stack.n ? s->stack.p[s->stack.n - 1].node : 0;
	o.node = op_tree_child(&s->c->tree, parent, p.frame);
	o.end = p.to;
	(void)op_vec_push(&s->c->mem, &s->stack, o);
}

static struct part part_of(const struct op_chrome_slice *e)
{
	return (struct part){ .from = e->ts,
			      .to = op_add_sat(e->ts, e->dur),
			      .frame = e->frame };
}

/* The next part in order of time; false at the end. */
static bool next(struct sweep *s, const struct op_chrome_slice **e,
		 const struct op_chrome_slice *last, struct part *out)
{
	struct part p;

	while (*e < last && !(*e)->dur)
		(*e)++; /* it has no run */
	if (*e == last && !s->rests.n)
		return false;
	if (*e < last)
		p = part_of(*e);
	if (*e == last || (s->rests.n && comes_before(s->rests.p, &p)))
		p = rest_take(s);
	else
		(*e)++;
	*out = p;
	return true;
}

void op_chrome_slices(struct op_chrome *c, uint32_t thread)
{
	struct op_chrome_thread *t = &c->threads.p[thread];
	struct sweep s = { .c = c, .run.thread = thread, .now = INT64_MIN };
	const struct op_chrome_slice *e, *last;
	struct part p;

	sort(c, t, by_time);
	pair(c, t);
	sort(c, t, by_nesting);
	e = t->slices.p;
	last = e + t->slices.n;
	while (!c->err->code && next(&s, &e, last, &p))
		open(&s, p);
	close_by(&s, INT64_MAX);
	run_end(&s);
}
