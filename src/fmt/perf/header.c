// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/header.c: what a file says before its records.
 *
 * The header begins with "PERFILE2", or with "PERFFILE" in the first version,
 * of 2009 to 2011, which is the same otherwise. Numbers are in the byte order
 * of the machine that recorded it; a section is {u64 offset, u64 bytes}.
 *
 * A pipe has all of that as records, some of which come last. The whole input
 * is at hand, so they are looked for before anything else is read. */
#include "fmt/perf/header.h"

#include "base/hash.h"
#include "fmt/perf/event.h"
#include "fmt/perf/facts.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"
#include "host/map.h"

enum { PIPE_HEAD = 16, OLD_HEAD = 72, FILE_HEAD = 104, SECTION = 16 };

/* Offsets in the header. */
enum {
	AT_SIZE = 8,	   /* u64, of the header: one of those above */
	AT_EVENT_ROW = 16, /* u64, bytes of a row of events */
	AT_EVENTS = 24,	   /* section: rows of an attr and a section of ids */
	AT_DATA = 40,	   /* section: the records */
	AT_DATA_BYTES = 48,
	AT_EVENT_TYPES = 56, /* section; not read */
	AT_FEATURES = 72,    /* u64[4], bits: their sections follow the data */
};

enum {
	F_TRACING = 1,
	F_BUILD_ID = 2,
	F_HOST = 3,
	F_RELEASE = 4,
	F_VERSION = 5,
	F_ARCH = 6,
	F_CPU = 8,
	F_COMMAND = 11,
	F_EVENTS = 12,
	F_CLOCK = 29,
};

bool op_perf_has_magic(struct op_view in)
{
	static const char magics[][9] = { "PERFILE2", "2ELIFREP", "PERFFILE",
					  "ELIFFREP" };

	for (size_t i = 0; in.n >= PIPE_HEAD && i < op_countof(magics); i++)
		if (!memcmp(in.p, magics[i], 8))
			return true;
	return false;
}

/* A part of the file, if it lies in it. */
static bool section(struct op_perf *f, uint64_t at, uint64_t n,
		    struct op_view *out)
{
	if (at > f->in.bytes.n || n > f->in.bytes.n - at)
		return false;
	*out = op_view(f->in.bytes.p + at, n);
	return true;
}

/* --- features --- */

/* Texts have their length before them, which counts NULs behind them too. */
struct op_view op_perf_string(const struct op_perf *f, struct op_view v,
			      size_t *at)
{
	uint32_t n;

	if (*at > v.n || v.n - *at < 4) {
		*at = v.n;
		return (struct op_view){ 0 };
	}
	n = op_perf_u32(f, v.p + *at);
	*at += 4;
	if (n > v.n - *at)
		n = (uint32_t)(v.n - *at);
	*at += n;
	return op_perf_text(v.p + *at - n, n);
}

static void text_fact(struct op_perf *f, const char *key, struct op_view v)
{
	size_t at = 0;
	struct op_any any = { .kind = OP_ANY_STRING };

	any.bytes = op_perf_string(f, v, &at);
	if (any.bytes.n)
		op_perf_fact(f, key, &any);
}

static void command_fact(struct op_perf *f, struct op_view v)
{
	struct op_any any = { .kind = OP_ANY_ARRAY };
	size_t at = 4;

	if (v.n < 4)
		return;
	any.array = op_new(&f->mem, struct op_any, v.n / 4);
	if (!any.array)
		return;
	while (at < v.n && any.n < op_perf_u32(f, v.p)) {
		any.array[any.n].kind = OP_ANY_STRING;
		any.array[any.n++].bytes = op_perf_string(f, v, &at);
	}
	if (any.n)
		op_perf_fact(f, "perf.command_args", &any);
}

static void name_event(struct op_perf *f, uint32_t i, struct op_view attr,
		       struct op_view ids, struct op_view name)
{
	struct op_perf_event *e = NULL;

	for (size_t at = 0; at + 8 <= ids.n && !e; at += 8)
		e = op_perf_event_of(f, op_perf_u64(f, ids.p + at));
	/* Without ids the rows are those of the head, in order. */
	if (!e && !ids.n && i < f->events.rows.n)
		e = &f->events.rows.p[i];
	/* From a pipe it may be the first that is heard of the event. */
	if (!e && f->in.is_pipe && !op_perf_event_add(f, attr, ids)) {
		e = &f->events.rows.p[f->events.rows.n - 1];
		e->is_from_feature = true;
	}
	if (e && !e->name.n)
		e->name = op_perf_kept(f, name);
}

/* u32 nr, u32 bytes of an attr; each: attr, u32 ids, name, u64 ids. */
static void events_feature(struct op_perf *f, struct op_view v)
{
	uint32_t nr = v.n < 8 ? 0 : op_perf_u32(f, v.p);
	uint32_t bytes = v.n < 8 ? 0 : op_perf_u32(f, v.p + 4);
	size_t at = 8;

	for (uint32_t i = 0; i < nr && !f->err->code; i++) {
		struct op_view name, attr;
		uint64_t ids;

		if (at > v.n || v.n - at < (size_t)bytes + 4)
			return;
		attr = op_view(v.p + at, bytes);
		at += bytes;
		ids = (uint64_t)op_perf_u32(f, v.p + at) * 8;
		at += 4;
		name = op_perf_string(f, v, &at);
		if (ids > v.n - at)
			return;
		name_event(f, i, attr, op_view(v.p + at, ids), name);
		at += ids;
	}
}

/* u32 version, u32 clock, u64 wall time, u64 time of the clock. */
static void clock_feature(struct op_perf *f, struct op_view v)
{
	if (v.n < 24 || op_perf_u32(f, v.p) != 1)
		return;
	f->clock.is_known = true;
	f->clock.wall_ns = op_perf_u64(f, v.p + 8);
	f->clock.clock_ns = op_perf_u64(f, v.p + 16);
}

void op_perf_feature(struct op_perf *f, unsigned int bit, struct op_view v)
{
	static const struct {
		unsigned int bit;
		const char *key;
	} texts[] = {
		{ F_HOST, "host.name" },	  { F_RELEASE, "os.version" },
		{ F_VERSION, "perf.version" },	  { F_ARCH, "perf.arch" },
		{ F_CPU, "host.cpu.model.name" },
	};

	for (size_t i = 0; i < op_countof(texts); i++)
		if (texts[i].bit == bit)
			text_fact(f, texts[i].key, v);
	if (bit == F_ARCH) {
		size_t at = 0;

		f->head.arch = op_perf_string(f, v, &at);
	}
	if (bit == F_TRACING)
		f->head.tracing = v;
	else if (bit == F_BUILD_ID)
		op_perf_build_ids(f, v);
	else if (bit == F_COMMAND)
		command_fact(f, v);
	else if (bit == F_EVENTS)
		events_feature(f, v);
	else if (bit == F_CLOCK)
		clock_feature(f, v);
}

/* --- build ids --- */

static bool named_eq(const void *table, uint32_t id, const void *key)
{
	return op_view_eq(((const struct op_perf_named_id *)table)[id].name,
			  *(const struct op_view *)key);
}

/* 8 s32 pid, 12 id, 32 its size if the head says so, 36 name. */
static void build_id_add(struct op_perf *f, const struct op_perf_record *r)
{
	struct op_perf_named_id row = { .id_len = sizeof(row.id) };
	uint32_t hash;

	if (r->size <= 36)
		return;
	if (r->misc & OP_PERF_ID_SIZE && r->p[32] < sizeof(row.id))
		row.id_len = r->p[32];
	memcpy(row.id, r->p + 12, sizeof(row.id));
	row.name = op_perf_text(r->p + 36, r->size - 36u);
	hash = op_hash32(row.name.p, row.name.n);
	if (!row.name.n ||
	    op_intern_find(&f->head.id_index, hash, named_eq,
			   f->head.build_ids.p, &row.name) != OP_NO_ID)
		return;
	if (op_vec_push(&f->mem, &f->head.build_ids, row))
		op_intern_add(&f->head.id_index, &f->mem, hash,
			      (uint32_t)f->head.build_ids.n - 1);
}

/* One record behind the other. */
void op_perf_build_ids(struct op_perf *f, struct op_view v)
{
	while (v.n >= 8 && !f->err->code) {
		struct op_perf_record r = op_perf_record(f, v.p, NULL);

		if (r.size < 8 || r.size > v.n)
			return;
		build_id_add(f, &r);
		v = op_view(v.p + r.size, v.n - r.size);
	}
}

bool op_perf_build_id_named(const struct op_perf *f, struct op_view name,
			    struct op_host_binary *out)
{
	uint32_t found = op_intern_find(&f->head.id_index,
					op_hash32(name.p, name.n), named_eq,
					f->head.build_ids.p, &name);

	if (found == OP_NO_ID)
		return false;
	out->id_len = f->head.build_ids.p[found].id_len;
	memcpy(out->id, f->head.build_ids.p[found].id, sizeof(out->id));
	return true;
}

/* --- files --- */

static uint64_t head_u64(const struct op_perf *f, unsigned int at)
{
	return op_perf_u64(f, f->in.bytes.p + at);
}

static int events_read(struct op_perf *f)
{
	uint64_t row = head_u64(f, AT_EVENT_ROW);
	struct op_view rows, ids = { 0 };

	if (!section(f, head_u64(f, AT_EVENTS), head_u64(f, AT_EVENTS + 8),
		     &rows) ||
	    row < SECTION)
		return op_fail_at(f->err, OP_EFORMAT, AT_EVENTS,
				  "the events are outside the file");
	for (size_t at = 0; rows.n - at >= row && !f->err->code; at += row) {
		const uint8_t *end = rows.p + at + row - SECTION;

		if (!section(f, op_perf_u64(f, end), op_perf_u64(f, end + 8),
			     &ids))
			return op_fail_at(f->err, OP_EFORMAT,
					  (uint64_t)(end - f->in.bytes.p),
					  "the ids of an event are outside the "
					  "file");
		op_perf_event_add(f, op_view(rows.p + at, row - SECTION), ids);
	}
	if (!f->events.rows.n && !f->err->code)
		op_fail_at(f->err, OP_EFORMAT, AT_EVENTS, "no events");
	return f->err->code;
}

/* Features that are not in the file are as if they were not named. */
static void features_read(struct op_perf *f)
{
	uint64_t at = f->in.data_end;

	for (unsigned int bit = 0; bit < 256 && !f->err->code; bit++) {
		struct op_view row, v;
		uint64_t bits = head_u64(f, AT_FEATURES + bit / 64 * 8);

		if (!(bits >> bit % 64 & 1))
			continue;
		if (!section(f, at, SECTION, &row))
			return;
		at += SECTION;
		if (section(f, op_perf_u64(f, row.p), op_perf_u64(f, row.p + 8),
			    &v))
			op_perf_feature(f, bit, v);
	}
}

/* A recording that was not ended has no size of its data, or less than there
 * is; nothing follows it then. */
static int data_find(struct op_perf *f)
{
	uint64_t n = head_u64(f, AT_DATA_BYTES);
	struct op_view data;

	f->in.data_at = head_u64(f, AT_DATA);
	f->in.data_end = f->in.data_at + n;
	if (n && section(f, f->in.data_at, n, &data)) {
		if (head_u64(f, AT_SIZE) >= FILE_HEAD)
			features_read(f);
		return f->err->code;
	}
	f->in.data_end = f->in.bytes.n;
	if (f->in.data_at > f->in.bytes.n)
		return op_fail_at(f->err, OP_EFORMAT, AT_DATA,
				  "the records are outside the file");
	if (!f->opts.recover)
		return op_fail_at(f->err, OP_EFORMAT, AT_DATA_BYTES,
				  "the recording is not complete: "
				  "--recover reads the intact part");
	f->losses.skipped_records++;
	return OP_OK;
}

/* --- pipes --- */

void op_perf_update(struct op_perf *f, const struct op_perf_record *r)
{
	enum { NAME = 2 };
	struct op_perf_event *e;

	if (r->size < 24 || op_perf_u64(f, r->p + 8) != NAME)
		return;
	e = op_perf_event_of(f, op_perf_u64(f, r->p + 16));
	if (e && !e->name.n)
		e->name = op_perf_kept(f,
				       op_perf_text(r->p + 24, r->size - 24u));
}

static void attr_record(struct op_perf *f, const struct op_perf_record *r)
{
	uint32_t n = r->size < 16 ? 0 : op_perf_u32(f, r->p + 12);

	if (n > r->size - 8u)
		n = r->size - 8u;
	op_perf_event_meet(f, op_view(r->p + 8, n),
			   op_view(r->p + 8 + n, r->size - 8u - n));
}

/* How many bytes follow a record that are not in its size. */
uint64_t op_perf_trailing_bytes(const struct op_perf *f,
				const struct op_perf_record *r)
{
	if (r->type == OP_PERF_TRACING_DATA && r->size >= 12)
		return ((uint64_t)op_perf_u32(f, r->p + 8) + 7) & ~7ull;
	if (r->type == OP_PERF_AUXTRACE && r->size >= 16)
		return op_perf_u64(f, r->p + 8);
	return 0;
}

static void pipe_record(struct op_perf *f, const struct op_perf_record *r,
			struct op_view behind)
{
	switch (r->type) {
	case OP_PERF_HEADER_ATTR:
		attr_record(f, r);
		break;
	case OP_PERF_BUILD_ID:
		build_id_add(f, r);
		break;
	case OP_PERF_EVENT_UPDATE:
		op_perf_update(f, r);
		break;
	case OP_PERF_TRACING_DATA:
		f->head.tracing = behind;
		break;
	case OP_PERF_FEATURE:
		if (r->size >= 16 && op_perf_u64(f, r->p + 8) < 256)
			op_perf_feature(f,
					(unsigned int)op_perf_u64(f, r->p + 8),
					op_view(r->p + 16, r->size - 16u));
	}
}

/* Stops at what is broken: the walk will meet it again and say so. */
static int pipe_read(struct op_perf *f)
{
	uint64_t at = PIPE_HEAD;

	f->in.data_at = PIPE_HEAD;
	f->in.data_end = f->in.bytes.n;
	while (f->in.bytes.n - at >= 8 && !f->err->code) {
		struct op_perf_record r = op_perf_record(f, f->in.bytes.p + at,
							 NULL);
		struct op_view behind;

		if (r.size < 8 || r.size > f->in.bytes.n - at)
			break;
		at += r.size;
		if (!section(f, at, op_perf_trailing_bytes(f, &r), &behind))
			break;
		pipe_record(f, &r, behind);
		at += behind.n;
	}
	if (!f->events.rows.n && !f->err->code)
		op_fail_at(f->err, OP_EFORMAT, PIPE_HEAD, "no events");
	return f->err->code;
}

int op_perf_header_read(struct op_perf *f)
{
	uint64_t size;

	if (!op_perf_has_magic(f->in.bytes))
		return op_fail_at(f->err, OP_EFORMAT, 0,
				  "not a perf recording");
	f->in.is_swapped = f->in.bytes.p[0] != 'P';
	size = head_u64(f, AT_SIZE);
	f->in.is_pipe = size == PIPE_HEAD;
	if (f->in.is_pipe)
		return pipe_read(f);
	if ((size != FILE_HEAD && size != OLD_HEAD) || f->in.bytes.n < size)
		return op_fail_at(f->err, OP_EFORMAT, AT_SIZE,
				  "a header of %llu bytes, expected %d or %d",
				  (unsigned long long)size, FILE_HEAD,
				  PIPE_HEAD);
	if (events_read(f))
		return f->err->code;
	return data_find(f);
}
