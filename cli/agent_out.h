// SPDX-License-Identifier: Apache-2.0
/* cli/agent_out.h: where the samples of an agent go: logs, profiles, files. */
#ifndef OP_CLI_AGENT_OUT_H
#define OP_CLI_AGENT_OUT_H

#include "agent/helper.h"
#include "cli.h"
#include "fmt/output.h"
#include "rpc/sender.h"
#include "sym/names.h"

struct agent_out {
	const char *cmd;
	uint32_t pid, sampler; /* the program, and a thread of it */
	bool has_text, has_pprof, has_otlp; /* what is sent */
	char path[4096];		    /* of the file; empty: none */
	struct op_output file;
	bool has_file;
	struct op_sender sender;
	bool has_sender;
	struct op_names *names;
	uint64_t nr_messages;
};

/* Reads what is wanted, such as "splunk-text,file:x.otlp". In a path %p is the
 * process ID, and %t the ID of the thread that takes samples. */
int agent_out_parse(struct agent_out *o, const char *text, struct op_err *err);
/* Which models it wants. */
bool agent_out_wants(const struct agent_out *o, enum op_agent_helper_kind kind);

int agent_out_open(struct agent_out *o, struct op_err *err);
/* Models of a window, which stay the caller's. */
int agent_out_put(struct agent_out *o, struct op_model m[OP_AGENT_KINDS],
		  struct op_err *err);
/* Waits for the server, reports what was not sent, completes the file. */
void agent_out_close(struct agent_out *o, struct op_err *err);

#endif
