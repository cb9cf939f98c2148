// SPDX-License-Identifier: Apache-2.0
/* fmt/cpuprofile/read.c: CPU profiles of V8 into the model.
 *
 * Older releases have head in place of nodes (nested.c), and timestamps in
 * microseconds in place of timeDeltas, or no times and only counts. */
#include "fmt/cpuprofile/cpuprofile_int.h"

#include "fmt/cpuprofile/v8.h"
#include "model/semconv.h"

struct reader {
	struct op_v8_file f;
	OP_VEC(int64_t) timestamps; /* ns */
	bool has_head, has_samples;
	uint32_t profile;
	uint64_t first, end;
};

static uint32_t interval_set(struct op_builder *b)
{
	struct op_any yes = { .kind = OP_ANY_BOOL, .flag = true };
	uint32_t attr = op_build_attr(b, op_view_z(OP_ATTR_INTERVAL), &yes,
				      (struct op_view){ 0 }, NULL);

	return op_build_set(b, &attr, 1);
}

static void profile_make(struct reader *r, const char *type, const char *unit,
			 bool is_timed)
{
	struct op_builder *b = &r->f.b;
	struct op_resource resource = { 0 };
	struct op_scope scope = { 0 };
	struct op_profile head = { 0 };
	uint32_t place;

	if (is_timed)
		head.attrs = interval_set(b);
	head.sample_type.type = op_build_string(b, op_view_z(type));
	head.sample_type.unit = op_build_string(b, op_view_z(unit));
	place = op_build_resource(b, &resource, NULL);
	place = op_build_scope(b, place, &scope, NULL);
	r->profile = op_build_profile(b, place, &head);
	r->first = UINT64_MAX;
}

/* The root stands for no stack: nothing was seen then. */
static void observe(void *ctx, struct op_v8_sample s)
{
	struct reader *r = ctx;
	struct op_identity id = { .stack = op_tree_stack(&r->f.v8.tree,
							 s.node) };
	uint64_t from = s.time_ns < 0 ? 0 : (uint64_t)s.time_ns;
	uint64_t to = from + (uint64_t)s.length_ns;

	if (!s.node && !s.is_missing)
		return;
	op_build_observe(&r->f.b, r->profile,
			 op_build_sample(&r->f.b, r->profile, id), s.length_ns,
			 from);
	if (from < r->first)
		r->first = from;
	/* A profile's time has each of its timestamps. */
	if (to + !s.length_ns > r->end)
		r->end = to + !s.length_ns;
}

static void timestamps_take(struct reader *r, struct op_json_in *in)
{
	bool first = true;

	if (!op_json_enter(in, '['))
		return;
	while (op_json_more(in, ']', &first)) {
		int64_t ns = op_json_extract_scaled(in, 3);

		if (!op_vec_push(&r->f.mem, &r->timestamps, ns))
			in->p = in->end;
	}
}

static void member_take(struct reader *r, struct op_json_in *in)
{
	struct op_json_text key = op_json_extract_key(in);

	if (op_json_is(key, "head")) {
		r->has_head = true;
		op_v8_nested_take(&r->f.v8, in);
		return;
	}
	if (op_json_is(key, "timestamps")) {
		timestamps_take(r, in);
		return;
	}
	r->has_samples |= op_json_is(key, "samples");
	if (!op_v8_member(&r->f.v8, key, in))
		op_json_skip(in);
}

static void parse(struct reader *r, struct op_view text)
{
	struct op_json_in in = op_json_start(text, r->f.err);
	bool first = true;

	op_json_peek(&in);
	op_json_take(&in, '{', "expected an object");
	while (op_json_more(&in, '}', &first))
		member_take(r, &in);
	if (!r->f.err->code)
		op_json_finish(&in);
	if (!r->f.err->code && !r->f.v8.has_nodes)
		op_fail_at(r->f.err, OP_EFORMAT, 0, "no nodes");
}

/* --- samples with times --- */

/* One more than there are samples is the end of the last. endTime is not: in
 * these files it is in seconds, which are whole in some. */
static void deltas_of_timestamps(struct reader *r)
{
	struct op_v8 *v = &r->f.v8;
	size_t n = r->timestamps.n;
	const int64_t *t = r->timestamps.p;

	v->has_end = n > v->samples.n;
	v->end_ns = v->has_end ? t[n - 1] : 0;
	v->start_ns = t[0];
	v->deltas.n = 0;
	for (size_t i = 0; i < n && i < v->samples.n; i++) {
		int64_t delta = i ? t[i] - t[i - 1] : 0;

		(void)op_vec_push(&r->f.mem, &v->deltas, delta);
	}
	if (n > v->samples.n + 1 || v->deltas.n < v->samples.n)
		op_fail(r->f.err, OP_EFORMAT, "%zu samples, but %zu timestamps",
			v->samples.n, n);
}

static void build_timed(struct reader *r, const uint8_t *base)
{
	struct op_profile *head;

	if (r->timestamps.n)
		deltas_of_timestamps(r);
	if (!r->f.err->code && r->f.v8.deltas.n != r->f.v8.samples.n)
		op_fail(r->f.err, OP_EFORMAT, "%zu samples, but %zu timeDeltas",
			r->f.v8.samples.n, r->f.v8.deltas.n);
	profile_make(r, "wall", "nanoseconds", true);
	if (!r->f.err->code)
		op_v8_emit(&r->f.v8, base, observe, r);
	head = op_build_profile_head(&r->f.b, r->profile);
	if (r->end) {
		head->time_ns = r->first;
		head->duration_ns = r->end - r->first;
	}
}

/* --- without times --- */

static void add(struct reader *r, uint32_t node, int64_t value)
{
	struct op_identity id = { .stack = op_tree_stack(&r->f.v8.tree, node) };

	op_build_add(&r->f.b, r->profile,
		     op_build_sample(&r->f.b, r->profile, id), value);
}

static void add_nested(struct reader *r, enum op_v8_self what)
{
	for (size_t i = 0; i < r->f.v8.nested.n && !r->f.err->code; i++) {
		const struct op_v8_nested *n = &r->f.v8.nested.p[i];

		if (n->self[what])
			add(r, n->node, n->self[what]);
	}
}

/* Whether the nodes' own counts say the same as the list of samples. They
 * cannot mean another node, which an id can that two nodes have. */
static bool is_counted(const struct reader *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->f.v8.nested.n; i++)
		sum += (uint64_t)r->f.v8.nested.p[i].self[OP_V8_HITS];
	return sum == r->f.v8.samples.n;
}

static void build_counts(struct reader *r, const uint8_t *base)
{
	struct op_v8 *v = &r->f.v8;

	if (!r->has_samples && !v->has_self[OP_V8_HITS] && !v->hits.n &&
	    v->has_self[OP_V8_TIME]) {
		profile_make(r, "wall", "nanoseconds", false);
		add_nested(r, OP_V8_TIME);
		return;
	}
	profile_make(r, "samples", "count", false);
	if (!r->has_samples || is_counted(r)) {
		add_nested(r, OP_V8_HITS);
		for (size_t i = 0; i < v->hits.n && !r->f.err->code; i++)
			add(r, op_v8_node(v, base, v->hits.p[i].row),
			    v->hits.p[i].n);
		return;
	}
	for (size_t i = 0; i < v->samples.n && !r->f.err->code; i++)
		add(r, op_v8_node(v, base, v->samples.p[i]), 1);
}

static bool has_counts(const struct reader *r)
{
	return r->f.v8.has_self[OP_V8_HITS] || r->f.v8.has_self[OP_V8_TIME] ||
	       r->f.v8.hits.n || r->f.v8.samples.n;
}

static void build(struct reader *r, struct op_view text)
{
	const struct op_v8 *v = &r->f.v8;
	bool is_timed = r->timestamps.n || v->deltas.n ||
			(!r->has_head && (r->has_samples || !v->hits.n));

	op_v8_nested_end(&r->f.v8);
	if (is_timed)
		build_timed(r, text.p);
	else if (has_counts(r))
		build_counts(r, text.p);
	else
		op_fail_at(r->f.err, OP_EFORMAT, 0,
			   "neither samples nor the hitCount of a node");
}

int op_cpuprofile_read(struct op_view in, const struct op_read_opts *opts,
		       op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct reader r = { 0 };

	op_v8_open(&r.f, opts, err);
	if (!err->code)
		parse(&r, in);
	if (!err->code)
		build(&r, in);
	return op_v8_close(&r.f, opts, fn, ctx);
}
