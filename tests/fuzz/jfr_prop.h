// SPDX-License-Identifier: Apache-2.0
/* What holds for every recording.
 *
 * What is read keeps the invariants of the model; as OTLP and back its content
 * is the same, in whatever way observations are given (timed_prop.h). What
 * cannot be read is refused with a place. It does not matter how many threads
 * read. If there is a chunk at all, recovering finds something and never less
 * than reading; what was done inside of intervals is never more. */
#ifndef OP_TESTS_FUZZ_JFR_PROP_H
#define OP_TESTS_FUZZ_JFR_PROP_H

#include "fmt/format.h"
#include "fmt/otlp/otlp.h"
#include "fuzz/prop.h"
#include "fuzz/timed_prop.h"
#include "model/content.h"
#include "model/merge.h"

static inline bool is_quota(const struct op_err *err)
{
	return err->code == OP_ENOMEM || err->code == OP_ELIMIT;
}

static inline int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)err;
	*(struct op_model *)ctx = *m;
	return OP_OK;
}

/* False if it is refused. */
static inline bool jfr_read(struct op_model *m, struct op_view in,
			    const char *const *settings, unsigned int threads,
			    struct op_err *err)
{
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA,
				     .threads = threads,
				     .settings = settings };

	*m = (struct op_model){ 0 };
	op_format_jfr.read(in, &opts, keep, m, err);
	if (err->code)
		prop_error(err, in.n);
	else
		prop_model(m);
	return !err->code;
}

static inline void prop_ids(struct op_model *m)
{
	struct op_err err = { 0 };

	op_content_ids(m, &err);
	PROP(!err.code || is_quota(&err));
}

static inline void prop_same(struct op_model *a, struct op_model *b)
{
	struct op_walk x = { 0 }, y = { 0 };

	prop_ids(a);
	prop_ids(b);
	while (op_walk_next(a, &x)) {
		PROP(op_walk_next(b, &y));
		PROP(!memcmp(x.profile->id, y.profile->id, 16));
	}
	PROP(!op_walk_next(b, &y));
}

static inline void prop_otlp(struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err, .limit = PROP_QUOTA };
	struct op_model second = { .mem.quota = PROP_QUOTA };

	op_otlp_encode(m, &w);
	PROP(!err.code || is_quota(&err));
	if (!err.code &&
	    !op_otlp_decode(&second, op_pbw_result(&w), NULL, &err)) {
		prop_model(&second);
		prop_same(m, &second);
	}
	PROP(!err.code || is_quota(&err));
	op_model_free(&second);
	op_pbw_free(&w);
}

static inline uint64_t nr_observed(const struct op_model *m)
{
	struct op_walk w = { 0 };
	uint64_t n = 0;

	while (op_walk_next(m, &w))
		for (uint32_t i = 0; i < w.profile->nr_samples; i++)
			n += op_sample_times(w.profile, i).n;
	return n;
}

/* Models that say they are normal have no row too many. */
static inline void prop_normal(struct op_model *m)
{
	uint32_t nr[OP_NR_TABLES];
	struct op_err err = { 0 };

	memcpy(nr, m->dict.nr, sizeof(nr));
	if (!m->normal)
		return;
	m->normal = false;
	op_normalise(m, &err);
	PROP(!err.code || is_quota(&err));
	for (int t = 0; !err.code && t < OP_NR_TABLES; t++)
		PROP(nr[t] == m->dict.nr[t]);
}

static inline bool has_chunk(struct op_view in)
{
	static const char head[] = { 'F', 'L', 'R', 0, 0, 2 };
	static const char ticks[8];

	return in.n >= 68 && !memcmp(in.p, head, sizeof(head)) &&
	       memcmp(in.p + 56, ticks, sizeof(ticks)) != 0;
}

/* err is what one thread says. */
static inline void prop_threads(struct op_view in, struct op_model *m,
				const struct op_err *err)
{
	struct op_err again = { 0 };
	struct op_model parts;

	jfr_read(&parts, in, NULL, 3, &again);
	if (!err->code && !again.code)
		prop_same(m, &parts);
	if (!is_quota(err) && !is_quota(&again))
		PROP(err->code == again.code && err->at == again.at &&
		     !strcmp(err->text, again.text));
	op_model_free(&parts);
}

/* What is in intervals is a part of all. */
static inline void jfr_prop_part(struct op_view in, uint64_t nr)
{
	static const char *const part[] = { "latency=0", "preset=datadog",
					    "properties=yes", NULL };
	struct op_err err = { 0 };
	struct op_model m;

	if (jfr_read(&m, in, part, 1, &err)) {
		PROP(nr_observed(&m) <= nr);
		prop_otlp(&m);
	} else {
		/* A property may be broken that nobody looked at before. */
		PROP(is_quota(&err) || err.code == OP_EFORMAT);
	}
	op_model_free(&m);
}

static inline void jfr_prop(struct op_view in)
{
	static const char *const recover[] = { "recover=yes", NULL };
	struct op_err err = { 0 }, again = { 0 };
	struct op_model m, all;
	uint64_t nr = 0;

	if (jfr_read(&m, in, NULL, 1, &err))
		nr = nr_observed(&m);
	prop_threads(in, &m, &err);
	if (!err.code) {
		prop_otlp(&m);
		prop_normal(&m);
		jfr_prop_part(in, nr);
		timed_prop(&op_format_jfr, in);
	}
	op_model_free(&m);
	if (jfr_read(&all, in, recover, 1, &again)) {
		PROP(nr_observed(&all) >= nr);
		prop_otlp(&all);
		prop_normal(&all);
	} else {
		PROP(is_quota(&again) || !has_chunk(in));
	}
	op_model_free(&all);
}

#endif
