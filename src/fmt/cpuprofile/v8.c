// SPDX-License-Identifier: Apache-2.0
/* fmt/cpuprofile/v8.c: V8's call nodes and samples as stacks. */
#include "fmt/cpuprofile/v8.h"

#include "base/hash.h"
#include "model/semconv.h"

/* --- nodes --- */

const struct op_v8_frame op_v8_no_frame = { .line = -1,
					    .column = -1,
					    .location = OP_NO_ID };

struct op_v8_frame op_v8_frame_take(struct op_v8 *v, struct op_json_in *in)
{
	struct op_v8_frame f = op_v8_no_frame;
	struct op_arena *mem = v->tree.mem;
	bool first = true;

	if (!op_json_enter(in, '{'))
		return f;
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (op_json_is(key, "functionName"))
			f.name = op_json_extract_text(in, mem);
		else if (op_json_is(key, "url"))
			f.url = op_json_extract_text(in, mem);
		else if (op_json_is(key, "scriptId"))
			f.script = op_json_extract_id(in);
		else if (op_json_is(key, "lineNumber"))
			f.line = op_json_extract_scaled(in, 0);
		else if (op_json_is(key, "columnNumber"))
			f.column = op_json_extract_scaled(in, 0);
		else
			op_json_skip(in);
	}
	return f;
}

static bool place_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_v8_frame *a = (const struct op_v8_frame *)table + id;
	const struct op_v8_frame *b = key;

	return a->line == b->line && a->column == b->column &&
	       op_view_eq(a->name, b->name) && op_view_eq(a->url, b->url);
}

/* Scripts inside of a page all have its URL. What would be the same function
 * as that of another script has the id of its own. */
static uint32_t script_set(struct op_v8 *v, uint32_t frame)
{
	const struct op_v8_frame *f = &v->frames.p[frame];
	uint64_t words[] = { op_hash32(f->name.p, f->name.n),
			     op_hash32(f->url.p, f->url.n), (uint64_t)f->line,
			     (uint64_t)f->column };
	uint32_t hash = op_hash_words(words, op_countof(words));
	uint32_t first = op_intern_find(&v->places, hash, place_eq, v->frames.p,
					f);
	struct op_any id = { .kind = OP_ANY_STRING, .bytes = f->script };
	uint32_t attr;

	if (first == OP_NO_ID) {
		op_intern_add(&v->places, v->tree.mem, hash, frame);
		return 0;
	}
	if (!f->script.n || op_view_eq(v->frames.p[first].script, f->script))
		return 0;
	attr = op_build_attr(v->tree.b, op_view_z(OP_ATTR_SCRIPT_ID), &id,
			     (struct op_view){ 0 }, NULL);
	return op_build_set(v->tree.b, &attr, 1);
}

/* A place that is not known is -1 there and 0 here. */
static uint32_t location_make(struct op_v8 *v, uint32_t frame)
{
	const struct op_v8_frame *f = &v->frames.p[frame];
	struct op_builder *b = v->tree.b;
	struct op_view name = f->name.n ? f->name : op_view_z("(anonymous)");
	struct op_location location = { .attrs = script_set(v, frame) };
	struct op_function row = {
		.name = op_build_string(b, name),
		.filename = op_build_string(b, f->url),
		.start_line = f->line < 0 ? 0 : f->line + 1,
	};
	struct op_line line = {
		.line = row.start_line,
		.column = f->column < 0 ? 0 : f->column + 1,
		.function = op_build_function(b, &row),
	};

	return op_build_location(b, &location, &line, 1);
}

static uint32_t location_of(void *ctx, uint32_t frame)
{
	struct op_v8 *v = ctx;
	struct op_v8_frame *f = &v->frames.p[frame];

	if (f->location == OP_NO_ID)
		f->location = location_make(v, frame);
	return f->location;
}

void op_v8_init(struct op_v8 *v, struct op_builder *b, struct op_arena *mem)
{
	*v = (struct op_v8){ .calls.tree = &v->tree };
	op_tree_init(&v->tree, b, mem, location_of, v);
}

void op_v8_open(struct op_v8_file *f, const struct op_read_opts *opts,
		struct op_err *err)
{
	f->err = err;
	f->m = (struct op_model){ 0 };
	f->mem = (struct op_arena){ .err = err };
	if (opts)
		f->m.mem.quota = f->mem.quota = opts->mem_quota;
	op_builder_init(&f->b, &f->m, err);
	op_v8_init(&f->v8, &f->b, &f->mem);
}

int op_v8_close(struct op_v8_file *f, const struct op_read_opts *opts,
		op_model_fn *fn, void *ctx)
{
	op_tree_note(&f->v8.tree, opts);
	op_v8_note(&f->v8, opts);
	op_builder_finish(&f->b);
	op_arena_free(&f->mem);
	if (f->err->code) {
		op_model_free(&f->m);
		return f->err->code;
	}
	f->m.normal = true;
	return fn(ctx, &f->m, f->err);
}

static void define(struct op_v8 *v, uint32_t row, const struct op_v8_frame *f)
{
	struct op_call_row *r = &v->calls.rows.p[row];

	r->is_defined = true;
	r->has_frame = !op_view_is(f->name, OP_V8_ROOT);
	r->frame = (uint32_t)v->frames.n;
	if (r->has_frame)
		(void)op_vec_push(v->tree.mem, &v->frames, *f);
}

/* Children have been met or will be. */
static void children_take(struct op_v8 *v, struct op_json_in *in,
			  struct op_id_vec *out)
{
	bool first = true;

	out->n = 0;
	if (!op_json_enter(in, '['))
		return;
	while (op_json_more(in, ']', &first)) {
		uint32_t row = op_call_row(&v->calls, op_json_extract_id(in));

		if (row == OP_NO_ID || !op_vec_push(v->tree.mem, out, row))
			in->p = in->end;
	}
}

static void node_take(struct op_v8 *v, struct op_json_in *in)
{
	const uint8_t *at = in->p;
	struct op_id_vec *children = &v->calls.path; /* free at this time */
	struct op_v8_frame f = op_v8_no_frame;
	struct op_view id = { 0 }, parent = { 0 };
	struct op_v8_hits hits = { 0 };
	uint32_t row, up = OP_NO_ID;
	bool first = true;

	children->n = 0;
	op_json_take(in, '{', "expected a node");
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (op_json_is(key, "id"))
			id = op_json_extract_id(in);
		else if (op_json_is(key, "parent"))
			parent = op_json_extract_id(in);
		else if (op_json_is(key, "callFrame"))
			f = op_v8_frame_take(v, in);
		else if (op_json_is(key, "children"))
			children_take(v, in, children);
		else if (op_json_is(key, "hitCount"))
			hits.n = op_json_extract_scaled(in, 0);
		else
			op_json_skip(in);
	}
	if (in->err->code)
		return;
	if (!id.n) {
		op_json_bad(in, at, "a node without an id");
		return;
	}
	row = op_call_row(&v->calls, id);
	if (parent.n)
		up = op_call_row(&v->calls, parent);
	if (in->err->code)
		return;
	define(v, row, &f);
	hits.row = row;
	if (hits.n > 0)
		(void)op_vec_push(v->tree.mem, &v->hits, hits);
	if (parent.n)
		v->calls.rows.p[row].parent = up;
	for (size_t i = 0; i < children->n; i++)
		v->calls.rows.p[children->p[i]].parent = row;
}

/* --- the rest --- */

static void nodes_take(struct op_v8 *v, struct op_json_in *in)
{
	bool first = true;

	v->has_nodes = true;
	if (!op_json_enter(in, '['))
		return;
	while (op_json_more(in, ']', &first))
		node_take(v, in);
}

static void samples_take(struct op_v8 *v, struct op_json_in *in)
{
	bool first = true;

	if (!op_json_enter(in, '['))
		return;
	while (op_json_more(in, ']', &first)) {
		uint32_t row = op_call_row(&v->calls, op_json_extract_id(in));

		if (row == OP_NO_ID ||
		    !op_vec_push(v->tree.mem, &v->samples, row))
			in->p = in->end;
	}
}

static void deltas_take(struct op_v8 *v, struct op_json_in *in)
{
	bool first = true;

	if (!op_json_enter(in, '['))
		return;
	while (op_json_more(in, ']', &first)) {
		int64_t ns = op_json_extract_scaled(in, 3);

		if (!op_vec_push(v->tree.mem, &v->deltas, ns))
			in->p = in->end;
	}
}

bool op_v8_member(struct op_v8 *v, struct op_json_text key,
		  struct op_json_in *in)
{
	if (op_json_is(key, "nodes")) {
		nodes_take(v, in);
	} else if (op_json_is(key, "samples")) {
		samples_take(v, in);
	} else if (op_json_is(key, "timeDeltas")) {
		deltas_take(v, in);
	} else if (op_json_is(key, "startTime")) {
		v->start_ns = op_json_extract_scaled(in, 3);
		v->has_start = true;
	} else if (op_json_is(key, "endTime")) {
		v->end_ns = op_json_extract_scaled(in, 3);
		v->has_end = true;
	} else {
		return false;
	}
	return true;
}

/* --- emitting --- */

uint32_t op_v8_node(struct op_v8 *v, const uint8_t *base, uint32_t row)
{
	const struct op_call_row *r = &v->calls.rows.p[row];
	uint32_t node = op_call_node(&v->calls, row);

	if (node != OP_NO_ID)
		return node;
	op_fail_at(v->tree.b->err, OP_EFORMAT, (uint64_t)(r->key.p - base),
		   "a node is its own ancestor");
	return 0;
}

void op_v8_note(const struct op_v8 *v, const struct op_read_opts *opts)
{
	if (v->nr_missing)
		op_note_skipped(opts, v->tree.b->err,
				"%llu samples refer to missing nodes and have "
				"no stack",
				(unsigned long long)v->nr_missing);
}

/* Held at the end of int64_t. */
static int64_t length(int64_t from, int64_t to)
{
	int64_t n;

	if (to <= from)
		return 0;
	return __builtin_sub_overflow(to, from, &n) ? INT64_MAX : n;
}

/* V8 may take samples in another order than it writes them. Time does not go
 * back then: the later one has no length. */
void op_v8_emit(struct op_v8 *v, const uint8_t *base, op_v8_fn *fn, void *ctx)
{
	const struct op_err *err = v->tree.b->err;
	size_t nr = v->samples.n;
	int64_t at = v->start_ns, now, next;

	if (nr && v->deltas.n)
		at = op_add_sat(at, v->deltas.p[0]);
	now = at;
	for (size_t i = 0; i < nr && !err->code; i++) {
		uint32_t row = v->samples.p[i];
		struct op_v8_sample s = { .time_ns = now };

		if (i + 1 < v->deltas.n)
			at = op_add_sat(at, v->deltas.p[i + 1]);
		next = at;
		if (i + 1 == nr)
			next = v->has_end ? v->end_ns : now;
		s.length_ns = length(now, next);
		now = next > now ? next : now;
		s.is_missing = !v->calls.rows.p[row].is_defined;
		v->nr_missing += s.is_missing;
		s.node = s.is_missing ? 0 : op_v8_node(v, base, row);
		if (!err->code)
			fn(ctx, s);
	}
}
