// SPDX-License-Identifier: Apache-2.0
/* bench/gen_main.c: gen BYTES [SEED] >FILE */
#include <stdio.h>
#include <stdlib.h>

#include "fmt/otlp/otlp.h"
#include "gen.h"
#include "pb/write.h"

static void tell(const struct gen_opts *opts, const size_t *cost, size_t n)
{
	static const char *const names[NR_GEN_PARTS] = { "strings", "rows",
							 "stacks", "samples" };
	double all = 0;

	for (int i = 0; i < NR_GEN_PARTS; i++)
		all += (double)cost[i];
	fprintf(stderr, "gen: seed %llu, %zu bytes wanted, %zu written:",
		(unsigned long long)opts->seed, opts->bytes, n);
	for (int i = 0; i < NR_GEN_PARTS; i++)
		fprintf(stderr, " %s %.0f%%", names[i],
			100 * (double)cost[i] / all);
	fputc('\n', stderr);
}

int main(int argc, char **argv)
{
	struct gen_opts opts = { .seed = 1 };
	size_t cost[NR_GEN_PARTS];
	struct op_model m = { 0 };
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	struct op_view v;

	if (argc < 2 || argc > 3) {
		fputs("usage: gen BYTES [SEED] >FILE\n", stderr);
		return 2;
	}
	opts.bytes = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		opts.seed = strtoull(argv[2], NULL, 10);
	if (!gen_profiles(&opts, &m, cost, &err))
		op_otlp_encode(&m, &w);
	v = op_pbw_result(&w);
	if (!err.code && (fwrite(v.p, 1, v.n, stdout) != v.n || fflush(stdout)))
		op_fail_sys(&err, "write");
	if (err.code)
		fprintf(stderr, "gen: %s\n", err.text);
	else
		tell(&opts, cost, v.n);
	op_pbw_free(&w);
	op_model_free(&m);
	return err.code ? 1 : 0;
}
