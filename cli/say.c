// SPDX-License-Identifier: Apache-2.0
/* cli/say.c: the only place that prints.
 *
 * Names in profiles, file names and responses of servers are untrusted: control
 * characters for terminals are replaced before printing. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/printable.h"
#include "cli.h"
#include "pager.h"

/* Limit of a message, which may contain a path. */
enum { MAX_LINE = PATH_MAX + 1024 };

void cli_print(FILE *to, const char *fmt, ...)
{
	char text[MAX_LINE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	op_make_printable(text, "\n\t");
	fputs(text, to);
}

void cli_line(const char *fmt, ...)
{
	char text[MAX_LINE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	op_make_printable(text, "");
	fflush(stdout);
	cli_status_clear();
	fprintf(stderr, "%s\n", text);
}

int cli_report(const char *cmd, const char *file, const struct op_err *err)
{
	char at[40] = "", help[80] = "";

	if (err->has_at)
		snprintf(at, sizeof(at), " (at byte %llu)",
			 (unsigned long long)err->at);
	/* A question already has its mark. */
	if (err->code == OP_EUSAGE && !op_view_ends(op_view_z(err->text), "?"))
		snprintf(help, sizeof(help), "; see 'otprof %s --help'", cmd);
	cli_line("otprof %s: %s%s%s%s%s%s%s", cmd, file ? file : "",
		 file ? ": " : "", err->text, err->sys ? ": " : "",
		 err->sys ? strerror(err->sys) : "", at, help);
	return err->code == OP_EUSAGE ? 2 : 1;
}

static struct {
	void (*fn)(void *ctx, const char *text);
	void *ctx;
} also;

void cli_warn_also(void (*fn)(void *ctx, const char *text), void *ctx)
{
	also.fn = fn;
	also.ctx = ctx;
}

void cli_warn(const char *cmd, const char *file, const char *text)
{
	char line[MAX_LINE];

	snprintf(line, sizeof(line), "%s%s%s", file ? file : "",
		 file ? ": " : "", text);
	if (also.fn)
		also.fn(also.ctx, line);
	cli_line("otprof %s: %s%swarning: %s", cmd, file ? file : "",
		 file ? ": " : "", text);
}

void cli_end(const char *text)
{
	const char *const parts[] = { "otprof: ", text, "\n" };

	cli_output_drop();
	for (size_t i = 0; i < op_countof(parts); i++)
		if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
			break;
	_exit(1);
}

/* --- the line that is written over --- */

void cli_status_clear(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

void cli_status(const char *fmt, ...)
{
	char text[MAX_LINE];
	va_list ap;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	op_make_printable(text, "");
	cli_status_clear();
	fputs(text, stderr);
	fflush(stderr);
}

void cli_progress(int done, int all, const char *file)
{
	if (all < 2)
		return;
	if (file)
		cli_status("%d of %d: %.60s", done + 1, all, file);
	else
		cli_status("%s", "");
}

/* --- standard output --- */

int cli_put(FILE *to, struct op_view v, struct op_err *err)
{
	if (v.n && to == stdout)
		pager_begin();
	if (v.n && fwrite(v.p, 1, v.n, to) != v.n)
		op_fail_sys(err, "cannot write the output");
	return err->code;
}

int cli_flush(struct op_buf *out)
{
	struct op_buf clean = { .err = out->err };

	op_work(out->n, out->err);
	op_buf_printable(&clean, op_view(out->p, out->n), "\n\t");
	if (!out->err->code)
		cli_put(stdout, op_view(clean.p, clean.n), out->err);
	op_buf_free(&clean);
	out->n = 0;
	return out->err->code;
}

int cli_write(struct op_view v, struct op_err *err)
{
	if (isatty(STDOUT_FILENO))
		return op_fail(err, OP_EUSAGE,
			       "will not write a payload to a terminal");
	return cli_put(stdout, v, err);
}
