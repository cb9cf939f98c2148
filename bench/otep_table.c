// SPDX-License-Identifier: Apache-2.0
/* bench/otep_table.c: otep_table [FILE]
 *
 * The tables in which the drafts of OTLP Profiles were compared: of a pprof
 * file, plain and with times, and of two that are made up. First as the
 * benchmark of OTEP 239 encoded them (otep_harness.c), then as we do, with
 * everything that is in the file.
 *
 *	bytes, gzipped   of the message
 *	objects          blocks of the arena that holds a model read from it
 *	label sets       kinds of attributes that samples have
 *	allocated        bytes asked of the heap to make the message of pprof:
 *	                 reading and writing
 *	allocs           how often
 */
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>

#include "alloc_count.h"
#include "fmt/format.h"
#include "fmt/input.h"
#include "fmt/otep239/otep239_int.h"
#include "fmt/otep_arrays/otep_arrays_int.h"
#include "fmt/otlp/otlp.h"
#include "fmt/pprof/pprof.h"
#include "model/merge.h"
#include "otep_gen.h"
#include "otep_harness.h"

#define SECONDS UINT64_C(1687841528)

static void die(const struct op_err *err)
{
	fprintf(stderr, "otep_table: %s\n", err->text);
	exit(1);
}

static size_t gzipped(struct op_view v)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	size_t most = c ? libdeflate_gzip_compress_bound(c, v.n) : 0;
	void *out = malloc(most);
	size_t n = out ? libdeflate_gzip_compress(c, v.p, v.n, out, most) : 0;

	free(out);
	if (c)
		libdeflate_free_compressor(c);
	return n;
}

/* --- as the benchmark did it --- */

static void harness_row(struct op_view pprof, enum harness_kind kind,
			bool timed)
{
	static const char *const names[] = { "pprof", "arrays",
					     "pprofextended" };
	struct harness h = { 0 };
	struct op_pbw w = { .err = &h.err };

	if (!harness_read(&h, pprof) || (timed && !harness_split(&h)))
		die(&h.err);
	harness_write(&h, kind, &w);
	if (h.err.code)
		die(&h.err);
	printf("%-26s %10zu %10zu %9s %10zu\n", names[kind],
	       op_pbw_result(&w).n, gzipped(op_pbw_result(&w)), "", h.sets.n);
	op_pbw_free(&w);
	harness_free(&h);
}

/* --- as we do it --- */

/* Each sample as many observations as its first value says. */
static void observe(struct op_model *m, struct op_err *err)
{
	const struct op_scope *scope = &m->resources[0].scopes[0];
	const struct op_profile *counts = scope->profiles;
	struct op_model out = { 0 };
	struct op_builder b;
	struct op_import im;
	uint32_t ids[16], nr = scope->nr_profiles;

	/* The type that counts was the first, which is not the default. */
	if (nr > 1)
		counts = &scope->profiles[1];
	if (nr > op_countof(ids))
		nr = op_countof(ids);
	op_builder_init(&b, &out, err);
	if (!op_import_init(&im, &b, m))
		op_fail(err, OP_ENOMEM, "no memory");
	if (err->code)
		die(err);
	op_import_mappings(&im, NULL);
	ids[0] = op_build_resource(&b, &m->resources[0], m);
	ids[1] = op_build_scope(&b, ids[0], scope, m);
	for (uint32_t i = 0, s = ids[1]; i < nr; i++) {
		struct op_profile head = op_import_head(&im,
							&scope->profiles[i]);

		ids[i] = i ? op_build_profile_like(&b, ids[0], &head) :
			     op_build_profile(&b, s, &head);
	}
	for (uint32_t i = 0; i < counts->nr_samples; i++) {
		uint32_t sample = op_build_sample(
			&b, ids[0],
			(struct op_identity){
				op_import_stack(&im, counts->stack[i]),
				op_import_set(&im, counts->set[i]),
				op_import_link(&im, counts->link[i]) });

		for (int64_t n = op_sample_total(counts, i); n > 0; n--) {
			op_build_observe(&b, ids[0], sample, 1,
					 SECONDS * 1000000000);
			for (uint32_t k = 1; k < nr; k++)
				op_build_observe_like(&b, ids[k], 1);
		}
	}
	op_import_fini(&im);
	if (op_builder_finish(&b))
		die(err);
	op_model_free(m);
	*m = out;
}

static int otlp_encode(const struct op_model *m,
		       const struct op_write_opts *opts, struct op_pbw *w)
{
	(void)opts;
	return op_otlp_encode(m, w);
}

static int otlp_decode(struct op_model *m, struct op_view v, struct op_err *err)
{
	return op_otlp_decode(m, v, NULL, err);
}

static const struct format {
	const char *name;
	int (*encode)(const struct op_model *m,
		      const struct op_write_opts *opts, struct op_pbw *w);
	int (*decode)(struct op_model *m, struct op_view v, struct op_err *err);
} formats[] = {
	{ "pprof, whole", op_pprof_encode, op_pprof_decode },
	{ "arrays, whole", op_otep_arrays_encode, op_otep_arrays_decode },
	{ "pprofextended, whole", op_otep239_encode, op_otep239_decode },
	{ "OTLP v1.10, whole", otlp_encode, otlp_decode },
};

/* Kinds of attribute sets among the samples. */
static size_t sets_of(const struct op_model *m)
{
	uint8_t *seen = calloc(m->dict.sets.nr, 1);
	struct op_walk w = { 0 };
	size_t n = 0;

	while (seen && op_walk_next(m, &w))
		for (uint32_t i = 0; i < w.profile->nr_samples; i++) {
			n += !seen[w.profile->set[i]];
			seen[w.profile->set[i]] = 1;
		}
	free(seen);
	return n;
}

static void our_row(struct op_view pprof, const struct format *f, bool timed)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	struct op_model m = { 0 }, back = { 0 };
	struct alloc_count before = alloc_count, after;

	if (op_pprof_decode(&m, pprof, &err))
		die(&err);
	if (timed)
		observe(&m, &err);
	if (f->encode(&m, NULL, &w))
		die(&err);
	after = alloc_count;
	if (f->decode(&back, op_pbw_result(&w), &err))
		die(&err);
	printf("%-26s %10zu %10zu %9zu %10zu %12llu %7llu\n", f->name,
	       op_pbw_result(&w).n, gzipped(op_pbw_result(&w)),
	       back.mem.nr_blocks, sets_of(&back),
	       (unsigned long long)(after.bytes - before.bytes),
	       (unsigned long long)(after.calls - before.calls));
	op_pbw_free(&w);
	op_model_free(&m);
	op_model_free(&back);
}

static void table(const char *name, struct op_view pprof, bool timed)
{
	printf("\n%s%s\n%-26s %10s %10s %9s %10s %12s %7s\n", name,
	       timed ? ", with times" : "", "", "bytes", "gzipped", "objects",
	       "label sets", "allocated", "allocs");
	for (int k = HARNESS_PPROF; k <= HARNESS_EXT; k++)
		harness_row(pprof, (enum harness_kind)k, timed);
	for (size_t i = 0; i < op_countof(formats); i++)
		our_row(pprof, &formats[i], timed);
}

int main(int argc, char **argv)
{
	static const struct otep_gen made[] = {
		{ .name = "ruby",
		  .samples = 7000,
		  .functions = 4000,
		  .locations = 8000,
		  .labels = 1,
		  .shallowest = 60,
		  .deepest = 200,
		  .seed = 1 },
		{ .name = "large",
		  .samples = 60000,
		  .functions = 9000,
		  .locations = 30000,
		  .labels = 27,
		  .shallowest = 4,
		  .deepest = 24,
		  .seed = 1 },
	};
	struct op_err err = { 0 };
	struct op_input in = { 0 };

	if (argc > 1) {
		if (op_input_open(&in, argv[1], NULL, &err))
			die(&err);
		table(argv[1], in.bytes, false);
		table(argv[1], in.bytes, true);
		op_input_close(&in);
	}
	for (size_t i = 0; i < op_countof(made); i++) {
		struct op_pbw w = { .err = &err };
		char name[80];

		otep_gen(&made[i], &w);
		if (err.code)
			die(&err);
		snprintf(name, sizeof(name), "%s, made up, seed %u",
			 made[i].name, made[i].seed);
		table(name, op_pbw_result(&w), false);
		op_pbw_free(&w);
	}
	return 0;
}
