// SPDX-License-Identifier: Apache-2.0
/* fmt/chrome/args.c: events whose arguments count: names, samples and the
 * chunks of V8's profiles. */
#include "fmt/chrome/chrome_int.h"

#include "base/hash.h"

/* A reader at a value that has been passed already. */
static struct op_json_in at_value(const struct op_json_in *in, const uint8_t *p)
{
	struct op_json_in r = *in;

	r.p = p;
	return r;
}

/* --- names --- */

static void name_take(struct op_chrome *c, struct op_json_in *in,
		      struct op_view *name)
{
	bool first = true;

	if (!op_json_enter(in, '{'))
		return;
	while (op_json_more(in, '}', &first)) {
		struct op_json_text key = op_json_extract_key(in);

		if (op_json_is(key, "name"))
			*name = op_json_extract_text(in, &c->mem);
		else
			op_json_skip(in);
	}
}

static void told_take(struct op_chrome *c, struct op_json_in *in,
		      struct op_chrome_process *p)
{
	struct op_metadata *t = op_new(&c->mem, struct op_metadata, 1);

	if (!t)
		return;
	*t = op_metadata_read(in, &c->mem);
	p->told = t;
}

static void thread_take(struct op_chrome *c, struct op_json_in *in,
			struct op_chrome_thread *t)
{
	bool first = true;

	t->is_told = true;
	if (!op_json_enter(in, '{'))
		return;
	while (op_json_more(in, '}', &first)) {
		if (op_json_is(op_json_extract_key(in), "thread"))
			t->told = op_metadata_values(in, &c->mem);
		else
			op_json_skip(in);
	}
}

void op_chrome_metadata(struct op_chrome *c, struct op_json_in *in,
			const struct op_chrome_event *e)
{
	struct op_chrome_thread *t;
	struct op_chrome_process *p;
	struct op_json_in args;
	uint32_t thread;

	if (!e->args)
		return;
	args = at_value(in, e->args);
	thread = op_chrome_thread(c, e->pid, e->tid);
	if (c->err->code)
		return;
	t = &c->threads.p[thread];
	p = &c->processes.p[t->process];
	if (op_json_is(e->name, "thread_name"))
		name_take(c, &args, &t->name);
	else if (op_json_is(e->name, "process_name"))
		name_take(c, &args, &p->name);
	else if (op_json_is(e->name, OP_CHROME_PROFILE))
		told_take(c, &args, p);
	else if (op_json_is(e->name, OP_CHROME_THREAD))
		thread_take(c, &args, t);
}

/* --- V8 --- */

static bool v8_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_chrome_v8 *row = ((
		struct op_chrome_v8 *const *)table)[id];
	const struct op_chrome_v8 *k = key;

	return row->process == k->process && op_view_eq(row->id, k->id);
}

static struct op_chrome_v8 *
v8_make(struct op_chrome *c, const struct op_chrome_v8 *key, uint32_t hash)
{
	struct op_chrome_v8 *v = op_new(&c->mem, struct op_chrome_v8, 1);

	if (!v || !op_vec_push(&c->mem, &c->v8, v) ||
	    !op_intern_add(&c->v8_index, &c->mem, hash, (uint32_t)c->v8.n - 1))
		return NULL;
	v->process = key->process;
	v->thread = key->thread;
	v->id = key->id;
	op_v8_init(&v->v8, &c->b, &c->mem);
	return v;
}

static struct op_chrome_v8 *v8_of(struct op_chrome *c,
				  const struct op_chrome_event *e)
{
	struct op_chrome_v8 key = { .id = e->id };
	uint32_t hash, found;
	uint64_t words[2];

	key.thread = op_chrome_thread(c, e->pid, e->tid);
	if (c->err->code)
		return NULL;
	key.process = c->threads.p[key.thread].process;
	words[0] = key.process;
	words[1] = op_hash32(e->id.p, e->id.n);
	hash = op_hash_words(words, op_countof(words));
	found = op_intern_find(&c->v8_index, hash, v8_eq, c->v8.p, &key);
	return found == OP_NO_ID ? v8_make(c, &key, hash) : c->v8.p[found];
}

/* What has no place of its own: cpuProfile in data in args, with the deltas
 * in data. So whatever is found in any of the three is taken. */
static void v8_take(struct op_v8 *v, struct op_json_in *in)
{
	enum { MOST = 3 };
	bool first[MOST] = { true };
	int depth = 0;

	if (!op_json_enter(in, '{'))
		return;
	while (depth >= 0) {
		struct op_json_text key;

		if (!op_json_more(in, '}', &first[depth])) {
			depth--;
			continue;
		}
		key = op_json_extract_key(in);
		if (op_v8_member(v, key, in))
			continue;
		if (depth + 1 < MOST && (op_json_is(key, "data") ||
					 op_json_is(key, "cpuProfile"))) {
			if (op_json_enter(in, '{'))
				first[++depth] = true;
		} else {
			op_json_skip(in);
		}
	}
}

bool op_chrome_is_v8(struct op_chrome *c, struct op_json_in *in,
		     const struct op_chrome_event *e)
{
	bool begins = op_json_is(e->name, "Profile");
	struct op_chrome_v8 *v;
	struct op_json_in args;

	if (!e->args || (!begins && !op_json_is(e->name, "ProfileChunk") &&
			 !op_json_is(e->name, "CpuProfile")))
		return false;
	v = v8_of(c, e);
	if (!v)
		return true;
	/* Chunks come from the thread that takes the samples. */
	if (begins)
		v->thread = c->last_thread;
	if (!v->first_ns)
		v->first_ns = e->ts;
	args = at_value(in, e->args);
	v8_take(&v->v8, &args);
	return true;
}

/* --- samples --- */

/* Names from the root on. */
static uint32_t stack_take(struct op_chrome *c, struct op_json_in *in)
{
	struct op_json_text none = { 0 };
	uint32_t node = 0, frame;
	bool first = true;

	if (!op_json_enter(in, '['))
		return 0;
	while (op_json_more(in, ']', &first)) {
		struct op_json_text name = none;

		if (op_json_peek(in) == '"')
			name = op_json_extract_string(in);
		else
			op_json_skip(in);
		frame = op_chrome_frame(c, name, none);
		if (!c->err->code)
			node = op_tree_child(&c->tree, node, frame);
	}
	return node;
}

void op_chrome_sample(struct op_chrome *c, struct op_json_in *in,
		      const struct op_chrome_event *e)
{
	struct op_chrome_sample s = { .ts = e->ts, .row = OP_NO_ID };
	uint32_t thread = op_chrome_thread(c, e->pid, e->tid);
	uint32_t frame;

	if (e->sf.n) {
		s.row = op_call_row(&c->stack_frames, e->sf);
	} else if (e->stack) {
		struct op_json_in stack = at_value(in, e->stack);

		s.node = stack_take(c, &stack);
	} else {
		frame = op_chrome_frame(c, e->name, e->cat);
		if (!c->err->code)
			s.node = op_tree_child(&c->tree, 0, frame);
	}
	if (c->err->code)
		return;
	s.order = (uint32_t)c->threads.p[thread].samples.n;
	(void)op_vec_push(&c->mem, &c->threads.p[thread].samples, s);
}

static void stack_frame(struct op_chrome *c, struct op_json_in *in,
			struct op_view key)
{
	struct op_json_text name = { 0 }, cat = { 0 };
	struct op_view parent = { 0 };
	uint32_t row, frame, up = OP_NO_ID;
	bool first = true;

	op_json_take(in, '{', "expected a stack frame");
	while (op_json_more(in, '}', &first)) {
		struct op_json_text k = op_json_extract_key(in);
		bool is_name = op_json_is(k, "name");

		if ((is_name || op_json_is(k, "category")) &&
		    op_json_peek(in) == '"')
			*(is_name ? &name : &cat) = op_json_extract_string(in);
		else if (op_json_is(k, "parent"))
			parent = op_json_extract_id(in);
		else
			op_json_skip(in);
	}
	if (in->err->code)
		return;
	row = op_call_row(&c->stack_frames, key);
	if (parent.n)
		up = op_call_row(&c->stack_frames, parent);
	frame = op_chrome_frame(c, name, cat);
	if (in->err->code)
		return;
	c->stack_frames.rows.p[row].parent = up;
	c->stack_frames.rows.p[row].frame = frame;
	c->stack_frames.rows.p[row].has_frame = true;
	c->stack_frames.rows.p[row].is_defined = true;
}

void op_chrome_stack_frames(struct op_chrome *c, struct op_json_in *in)
{
	bool first = true;

	if (!op_json_enter(in, '{'))
		return;
	while (op_json_more(in, '}', &first))
		stack_frame(c, in, op_json_extract_key(in).raw);
}
