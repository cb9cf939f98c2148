// SPDX-License-Identifier: Apache-2.0
/* bench/encode_primitives.c: what it costs to write one field.
 *
 * Both write the same message of a thousand equal fields into memory that is
 * there already; the bytes are compared before the clock starts. We write
 * from the end to the beginning, so that a length is known when it is due;
 * the peer measures first and writes then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode_peer.h"
#include "measure.h"
#include "pb/write.h"

static const char text[] = "github.com/example/store.(*Index).lookup";

struct bench {
	struct work work;
	struct op_pbw w;
	struct op_err err;
};

static void write_nested(struct op_pbw *w, const uint32_t *v)
{
	size_t end = op_pbw_mark(w);

	for (uint32_t i = 3; i-- > 0;)
		op_pbw_uint(w, i + 1, v[i]);
	op_pbw_len(w, FIELD, end);
}

static void write_one(const struct work *k, struct op_pbw *w)
{
	switch (k->kind) {
	case WORK_VARINT:
		op_pbw_uint(w, FIELD, k->v);
		break;
	case WORK_FIXED64:
		op_pbw_fixed64(w, FIELD, k->v);
		break;
	case WORK_STRING:
		op_pbw_string(w, FIELD, op_view(k->text, k->text_bytes));
		break;
	case WORK_NESTED:
		write_nested(w, k->run);
		break;
	case WORK_PACKED_VARINT:
		op_pbw_packed_u32(w, FIELD, k->run, k->nr_run);
		break;
	case WORK_PACKED_FIXED64:
		op_pbw_packed_fixed64(w, FIELD, k->wide, k->nr_run);
		break;
	}
}

static void ours(void *arg)
{
	struct bench *t = arg;

	t->w.p = t->w.end;
	for (unsigned int i = 0; i < t->work.times; i++)
		write_one(&t->work, &t->w);
	bench_keep(t->w.p);
}

static void peer(void *arg)
{
	struct bench *t = arg;
	size_t n = peer_write(&t->work);

	bench_keep(&n);
	bench_keep(t->work.out);
}

static bool same_bytes(struct bench *t)
{
	size_t n = peer_write(&t->work);
	struct op_view v;

	ours(t);
	v = op_pbw_result(&t->w);
	if (op_view_eq(v, op_view(t->work.out, n)))
		return true;
	fprintf(stderr, "encode_primitives: %s: %zu bytes, peer %zu\n",
		t->work.name, v.n, n);
	return false;
}

static void measure(struct bench *t, struct bench_effort effort)
{
	struct bench_pair pair = { ours, peer, t };
	struct bench_times s = bench_run(&pair, effort);
	double ops = t->work.times * 1e-6;
	char name[64], a[32], b[32];

	snprintf(name, sizeof(name), "write %s", t->work.name);
	snprintf(a, sizeof(a), "%.0f ops/us", ops / s.ours);
	snprintf(b, sizeof(b), "%.0f ops/us", ops / s.peer);
	printf("%-32s %14s %14s %7.2fx\n", name, a, b, s.peer / s.ours);
	/* No goals of their own: bench/otlp_codec.cc has one for the whole. */
	bench_report(
		&(struct bench_row){ name, a, b, s.peer / s.ours, "", false });
}

/* Ids of a large table: one to three bytes. */
static void run_fill(struct work *w)
{
	uint64_t seed = 11;

	for (int i = 0; i < NR_RUN; i++) {
		w->run[i] = 1 + bench_below(&seed, 1u << (5 + i % 14));
		w->wide[i] = 1700000000000000000u + bench_random(&seed) / 64;
	}
}

static const struct work works[] = {
	{ .name = "varint of 1 byte", .kind = WORK_VARINT, .v = 100 },
	{ .name = "varint of 2 bytes", .kind = WORK_VARINT, .v = 300 },
	{ .name = "varint of 5 bytes", .kind = WORK_VARINT, .v = 1ull << 34 },
	{ .name = "varint of 10 bytes", .kind = WORK_VARINT, .v = UINT64_MAX },
	{ .name = "fixed64", .kind = WORK_FIXED64, .v = 1ull << 60 },
	{ .name = "string of 40 bytes", .kind = WORK_STRING },
	{ .name = "message of three numbers", .kind = WORK_NESTED },
	{ .name = "32 packed varints", .kind = WORK_PACKED_VARINT },
	{ .name = "32 packed fixed64", .kind = WORK_PACKED_FIXED64 },
};

int main(int argc, char **argv)
{
	struct bench_effort effort = bench_effort_for(
		bench_is_quick(argc, argv));
	static uint8_t out[512 * 1024];
	static struct bench t;
	int rc = 0;

	t.w.err = &t.err;
	printf("%-32s %14s %14s %8s\n", "primitive", "ours", "protobuf",
	       "ratio");
	for (size_t i = 0; i < op_countof(works); i++) {
		t.work = works[i];
		t.work.text = text;
		t.work.text_bytes = sizeof(text) - 1;
		t.work.times = 1000;
		t.work.nr_run = NR_RUN;
		t.work.out = out;
		t.work.out_cap = sizeof(out);
		run_fill(&t.work);
		if (same_bytes(&t))
			measure(&t, effort);
		else
			rc = 1;
	}
	op_pbw_free(&t.w);
	return rc;
}
