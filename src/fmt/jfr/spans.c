// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/spans.c: what threads were doing when their samples were taken.
 *
 * Intervals and endpoints are often written behind the events that they tell
 * of, so these wait until all chunks are read. Then each observation of a
 * thread gets the tag and the link of the interval that it lies in, of several
 * the one that began last; and a sample whose link has a root span with an
 * endpoint gets the endpoint. */
#include "fmt/jfr/spans.h"

#include <stdlib.h>

#include "base/hash.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/options.h"
#include "fmt/jfr/rows.h"
#include "model/semconv.h"

#define TAG "jfr.tag"
#define ENDPOINT "jfr.endpoint"
#define OPERATION "jfr.operation"

/* --- what is noted --- */

static bool activity_eq(const void *table, uint32_t i, const void *key)
{
	const struct op_jfr_activity *a =
		(const struct op_jfr_activity *)table + i;
	const struct op_jfr_activity *b = key;

	return op_view_eq(a->tag, b->tag) &&
	       !memcmp(&a->link, &b->link, sizeof(a->link));
}

static uint32_t doing_put(struct op_jfr *j, const struct op_jfr_activity *d)
{
	struct op_jfr_spans *s = &j->spans;
	uint32_t hash = op_hash32(&d->link, sizeof(d->link)) ^
			op_hash32(d->tag.p, d->tag.n);
	uint32_t i = op_intern_find(&s->activity_index, hash, activity_eq,
				    s->activity.p, d);
	struct op_jfr_activity row = *d;

	if (i != OP_NO_ID)
		return i;
	i = (uint32_t)s->activity.n;
	row.tag = op_jfr_kept(j, d->tag);
	if (op_vec_push(&j->mem, &s->activity, row))
		op_intern_add(&s->activity_index, &j->mem, hash, i);
	return i;
}

static void interval_put(struct op_jfr *j, struct op_jfr_interval row,
			 enum op_jfr_interval_kind kind)
{
	row.kind = kind;
	(void)op_vec_push(&j->mem, &j->spans.intervals, row);
}

static bool asks(const struct op_jfr_opts *o)
{
	return o->tag || o->has_latency;
}

static bool is_asked(const struct op_jfr_opts *o,
		     const struct op_jfr_interval *row, struct op_view tag)
{
	return asks(o) && (!o->tag || op_view_is(tag, o->tag)) &&
	       row->to_ns - row->from_ns >= (uint64_t)o->latency_ns;
}

void op_jfr_interval_add(struct op_jfr *j, struct op_jfr_interval *row,
			 const struct op_jfr_activity *activity)
{
	static const uint8_t no_span[sizeof(activity->link.span_id)];
	bool has_link = memcmp(activity->link.span_id, no_span,
			       sizeof(no_span));
	bool is_one = is_asked(&j->opts, row, activity->tag);

	if (!activity->tag.n && !has_link && !is_one)
		return;
	row->activity = doing_put(j, activity);
	if (is_one)
		interval_put(j, *row, OP_JFR_SELECTED);
	if (activity->tag.n)
		interval_put(j, *row, OP_JFR_TAGGED);
	if (has_link)
		interval_put(j, *row, OP_JFR_LINKED);
}

static bool root_eq(const void *table, uint32_t i, const void *key)
{
	const struct op_jfr_endpoint *rows = table;

	return rows[i].root == *(const uint64_t *)key;
}

static const struct op_jfr_endpoint *endpoint_of(const struct op_jfr_spans *s,
						 uint64_t root)
{
	uint32_t i = op_intern_find(&s->endpoint_index, op_hash_words(&root, 1),
				    root_eq, s->endpoints.p, &root);

	return i == OP_NO_ID ? NULL : &s->endpoints.p[i];
}

void op_jfr_endpoint_add(struct op_jfr *j, const struct op_jfr_endpoint *row)
{
	struct op_jfr_spans *s = &j->spans;
	struct op_jfr_endpoint copy = *row;
	uint32_t i = (uint32_t)s->endpoints.n;

	if (!row->root || endpoint_of(s, row->root))
		return;
	copy.endpoint = op_jfr_kept(j, row->endpoint);
	copy.operation = op_jfr_kept(j, row->operation);
	if (op_vec_push(&j->mem, &s->endpoints, copy))
		op_intern_add(&s->endpoint_index, &j->mem,
			      op_hash_words(&row->root, 1), i);
}

void op_jfr_spans_join(struct op_jfr *to, const struct op_jfr *from)
{
	const struct op_jfr_spans *s = &from->spans;

	for (size_t i = 0; i < s->intervals.n && !to->err->code; i++) {
		struct op_jfr_interval row = s->intervals.p[i];

		row.activity = doing_put(to, &s->activity.p[row.activity]);
		interval_put(to, row, row.kind);
	}
	for (size_t i = 0; i < s->endpoints.n && !to->err->code; i++)
		op_jfr_endpoint_add(to, &s->endpoints.p[i]);
}

/* --- intervals without overlap --- */

/* From here to the next one of the same thread. */
struct piece {
	uint64_t from_ns;
	uint32_t activity; /* OP_NO_ID: nothing */
};

struct lane {
	int64_t thread[2];
	uint32_t first, n; /* pieces */
};

struct lanes {
	struct op_jfr *j;
	struct op_arena mem;
	OP_VEC(struct lane) lanes;
	OP_VEC(struct piece) pieces;
	struct op_id_vec open; /* intervals, the last to begin on top */
};

static int thread_cmp(const int64_t *a, const int64_t *b)
{
	if (a[0] != b[0])
		return a[0] < b[0] ? -1 : 1;
	return (a[1] > b[1]) - (a[1] < b[1]);
}

/* Of those that begin together the longest is the outer one. */
static int interval_cmp(const void *p, const void *q)
{
	const struct op_jfr_interval *a = p, *b = q;
	int c = thread_cmp(a->thread, b->thread);

	if (!c)
		c = (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
	if (!c)
		c = (a->to_ns < b->to_ns) - (a->to_ns > b->to_ns);
	return c ? c :
		   (a->activity > b->activity) - (a->activity < b->activity);
}

static void piece_put(struct lanes *l, uint64_t from_ns, uint32_t activity)
{
	struct piece row = { from_ns, activity };

	if (!l->j->err->code && op_vec_push(&l->mem, &l->pieces, row))
		l->lanes.p[l->lanes.n - 1].n++;
}

/* Closes what ends before a time: what was open around it goes on. */
static void close_until(struct lanes *l, const struct op_jfr_interval *rows,
			uint64_t time_ns)
{
	while (l->open.n && rows[l->open.p[l->open.n - 1]].to_ns <= time_ns) {
		uint64_t end = rows[l->open.p[--l->open.n]].to_ns;

		while (l->open.n && rows[l->open.p[l->open.n - 1]].to_ns <= end)
			l->open.n--;
		piece_put(l, end,
			  l->open.n ? rows[l->open.p[l->open.n - 1]].activity :
				      OP_NO_ID);
	}
}

static void lane_begin(struct lanes *l, const struct op_jfr_interval *row)
{
	struct lane lane = { .first = (uint32_t)l->pieces.n };

	memcpy(lane.thread, row->thread, sizeof(lane.thread));
	(void)op_vec_push(&l->mem, &l->lanes, lane);
}

/* The intervals of a kind, in order, as pieces. */
static void lanes_make(struct lanes *l, enum op_jfr_interval_kind kind)
{
	const struct op_jfr_interval *rows = l->j->spans.intervals.p;
	size_t nr = l->j->spans.intervals.n;
	const struct op_jfr_interval *last = NULL;

	for (uint32_t i = 0; i < nr && !l->j->err->code; i++) {
		if (rows[i].kind != kind)
			continue;
		if (!last || thread_cmp(last->thread, rows[i].thread)) {
			close_until(l, rows, UINT64_MAX);
			lane_begin(l, &rows[i]);
		}
		last = &rows[i];
		close_until(l, rows, rows[i].from_ns);
		(void)op_vec_push(&l->mem, &l->open, i);
		piece_put(l, rows[i].from_ns, rows[i].activity);
	}
	close_until(l, rows, UINT64_MAX);
}

static const struct lane *lane_of(const struct lanes *l,
				  const int64_t thread[2])
{
	size_t from = 0, to = l->lanes.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int c = thread_cmp(l->lanes.p[mid].thread, thread);

		if (!c)
			return &l->lanes.p[mid];
		if (c < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return NULL;
}

/* What a thread was doing at a time; OP_NO_ID: nothing. */
static uint32_t doing_at(const struct lanes *l, const struct lane *lane,
			 uint64_t time_ns)
{
	const struct piece *p = l->pieces.p + lane->first;
	size_t from = 0, to = lane->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (p[mid].from_ns <= time_ns)
			from = mid + 1;
		else
			to = mid;
	}
	return from ? p[from - 1].activity : OP_NO_ID;
}

/* --- samples --- */

struct moving {
	struct lanes l;
	enum op_jfr_interval_kind kind;
	uint32_t profile;
	uint32_t k_thread, k_os, k_tag, k_endpoint; /* keys as strings */
	/* Of the sample asked for last. */
	uint32_t sample;
	const struct lane *lane;
	uint32_t activity, to;
};

static bool has_key(const struct op_builder *b, uint32_t set, uint32_t key,
		    int64_t *num)
{
	for (uint32_t i = b->set_at.p[set]; i < b->set_at.p[set + 1]; i++) {
		const struct op_attr *a = &b->attrs.p[b->members.p[i]];

		if (a->key != key)
			continue;
		if (num)
			*num = a->value.num;
		return true;
	}
	return false;
}

static uint32_t set_with_text(struct op_builder *b, uint32_t set,
			      const char *key, struct op_view text)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = text };

	if (!text.n)
		return set;
	return op_build_set_with(b, set,
				 op_build_attr(b, op_view_z(key), &v,
					       (struct op_view){ 0 }, NULL));
}

/* The sample asked for is another than before. */
static void sample_take(struct moving *m, uint32_t sample)
{
	struct op_builder *b = &m->l.j->b;
	uint32_t set = op_build_identity(b, m->profile, sample).set;
	int64_t thread[2] = { 0 };

	m->sample = sample;
	m->activity = OP_NO_ID;
	m->lane = NULL;
	if (has_key(b, set, m->k_thread, &thread[0])) {
		has_key(b, set, m->k_os, &thread[1]);
		m->lane = lane_of(&m->l, thread);
	}
}

static uint32_t sample_doing(struct moving *m, uint32_t sample,
			     uint32_t activity)
{
	struct op_builder *b = &m->l.j->b;
	struct op_identity id = op_build_identity(b, m->profile, sample);
	const struct op_jfr_activity *d = &m->l.j->spans.activity.p[activity];

	if (m->kind == OP_JFR_TAGGED && !has_key(b, id.set, m->k_tag, NULL))
		id.set = set_with_text(b, id.set, TAG, d->tag);
	else if (m->kind == OP_JFR_LINKED && !id.link)
		id.link = op_build_link(b, &d->link);
	else
		return sample;
	return op_build_sample(b, m->profile, id);
}

static uint32_t move_doing(void *ctx, uint32_t sample, uint64_t time_ns)
{
	struct moving *m = ctx;
	uint32_t activity;

	if (sample != m->sample)
		sample_take(m, sample);
	activity = m->lane ? doing_at(&m->l, m->lane, time_ns) : OP_NO_ID;
	if (m->kind == OP_JFR_SELECTED)
		return activity == OP_NO_ID ? OP_NO_ID : sample;
	if (activity == OP_NO_ID)
		return sample;
	if (activity != m->activity) {
		m->activity = activity;
		m->to = sample_doing(m, sample, activity);
	}
	return m->to;
}

static uint64_t root_of(const struct op_link *link)
{
	uint64_t v = 0;

	for (int i = 8; i < 16; i++)
		v = v << 8 | link->trace_id[i];
	return v;
}

static uint32_t move_endpoint(void *ctx, uint32_t sample, uint64_t time_ns)
{
	struct moving *m = ctx;
	struct op_builder *b = &m->l.j->b;
	struct op_identity id;
	const struct op_jfr_endpoint *e;

	(void)time_ns;
	if (sample == m->sample)
		return m->to;
	m->sample = m->to = sample;
	id = op_build_identity(b, m->profile, sample);
	if (b->err->code || !id.link || has_key(b, id.set, m->k_endpoint, NULL))
		return sample;
	e = endpoint_of(&m->l.j->spans, root_of(&b->links.p[id.link]));
	if (!e)
		return sample;
	id.set = set_with_text(b, id.set, ENDPOINT, e->endpoint);
	id.set = set_with_text(b, id.set, OPERATION, e->operation);
	m->to = op_build_sample(b, m->profile, id);
	return m->to;
}

/* --- all of them --- */

static void all_move(struct moving *m, op_build_move_fn *fn)
{
	struct op_jfr *j = m->l.j;

	for (size_t i = 0; i < j->targets.n && !j->err->code; i++) {
		m->profile = j->targets.p[i].profile;
		m->sample = OP_NO_ID;
		if (op_build_move(&j->b, m->profile, fn, m))
			j->has_moved = true;
	}
}

static void kind_move(struct moving *m, enum op_jfr_interval_kind kind)
{
	m->kind = kind;
	m->l.lanes.n = m->l.pieces.n = m->l.open.n = 0;
	lanes_make(&m->l, kind);
	if (m->l.lanes.n || kind == OP_JFR_SELECTED)
		all_move(m, move_doing);
}

bool op_jfr_has_spans(const struct op_jfr *j)
{
	return j->spans.intervals.n || j->spans.endpoints.n || asks(&j->opts);
}

void op_jfr_spans_end(struct op_jfr *j)
{
	struct moving m = { .l = { .j = j, .mem.err = j->err } };
	struct op_jfr_spans *s = &j->spans;

	if (!op_jfr_has_spans(j))
		return;
	if (s->intervals.n)
		qsort(s->intervals.p, s->intervals.n, sizeof(*s->intervals.p),
		      interval_cmp);
	m.k_thread = op_build_string(&j->b, op_view_z(OP_ATTR_THREAD_ID));
	m.k_os = op_build_string(&j->b, op_view_z(OP_JFR_ATTR_OS_ID));
	m.k_tag = op_build_string(&j->b, op_view_z(TAG));
	m.k_endpoint = op_build_string(&j->b, op_view_z(ENDPOINT));
	/* Strings that nothing may have. */
	j->has_moved = true;
	if (asks(&j->opts))
		kind_move(&m, OP_JFR_SELECTED);
	kind_move(&m, OP_JFR_TAGGED);
	kind_move(&m, OP_JFR_LINKED);
	if (s->endpoints.n)
		all_move(&m, move_endpoint);
	op_arena_free(&m.l.mem);
}
