// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/read.c: a pprof message into a model.
 *
 * Samples come first in most files and the strings they need last, so the
 * message is gone through twice: once for the tables and the head, once for
 * the samples. Rows of the tables are made when a sample first needs them.
 *
 * Each sample type becomes a profile; they have the same samples. */
#include "fmt/pprof/pprof.h"

#include "base/hash.h"
#include "base/ids.h"
#include "fmt/pprof/read_int.h"
#include "model/semconv.h"

/* Most types of values, so that a sample of many cannot fill the memory. */
enum { MAX_TYPES = 1024 };

struct type {
	struct op_pb_field type, unit;
};

/* The message without its tables and samples; strings as they stand. */
struct head {
	OP_VEC(struct type) types;
	OP_VEC(struct op_pb_field) comments;
	struct type period_type;
	struct op_pb_field drop_frames, keep_frames, doc_url, default_type;
	int64_t time, duration, period;
};

/* Samples without times whose stacks are looked up together: a lookup mostly
 * waits for memory. */
enum { BATCH = 32 };

struct batch {
	uint32_t n;
	struct op_id_vec frames; /* of all stacks */
	uint32_t frame_at[BATCH + 1];
	uint32_t set[BATCH], link[BATCH];
	int64_t *values; /* of each sample as many as there are types */
};

struct reader {
	struct op_pprof_reader r;
	struct batch batch;
	struct head head;
	uint32_t scope;
	struct op_profile common;    /* head of every profile */
	struct op_value_type *types; /* in the order of the model */
	uint32_t *column;	     /* of the file, by profile */
	uint32_t *profiles[2];	     /* without and with times; NULL: none */
	int64_t *values;	     /* of the sample at hand */
	uint64_t nr_values;
	struct op_pprof_memo stacks;
	struct op_pprof_memo sets;
};

/* --- first time: the tables and the head --- */

static struct type type_read(struct op_cur c)
{
	struct type t = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(PPROF_TYPE_TYPE, OP_PB_VARINT))
			t.type = f;
		else if (op_pb_key(&f) == OP_PB(PPROF_TYPE_UNIT, OP_PB_VARINT))
			t.unit = f;
	}
	return t;
}

static void comments_read(struct reader *x, const struct op_pb_field *f)
{
	struct op_cur run = op_pb_sub(&x->r.file, f);

	while (op_cur_more(&run)) {
		struct op_pb_field one = { .bytes = op_cur_rest(&run) };

		one.v = op_cur_varint(&run);
		(void)op_vec_push(&x->r.scratch, &x->head.comments, one);
	}
}

static void number_read(struct head *h, const struct op_pb_field *f)
{
	switch (f->num) {
	case PPROF_DROP_FRAMES:
		h->drop_frames = *f;
		break;
	case PPROF_KEEP_FRAMES:
		h->keep_frames = *f;
		break;
	case PPROF_TIME:
		h->time = (int64_t)f->v;
		break;
	case PPROF_DURATION:
		h->duration = (int64_t)f->v;
		break;
	case PPROF_PERIOD:
		h->period = (int64_t)f->v;
		break;
	case PPROF_DEFAULT_TYPE:
		h->default_type = *f;
		break;
	case PPROF_DOC_URL:
		h->doc_url = *f;
		break;
	}
}

static void message_read(struct reader *x, const struct op_pb_field *f)
{
	struct op_pprof_reader *r = &x->r;

	switch (f->num) {
	case PPROF_SAMPLE_TYPE:
		(void)op_vec_push(&r->scratch, &x->head.types,
				  type_read(op_pb_sub(&r->file, f)));
		break;
	case PPROF_MAPPING:
		op_pprof_row_found(r, &r->mappings, f);
		break;
	case PPROF_LOCATION:
		op_pprof_row_found(r, &r->locations, f);
		break;
	case PPROF_FUNCTION:
		op_pprof_row_found(r, &r->functions, f);
		break;
	case PPROF_STRING:
		(void)op_vec_push(&r->scratch, &r->strings, f->bytes);
		break;
	case PPROF_PERIOD_TYPE:
		x->head.period_type = type_read(op_pb_sub(&r->file, f));
		break;
	}
}

/* So that 0 is no string anywhere else. */
static void first_string_move(struct op_pprof_reader *r)
{
	struct op_view first = r->strings.p[0];

	if (!op_vec_push(&r->scratch, &r->strings, first))
		return;
	r->strings.p[0] = (struct op_view){ 0 };
	r->default_key = (uint32_t)r->strings.n - 1;
}

static void head_read(struct reader *x)
{
	struct op_pprof_reader *r = &x->r;
	struct op_cur c = r->file;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.num == PPROF_COMMENT)
			comments_read(x, &f);
		else if (f.wire == OP_PB_LEN)
			message_read(x, &f);
		else if (f.wire == OP_PB_VARINT)
			number_read(&x->head, &f);
	}
	if (x->head.types.n > MAX_TYPES)
		op_fail(r->err, OP_ELIMIT,
			"%zu sample types, but only %d are allowed",
			x->head.types.n, MAX_TYPES);
	if (r->strings.n && r->strings.p[0].n && r->is_body)
		first_string_move(r);
	else if (r->strings.n && r->strings.p[0].n)
		op_fail_at(r->err, OP_EFORMAT,
			   (uint64_t)(r->strings.p[0].p - r->file.base),
			   "the first string is not empty");
}

static void tables_index(struct op_pprof_reader *r)
{
	r->string_ids = op_new_ids(&r->scratch, r->strings.n);
	op_pprof_rows_index(r, &r->mappings);
	op_pprof_rows_index(r, &r->locations);
	op_pprof_rows_index(r, &r->functions);
	op_pprof_mappings_make(r);
}

/* --- the head of the profiles --- */

static uint32_t text_attr(struct reader *x, const char *key, uint32_t string)
{
	struct op_any v = { .kind = OP_ANY_STRING_ID };

	v.string_id = string;
	return op_build_attr(&x->r.b, op_view_z(key), &v, (struct op_view){ 0 },
			     NULL);
}

static uint32_t comment_attr(struct reader *x)
{
	uint32_t n = (uint32_t)x->head.comments.n;
	struct op_any v = { .kind = OP_ANY_ARRAY, .n = n };

	v.array = op_new(&x->r.scratch, struct op_any, n);
	if (!v.array)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = op_pprof_string(&x->r, &x->head.comments.p[i]);

		v.array[i].kind = id ? OP_ANY_STRING_ID : OP_ANY_STRING;
		if (id)
			v.array[i].string_id = id;
	}
	return op_build_attr(&x->r.b, op_view_z(OP_ATTR_COMMENT), &v,
			     (struct op_view){ 0 }, NULL);
}

static uint32_t profile_attrs(struct reader *x)
{
	const struct {
		const char *key;
		const struct op_pb_field *f;
	} texts[] = {
		{ OP_ATTR_DROP_FRAMES, &x->head.drop_frames },
		{ OP_ATTR_KEEP_FRAMES, &x->head.keep_frames },
		{ OP_ATTR_DOC_URL, &x->head.doc_url },
	};
	uint32_t ids[op_countof(texts) + 1];
	uint32_t n = 0;

	for (size_t i = 0; i < op_countof(texts); i++) {
		uint32_t string = op_pprof_string(&x->r, texts[i].f);

		if (string)
			ids[n++] = text_attr(x, texts[i].key, string);
	}
	if (x->head.comments.n)
		ids[n++] = comment_attr(x);
	return op_build_set(&x->r.b, ids, n);
}

static struct op_value_type type_of(struct reader *x, const struct type *t)
{
	return (struct op_value_type){ op_pprof_string(&x->r, &t->type),
				       op_pprof_string(&x->r, &t->unit) };
}

static void common_make(struct reader *x)
{
	const struct head *h = &x->head;

	x->common = (struct op_profile){
		.time_ns = h->time > 0 ? (uint64_t)h->time : 0,
		.duration_ns = h->duration > 0 ? (uint64_t)h->duration : 0,
		.period_type = type_of(x, &h->period_type),
		.period = h->period,
		.attrs = profile_attrs(x),
	};
}

/* The type that viewers show first: the named one, else the last. */
static uint32_t default_column(struct reader *x)
{
	uint32_t n = (uint32_t)x->head.types.n;
	uint32_t name = op_pprof_string(&x->r, &x->head.default_type);

	for (uint32_t i = 0; name && i < n; i++)
		if (op_pprof_string(&x->r, &x->head.types.p[i].type) == name)
			return i;
	return n - 1;
}

/* Which columns of the samples become which profile: in pprof the default is
 * the last or has a name, in OTLP it is the first. A file without types (as
 * Splunk's) counts samples. */
static void types_make(struct reader *x)
{
	struct op_pprof_reader *r = &x->r;
	uint32_t n = (uint32_t)x->head.types.n;
	uint32_t first;

	x->types = op_new(&r->scratch, struct op_value_type, n + 1);
	x->column = op_new(&r->scratch, uint32_t, n + 1);
	x->values = op_new(&r->scratch, int64_t, n + 1);
	if (!x->types || !x->column || !x->values)
		return;
	if (!n) {
		x->types[0].type = op_build_string(&r->b, op_view_z("samples"));
		x->types[0].unit = op_build_string(&r->b, op_view_z("count"));
		x->values[0] = 1;
		return;
	}
	first = default_column(x);
	x->column[0] = first;
	for (uint32_t i = 1; i < n; i++)
		x->column[i] = i <= first ? i - 1 : i;
	for (uint32_t i = 0; i < n; i++)
		x->types[i] = type_of(x, &x->head.types.p[x->column[i]]);
}

/* The order of the columns goes into the scope's attributes. */
static void scope_make(struct reader *x)
{
	struct op_builder *b = &x->r.b;
	const struct op_resource res = { .schema_url = op_view_z(
						 OP_SCHEMA_URL) };
	struct op_scope head = { .schema_url = op_view_z(OP_SCHEMA_URL) };
	uint32_t n = (uint32_t)x->head.types.n;
	uint32_t name = op_pprof_string(&x->r, &x->head.default_type);
	struct op_any *order = op_new(&x->r.scratch, struct op_any, n);
	struct op_kv kvs[2] = { 0 };

	if (!order)
		return;
	for (uint32_t i = 0; i < n; i++) {
		order[i].kind = OP_ANY_INT;
		order[i].num = x->column[i];
	}
	head.attrs.p = kvs;
	if (n > 1) {
		struct op_kv *kv = &kvs[head.attrs.n++];

		kv->key = op_view_z(OP_ATTR_SAMPLE_TYPE_ORDER);
		kv->value.kind = OP_ANY_ARRAY;
		kv->value.n = n;
		kv->value.array = order;
	}
	if (name) {
		struct op_kv *kv = &kvs[head.attrs.n++];

		kv->key = op_view_z(OP_ATTR_DEFAULT_SAMPLE_TYPE);
		kv->value.kind = OP_ANY_STRING_ID;
		kv->value.string_id = op_pprof_string(&x->r,
						      &x->head.default_type);
	}
	x->scope = op_build_scope(b, op_build_resource(b, &res, NULL), &head,
				  NULL);
}

/* The profiles of samples with times, or without. */
static const uint32_t *profiles_of(struct reader *x, bool timed)
{
	struct op_builder *b = &x->r.b;
	uint32_t n = x->head.types.n ? (uint32_t)x->head.types.n : 1;
	struct op_profile head = x->common;
	uint32_t *ids = x->profiles[timed];

	if (op_likely(ids))
		return ids;
	ids = x->profiles[timed] = op_new(&x->r.scratch, uint32_t, n);
	if (!ids)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		head.sample_type = x->types[i];
		ids[i] = i ? op_build_profile_like(b, ids[0], &head) :
			     op_build_profile(b, x->scope, &head);
	}
	return ids;
}

/* --- second time: the samples --- */

static bool memo_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_pprof_made *m = (const void *)((const uint64_t *)table +
						       id);

	return op_view_eq(op_view(m + 1, m->n), *(const struct op_view *)key);
}

/* Whether enough of what was asked for had come before. */
static bool memo_pays(const struct op_pprof_memo *m)
{
	enum { TRIAL = 1 << 16 };

	return m->nr_asked < TRIAL || m->nr_known >= m->nr_asked / 3;
}

/* What these bytes were before; NULL if they are new. */
static const struct op_pprof_made *memo_find(struct op_pprof_memo *m,
					     struct op_view key, uint32_t hash)
{
	uint32_t id = op_intern_find(&m->index, hash, memo_eq, m->words.p,
				     &key);

	m->nr_asked++;
	m->nr_known += id != OP_NO_ID;
	return id == OP_NO_ID ? NULL : (const void *)(m->words.p + id);
}

static void memo_add(struct reader *x, struct op_pprof_memo *m,
		     struct op_view key, uint32_t hash,
		     struct op_pprof_made made)
{
	struct op_arena *mem = &x->r.scratch;
	size_t nr = (sizeof(made) + key.n + 7) / 8;
	size_t at = m->words.n;

	if (!op_vec_reserve(mem, &m->words, nr) ||
	    !op_intern_add(&m->index, mem, hash, (uint32_t)at))
		return;
	made.n = (uint32_t)key.n;
	memcpy(m->words.p + at, &made, sizeof(made));
	if (key.n)
		memcpy(m->words.p + at + sizeof(made) / 8, key.p, key.n);
	m->words.n += nr;
}

/* The location of an id at a byte of the file; OP_NO_ID after a failure. */
static uint32_t location_of(struct op_pprof_reader *r, uint64_t id,
			    const uint8_t *at)
{
	uint32_t slot = OP_NO_ID;

	if (!r->err->code)
		slot = op_pprof_slot(r, &r->locations, id, at);
	if (slot == OP_NO_ID || r->locations.made[slot] != OP_NO_ID)
		return slot == OP_NO_ID ? slot : r->locations.made[slot];
	return op_pprof_location(r, slot);
}

/* Replaces n ids at the start of a run, all of them slots of locations, by the
 * locations. */
static void ids_to_locations(struct op_pprof_reader *r, struct op_cur run,
			     uint32_t *ids, size_t n)
{
	const uint32_t *made = r->locations.made;
	size_t passed = 0; /* ids of the run, to say where one stands */

	for (size_t i = 0; i < n; i++) {
		uint32_t row = made[ids[i]];

		if (op_unlikely(row == OP_NO_ID)) {
			for (; passed < i; passed++)
				op_cur_varint(&run);
			row = location_of(r, ids[i], run.p);
		}
		ids[i] = row;
	}
}

/* Adds the locations of a run to a list. */
static void frames_read(struct op_pprof_reader *r, struct op_cur run,
			struct op_id_vec *out)
{
	uint32_t dense = r->locations.dense ? r->locations.nr : 0;
	struct op_ids_end got;
	uint32_t *to;

	/* No id is shorter than a byte. */
	if (!op_vec_reserve(&r->scratch, out, op_cur_left(&run) + OP_IDS_SPARE))
		return;
	to = out->p + out->n;
	got = op_ids_read(run.p, run.end, run.words_end, dense, to);
	ids_to_locations(r, run, to, (size_t)(got.to - to));
	run.p = got.p;
	to = got.to;
	while (op_cur_more(&run)) {
		const uint8_t *at = run.p;

		*to++ = location_of(r, op_cur_varint(&run), at);
	}
	out->n = (size_t)(to - out->p);
}

/* Those beyond the number of types are only counted. */
op_inline void value_add(struct reader *x, uint64_t v)
{
	if (op_likely(x->nr_values < x->head.types.n))
		x->values[x->nr_values] = (int64_t)v;
	x->nr_values++;
}

static void values_read(struct reader *x, struct op_cur run)
{
	while (op_cur_more(&run))
		value_add(x, op_cur_varint(&run));
}

/* Adds a sample whose stack, labels and values were read. */
static void sample_add(struct reader *x, uint32_t stack,
		       const struct op_pprof_labelled *l, const uint8_t *at)
{
	struct op_builder *b = &x->r.b;
	uint32_t n = (uint32_t)x->head.types.n;
	const uint32_t *profiles;
	uint32_t sample;

	if (x->r.err->code)
		return;
	if (x->nr_values != n) {
		op_fail_at(x->r.err, OP_EFORMAT,
			   (uint64_t)(at - x->r.file.base),
			   "a sample has %llu values, but there are %u types",
			   (unsigned long long)x->nr_values, n);
		return;
	}
	profiles = profiles_of(x, l->timed);
	if (!profiles || x->r.err->code)
		return;
	sample = op_build_sample(
		b, profiles[0], (struct op_identity){ stack, l->set, l->link });
	for (uint32_t i = 0; i < (n ? n : 1); i++) {
		int64_t v = x->values[x->column[i]];

		if (!l->timed)
			op_build_add(b, profiles[i], sample, v);
		else if (!i)
			op_build_observe(b, profiles[i], sample, v, l->time_ns);
		else
			op_build_observe_like(b, profiles[i], v);
	}
}

static uint32_t new_stack(struct reader *x, struct op_cur run)
{
	struct op_pprof_reader *r = &x->r;

	r->ids.n = 0;
	frames_read(r, run, &r->ids);
	return op_build_stack(&r->b, r->ids.p, (uint32_t)r->ids.n);
}

/* The stack of a run that holds all of its locations. */
static uint32_t run_stack(struct reader *x, struct op_cur run)
{
	struct op_view key = op_cur_rest(&run);
	const struct op_pprof_made *known;
	uint32_t hash, stack;

	if (!memo_pays(&x->stacks))
		return new_stack(x, run);
	hash = op_hash32(key.p, key.n);
	known = memo_find(&x->stacks, key, hash);
	if (known)
		return known->id;
	stack = new_stack(x, run);
	memo_add(x, &x->stacks, key, hash,
		 (struct op_pprof_made){ .id = stack });
	return stack;
}

/* All labels of a sample, which stand side by side. */
static struct op_pprof_labelled run_labels(struct reader *x, struct op_cur run)
{
	struct op_view key = op_cur_rest(&run);
	uint32_t hash = op_hash32(key.p, key.n);
	const struct op_pprof_made *known = memo_find(&x->sets, key, hash);
	struct op_pprof_labelled l;
	struct op_pb_field f;

	if (known)
		return (struct op_pprof_labelled){ .set = known->id,
						   .link = known->link };
	while (op_pb_next(&run, &f))
		op_pprof_label_read(&x->r, f.bytes);
	l = op_pprof_labels_end(&x->r);
	if (!l.timed)
		memo_add(x, &x->sets, key, hash,
			 (struct op_pprof_made){ .id = l.set, .link = l.link });
	return l;
}

/* Fields in any order, lists in any number of parts. */
static void odd_read(struct reader *x, struct op_cur c)
{
	struct op_pprof_reader *r = &x->r;
	const uint8_t *at = c.p;
	struct op_pprof_labelled l;
	struct op_pb_field f;
	uint32_t stack;

	r->ids.n = 0;
	x->nr_values = 0;
	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_LEN && f.wire != OP_PB_VARINT)
			continue;
		if (f.num == PPROF_SAMPLE_LOCATION)
			frames_read(r, op_pb_sub(&c, &f), &r->ids);
		else if (f.num == PPROF_SAMPLE_VALUE)
			values_read(x, op_pb_sub(&c, &f));
		else if (op_pb_key(&f) == OP_PB(PPROF_SAMPLE_LABEL, OP_PB_LEN))
			op_pprof_label_read(r, f.bytes);
	}
	if (r->err->code)
		return;
	stack = op_build_stack(&r->b, r->ids.p, (uint32_t)r->ids.n);
	l = op_pprof_labels_end(r);
	sample_add(x, stack, &l, at);
}

/* Adds the samples of the batch, which is then empty. */
static void batch_end(struct reader *x)
{
	struct op_builder *b = &x->r.b;
	struct batch *w = &x->batch;
	uint32_t stacks[BATCH], samples[BATCH];
	uint32_t n = w->n, nr = (uint32_t)x->head.types.n;
	struct op_identity ids[BATCH];
	struct op_ids lists[BATCH];
	const uint32_t *profiles;

	w->n = 0;
	w->frames.n = 0;
	if (!n || x->r.err->code)
		return;
	for (uint32_t i = 0; i < n; i++)
		lists[i] = (struct op_ids){ w->frames.p + w->frame_at[i],
					    w->frame_at[i + 1] -
						    w->frame_at[i] };
	op_build_stacks(b, lists, n, stacks);
	for (uint32_t i = 0; i < n; i++)
		ids[i] = (struct op_identity){ stacks[i], w->set[i],
					       w->link[i] };
	profiles = profiles_of(x, false);
	if (!profiles || x->r.err->code)
		return;
	op_build_samples(b, profiles[0], ids, n, samples);
	for (uint32_t i = 0; i < n && !x->r.err->code; i++)
		for (uint32_t k = 0; k < nr; k++)
			op_build_add(b, profiles[k], samples[i],
				     w->values[i * nr + x->column[k]]);
}

/* Whether a sample may wait: it has no time, it is sound, and stacks of this
 * file are not found by their bytes. */
static bool batch_takes(const struct reader *x,
			const struct op_pprof_labelled *l)
{
	size_t nr = x->head.types.n;

	return !l->timed && nr && x->nr_values == nr && !memo_pays(&x->stacks);
}

static void batch_add(struct reader *x, struct op_cur stack,
		      const struct op_pprof_labelled *l)
{
	struct batch *w = &x->batch;
	size_t nr = x->head.types.n;

	if (!w->values)
		w->values = op_new_raw(&x->r.scratch, int64_t, BATCH * nr);
	if (!w->values)
		return;
	w->frame_at[w->n] = (uint32_t)w->frames.n;
	frames_read(&x->r, stack, &w->frames);
	memcpy(w->values + w->n * nr, x->values, nr * sizeof(*x->values));
	w->set[w->n] = l->set;
	w->link[w->n] = l->link;
	w->frame_at[++w->n] = (uint32_t)w->frames.n;
	if (w->n == BATCH)
		batch_end(x);
}

/* As most writers have it: the locations in one run, the values, the labels.
 * What is not like that is read again, slowly. */
static void sample_read(struct reader *x, struct op_cur c)
{
	struct op_pprof_labelled l = { 0 };
	struct op_cur all = c, stack = c, labels;
	struct op_pb_field f;

	x->nr_values = 0;
	stack.end = stack.p;
	if (op_pb_take_len(&c, PPROF_SAMPLE_LOCATION, &f))
		stack = op_pb_sub(&c, &f);
	if (op_pb_take_len(&c, PPROF_SAMPLE_VALUE, &f))
		values_read(x, op_pb_sub(&c, &f));
	else
		while (op_pb_take_varint(&c, PPROF_SAMPLE_VALUE, &f))
			value_add(x, f.v);
	labels = c;
	while (op_pb_take_len(&c, PPROF_SAMPLE_LABEL, &f))
		;
	labels.end = c.p;
	if (op_unlikely(c.p != c.end)) {
		batch_end(x);
		odd_read(x, all);
		return;
	}
	if (labels.p != labels.end)
		l = run_labels(x, labels);
	if (batch_takes(x, &l)) {
		batch_add(x, stack, &l);
		return;
	}
	batch_end(x);
	sample_add(x, run_stack(x, stack), &l, all.p);
}

static void samples_read(struct reader *x)
{
	struct op_cur c = x->r.file;
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(PPROF_SAMPLE, OP_PB_LEN))
			sample_read(x, op_pb_sub(&c, &f));
	batch_end(x);
	if (!x->profiles[false] && !x->profiles[true])
		profiles_of(x, false);
}

/* --- the whole --- */

static int decode(struct op_model *m, struct op_view msg, bool is_body,
		  struct op_err *err)
{
	struct reader x = {
		.r = {
			.err = err,
			.is_body = is_body,
			.scratch.err = err,
			.file = op_cur(msg, err),
			.mappings.name = "mapping",
			.locations.name = "location",
			.functions.name = "function",
		},
	};

	op_builder_init(&x.r.b, m, err);
	head_read(&x);
	if (!err->code)
		tables_index(&x.r);
	if (!err->code)
		types_make(&x);
	if (!err->code) {
		common_make(&x);
		scope_make(&x);
	}
	if (!err->code)
		samples_read(&x);
	m->normal = !err->code && op_pprof_mappings_used(&x.r);
	op_arena_free(&x.r.scratch);
	return op_builder_finish(&x.r.b);
}

int op_pprof_decode(struct op_model *m, struct op_view msg, struct op_err *err)
{
	return decode(m, msg, false, err);
}

int op_pprof_decode_body(struct op_model *m, struct op_view msg,
			 struct op_err *err)
{
	return decode(m, msg, true, err);
}
