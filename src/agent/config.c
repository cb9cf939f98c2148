// SPDX-License-Identifier: Apache-2.0
/* agent/config.c: what the environment says of the agent. */
#include "agent/config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/view.h"

static bool is_set(const char *text)
{
	return text && *text;
}

/* log may be NULL. */
static enum op_agent_switch switch_of(op_agent_getenv_fn *get,
				      op_agent_log_fn *log, const char *name)
{
	static const struct {
		const char *text;
		enum op_agent_switch is;
	} words[] = {
		{ "true", OP_AGENT_ON },
		{ "1", OP_AGENT_ON },
		{ "false", OP_AGENT_OFF },
		{ "0", OP_AGENT_OFF },
	};
	const char *text = get(name);
	char message[160];

	if (!is_set(text))
		return OP_AGENT_UNSET;
	for (size_t i = 0; i < op_countof(words); i++)
		if (op_view_eq_nocase(op_view_z(text),
				      op_view_z(words[i].text)))
			return words[i].is;
	snprintf(message, sizeof(message),
		 "%s=%.40s is read as false: expected true or false", name,
		 text);
	if (log)
		log(message);
	return OP_AGENT_OFF;
}

enum op_agent_switch op_agent_switch(op_agent_getenv_fn *get,
				     op_agent_log_fn *log)
{
	return switch_of(get, log, "SPLUNK_PROFILER_ENABLED");
}

enum op_agent_switch op_agent_snapshot_switch(op_agent_getenv_fn *get,
					      op_agent_log_fn *log)
{
	return switch_of(get, log, "SPLUNK_SNAPSHOT_PROFILER_ENABLED");
}

uint32_t op_agent_trace_number(const uint8_t trace[16])
{
	return (uint32_t)(trace[12] & 15) << 24 | (uint32_t)trace[13] << 16 |
	       (uint32_t)trace[14] << 8 | trace[15];
}

/* A number from low to high; false if the variable is not set or is none. */
static bool number(op_agent_getenv_fn *get, op_agent_log_fn *log,
		   const char *name, long low, long high, long *out)
{
	const char *text = get(name);
	char message[160], *end;
	long v;

	if (!is_set(text))
		return false;
	v = strtol(text, &end, 10);
	if (end != text && !*end && v >= low && v <= high) {
		*out = v;
		return true;
	}
	snprintf(message, sizeof(message),
		 "%s=%.40s is ignored: expected a number from %ld to %ld", name,
		 text, low, high);
	log(message);
	return false;
}

/* A number from 0 to 1, whatever the locale; false: it is none. */
static bool fraction(const char *text, double *out)
{
	double v = 0, unit = 1;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && v <= 1; p++)
		v = v * 10 + (*p - '0');
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++)
			v += (*p - '0') * (unit /= 10);
	*out = v;
	return p != text && !*p && v > 0 && v <= 1;
}

static void snapshot_read(struct op_agent_config *c, op_agent_getenv_fn *get,
			  op_agent_log_fn *log)
{
	enum { DEFAULT_MS = 10, LAST = 0xfffffff };
	const char *text = get("SPLUNK_SNAPSHOT_SELECTION_PROBABILITY");
	double p = 0.01;
	long v;

	if (op_agent_snapshot_switch(get, NULL) != OP_AGENT_ON)
		return;
	c->snapshot_ms = DEFAULT_MS;
	if (number(get, log, "SPLUNK_SNAPSHOT_SAMPLING_INTERVAL",
		   OP_AGENT_MIN_MS, OP_AGENT_MAX_MS, &v))
		c->snapshot_ms = (uint64_t)v;
	if (is_set(text) && !fraction(text, &p)) {
		log("SPLUNK_SNAPSHOT_SELECTION_PROBABILITY is ignored: "
		    "expected a number above 0 and up to 1");
		p = 0.01;
	}
	c->snapshot_max = (uint32_t)(p * LAST);
}

void op_agent_config_read(struct op_agent_config *c, op_agent_getenv_fn *get,
			  op_agent_log_fn *log)
{
	const char *program = get("OTPROF_PROGRAM");
	enum op_agent_switch memory;
	long v;

	c->enabled = op_agent_switch(get, NULL);
	memory = switch_of(get, log, "SPLUNK_PROFILER_MEMORY_ENABLED");
	if (memory != OP_AGENT_UNSET)
		c->memory = memory;
	if (number(get, log, "SPLUNK_PROFILER_CALL_STACK_INTERVAL",
		   OP_AGENT_MIN_MS, OP_AGENT_MAX_MS, &v))
		c->interval_ms = (uint64_t)v;
	if (number(get, log, "OTPROF_AGENT_SIGNAL", 1, SIGRTMAX, &v))
		c->signal = (int)v;
	if (is_set(program))
		c->program = program;
	snapshot_read(c, get, log);
}
