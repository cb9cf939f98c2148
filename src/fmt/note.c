// SPDX-License-Identifier: Apache-2.0
/* fmt/note.c: what readers report beside the model. */
#include "fmt/format.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/printable.h"

enum { TEXT_BYTES = 200 };

static void send(const struct op_read_opts *opts, const char *text)
{
	if (opts && opts->note)
		opts->note(opts->note_ctx, text);
}

void op_note(const struct op_read_opts *opts, const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	op_make_printable(text, "");
	send(opts, text);
}

int op_note_skipped(const struct op_read_opts *opts, struct op_err *err,
		    const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list args;

	if (err->code)
		return err->code;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	op_make_printable(text, "");
	if (opts && opts->strict)
		return op_fail(err, OP_EFORMAT, "%s (an error with --strict)",
			       text);
	send(opts, text);
	return OP_OK;
}
