// SPDX-License-Identifier: Apache-2.0
#include "agent/config.h"

#include "test.h"

static const char *enabled, *interval, *sig, *program;
static int nr_messages;
static char message[200];

static const char *get(const char *name)
{
	if (!strcmp(name, "SPLUNK_PROFILER_ENABLED"))
		return enabled;
	if (!strcmp(name, "SPLUNK_PROFILER_CALL_STACK_INTERVAL"))
		return interval;
	if (!strcmp(name, "OTPROF_AGENT_SIGNAL"))
		return sig;
	return strcmp(name, "OTPROF_PROGRAM") ? NULL : program;
}

static void log_line(const char *text)
{
	nr_messages++;
	snprintf(message, sizeof(message), "%s", text);
}

TEST(enable)
{
	static const struct {
		const char *text;
		enum op_agent_switch is;
	} rows[] = {
		{ NULL, OP_AGENT_UNSET },  { "", OP_AGENT_UNSET },
		{ "true", OP_AGENT_ON },   { "True", OP_AGENT_ON },
		{ "TRUE", OP_AGENT_ON },   { "1", OP_AGENT_ON },
		{ "false", OP_AGENT_OFF }, { "0", OP_AGENT_OFF },
		{ "yes", OP_AGENT_OFF },   { "truex", OP_AGENT_OFF },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		enabled = rows[i].text;
		CHECK_EQ(op_agent_switch(get), rows[i].is);
	}
	enabled = NULL;
}

TEST(numbers)
{
	static const struct {
		const char *text;
		uint64_t ms;
		int messages;
	} rows[] = {
		{ NULL, 1000, 0 },
		{ "", 1000, 0 },
		{ "10", 10, 0 },
		{ "3600000", 3600000, 0 },
		{ "0", 1000, 1 },
		{ "3600001", 1000, 1 },
		{ "-5", 1000, 1 },
		{ "10ms", 1000, 1 },
		{ "ten", 1000, 1 },
		{ "1e3", 1000, 1 },
		{ "99999999999999999999", 1000, 1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_agent_config c = { .interval_ms = 1000 };

		nr_messages = 0;
		interval = rows[i].text;
		op_agent_config_read(&c, get, log_line);
		CHECK_EQ(c.interval_ms, rows[i].ms);
		CHECK_EQ(nr_messages, rows[i].messages);
	}
	CHECK(strstr(message, "SPLUNK_PROFILER_CALL_STACK_INTERVAL") &&
	      strstr(message, "ignored"));
	interval = NULL;
}

TEST(the_rest)
{
	struct op_agent_config c = { .program = "default" };

	op_agent_config_read(&c, get, log_line);
	CHECK_STR(c.program, "default");
	CHECK_EQ(c.signal, 0);
	sig = "23";
	program = "/opt/otprof";
	op_agent_config_read(&c, get, log_line);
	CHECK_STR(c.program, "/opt/otprof");
	CHECK_EQ(c.signal, 23);
	nr_messages = 0;
	sig = "65";
	op_agent_config_read(&c, get, log_line);
	CHECK_EQ(nr_messages, 1);
}

TEST_MAIN(enable, numbers, the_rest)
