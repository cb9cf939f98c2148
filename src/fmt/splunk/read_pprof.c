// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/read_pprof.c: a body that is a pprof file, packed with gzip and
 * written as base64. Labels of its samples say when, how often and why. */
#include "base/budget.h"
#include "pb/json_extract.h"
#include "fmt/pprof/fields.h"
#include "fmt/pprof/pprof.h"
#include "fmt/splunk/read_int.h"
#include "fmt/unpack.h"
#include "model/merge.h"
#include "model/semconv.h"
#include "pb/json_value.h"
#include "pb/read.h"

/* What a body may unpack to, where no quota says less, and all of a file: each
 * could be made to be a thousand times as large as it is. */
#define MAX_BYTES ((uint64_t)1 << 30)
#define MAX_OF_ALL ((uint64_t)4 << 30)

/* What allocations are called there. */
#define JAVA_ALLOCATION "allocationSize"

struct pprof {
	struct op_splunk_reader *r;
	struct op_model m;
	struct op_import im;
	struct op_arena mem;
	struct op_splunk_kind kind; /* as the record says */
	uint64_t at;		    /* of the body, for failures */
	bool is_bare;		    /* it has no types: each sample is one */
	uint32_t *attrs;	    /* the builder's ids; OP_NO_ID: not yet */
};

/* --- the body --- */

static int refuse(struct pprof *x, int code, const char *what)
{
	struct op_err *err = x->r->err;

	return op_fail_at(err, code, x->at, "%s", what);
}

/* What is wrong inside is told of the body, whose place is known. */
static int refuse_inside(struct pprof *x, const struct op_err *inner)
{
	return op_fail_at(x->r->err, inner->code, x->at,
			  "the pprof body: %.160s", inner->text);
}

static uint8_t *from_base64(struct pprof *x, struct op_view body, size_t *n)
{
	uint8_t *p = op_arena_alloc(&x->mem, body.n);

	if (!p)
		return NULL;
	*n = op_base64_decode(body, p);
	if (*n == OP_NOT_TEXT) {
		refuse(x, OP_EFORMAT, "the body is not valid base64");
		return NULL;
	}
	return p;
}

static bool has_types(struct op_view file)
{
	struct op_err ignored = { 0 };
	struct op_cur c = op_cur(file, &ignored);
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (f.num == PPROF_SAMPLE_TYPE)
			return true;
	return false;
}

/* How much the next body may unpack to: never 0, which is no limit. */
static size_t unpack_limit(const struct op_splunk_reader *r)
{
	uint64_t limit = r->nr_unpacked < MAX_OF_ALL ?
				 MAX_OF_ALL - r->nr_unpacked :
				 0;

	if (limit > MAX_BYTES)
		limit = MAX_BYTES;
	if (r->mem.quota && limit > r->mem.quota)
		limit = r->mem.quota;
	return limit ? (size_t)limit : 1;
}

/* The model of the body, which has no views of it. */
static void body_read(struct pprof *x, struct op_view body)
{
	size_t n;
	struct op_err inner = { 0 };
	struct op_buf out = { .limit = unpack_limit(x->r), .err = &inner };
	struct op_view file;
	uint8_t *packed = from_base64(x, body, &n);

	if (!packed)
		return;
	file = op_view(packed, n);
	if (op_packing(file) && !op_unpack(file, &out))
		file = op_view(out.p, out.n);
	x->r->nr_unpacked += out.n;
	x->is_bare = !inner.code && !has_types(file);
	if (!inner.code)
		op_pprof_decode_body(&x->m, file, &inner);
	if (op_budget_is_spent(&inner))
		*x->r->err = inner;
	else if (inner.code)
		refuse_inside(x, &inner);
	op_buf_free(&out);
}

/* --- labels --- */

/* What the labels of a sample say, besides what stays an attribute. */
struct told {
	int64_t time_ms, period;
	struct op_view event;
};

/* Some write the period as a text, and in ns. */
static int64_t period_of(const struct op_model *m, const struct op_any *v)
{
	int64_t n = 0;

	if (v->kind != OP_ANY_INT)
		return op_text_number(op_any_text(m, v), &n) ? n : 0;
	return v->num > 0 && v->num <= INT64_MAX / SPLUNK_MS ?
		       v->num * SPLUNK_MS :
		       0;
}

static bool told_take(struct pprof *x, const struct op_attr *a, struct told *t)
{
	struct op_view key = op_string(&x->m, a->key);

	if (op_view_is(key, SPLUNK_TIME) && a->value.kind == OP_ANY_INT)
		t->time_ms = a->value.num;
	else if (op_view_is(key, SPLUNK_PERIOD))
		t->period = period_of(&x->m, &a->value);
	else if (op_view_is(key, SPLUNK_EVENT))
		t->event = op_any_text(&x->m, &a->value);
	else
		return false;
	return true;
}

/* The builder's id of an attribute. A truth that pprof has as a text becomes
 * one again. */
static uint32_t attr_id(struct pprof *x, uint32_t id)
{
	const struct op_attr *a = &x->m.dict.attrs[id];
	struct op_view key = op_string(&x->m, a->key);
	struct op_any yes = { .kind = OP_ANY_BOOL };
	bool is_cut = op_view_is(key, SPLUNK_TRUNCATED) &&
		      op_view_is(op_any_text(&x->m, &a->value), "true");

	yes.num = 1;
	if (x->attrs[id] == OP_NO_ID)
		x->attrs[id] = op_build_attr(&x->r->b, key,
					     is_cut ? &yes : &a->value,
					     op_string(&x->m, a->unit), &x->m);
	return x->attrs[id];
}

static uint32_t set_of(struct pprof *x, uint32_t set, struct told *t)
{
	struct op_splunk_reader *r = x->r;
	struct op_ids ids = op_list(&x->m.dict.sets, set);

	r->stack.n = 0;
	for (uint32_t i = 0; i < ids.n && !r->err->code; i++) {
		if (told_take(x, &x->m.dict.attrs[ids.p[i]], t))
			continue;
		(void)op_vec_push(&r->once, &r->stack, attr_id(x, ids.p[i]));
	}
	return op_build_set(&r->b, r->stack.p, (uint32_t)r->stack.n);
}

/* --- samples --- */

static uint64_t time_of(struct pprof *x, const struct told *t)
{
	uint64_t ns;

	if (t->time_ms <= 0)
		return 0;
	if (__builtin_mul_overflow((uint64_t)t->time_ms, (uint64_t)SPLUNK_MS,
				   &ns))
		refuse(x, OP_EFORMAT,
		       "a pprof timestamp does not fit in 64 bits of ns");
	return ns;
}

static struct op_value_type type_of(struct pprof *x, struct op_value_type t)
{
	return (struct op_value_type){ op_import_string(&x->im, t.type),
				       op_import_string(&x->im, t.unit) };
}

/* The kind of a profile of the body. What it is called is its own, but for
 * allocations, and where it has no types the record says it. */
static struct op_splunk_kind kind_of(struct pprof *x,
				     const struct op_profile *p)
{
	struct op_splunk_kind k = x->kind;

	if (!op_view_is(op_string(&x->m, p->sample_type.type),
			JAVA_ALLOCATION) &&
	    !op_view_is(op_string(&x->m, p->sample_type.type),
			SPLUNK_CPU_SAMPLE))
		k.sample_type = type_of(x, p->sample_type);
	if (p->period || p->period_type.type || p->period_type.unit) {
		k.period_type = type_of(x, p->period_type);
		k.period = p->period;
	}
	k.attrs = op_splunk_set_with(x->r, op_import_set(&x->im, p->attrs));
	return k;
}

/* Samples without values that are alike are still looks of their own. */
static void observe(struct pprof *x, const struct op_splunk_kind *kind,
		    struct op_splunk_seen seen)
{
	int64_t n = x->is_bare && seen.time_ns ? seen.value : 1;

	if (x->is_bare && seen.time_ns)
		seen.value = 1;
	for (; n > 0 && !x->r->err->code; n--)
		op_splunk_observe(x->r, kind, &seen);
}

static void sample_add(struct pprof *x, const struct op_profile *p, uint32_t i,
		       const struct op_splunk_kind *of)
{
	struct op_builder *b = &x->r->b;
	struct op_values v = op_sample_values(p, i);
	struct op_times times = op_sample_times(p, i);
	struct op_splunk_kind kind = *of;
	struct told t = { 0 };
	struct op_splunk_seen seen = {
		.id = { op_import_stack(&x->im, p->stack[i]),
			set_of(x, p->set[i], &t),
			op_import_link(&x->im, p->link[i]) },
	};

	if (t.event.n)
		kind.event = t.event;
	if (t.period > 0) {
		kind.period = t.period;
		kind.period_type = (struct op_value_type){
			op_build_string(b, op_view_z(SPLUNK_PERIOD_TYPE)),
			op_build_string(b, op_view_z(SPLUNK_PERIOD_UNIT)),
		};
	}
	if (!times.n) {
		seen.value = op_sample_total(p, i);
		seen.time_ns = time_of(x, &t);
		observe(x, &kind, seen);
	}
	for (uint32_t k = 0; k < times.n && !x->r->err->code; k++) {
		seen.value = k < v.n ? v.p[k] : 1;
		seen.time_ns = times.p[k];
		op_splunk_observe(x->r, &kind, &seen);
	}
}

static void profiles_add(struct pprof *x)
{
	struct op_walk w = { 0 };

	x->attrs = op_new_ids(&x->mem, x->m.dict.nr[OP_ATTRS]);
	if (!x->attrs)
		return;
	op_import_mappings(&x->im, NULL);
	while (op_walk_next(&x->m, &w) && !x->r->err->code) {
		const struct op_splunk_kind kind = kind_of(x, w.profile);

		if (!w.profile->nr_samples)
			op_splunk_profile_make(x->r, &kind);
		for (uint32_t i = 0; i < w.profile->nr_samples; i++)
			if (!x->r->err->code)
				sample_add(x, w.profile, i, &kind);
	}
}

void op_splunk_pprof_read(struct op_splunk_reader *r, struct op_view body)
{
	struct pprof x = { .r = r,
			   .mem = { .err = r->err, .quota = r->mem.quota },
			   .m.mem.quota = r->mem.quota,
			   .kind = op_splunk_kind_of(r),
			   .at = (uint64_t)(body.p - r->msg.p) };

	body_read(&x, body);
	if (!r->err->code && op_import_init(&x.im, &r->b, &x.m))
		profiles_add(&x);
	op_import_fini(&x.im);
	op_model_free(&x.m);
	op_arena_free(&x.mem);
}
