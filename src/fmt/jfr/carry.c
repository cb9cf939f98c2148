// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/carry.c: what was made of constants, carried to the next chunk.
 *
 * Each chunk has constants of its own, but most are those of the chunk before
 * it: the same threads, methods and stacks, and mostly the same ids. What an
 * earlier chunk made of them is still good where
 *
 *	a method     has the same names. They are compared as text, because
 *	             async-profiler numbers its symbols anew in each chunk
 *	a frame      has the same bytes, and its method and its type are the
 *	             same
 *	a stack      has the same bytes, and all of its frames are the same,
 *	             as they are if those of all stacks are
 *	a thread     has the same ids, name and group
 *	an identity  has the same bytes, and all that its words refer to is the
 *	             same
 *
 * An id that one of the chunks does not have is never the same. To compare may
 * take as many steps as the new chunk has bytes, times a few: what is left is
 * made anew, and so is everything if types are described otherwise. Nothing
 * that goes wrong here matters: whoever reads the constant will meet it
 * again. */
#include "fmt/jfr/carry.h"

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/constant_pool.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/engine.h"
#include "fmt/jfr/key_cache.h"
#include "fmt/jfr/plan.h"
#include "fmt/jfr/rows.h"

enum { STEPS_A_BYTE = 4, STEPS_A_ROW = 16, NR_NOTES = 16 };

enum verdict { UNKNOWN, SAME, OTHER };

struct carry {
	struct op_jfr_chunk *to, *from;
	struct op_err err; /* of reading; nothing is the same after it */
	uint64_t steps;
	uint8_t *methods;	 /* verdicts by slot of the new pool */
	uint8_t types[NR_NOTES]; /* of frames, by id */
	bool has_all;		 /* frames of the old chunk's stacks */
};

/* False if too much was done already, or if something could not be read, which
 * leaves texts empty. */
static bool spend(struct carry *k, uint64_t steps)
{
	bool ok = steps <= k->steps && !k->err.code;

	k->steps = ok ? k->steps - steps : 0;
	return ok;
}

static bool same_text(struct carry *k, struct op_view a, struct op_view b)
{
	return spend(k, STEPS_A_ROW + a.n + b.n) && op_view_eq(a, b);
}

/* --- one of a kind --- */

static struct op_jfr_pool *pool_of(const struct op_jfr_chunk *c, uint32_t type)
{
	return &c->types.p[type].pool;
}

/* The slot of an id in the old chunk, which mostly is the one it has in the
 * new one; false if there is none, or nothing was made of it. */
static bool made_find(const struct carry *k, uint32_t type, uint32_t slot,
		      uint32_t *old_slot)
{
	const struct op_jfr_pool *old = pool_of(k->from, type);
	uint64_t id = pool_of(k->to, type)->ids.p[slot], at;

	*old_slot = slot;
	if ((slot >= old->ids.n || old->ids.p[slot] != id) &&
	    !op_jfr_pool_find(k->from, type, id, &at, old_slot))
		return false;
	return old->made.p[*old_slot] != OP_NO_ID;
}

static bool same_method(struct carry *k, uint64_t id)
{
	struct op_jfr_method a, b;

	return op_jfr_method_read(k->from, id, &a) &&
	       op_jfr_method_read(k->to, id, &b) &&
	       same_text(k, a.class, b.class) && same_text(k, a.name, b.name) &&
	       same_text(k, a.descriptor, b.descriptor);
}

/* The same; its function is carried, too. */
static bool method_carry(struct carry *k, uint64_t id)
{
	uint32_t type = k->to->t_method, slot, old_slot;
	uint64_t at;

	if (!op_jfr_pool_find(k->to, type, id, &at, &slot))
		return false;
	if (k->methods[slot] == UNKNOWN) {
		k->methods[slot] = same_method(k, id) ? SAME : OTHER;
		if (k->methods[slot] == SAME &&
		    made_find(k, type, slot, &old_slot))
			pool_of(k->to, type)->made.p[slot] =
				pool_of(k->from, type)->made.p[old_slot];
	}
	return k->methods[slot] == SAME;
}

static bool same_pool_text(struct carry *k, uint32_t type, uint64_t id)
{
	return same_text(k, op_jfr_pool_text(k->from, type, id),
			 op_jfr_pool_text(k->to, type, id));
}

static bool same_frame_type(struct carry *k, uint64_t id)
{
	uint8_t fresh = UNKNOWN, *v = id < NR_NOTES ? &k->types[id] : &fresh;

	if (*v == UNKNOWN)
		*v = same_pool_text(k, k->to->t_frame_type, id) ? SAME : OTHER;
	return *v == SAME;
}

/* --- all of a kind --- */

static void frames_carry(struct carry *k)
{
	const struct op_jfr_key_cache *old = &k->from->rows->locations;
	uint32_t nr = 0;

	/* The kind of a frame depends on the types of all others. */
	if (k->from->rows->has_kernel != k->to->rows->has_kernel ||
	    !spend(k, old->nr_slots) ||
	    !op_jfr_key_cache_begin(&k->to->rows->locations, &k->to->mem, old))
		return;
	for (uint32_t i = 0; i < old->nr_slots; i++) {
		const struct op_jfr_key_cache_slot *s = &old->slots[i];
		struct op_jfr_frame_refs f;

		if (!s->is_used)
			continue;
		f = op_jfr_frame_refs(k->from, &s->key);
		if (!spend(k, STEPS_A_ROW) || !method_carry(k, f.method) ||
		    !same_frame_type(k, f.type))
			continue;
		if (!op_jfr_key_cache_add(&k->to->rows->locations, &k->to->mem,
					  &s->key, s->what))
			return;
		nr++;
	}
	k->has_all = nr == old->nr && !k->from->rows->has_others;
}

/* The same bytes, and frames that are the same. */
static bool same_stack(struct carry *k, uint32_t slot, uint32_t old_slot)
{
	const struct op_jfr_pool *a = pool_of(k->from, k->from->t_stack);
	const struct op_jfr_pool *b = pool_of(k->to, k->to->t_stack);
	uint64_t n = b->bytes.p[slot];

	return a->bytes.p[old_slot] == n && spend(k, n) &&
	       !memcmp(k->from->bytes.p + a->at.p[old_slot],
		       k->to->bytes.p + b->at.p[slot], n) &&
	       (k->has_all || op_jfr_stack_is_cached(k->to, b->at.p[slot])) &&
	       !k->err.code;
}

static bool same_thread(struct carry *k, uint64_t id)
{
	struct op_jfr_thread a, b;

	return op_jfr_thread_read(k->from, id, &a) &&
	       op_jfr_thread_read(k->to, id, &b) && a.ids[0] == b.ids[0] &&
	       a.ids[1] == b.ids[1] && a.is_virtual == b.is_virtual &&
	       same_text(k, a.name, b.name) && same_text(k, a.group, b.group);
}

/* Stacks, or threads. */
static void pool_carry(struct carry *k, uint32_t type)
{
	struct op_jfr_pool *p = type == OP_NO_ID ? NULL : pool_of(k->to, type);
	uint32_t old_slot;

	for (uint32_t i = 0; p && i < p->ids.n && k->steps; i++) {
		if (!spend(k, STEPS_A_ROW) || !made_find(k, type, i, &old_slot))
			continue;
		if (type == k->to->t_stack ? same_stack(k, i, old_slot) :
					     same_thread(k, p->ids.p[i]))
			p->made.p[i] = pool_of(k->from, type)->made.p[old_slot];
	}
}

/* --- identities of events --- */

/* Verdicts on the values of a word met last. */
struct notes {
	struct note {
		uint64_t v;
		uint8_t verdict;
	} of[OP_JFR_MAX_WORDS][NR_NOTES];
};

static bool is_carried(const struct carry *k, uint32_t type, uint64_t id)
{
	uint32_t slot;
	uint64_t at;

	return !id || (op_jfr_pool_find(k->to, type, id, &at, &slot) &&
		       pool_of(k->to, type)->made.p[slot] != OP_NO_ID);
}

static bool same_word(struct carry *k, const struct op_jfr_word *w, uint64_t v)
{
	switch (w->role) {
	case OP_JFR_STACK:
		return is_carried(k, k->to->t_stack, v);
	case OP_JFR_THREAD:
		return is_carried(k, k->to->t_thread, v);
	case OP_JFR_CLASS:
		return same_text(k, op_jfr_class_symbol(k->from, v),
				 op_jfr_class_symbol(k->to, v));
	case OP_JFR_OTHER_THREAD:
		return same_text(k, op_jfr_thread_name(k->from, v),
				 op_jfr_thread_name(k->to, v));
	case OP_JFR_METHOD:
		return same_method(k, v);
	case OP_JFR_STATE:
	case OP_JFR_ENUM:
		return same_pool_text(k, w->type, v);
	case OP_JFR_TRUTH:
	case OP_JFR_SMALL:
		return true;
	default:
		return false;
	}
}

static bool same_noted(struct carry *k, const struct op_jfr_word *w, uint64_t v,
		       struct note *notes)
{
	struct note *n = &notes[v % NR_NOTES];

	if (n->verdict == UNKNOWN || n->v != v)
		*n = (struct note){ v, same_word(k, w, v) ? SAME : OTHER };
	return n->verdict == SAME;
}

static bool same_key(struct carry *k, const struct op_jfr_plan *p,
		     const struct op_jfr_key *key, struct notes *notes)
{
	struct op_err ignored = { 0 };
	struct op_cur in = op_cur(op_view((const uint8_t *)key, sizeof(*key)),
				  &ignored);

	for (uint32_t i = 0; i < p->nr_key; i++) {
		uint64_t v = op_jfr_varint(&in);
		uint32_t word = p->steps.p[p->key_from + i].slot - OP_JFR_WORDS;

		if (!same_noted(k, &p->words[word], v, notes->of[word]))
			return false;
	}
	return !ignored.code;
}

/* Links seldom come again, and there is no end of them. Where the engine of a
 * sample is what settings say, these may change. */
static bool is_lasting(const struct carry *k, const struct op_jfr_plan *from,
		       const struct op_jfr_plan *to)
{
	if (!from || !to || !from->nr_key || !to->nr_key || to->has_link ||
	    from->by_engine != to->by_engine)
		return false;
	return !to->by_engine ||
	       (op_jfr_tells_engine(k->from) && op_jfr_tells_engine(k->to));
}

static void plan_carry(struct carry *k, const struct op_jfr_plan *from,
		       struct op_jfr_plan *to)
{
	const struct op_jfr_key_cache *old;
	struct notes notes = { 0 };

	if (!is_lasting(k, from, to))
		return;
	old = &from->cache;
	memcpy(to->ids, from->ids, sizeof(to->ids));
	if (!spend(k, old->nr_slots) ||
	    !op_jfr_key_cache_begin(&to->cache, &k->to->mem, old))
		return;
	for (uint32_t i = 0; i < old->nr_slots; i++) {
		const struct op_jfr_key_cache_slot *s = &old->slots[i];

		if (s->is_used && spend(k, STEPS_A_ROW) &&
		    same_key(k, to, &s->key, &notes) &&
		    !op_jfr_key_cache_add(&to->cache, &k->to->mem, &s->key,
					  s->what))
			return;
	}
}

/* --- from chunk to chunk --- */

/* What a chunk says of its types, behind the moment when it says so. */
static struct op_view description(const struct op_jfr_chunk *c)
{
	struct op_jfr_cur in = op_jfr_cursor(c, c->h.meta_at);
	const uint8_t *from = in.c.p;
	uint64_t n = op_jfr_int(&in), head;

	for (int i = 0; i < 4; i++) /* type, start, duration, id */
		op_jfr_long(&in);
	head = (uint64_t)(in.c.p - from);
	if (n < head || n - head > op_cur_left(&in.c))
		return (struct op_view){ 0 };
	return op_view(in.c.p, n - head);
}

static bool same_types(const struct op_jfr_chunk *a,
		       const struct op_jfr_chunk *b)
{
	struct op_view x = description(a), y = description(b);

	return a->h.packed && b->h.packed && x.n && op_view_eq(x, y);
}

static void carry(struct carry *k)
{
	struct op_jfr_chunk *to = k->to;

	if (!same_types(k->from, to) || to->t_method == OP_NO_ID ||
	    to->t_stack == OP_NO_ID || to->rows->frame.type == OP_NO_ID)
		return;
	k->methods = op_new(&to->mem, uint8_t,
			    pool_of(to, to->t_method)->ids.n);
	if (!k->methods)
		return;
	frames_carry(k);
	pool_carry(k, to->t_stack);
	pool_carry(k, to->t_thread);
	for (size_t i = 0; i < to->types.n && k->steps; i++)
		plan_carry(k, k->from->types.p[i].plan, to->types.p[i].plan);
}

void op_jfr_carry(struct op_jfr_chunk *to, struct op_jfr_chunk *from)
{
	struct carry k = { .to = to,
			   .from = from,
			   .steps = to->h.size * STEPS_A_BYTE };
	struct op_err *err = to->err;

	op_arena_tells(&to->mem, &k.err);
	to->err = from->err = &k.err;
	carry(&k);
	to->err = from->err = err;
}
