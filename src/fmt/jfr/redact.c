// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/redact.c: what names and arguments say that nobody should read on.
 *
 * Rather too much is taken out than too little: arguments come joined by
 * blanks and without quotes, so that a value ends where the next word begins
 * with a dash. */
#include "fmt/jfr/redact.h"

#include "fmt/jfr/jfr_int.h"

#define REDACTED "[redacted]"

static bool holds(struct op_view text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.n; i++)
		if (op_view_eq_nocase(op_view(text.p + i, n), op_view_z(word)))
			return true;
	return false;
}

bool op_jfr_is_secret(struct op_view name)
{
	static const char *const words[] = {
		"password", "passwd", "passphrase", "passwort", "secret",
		"token",    "key",    "credential", "auth",	"private",
		"cookie",   "pwd",    "bearer",	    "signature"
	};

	/* Folders, not passwords. */
	if (op_view_is(name, "PWD") || op_view_is(name, "OLDPWD"))
		return false;
	for (size_t i = 0; i < op_countof(words); i++)
		if (holds(name, words[i]))
			return true;
	return false;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Where the value that begins here ends. */
static size_t value_end(struct op_view t, size_t at)
{
	while (at < t.n &&
	       !(is_blank(t.p[at]) && at + 1 < t.n && t.p[at + 1] == '-'))
		at++;
	return at;
}

/* The name that ends before this byte. */
static struct op_view name_before(struct op_view t, size_t at)
{
	size_t from = at;

	while (from && !is_blank(t.p[from - 1]) &&
	       !strchr("=,;&?\"'", t.p[from - 1]))
		from--;
	return op_view(t.p + from, at - from);
}

/* Whether a word that begins with a dash ends here: its value is the next. */
static bool ends_option(struct op_view t, size_t at)
{
	struct op_view name = name_before(t, at);

	return is_blank(t.p[at]) && at + 1 < t.n && t.p[at + 1] != '-' &&
	       name.n > 1 && name.p[0] == '-' &&
	       (name.p == t.p || is_blank(name.p[-1])) &&
	       op_jfr_is_secret(name);
}

/* "//user:word@host": where the word ends, or 0. */
static size_t user_end(struct op_view t, size_t at)
{
	size_t colon = 0;

	if (at < 2 || t.p[at - 1] != '/' || t.p[at - 2] != '/')
		return 0;
	for (; at < t.n && !is_blank(t.p[at]) && t.p[at] != '/'; at++) {
		if (t.p[at] == ':' && !colon)
			colon = at;
		if (t.p[at] == '@')
			return colon ? at : 0;
	}
	return 0;
}

/* The end of the secret that begins at a byte; 0: none does. */
static size_t secret_end(struct op_view t, size_t at)
{
	if (!at)
		return 0;
	if (t.p[at - 1] == '=' && op_jfr_is_secret(name_before(t, at - 1)))
		return value_end(t, at);
	if (ends_option(t, at - 1))
		return value_end(t, at);
	return user_end(t, at);
}

struct op_view op_jfr_redact(struct op_arena *mem, struct op_view text,
			     struct op_err *err)
{
	struct op_buf out = { .err = err };
	struct op_view v = text;
	uint8_t *copy;
	size_t kept = 0;

	for (size_t i = 0; i < text.n; i++) {
		size_t end = secret_end(text, i);

		if (end <= i)
			continue;
		op_buf_view(&out, op_view(text.p + kept, i - kept));
		op_buf_z(&out, REDACTED);
		kept = end;
		i = end - 1;
	}
	op_buf_view(&out, op_view(text.p + kept, text.n - kept));
	if (kept && !err->code) {
		copy = op_arena_alloc(mem, out.n);
		if (copy)
			memcpy(copy, out.p, out.n);
		v = op_view(copy, copy ? out.n : 0);
	}
	op_buf_free(&out);
	return v;
}
