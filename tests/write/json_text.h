// SPDX-License-Identifier: Apache-2.0
/* tests/write/json_text.h: JSON that is easy to read in C.
 *
 * ' stands for ", and ^ for nothing: it marks the next byte.
 */
#ifndef OP_TESTS_WRITE_JSON_TEXT_H
#define OP_TESTS_WRITE_JSON_TEXT_H

#include "fmt/format.h"

struct json_text {
	char p[16384];
	size_t n;
	size_t mark; /* offset of the last ^ */
};

/* Stops the program if text is too long. */
void json_set(struct json_text *t, const char *text);

/* Reads the one message of a text, from a copy that ends where the text ends,
 * so that ASan sees a byte read too far. m and err are set; on failure m is
 * empty. */
int json_read(struct op_model *m, struct op_view text,
	      const struct op_read_opts *opts, struct op_err *err);

/* Appends what op_format_otlp_json writes to out. */
int json_write(const struct op_model *m, const char *style, struct op_buf *out);

/* Whether both are the same in today's bytes. */
bool json_same(const struct op_model *a, const struct op_model *b);

#endif
