// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_agent.c: otprof agent: the helper process of a program that is
 * profiled from inside (src/agent). The agent in the program starts it. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "agent_out.h"
#include "base/number.h"

enum { STEP_MS = 1000 };

/* How often samples are sent. */
static const uint64_t window_ns = 10000000000;

static const char default_output[] = "splunk-text";

struct agent {
	uint64_t pid, sampler, channel, tables, alive, interval_ms, snapshot_ms;
	uint64_t memory;
	const char *output;
	struct op_agent_helper helper;
	struct agent_out out;
	uint64_t since_ns;
	struct op_err *err;
};

static int option_parse(struct agent *a, const struct op_cmd *cmd, int argc,
			char **argv)
{
	const struct op_opt opts[] = {
		{ OP_OPT_U64, 0, "pid", "PID", "the program", &a->pid },
		{ OP_OPT_U64, 0, "sampler", "TID",
		  "the thread in it that takes samples", &a->sampler },
		{ OP_OPT_U64, 0, "channel", "FD", "memory to share with it",
		  &a->channel },
		{ OP_OPT_U64, 0, "tables", "FD", "memory of unwind tables",
		  &a->tables },
		{ OP_OPT_U64, 0, "alive", "FD",
		  "a socket that ends with this process", &a->alive },
		{ OP_OPT_U64, 0, "interval", "MS", "time between two samples",
		  &a->interval_ms },
		{ OP_OPT_U64, 0, "memory", "0|1",
		  "whether allocations are sampled, too", &a->memory },
		{ OP_OPT_U64, 0, "snapshot-interval", "MS",
		  "time between two samples of a selected trace",
		  &a->snapshot_ms },
		{ OP_OPT_STRING, 0, "output", "WHERE,...",
		  "splunk-text, splunk-pprof, otlp, file:PATH; "
		  "default: splunk-text",
		  &a->output },
		{ 0 },
	};

	return op_opt_parse(cmd, opts, argc, argv, a->err);
}

static int window_end(struct agent *a)
{
	struct op_model m[OP_AGENT_KINDS];

	a->since_ns = cli_now_ns();
	if (!op_agent_helper_take(&a->helper, m))
		agent_out_put(&a->out, m, a->err);
	for (int i = 0; i < OP_AGENT_KINDS; i++)
		op_model_free(&m[i]);
	/* Programs run for long: a window is an input of its own, and messages
	 * that waited for a server leave holes in the heap. */
	cli_budget_next();
	op_heap_trim();
	return a->err->code;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Said only if asked for and there is something to say, or if something is
 * missing. */
static void report(const struct agent *a)
{
	const struct op_agent_helper_counts *c = &a->helper.counts;
	double rounds = c->rounds ? (double)c->rounds : 1;

	if (c->lost || c->late)
		cli_line("otprof agent: %" PRIu64 " samples lost, %" PRIu64
			 " not taken",
			 c->lost, c->late);
	if (c->unheard)
		cli_line("otprof agent: %" PRIu64
			 " signals to threads did not arrive, and were "
			 "sent again",
			 c->unheard);
	if (!getenv("OTPROF_AGENT_REPORT") || !(c->samples || c->allocs))
		return;
	cli_line("otprof agent: %" PRIu64 " samples in %" PRIu64
		 " rounds, %" PRIu64
		 " skipped, %.8s%% of stacks complete, %" PRIu64
		 " signals, spread %.12s ms on average, %.12s ms at most, "
		 "%.12s s of CPU time in the helper",
		 c->samples, c->rounds, c->skipped,
		 op_fixed_text(c->samples ? 100 * (double)c->complete /
						    (double)c->samples :
					    100,
			       1)
			 .s,
		 c->signals,
		 op_fixed_text((double)c->spread_ns / rounds / 1e6, 3).s,
		 op_fixed_text((double)c->max_spread_ns / 1e6, 3).s,
		 op_fixed_text(cpu_seconds(), 3).s);
}

static int run(struct agent *a)
{
	struct op_agent_helper_opts o = {
		.pid = (uint32_t)a->pid,
		.sampler = (uint32_t)a->sampler,
		.channel = (int)a->channel,
		.tables = (int)a->tables,
		.alive = (int)a->alive,
		.interval_ns = a->interval_ms * 1000000,
		.has_memory = a->memory,
		.snapshot_ns = a->snapshot_ms * 1000000,
	};

	for (int i = 0; i < OP_AGENT_KINDS; i++)
		o.wants[i] = agent_out_wants(&a->out,
					     (enum op_agent_helper_kind)i);
	if (agent_out_open(&a->out, a->err) ||
	    op_agent_helper_init(&a->helper, &o, a->err))
		return a->err->code;
	a->since_ns = cli_now_ns();
	while (!a->helper.has_ended &&
	       !op_agent_helper_step(&a->helper, STEP_MS))
		if (cli_now_ns() - a->since_ns >= window_ns ||
		    op_agent_helper_is_full(&a->helper))
			window_end(a);
	if (!a->err->code)
		window_end(a);
	report(a);
	return a->err->code;
}

int cmd_agent(const struct op_cmd *cmd, int argc, char **argv,
	      struct op_err *err)
{
	const char *wanted = getenv("OTPROF_AGENT_OUTPUT");
	static struct agent a;
	int first;

	a = (struct agent){ .err = err, .out.cmd = cmd->name };
	first = option_parse(&a, cmd, argc, argv);
	if (first < 0)
		return first;
	if (!a.pid || !a.channel || (!a.interval_ms && !a.snapshot_ms))
		return op_fail(err, OP_EUSAGE,
			       "this is started by the agent in a program; "
			       "see otprof run");
	if (!wanted || !*wanted)
		wanted = a.output ? a.output : default_output;
	signal(SIGPIPE, SIG_IGN);
	a.out.pid = (uint32_t)a.pid;
	a.out.sampler = (uint32_t)a.sampler;
	if (!agent_out_parse(&a.out, wanted, err))
		run(&a);
	op_agent_helper_fini(&a.helper);
	agent_out_close(&a.out, err);
	return err->code;
}
