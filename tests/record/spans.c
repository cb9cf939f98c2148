// SPDX-License-Identifier: Apache-2.0
/* tests/record/spans.c: spends CPU time in two spans of a trace, 75 and 25 %.
 *
 *	spans SECONDS */
#include <otprof_span.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned long sink;

APART void work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

/* A span that ends in this number. */
static void in_span(unsigned char number, unsigned long n)
{
	const unsigned char trace_id[16] = { 0xab, [15] = 1 };
	const unsigned char span_id[8] = { [7] = number };
	struct otprof_span span;

	otprof_span_attach(&span, trace_id, span_id);
	work(n);
	otprof_span_detach(&span);
}

int main(int argc, char **argv)
{
	long ticks = (argc > 1 ? strtol(argv[1], NULL, 10) : 1) *
		     CLOCKS_PER_SEC;

	if (otprof_context_publish(NULL) || !otprof_span_is_exported())
		return 3;
	while (clock() < ticks) {
		in_span(1, 300000);
		in_span(2, 100000);
	}
	return 0;
}
