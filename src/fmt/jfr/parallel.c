// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/parallel.c: chunks know nothing of each other, so that a recording
 * can be read in parts, each a run of chunks with a builder of its own. What
 * the parts found is joined in the order of the file: the result is the
 * same. */
#include "fmt/jfr/parallel.h"

#include <pthread.h>

#include "base/assert.h"
#include "base/budget.h"
#include "fmt/jfr/chunk_header.h"
#include "fmt/jfr/engine.h"
#include "fmt/jfr/event_filter.h"
#include "fmt/jfr/facts.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/native_leaks.h"
#include "fmt/jfr/read.h"
#include "fmt/jfr/spans.h"
#include "fmt/jfr/target.h"
#include "model/merge.h"

enum { MAX_PARTS = 16 };

struct part {
	struct op_jfr *j; /* of the first: that of the recording */
	struct op_jfr own;
	struct op_model m;
	struct op_err err;
	const struct op_source *file;
	uint64_t from, to;
	struct op_budget *budget;
	pthread_t thread;
	bool runs;
};

/* --- joining --- */

/* What was left open is of the engine of the part before. False if nobody
 * wants that. */
static bool engine_decide(const struct op_jfr *j, struct op_jfr_target *t)
{
	const char *kind = op_jfr_engine_kind(j->engine);

	if (!op_view_is(t->period, "open"))
		return true;
	t->period = op_view_z(kind);
	return op_jfr_event_wanted(&j->opts, t->event, kind);
}

/* The profile that takes what a part has of this kind. */
static uint32_t target_join(struct op_jfr *j, struct op_jfr *part,
			    struct op_import *im, struct op_jfr_target *t,
			    const uint32_t *went)
{
	struct op_jfr_target new = {
		.event = op_jfr_kept(j, t->event),
		.type = op_jfr_kept(j, t->type),
		.unit = op_jfr_kept(j, t->unit),
		.period = op_jfr_kept(j, t->period),
		.like = t->like == OP_NO_ID ? OP_NO_ID : went[t->like],
	};
	const struct op_jfr_target *known = op_jfr_target_find(j, t);
	struct op_profile head;

	if (known)
		return known->profile;
	head = op_import_head(im, op_build_profile_head(&part->b, t->profile));
	head.period_type.type = op_build_string(&j->b, new.period);
	new.profile = new.like == OP_NO_ID ?
			      op_build_profile(&j->b, j->scope, &head) :
			      op_build_profile_like(&j->b, new.like, &head);
	(void)op_vec_push(&j->mem, &j->targets, new);
	return new.profile;
}

static void blocks_join(struct op_jfr *j, const struct op_jfr *part,
			const uint32_t *samples)
{
	for (size_t i = 0; i < part->mallocs.blocks.n && !j->err->code; i++) {
		struct op_jfr_block block = part->mallocs.blocks.p[i];

		if (block.free_ns)
			op_jfr_free_add(j, block.address, block.free_ns);
		if (!block.malloc_ns || !samples)
			continue;
		block.sample = samples[block.sample];
		op_jfr_malloc_add(j, &block);
	}
}

static void profiles_join(struct op_jfr *j, struct op_jfr *part,
			  struct op_import *im)
{
	uint32_t *went = op_new_raw(&im->scratch, uint32_t, part->targets.n);
	const uint32_t *mallocs = NULL;

	if (!went)
		return;
	/* A part has no other profiles: targets are in their order. */
	for (size_t i = 0; i < part->targets.n && !j->err->code; i++) {
		struct op_jfr_target *t = &part->targets.p[i];
		const uint32_t *samples;

		op_assert(t->profile < part->targets.n);
		if (!engine_decide(j, t))
			continue;
		j->has_met = true;
		went[t->profile] = target_join(j, part, im, t, went);
		samples = op_import_built(im, &part->b, t->profile,
					  went[t->profile]);
		if (part->mallocs.blocks.n &&
		    t->profile == part->mallocs.profile) {
			j->mallocs.profile = went[t->profile];
			mallocs = samples;
		}
	}
	blocks_join(j, part, mallocs);
}

static void facts_join(struct op_jfr *j, const struct op_jfr *part)
{
	for (size_t i = 0; i < part->facts.n; i++)
		op_jfr_fact_put(j, &part->facts.p[i]);
	for (size_t i = 0; i < part->periods.n; i++) {
		struct op_jfr_period p = part->periods.p[i];

		p.event = op_jfr_kept(j, p.event);
		(void)op_vec_push(&j->mem, &j->periods, p);
	}
	for (size_t i = 0; i < part->seen.n; i++)
		op_jfr_event_seen(j, part->seen.p[i]);
	j->states_seen |= part->states_seen;
	j->engines_met |= part->engines_met;
	op_jfr_spans_join(j, part);
}

static void part_join(struct op_jfr *j, struct op_jfr *part)
{
	struct op_import im;

	if (part->err->code) {
		*j->err = *part->err;
		return;
	}
	if (op_import_builder(&im, &j->b, &part->b)) {
		facts_join(j, part);
		profiles_join(j, part, &im);
	}
	op_import_fini(&im);
	j->b.sums_differ |= part->b.sums_differ;
	if (part->engine != OP_JFR_OPEN)
		j->engine = part->engine;
	if (part->first_ns < j->first_ns)
		j->first_ns = part->first_ns;
	if (part->last_ns > j->last_ns)
		j->last_ns = part->last_ns;
}

/* --- reading --- */

/* Cuts the file where chunks begin, into parts of about the same size. Where
 * a header is broken it goes on as one part, which will say so. */
static unsigned int cut(const struct op_source *file, unsigned int nr,
			struct part *parts)
{
	struct op_err ignored = { 0 };
	struct op_jfr_header h;
	unsigned int n = 1;
	uint64_t at = 0;

	parts[0].from = 0;
	while (at < file->n && !op_jfr_header_read(file, at, &h, &ignored) &&
	       !op_jfr_header_check(file, &h, &ignored)) {
		if (n < nr && at >= file->n / nr * n &&
		    at > parts[n - 1].from) {
			parts[n - 1].to = at;
			parts[n++].from = at;
		}
		at += h.size;
	}
	parts[n - 1].to = file->n;
	return n;
}

static void *part_read(void *arg)
{
	struct part *p = arg;
	struct op_budget *before = op_budget_use(p->budget);

	op_jfr_chunks_read(p->j, p->file, p->from, p->to);
	op_budget_use(before);
	return NULL;
}

static void part_start(struct part *p, const struct op_jfr *j)
{
	p->own.opts = j->opts;
	p->own.engine = OP_JFR_OPEN;
	p->m.mem.quota = j->b.m->mem.quota;
	p->budget = op_budget();
	p->j = &p->own;
	op_jfr_begin(p->j, &p->m, &p->err);
	p->runs = !pthread_create(&p->thread, NULL, part_read, p);
}

/* Without a thread of its own it is read now. */
static void part_end(struct part *p, struct op_jfr *j)
{
	if (p->runs)
		pthread_join(p->thread, NULL);
	else if (!j->err->code)
		part_read(p);
	if (!j->err->code)
		part_join(j, p->j);
	op_arena_free(&p->own.mem);
	op_model_free(&p->m);
}

/* NULL: without memory for them there is one part. */
static struct part *parts_new(struct op_jfr *j, unsigned int nr)
{
	op_arena_tells(&j->mem, OP_IGNORED);
	return nr > 1 ? op_new(&j->mem, struct part, nr) : NULL;
}

void op_jfr_parallel_read(struct op_jfr *j, const struct op_source *file,
			  unsigned int nr)
{
	struct part *parts;
	unsigned int n;

	nr = nr < MAX_PARTS ? nr : MAX_PARTS;
	parts = parts_new(j, nr);
	n = parts ? cut(file, nr, parts) : 1;
	for (unsigned int i = 1; i < n; i++) {
		parts[i].file = file;
		part_start(&parts[i], j);
	}
	op_jfr_chunks_read(j, file, 0, n > 1 ? parts[0].to : file->n);
	for (unsigned int i = 1; i < n; i++)
		part_end(&parts[i], j);
}
