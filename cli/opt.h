// SPDX-License-Identifier: Apache-2.0
/* cli/opt.h: options as a table of typed entries bound to variables. The same
 * table produces the help and the completion scripts, and scripts/check-docs
 * compares the man pages with it. */
#ifndef OP_CLI_OPT_H
#define OP_CLI_OPT_H

#include "base/err.h"
#include "base/vec.h"

enum op_opt_type {
	OP_OPT_END,
	OP_OPT_FLAG,   /* bool */
	OP_OPT_U64,    /* uint64_t */
	OP_OPT_SIZE,   /* uint64_t, with a suffix K, M, G or T */
	OP_OPT_STRING, /* const char * */
	/* const char *, the name of an input or output format */
	OP_OPT_INPUT_FORMAT,
	OP_OPT_OUTPUT_FORMAT,
	/* struct op_opt_list, to which "name=value" is added; without an arg it
	 * takes no value and "name=1" is added. */
	OP_OPT_SETTING,
	/* Not an option: the ones that follow are format options, listed by
	 * format in the help. to is a bool: whether the command writes. */
	OP_OPT_FORMATS,
};

struct op_opt_list {
	struct op_arena mem;
	OP_VEC(const char *) list;
};

/* The list, NULL-terminated; NULL if it is empty or out of memory. */
const char *const *op_opt_list(struct op_opt_list *l, struct op_err *err);

struct op_opt {
	enum op_opt_type type;
	char letter; /* 0: none */
	const char *name;
	/* Name of the argument in the help; "yes|no" lists all values. */
	const char *arg;
	const char *help;
	void *to;
};

struct op_cmd {
	const char *name;
	const char *args; /* after the options, for the usage line */
	const char *summary;
	int (*run)(const struct op_cmd *cmd, int argc, char **argv,
		   struct op_err *err);
};

enum { OP_OPT_HELP = -100 };

/* Parses argv[1..] and returns the index of the first argument that is not an
 * option. Options and arguments may be mixed, and -- ends the options.
 * Arguments are moved after the options in argv. OP_OPT_HELP: --help was given
 * and printed. A negative code: wrong usage, described in err. */
int op_opt_parse(const struct op_cmd *cmd, const struct op_opt *opts, int argc,
		 char **argv, struct op_err *err);

bool op_opt_takes_value(const struct op_opt *o);

/* From now on op_opt_parse() passes the options of a command to fn, parses
 * nothing and returns OP_OPT_HELP. NULL: back to normal. */
typedef void op_opt_fn(const void *ctx, const struct op_cmd *cmd,
		       const struct op_opt *opts);
void op_opt_visit(op_opt_fn *fn, const void *ctx);

#endif
