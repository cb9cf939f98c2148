// SPDX-License-Identifier: Apache-2.0
/* What the tests of gperftools' formats share: bytes and what they say in the
 * words of tests/write/sketch.h, without pprof's expressions for frames. */
#ifndef OP_TESTS_GPERFTOOLS_FIXTURE_H
#define OP_TESTS_GPERFTOOLS_FIXTURE_H

#include <stdlib.h>

#include "fmt/format.h"
#include "test.h"
#include "write/sketch.h"

struct gperf {
	struct op_model m;
	struct op_err err;
	char notes[400];
	char text[4000];
};

static inline int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)err;
	*(struct op_model *)ctx = *m;
	return OP_OK;
}

static inline void gperf_note(void *ctx, const char *text)
{
	struct gperf *g = ctx;
	size_t n = strlen(g->notes);

	snprintf(g->notes + n, sizeof(g->notes) - n, "%s\n", text);
}

/* Leaves out the end of lines from " pprof.profile" on, and the head. */
static inline void gperf_shorten(const char *from, char *to, size_t size)
{
	static const char scope[] = "scope ";
	static const char attrs[] = " pprof.profile";
	size_t n = 0;

	from = strstr(from, scope);
	from += strcspn(from, "\n") + 1;
	while (*from && n + 1 < size) {
		if (!strncmp(from, attrs, sizeof(attrs) - 1))
			from += strcspn(from, "\n");
		to[n++] = *from++;
	}
	to[n] = 0;
}

/* Reads a copy that ends where the bytes end. */
static inline int gperf_read(struct gperf *g, struct op_view in)
{
	struct op_read_opts opts = { .note = gperf_note, .note_ctx = g };
	uint8_t *copy = malloc(in.n + !in.n);

	*g = (struct gperf){ 0 };
	memcpy(copy, in.p, in.n);
	op_format_gperftools.read(op_view(copy, in.n), &opts, keep, &g->m,
				  &g->err);
	free(copy);
	if (!g->err.code)
		gperf_shorten(sketch_text(&g->m), g->text, sizeof(g->text));
	return g->err.code;
}

struct gperf_row {
	const char *name, *in, *want, *notes;
};

static inline void gperf_says(const struct gperf_row *rows, size_t n)
{
	static struct gperf g;

	for (size_t i = 0; i < n; i++) {
		struct op_view in = op_view_z(rows[i].in);

		if (gperf_read(&g, in))
			TEST_FAIL("%s: %.100s at %llu", rows[i].name,
				  g.err.text, (unsigned long long)g.err.at);
		else if (strcmp(g.text, rows[i].want))
			TEST_FAIL("%s: %.150s", rows[i].name, g.text);
		if (strcmp(g.notes, rows[i].notes ? rows[i].notes : ""))
			TEST_FAIL("%s notes %.100s", rows[i].name, g.notes);
		if (op_format_sniff(in) != &op_format_gperftools)
			TEST_FAIL("%s is not recognised", rows[i].name);
		op_model_free(&g.m);
	}
}

/* Each allocation fails in turn. */
static inline void gperf_survives(struct op_view in)
{
	EACH_ALLOC_FAILS(k) {
		struct op_err err = { 0 };
		struct op_model m = { 0 };

		op_format_gperftools.read(in, NULL, keep, &m, &err);
		if (err.code)
			CHECK_EQ(err.code, OP_ENOMEM);
		op_model_free(&m);
	}
}

#endif
