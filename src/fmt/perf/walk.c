// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/walk.c: the records of a file, one behind the other.
 *
 * With perf record -z records are packed into others. What all of these hold
 * is one stream of zstd, and a record may begin in one and end in the next. */
#include "fmt/perf/walk.h"

#include <zstd.h>

#include "fmt/perf/dispatch.h"
#include "fmt/perf/event.h"
#include "fmt/perf/header.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"
#include "fmt/perf/record_order.h"

/* What everything packed together, and what one record, unpacks to at most. */
#define MAX_UNPACKED ((uint64_t)4 << 30)
enum { MAX_BLOCK = 64 << 20, FIRST_BLOCK = 256 << 10 };

static void record_count(struct op_perf *f, const struct op_perf_record *r)
{
	uint32_t type = r->type < OP_PERF_NR_TYPES ? r->type : 0;
	struct op_perf_event *e = NULL;

	if (type == OP_RECORD_SAMPLE)
		e = op_perf_event_by(f, r);
	if (e) {
		e->nr_records++;
		e->nr_bytes += r->size;
	} else {
		f->counts.nr[type]++;
		f->counts.bytes[type] += r->size;
	}
}

/* A record at its place in the file: what perf wrote is looked at now, what
 * the kernel wrote when it is its turn. */
static void record_meet(struct op_perf *f, const struct op_perf_record *r)
{
	uint64_t time;

	if (f->counts.is_on) {
		record_count(f, r);
	} else if (r->type == OP_PERF_FINISHED_ROUND) {
		op_perf_order_round(f);
	} else if (r->type == OP_PERF_EVENT_UPDATE) {
		op_perf_update(f, r);
	} else if (r->type >= OP_PERF_NR_TYPES) {
		f->losses.unknown_records++;
	} else if (r->type && r->type < OP_PERF_USER) {
		time = op_perf_time(f, r);
		/* Without a time it is of the state at the start. */
		if (time && time != UINT64_MAX)
			op_perf_order_add(f, r, time);
		else
			op_perf_dispatch(f, r);
	}
}

/* --- packed records --- */

void op_perf_block_drop(struct op_perf *f, struct op_perf_block *b)
{
	struct op_perf_block **at = &f->unpack.blocks;

	/* The newest may still get records. */
	if (--b->nr_users)
		return;
	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	op_heap_free(b);
}

static struct op_perf_block *block_grow(struct op_perf *f,
					struct op_perf_block *b, size_t cap)
{
	bool is_new = !b;

	if (cap > MAX_BLOCK || f->unpack.bytes > MAX_UNPACKED) {
		op_fail_at(f->err, OP_ELIMIT, f->in.walk_at,
			   "compressed records unpack to more than the limit");
		return NULL;
	}
	b = op_heap_resize(b, sizeof(*b) + cap, f->err);
	if (!b)
		return NULL;
	if (is_new)
		*b = (struct op_perf_block){ .at = f->in.walk_at };
	b->cap = cap;
	return b;
}

/* What is left of the last block, and room for what comes. */
static struct op_perf_block *block_begin(struct op_perf *f)
{
	struct op_perf_block *last = f->unpack.blocks;
	struct op_perf_block *b = block_grow(f, NULL,
					     FIRST_BLOCK + f->unpack.rest);

	if (!b)
		return NULL;
	if (f->unpack.rest)
		memcpy(b->bytes, last->bytes + last->n - f->unpack.rest,
		       f->unpack.rest);
	b->n = f->unpack.rest;
	return b;
}

static struct op_perf_block *unpack(struct op_perf *f, struct op_view in,
				    struct op_perf_block *b)
{
	ZSTD_inBuffer from = { in.p, in.n, 0 };
	struct op_perf_block *grown;
	bool is_full = false;

	while (from.pos < from.size || is_full) {
		ZSTD_outBuffer to = { b->bytes, b->cap, b->n };
		size_t left = ZSTD_decompressStream(f->unpack.zstd, &to, &from);

		if (ZSTD_isError(left)) {
			op_fail_at(f->err, OP_EFORMAT, f->in.walk_at,
				   "damaged compressed records: %s",
				   ZSTD_getErrorName(left));
			break;
		}
		f->unpack.bytes += to.pos - b->n;
		b->n = to.pos;
		is_full = b->n == b->cap;
		if (!is_full)
			continue;
		grown = block_grow(f, b, b->cap * 2);
		if (!grown)
			break;
		b = grown;
	}
	if (!f->err->code)
		return b;
	op_heap_free(b);
	return NULL;
}

/* The records of a block, but for the one that goes on in the next. */
static void block_walk(struct op_perf *f, struct op_perf_block *b)
{
	size_t at = 0;

	while (b->n - at >= 8 && !f->err->code) {
		struct op_perf_record r = op_perf_record(f, b->bytes + at, b);

		if (r.size < 8) {
			op_fail_at(f->err, OP_EFORMAT, b->at,
				   "a compressed record of %u bytes is too "
				   "short",
				   r.size);
			return;
		}
		if (r.size > b->n - at)
			break;
		record_meet(f, &r);
		at += r.size;
	}
	f->unpack.rest = b->n - at;
}

static void packed_meet(struct op_perf *f, struct op_view in)
{
	struct op_perf_block *last = f->unpack.blocks, *b;

	if (!f->unpack.zstd)
		f->unpack.zstd = ZSTD_createDStream();
	if (!f->unpack.zstd) {
		op_fail(f->err, OP_ENOMEM, "no memory for zstd");
		return;
	}
	b = block_begin(f);
	if (b)
		b = unpack(f, in, b);
	if (!b)
		return;
	b->nr_users = 1; /* until the next comes */
	b->next = f->unpack.blocks;
	f->unpack.blocks = b;
	if (last)
		op_perf_block_drop(f, last);
	block_walk(f, b);
}

void op_perf_walk_end(struct op_perf *f)
{
	while (f->unpack.blocks) {
		struct op_perf_block *next = f->unpack.blocks->next;

		op_heap_free(f->unpack.blocks);
		f->unpack.blocks = next;
	}
	ZSTD_freeDStream(f->unpack.zstd);
	f->unpack.zstd = NULL;
}

/* --- the file --- */

/* A record and what is packed in it. */
static void any_meet(struct op_perf *f, const struct op_perf_record *r)
{
	uint64_t n;

	if (f->counts.is_on && r->type >= OP_PERF_USER)
		record_count(f, r);
	if (r->type == OP_PERF_COMPRESSED) {
		packed_meet(f, op_view(r->p + 8, r->size - 8u));
	} else if (r->type == OP_PERF_COMPRESSED2) {
		/* Zeros behind it are not of the stream. */
		n = r->size < 16 ? UINT64_MAX : op_perf_u64(f, r->p + 8);
		if (r->size < 16 || n > r->size - 16u)
			op_perf_bad(f, r, "truncated compressed records");
		else
			packed_meet(f, op_view(r->p + 16, n));
	} else if (!f->counts.is_on || r->type < OP_PERF_USER) {
		record_meet(f, r);
	}
}

/* With --recover the rest is left out where one cannot go on, and a record is
 * where it makes no sense. */
static bool is_recovered(struct op_perf *f, uint64_t bytes)
{
	if (!f->opts.recover || f->err->code != OP_EFORMAT)
		return false;
	*f->err = (struct op_err){ 0 };
	f->losses.skipped_records++;
	f->losses.skipped_bytes += bytes;
	return true;
}

/* Only heads are looked at, and no processor guesses where the next is: all
 * that lies ahead is asked for, as much as is passed. */
static void hint(const struct op_perf *f, uint64_t at, uint16_t size)
{
	enum { AHEAD = 2048, LINE = 64 };
	uint64_t end = at + AHEAD + size;

	if (end > f->in.data_end)
		return;
	for (at += AHEAD; at < end; at += LINE)
		__builtin_prefetch(f->in.bytes.p + at);
}

/* What perf and the program print goes into the same pipe. */
static bool is_text(struct op_view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] < ' ' && !memchr("\t\n\r\33", v.p[i], 4))
			return false;
	return v.n;
}

int op_perf_walk(struct op_perf *f)
{
	uint64_t at = f->in.data_at;

	while (at < f->in.data_end && !f->err->code) {
		struct op_perf_record r = { 0 };
		uint64_t left = f->in.data_end - at, behind;

		f->in.walk_at = at;
		if (left >= 8)
			r = op_perf_record(f, f->in.bytes.p + at, NULL);
		if ((r.size < 8 || r.size > left) && f->in.is_pipe &&
		    is_text(op_view(f->in.bytes.p + at, left))) {
			f->losses.text_bytes = left;
			break;
		}
		if (r.size < 8 || r.size > left) {
			op_fail_at(f->err, OP_EFORMAT, at,
				   "invalid record size: %u bytes, %llu are "
				   "left",
				   r.size, (unsigned long long)left);
			is_recovered(f, left);
			break;
		}
		hint(f, at, r.size);
		any_meet(f, &r);
		is_recovered(f, r.size);
		at += r.size;
		behind = op_perf_trailing_bytes(f, &r);
		if (r.type == OP_PERF_AUXTRACE)
			f->losses.trace_bytes += behind;
		at += behind > f->in.data_end - at ? f->in.data_end - at :
						     behind;
	}
	if (!f->err->code && !f->counts.is_on)
		op_perf_order_end(f);
	return f->err->code;
}
