// SPDX-License-Identifier: Apache-2.0
/* base/regex_none.c: without a library for regular expressions a pattern is
 * text to be found. */
#include "base/arena.h"
#include "base/regex.h"

struct op_regex {
	struct op_view text;
};

struct op_regex *op_regex_new(const char *pattern, struct op_err *err)
{
	size_t n = strlen(pattern);
	struct op_regex *re = op_heap_resize(NULL, sizeof(*re) + n, err);

	if (!re)
		return NULL;
	memcpy(re + 1, pattern, n);
	re->text = op_view(re + 1, n);
	return re;
}

void op_regex_free(struct op_regex *re)
{
	op_heap_free(re);
}

bool op_regex_matches(struct op_regex *re, struct op_view text,
		      struct op_err *err)
{
	(void)err;
	return !re->text.n ||
	       (text.n && memmem(text.p, text.n, re->text.p, re->text.n));
}

bool op_regex_is_full(void)
{
	return false;
}
