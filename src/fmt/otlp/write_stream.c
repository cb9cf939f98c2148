// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/write_stream.c: writes a message to a sink in batches, without
 * having all of it in memory. */
#include "fmt/otlp/write.h"

#include "fmt/format.h"
#include "fmt/otlp/fields.h"
#include "model/obs.h"

enum { BATCH = 256 * 1024 }; /* about so many bytes of samples at a time */

/* --- sizes; all tags of a sample take one byte --- */

static size_t uint_size(uint64_t v)
{
	return v ? 1 + op_varint_size(v) : 0;
}

static size_t len_size(size_t n)
{
	return 1 + op_varint_size(n) + n;
}

static size_t packed_size(size_t n)
{
	return n ? len_size(n) : 0;
}

static size_t ids_size(struct op_ids ids)
{
	size_t n = 0;

	for (uint32_t i = 0; i < ids.n; i++)
		n += op_varint_size(ids.p[i]);
	return packed_size(n);
}

static size_t values_size(struct op_values v)
{
	size_t n = 0;

	for (uint32_t i = 0; i < v.n; i++)
		n += op_varint_size((uint64_t)v.p[i]);
	return packed_size(n);
}

static size_t packed_observations_size(const struct op_profile *p, uint32_t i)
{
	size_t n = packed_size(8 * (size_t)op_obs_count(p->packed_times, i));

	if (p->packed_values)
		n += packed_size(op_obs_value_bytes(p->packed_values, i));
	return n;
}

/* Without tag and length. */
static size_t sample_size(const struct op_otlp_samples *s, uint32_t i)
{
	const struct op_profile *p = s->p;
	size_t n = uint_size(p->stack[i]) + uint_size(p->link[i]);

	n += !i && s->is_marked ? len_size(0) : 0;
	n += ids_size(op_list(&s->d->sets, p->set[i]));
	if (p->packed_times)
		return n + packed_observations_size(p, i);
	n += values_size(op_sample_values(p, i));
	n += packed_size(8 * (size_t)op_sample_times(p, i).n);
	return n;
}

size_t op_otlp_sample_size(const struct op_otlp_samples *s, uint32_t i)
{
	return len_size(sample_size(s, i));
}

size_t op_otlp_gap_add(struct op_otlp_gaps *gaps, struct op_pbw *w,
		       const struct op_otlp_samples *s)
{
	struct op_otlp_gap gap = { .samples = *s, .mark = op_pbw_mark(w) };

	for (uint32_t i = 0; i < s->p->nr_samples; i++) {
		if (s->p->packed_values)
			op_obs_hint(s->p->packed_values, i);
		gap.size += op_otlp_sample_size(s, i);
	}
	(void)op_vec_push(&gaps->mem, &gaps->v, gap);
	return gap.size;
}

/* --- into the sink --- */

/* The end of a run of samples of about BATCH bytes. */
static uint32_t batch_end(const struct op_profile *p, uint32_t from)
{
	size_t n = 0;
	uint32_t i;

	for (i = from; i < p->nr_samples && n < BATCH; i++)
		n += 16 + 8 * (size_t)op_sample_times(p, i).n +
		     3 * (size_t)op_sample_values(p, i).n;
	return i;
}

/* Samples with packed observations are written forwards: they can be walked
 * only in that direction, and all sizes are known. */
struct front {
	struct op_sink *out;
	struct op_err *err;
	uint8_t *start, *p, *end;
	size_t written;
};

static void front_flush(struct front *f)
{
	size_t n = (size_t)(f->p - f->start);

	if (!f->err->code)
		f->out->write(f->out, op_view(f->start, n), f->err);
	f->written += n;
	f->p = f->start;
}

/* Makes room for n bytes, which is at most BATCH. */
static void front_room(struct front *f, size_t n)
{
	if (op_unlikely((size_t)(f->end - f->p) < n))
		front_flush(f);
}

static void front_varint(struct front *f, uint64_t v)
{
	front_room(f, OP_VARINT_MAX);
	f->p += op_varint_put(f->p, v);
}

static void front_uint(struct front *f, uint32_t num, uint64_t v)
{
	if (!v)
		return;
	front_varint(f, OP_PB(num, OP_PB_VARINT));
	front_varint(f, v);
}

static void front_len(struct front *f, uint32_t num, size_t n)
{
	front_varint(f, OP_PB(num, OP_PB_LEN));
	front_varint(f, n);
}

static void front_ids(struct front *f, uint32_t num, struct op_ids ids)
{
	size_t n = 0;

	if (!ids.n)
		return;
	for (uint32_t i = 0; i < ids.n; i++)
		n += op_varint_size(ids.p[i]);
	front_len(f, num, n);
	for (uint32_t i = 0; i < ids.n; i++)
		front_varint(f, ids.p[i]);
}

static void front_values(struct front *f, const struct op_obs *values,
			 uint32_t i)
{
	struct op_obs_walk w;
	struct op_view v;

	if (!op_obs_count(values, i))
		return;
	front_len(f, SAMPLE_VALUES, op_obs_value_bytes(values, i));
	op_obs_walk(&w, values, i);
	while ((v = op_obs_next_values(&w)).n) {
		front_room(f, v.n);
		memcpy(f->p, v.p, v.n);
		f->p += v.n;
	}
}

static void front_times(struct front *f, const struct op_obs *times, uint32_t i)
{
	uint32_t n = op_obs_count(times, i);
	struct op_obs_walk w;

	if (!n)
		return;
	front_len(f, SAMPLE_TIMES, 8 * (size_t)n);
	op_obs_walk(&w, times, i);
	do {
		front_room(f, 8 * OP_OBS_MAX);
		n = op_obs_next_times(&w, f->p);
		f->p += 8 * (size_t)n;
	} while (n);
}

static void front_sample(struct front *f, const struct op_otlp_samples *s,
			 uint32_t i)
{
	const struct op_profile *p = s->p;

	op_packed_hint(p, i);
	front_len(f, PROFILE_SAMPLES, sample_size(s, i));
	front_uint(f, SAMPLE_STACK, p->stack[i]);
	front_ids(f, SAMPLE_ATTRIBUTES, op_list(&s->d->sets, p->set[i]));
	front_uint(f, SAMPLE_LINK, p->link[i]);
	if (op_unlikely(!i && s->is_marked))
		front_len(f, SAMPLE_VALUES, 0);
	if (p->packed_values)
		front_values(f, p->packed_values, i);
	front_times(f, p->packed_times, i);
}

static size_t packed_fill(const struct op_otlp_gap *gap, struct op_sink *out,
			  struct op_err *err)
{
	struct front f = { .out = out, .err = err };

	f.start = f.p = op_heap_resize(NULL, BATCH, err);
	if (!f.start)
		return 0;
	f.end = f.start + BATCH;
	for (uint32_t i = 0; i < gap->samples.p->nr_samples && !err->code; i++)
		front_sample(&f, &gap->samples, i);
	front_flush(&f);
	op_heap_free(f.start);
	return f.written;
}

static size_t arrays_fill(const struct op_otlp_gap *gap, struct op_pbw *batch,
			  struct op_sink *out)
{
	const struct op_profile *p = gap->samples.p;
	size_t written = 0;
	uint32_t to;

	for (uint32_t i = 0; i < p->nr_samples && !batch->err->code; i = to) {
		to = batch_end(p, i);
		batch->p = batch->end;
		op_otlp_samples_write(batch, &gap->samples, i, to);
		written += op_pbw_mark(batch);
		if (!batch->err->code)
			out->write(out, op_pbw_result(batch), batch->err);
	}
	return written;
}

static void gap_fill(const struct op_otlp_gap *gap, struct op_pbw *batch,
		     struct op_sink *out)
{
	size_t written = gap->samples.p->packed_times ?
				 packed_fill(gap, out, batch->err) :
				 arrays_fill(gap, batch, out);

	if (written != gap->size && !batch->err->code)
		op_fail(batch->err, OP_EUSAGE,
			"the profile changed while it was written");
}

int op_otlp_write(const struct op_model *m, struct op_sink *out,
		  struct op_err *err)
{
	struct op_pbw around = { .err = err }, batch = { .err = err };
	struct op_otlp_gaps gaps = { .mem.err = err };
	struct op_view all;
	size_t at = 0, to;

	op_otlp_encode_around(m, &around, &gaps);
	all = op_pbw_result(&around);
	for (size_t i = gaps.v.n; i-- && !err->code; at = to) {
		to = all.n - gaps.v.p[i].mark;
		if (!out->write(out, op_view(all.p + at, to - at), err))
			gap_fill(&gaps.v.p[i], &batch, out);
	}
	if (!err->code)
		out->write(out, op_view(all.p + at, all.n - at), err);
	op_arena_free(&gaps.mem);
	op_pbw_free(&around);
	op_pbw_free(&batch);
	return err->code;
}
