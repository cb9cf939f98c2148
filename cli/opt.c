// SPDX-License-Identifier: Apache-2.0
/* cli/opt.c: parses options according to their table, and prints the help from
 * it. */
#include "opt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "cli.h"
#include "format_help.h"

enum { HELP_COLUMN = 27 };

/* Set to list the options without parsing. */
static op_opt_fn *visit;
static const void *visit_ctx;

void op_opt_visit(op_opt_fn *fn, const void *ctx)
{
	visit = fn;
	visit_ctx = ctx;
}

static void help_row(const struct op_opt *o)
{
	char left[64];

	snprintf(left, sizeof(left), "%c%c%s --%s%s%s", o->letter ? '-' : ' ',
		 o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
		 o->arg ? " " : "", o->arg ? o->arg : "");
	if (strlen(left) > HELP_COLUMN)
		cli_print(stdout, "  %s\n  %-*s %s\n", left, HELP_COLUMN, "",
			  o->help);
	else
		cli_print(stdout, "  %-*s %s\n", HELP_COLUMN, left, o->help);
}

static void help_print(const struct op_cmd *cmd, const struct op_opt *opts)
{
	const struct op_opt *own = opts;

	cli_print(stdout, "usage: otprof %s [OPTION]... %s\n\n%s\n\noptions:\n",
		  cmd->name, cmd->args, cmd->summary);
	for (; opts->type && opts->type != OP_OPT_FORMATS; opts++)
		help_row(opts);
	cli_print(stdout, "  %-*s %s\n", HELP_COLUMN, "-h, --help",
		  "show this help");
	if (opts->type)
		format_options_print(*(const bool *)opts->to, own);
}

const char *const *op_opt_list(struct op_opt_list *l, struct op_err *err)
{
	if (!l->list.n)
		return NULL;
	op_arena_tells(&l->mem, err);
	if (!op_vec_push(&l->mem, &l->list, NULL))
		return NULL;
	l->list.n--;
	return l->list.p;
}

static int setting(const struct op_opt *o, const char *value,
		   struct op_err *err)
{
	struct op_opt_list *l = o->to;
	size_t n = strlen(o->name) + strlen(value) + 2;
	char *text;

	op_arena_tells(&l->mem, err);
	text = op_arena_alloc(&l->mem, n);
	if (!text || !op_vec_push(&l->mem, &l->list, text))
		return err->code;
	snprintf(text, n, "%s=%s", o->name, value);
	return OP_OK;
}

bool op_opt_takes_value(const struct op_opt *o)
{
	return o->type != OP_OPT_FLAG && o->arg;
}

/* A number with an optional suffix for a power of 1024. */
static bool number(const char *s, bool unit, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *power;
	char *end;
	uint64_t v;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno)
		return false;
	power = unit && *end ? strchr(units, *end) : NULL;
	if (power) {
		uint64_t factor = (uint64_t)1024
				  << (unsigned int)(10 * (power - units));

		if (__builtin_mul_overflow(v, factor, &v))
			return false;
		end++;
	}
	if (*end)
		return false;
	*out = v;
	return true;
}

static int set(const struct op_opt *o, const char *value, struct op_err *err)
{
	switch (o->type) {
	case OP_OPT_FLAG:
		*(bool *)o->to = true;
		return OP_OK;
	case OP_OPT_STRING:
	case OP_OPT_INPUT_FORMAT:
	case OP_OPT_OUTPUT_FORMAT:
		*(const char **)o->to = value;
		return OP_OK;
	case OP_OPT_SETTING:
		return setting(o, value ? value : "1", err);
	default:
		if (number(value, o->type == OP_OPT_SIZE, o->to))
			return OP_OK;
		return op_fail(err, OP_EUSAGE,
			       "--%s expects a number, not '%s'", o->name,
			       value);
	}
}

static const struct op_opt *by_letter(const struct op_opt *opts, char letter)
{
	for (; opts->type; opts++)
		if (opts->letter == letter)
			return opts;
	return NULL;
}

static const struct op_opt *by_name(const struct op_opt *opts, const char *name,
				    size_t n)
{
	for (; opts->type; opts++)
		if (opts->name && strlen(opts->name) == n &&
		    !memcmp(opts->name, name, n))
			return opts;
	return NULL;
}

static int unknown_option(const struct op_opt *opts, const char *name, size_t n,
			  struct op_err *err)
{
	struct op_closest c = { .wanted = op_view(name, n) };

	for (; opts->type; opts++)
		op_closest_offer(&c, op_view_z(opts->name));
	if (!c.best.n)
		return op_fail(err, OP_EUSAGE, "unknown option '--%.*s'",
			       (int)n, name);
	return op_fail(err, OP_EUSAGE,
		       "unknown option '--%.*s'; did you mean '--%.*s'?",
		       (int)n, name, (int)c.best.n, (const char *)c.best.p);
}

/* --name, --name=value or --name value; *used counts the arguments taken. */
static int long_option(const struct op_opt *opts, char **argv, int *used,
		       struct op_err *err)
{
	const char *name = argv[0] + 2;
	const char *value = strchr(name, '=');
	size_t n = value ? (size_t)(value - name) : strlen(name);
	const struct op_opt *o = by_name(opts, name, n);

	if (!o)
		return unknown_option(opts, name, n, err);
	if (value)
		value++;
	if (!op_opt_takes_value(o) && value)
		return op_fail(err, OP_EUSAGE, "--%s takes no value", o->name);
	if (op_opt_takes_value(o) && !value) {
		value = argv[1];
		(*used)++;
	}
	if (op_opt_takes_value(o) && !value)
		return op_fail(err, OP_EUSAGE, "--%s requires %s", o->name,
			       o->arg);
	return set(o, value, err);
}

/* -x, -xy for flags, -oVALUE or -o VALUE. */
static int short_options(const struct op_opt *opts, char **argv, int *used,
			 struct op_err *err)
{
	for (const char *c = argv[0] + 1; *c; c++) {
		const struct op_opt *o = by_letter(opts, *c);

		if (!o)
			return op_fail(err, OP_EUSAGE, "unknown option '-%c'",
				       *c);
		if (!op_opt_takes_value(o)) {
			set(o, NULL, err);
			continue;
		}
		if (c[1])
			return set(o, c + 1, err);
		(*used)++;
		if (!argv[1])
			return op_fail(err, OP_EUSAGE, "-%c requires %s",
				       o->letter, o->arg);
		return set(o, argv[1], err);
	}
	return OP_OK;
}

static bool wants_help(const char *arg)
{
	return !strcmp(arg, "--help") || !strcmp(arg, "-h");
}

/* Moves argv[at .. at+n) before argv[to .. at). */
static void move_up(char **argv, int to, int at, int n)
{
	for (; n; n--, to++, at++) {
		char *arg = argv[at];

		memmove(argv + to + 1, argv + to,
			(size_t)(at - to) * sizeof(*argv));
		argv[to] = arg;
	}
}

int op_opt_parse(const struct op_cmd *cmd, const struct op_opt *opts, int argc,
		 char **argv, struct op_err *err)
{
	int first = 1; /* position of the next option */
	int i = 1;

	if (visit) {
		visit(visit_ctx, cmd, opts);
		return OP_OPT_HELP;
	}
	while (i < argc) {
		bool is_long = !strncmp(argv[i], "--", 2);
		int used = 1;

		if (argv[i][0] != '-' || !argv[i][1]) {
			i++;
			continue;
		}
		if (!strcmp(argv[i], "--")) {
			move_up(argv, first, i, 1);
			return first + 1;
		}
		if (wants_help(argv[i])) {
			help_print(cmd, opts);
			return OP_OPT_HELP;
		}
		if ((is_long ? long_option : short_options)(opts, argv + i,
							    &used, err))
			return err->code;
		move_up(argv, first, i, used);
		first += used;
		i += used;
	}
	return first;
}
