// SPDX-License-Identifier: Apache-2.0
/* sym/demangle.c: names of C++ and Rust in readable form. */
#include "sym/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>

/* A few bytes of a name can expand to gigabytes of text, because parts may be
 * repeated by reference. libiberty cannot be told to stop, so a jump leaves it;
 * the functions with a callback keep their data on the stack. */
struct job {
	struct op_buf *out;
	jmp_buf enough;
};

static void put(const char *text, size_t n, void *ctx)
{
	struct job *j = ctx;

	if (n > OP_DEMANGLE_TEXT - j->out->n)
		longjmp(j->enough, 1);
	op_buf_view(j->out, op_view(text, n));
	if (j->out->err->code)
		longjmp(j->enough, 1);
}

/* --- numbers that libiberty counts up to --- */

/* Rust's names may declare any number of lifetimes for a type ('G' and a
 * base-62 number). libiberty iterates over them even if it prints nothing, and
 * then cannot be left. No program has thousands. */
enum { BINDER_DIGITS = 2 };

static size_t digits62(struct op_view v, size_t at)
{
	size_t n = 0;

	while (at + n < v.n && v.p[at + n] != '_')
		n++;
	return n;
}

/* Skips a decimal number and the bytes that it counts. */
static size_t identifier_end(struct op_view v, size_t at)
{
	size_t n = 0;

	if (v.p[at] == '0')
		return at + 1;
	while (at < v.n && v.p[at] >= '0' && v.p[at] <= '9' && n < v.n)
		n = 10 * n + (size_t)(v.p[at++] - '0');
	at += at < v.n && v.p[at] == '_';
	return n < v.n - at ? at + n : v.n;
}

/* Skips a constant: its type, then digits up to a '_', except for 'p' and types
 * that have no digits. */
static size_t constant_end(struct op_view v, size_t at)
{
	if (at >= v.n || v.p[at] < 'a' || v.p[at] > 'z')
		return at;
	if (v.p[at] == 'p')
		return at + 1;
	return at + 1 + digits62(v, at + 1);
}

/* Whether the 's' before at begins a disambiguator: an impl precedes it, or a
 * name follows. Closures, of which there are few, have an empty name. Otherwise
 * it is the type i16, and the rest is examined. Only a complete parser would be
 * certain; callers that must be certain limit the time (sym/helper.h). */
static bool is_disambiguator(struct op_view v, size_t at)
{
	size_t n = digits62(v, at);
	size_t next = at + n + 1;

	if (at >= 2 && (v.p[at - 2] == 'M' || v.p[at - 2] == 'X'))
		return true;
	next += next < v.n && v.p[next] == 'u';
	return next < v.n && v.p[next] >= '0' && v.p[next] <= '9' &&
	       (v.p[next] != '0' || n <= BINDER_DIGITS);
}

static bool counts_too_far(struct op_view v)
{
	size_t at = 0, n;

	while (at < v.n) {
		uint8_t c = v.p[at];

		if (c >= '0' && c <= '9') {
			at = identifier_end(v, at);
			continue;
		}
		at++;
		if (c == 'N')
			at++; /* a letter for the kind of name */
		if (c == 'K')
			at = constant_end(v, at);
		if (c != 'G' && c != 'B' && c != 'L' &&
		    (c != 's' || !is_disambiguator(v, at)))
			continue;
		n = digits62(v, at);
		if (c == 'G' && n > BINDER_DIGITS)
			return true;
		at += n;
	}
	return false;
}

/* --- names --- */

/* Rust's older scheme looks like C++, so Rust is tried first. */
static bool run(const char *name, struct job *j)
{
	if (setjmp(j->enough))
		return false;
	if (rust_demangle_callback(name, 0, put, j))
		return true;
	j->out->n = 0;
	return cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, put,
					  j);
}

/* _Z is C++ and Rust, _R is Rust; some systems add an underscore, and C++
 * blocks have two more. Returns what follows the underscores, or nothing. */
static struct op_view mangled(struct op_view name)
{
	size_t at = 0;

	while (at < name.n && at < 4 && name.p[at] == '_')
		at++;
	if (!at || at == name.n || (name.p[at] != 'Z' && name.p[at] != 'R'))
		return (struct op_view){ 0 };
	return op_view(name.p + at, name.n - at);
}

/* Demangles a part of the name; keeps the rest, which we added. */
static bool part(struct op_view name, size_t n, struct op_buf *out)
{
	char text[OP_DEMANGLE_NAME];
	struct job j = { .out = out };

	memcpy(text, name.p, n);
	text[n] = 0;
	if (!run(text, &j) || !out->n)
		return false;
	op_buf_view(out, op_view(name.p + n, name.n - n));
	return !out->err->code;
}

bool op_demangle(struct op_view name, struct op_buf *out)
{
	static const char plt[] = "@plt";
	struct op_view inner = mangled(name);
	size_t n = name.n;

	out->n = 0;
	if (!inner.n || name.n >= OP_DEMANGLE_NAME ||
	    memchr(name.p, 0, name.n) ||
	    (inner.p[0] == 'R' && counts_too_far(inner)))
		return false;
	if (op_view_ends(name, plt))
		n -= sizeof(plt) - 1;
	if (part(name, n, out))
		return true;
	out->n = 0;
	return false;
}
