// SPDX-License-Identifier: Apache-2.0
#include "agent/config.h"

#include "test.h"

/* The environment: names and values. */
static struct {
	const char *name, *text;
} settings[] = {
	{ "SPLUNK_PROFILER_ENABLED", NULL },
	{ "SPLUNK_PROFILER_MEMORY_ENABLED", NULL },
	{ "SPLUNK_SNAPSHOT_PROFILER_ENABLED", NULL },
	{ "SPLUNK_PROFILER_CALL_STACK_INTERVAL", NULL },
	{ "SPLUNK_SNAPSHOT_SAMPLING_INTERVAL", NULL },
	{ "SPLUNK_SNAPSHOT_SELECTION_PROBABILITY", NULL },
	{ "OTPROF_AGENT_SIGNAL", NULL },
	{ "OTPROF_PROGRAM", NULL },
};
enum {
	ENABLED,
	MEMORY,
	SNAPSHOT,
	INTERVAL,
	SNAPSHOT_INTERVAL,
	PROBABILITY,
	SIGNAL,
	PROGRAM
};

static int nr_messages;
static char message[200];

static const char *get(const char *name)
{
	for (size_t i = 0; i < op_countof(settings); i++)
		if (!strcmp(name, settings[i].name))
			return settings[i].text;
	return NULL;
}

static void set(int which, const char *text)
{
	settings[which].text = text;
	nr_messages = 0;
}

static void log_line(const char *text)
{
	nr_messages++;
	snprintf(message, sizeof(message), "%s", text);
}

/* All three take the same words. */
static enum op_agent_switch switch_read(int which)
{
	struct op_agent_config c = { 0 };

	if (which == ENABLED)
		return op_agent_switch(get, log_line);
	if (which == SNAPSHOT)
		return op_agent_snapshot_switch(get, log_line);
	op_agent_config_read(&c, get, log_line);
	return c.memory;
}

TEST(switches)
{
	static const struct {
		const char *text;
		enum op_agent_switch is;
		int messages;
	} rows[] = {
		{ NULL, OP_AGENT_UNSET, 0 },  { "", OP_AGENT_UNSET, 0 },
		{ "true", OP_AGENT_ON, 0 },   { "True", OP_AGENT_ON, 0 },
		{ "TRUE", OP_AGENT_ON, 0 },   { "tRuE", OP_AGENT_ON, 0 },
		{ "1", OP_AGENT_ON, 0 },      { "false", OP_AGENT_OFF, 0 },
		{ "False", OP_AGENT_OFF, 0 }, { "0", OP_AGENT_OFF, 0 },
		{ "yes", OP_AGENT_OFF, 1 },   { "on", OP_AGENT_OFF, 1 },
		{ "truex", OP_AGENT_OFF, 1 }, { " true", OP_AGENT_OFF, 1 },
		{ "2", OP_AGENT_OFF, 1 },     { "no", OP_AGENT_OFF, 1 },
	};

	for (int which = ENABLED; which <= SNAPSHOT; which++) {
		for (size_t i = 0; i < op_countof(rows); i++) {
			set(which, rows[i].text);
			CHECK_EQ(switch_read(which), rows[i].is);
			CHECK_EQ(nr_messages, rows[i].messages);
		}
		CHECK(strstr(message, settings[which].name) &&
		      strstr(message, "=no is read as false"));
		set(which, NULL);
	}
}

/* What the program was told when it was loaded is not said again. */
TEST(switches_are_reported_once)
{
	struct op_agent_config c = { 0 };

	set(ENABLED, "yes");
	set(SNAPSHOT, "yes");
	op_agent_config_read(&c, get, log_line);
	CHECK_EQ(c.enabled, OP_AGENT_OFF);
	CHECK_EQ(c.snapshot_ms, 0);
	CHECK_EQ(nr_messages, 0);
	set(ENABLED, NULL);
	set(SNAPSHOT, NULL);
}

/* The API has turned it on. */
TEST(memory_of_the_environment_wins)
{
	struct op_agent_config c = { .memory = OP_AGENT_ON };

	op_agent_config_read(&c, get, log_line);
	CHECK_EQ(c.memory, OP_AGENT_ON);
	set(MEMORY, "false");
	op_agent_config_read(&c, get, log_line);
	CHECK_EQ(c.memory, OP_AGENT_OFF);
	set(MEMORY, NULL);
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

		set(INTERVAL, rows[i].text);
		op_agent_config_read(&c, get, log_line);
		CHECK_EQ(c.interval_ms, rows[i].ms);
		CHECK_EQ(nr_messages, rows[i].messages);
	}
	CHECK(strstr(message, "SPLUNK_PROFILER_CALL_STACK_INTERVAL") &&
	      strstr(message, "ignored"));
	set(INTERVAL, NULL);
}

TEST(snapshots)
{
	static const struct {
		const char *interval, *probability;
		uint64_t ms;
		uint32_t max;
		int messages;
	} rows[] = {
		{ NULL, NULL, 10, 2684354, 0 },
		{ "", "", 10, 2684354, 0 },
		{ "1", "1", 1, 0xfffffff, 0 },
		{ "3600000", "1.0", 3600000, 0xfffffff, 0 },
		{ "20", "0.5", 20, 0x7ffffff, 0 },
		{ "20", ".5", 20, 0x7ffffff, 0 },
		{ "0", NULL, 10, 2684354, 1 },
		{ "3600001", NULL, 10, 2684354, 1 },
		{ "fast", "often", 10, 2684354, 2 },
		{ NULL, "0", 10, 2684354, 1 },
		{ NULL, "1.01", 10, 2684354, 1 },
		{ NULL, "-0.5", 10, 2684354, 1 },
		{ NULL, "0,5", 10, 2684354, 1 },
		{ NULL, "50%", 10, 2684354, 1 },
		{ NULL, ".", 10, 2684354, 1 },
		{ NULL, "99999999999999999999", 10, 2684354, 1 },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_agent_config c = { 0 };

		set(SNAPSHOT_INTERVAL, rows[i].interval);
		set(PROBABILITY, rows[i].probability);
		/* Off, nothing is looked at. */
		op_agent_config_read(&c, get, log_line);
		CHECK_EQ(c.snapshot_ms, 0);
		CHECK_EQ(nr_messages, 0);
		set(SNAPSHOT, "true");
		op_agent_config_read(&c, get, log_line);
		CHECK_EQ(c.snapshot_ms, rows[i].ms);
		CHECK_EQ(c.snapshot_max, rows[i].max);
		CHECK_EQ(nr_messages, rows[i].messages);
		set(SNAPSHOT, NULL);
	}
	set(SNAPSHOT_INTERVAL, NULL);
	set(PROBABILITY, NULL);
}

TEST(the_rest)
{
	struct op_agent_config c = { .program = "default" };

	op_agent_config_read(&c, get, log_line);
	CHECK_STR(c.program, "default");
	CHECK_EQ(c.signal, 0);
	set(SIGNAL, "23");
	set(PROGRAM, "/opt/otprof");
	op_agent_config_read(&c, get, log_line);
	CHECK_STR(c.program, "/opt/otprof");
	CHECK_EQ(c.signal, 23);
	set(SIGNAL, "65");
	op_agent_config_read(&c, get, log_line);
	CHECK_EQ(nr_messages, 1);
}

TEST_MAIN(switches, switches_are_reported_once, memory_of_the_environment_wins,
	  numbers, snapshots, the_rest)
