// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/write_pprof.c: a record for many observations, its body a pprof
 * file, packed with gzip and written as base64. */
#include "fmt/splunk/write_int.h"

#include <libdeflate.h>

#include "base/budget.h"
#include "fmt/pprof/pprof.h"
#include "pb/json_write.h"

/* Most observations of a record, and what gzip does by itself. */
enum { BATCH = 1 << 14, LEVEL = 6, STEPS_A_BYTE = 10 };

/* --- the body --- */

/* The file packed, into out. */
static void pack(struct op_splunk_writer *w, struct op_view file,
		 struct op_buf *out)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t most;
	uint8_t *p;

	if (!c) {
		op_fail(w->err, OP_ENOMEM, "no memory for gzip");
		return;
	}
	op_work((uint64_t)file.n * STEPS_A_BYTE, w->err);
	most = libdeflate_gzip_compress_bound(c, file.n);
	p = op_buf_add(out, most);
	if (p)
		out->n = libdeflate_gzip_compress(c, file.p, file.n, p, most);
	libdeflate_free_compressor(c);
}

static struct op_view body_of(struct op_splunk_writer *w, struct op_view file)
{
	struct op_buf packed = { .err = w->err };
	struct op_view out = { 0 };
	uint8_t *p = NULL;

	pack(w, file, &packed);
	if (!w->err->code) {
		out.n = op_base64_size(packed.n);
		out.p = p = op_arena_alloc(&w->mem, out.n);
	}
	if (p)
		op_put_base64(p, op_view(packed.p, packed.n));
	op_buf_free(&packed);
	return out;
}

/* --- records --- */

/* Observations of a profile one after the other. */
struct walk {
	const struct op_profile *p;
	uint32_t sample, k;
};

static bool next(struct walk *o, int64_t *value, uint64_t *time_ns)
{
	struct op_times t;
	struct op_values v;

	if (o->sample == o->p->nr_samples)
		return false;
	t = op_sample_times(o->p, o->sample);
	v = op_sample_values(o->p, o->sample);
	*time_ns = t.n ? t.p[o->k] : 0;
	*value = 1;
	if (!t.n)
		*value = op_sample_total(o->p, o->sample);
	else if (o->k < v.n)
		*value = v.p[o->k];
	if (++o->k >= t.n) {
		o->sample++;
		o->k = 0;
	}
	return true;
}

/* The convention's CPU data have no values: each sample is one. */
static bool part_next(struct op_splunk_writer *w, struct walk *o,
		      struct op_pprof_part *part, uint64_t *first_ns)
{
	uint64_t time_ns;
	int64_t value;

	part->first += part->nr;
	part->nr = 0;
	part->is_bare = w->data == OP_SPLUNK_DATA_CPU;
	*first_ns = 0;
	while (part->nr < BATCH && next(o, &value, &time_ns)) {
		if (value != 1 && w->data == OP_SPLUNK_DATA_CPU) {
			w->told |= OP_SPLUNK_TOLD_VALUE;
			part->is_bare = false;
		}
		if (!*first_ns || (time_ns && time_ns < *first_ns))
			*first_ns = time_ns;
		part->nr++;
	}
	return part->nr;
}

static void part_write(struct op_splunk_writer *w,
		       const struct op_pprof_part *part, uint64_t time_ns)
{
	struct op_pbw file = { .err = w->err };
	struct op_splunk_new rec = { .time_ns = time_ns };

	if (!time_ns)
		rec.time_ns = w->walk.profile->time_ns;
	if (!op_pprof_encode_part(w->m, part, &file)) {
		rec.body = body_of(w, op_pbw_result(&file));
		rec.more[rec.nr_more++] = op_splunk_kv_int(
			SPLUNK_FRAME_COUNT, (int64_t)*part->nr_frames);
	}
	op_pbw_free(&file);
	if (!w->err->code)
		op_splunk_record_add(w, &rec);
}

void op_splunk_pprof_write(struct op_splunk_writer *w)
{
	struct op_kv labels[2];
	uint64_t nr_frames = 0, first_ns;
	bool is_lossy = false, has_reserved = false;
	struct walk o = { .p = w->walk.profile };
	struct op_pprof_part part = { .profile = w->walk.profile,
				      .scope = w->walk.scope,
				      .time_ms = SPLUNK_TIME,
				      .labels.p = labels,
				      .nr_frames = &nr_frames,
				      .is_lossy = &is_lossy,
				      .has_reserved = &has_reserved };

	if (w->period_ms)
		labels[part.labels.n++] = op_splunk_kv_int(SPLUNK_PERIOD,
							   w->period_ms);
	if (w->event.n)
		labels[part.labels.n++] = op_splunk_kv_text(SPLUNK_EVENT,
							    w->event);
	while (!w->err->code && part_next(w, &o, &part, &first_ns))
		part_write(w, &part, first_ns);
	if (is_lossy)
		w->lost |= OP_SPLUNK_LOSS_ATTRS;
	if (has_reserved)
		w->lost |= OP_SPLUNK_LOSS_KEY;
}
