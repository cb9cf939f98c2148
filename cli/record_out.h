// SPDX-License-Identifier: Apache-2.0
/* cli/record_out.h: what becomes of a recording: a file, messages to a server,
 * or an answer. */
#ifndef OP_CLI_RECORD_OUT_H
#define OP_CLI_RECORD_OUT_H

#include "cli.h"
#include "fmt/output.h"
#include "rpc/sender.h"
#include "sym/names.h"

struct record_out_opts {
	const char *cmd;
	const char *path;		/* NULL: no file */
	const struct op_format *format; /* of the file */
	const char *url;		/* NULL: nothing is sent */
	struct op_rpc_opts rpc;
	const char *spool;
	bool no_symbols;
	const char *symbol_path;
};

struct record_out {
	struct record_out_opts opts;
	struct op_output file;
	bool has_file;
	struct op_sender sender;
	bool has_sender;
	struct op_names *names; /* NULL: none were looked up yet */
	/* What is written or shown at the end. */
	struct op_model sum;
	bool has_sum;
};

int record_out_open(struct record_out *o, const struct record_out_opts *opts,
		    struct op_err *err);

/* Whether each window can be disposed of when it ends; otherwise the sum grows
 * with time. */
bool record_out_streams(const struct record_out *o);

/* A window, which it then owns. */
int record_out_put(struct record_out *o, struct op_model *m,
		   struct op_err *err);

/* Writes what is left and waits for the server. Says what was not sent; false:
 * there was such. */
bool record_out_end(struct record_out *o, struct op_err *err);
void record_out_close(struct record_out *o, struct op_err *err);

#endif
