// SPDX-License-Identifier: Apache-2.0
/* usage: unwind_compare live N SEED PROGRAM [ARG...]
 *        unwind_compare step N SEED PROGRAM [ARG...]
 *        unwind_compare core FILE...
 *        unwind_compare perf FILE...
 *
 * Unwinds stacks with otprof's unwinder and with elfutils, and compares frame
 * by frame. Differences are described on stderr, sums on stdout:
 *
 *	stacks N frames N equal N unexplained N
 *	explained N why
 *
 * A stack is equal up to the first frame that differs. A stack that differs
 * for a reason that is known counts as explained, not as equal. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snap.h"

static struct {
	long wanted; /* stacks; 0: all */
	long stacks, frames, equal, different, told;
} sums;

static void tell_frame(const struct snap *s, const char *who,
		       const uint64_t *pcs, size_t n, size_t i)
{
	const struct snap_map *m;

	if (i >= n) {
		fprintf(stderr, "  %s %zu: none\n", who, i);
		return;
	}
	m = snap_map_at(s, pcs[i]);
	fprintf(stderr, "  %s %zu: %" PRIx64 " %s+%" PRIx64 "\n", who, i,
		pcs[i], m ? m->path : "?",
		m ? pcs[i] - m->start + m->offset : 0);
}

struct stack {
	uint64_t pcs[MAX_FRAMES];
	size_t n;
	const char *why;
};

static void tell(const struct snap *s, size_t at, const struct stack *a,
		 const struct stack *b)
{
	if (sums.told++ >= 20)
		return;
	fprintf(stderr, "stack %ld: ours %zu (%s), libdw %zu (%s)\n",
		sums.stacks, a->n, a->why, b->n, b->why);
	for (size_t i = at > 2 ? at - 2 : 0; i < at; i++)
		tell_frame(s, "both ", a->pcs, a->n, i);
	for (size_t i = at; i < at + 2; i++) {
		tell_frame(s, "ours ", a->pcs, a->n, i);
		tell_frame(s, "libdw", b->pcs, b->n, i);
	}
}

static bool is_code(const struct snap *s, uint64_t pc)
{
	const struct snap_map *m = snap_map_at(s, pc);

	return m && m->is_code;
}

/* Differences that are known, and whose fault they are. */
static const char *excuse(const struct snap *s, size_t at,
			  const struct stack *a, const struct stack *b)
{
	bool is_at_end = at + 1 == b->n && !is_code(s, b->pcs[at]);

	if (at == a->n && is_at_end)
		return "elfutils ends in a frame where no code is";
	if (at == a->n && s->has_lost && !snap_map_at(s, b->pcs[at]))
		return "perf lost the record of a mapping";
	if ((at == b->n || is_at_end) && at && at < a->n)
		return ours_excuse(s, a->pcs[at - 1]);
	return NULL;
}

static struct {
	const char *why;
	long nr;
} excuses[8];

static bool excused(const char *why)
{
	size_t i = 0;

	if (!why)
		return false;
	while (excuses[i].why && strcmp(excuses[i].why, why))
		i++;
	excuses[i].why = why;
	excuses[i].nr++;
	return true;
}

bool compare(const struct snap *s)
{
	static struct stack a, b;
	size_t most, n = 0;

	a.n = ours_unwind(s, a.pcs, &a.why);
	b.n = libdw_unwind(s, b.pcs, &b.why);
	most = a.n > b.n ? a.n : b.n;
	while (n < a.n && n < b.n && a.pcs[n] == b.pcs[n])
		n++;
	sums.stacks++;
	sums.frames += (long)most;
	sums.equal += (long)n;
	if (n < most && !excused(excuse(s, n, &a, &b))) {
		sums.different++;
		tell(s, n, &a, &b);
	}
	return !sums.wanted || sums.stacks < sums.wanted;
}

static int report(void)
{
	printf("stacks %ld frames %ld equal %ld unexplained %ld\n", sums.stacks,
	       sums.frames, sums.equal, sums.different);
	for (size_t i = 0; excuses[i].why; i++)
		printf("explained %ld %s\n", excuses[i].nr, excuses[i].why);
	return 0;
}

int main(int argc, char **argv)
{
	bool is_files = argc > 2 &&
			(!strcmp(argv[1], "core") || !strcmp(argv[1], "perf"));
	unsigned int seed;

	for (int i = 2; is_files && i < argc; i++)
		if (argv[1][0] == 'c' ? !core_run(argv[i]) : !perf_run(argv[i]))
			return 1;
	if (is_files)
		return report();
	if (argc < 5)
		return 2;
	sums.wanted = strtol(argv[2], NULL, 10);
	seed = (unsigned int)strtoul(argv[3], NULL, 10);
	if (!strcmp(argv[1], "live"))
		live_run((int)sums.wanted, seed, argv + 4);
	else
		step_run((int)sums.wanted, seed, argv + 4);
	return report();
}
