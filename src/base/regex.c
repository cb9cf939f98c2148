// SPDX-License-Identifier: Apache-2.0
/* base/regex.c: regular expressions by PCRE2. */
#include "base/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/arena.h"

/* What one text may cost. A name of some hundred bytes takes a few thousand
 * steps; a pattern that backtracks without end is stopped in milliseconds. */
enum { MAX_STEPS = 200000, MAX_HEAP_KIB = 16 * 1024 };

struct op_regex {
	struct op_err *err; /* of the call at hand */
	pcre2_general_context *memory;
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
};

static void *give(size_t n, void *ctx)
{
	struct op_regex *re = ctx;

	return op_heap_resize(NULL, n, re->err);
}

static void take(void *p, void *ctx)
{
	(void)ctx;
	op_heap_free(p);
}

static bool compile(struct op_regex *re, const char *pattern)
{
	pcre2_compile_context *ctx = pcre2_compile_context_create(re->memory);
	int code = 0;
	PCRE2_SIZE at = 0;
	char why[120];

	if (!ctx)
		return false;
	/* \C could split a character. */
	re->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
				 PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
					 PCRE2_NEVER_BACKSLASH_C,
				 &code, &at, ctx);
	pcre2_compile_context_free(ctx);
	if (re->code)
		return true;
	if (pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why)) < 0)
		why[0] = 0;
	op_fail_at(re->err, OP_EUSAGE, at, "bad pattern '%.60s': %s", pattern,
		   why);
	return false;
}

static bool prepare(struct op_regex *re, const char *pattern,
		    struct op_err *err)
{
	re->err = err;
	re->memory = pcre2_general_context_create(give, take, re);
	if (!re->memory || !compile(re, pattern))
		return false;
	/* Where it cannot be made machine code it is interpreted. */
	re->err = OP_IGNORED;
	pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	re->err = err;
	re->match = pcre2_match_data_create(1, re->memory);
	re->limits = pcre2_match_context_create(re->memory);
	if (!re->match || !re->limits)
		return false;
	pcre2_set_match_limit(re->limits, MAX_STEPS);
	pcre2_set_heap_limit(re->limits, MAX_HEAP_KIB);
	return true;
}

struct op_regex *op_regex_new(const char *pattern, struct op_err *err)
{
	struct op_regex *re = op_heap_resize(NULL, sizeof(*re), err);

	if (!re)
		return NULL;
	*re = (struct op_regex){ 0 };
	if (prepare(re, pattern, err))
		return re;
	op_regex_free(re);
	return NULL;
}

void op_regex_free(struct op_regex *re)
{
	if (!re)
		return;
	pcre2_match_context_free(re->limits);
	pcre2_match_data_free(re->match);
	pcre2_code_free(re->code);
	pcre2_general_context_free(re->memory);
	op_heap_free(re);
}

bool op_regex_matches(struct op_regex *re, struct op_view text,
		      struct op_err *err)
{
	PCRE2_SPTR p = text.n ? text.p : (PCRE2_SPTR) "";
	int rc;

	re->err = err;
	rc = pcre2_match(re->code, p, text.n, 0, 0, re->match, re->limits);
	/* Machine code has a small stack; the interpreter uses the heap. */
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(re->code, p, text.n, 0, PCRE2_NO_JIT,
				 re->match, re->limits);
	if (rc >= 0 || rc == PCRE2_ERROR_NOMATCH)
		return rc >= 0;
	op_fail(err, OP_ELIMIT, "a pattern takes too long on '%.*s'",
		(int)(text.n < 80 ? text.n : 80), (const char *)p);
	return false;
}

bool op_regex_is_full(void)
{
	return true;
}
