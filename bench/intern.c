// SPDX-License-Identifier: Apache-2.0
/* bench/intern.c: what it costs to find or add a dictionary row.
 *
 * A stream of keys is put into a table: with a hit rate below 100 % the table
 * begins empty (its making and growing are part of the time) and the stream
 * holds each key once as new and otherwise repeats those before it; with 100 %
 * the table is full before the clock starts. Keys come in random order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intern_peer.h"
#include "measure.h"
#include "model/builder.h"

static const char *const kind_names[NR_KEY_KINDS] = {
	[KEY_STRING] = "string of 30 bytes",
	[KEY_FUNCTION] = "function",
	[KEY_STACK] = "stack of 30 frames",
};

struct bench {
	struct keys keys;
	struct peer *peer;
	struct op_builder b;
	struct op_model m;
	struct op_err err;
	enum key_kind kind;
	uint32_t *stream;
	uint32_t nr_stream;
};

static void *must(void *p)
{
	if (!p) {
		fputs("intern: no memory\n", stderr);
		exit(1);
	}
	return p;
}

/* Stacks share their root half with others, as stacks do. */
static void keys_make(struct keys *k, uint32_t nr, uint64_t seed)
{
	char text[KEY_STRING_BYTES + 1];

	k->nr = nr;
	k->strings = must(calloc(nr, sizeof(*k->strings)));
	k->functions = must(calloc(nr, sizeof(*k->functions)));
	k->stacks = must(calloc(nr, sizeof(*k->stacks)));
	for (uint32_t i = 0; i < nr; i++) {
		snprintf(text, sizeof(text), "com.example.ap.Class%06u.run",
			 i % 1000000);
		memcpy(k->strings[i], text, KEY_STRING_BYTES);
		k->functions[i] = (struct key_function){ i % 900, i + 1, 0,
							 1 + i / 8 };
		for (int f = 0; f < KEY_STACK_FRAMES; f++)
			k->stacks[i][f] = f < KEY_STACK_FRAMES / 2 ?
						  bench_below(&seed, 50000) :
						  i % 64 * 100 + (uint32_t)f;
	}
}

static void table_begin(struct bench *t)
{
	op_arena_reset(&t->m.mem);
	op_builder_init(&t->b, &t->m, &t->err);
}

static uint64_t put_strings(struct bench *t)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->nr_stream; i++)
		sum += op_build_string(&t->b,
				       op_view(t->keys.strings[t->stream[i]],
					       KEY_STRING_BYTES));
	return sum;
}

static uint64_t put_functions(struct bench *t)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->nr_stream; i++) {
		const struct key_function *k = &t->keys.functions[t->stream[i]];
		struct op_function f = { k->start_line, k->name, k->system_name,
					 k->filename };

		sum += op_build_function(&t->b, &f);
	}
	return sum;
}

static uint64_t put_stacks(struct bench *t)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->nr_stream; i++)
		sum += op_build_stack(&t->b, t->keys.stacks[t->stream[i]],
				      KEY_STACK_FRAMES);
	return sum;
}

static uint64_t ours_put(struct bench *t)
{
	switch (t->kind) {
	case KEY_STRING:
		return put_strings(t);
	case KEY_FUNCTION:
		return put_functions(t);
	default:
		return put_stacks(t);
	}
}

static void ours_warm(void *arg)
{
	uint64_t sum = ours_put(arg);

	bench_keep(&sum);
}

static void ours_from_empty(void *arg)
{
	table_begin(arg);
	ours_warm(arg);
}

static void peer_warm(void *arg)
{
	struct bench *t = arg;
	uint64_t sum = peer_put(t->peer, t->kind, t->stream, t->nr_stream);

	bench_keep(&sum);
}

static void peer_from_empty(void *arg)
{
	struct bench *t = arg;

	peer_clear(t->peer, t->kind);
	peer_warm(arg);
}

/* Repeats are of keys that are in the table by then. */
static void stream_make(struct bench *t, uint32_t nr, unsigned int hits,
			uint64_t seed)
{
	uint32_t n = hits == 100 ? nr : nr * 100 / (100 - hits);
	uint32_t known = 0;

	t->stream = must(malloc(n * sizeof(*t->stream)));
	t->nr_stream = n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t due = (uint32_t)((uint64_t)(i + 1) * nr / n);

		if (hits < 100 && known < due)
			t->stream[i] = known++;
		else
			t->stream[i] = bench_below(&seed, known ? known : nr);
	}
}

/* Before the clock: the full table. */
static void fill(struct bench *t, uint32_t nr)
{
	uint32_t *stream = t->stream;
	uint32_t n = t->nr_stream;

	t->stream = must(malloc(nr * sizeof(*stream)));
	t->nr_stream = nr;
	for (uint32_t i = 0; i < nr; i++)
		t->stream[i] = i;
	ours_from_empty(t);
	if (t->peer)
		peer_from_empty(t);
	free(t->stream);
	t->stream = stream;
	t->nr_stream = n;
}

/* Nanoseconds a key. */
static struct bench_times point(struct bench *t, uint32_t nr, unsigned int hits,
				struct bench_effort effort)
{
	bool warm = hits == 100;
	struct bench_pair pair = {
		warm ? ours_warm : ours_from_empty,
		warm ? peer_warm : peer_from_empty,
		t,
	};
	struct bench_times best;

	stream_make(t, nr, hits, 42 + nr);
	if (warm)
		fill(t, nr);
	best = bench_run(&pair, effort);
	best.ours *= 1e9 / t->nr_stream;
	best.peer *= 1e9 / t->nr_stream;
	peer_clear(t->peer, t->kind);
	free(t->stream);
	return best;
}

struct goal {
	enum key_kind kind;
	uint32_t nr;
	unsigned int hits;
	double most_ns; /* 0: a rate to compare with */
	double ops_us;
	const char *text;
};

/* The rates are the published ones of the Java writer that we compare with,
 * cold and warm; they were not measured here. */
static const struct goal goals[] = {
	{ KEY_STRING, 100, 100, 12, 0, "<= 12 ns" },
	{ KEY_STRING, 10000, 100, 20, 0, "<= 20 ns" },
	{ KEY_STACK, 10000, 100, 40, 0, "<= 40 ns" },
	{ KEY_STRING, 10000, 0, 0, 8, "> 8 ops/us (Java, cold)" },
	{ KEY_STRING, 1000, 100, 0, 26, "> 26 ops/us (Java, warm)" },
};

static void row(const struct goal *g, struct bench_times ns)
{
	char work[80], ours[32], peer[32];
	double scale = g->most_ns > 0 ? 1 : 1e3;
	double a = g->most_ns > 0 ? ns.ours : scale / ns.ours;
	double b = g->most_ns > 0 ? ns.peer : scale / ns.peer;
	const char *unit = g->most_ns > 0 ? "ns" : "ops/us";

	snprintf(work, sizeof(work), "intern %s, %u keys, %s",
		 kind_names[g->kind], g->nr, g->hits == 100 ? "warm" : "cold");
	snprintf(ours, sizeof(ours), "%.1f %s", a, unit);
	snprintf(peer, sizeof(peer), "%.1f %s", b, unit);
	bench_report(&(struct bench_row){
		work, ours, peer, ns.peer / ns.ours, g->text,
		g->most_ns > 0 ? ns.ours <= g->most_ns : a > g->ops_us });
}

static void sweep(struct bench *t, uint32_t most, struct bench_effort effort)
{
	static const unsigned int rates[] = { 0, 50, 90, 100 };

	printf("%-20s %8s %5s %9s %9s %8s %9s\n", "intern", "keys", "hits",
	       "ours ns", "peer ns", "ratio", "ops/us");
	for (uint32_t nr = 100; nr <= most; nr *= 10) {
		for (size_t r = 0; r < op_countof(rates); r++) {
			struct bench_times ns = point(t, nr, rates[r], effort);

			printf("%-20s %8u %4u%% %9.1f %9.1f %7.2fx %9.1f\n",
			       kind_names[t->kind], nr, rates[r], ns.ours,
			       ns.peer, ns.peer / ns.ours, 1e3 / ns.ours);
			fflush(stdout);
			for (size_t g = 0; g < op_countof(goals); g++)
				if (goals[g].kind == t->kind &&
				    goals[g].nr == nr &&
				    goals[g].hits == rates[r])
					row(&goals[g], ns);
		}
	}
}

int main(int argc, char **argv)
{
	bool quick = bench_is_quick(argc, argv);
	struct bench_effort effort = bench_effort_for(quick);
	uint32_t most = quick ? 10000 : 1000000;
	static struct bench t;

	keys_make(&t.keys, most, 7);
	t.peer = must(peer_new(&t.keys));
	for (int kind = 0; kind < NR_KEY_KINDS; kind++) {
		t.kind = (enum key_kind)kind;
		sweep(&t, most, effort);
	}
	peer_free(t.peer);
	op_arena_free(&t.m.mem);
	free(t.keys.strings);
	free(t.keys.functions);
	free(t.keys.stacks);
	if (t.err.code)
		fprintf(stderr, "intern: %s\n", t.err.text);
	return t.err.code ? 1 : 0;
}
