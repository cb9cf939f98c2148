// SPDX-License-Identifier: Apache-2.0
/* base/regex.h: patterns that names are looked up with.
 *
 * regex.c has PCRE2's regular expressions; regex_none.c, for a build without
 * that library, takes a pattern as plain text to be found anywhere.
 */
#ifndef OP_BASE_REGEX_H
#define OP_BASE_REGEX_H

#include "base/err.h"
#include "base/view.h"

struct op_regex;

/* NULL and OP_EUSAGE, with the place in the pattern as err->at, if it is not
 * a regular expression; NULL and OP_ENOMEM without memory. */
struct op_regex *op_regex_new(const char *pattern, struct op_err *err);

/* NULL is allowed. */
void op_regex_free(struct op_regex *re);

/* Whether the pattern matches anywhere in the text; bytes that are not UTF-8
 * match nothing. The work on one text has a limit, beyond which it is false
 * and err is OP_ELIMIT. */
bool op_regex_matches(struct op_regex *re, struct op_view text,
		      struct op_err *err);

/* Whether patterns are regular expressions in this build. */
bool op_regex_is_full(void);

#endif
