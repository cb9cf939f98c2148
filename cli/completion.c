// SPDX-License-Identifier: Apache-2.0
/* cli/completion.c: completion scripts for bash, zsh and fish, which complete
 * commands, options and values, made from the tables of options and formats.
 *
 * Values are completed if the table lists them ("yes|no") or says that they are
 * a format. Everything else is a file. */
#include "completion.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "fmt/format.h"

static void out(const char *text)
{
	cli_print(stdout, "%s", text);
}

/* Text with a backslash before each of these characters. */
static void escaped(const char *text, const char *which)
{
	for (; *text; text++)
		cli_print(stdout, "%s%c", strchr(which, *text) ? "\\" : "",
			  *text);
}

/* --- words of an option --- */

static bool has_list(const struct op_opt *o)
{
	return o->type == OP_OPT_INPUT_FORMAT ||
	       o->type == OP_OPT_OUTPUT_FORMAT ||
	       (op_opt_takes_value(o) && strchr(o->arg, '|'));
}

static void formats(bool written)
{
	const char *gap = "";

	for (size_t i = 0; op_formats[i]; i++) {
		const struct op_format *f = op_formats[i];

		if (written ? !f->write : !f->read)
			continue;
		cli_print(stdout, "%s%s", gap, f->name);
		gap = " ";
	}
}

/* The list of values, separated by spaces. */
static void list(const struct op_opt *o)
{
	if (o->type == OP_OPT_INPUT_FORMAT)
		formats(false);
	else if (o->type == OP_OPT_OUTPUT_FORMAT)
		formats(true);
	else
		for (const char *c = o->arg; *c; c++)
			cli_print(stdout, "%c", *c == '|' ? ' ' : *c);
}

static bool is_option(const struct op_opt *o)
{
	return o->type != OP_OPT_FORMATS;
}

/* --- commands --- */

static void names(const struct op_cmd *cmds)
{
	for (const struct op_cmd *c = cmds; c->name; c++)
		cli_print(stdout, "%s%s", c == cmds ? "" : " ", c->name);
}

/* The arguments of `otprof help`. */
static void topics(const struct op_cmd *cmds)
{
	names(cmds);
	out(" formats");
}

static bool is_help(const struct op_cmd *cmd)
{
	return !strcmp(cmd->name, "help");
}

/* Runs every command to get its options, and passes them to fn. */
static int each(const struct op_cmd *cmds, op_opt_fn *fn, struct op_err *err)
{
	op_opt_visit(fn, cmds);
	for (const struct op_cmd *c = cmds; c->name && !err->code; c++) {
		char *argv[] = { (char *)c->name, NULL };

		c->run(c, 1, argv, err);
	}
	op_opt_visit(NULL, NULL);
	return err->code;
}

/* --- bash --- */

static void bash_values(const void *ctx, const struct op_cmd *cmd,
			const struct op_opt *o)
{
	(void)ctx;
	for (; o->type; o++) {
		if (!op_opt_takes_value(o))
			continue;
		cli_print(stdout, "\t'%s --%s'", cmd->name, o->name);
		if (o->letter)
			cli_print(stdout, " | '%s -%c'", cmd->name, o->letter);
		out(") ");
		if (has_list(o)) {
			out("words='");
			list(o);
			out("' ");
		}
		out(";;\n");
	}
}

static void bash_options(const void *ctx, const struct op_cmd *cmd,
			 const struct op_opt *o)
{
	(void)ctx;
	cli_print(stdout, "\t'%s -'*) words='--help -h", cmd->name);
	for (; o->type; o++) {
		if (is_option(o))
			cli_print(stdout, " --%s", o->name);
		if (o->letter)
			cli_print(stdout, " -%c", o->letter);
	}
	out("' ;;\n");
}

static int bash(const struct op_cmd *cmds, struct op_err *err)
{
	out("_otprof()\n"
	    "{\n"
	    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} words=\n"
	    "\tlocal prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	    "\n"
	    "\tCOMPREPLY=()\n"
	    "\t# --option=value is three words to bash.\n"
	    "\tif [[ $cur == = ]]; then\n"
	    "\t\tcur=\n"
	    "\telif [[ $prev == = ]]; then\n"
	    "\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
	    "\tfi\n"
	    "\t[[ \" ${COMP_WORDS[*]:1:COMP_CWORD - 1} \" != *' -- '* ]] ||\n"
	    "\t\treturn 0\n"
	    "\t((COMP_CWORD > 1)) || prev=\n"
	    "\tcase \"${COMP_WORDS[1]} $prev\" in\n");
	each(cmds, bash_values, err);
	out("\t*)\n"
	    "\t\t_otprof_words \"$cur\"\n"
	    "\t\t;;\n"
	    "\tesac\n"
	    "\t# shellcheck disable=SC2207 # no word has a space\n"
	    "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	    "}\n"
	    "\n"
	    "# What is not the value of an option.\n"
	    "_otprof_words()\n"
	    "{\n"
	    "\tif ((COMP_CWORD < 2)); then\n"
	    "\t\twords='");
	names(cmds);
	out(" --help --version'\n"
	    "\t\treturn\n"
	    "\tfi\n"
	    "\tcase \"${COMP_WORDS[1]} $1\" in\n");
	each(cmds, bash_options, err);
	out("\t'help '*) words='");
	topics(cmds);
	out("' ;;\n"
	    "\tesac\n"
	    "}\n"
	    "\n"
	    "# Files, where there are no words.\n"
	    "complete -o bashdefault -o default -F _otprof otprof\n");
	return err->code;
}

/* --- zsh --- */

static void zsh_quoted(const char *text)
{
	for (; *text; text++) {
		char one[] = { *text, 0 };

		if (*text == '\'')
			out("'\\''");
		else
			escaped(one, "[]:\\");
	}
}

static void zsh_value(const struct op_opt *o)
{
	out(":");
	zsh_quoted(o->arg);
	out(":");
	if (has_list(o)) {
		out("(");
		list(o);
		out(")");
	} else {
		out(!strncmp(o->arg, "DIR", 3) ? "_files -/" : "_files");
	}
}

static void zsh_option(const struct op_opt *o)
{
	const char *equals = op_opt_takes_value(o) ? "=" : "";
	const char *plus = op_opt_takes_value(o) ? "+" : "";

	out("\t\t\t");
	if (o->letter)
		cli_print(stdout, "'(-%c --%s)'{-%c%s,--%s%s}'", o->letter,
			  o->name, o->letter, plus, o->name, equals);
	else
		cli_print(stdout, "'%s--%s%s",
			  o->type == OP_OPT_SETTING ? "*" : "", o->name,
			  equals);
	out("[");
	zsh_quoted(o->help);
	out("]");
	if (op_opt_takes_value(o))
		zsh_value(o);
	out("' \\\n");
}

static void zsh_command(const void *ctx, const struct op_cmd *cmd,
			const struct op_opt *o)
{
	cli_print(stdout, "\t%s)\n\t\t_arguments -s -S \\\n", cmd->name);
	for (; o->type; o++)
		if (is_option(o))
			zsh_option(o);
	out("\t\t\t'(-h --help)'{-h,--help}'[print help]' \\\n");
	if (is_help(cmd)) {
		out("\t\t\t'*:topic:(");
		topics(ctx);
		out(")'\n");
	} else {
		out("\t\t\t'*:file:_files'\n");
	}
	out("\t\t;;\n");
}

static int zsh(const struct op_cmd *cmds, struct op_err *err)
{
	out("_otprof()\n"
	    "{\n"
	    "\tlocal -a commands\n"
	    "\n"
	    "\tcommands=(\n");
	for (const struct op_cmd *c = cmds; c->name; c++) {
		cli_print(stdout, "\t\t'%s:", c->name);
		zsh_quoted(c->summary);
		out("'\n");
	}
	out("\t)\n"
	    "\tif ((CURRENT == 2)); then\n"
	    "\t\t_describe -t commands command commands\n"
	    "\t\treturn\n"
	    "\tfi\n"
	    "\tshift words\n"
	    "\t((CURRENT--))\n"
	    "\tcase $words[1] in\n");
	each(cmds, zsh_command, err);
	out("\tesac\n"
	    "}\n"
	    "\n"
	    "_otprof \"$@\"\n");
	return err->code;
}

/* --- fish --- */

static void fish_text(const char *text)
{
	out(" -d '");
	escaped(text, "'\\");
	out("'\n");
}

static void fish_value(const struct op_opt *o)
{
	if (has_list(o)) {
		out(" -x -a '");
		list(o);
		out("'");
	} else if (!strncmp(o->arg, "DIR", 3)) {
		out(" -x -a '(__fish_complete_directories)'");
	} else {
		out(" -r");
	}
}

static void fish_begin(const struct op_cmd *cmd)
{
	cli_print(stdout,
		  "complete -c otprof -n '__fish_seen_subcommand_from %s'",
		  cmd->name);
}

static void fish_command(const void *ctx, const struct op_cmd *cmd,
			 const struct op_opt *o)
{
	for (; o->type; o++) {
		if (!is_option(o))
			continue;
		fish_begin(cmd);
		if (o->letter)
			cli_print(stdout, " -s %c", o->letter);
		cli_print(stdout, " -l %s", o->name);
		if (op_opt_takes_value(o))
			fish_value(o);
		fish_text(o->help);
	}
	fish_begin(cmd);
	out(" -s h -l help");
	fish_text("print help");
	if (is_help(cmd)) {
		fish_begin(cmd);
		out(" -f -a '");
		topics(ctx);
		out("'\n");
	}
}

static int fish(const struct op_cmd *cmds, struct op_err *err)
{
	for (const struct op_cmd *c = cmds; c->name; c++) {
		cli_print(stdout,
			  "complete -c otprof -n __fish_use_subcommand -f "
			  "-a %s",
			  c->name);
		fish_text(c->summary);
	}
	each(cmds, fish_command, err);
	return err->code;
}

int completion_print(const struct op_cmd *cmds, const char *shell,
		     struct op_err *err)
{
	static const struct {
		const char *name, *first;
		int (*print)(const struct op_cmd *cmds, struct op_err *err);
	} shells[] = {
		{ "bash", "", bash },
		{ "zsh", "#compdef otprof\n", zsh },
		{ "fish", "", fish },
	};

	for (size_t i = 0; i < op_countof(shells); i++) {
		if (strcmp(shells[i].name, shell))
			continue;
		cli_print(stdout,
			  "%s# Made by `otprof help --completion %s`.\n",
			  shells[i].first, shell);
		return shells[i].print(cmds, err);
	}
	return op_fail(err, OP_EUSAGE,
		       "--completion takes bash, zsh or fish, not '%s'", shell);
}
