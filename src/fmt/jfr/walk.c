// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/walk.c: the events of a chunk, one by one.
 *
 * Those of types without a plan are passed by their size. Of the others the
 * words that make up the identity are looked up; what they mean is found out
 * only when they are new. */
#include "fmt/jfr/walk.h"

#include <math.h>

#include "base/hash.h"
#include "fmt/jfr/chunk.h"
#include "fmt/jfr/chunk_header.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/engine.h"
#include "fmt/jfr/event_context.h"
#include "fmt/jfr/event_types.h"
#include "fmt/jfr/facts.h"
#include "fmt/jfr/identity.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/key_cache.h"
#include "fmt/jfr/metadata.h"
#include "fmt/jfr/packed_event.h"
#include "fmt/jfr/plan.h"
#include "fmt/jfr/rows.h"
#include "fmt/jfr/target.h"
#include "fmt/jfr/value.h"
#include "model/semconv.h"

/* --- one event --- */

static bool key_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_jfr_plan *p = table;
	const uint64_t *a = p->keys.p + (size_t)id * p->nr_words, *k = key;
	uint64_t differs = 0;

	for (uint32_t i = 0; i < p->nr_words; i++)
		differs |= a[i] ^ k[i];
	return !differs;
}

static uint32_t key_hash(const uint64_t *words, uint32_t n)
{
	return n <= 8 ? op_hash_words(words, n) :
			op_hash32(words, n * sizeof(*words));
}

/* The sample, and which profile it is of. */
static uint32_t sample_put(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			   uint32_t first, struct op_identity id)
{
	uint32_t sample = op_build_sample(&c->j->b, p->ids[first], id);

	if (!p->by_engine)
		return sample;
	if (sample > OP_JFR_SAMPLE_MASK)
		op_fail(c->err, OP_ELIMIT, "more than 2^30 samples");
	return sample | first << OP_JFR_ENGINE_SHIFT;
}

static uint32_t sample_new(struct op_jfr_chunk *c, struct op_jfr_plan *p,
			   const uint64_t *words, uint32_t hash)
{
	uint32_t id = (uint32_t)p->samples.n, sample = OP_NO_ID;
	uint32_t first = p->splits && words[0];
	struct op_jfr_identity m = { 0 };

	if (p->by_engine) {
		first = op_jfr_engine_of(c, p, words);
		c->j->engines_met |= 1u << first;
		m.unwanted = !p->wants[first];
	}
	if (!m.unwanted) {
		c->j->has_met = true;
		op_jfr_targets_make(c, p, first);
		op_jfr_identity_make(c, p, first, words, &m);
	}
	if (c->err->code)
		return OP_NO_ID;
	if (!m.unwanted)
		sample = sample_put(c, p, first, m.id);
	if (!op_vec_push(&c->mem, &p->samples, sample) ||
	    !op_vec_reserve(&c->mem, &p->keys, p->nr_words) ||
	    !op_intern_add(&p->index, &c->mem, hash, id))
		return OP_NO_ID;
	if (p->nr_words)
		memcpy(p->keys.p + p->keys.n, words,
		       p->nr_words * sizeof(*words));
	p->keys.n += p->nr_words;
	return sample;
}

static uint32_t sample_of(struct op_jfr_chunk *c, struct op_jfr_plan *p,
			  const uint64_t *words)
{
	uint32_t hash = key_hash(words, p->nr_words);
	uint32_t id = op_intern_find(&p->index, hash, key_eq, p, words);

	if (op_likely(id != OP_NO_ID))
		return p->samples.p[id];
	return sample_new(c, p, words, hash);
}

static double real_of(uint64_t bits, bool wide)
{
	uint32_t half = (uint32_t)bits;
	double d;
	float f;

	if (wide) {
		memcpy(&d, &bits, sizeof(d));
		return d;
	}
	memcpy(&f, &half, sizeof(f));
	return (double)f;
}

static int64_t rounded(double v)
{
	if (!(v > -9e18))
		return 0;
	return v < 9e18 ? llround(v) : INT64_MAX;
}

static int64_t value_of(const struct op_jfr_chunk *c,
			const struct op_jfr_plan *p, const uint64_t *nums,
			uint32_t i)
{
	uint32_t at = OP_JFR_N_VALUE + i;
	bool weighs = p->has[OP_JFR_N_WEIGHT];
	double weight = 1;

	if (p->profiles[i].measure == OP_JFR_DURATION)
		return op_jfr_span_ns(&c->h, p->units[OP_JFR_N_DURATION],
				      nums[OP_JFR_N_DURATION]);
	if (weighs && !p->is_real[OP_JFR_N_WEIGHT]) {
		if (p->profiles[i].measure == OP_JFR_ONE)
			return (int64_t)nums[OP_JFR_N_WEIGHT];
		weight = (double)(int64_t)nums[OP_JFR_N_WEIGHT];
	} else if (weighs) {
		weight = real_of(nums[OP_JFR_N_WEIGHT],
				 p->is_wide[OP_JFR_N_WEIGHT]);
	}
	if (p->profiles[i].measure == OP_JFR_ONE)
		return weighs ? rounded(weight) : 1;
	if (p->is_real[at])
		return rounded(real_of(nums[at], p->is_wide[at]) * weight);
	if (weighs)
		return rounded((double)(int64_t)nums[at] * weight);
	return op_jfr_span_ns(&c->h, p->units[at], nums[at]);
}

static bool text_eq(const void *table, uint32_t id, const void *key)
{
	return op_view_eq(((const struct op_view *)table)[id],
			  *(const struct op_view *)key);
}

/* The number of a text in this chunk. */
static uint64_t text_word(struct op_jfr_chunk *c, struct op_jfr_cur *in)
{
	struct op_view v = op_jfr_text(c, in);
	uint32_t hash = op_hash32(v.p, v.n);
	uint32_t id = op_intern_find(&c->text_index, hash, text_eq, c->texts.p,
				     &v);

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)c->texts.n;
	if (op_vec_push(&c->mem, &c->texts, v))
		op_intern_add(&c->text_index, &c->mem, hash, id);
	return id;
}

static void step_do(struct op_jfr_chunk *c, const struct op_jfr_step *s,
		    struct op_jfr_cur *in, uint64_t *slots)
{
	switch (s->op) {
	case OP_JFR_DO_PACKED: /* was done */
		break;
	case OP_JFR_DO_NUMBER:
		slots[s->slot] = op_jfr_number(in, s->field->kind);
		break;
	case OP_JFR_DO_TEXT:
		slots[s->slot] = text_word(c, in);
		break;
	case OP_JFR_DO_SKIP:
		op_jfr_skip(c, in, s->field);
		break;
	}
}

op_inline void steps_do(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			uint32_t from, uint32_t to, struct op_jfr_cur *in,
			uint64_t *slots)
{
	const struct op_jfr_step *s = p->steps.p + from;
	const struct op_jfr_step *end = p->steps.p + to;

	for (; s < end; s++) {
		if (op_likely(s->op == OP_JFR_DO_PACKED))
			slots[s->slot] = op_jfr_varint(&in->c);
		else
			step_do(c, s, in, slots);
	}
}

/* Adds a further measure of an event whose first was added. */
static void observe_more(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			 uint32_t i, uint32_t sample, int64_t value, uint64_t t)
{
	struct op_builder *b = &c->j->b;

	if (op_likely(!p->apart)) {
		op_build_observe_like(b, p->ids[i], value);
		return;
	}
	sample = op_build_sample(b, p->ids[i],
				 op_build_identity(b, p->ids[0], sample));
	op_build_observe(b, p->ids[i], sample, value, t);
}

op_inline void observe(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
		       const uint64_t *nums, uint32_t first, uint32_t sample)
{
	uint32_t end = p->splits ? first + 1 : p->nr_profiles;
	uint64_t t = op_jfr_time_ns(&c->h, nums[OP_JFR_N_TIME]);
	struct op_jfr *j = c->j;

	if (t < j->first_ns)
		j->first_ns = t;
	if (t > j->last_ns)
		j->last_ns = t;
	op_build_observe(&j->b, p->ids[first], sample,
			 value_of(c, p, nums, first), t);
	for (uint32_t i = first + 1; i < end; i++)
		observe_more(c, p, i, sample, value_of(c, p, nums, i), t);
}

static bool has_stack(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
		      const uint64_t *words)
{
	bool truncated;

	for (uint32_t i = 0; i < p->nr_words; i++)
		if (p->words[i].role == OP_JFR_STACK)
			return op_jfr_stack(c, words[i], &truncated) != 0;
	return false;
}

/* Of types that not every recording has many of. */
static void odd_event(struct op_jfr_chunk *c, struct op_jfr_plan *p,
		      const uint64_t *nums, const uint64_t *words)
{
	uint32_t sample;

	op_jfr_event_context(c, p, nums, words);
	if (!p->nr_profiles || c->err->code ||
	    (p->needs_stack && !has_stack(c, p, words)))
		return;
	sample = sample_of(c, p, words);
	if (sample == OP_NO_ID)
		return;
	observe(c, p, nums, 0, sample);
	if (p->context == OP_JFR_MALLOC)
		op_jfr_event_malloc(c, p, nums, sample);
}

static void event_read(struct op_jfr_chunk *c, struct op_jfr_plan *p,
		       struct op_jfr_cur *in)
{
	uint64_t slots[OP_JFR_NR_SLOTS];
	uint64_t *nums = slots, *words = slots + OP_JFR_WORDS;
	uint32_t sample, first = 0;

	memset(nums, 0, OP_JFR_NR_NUMS * sizeof(*nums));
	steps_do(c, p, 0, (uint32_t)p->steps.n, in, slots);
	if (op_unlikely(c->err->code))
		return;
	if (op_unlikely(p->is_odd)) {
		odd_event(c, p, nums, words);
		return;
	}
	if (p->splits) {
		words[0] = (int64_t)nums[OP_JFR_N_TIMEOUT] > 0 ||
			   (int64_t)nums[OP_JFR_N_UNTIL] > 0;
		first = words[0] != 0;
	}
	sample = sample_of(c, p, words);
	if (op_unlikely(sample == OP_NO_ID))
		return;
	if (p->by_engine) {
		first = sample >> OP_JFR_ENGINE_SHIFT;
		sample &= OP_JFR_SAMPLE_MASK;
	}
	observe(c, p, nums, first, sample);
}

/* --- events in runs --- */

/* Those of one engine out of a run. */
static void engine_end(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
		       uint32_t engine)
{
	uint64_t times[OP_JFR_RUN], values[OP_JFR_RUN];
	uint32_t samples[OP_JFR_RUN];
	struct op_build_run run = { 0, samples, times, { values } };
	const struct op_jfr_run *r = p->run;

	for (size_t i = 0; i < r->n; i++) {
		if (r->samples[i] >> OP_JFR_ENGINE_SHIFT != engine)
			continue;
		samples[run.n] = r->samples[i] & OP_JFR_SAMPLE_MASK;
		times[run.n] = r->times[i];
		values[run.n++] = r->values[0][i];
	}
	op_build_observe_run(&c->j->b, &p->ids[engine], 1, &run);
}

static bool is_split(const struct op_jfr_plan *p)
{
	uint64_t bits = 0;

	for (size_t i = 0; p->by_engine && i < p->run->n; i++)
		bits |= p->run->samples[i];
	return bits >> OP_JFR_ENGINE_SHIFT;
}

static void run_end(struct op_jfr_chunk *c, struct op_jfr_plan *p)
{
	struct op_jfr_run *r = p->run;
	struct op_build_run run;

	if (!r || !r->n)
		return;
	if (op_unlikely(is_split(p))) {
		for (uint32_t e = 0; e <= OP_JFR_OPEN; e++)
			engine_end(c, p, e);
		r->n = 0;
		return;
	}
	run = (struct op_build_run){
		r->n,
		r->samples,
		r->times,
		{ r->values[0], r->values[1], r->values[2] },
	};
	op_build_observe_run(&c->j->b, p->ids, p->nr_profiles, &run);
	r->n = 0;
}

op_inline void run_observe(struct op_jfr_chunk *c, struct op_jfr_plan *p,
			   uint32_t sample)
{
	struct op_jfr_run *r = p->run;
	uint64_t t = op_jfr_time_ns(&c->h, r->slots[OP_JFR_N_TIME]);
	struct op_jfr *j = c->j;

	if (t < j->first_ns)
		j->first_ns = t;
	if (t > j->last_ns)
		j->last_ns = t;
	r->samples[r->n] = sample;
	r->times[r->n] = t;
	for (uint32_t i = 0; i < p->nr_profiles; i++) {
		uint32_t slot = r->value_slot[i];

		r->values[i][r->n] = op_likely(slot != OP_JFR_UNWANTED) ?
					     r->slots[slot] :
					     (uint64_t)value_of(c, p, r->slots,
								i);
	}
	if (op_unlikely(++r->n == OP_JFR_RUN))
		run_end(c, p);
}

/* An event whose bytes tell the sample, if they came before. */
static void event_know(struct op_jfr_chunk *c, struct op_jfr_plan *p,
		       struct op_jfr_cur *in)
{
	uint32_t key_end = p->key_from + p->nr_key, sample;
	uint64_t *slots = p->run->slots;
	const uint32_t *known = NULL;
	struct op_jfr_key key;
	bool has_key;
	size_t n;

	steps_do(c, p, 0, p->key_from, in, slots);
	has_key = op_jfr_key(&in->c, p->nr_key, &key, &n);
	if (op_likely(has_key))
		known = op_jfr_key_cache_find(&p->cache, &key);
	if (op_likely(known))
		in->c.p += n;
	else
		steps_do(c, p, p->key_from, key_end, in, slots);
	steps_do(c, p, key_end, (uint32_t)p->steps.n, in, slots);
	if (op_unlikely(c->err->code))
		return;
	sample = known ? *known : sample_of(c, p, slots + OP_JFR_WORDS);
	if (op_unlikely(!known && has_key && !c->err->code))
		op_jfr_key_cache_add(&p->cache, &c->mem, &key, sample);
	if (op_likely(sample != OP_NO_ID))
		run_observe(c, p, sample);
}

/* Plans of packed events, by the byte that is the id of their type, and which
 * types nobody asks for. */
struct packed_plans {
	struct op_jfr_plan *of[256];
	bool skips[256];
};

static void packed_plans(const struct op_jfr_chunk *c,
			 struct packed_plans *plans)
{
	memset(plans, 0, sizeof(*plans));
	for (uint32_t id = 0; c->h.packed && id < 0x80; id++) {
		uint32_t type = op_jfr_type_of(c, id);
		struct op_jfr_plan *p = type == OP_NO_ID ?
						NULL :
						c->types.p[type].plan;

		if (p && p->packed.nr)
			plans->of[id] = p;
		plans->skips[id] = !p && !c->counts;
	}
}

/* Goes past events that nobody asks for, as long as their size and their type
 * are a byte each and there is room for another one behind them. */
op_inline const uint8_t *unwanted_skip(const uint8_t *p, const uint8_t *end,
				       const struct packed_plans *plans)
{
	enum { MAX_SIZE = 0x7f, HEAD = 2 };

	while (end - p >= MAX_SIZE + OP_JFR_PACKED_ROOM && plans->skips[p[1]] &&
	       p[0] >= HEAD && p[0] <= MAX_SIZE)
		p += p[0];
	return p;
}

/* Goes from event to event as long as they are packed and their keys are known;
 * gives where the first begins that is not so. */
static const uint8_t *packed_walk(struct op_jfr_chunk *c, const uint8_t *p,
				  const uint8_t *end,
				  const struct packed_plans *plans)
{
	while (end - p >= OP_JFR_PACKED_ROOM && !c->err->code) {
		const uint32_t *known;
		struct op_jfr_plan *plan;
		struct op_jfr_key key;

		p = unwanted_skip(p, end, plans);
		plan = plans->of[p[1]];
		if (!plan || !op_jfr_packed_read(&plan->packed, p,
						 plan->run->slots, &key))
			break;
		known = op_jfr_key_cache_find(&plan->cache, &key);
		if (op_unlikely(!known))
			break;
		p += p[0];
		if (op_likely(*known != OP_NO_ID))
			run_observe(c, plan, *known);
	}
	return p;
}

/* --- all of them --- */

/* An event that is broken within its size leaves the next ones whole. */
static void event_pass(struct op_jfr_chunk *c, uint64_t size)
{
	if (!c->j->opts.recover || c->err->code != OP_EFORMAT)
		return;
	*c->err = (struct op_err){ 0 };
	c->j->lost_events++;
	c->j->lost_bytes += size;
}

int op_jfr_walk(struct op_jfr_chunk *c)
{
	struct op_jfr_cur in = op_jfr_cursor(c, OP_JFR_HEADER);
	const uint8_t *end = in.c.end;
	struct packed_plans plans;

	packed_plans(c, &plans);
	while (in.c.p < end && !c->err->code) {
		const uint8_t *start = in.c.p = packed_walk(c, in.c.p, end,
							    &plans);
		uint64_t size = op_jfr_int(&in);
		uint32_t type = op_jfr_type_of(c, op_jfr_long(&in));
		struct op_jfr_type *t;

		if (op_unlikely(size < (uint64_t)(in.c.p - start) ||
				size > (uint64_t)(end - start))) {
			op_fail_at(c->err, OP_EFORMAT,
				   (uint64_t)(start - c->bytes.p),
				   "invalid event size: %llu bytes, %zu are "
				   "left",
				   (unsigned long long)size,
				   (size_t)(end - start));
			break;
		}
		in.c.end = start + size;
		if (type != OP_NO_ID) {
			t = &c->types.p[type];
			if (op_unlikely(c->counts && t->is_event)) {
				t->nr_events++;
				t->nr_bytes += size;
			}
			if (t->plan && t->plan->nr_key)
				event_know(c, t->plan, &in);
			else if (t->plan && t->plan->row)
				event_read(c, t->plan, &in);
			else if (t->plan)
				op_jfr_fact(c, type, &in);
			if (op_unlikely(c->err->code))
				event_pass(c, size);
		}
		in.c.p = start + size;
		in.c.end = end;
	}
	for (size_t i = 0; i < c->types.n; i++)
		if (c->types.p[i].plan)
			run_end(c, c->types.p[i].plan);
	return c->err->code;
}
