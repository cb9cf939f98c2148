// SPDX-License-Identifier: Apache-2.0
/* What the tests of the drafts' readers and writers share. */
#ifndef OP_TESTS_UNIT_FMT_DRAFT_FIXTURE_H
#define OP_TESTS_UNIT_FMT_DRAFT_FIXTURE_H

#include "fmt/format.h"
#include "model/content.h"
#include "pb/write.h"
#include "test.h"
#include "write/sketch.h"
#include "write/wire.h"

typedef int draft_decode_fn(struct op_model *m, struct op_view in,
			    struct op_err *err);
typedef int draft_encode_fn(const struct op_model *m,
			    const struct op_write_opts *opts, struct op_pbw *w);

/* From a copy that ends where the input ends, so that ASan sees a byte too
 * far. On failure m is empty. */
static inline int draft_decode(draft_decode_fn *decode, struct op_model *m,
			       struct op_view in, struct op_err *err)
{
	uint8_t *copy = op_heap_resize(NULL, in.n + !in.n, err);

	*m = (struct op_model){ 0 };
	if (!copy)
		return err->code;
	if (in.n)
		memcpy(copy, in.p, in.n);
	if (decode(m, op_view(copy, in.n), err))
		op_model_free(m);
	op_heap_free(copy);
	return err->code;
}

struct draft_row {
	const char *name, *text, *result;
};

static inline void draft_takes(draft_decode_fn *decode,
			       const struct draft_row *rows, size_t n)
{
	static struct wire w;

	for (size_t i = 0; i < n; i++) {
		struct op_err err = { 0 };
		struct op_model m;

		wire_set(&w, rows[i].text);
		if (draft_decode(decode, &m, wire_view(&w), &err)) {
			TEST_FAIL("%s: %.100s", rows[i].name, err.text);
			continue;
		}
		if (strcmp(sketch_text(&m), rows[i].result))
			TEST_FAIL("%s: %s", rows[i].name, sketch_text(&m));
		op_model_free(&m);
	}
}

/* The result is the message; where ^ stands is the place. */
static inline void draft_refuses(draft_decode_fn *decode, int code,
				 const struct draft_row *rows, size_t n)
{
	static struct wire w;

	for (size_t i = 0; i < n; i++) {
		struct op_err err = { 0 };
		struct op_model m;

		wire_set(&w, rows[i].text);
		CHECK_EQ(draft_decode(decode, &m, wire_view(&w), &err), code);
		if (!err.code) {
			TEST_FAIL("%s: is taken", rows[i].name);
			op_model_free(&m);
		} else if (strcmp(err.text, rows[i].result)) {
			TEST_FAIL("%s: %.100s", rows[i].name, err.text);
		} else if (w.marked && err.at != w.mark) {
			TEST_FAIL("%s: at %d, not %d", rows[i].name,
				  (int)err.at, (int)w.mark);
		}
	}
}

/* The model written and read again, as text. */
static inline const char *draft_back(draft_encode_fn *encode,
				     draft_decode_fn *decode,
				     const struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_pbw out = { .err = &err };
	struct op_model back = { 0 };
	const char *text = "failed";

	encode(m, NULL, &out);
	if (!err.code &&
	    !draft_decode(decode, &back, op_pbw_result(&out), &err)) {
		text = sketch_text(&back);
		op_model_free(&back);
	}
	op_pbw_free(&out);
	return text;
}

/* Profiles as sketches; result NULL: what was written is read again. */
struct draft_model {
	const char *name;
	struct sketch s[3];
	size_t n;
	const char *result;
};

static inline void draft_reads_back(draft_encode_fn *encode,
				    draft_decode_fn *decode,
				    const struct draft_model *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct op_err err = { 0 };
		struct op_model m = { 0 };
		const char *want = rows[i].result;

		CHECK(!sketch_model(&m, rows[i].s, rows[i].n, &err));
		if (!want)
			want = sketch_text(&m);
		if (strcmp(draft_back(encode, decode, &m), want))
			TEST_FAIL("%s: %s", rows[i].name,
				  draft_back(encode, decode, &m));
		op_model_free(&m);
	}
}

static inline void draft_ids_from_content(struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		m->resources[w.r].scopes[w.s].profiles[w.p].id_len = 0;
	CHECK(!op_content_ids(m, &err));
}

static inline bool draft_same(struct op_model *a, struct op_model *b)
{
	struct op_walk x = { 0 }, y = { 0 };

	draft_ids_from_content(a);
	draft_ids_from_content(b);
	while (op_walk_next(a, &x))
		if (!op_walk_next(b, &y) ||
		    memcmp(x.profile->id, y.profile->id, 16))
			return false;
	return !op_walk_next(b, &y);
}

/* Random models of OTLP: written, read, and from then on the same. */
static inline void draft_generated(draft_encode_fn *encode,
				   draft_decode_fn *decode)
{
	static char text[WIRE_MAX];
	static struct wire w;

	for (uint32_t seed = 1; seed <= 60; seed++) {
		struct op_err err = { 0 };
		struct op_pbw once = { .err = &err }, twice = { .err = &err };
		struct op_model m = { 0 }, a = { 0 }, b = { 0 };

		wire_generate(text, sizeof(text), seed);
		wire_set(&w, text);
		CHECK(!wire_decode(&m, wire_view(&w), NULL, &err));
		CHECK(!encode(&m, NULL, &once));
		CHECK(!decode(&a, op_pbw_result(&once), &err));
		CHECK(!encode(&a, NULL, &twice));
		CHECK(!decode(&b, op_pbw_result(&twice), &err));
		if (err.code || !draft_same(&a, &b))
			TEST_FAIL("seed %u: %.100s", seed, err.text);
		op_pbw_free(&once);
		op_pbw_free(&twice);
		op_model_free(&m);
		op_model_free(&a);
		op_model_free(&b);
	}
}

/* Every allocation fails once while a message is read and written. */
static inline void draft_oom(draft_encode_fn *encode, draft_decode_fn *decode,
			     const char *text)
{
	static struct wire w;

	wire_set(&w, text);
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_pbw out = { .err = &err };
		struct op_model m;

		if (!draft_decode(decode, &m, wire_view(&w), &err)) {
			encode(&m, NULL, &out);
			op_model_free(&m);
		}
		op_pbw_free(&out);
		CHECK(!err.code || err.code == OP_ENOMEM);
	}
}

#endif
