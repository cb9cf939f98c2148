// SPDX-License-Identifier: Apache-2.0
/* base/err.c: records the first error, and names the file it is about. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/printable.h"

/* No memory may mean that the budget has no more. */
static bool is_refused(int code)
{
	const struct op_budget *b = op_budget();

	return code == OP_ENOMEM && b && b->refused;
}

static void record(struct op_err *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	if (is_refused(code))
		op_budget_why(err->text, sizeof(err->text));
	op_make_printable(err->text, "");
}

int op_fail(struct op_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err->code)
		return err->code;
	va_start(ap, fmt);
	record(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int op_fail_at(struct op_err *err, int code, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	if (err->code)
		return err->code;
	err->at = at;
	err->has_at = true;
	va_start(ap, fmt);
	record(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int op_fail_sys(struct op_err *err, const char *fmt, ...)
{
	int sys = errno;
	va_list ap;

	if (err->code)
		return err->code;
	err->sys = sys;
	va_start(ap, fmt);
	record(err, sys == ENOMEM ? OP_ENOMEM : OP_EIO, fmt, ap);
	va_end(ap);
	return err->code;
}

int op_fail_memory(struct op_err *err, size_t bytes)
{
	return op_fail(err, OP_ENOMEM, "no memory for %zu bytes", bytes);
}

struct op_err op_err_ignored = { .code = OP_ENOMEM };

/* "cannot open" and the like, without a name yet. */
static bool wants_object(const struct op_err *err)
{
	const char *verb = strchr(err->text, ' ');

	return err->sys && verb && !strchr(verb + 1, ' ');
}

int op_err_about(struct op_err *err, const char *path)
{
	char text[sizeof(err->text)], name[100];
	size_t len = strlen(path), most = sizeof(name) - 1;

	memcpy(text, err->text, sizeof(text));
	snprintf(name, sizeof(name), "%s%s", len > most ? "..." : "",
		 len > most ? path + len - most + 3 : path);
	op_make_printable(name, "");
	if (wants_object(err))
		snprintf(err->text, sizeof(err->text), "%.100s '%s'", text,
			 name);
	else
		snprintf(err->text, sizeof(err->text), "%s: %.*s", name,
			 (int)(sizeof(err->text) - strlen(name) - 3), text);
	return err->code;
}
