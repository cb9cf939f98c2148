// SPDX-License-Identifier: Apache-2.0
/* cli/budget.c: the budget of a run (base/budget.h), and a timer as a second
 * line of defense: whatever unforeseen a file does, its command ends after
 * seconds of CPU time, not hours. */
#include "cli.h"

#include <signal.h>
#include <time.h>

#include "base/budget.h"

enum {
	LEAST_MS = 3000,
	WITH_BINARIES_MS = 60000, /* binaries may be large */
	FEW_MB = 10,		  /* of input; larger input may take longer */
	MS_OF_FEW = 100,
	MS_OF_MORE = 1000,
	/* Builds with sanitizers are slower. */
	SLOWNESS = OP_SLOW ? 50 : 1,
};

uint64_t cli_budget = 1;

static struct op_budget run = { .times = 1 };
static uint64_t input_before; /* of earlier files */
static timer_t clock_of_run;
static bool has_clock;

void cli_budget_begin(void)
{
	op_budget_use(&run);
}

void cli_budget_next(void)
{
	input_before += run.input;
	run = (struct op_budget){ .times = run.times };
}

void cli_budget_set(void)
{
	run.times = cli_budget < UINT32_MAX ? (uint32_t)cli_budget : UINT32_MAX;
}

static void on_clock(int sig)
{
	(void)sig;
	cli_end("takes more processor time than input of its size is allowed; "
		"--budget N allows N times as much");
}

static void clock_make(void)
{
	struct sigaction act = { .sa_handler = on_clock };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGXCPU };

	has_clock = !sigaction(SIGXCPU, &act, NULL) &&
		    !timer_create(CLOCK_PROCESS_CPUTIME_ID, &event,
				  &clock_of_run);
}

void cli_budget_unclock(void)
{
	struct itimerspec never = { 0 };

	if (has_clock)
		timer_settime(clock_of_run, TIMER_ABSTIME, &never, NULL);
}

void cli_budget_clock(const char *root, uint64_t more)
{
	uint64_t mb = (input_before + run.input + more) / 1000000;
	uint64_t few = mb < FEW_MB ? mb : FEW_MB;
	uint64_t ms = ((root ? WITH_BINARIES_MS : LEAST_MS) + few * MS_OF_FEW +
		       (mb - few) * MS_OF_MORE) *
		      SLOWNESS;
	struct itimerspec at = { 0 };

	if (!has_clock)
		clock_make();
	if (!has_clock || __builtin_mul_overflow(ms, run.times, &ms))
		return;
	/* Without a limit ms is 0, which stops the timer. */
	at.it_value.tv_sec = (time_t)(ms / 1000);
	at.it_value.tv_nsec = (long)(ms % 1000 * 1000000);
	timer_settime(clock_of_run, TIMER_ABSTIME, &at, NULL);
}
