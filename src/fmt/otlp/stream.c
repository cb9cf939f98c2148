// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/stream.c: a message into a sink, without having all of it. */
#include "fmt/otlp/encode.h"

#include "fmt/format.h"

enum { BATCH = 256 * 1024 }; /* bytes of samples at once, about */

/* --- sizes; all tags of a sample take one byte --- */

op_inline size_t varint_size(uint64_t v)
{
	return (size_t)(63 - __builtin_clzll(v | 1)) / 7 + 1;
}

static size_t uint_size(uint64_t v)
{
	return v ? 1 + varint_size(v) : 0;
}

static size_t len_size(size_t n)
{
	return 1 + varint_size(n) + n;
}

static size_t packed_size(size_t n)
{
	return n ? len_size(n) : 0;
}

static size_t ids_size(struct op_ids ids)
{
	size_t n = 0;

	for (uint32_t i = 0; i < ids.n; i++)
		n += varint_size(ids.p[i]);
	return packed_size(n);
}

static size_t values_size(struct op_values v)
{
	size_t n = 0;

	for (uint32_t i = 0; i < v.n; i++)
		n += varint_size((uint64_t)v.p[i]);
	return packed_size(n);
}

static size_t sample_size(const struct op_otlp_samples *s, uint32_t i)
{
	const struct op_profile *p = s->p;
	size_t n = uint_size(p->stack[i]) + uint_size(p->link[i]);

	n += !i && s->is_marked ? len_size(0) : 0;
	n += ids_size(op_list(&s->d->sets, p->set[i]));
	n += values_size(op_sample_values(p, i));
	n += packed_size(8 * (size_t)op_sample_times(p, i).n);
	return len_size(n);
}

size_t op_otlp_gap_add(struct op_otlp_gaps *gaps, struct op_pbw *w,
		       const struct op_otlp_samples *s)
{
	struct op_otlp_gap gap = { .samples = *s, .mark = op_pbw_mark(w) };

	for (uint32_t i = 0; i < s->p->nr_samples; i++)
		gap.size += sample_size(s, i);
	if (!op_vec_push(&gaps->mem, &gaps->v, gap))
		op_fail(w->err, OP_ENOMEM, "no memory to write a profile");
	return gap.size;
}

/* --- into the sink --- */

/* The end of a run of samples that takes about BATCH bytes. */
static uint32_t batch_end(const struct op_profile *p, uint32_t from)
{
	size_t n = 0;
	uint32_t i;

	for (i = from; i < p->nr_samples && n < BATCH; i++)
		n += 16 + 8 * (size_t)op_sample_times(p, i).n +
		     3 * (size_t)op_sample_values(p, i).n;
	return i;
}

static void gap_fill(const struct op_otlp_gap *gap, struct op_pbw *batch,
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
	if (written != gap->size && !batch->err->code)
		op_fail(batch->err, OP_EUSAGE,
			"the profile changed while it was written");
}

int op_otlp_write(const struct op_model *m, struct op_sink *out,
		  struct op_err *err)
{
	struct op_pbw around = { .err = err }, batch = { .err = err };
	struct op_otlp_gaps gaps = { 0 };
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
