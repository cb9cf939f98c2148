// SPDX-License-Identifier: Apache-2.0
/* bench/json.c: OTLP/JSON to a model and back, in CPU time.
 *
 *	json [--quick] FILE...
 *
 * FILEs are OTLP, in protobuf or JSON. Each is written as JSON first; decoding
 * that text gives a model, as reading a file does, and encoding it goes to a
 * sink that only counts. Rates are of JSON text. */
#include <stdio.h>
#include <stdlib.h>

#include "fmt/input.h"
#include "measure.h"

struct bench {
	struct op_model m;
	struct op_buf text;
	struct op_err err;
	size_t counted;
};

static void must(const struct op_err *err, const char *what)
{
	if (!err->code)
		return;
	fprintf(stderr, "json: %s: %s\n", what, err->text);
	exit(1);
}

struct buf_sink {
	struct op_sink sink;
	struct op_buf *buf;
};

static int to_buf(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	op_buf_view(((struct buf_sink *)sink)->buf, v);
	return err->code;
}

struct count_sink {
	struct op_sink sink;
	size_t n;
};

static int to_count(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	((struct count_sink *)sink)->n += v.n;
	return err->code;
}

static void encode(void *arg)
{
	struct bench *b = arg;
	struct count_sink out = { .sink.write = to_count };

	op_format_otlp_json.write(&b->m, NULL, &out.sink, &b->err);
	b->counted = out.n;
}

static int drop(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)ctx;
	bench_keep(m);
	op_model_free(m);
	return err->code;
}

static void decode(void *arg)
{
	struct bench *b = arg;

	op_format_otlp_json.read(op_view(b->text.p, b->text.n), NULL, drop,
				 NULL, &b->err);
}

static void rate(const char *what, const struct bench *b, double seconds,
		 double goal)
{
	double mbs = (double)b->text.n / 1e6 / seconds;
	char work[80], ours[32], want[32];

	snprintf(work, sizeof(work), "JSON %s, %.2f MB of text", what,
		 (double)b->text.n / 1e6);
	snprintf(ours, sizeof(ours), "%.0f MB/s", mbs);
	snprintf(want, sizeof(want), ">= %.0f MB/s", goal);
	printf("%-40s %10s\n", work, ours);
	bench_report(
		&(struct bench_row){ work, ours, "", 0, want, mbs >= goal });
}

static void file(const char *path, struct bench_effort effort)
{
	struct bench b = { 0 };
	struct buf_sink out = { .sink.write = to_buf, .buf = &b.text };
	struct op_input in;

	b.text.err = &b.err;
	op_input_open(&in, path, NULL, &b.err);
	if (!b.err.code)
		op_input_read(&in, NULL, &b.m, &b.err);
	must(&b.err, path);
	op_format_otlp_json.write(&b.m, NULL, &out.sink, &b.err);
	must(&b.err, path);
	rate("encode", &b,
	     bench_run(&(struct bench_pair){ encode, NULL, &b }, effort).ours,
	     500);
	rate("decode", &b,
	     bench_run(&(struct bench_pair){ decode, NULL, &b }, effort).ours,
	     300);
	must(&b.err, path);
	op_buf_free(&b.text);
	op_model_free(&b.m);
}

int main(int argc, char **argv)
{
	struct bench_effort effort = bench_effort_for(
		bench_is_quick(argc, argv));

	for (int i = 1; i < argc; i++)
		if (argv[i][0] != '-')
			file(argv[i], effort);
	return 0;
}
