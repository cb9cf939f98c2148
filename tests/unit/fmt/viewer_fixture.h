// SPDX-License-Identifier: Apache-2.0
/* What the tests of viewers' formats share: a text and what it says in the
 * words of tests/write/sketch.h, or why it is refused. */
#ifndef OP_TESTS_VIEWER_FIXTURE_H
#define OP_TESTS_VIEWER_FIXTURE_H

#include <stdlib.h>

#include "fmt/format.h"
#include "test.h"
#include "write/sketch.h"

struct viewer {
	struct op_sink sink; /* first */
	struct op_buf out;
	const char *const *settings; /* of reading */
	char notes[400];
};

static inline int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)err;
	*(struct op_model *)ctx = *m;
	return OP_OK;
}

static inline void viewer_note(void *ctx, const char *text)
{
	struct viewer *v = ctx;
	size_t n = strlen(v->notes);

	snprintf(v->notes + n, sizeof(v->notes) - n, "%s\n", text);
}

static inline int viewer_write(struct op_sink *sink, struct op_view v,
			       struct op_err *err)
{
	op_buf_view(&((struct viewer *)sink)->out, v);
	return err->code;
}

/* Reads a copy that ends where the text ends. In it ' is written ", which
 * leaves more to be seen of the tests' JSON. */
static inline int viewer_read(const struct op_format *f, struct op_view text,
			      struct op_model *m, struct viewer *v,
			      struct op_err *err)
{
	struct op_read_opts opts = { .note = viewer_note,
				     .note_ctx = v,
				     .settings = v->settings };
	uint8_t *copy = malloc(text.n + !text.n);

	for (size_t i = 0; i < text.n; i++)
		copy[i] = text.p[i] == '\'' ? '"' : text.p[i];
	*m = (struct op_model){ 0 };
	*err = (struct op_err){ 0 };
	v->notes[0] = 0;
	f->read(op_view(copy, text.n), &opts, keep, m, err);
	free(copy);
	return err->code;
}

/* The format that a text is taken for. */
static inline const struct op_format *taken_for(const char *text)
{
	const struct op_format *f;
	char *copy = strdup(text);

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	f = op_format_sniff(op_view_z(copy));
	free(copy);
	return f;
}

/* What a text says; notes may be NULL. */
static inline void says(const struct op_format *f, const char *text,
			const char *words, const char *notes)
{
	struct viewer v = { 0 };
	struct op_model m;
	struct op_err err;

	if (viewer_read(f, op_view_z(text), &m, &v, &err))
		TEST_FAIL("%.60s is refused: %.80s", text, err.text);
	else if (strcmp(sketch_text(&m), words))
		TEST_FAIL("%.60s says %.100s", text, sketch_text(&m));
	if (strcmp(v.notes, notes ? notes : ""))
		TEST_FAIL("%.60s notes %.100s", text, v.notes);
	op_model_free(&m);
}

struct refused {
	const char *text, *why;
	uint64_t at;
};

static inline void refuses(const struct op_format *f,
			   const struct refused *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct viewer v = { 0 };
		struct op_model m;
		struct op_err err;

		viewer_read(f, op_view_z(rows[i].text), &m, &v, &err);
		if (strcmp(err.text, rows[i].why) || err.at != rows[i].at)
			TEST_FAIL("%.60s: \"%.80s\" at %llu", rows[i].text,
				  err.text, (unsigned long long)err.at);
		op_model_free(&m);
	}
}

/* Writes what a sketch is; the text ends in a NUL. */
static inline const char *written(const struct op_format *f,
				  const struct op_model *m, struct viewer *v,
				  struct op_err *err)
{
	struct op_write_opts opts = { .note = viewer_note, .ctx = v };

	v->sink.write = viewer_write;
	v->out = (struct op_buf){ .err = err };
	v->notes[0] = 0;
	f->write(m, &opts, &v->sink, err);
	op_buf_byte(&v->out, 0);
	return err->code ? "" : (const char *)v->out.p;
}

/* A sketch, what it is when it was written and read, and the notes. */
struct round_trip {
	const char *name;
	struct sketch s;
	const char *words, *notes;
};

static inline void comes_back(const struct op_format *f,
			      const struct round_trip *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct viewer v = { 0 };
		struct op_err err = { 0 };
		struct op_model m;
		const char *text;

		sketch_one(&m, &rows[i].s);
		text = written(f, &m, &v, &err);
		if (strcmp(v.notes, rows[i].notes ? rows[i].notes : ""))
			TEST_FAIL("%s notes %.100s", rows[i].name, v.notes);
		if (f->sniff(op_view_z(text)) < 90)
			TEST_FAIL("%s is not recognised", rows[i].name);
		says(f, text, rows[i].words, NULL);
		op_buf_free(&v.out);
		op_model_free(&m);
	}
}

/* Each allocation fails in turn, in reading and in writing. */
static inline void survives(const struct op_format *f, const char *text)
{
	EACH_ALLOC_FAILS(k) {
		struct viewer v = { 0 };
		struct op_model m;
		struct op_err err;

		viewer_read(f, op_view_z(text), &m, &v, &err);
		if (err.code)
			CHECK_EQ(err.code, OP_ENOMEM);
		op_model_free(&m);
	}
}

static inline void survives_writing(const struct op_format *f,
				    const struct sketch *s, size_t n)
{
	struct op_err err = { 0 };
	struct op_model m = { 0 };

	CHECK_EQ(sketch_model(&m, s, n, &err), OP_OK);
	EACH_ALLOC_FAILS(k) {
		struct viewer v = { 0 };

		err = (struct op_err){ 0 };
		written(f, &m, &v, &err);
		if (err.code)
			CHECK_EQ(err.code, OP_ENOMEM);
		op_buf_free(&v.out);
	}
	op_model_free(&m);
}

#endif
