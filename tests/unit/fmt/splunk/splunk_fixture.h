// SPDX-License-Identifier: Apache-2.0
/* What the tests of profiles in logs share. */
#ifndef OP_TESTS_UNIT_FMT_SPLUNK_FIXTURE_H
#define OP_TESTS_UNIT_FMT_SPLUNK_FIXTURE_H

#include "fmt/pack.h"
#include "fmt/splunk/splunk_int.h"
#include "pb/json_write.h"
#include "test.h"
#include "write/json_text.h"
#include "write/sketch.h"
#include "write/wire.h"

/* The last thing that was told. */
struct splunk_told {
	char text[400];
	int nr;
};

static inline void splunk_note(void *ctx, const char *text)
{
	struct splunk_told *t = ctx;

	snprintf(t->text, sizeof(t->text), "%s", text);
	t->nr++;
}

/* Reads from a copy that ends where the input ends, so that ASan sees a byte
 * too far. On failure m is empty. */
static inline int splunk_read(struct op_model *m, struct op_view in,
			      const char *setting, struct splunk_told *told,
			      struct op_err *err)
{
	const char *const settings[] = { setting, NULL };
	struct op_read_opts opts = { .settings = settings };
	uint8_t *copy = op_heap_resize(NULL, in.n + !in.n, err);

	*m = (struct op_model){ 0 };
	if (!copy)
		return err->code;
	if (in.n)
		memcpy(copy, in.p, in.n);
	if (told) {
		opts.note = splunk_note;
		opts.note_ctx = told;
	}
	if (op_splunk_read(op_view(copy, in.n), &opts, m, err))
		op_model_free(m);
	op_heap_free(copy);
	return err->code;
}

struct splunk_bytes {
	struct op_sink sink; /* first */
	struct op_buf buf;
};

static inline int splunk_put(struct op_sink *sink, struct op_view v,
			     struct op_err *err)
{
	op_buf_view(&((struct splunk_bytes *)sink)->buf, v);
	return err->code;
}

/* Writes into out, which the caller frees. settings may be NULL. */
static inline int splunk_write(const struct op_model *m, bool is_pprof,
			       const char *const *settings,
			       struct splunk_told *told, struct op_buf *out)
{
	struct splunk_bytes t = { .sink.write = splunk_put, .buf = *out };
	struct op_write_opts opts = { .settings = settings };

	if (told) {
		opts.note = splunk_note;
		opts.ctx = told;
	}
	op_splunk_write(m, &opts, is_pprof, &t.sink, out->err);
	*out = t.buf;
	return out->err->code;
}

/* A message of one record around a body, with this in its scope message and
 * that in its record (write/wire.h). Free out.*/
static inline void splunk_message(struct op_buf *out, const char *scope,
				  const char *record, struct op_view body)
{
	static struct wire w;
	struct op_logs l = { 0 };
	struct op_pbw p = { .err = out->err };
	char text[2000];
	struct op_log *log;

	snprintf(text, sizeof(text), "1{ 2{ 1{ %s } 2{ %s } } }", scope,
		 record);
	wire_set(&w, text);
	if (!op_logs_decode(&l, wire_view(&w), out->err)) {
		log = &l.resources[0].scopes[0].records[0];
		log->body.kind = OP_ANY_STRING;
		log->body.bytes = body;
		op_logs_encode(&l, NULL, &p);
		op_buf_view(out, op_pbw_result(&p));
	}
	op_pbw_free(&p);
	op_logs_free(&l);
}

#endif
