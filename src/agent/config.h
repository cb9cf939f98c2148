// SPDX-License-Identifier: Apache-2.0
/* agent/config.h: what the environment says of the agent.
 *
 *	SPLUNK_PROFILER_ENABLED			true or false; default: false
 *	SPLUNK_PROFILER_CALL_STACK_INTERVAL	ms; default: 1000
 *	SPLUNK_PROFILER_MEMORY_ENABLED		true or false; default: false
 *	OTPROF_PROGRAM				the program to run as helper
 *	OTPROF_AGENT_SIGNAL			its number; default: a free one
 *
 * The environment takes precedence over the options of the API. A value that
 * cannot be right is reported and ignored. The helper reads the variables that
 * say where data is sent to. */
#ifndef OP_AGENT_CONFIG_H
#define OP_AGENT_CONFIG_H

#include "base/err.h"

enum { OP_AGENT_MIN_MS = 1, OP_AGENT_MAX_MS = 3600 * 1000 };

enum op_agent_switch { OP_AGENT_UNSET, OP_AGENT_OFF, OP_AGENT_ON };

struct op_agent_config {
	enum op_agent_switch enabled, memory;
	uint64_t interval_ms;
	const char *program;
	int signal; /* 0: a free one */
};

typedef const char *op_agent_getenv_fn(const char *name);
/* Receives one diagnostic message, without a period. */
typedef void op_agent_log_fn(const char *text);

/* Whether the profiler is on: all that is looked at when it is off. */
enum op_agent_switch op_agent_switch(op_agent_getenv_fn *get);

/* Fills what the environment sets; the rest stays. */
void op_agent_config_read(struct op_agent_config *c, op_agent_getenv_fn *get,
			  op_agent_log_fn *log);

#endif
