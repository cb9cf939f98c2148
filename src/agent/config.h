// SPDX-License-Identifier: Apache-2.0
/* agent/config.h: what the environment says of the agent.
 *
 *	SPLUNK_PROFILER_ENABLED			true or false; default: false
 *	SPLUNK_PROFILER_CALL_STACK_INTERVAL	ms; default: 1000
 *	SPLUNK_PROFILER_MEMORY_ENABLED		true or false; default: false
 *	SPLUNK_SNAPSHOT_PROFILER_ENABLED	true or false; default: false
 *	SPLUNK_SNAPSHOT_SAMPLING_INTERVAL	ms; default: 10
 *	SPLUNK_SNAPSHOT_SELECTION_PROBABILITY	of a trace; default: 0.01
 *	OTPROF_PROGRAM				the program to run as helper
 *	OTPROF_AGENT_SIGNAL			its number; default: a free one
 *
 * The environment takes precedence over the options of the API. A value that
 * cannot be right is reported and ignored; a switch that is neither true nor
 * false is reported and means false, as OpenTelemetry has it. The helper reads
 * the variables that say where data is sent to. */
#ifndef OP_AGENT_CONFIG_H
#define OP_AGENT_CONFIG_H

#include "base/err.h"

enum { OP_AGENT_MIN_MS = 1, OP_AGENT_MAX_MS = 3600 * 1000 };

enum op_agent_switch { OP_AGENT_UNSET, OP_AGENT_OFF, OP_AGENT_ON };

struct op_agent_config {
	enum op_agent_switch enabled, memory;
	uint64_t interval_ms;
	/* Of threads in spans of traces that are selected; 0: not at all. */
	uint64_t snapshot_ms;
	uint32_t snapshot_max; /* the largest op_agent_trace_number() */
	const char *program;
	int signal; /* 0: a free one */
};

typedef const char *op_agent_getenv_fn(const char *name);
/* Receives one diagnostic message, without a period. */
typedef void op_agent_log_fn(const char *text);

/* Whether the profiler is on, and whether snapshots are: all that is looked at
 * when both are off. log may be NULL, so that a value is reported once. */
enum op_agent_switch op_agent_switch(op_agent_getenv_fn *get,
				     op_agent_log_fn *log);
enum op_agent_switch op_agent_snapshot_switch(op_agent_getenv_fn *get,
					      op_agent_log_fn *log);

/* What decides whether a trace is selected: the last seven digits of its ID. */
uint32_t op_agent_trace_number(const uint8_t trace[16]);

/* Fills what the environment sets; the rest stays. The two switches above are
 * not reported again. */
void op_agent_config_read(struct op_agent_config *c, op_agent_getenv_fn *get,
			  op_agent_log_fn *log);

#endif
