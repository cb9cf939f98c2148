// SPDX-License-Identifier: Apache-2.0
/* Any bytes as the body of a record in each grammar, and as names to be
 * written in it.
 *
 * A line that was written is read as what it was written from, unless the
 * writer says that it is not; then the line is one that stays as it is. The
 * whole body, in a record, keeps what splunk_prop.h wants. */
#include "fuzz/splunk_prop.h"

static bool frame_same(const struct op_splunk_frame *a,
		       const struct op_splunk_frame *b)
{
	return op_view_eq(a->function, b->function) &&
	       op_view_eq(a->scope, b->scope) && op_view_eq(a->file, b->file) &&
	       a->line == b->line && a->column == b->column;
}

/* Written, read, and written again. */
static void frame_prop(const struct op_splunk_frame *f,
		       enum op_splunk_frames how)
{
	struct op_err err = { 0 };
	struct op_buf a = { .err = &err }, b = { .err = &err };
	struct op_splunk_frame once, twice;
	bool exact = op_splunk_frame_write(f, how, &a);

	PROP(!err.code);
	PROP(!memchr(a.p, '\n', a.n));
	PROP(op_splunk_frame_parse(op_view(a.p, a.n), how, &once));
	PROP(!exact || frame_same(f, &once));
	PROP(op_splunk_frame_write(&once, how, &b));
	PROP(op_splunk_frame_parse(op_view(b.p, b.n), how, &twice));
	PROP(frame_same(&once, &twice));
	op_buf_free(&a);
	op_buf_free(&b);
}

static void thread_prop(const struct op_splunk_thread *t)
{
	struct op_err err = { 0 };
	struct op_buf a = { .err = &err }, b = { .err = &err };
	struct op_splunk_thread once;

	op_splunk_thread_write(t, &a);
	once = op_splunk_thread_parse(op_view(a.p, a.n));
	PROP(once.id == t->id && once.nid == t->nid);
	PROP(op_splunk_thread_write(&once, &b));
	PROP(op_view_eq(op_view(a.p, a.n), op_view(b.p, b.n)));
	op_buf_free(&a);
	op_buf_free(&b);
}

static void state_prop(struct op_view state)
{
	struct op_err err = { 0 };
	struct op_buf a = { .err = &err };

	if (op_splunk_state_write(state, &a))
		PROP(op_view_eq(op_splunk_state_parse(op_view(a.p, a.n)),
				state));
	op_buf_free(&a);
}

static void lines_prop(struct op_view text)
{
	struct op_view line;

	while (op_splunk_line_next(&text, &line)) {
		struct op_splunk_thread t = op_splunk_thread_parse(line);
		struct op_splunk_frame f;

		prop_view(t.name);
		prop_view(t.status);
		thread_prop(&t);
		state_prop(op_splunk_state_parse(line));
		for (unsigned int how = OP_SPLUNK_2021; how <= OP_SPLUNK_1_4;
		     how++) {
			if (!op_splunk_frame_parse(line, how, &f))
				continue;
			prop_view(f.function);
			prop_view(f.file);
			prop_view(f.scope);
			frame_prop(&f, how);
		}
	}
}

/* Bytes as names: the first says where one ends. */
static void names_prop(struct op_view v)
{
	size_t n = v.n > 1 ? v.p[0] % v.n : 0;
	struct op_view a = op_view(v.p + 1, n), b;
	struct op_splunk_frame f = { .function = a };
	struct op_splunk_thread t = { .name = a };

	if (v.n < 3)
		return;
	b = op_view(v.p + 1 + n, v.n - 1 - n);
	f.file = t.status = b;
	f.line = v.p[1] & 1 ? v.p[2] : 0;
	f.column = v.p[1] & 2 ? v.p[2] : 0;
	t.id = t.prio = v.p[1] - 128;
	t.cpu_ns = t.elapsed_ns = (uint64_t)v.p[1] * 1000 + v.p[2];
	t.tid = t.nid = v.p[2];
	frame_prop(&f, OP_SPLUNK_2021);
	frame_prop(&f, OP_SPLUNK_1_4);
	thread_prop(&t);
	state_prop(a);
}

/* The body in a record of its own. */
static void body_prop(struct op_view body, bool has_format)
{
	struct op_kv attr = { .key = op_view_z(SPLUNK_DATA_FORMAT),
			      .value.kind = OP_ANY_STRING };
	struct op_log log = { .time_ns = 1700000000000000001,
			      .attrs = { &attr, has_format },
			      .body.kind = OP_ANY_STRING };
	struct op_log_scope scope = {
		.head.name = op_view_z(SPLUNK_SCOPE),
		.records = &log,
		.nr_records = 1,
	};
	struct op_log_resource res = { .scopes = &scope, .nr_scopes = 1 };
	const struct op_logs l = { .resources = &res, .nr_resources = 1 };
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	struct op_model m;

	attr.value.bytes = op_view_z(SPLUNK_TEXT);
	log.body.bytes = body;
	op_logs_encode(&l, NULL, &w);
	PROP(!err.code);
	if (splunk_read(&m, op_pbw_result(&w), false)) {
		splunk_prop(&m, false);
		op_model_free(&m);
	}
	op_pbw_free(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_view in = op_view(p, n);

	lines_prop(in);
	names_prop(in);
	body_prop(in, false);
	body_prop(in, true);
	return 0;
}
