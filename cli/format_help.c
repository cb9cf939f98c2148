// SPDX-License-Identifier: Apache-2.0
/* cli/format_help.c: the part of the help about formats. */
#include "format_help.h"

#include <stdio.h>

#include "cli.h"

enum { NAME_COLUMN = 16, OPTION_COLUMN = 27, WIDTH = 80 };

static const char *direction(const struct op_format *f)
{
	if (!f->write)
		return " (read only)";
	return f->read ? "" : " (write only)";
}

void format_list_print(void)
{
	cli_print(stdout, "formats:\n");
	for (size_t i = 0; op_formats[i]; i++)
		cli_print(stdout, "  %-14s %s%s\n", op_formats[i]->name,
			  op_formats[i]->summary, direction(op_formats[i]));
	cli_print(stdout, "\nFiles packed with gzip, zstd or lz4 are "
			  "unpacked. Run 'otprof help FORMAT' for the "
			  "options of a format.\n");
}

/* Whether an earlier option has the same name: an option for both reading and
 * writing is listed twice. */
static bool is_repeated(const struct op_format *f,
			const struct op_format_opt *opt)
{
	for (const struct op_format_opt *o = f->opts; o < opt; o++)
		if (!strcmp(o->name, opt->name))
			return true;
	return false;
}

static void option_print(const struct op_format_opt *o)
{
	char left[64];

	snprintf(left, sizeof(left), "--%s%s%s", o->name, o->arg ? " " : "",
		 o->arg ? o->arg : "");
	if (strlen(left) > OPTION_COLUMN)
		cli_print(stdout, "  %s\n  %-*s %s\n", left, OPTION_COLUMN, "",
			  o->help);
	else
		cli_print(stdout, "  %-*s %s\n", OPTION_COLUMN, left, o->help);
}

void format_help_print(const struct op_format *f)
{
	cli_print(stdout, "%s: %s%s\n", f->name, f->summary, direction(f));
	for (size_t i = 0; i < op_countof(f->endings) && f->endings[i]; i++)
		cli_print(stdout, "%s*%s",
			  i ? ", " : "\nfile names: ", f->endings[i]);
	if (f->endings[0])
		cli_print(stdout, "\n");
	if (f->opts)
		cli_print(stdout, "\noptions:\n");
	for (const struct op_format_opt *o = f->opts; o && o->name; o++)
		if (!is_repeated(f, o))
			option_print(o);
	cli_print(stdout, "\nsee docs/formats/%s.md\n", f->name);
}

/* Whether the command has an option of this name that means something else, so
 * that the format cannot be given it. */
static bool is_shadowed(const struct op_opt *own, const char *name)
{
	for (; own->type && own->type != OP_OPT_FORMATS; own++)
		if (own->type != OP_OPT_SETTING && !strcmp(own->name, name))
			return true;
	return false;
}

/* A line of names, or several lines if there are many. */
static void names_print(const struct op_format *f, bool writes,
			const struct op_opt *own)
{
	size_t column = 0;

	for (const struct op_format_opt *o = f->opts; o->name; o++) {
		size_t n = strlen(o->name) + 3;

		if ((o->writes && !writes) || is_repeated(f, o) ||
		    is_shadowed(own, o->name))
			continue;
		if (!column || column + n > WIDTH) {
			cli_print(stdout, "%s  %-*s", column ? "\n" : "",
				  NAME_COLUMN, column ? "" : f->name);
			column = NAME_COLUMN + 2;
		}
		cli_print(stdout, " --%s", o->name);
		column += n;
	}
	if (column)
		cli_print(stdout, "\n");
}

void format_options_print(bool writes, const struct op_opt *own)
{
	cli_print(stdout,
		  "\nformat options ('otprof help FORMAT' explains them):\n");
	for (size_t i = 0; op_formats[i]; i++)
		if (op_formats[i]->opts)
			names_print(op_formats[i], writes, own);
}
