// SPDX-License-Identifier: Apache-2.0
/* What the tests of folded stacks share: reading a text, and saying what it
 * must become in the words of tests/write/sketch.h. */
#ifndef OP_TESTS_FOLDED_FIXTURE_H
#define OP_TESTS_FOLDED_FIXTURE_H

#include <stdlib.h>

#include "fmt/format.h"
#include "test.h"
#include "write/sketch.h"

#define HEX16 "01020304010203040102030401020304"
#define HEX8 "9999999999999999"
#define LINK "trace_id=0x" HEX16 ",span_id=0x" HEX8
#define PLAIN "resource\nscope \nprofile samples/count\n"

static inline int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)err;
	*(struct op_model *)ctx = *m;
	return OP_OK;
}

/* Reads a copy that ends where the text ends. */
static inline int read_with(struct op_model *m, struct op_view text,
			    const char *setting, struct op_err *err)
{
	const char *settings[] = { setting, NULL };
	struct op_read_opts opts = { .settings = settings };
	uint8_t *copy = malloc(text.n + !text.n);

	if (text.n)
		memcpy(copy, text.p, text.n);
	*m = (struct op_model){ 0 };
	*err = (struct op_err){ 0 };
	op_format_folded.read(op_view(copy, text.n), &opts, keep, m, err);
	free(copy);
	return err->code;
}

static inline void says(const char *text, const char *setting,
			const char *words)
{
	struct op_err err;
	struct op_model m;

	if (read_with(&m, op_view_z(text), setting, &err))
		TEST_FAIL("\"%.60s\" is refused: %.80s", text, err.text);
	else if (strcmp(sketch_text(&m), words))
		TEST_FAIL("\"%.60s\" says %.100s", text, sketch_text(&m));
	op_model_free(&m);
}

/* A text and what it says behind PLAIN. */
struct row {
	const char *text, *words;
};

static inline void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char want[1024];

		snprintf(want, sizeof(want), "%s%s", PLAIN, rows[i].words);
		says(rows[i].text, NULL, want);
	}
}

#endif
