// SPDX-License-Identifier: Apache-2.0
/* fmt/cpuprofile/cpuprofile.c: files of V8's CPU profiler, as Node.js and
 * Chromium's tools write them. */
#include "fmt/cpuprofile/cpuprofile.h"

#include "fmt/cpuprofile/v8.h"
#include "model/semconv.h"

struct reader {
	struct op_err *err;
	struct op_arena mem;
	struct op_builder b;
	struct op_v8 v8;
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

static void profile_make(struct reader *r)
{
	struct op_builder *b = &r->b;
	struct op_resource resource = { 0 };
	struct op_scope scope = { 0 };
	struct op_profile head = { 0 };
	uint32_t place;

	head.attrs = interval_set(b);
	head.sample_type.type = op_build_string(b, op_view_z("wall"));
	head.sample_type.unit = op_build_string(b, op_view_z("nanoseconds"));
	place = op_build_resource(b, &resource, NULL);
	place = op_build_scope(b, place, &scope, NULL);
	r->profile = op_build_profile(b, place, &head);
	r->first = UINT64_MAX;
}

/* The root stands for no stack: nothing was seen then. */
static void observe(void *ctx, struct op_v8_sample s)
{
	struct reader *r = ctx;
	struct op_identity id = { .stack = op_tree_stack(&r->v8.tree, s.node) };
	uint64_t from = s.time_ns < 0 ? 0 : (uint64_t)s.time_ns;
	uint64_t to = from + (uint64_t)s.length_ns;

	if (!s.node && !s.is_missing)
		return;
	op_build_observe(&r->b, r->profile,
			 op_build_sample(&r->b, r->profile, id), s.length_ns,
			 from);
	if (from < r->first)
		r->first = from;
	/* A profile's time has each of its timestamps. */
	if (to + !s.length_ns > r->end)
		r->end = to + !s.length_ns;
}

static void parse(struct reader *r, struct op_view text)
{
	struct op_json_in in = op_json_start(text, r->err);
	bool first = true;

	op_json_peek(&in);
	op_json_take(&in, '{', "an object expected");
	while (op_json_more(&in, '}', &first)) {
		struct op_json_text key = op_json_take_key(&in);

		if (!op_v8_member(&r->v8, key, &in))
			op_json_skip(&in);
	}
	if (!r->err->code)
		op_json_finish(&in);
	if (!r->err->code && !r->v8.has_nodes)
		op_fail_at(r->err, OP_EFORMAT, 0, "there are no nodes");
	if (!r->err->code && r->v8.deltas.n != r->v8.samples.n)
		op_fail(r->err, OP_EFORMAT,
			"there are %zu samples and %zu timeDeltas",
			r->v8.samples.n, r->v8.deltas.n);
}

static void build(struct reader *r, struct op_view text)
{
	struct op_profile *head;

	profile_make(r);
	if (!r->err->code)
		op_v8_emit(&r->v8, text.p, observe, r);
	head = op_build_profile_head(&r->b, r->profile);
	if (r->end) {
		head->time_ns = r->first;
		head->duration_ns = r->end - r->first;
	}
}

static int cpuprofile_read(struct op_view in, const struct op_read_opts *opts,
			   op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct reader r = { .err = err };
	struct op_model m = { 0 };

	if (opts)
		m.mem.quota = r.mem.quota = opts->mem_quota;
	op_builder_init(&r.b, &m, err);
	op_v8_init(&r.v8, &r.b, &r.mem);
	if (!err->code)
		parse(&r, in);
	if (!err->code)
		build(&r, in);
	op_tree_note(&r.v8.tree, opts);
	op_v8_note(&r.v8, opts);
	op_builder_finish(&r.b);
	op_arena_free(&r.mem);
	if (err->code) {
		op_model_free(&m);
		return err->code;
	}
	m.normal = true;
	return fn(ctx, &m, err);
}

static int cpuprofile_sniff(struct op_view v)
{
	static const char key[] = "\"callFrame\"";
	struct op_view nodes;

	if (!op_json_sniff_key(v, "nodes", &nodes) || !nodes.n ||
	    *nodes.p != '[')
		return 0;
	return memmem(nodes.p, nodes.n, key, sizeof(key) - 1) ? 90 : 20;
}

const struct op_format op_format_cpuprofile = {
	.name = "cpuprofile",
	.summary = "V8's CPU profiles, JSON: Node.js, Chromium's tools",
	.endings = { ".cpuprofile" },
	.copies = true,
	.sniff = cpuprofile_sniff,
	.read = cpuprofile_read,
	.write = op_cpuprofile_write,
};
