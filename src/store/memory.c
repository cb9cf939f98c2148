// SPDX-License-Identifier: Apache-2.0
/* store/memory.c: a store in memory.
 *
 * A source is a list of models. One that grows, as a live recording does, would
 * get very many: as soon as the last is no longer much smaller than the one
 * before, the two are merged, so that a source of n models costs log n merges
 * of each row. What was scanned is kept for the next question about the same,
 * of which a page asks several.
 */
#include "model/merge.h"
#include "query/totals.h"
#include "query/type_list.h"
#include "store/store.h"

enum { KEPT = 6 }; /* results of scans */

/* A model that a source, results and callers may share. */
struct shared {
	struct op_arena mem; /* that holds it */
	struct op_model m;
	uint32_t nr_users;
	uint64_t size; /* observations */
};

struct source {
	char *name;
	OP_VEC(struct shared *) models;
};

struct kept {
	struct op_buf key; /* what was asked */
	struct shared *answer;
	uint64_t used; /* number of the last scan that did */
};

struct memory {
	struct op_store store; /* first, see memory_of() */
	struct op_arena mem;
	OP_VEC(struct source) sources;
	struct kept kept[KEPT];
	uint64_t nr_scans;
};

static struct memory *memory_of(const struct op_store *s)
{
	return (struct memory *)s;
}

/* --- models --- */

static struct shared *shared_new(struct op_err *err)
{
	struct op_arena mem = { .err = err };
	struct shared *x = op_new(&mem, struct shared, 1);

	if (x) {
		x->mem = mem;
		x->mem.err = NULL; /* which it outlives */
		x->nr_users = 1;
	}
	return x;
}

static void shared_release(void *owner)
{
	struct shared *x = owner;
	struct op_arena mem;

	if (!x || --x->nr_users)
		return;
	op_model_free(&x->m);
	mem = x->mem;
	op_arena_free(&mem);
}

static void shared_measure(struct shared *x)
{
	struct op_walk w = { 0 };

	x->size = 1;
	while (op_walk_next(&x->m, &w))
		x->size += op_profile_observations(w.profile);
}

/* One model of several; takes no part of them over. */
static struct shared *shared_merge(struct op_model *const *models, size_t n,
				   struct op_err *err)
{
	struct shared *x = shared_new(err);

	if (x && op_merge(models, n, &x->m, err)) {
		shared_release(x);
		return NULL;
	}
	return x;
}

/* --- what was asked before --- */

static void key_text(struct op_buf *out, const char *text)
{
	op_buf_z(out, text ? text : "\x01");
	op_buf_byte(out, 0);
}

static void key_of(struct op_buf *out, const struct op_scan *s)
{
	const struct op_selector *sel = &s->select;

	op_buf_printf(out, "%u %d %d %llu %llu ", sel->source, (int)s->as,
		      sel->edit.collapse, (unsigned long long)s->range.from,
		      (unsigned long long)s->range.to);
	key_text(out, sel->types);
	key_text(out, sel->where);
	key_text(out, sel->focus);
	key_text(out, sel->ignore);
	key_text(out, sel->edit.hide);
	key_text(out, sel->edit.show_from);
}

static struct shared *kept_find(struct memory *s, const struct op_buf *key)
{
	for (int i = 0; i < KEPT; i++) {
		struct kept *k = &s->kept[i];

		if (!k->answer || k->key.n != key->n ||
		    memcmp(k->key.p, key->p, key->n))
			continue;
		k->used = s->nr_scans;
		return k->answer;
	}
	return NULL;
}

static void kept_drop(struct kept *k)
{
	shared_release(k->answer);
	op_buf_free(&k->key);
	*k = (struct kept){ 0 };
}

/* Instead of the one that was not asked for the longest. */
static void kept_add(struct memory *s, struct op_buf *key, struct shared *x)
{
	struct kept *oldest = &s->kept[0];

	for (int i = 1; i < KEPT; i++)
		if (s->kept[i].used < oldest->used)
			oldest = &s->kept[i];
	kept_drop(oldest);
	x->nr_users++;
	*oldest = (struct kept){ .key = *key, x, s->nr_scans };
	*key = (struct op_buf){ 0 };
}

static void kept_clear(struct memory *s)
{
	for (int i = 0; i < KEPT; i++)
		kept_drop(&s->kept[i]);
}

/* --- put --- */

static struct source *source_named(struct memory *s, const char *name)
{
	struct source new = { 0 };
	size_t n = strlen(name) + 1;

	for (size_t i = 0; i < s->sources.n; i++)
		if (!strcmp(s->sources.p[i].name, name))
			return &s->sources.p[i];
	new.name = op_arena_alloc(&s->mem, n);
	if (!new.name)
		return NULL;
	memcpy(new.name, name, n);
	if (!op_vec_push(&s->mem, &s->sources, new))
		return NULL;
	return &s->sources.p[s->sources.n - 1];
}

/* Merges the last two models as long as they are of about one size. */
static int source_tidy(struct source *to, struct op_err *err)
{
	while (to->models.n > 1) {
		struct shared **last = &to->models.p[to->models.n - 2];
		struct op_model *two[] = { &last[0]->m, &last[1]->m };
		struct shared *one;

		if (last[1]->size < last[0]->size / 2)
			break;
		one = shared_merge(two, 2, err);
		if (!one)
			return err->code;
		shared_measure(one);
		shared_release(last[0]);
		shared_release(last[1]);
		last[0] = one;
		to->models.n--;
	}
	return OP_OK;
}

static int memory_put(struct op_store *store, const char *name,
		      struct op_model *m, struct op_err *err)
{
	struct memory *s = memory_of(store);
	struct shared *x = shared_new(err);
	struct source *to;

	if (!x) {
		op_model_free(m);
		return err->code;
	}
	x->m = *m;
	*m = (struct op_model){ 0 };
	op_arena_tells(&s->mem, err);
	to = op_model_unpack(&x->m, err) ? NULL : source_named(s, name);
	if (!to || !op_vec_push(&s->mem, &to->models, x)) {
		shared_release(x);
		return err->code;
	}
	shared_measure(x);
	kept_clear(s);
	return source_tidy(to, err);
}

/* --- scan --- */

/* The models of the sources that are meant. */
struct models {
	struct op_arena mem;
	OP_VEC(struct shared *) list;
};

static int models_collect(const struct memory *s, uint32_t source,
			  struct models *out, struct op_err *err)
{
	out->mem.err = err;
	if (source != OP_ALL_SOURCES && source >= s->sources.n)
		return op_fail(err, OP_EUSAGE, "there is no file %u", source);
	for (uint32_t i = 0; i < s->sources.n; i++) {
		const struct source *from = &s->sources.p[i];

		if (source != OP_ALL_SOURCES && source != i)
			continue;
		for (size_t k = 0; k < from->models.n; k++)
			if (!op_vec_push(&out->mem, &out->list,
					 from->models.p[k]))
				return err->code;
	}
	return OP_OK;
}

/* One model of all that are meant. The same state or counter may be in it more
 * than once; of these the last counts, so equal samples are merged. */
static struct shared *joined(const struct models *from, struct op_err *err)
{
	struct op_arena mem = { .err = err };
	OP_VEC(struct op_model *) all = { 0 };
	struct shared *x = NULL;

	if (from->list.n == 1 && !op_states_repeat(&from->list.p[0]->m)) {
		from->list.p[0]->nr_users++;
		return from->list.p[0];
	}
	for (size_t i = 0; i < from->list.n; i++)
		(void)op_vec_push(&mem, &all, &from->list.p[i]->m);
	if (!err->code)
		x = shared_merge(all.p, all.n, err);
	op_arena_free(&mem);
	return x;
}

static bool selects_all(const struct op_scan *scan)
{
	const struct op_selector *s = &scan->select;

	return scan->as == OP_SCAN_RAW && !scan->range.to && !s->types &&
	       !s->where && !s->focus && !s->ignore &&
	       !op_frame_edit_is_set(&s->edit);
}

static struct shared *filtered(struct shared *from, const struct op_scan *scan,
			       struct op_err *err)
{
	const struct op_selector *sel = &scan->select;
	struct op_where where = { 0 };
	struct op_filter_opts o = { .types = sel->types,
				    .focus = sel->focus,
				    .ignore = sel->ignore,
				    .edit = sel->edit,
				    .range = scan->range,
				    .aggregate = scan->as == OP_SCAN_SUMMED,
				    .drop_payloads = true };
	struct shared *x = shared_new(err);

	if (x && sel->where && !op_where_parse(&where, sel->where, err))
		o.where = &where;
	if (x && (err->code || op_filter(&from->m, &o, &x->m, err))) {
		shared_release(x);
		x = NULL;
	}
	op_where_free(&where);
	return x;
}

static struct shared *scan_new(struct memory *s, const struct op_scan *scan,
			       struct op_err *err)
{
	struct op_scan all = { .select.source = scan->select.source };
	struct op_scanned from = { 0 };
	struct models list = { 0 };
	struct shared *x = NULL;

	if (selects_all(scan)) {
		if (!models_collect(s, scan->select.source, &list, err))
			x = joined(&list, err);
		op_arena_free(&list.mem);
		return x;
	}
	if (!op_store_scan(&s->store, &all, &from, err))
		x = filtered(from.owner, scan, err);
	op_scanned_free(&from);
	return x;
}

static int memory_scan(struct op_store *store, const struct op_scan *scan,
		       struct op_scanned *out, struct op_err *err)
{
	struct memory *s = memory_of(store);
	struct op_buf key = { .err = err };
	struct shared *x;

	key_of(&key, scan);
	if (err->code)
		return err->code;
	s->nr_scans++;
	x = kept_find(s, &key);
	if (x) {
		x->nr_users++;
	} else {
		x = scan_new(s, scan, err);
		if (x)
			kept_add(s, &key, x);
	}
	op_buf_free(&key);
	if (x)
		*out = (struct op_scanned){ &x->m, x, shared_release };
	return err->code;
}

static bool memory_span(const struct op_store *store, struct op_range *out)
{
	const struct memory *s = memory_of(store);
	struct op_range all = { 0 }, one;

	for (size_t i = 0; i < s->sources.n; i++) {
		const struct source *from = &s->sources.p[i];

		for (size_t k = 0; k < from->models.n; k++)
			if (op_model_span(&from->models.p[k]->m, &one))
				op_range_widen(&all, one);
	}
	*out = all;
	return all.to != 0;
}

static void memory_free(struct op_store *store)
{
	struct memory *s = memory_of(store);
	struct op_arena mem = s->mem;

	kept_clear(s);
	for (size_t i = 0; i < s->sources.n; i++)
		for (size_t k = 0; k < s->sources.p[i].models.n; k++)
			shared_release(s->sources.p[i].models.p[k]);
	op_arena_free(&mem);
}

static const struct op_store_ops ops = {
	.put = memory_put,
	.scan = memory_scan,
	.span = memory_span,
	.free = memory_free,
};

struct op_store *op_memory_store(struct op_err *err)
{
	struct op_arena mem = { .err = err };
	struct memory *s = op_new(&mem, struct memory, 1);

	if (!s)
		return NULL;
	s->mem = mem;
	s->mem.err = NULL;
	s->store.ops = &ops;
	return &s->store;
}
