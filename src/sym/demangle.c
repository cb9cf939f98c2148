// SPDX-License-Identifier: Apache-2.0
#include "sym/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>

/* A few bytes of a name can stand for gigabytes of text, because parts are
 * referred to again. libiberty cannot be told to stop, so it is left by a
 * jump; the forms with a callback keep what they need on the stack. */
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

/* Rust's older scheme looks like C++, so that Rust is asked first. */
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

/* _Z C++ and Rust, _R Rust; one more underscore before it on some systems, and
 * two of them where C++ has blocks. */
static bool is_mangled(struct op_view name)
{
	size_t at = 0;

	while (at < name.n && at < 4 && name.p[at] == '_')
		at++;
	return at && at < name.n && (name.p[at] == 'Z' || name.p[at] == 'R');
}

/* Runs it on a part of the name; the rest, which we put there, stays. */
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
	size_t n = name.n;

	out->n = 0;
	if (!is_mangled(name) || name.n >= OP_DEMANGLE_NAME ||
	    memchr(name.p, 0, name.n))
		return false;
	if (op_view_ends(name, plt))
		n -= sizeof(plt) - 1;
	if (part(name, n, out))
		return true;
	out->n = 0;
	return false;
}
