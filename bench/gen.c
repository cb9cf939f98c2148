// SPDX-License-Identifier: Apache-2.0
#include "gen.h"

#include <math.h>
#include <stdio.h>

#include "measure.h"
#include "model/builder.h"

enum {
	DEEPEST = 60,
	SHALLOWEST = 5,
	NR_RECENT = 64, /* stacks that new ones branch off */
	NR_THREADS = 48,
	NR_CPUS = 32,
	NR_PROFILES = 3,
};

struct recent {
	uint32_t n;
	uint32_t locations[DEEPEST];
};

struct gen {
	struct op_builder b;
	uint64_t rng;
	size_t *cost;
	double share[NR_GEN_PARTS];
	uint32_t file; /* string: functions of one file come together */
	uint32_t thread_id[NR_THREADS];
	uint32_t thread_name[NR_THREADS];
	uint32_t cpu[NR_CPUS];
	struct recent recent[NR_RECENT];
	uint32_t profiles[NR_PROFILES];
	size_t profile_cost[NR_PROFILES];
	uint32_t nr_samples[NR_PROFILES];
	uint64_t now_ns;
};

static uint32_t below(struct gen *g, size_t n)
{
	return bench_below(&g->rng, (uint32_t)n);
}

static bool chance(struct gen *g, uint32_t percent)
{
	return below(g, 100) < percent;
}

/* An id from 1 to nr - 1. Tables are in order of first use, so what is hot
 * has a low id: half of the draws fall into the first eighth. */
static uint32_t skewed(struct gen *g, size_t nr)
{
	double u = (double)below(g, 1 << 24) / (1 << 24);

	return 1 + (uint32_t)(u * u * u * (double)(nr - 1));
}

static size_t varint_bytes(uint64_t v)
{
	return (size_t)(63 - __builtin_clzll(v | 1)) / 7 + 1;
}

/* --- names --- */

static const char *const words[] = {
	"read",	   "write",  "parse",  "index",	   "cache",    "flush",
	"commit",  "merge",  "encode", "decode",   "lookup",   "insert",
	"buffer",  "stream", "packet", "session",  "handler",  "request",
	"client",  "server", "queue",  "schedule", "worker",   "thread",
	"segment", "block",  "page",   "table",	   "column",   "filter",
	"project", "join",   "sort",   "hash",	   "compress", "metrics",
	"trace",   "export", "config", "storage",  "iterator", "snapshot",
};

static const char *word(struct gen *g)
{
	return words[below(g, op_countof(words))];
}

static uint32_t string(struct gen *g, const char *s)
{
	size_t before = g->b.strings.n;
	uint32_t id = op_build_string(&g->b, op_view_z(s));
	size_t n = strlen(s);

	if (g->b.strings.n > before)
		g->cost[GEN_STRINGS] += 1 + varint_bytes(n) + n;
	return id;
}

static uint32_t function_name(struct gen *g)
{
	uint32_t k = below(g, 1000);
	char s[128];

	switch (below(g, 4)) {
	case 0:
		snprintf(s, sizeof(s), "%s::%s%u::%s_%s(%s const&, size_t)",
			 word(g), word(g), k, word(g), word(g), word(g));
		break;
	case 1:
		snprintf(s, sizeof(s), "org.example.%s.%s.%s%u.%s%s", word(g),
			 word(g), word(g), k, word(g), word(g));
		break;
	case 2:
		snprintf(s, sizeof(s), "example.org/%s/%s.(*%s%u).%s%s",
			 word(g), word(g), word(g), k, word(g), word(g));
		break;
	default:
		snprintf(s, sizeof(s), "__%s_%s_%s_%u", word(g), word(g),
			 word(g), k);
		break;
	}
	return string(g, s);
}

static uint32_t file_name(struct gen *g)
{
	static const char *const ends[] = { "cc", "java", "go", "c" };
	char s[96];

	snprintf(s, sizeof(s), "src/%s/%s/%s_%u.%s", word(g), word(g), word(g),
		 below(g, 100), ends[below(g, 4)]);
	return string(g, s);
}

/* --- rows --- */

static uint32_t attr_text(struct gen *g, const char *key, const char *value)
{
	struct op_any any = { .kind = OP_ANY_STRING };

	any.bytes = op_view_z(value);
	g->cost[GEN_ROWS] += 8 + any.bytes.n;
	return op_build_attr(&g->b, op_view_z(key), &any, (struct op_view){ 0 },
			     NULL);
}

static uint32_t attr_number(struct gen *g, const char *key, int64_t value)
{
	struct op_any any = { .kind = OP_ANY_INT, .num = value };

	g->cost[GEN_ROWS] += 7 + varint_bytes((uint64_t)value);
	return op_build_attr(&g->b, op_view_z(key), &any, (struct op_view){ 0 },
			     NULL);
}

static void add_mapping(struct gen *g)
{
	uint32_t i = (uint32_t)g->b.mappings.n;
	struct op_mapping m = { .start = 0x7f0000000000 + i * 0x4000000ull };
	char path[96], id[41];
	uint32_t attr;

	snprintf(path, sizeof(path), "/usr/lib/x86_64-linux-gnu/lib%s-%u.so.%u",
		 word(g), i, below(g, 9));
	snprintf(id, sizeof(id), "%016llx%016llx%08x",
		 (unsigned long long)bench_random(&g->rng),
		 (unsigned long long)bench_random(&g->rng), i);
	m.limit = m.start + 0x1000000;
	m.filename = string(g, path);
	attr = attr_text(g, "process.executable.build_id.gnu", id);
	m.attrs = op_build_set(&g->b, &attr, 1);
	op_build_mapping(&g->b, &m);
	g->cost[GEN_ROWS] += 26;
}

static void add_function(struct gen *g)
{
	struct op_function f = { .start_line = 1 + below(g, 3000) };
	size_t before = g->b.functions.n;

	if (!g->file || chance(g, 15))
		g->file = file_name(g);
	f.name = function_name(g);
	f.filename = g->file;
	op_build_function(&g->b, &f);
	if (g->b.functions.n > before)
		g->cost[GEN_ROWS] += 7 + varint_bytes(f.name) +
				     varint_bytes(f.filename);
}

/* Each function is found at a few places; one in ten has no symbols. */
static void add_location(struct gen *g)
{
	struct op_location l = { .address = 0x1000 + below(g, 0x1000000) };
	size_t nr = g->b.functions.n;
	uint32_t nr_lines = chance(g, 10) ? 0 : chance(g, 15) ? 2 : 1;
	struct op_line lines[2];
	size_t cost = 2;

	l.mapping = skewed(g, g->b.mappings.n);
	for (uint32_t i = 0; i < nr_lines; i++) {
		lines[i] = (struct op_line){
			.function = chance(g, 50) ? (uint32_t)nr - 1 :
						    skewed(g, nr),
			.line = 1 + below(g, 3000),
		};
		cost += 6 + varint_bytes(lines[i].function);
	}
	cost += 2 + varint_bytes(l.mapping) + varint_bytes(l.address);
	op_build_location(&g->b, &l, lines, nr_lines);
	g->cost[GEN_ROWS] += cost;
}

/* The root end of a recent stack, and other frames from there to the leaf. */
static void add_stack(struct gen *g)
{
	struct recent *from = &g->recent[below(g, NR_RECENT)];
	struct recent *to = &g->recent[below(g, NR_RECENT)];
	uint32_t n = SHALLOWEST + below(g, DEEPEST + 1 - SHALLOWEST);
	uint32_t most = from->n < n - 1 ? from->n : n - 1;
	uint32_t keep = most - (most ? below(g, most) / 2 : 0);
	struct recent s = { .n = n };
	size_t before = g->b.stack_at.n, cost = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (i >= n - keep)
			s.locations[i] = from->locations[from->n - (n - i)];
		else if (chance(g, 30))
			s.locations[i] = (uint32_t)g->b.locations.n - 1 -
					 below(g, 2);
		else
			s.locations[i] = skewed(g, g->b.locations.n);
		cost += varint_bytes(s.locations[i]);
	}
	*to = s;
	op_build_stack(&g->b, s.locations, n);
	if (g->b.stack_at.n > before)
		g->cost[GEN_STACKS] += 2 * (1 + varint_bytes(cost)) + cost;
}

/* --- samples --- */

static uint32_t any_link(struct gen *g)
{
	struct op_link l = { 0 };
	uint64_t x;

	if (g->b.links.n > 1 && !chance(g, 5))
		return (uint32_t)g->b.links.n - 1 -
		       below(g, g->b.links.n > 8 ? 8 : g->b.links.n - 1);
	for (size_t i = 0; i < sizeof(l.trace_id); i += sizeof(x)) {
		x = bench_random(&g->rng);
		memcpy(l.trace_id + i, &x, sizeof(x));
	}
	x = bench_random(&g->rng);
	memcpy(l.span_id, &x, sizeof(x));
	g->cost[GEN_SAMPLES] += 30;
	return op_build_link(&g->b, &l);
}

static size_t identity_bytes(const struct op_identity *id)
{
	return 2 + 1 + varint_bytes(id->stack) + 2 + 4 +
	       (id->link ? 1 + varint_bytes(id->link) : 0);
}

/* 0: a sum, 1: times alone, 2: values with times. */
static size_t observe(struct gen *g, uint32_t k, uint32_t sample, bool is_new)
{
	uint32_t n = 1 + (chance(g, 40) ? below(g, 8) : 0);
	int64_t value;

	if (k == 0) {
		value = (1 + below(g, 50)) * 10000000ll;
		op_build_add(&g->b, g->profiles[k], sample, value);
		return is_new ? 2 + varint_bytes((uint64_t)value) : 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		value = k == 1 ? 1 : 1000 + below(g, 50000000);
		g->now_ns += below(g, 100000);
		op_build_observe(&g->b, g->profiles[k], sample, value,
				 g->now_ns);
	}
	return n * (k == 1 ? 8 : 12) + (is_new ? (k == 1 ? 2 : 4) : 0);
}

static void add_sample(struct gen *g)
{
	size_t nr_stacks = g->b.stack_at.n - 1;
	uint32_t thread = below(g, NR_THREADS), k = 0;
	struct op_identity id = { 0 };
	uint32_t attrs[3], sample;
	size_t cost = 0;

	for (uint32_t i = 1; i < NR_PROFILES; i++)
		if (g->profile_cost[i] < g->profile_cost[k])
			k = i;
	attrs[0] = g->thread_id[thread];
	attrs[1] = g->thread_name[thread];
	attrs[2] = g->cpu[below(g, NR_CPUS)];
	id.set = op_build_set(&g->b, attrs, op_countof(attrs));
	id.stack = chance(g, 50) ? (uint32_t)nr_stacks - 1 -
					   below(g, nr_stacks > 9 ? 8 : 1) :
				   skewed(g, nr_stacks);
	if (k == 1 && chance(g, 40))
		id.link = any_link(g);
	sample = op_build_sample(&g->b, g->profiles[k], id);
	if (sample == g->nr_samples[k]) {
		g->nr_samples[k]++;
		cost = identity_bytes(&id);
	}
	cost += observe(g, k, sample, cost > 0);
	g->profile_cost[k] += cost;
	g->cost[GEN_SAMPLES] += cost;
}

/* --- the whole --- */

static void add_threads(struct gen *g)
{
	char name[64];

	for (uint32_t i = 0; i < NR_THREADS; i++) {
		snprintf(name, sizeof(name), "%s-%s-%u", word(g), word(g), i);
		g->thread_id[i] = attr_number(g, "thread.id", 4000 + i);
		g->thread_name[i] = attr_text(g, "thread.name", name);
	}
	for (uint32_t i = 0; i < NR_CPUS; i++)
		g->cpu[i] = attr_number(g, "cpu.logical_number", i);
}

static uint32_t add_scope(struct gen *g)
{
	struct op_kv kvs[3] = { { .key = op_view_z("service.name") },
				{ .key = op_view_z("host.name") },
				{ .key = op_view_z("process.pid") } };
	struct op_resource r = { .attrs = { kvs, op_countof(kvs) } };
	struct op_scope s = { .name = op_view_z("bench"),
			      .version = op_view_z("1.0.0") };

	kvs[0].value.kind = OP_ANY_STRING;
	kvs[0].value.bytes = op_view_z("checkout");
	kvs[1].value.kind = OP_ANY_STRING;
	kvs[1].value.bytes = op_view_z("node-17.example.org");
	kvs[2].value.kind = OP_ANY_INT;
	kvs[2].value.num = 4242;
	return op_build_scope(&g->b, op_build_resource(&g->b, &r, NULL), &s,
			      NULL);
}

static void add_profiles(struct gen *g)
{
	static const char *const types[NR_PROFILES] = { "cpu", "samples",
							"off_cpu" };
	static const char *const units[NR_PROFILES] = { "nanoseconds", "count",
							"nanoseconds" };
	uint32_t scope = add_scope(g);

	for (uint32_t k = 0; k < NR_PROFILES; k++) {
		struct op_profile p = {
			.sample_type = { string(g, types[k]),
					 string(g, units[k]) },
			.period_type = { string(g, "cpu"),
					 string(g, "nanoseconds") },
			.period = 10000000,
			.time_ns = g->now_ns,
			.duration_ns = 60000000000u,
			.id = { 1, 2, 3, (uint8_t)k },
			.id_len = 16,
		};

		g->profiles[k] = op_build_profile(&g->b, scope, &p);
	}
}

/* From names to samples as the message grows from 20 KB to 10 MB. */
static void shares_of(double bytes, double *share)
{
	double f = log10(bytes / 20e3) / log10(10e6 / 20e3);

	f = f < 0 ? 0 : f > 1 ? 1 : f;
	share[GEN_STRINGS] = 0.40 - 0.25 * f;
	share[GEN_ROWS] = 0.25 - 0.10 * f;
	share[GEN_STACKS] = 0.15 + 0.20 * f;
	share[GEN_SAMPLES] = 0.20 + 0.15 * f;
}

/* The part that is furthest behind its share. */
static enum gen_part part_due(const struct gen *g)
{
	int due = 0;

	for (int i = 1; i < NR_GEN_PARTS; i++)
		if ((double)g->cost[i] * g->share[due] <
		    (double)g->cost[due] * g->share[i])
			due = i;
	return (enum gen_part)due;
}

static size_t total(const struct gen *g)
{
	size_t n = 0;

	for (int i = 0; i < NR_GEN_PARTS; i++)
		n += g->cost[i];
	return n;
}

static void grow(struct gen *g)
{
	switch (part_due(g)) {
	case GEN_STRINGS:
		add_function(g);
		break;
	case GEN_ROWS:
		add_location(g);
		break;
	case GEN_STACKS:
		add_stack(g);
		break;
	default:
		add_sample(g);
		break;
	}
}

int gen_profiles(const struct gen_opts *opts, struct op_model *m,
		 size_t cost[NR_GEN_PARTS], struct op_err *err)
{
	size_t nr_mappings = 4 + opts->bytes / 50000;
	struct gen g = { .rng = opts->seed, .cost = cost };

	g.now_ns = 1700000000000000000u;
	memset(cost, 0, NR_GEN_PARTS * sizeof(*cost));
	shares_of((double)opts->bytes, g.share);
	if (op_builder_init(&g.b, m, err))
		return err->code;
	for (size_t i = 0; i < nr_mappings && i < 200; i++)
		add_mapping(&g);
	add_threads(&g);
	add_profiles(&g);
	for (int i = 0; i < 8; i++) {
		add_function(&g);
		add_location(&g);
		add_location(&g);
	}
	add_stack(&g);
	while (!err->code && total(&g) < opts->bytes)
		grow(&g);
	return op_builder_finish(&g.b);
}
