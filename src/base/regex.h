// SPDX-License-Identifier: Apache-2.0
/* base/regex.h: patterns for names.
 *
 * regex.c uses PCRE2's regular expressions; regex_none.c, for a build without
 * that library, searches for the pattern as plain text.
 */
#ifndef OP_BASE_REGEX_H
#define OP_BASE_REGEX_H

#include "base/err.h"
#include "base/view.h"

struct op_regex;

/* Returns NULL with OP_EUSAGE and the position in the pattern as err->at if it
 * is not a valid regular expression, and NULL with OP_ENOMEM if out of memory.
 */
struct op_regex *op_regex_new(const char *pattern, struct op_err *err);

/* NULL is allowed. */
void op_regex_free(struct op_regex *re);

/* Whether the pattern matches anywhere in the text; invalid UTF-8 matches
 * nothing. The work per text is limited; beyond the limit the result is false
 * and err is OP_ELIMIT. */
bool op_regex_matches(struct op_regex *re, struct op_view text,
		      struct op_err *err);

/* Whether patterns are regular expressions in this build. */
bool op_regex_is_full(void);

#endif
