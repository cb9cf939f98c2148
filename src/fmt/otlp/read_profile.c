// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/read_profile.c: Profile and Sample, for the wire versions with a
 * stack table.
 *
 * Samples are most of a large message. They are counted first, by skipping, and
 * then decoded directly into the columns of the model. */
#include "fmt/otlp/read_int.h"

#include "base/ids.h"
#include "fmt/otlp/fields.h"

/* --- samples --- */

/* The columns of one profile while they grow. */
struct columns {
	OP_VEC(int64_t) values;
	uint32_t nr;	  /* samples decoded */
	size_t nr_values; /* estimated */
	size_t nr_times;
	struct op_view times;	/* of this sample: a part of the input */
	OP_VEC(uint8_t) joined; /* or of several parts */
};

/* The first call allocates room for all values. */
static bool values_grow(struct op_dec *d, struct columns *col, size_t n)
{
	if (!col->values.cap && n < col->nr_values)
		n = col->nr_values;
	return op_vec_reserve(d->mem, &col->values, n);
}

/* Reads many small values, in slices, as if they were IDs. Returns the end of
 * those that were read; run is then at the first that was not. */
static int64_t *small_values(struct op_cur *run, int64_t *out)
{
	enum { SLICE = 256, ENOUGH = 64 };
	uint32_t small[SLICE + OP_IDS_SPARE];
	size_t n;

	do {
		const uint8_t *from = run->p;
		size_t left = op_cur_left(run);
		struct op_ids_end got;

		got = op_ids_read(from, from + (left < SLICE ? left : SLICE),
				  run->words_end, UINT32_MAX, small);
		n = (size_t)(got.p - from);
		run->p = got.p;
		for (const uint32_t *v = small; v < got.to; v++)
			*out++ = *v;
	} while (n >= ENOUGH && run->p < run->end);
	return out;
}

op_inline void values_add(struct op_dec *d, struct op_cur run,
			  struct columns *col)
{
	enum { MANY_BYTES = 32 };
	size_t most = op_cur_left(&run);
	int64_t *out;

	if (op_unlikely(col->values.cap - col->values.n < most) &&
	    !values_grow(d, col, most))
		return;
	out = col->values.p + col->values.n;
	if (op_unlikely(most >= MANY_BYTES))
		out = small_values(&run, out);
	while (run.p < run.end)
		*out++ = (int64_t)op_cur_varint(&run);
	col->values.n = (size_t)(out - col->values.p);
}

/* The timestamps of a sample that has them in several parts. */
static op_cold void times_join(struct op_dec *d, struct op_view run,
			       struct columns *col)
{
	size_t before = col->joined.n ? 0 : col->times.n;

	if (!op_vec_reserve(d->mem, &col->joined, before + run.n))
		return;
	memcpy(col->joined.p + col->joined.n, col->times.p, before);
	memcpy(col->joined.p + col->joined.n + before, run.p, run.n);
	col->joined.n += before + run.n;
	col->times = op_view(col->joined.p, col->joined.n);
}

op_inline void times_add(struct op_dec *d, const struct op_cur *c,
			 struct op_view run, struct columns *col)
{
	if (op_unlikely(run.n % sizeof(uint64_t)))
		op_fail_at(d->err, OP_EFORMAT, (uint64_t)(run.p - c->base),
			   "%zu bytes of timestamps, not a multiple of 8",
			   run.n);
	else if (op_likely(!col->times.n))
		col->times = run;
	else if (run.n)
		times_join(d, run, col);
}

/* The position of the timestamps of each sample. */
static op_cold bool time_views_new(struct op_dec *d, struct op_profile *p)
{
	p->time_views = op_new(d->mem, const uint8_t *, p->nr_samples);
	return p->time_views;
}

/* Copies joined timestamps to their final place. */
static op_cold void times_keep(struct op_dec *d, struct columns *col)
{
	uint8_t *p = op_new_raw(d->mem, uint8_t, col->times.n);

	if (!p)
		return;
	memcpy(p, col->times.p, col->times.n);
	col->times.p = p;
	col->joined.n = 0;
}

/* Records the timestamps of sample i, which has some. */
op_inline void times_end(struct op_dec *d, struct op_profile *p,
			 struct columns *col, uint32_t i)
{
	if (op_unlikely(!p->time_views) && !time_views_new(d, p))
		return;
	if (op_unlikely(col->joined.n))
		times_keep(d, col);
	p->time_views[i] = col->times.p;
	col->nr_times += col->times.n / sizeof(uint64_t);
	col->times.n = 0;
}

/* The field numbers of Sample. */
struct sample_fields {
	uint32_t attributes, link, values;
};

static const struct sample_fields today = { SAMPLE_ATTRIBUTES, SAMPLE_LINK,
					    SAMPLE_VALUES };
static const struct sample_fields before_v1_10 = { 3, 4, 2 };

static op_cold void counts_differ(struct op_dec *d, uint64_t end)
{
	if (!d->wire.unchecked)
		op_fail_at(d->err, OP_EFORMAT, end,
			   "the sample that ends here has different numbers of "
			   "values and timestamps");
}

/* A sample's identity, and the keys of the fields it had. */
struct row {
	uint32_t stack, set, link, keys;
};

/* The fields of a sample in the current version, as long as they are in order.
 */
op_inline void in_order(struct op_dec *d, struct op_cur *c, struct columns *col,
			struct row *r)
{
	struct op_pb_field f;

	if (op_pb_take_varint(c, SAMPLE_STACK, &f)) {
		r->keys |= op_shape_bit(SAMPLE_STACK, OP_PB_VARINT);
		r->stack = op_dec_id(d, c, &f, OP_STACKS);
	}
	if (op_pb_take_len(c, SAMPLE_ATTRIBUTES, &f)) {
		r->keys |= op_shape_bit(SAMPLE_ATTRIBUTES, OP_PB_LEN);
		r->set = op_dec_attrs(d, c, &f, r->set);
	}
	if (op_pb_take_varint(c, SAMPLE_LINK, &f)) {
		r->keys |= op_shape_bit(SAMPLE_LINK, OP_PB_VARINT);
		r->link = op_dec_id(d, c, &f, OP_LINKS);
	}
	if (op_pb_take_len(c, SAMPLE_VALUES, &f)) {
		r->keys |= op_shape_bit(SAMPLE_VALUES, OP_PB_LEN);
		values_add(d, op_pb_sub(c, &f), col);
	}
	if (op_pb_take_len(c, SAMPLE_TIMES, &f)) {
		r->keys |= op_shape_bit(SAMPLE_TIMES, OP_PB_LEN);
		times_add(d, c, f.bytes, col);
	}
}

/* The fields of a sample in any order. */
op_inline void any_order(struct op_dec *d, struct op_cur *c,
			 struct columns *col, struct row *r,
			 const struct sample_fields *fields)
{
	struct op_pb_field f;

	while (op_pb_next(c, &f)) {
		r->keys |= op_shape_bit(f.num, f.wire);
		if (op_pb_key(&f) == OP_PB(SAMPLE_STACK, OP_PB_VARINT))
			r->stack = op_dec_id(d, c, &f, OP_STACKS);
		else if (f.num == fields->attributes)
			r->set = op_dec_attrs(d, c, &f, r->set);
		else if (f.num == fields->values &&
			 (f.wire == OP_PB_LEN || f.wire == OP_PB_VARINT))
			values_add(d, op_pb_sub(c, &f), col);
		else if (f.num == SAMPLE_TIMES &&
			 (f.wire == OP_PB_LEN || f.wire == OP_PB_I64))
			times_add(d, c, f.bytes, col);
		else if (f.num == fields->link && f.wire == OP_PB_VARINT)
			r->link = op_dec_id(d, c, &f, OP_LINKS);
	}
}

/* Inlined for each layout, to make the field numbers constants. */
op_inline void sample(struct op_dec *d, struct op_profile *p, struct op_cur c,
		      struct columns *col, const struct sample_fields *fields)
{
	uint32_t i = col->nr++;
	size_t first_value = col->values.n;
	struct row r = { 0 };
	size_t nr_values, nr_times;

	if (fields == &today)
		in_order(d, &c, col, &r);
	any_order(d, &c, col, &r, fields);
	nr_values = col->values.n - first_value;
	nr_times = col->times.n / sizeof(uint64_t);
	if (op_unlikely(nr_values && nr_times && nr_values != nr_times))
		counts_differ(d, (uint64_t)(c.end - c.base));
	p->stack[i] = r.stack;
	p->set[i] = r.set;
	p->link[i] = r.link;
	p->value_at[i + 1] = (uint32_t)col->values.n;
	if (nr_times)
		times_end(d, p, col, i);
	p->time_at[i + 1] = (uint32_t)col->nr_times;
	d->shape.no_data |= !(nr_values | nr_times);
	op_shape_note(&d->shape, r.keys,
		      d->set_at.p[r.set + 1] - d->set_at.p[r.set], nr_times);
}

static bool columns_new(struct op_dec *d, struct op_profile *p, size_t nr)
{
	if (nr >= OP_VEC_MAX)
		return !op_fail(d->err, OP_ELIMIT, "%zu samples in a profile",
				nr);
	p->nr_samples = (uint32_t)nr;
	p->stack = op_new_raw(d->mem, uint32_t, nr);
	p->set = op_new_raw(d->mem, uint32_t, nr);
	p->link = op_new_raw(d->mem, uint32_t, nr);
	p->value_at = op_new_raw(d->mem, uint32_t, nr + 1);
	p->time_at = op_new_raw(d->mem, uint32_t, nr + 1);
	if (d->err->code)
		return false;
	p->value_at[0] = 0;
	p->time_at[0] = 0;
	return true;
}

/* Drops redundant offsets: those of absent values or timestamps, and the second
 * of two equal columns. */
static void columns_finish(struct op_dec *d, struct op_profile *p,
			   struct columns *col)
{
	size_t bytes = ((size_t)p->nr_samples + 1) * sizeof(uint32_t);

	op_vec_trim(d->mem, &col->values);
	p->values = col->values.p;
	if (!col->nr_times || !memcmp(p->value_at, p->time_at, bytes)) {
		op_arena_drop(d->mem, p->time_at, bytes);
		p->time_at = col->nr_times ? p->value_at : NULL;
	}
	if (!col->values.n) {
		op_arena_drop(d->mem, p->value_at, bytes);
		p->value_at = NULL;
	}
}

/* --- profiles --- */

static void value_type(struct op_dec *d, struct op_cur c,
		       struct op_value_type *out, uint32_t *temporality)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		switch (op_pb_key(&f)) {
		case OP_PB(VALUE_TYPE_TYPE, OP_PB_VARINT):
			out->type = op_dec_id(d, &c, &f, OP_STRINGS);
			break;
		case OP_PB(VALUE_TYPE_UNIT, OP_PB_VARINT):
			out->unit = op_dec_id(d, &c, &f, OP_STRINGS);
			break;
		case OP_PB(VALUE_TYPE_TEMPORALITY, OP_PB_VARINT):
			*temporality = (uint32_t)f.v;
			break;
		}
	}
}

/* The part that needs all fields of the profile. */
struct pending {
	size_t nr_samples;
	size_t sample_bytes;
	uint32_t temporality;
	struct op_view id;
};

static void profile_field(struct op_dec *d, struct op_profile *p,
			  struct op_cur sub, struct op_pb_field f,
			  struct pending *out)
{
	uint32_t ignored;

	if (d->dialect->has_comments && f.num >= PROFILE_ID) {
		if (f.num == PROFILE_ID) {
			op_dec_ids_add(d, sub, OP_STRINGS, &d->comments);
			return;
		}
		f.num--;
	}
	switch (op_pb_key(&f)) {
	case OP_PB(PROFILE_SAMPLE_TYPE, OP_PB_LEN):
		value_type(d, sub, &p->sample_type, &out->temporality);
		break;
	case OP_PB(PROFILE_TIME, OP_PB_I64):
		p->time_ns = f.v;
		break;
	case OP_PB(PROFILE_DURATION, OP_PB_VARINT):
		p->duration_ns = f.v;
		break;
	case OP_PB(PROFILE_PERIOD_TYPE, OP_PB_LEN):
		value_type(d, sub, &p->period_type, &ignored);
		break;
	case OP_PB(PROFILE_PERIOD, OP_PB_VARINT):
		p->period = (int64_t)f.v;
		break;
	case OP_PB(PROFILE_ID, OP_PB_LEN):
		out->id = f.bytes;
		break;
	case OP_PB(PROFILE_DROPPED, OP_PB_VARINT):
		p->dropped_attrs = (uint32_t)f.v;
		break;
	case OP_PB(PROFILE_PAYLOAD_FORMAT, OP_PB_LEN):
		p->payload_format = f.bytes;
		break;
	case OP_PB(PROFILE_PAYLOAD, OP_PB_LEN):
		p->payload = f.bytes;
		break;
	case OP_PB(PROFILE_ATTRIBUTES, OP_PB_LEN):
	case OP_PB(PROFILE_ATTRIBUTES, OP_PB_VARINT):
		p->attrs = op_dec_set_more(d, sub, p->attrs);
		break;
	}
}

/* Everything but the samples, which are only counted. */
static void fields_read(struct op_dec *d, struct op_cur c, struct op_profile *p,
			struct pending *out)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_likely(op_pb_key(&f) ==
			      OP_PB(PROFILE_SAMPLES, OP_PB_LEN))) {
			out->nr_samples++;
			out->sample_bytes += f.bytes.n;
		} else {
			profile_field(d, p, op_pb_sub(&c, &f), f, out);
		}
	}
}

/* The number of values: one per sample, or, if most bytes are timestamps of
 * eight bytes, one per timestamp. */
static size_t values_expected(const struct pending *p)
{
	size_t timed = p->sample_bytes / 9;

	return timed > p->nr_samples ? timed : p->nr_samples;
}

/* The samples alone; inlined once for each layout. */
op_inline void samples_read(struct op_dec *d, struct op_cur c,
			    struct op_profile *p, struct columns *col,
			    const struct sample_fields *fields)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_likely(op_pb_key(&f) ==
			      OP_PB(PROFILE_SAMPLES, OP_PB_LEN)))
			sample(d, p, op_pb_sub(&c, &f), col, fields);
}

/* Collects the fields that the current version does not have. */
static void leftover_add(struct op_dec *d, struct op_profile *p,
			 uint32_t temporality, size_t first_comment)
{
	struct op_dec_leftover l = {
		.profile = p,
		.temporality = temporality,
		.first_comment = (uint32_t)first_comment,
		.nr_comments = (uint32_t)(d->comments.n - first_comment),
	};

	if (l.temporality || l.nr_comments)
		(void)op_vec_push(d->mem, &d->leftovers, l);
}

void op_dec_profile(struct op_dec *d, struct op_cur c, struct op_profile *p)
{
	size_t first_comment = d->comments.n;
	struct pending pending = { 0 };
	struct columns col = { 0 };

	fields_read(d, c, p, &pending);
	if (d->err->code || !columns_new(d, p, pending.nr_samples))
		return;
	col.nr_values = values_expected(&pending);
	if (d->dialect == &op_dialect_v1_10)
		samples_read(d, c, p, &col, &today);
	else
		samples_read(d, c, p, &col, &before_v1_10);
	if (col.nr_times > OP_VEC_MAX)
		op_fail(d->err, OP_ELIMIT, "%zu timestamps in a profile",
			col.nr_times);
	if (d->err->code)
		return;
	p->id_len = op_wire_id(&d->wire, c.base, pending.id, p->id,
			       sizeof(p->id));
	columns_finish(d, p, &col);
	leftover_add(d, p, pending.temporality, first_comment);
}
