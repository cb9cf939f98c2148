// SPDX-License-Identifier: Apache-2.0
/* pb/json_write.h: JSON into a buffer, commas and indentation taken care of.
 *
 *	op_json_open(&w, '{');
 *	op_json_key(&w, "samples");
 *	op_json_uint(&w, 3);
 *	op_json_close(&w, '}');
 */
#ifndef OP_PB_JSON_WRITE_H
#define OP_PB_JSON_WRITE_H

#include "base/buf.h"

struct op_json {
	struct op_buf *out;
	bool pretty;
	bool first;	/* nothing stands in the open object or array */
	bool after_key; /* a value follows on the same line */
	int depth;
};

void op_json_open(struct op_json *w, char bracket);
void op_json_close(struct op_json *w, char bracket);
void op_json_key(struct op_json *w, const char *key);
void op_json_key_view(struct op_json *w, struct op_view key);
void op_json_string(struct op_json *w, struct op_view v);
void op_json_z(struct op_json *w, const char *s);
void op_json_int(struct op_json *w, int64_t v);
void op_json_uint(struct op_json *w, uint64_t v);
/* NaN and the infinities become strings, as protobuf's JSON has them. */
void op_json_double(struct op_json *w, double v);
void op_json_bool(struct op_json *w, bool v);
void op_json_null(struct op_json *w);
void op_json_hex(struct op_json *w, struct op_view v);

/* A quoted string on its own: control characters as \u00XX, what is not UTF-8
 * as U+FFFD. */
void op_quote(struct op_buf *out, struct op_view v);

/* The shortest decimal that reads back as v, always with a point, an exponent
 * or a name (nan, inf), so that it cannot be taken for an integer. */
struct op_double_text {
	char s[40];
};
struct op_double_text op_double_text(double v);

#endif
