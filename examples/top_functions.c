// SPDX-License-Identifier: Apache-2.0
/* examples/top_functions.c: reads a file, checks it, and prints which function
 * each profile saw most often at the leaf of a stack.
 *
 *	top_functions FILE
 */
#include <otprof.h>

#include <stdio.h>
#include <string.h>

enum { MOST = 1024 };

struct row {
	struct otprof_str name;
	int64_t self;
};

static int64_t weight(const struct otprof_sample *s)
{
	int64_t sum = 0;
	uint32_t i;

	for (i = 0; i < s->nr_values; i++)
		sum += s->values[i];
	return s->nr_values ? sum : (int64_t)s->nr_times;
}

static void count(struct row *rows, size_t *n, struct otprof_str name,
		  int64_t value)
{
	size_t i = 0;

	while (i < *n && (rows[i].name.n != name.n ||
			  memcmp(rows[i].name.p, name.p, name.n) != 0))
		i++;
	if (i == *n && *n < MOST) {
		rows[i].name = name;
		rows[i].self = 0;
		(*n)++;
	}
	if (i < MOST)
		rows[i].self += value;
}

static int show_profile(const struct otprof *p, size_t i,
			struct otprof_err *err)
{
	static struct row rows[MOST];
	struct otprof_profile head;
	struct otprof_sample sample;
	size_t n = 0, best = 0, k;
	uint32_t s;

	OTPROF_INIT(&head);
	OTPROF_INIT(&sample);
	if (otprof_profile(p, i, &head, err))
		return err->code;
	for (s = 0; s < head.nr_samples; s++) {
		struct otprof_frames walk;
		struct otprof_frame leaf;

		OTPROF_INIT(&leaf);
		if (otprof_sample(p, i, s, &sample, err))
			return err->code;
		walk = otprof_frames(p, sample.stack);
		if (otprof_frame_next(&walk, &leaf) && leaf.function.n)
			count(rows, &n, leaf.function, weight(&sample));
	}
	for (k = 1; k < n; k++)
		if (rows[k].self > rows[best].self)
			best = k;
	printf("%.*s/%.*s: %lld", (int)head.type.n, head.type.p,
	       (int)head.unit.n, head.unit.p, (long long)head.total);
	if (n)
		printf(", most in %.*s (%lld)", (int)rows[best].name.n,
		       rows[best].name.p, (long long)rows[best].self);
	printf("\n");
	return 0;
}

static void on_finding(void *ctx, const struct otprof_finding *f)
{
	fprintf(stderr, "%s: %s: %s [%s]\n", (const char *)ctx, f->path,
		f->text, f->rule);
}

int main(int argc, char **argv)
{
	struct otprof_check_opts opts;
	struct otprof_check_result result;
	struct otprof_err err = { 0 };
	struct otprof *p = NULL;
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: top_functions FILE\n");
		return 2;
	}
	OTPROF_INIT(&opts);
	OTPROF_INIT(&result);
	opts.on_finding = on_finding;
	opts.ctx = argv[1];
	otprof_check_file(argv[1], &opts, &result, &err);
	if (!err.code && !otprof_open_file(argv[1], NULL, &p, &err))
		for (i = 0; i < otprof_nr_profiles(p) && !err.code; i++)
			show_profile(p, i, &err);
	otprof_free(p);
	if (err.code)
		fprintf(stderr, "top_functions: %s\n", err.text);
	return err.code ? 1 : 0;
}
