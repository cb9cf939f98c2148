// SPDX-License-Identifier: Apache-2.0
/* cli/record_out.h: what becomes of a recording: a file, messages to a server,
 * or an answer. */
#ifndef OP_CLI_RECORD_OUT_H
#define OP_CLI_RECORD_OUT_H

#include <pthread.h>

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
	struct op_kept *kept; /* binaries that their names do not lead to */
	/* Called after each window, from the thread that has disposed of it;
	 * may be NULL. */
	void (*shown)(void *ctx, const struct op_model *sum,
		      struct op_err *err);
	void *ctx;
	struct record_page *page; /* that shows each window too; or NULL */
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

	/* The thread that disposes of windows, so that looking up names does
	 * not keep samples waiting. The rest is its own while it is busy. */
	pthread_t thread;
	pthread_mutex_t mu;
	pthread_cond_t cond;
	bool has_thread, is_busy, is_over;
	bool is_part;	    /* the window is a part of a message */
	uint64_t helper_us; /* CPU time of who looks up names */
	struct op_model window;
	struct op_err err;
};

/* Writes a message of OTLP behind its length. */
int record_message_write(struct op_sink *to, const struct op_model *m,
			 struct op_err *err);

int record_out_open(struct record_out *o, const struct record_out_opts *opts,
		    struct op_err *err);

/* Whether each window can be disposed of when it ends; otherwise the sum grows
 * with time. */
bool record_out_streams(const struct record_out *o);

/* Whether it has not disposed of the last window yet. */
bool record_out_is_busy(struct record_out *o);

/* CPU time of the process that looks up names, up to the last window. */
uint64_t record_out_helper_us(struct record_out *o);

/* A window, which it then owns. It must not be busy. Fails if the one before
 * could not be disposed of. */
int record_out_put(struct record_out *o, struct op_model *m,
		   struct op_err *err);

/* Before record_out_put(): whether it is only a part of a message. */
void record_out_part(struct record_out *o, bool is_part);

/* Waits until it is not busy. */
int record_out_wait(struct record_out *o, struct op_err *err);

/* Writes what is left and waits for the server. Says what was not sent; false:
 * there was such. */
bool record_out_end(struct record_out *o, struct op_err *err);
void record_out_close(struct record_out *o, struct op_err *err);

#endif
