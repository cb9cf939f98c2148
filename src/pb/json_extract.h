// SPDX-License-Identifier: Apache-2.0
/* pb/json_extract.h: values of JSON as the viewers' formats have them: times
 * with a fraction, numbers that may stand between quotes, ids that are
 * either. */
#ifndef OP_PB_JSON_EXTRACT_H
#define OP_PB_JSON_EXTRACT_H

#include "base/arena.h"
#include "pb/json_read.h"

/* Whether a key is this text; escapes in keys do not count. */
op_inline bool op_json_is(struct op_json_text key, const char *text)
{
	return op_view_is(key.raw, text);
}

/* What a string says: a view of the text or, with escapes, in the arena. */
struct op_view op_json_text_of(struct op_json_in *in, struct op_json_text t,
			       struct op_arena *mem);

/* A string; any other value is passed and gives an empty text. */
struct op_view op_json_extract_text(struct op_json_in *in,
				    struct op_arena *mem);

/* The characters of a number or of a string, as they stand; any other value
 * is passed and gives an empty view. */
struct op_view op_json_extract_id(struct op_json_in *in);

/* A number, or a string that holds one, times 10^digits (at most 9) and
 * rounded to a whole one. What is none, or is more than 2^62, fails. null is
 * 0. */
int64_t op_json_extract_scaled(struct op_json_in *in, unsigned int digits);

/* A string that holds digits only, at most 2^62. */
bool op_text_number(struct op_view text, int64_t *out);

/* Opens an object or array; any other value is passed. */
bool op_json_enter(struct op_json_in *in, char bracket);

/* A reader at the start of the text, behind a byte order mark. */
struct op_json_in op_json_start(struct op_view text, struct op_err *err);

/* Fails unless only white space is left. */
void op_json_finish(struct op_json_in *in);

/* Whether a line begins an object or array, and not a name such as {closure},
 * [unknown] or [0]. */
bool op_json_begins(struct op_view line);

/* Whether the text is an object that has this key at its top, as far as its
 * first bytes show. Then where its value begins is put in *value. */
bool op_json_sniff_key(struct op_view text, const char *key,
		       struct op_view *value);

#endif
