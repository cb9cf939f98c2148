// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/event.c: events, as struct perf_event_attr describes them.
 *
 *	0   u32 type        4   u32 size         8   u64 config
 *	16  u64 period      24  u64 sample_type  32  u64 read_format
 *	40  u64 flags       72  u64 branch_type  80  u64 regs_user
 *	88  u32 stack_user  92  s32 clock        96  u64 regs_intr
 *
 * It grew over the years: what a file does not have of it is zero. */
#include "fmt/perf/event.h"

#include <stdio.h>

#include "base/budget.h"
#include "base/hash.h"
#include "fmt/name_list.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"

enum {
	HARDWARE,
	SOFTWARE,
	TRACEPOINT = OP_PERF_TRACEPOINT,
	CACHE,
	RAW,
	BREAKPOINT
};
enum { SWITCHES = 3 }; /* a software event */
enum { LEAST_ATTR = 64, FULL_ATTR = 104 };

#define FLAG_FREQUENCY ((uint64_t)1 << 10)
#define FLAG_ID_ALL ((uint64_t)1 << 18)

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software[] = {
	"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
};

/* The first bitfield of a big-endian machine is the highest bit. */
static uint64_t bits_reversed(uint64_t v)
{
	uint64_t out = 0;

	for (int i = 0; i < 64; i++)
		out |= (v >> i & 1) << (63 - i);
	return out;
}

/* How many of the fields that come before bits in a sample it has. */
static int offset_of(const struct op_perf_event *e, uint64_t field,
		     uint64_t before)
{
	if (!(e->sample_type & field))
		return OP_PERF_NOWHERE;
	return 8 + 8 * __builtin_popcountll(e->sample_type & before);
}

static int end_of(const struct op_perf_event *e, uint64_t field,
		  uint64_t behind)
{
	if (!(e->sample_type & field) || !(e->flags & FLAG_ID_ALL))
		return OP_PERF_NOWHERE;
	return 8 + 8 * __builtin_popcountll(e->sample_type & behind);
}

/* The order in samples: IDENTIFIER IP TID TIME ADDR ID. The order at the end
 * of other records: TID TIME ID STREAM CPU IDENTIFIER. */
static void layout(struct op_perf_event *e)
{
	uint64_t first = OP_PERF_HAS_IDENTIFIER | OP_PERF_HAS_IP |
			 OP_PERF_HAS_TID;
	uint64_t last = OP_PERF_HAS_STREAM | OP_PERF_HAS_CPU |
			OP_PERF_HAS_IDENTIFIER;

	e->time_at = offset_of(e, OP_PERF_HAS_TIME, first);
	e->end_time_at = end_of(e, OP_PERF_HAS_TIME,
				last | OP_PERF_HAS_SAMPLE_ID);
	e->end_tid_at = end_of(e, OP_PERF_HAS_TID,
			       last | OP_PERF_HAS_SAMPLE_ID | OP_PERF_HAS_TIME);
	e->id_at = offset_of(e, OP_PERF_HAS_IDENTIFIER, 0);
	e->end_id_at = end_of(e, OP_PERF_HAS_IDENTIFIER, 0);
	if (e->id_at == OP_PERF_NOWHERE) {
		e->id_at = offset_of(e, OP_PERF_HAS_SAMPLE_ID,
				     first | OP_PERF_HAS_TIME |
					     OP_PERF_HAS_ADDR);
		e->end_id_at = end_of(e, OP_PERF_HAS_SAMPLE_ID, last);
	}
}

static int event_read(struct op_perf *f, struct op_view attr,
		      struct op_perf_event *e)
{
	uint8_t a[FULL_ATTR] = { 0 };

	if (attr.n < LEAST_ATTR)
		return op_fail_at(f->err, OP_EFORMAT,
				  (uint64_t)(attr.p - f->in.bytes.p),
				  "an event description of %zu bytes is too "
				  "short",
				  attr.n);
	memcpy(a, attr.p, attr.n < FULL_ATTR ? attr.n : FULL_ATTR);
	*e = (struct op_perf_event){
		.type = op_perf_u32(f, a),
		.config = op_perf_u64(f, a + 8),
		.period = op_perf_u64(f, a + 16),
		.sample_type = op_perf_u64(f, a + 24),
		.read_format = op_perf_u64(f, a + 32),
		.flags = op_perf_u64(f, a + 40),
		.branch_type = op_perf_u64(f, a + 72),
		.regs_user = op_perf_u64(f, a + 80),
		.clock = (int32_t)op_perf_u32(f, a + 92),
		.regs_intr = op_perf_u64(f, a + 96),
		.profile = OP_NO_ID,
		.weights = OP_NO_ID,
	};
	if (f->in.is_swapped)
		e->flags = bits_reversed(e->flags);
	e->is_clock = e->type == SOFTWARE && e->config < 2;
	if (e->flags & FLAG_FREQUENCY)
		e->period = e->is_clock && e->period ? 1000000000 / e->period :
						       0;
	layout(e);
	return OP_OK;
}

static bool id_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct op_perf_id *)table)[id].id ==
	       *(const uint64_t *)key;
}

struct op_perf_event *op_perf_event_of(struct op_perf *f, uint64_t id)
{
	uint32_t found = op_intern_find(&f->events.id_index,
					op_hash_words(&id, 1), id_eq,
					f->events.ids.p, &id);

	if (found == OP_NO_ID)
		return NULL;
	return &f->events.rows.p[f->events.ids.p[found].event];
}

/* Ids of the event with this number that are not taken. */
static int ids_add(struct op_perf *f, uint32_t event, struct op_view ids)
{
	/* The ids of many events may be the same bytes. */
	if (op_work(ids.n * 4, f->err))
		return f->err->code;
	for (size_t at = 0; at + 8 <= ids.n; at += 8) {
		struct op_perf_id row = { op_perf_u64(f, ids.p + at), event };

		if (op_perf_event_of(f, row.id))
			continue;
		if (!op_vec_push(&f->mem, &f->events.ids, row) ||
		    !op_intern_add(&f->events.id_index, &f->mem,
				   op_hash_words(&row.id, 1),
				   (uint32_t)f->events.ids.n - 1))
			return f->err->code;
	}
	return OP_OK;
}

int op_perf_event_add(struct op_perf *f, struct op_view attr,
		      struct op_view ids)
{
	struct op_perf_event e;

	if (event_read(f, attr, &e))
		return f->err->code;
	if (!op_vec_push(&f->mem, &f->events.rows, e))
		return f->err->code;
	return ids_add(f, (uint32_t)f->events.rows.n - 1, ids);
}

static bool is_same(const struct op_perf_event *a,
		    const struct op_perf_event *b)
{
	return a->type == b->type && a->config == b->config &&
	       a->period == b->period && a->sample_type == b->sample_type &&
	       a->read_format == b->read_format && a->flags == b->flags;
}

/* The event that a feature names: it has an id of these, or is the same. The
 * order of both is the same, so it is one of the next. */
static struct op_perf_event *told(struct op_perf *f, struct op_view ids,
				  const struct op_perf_event *e)
{
	enum { NEXT = 64 };
	struct op_perf_event *known;

	for (size_t at = 0; at + 8 <= ids.n; at += 8) {
		known = op_perf_event_of(f, op_perf_u64(f, ids.p + at));
		if (known && known->is_from_feature)
			return known;
	}
	while (f->events.own_to < f->events.rows.n &&
	       !f->events.rows.p[f->events.own_to].is_from_feature)
		f->events.own_to++;
	for (size_t i = f->events.own_to;
	     i < f->events.rows.n && i < f->events.own_to + NEXT; i++) {
		known = &f->events.rows.p[i];
		if (known->is_from_feature && is_same(known, e))
			return known;
	}
	return NULL;
}

int op_perf_event_meet(struct op_perf *f, struct op_view attr,
		       struct op_view ids)
{
	struct op_perf_event e, *known;

	if (event_read(f, attr, &e))
		return f->err->code;
	known = told(f, ids, &e);
	if (!known)
		return op_perf_event_add(f, attr, ids);
	e.name = known->name;
	*known = e;
	return ids_add(f, (uint32_t)(known - f->events.rows.p), ids);
}

/* The field at an offset from the begin, or from the end. */
static bool field(const struct op_perf *f, const struct op_perf_record *r,
		  int at, int end_at, uint64_t *out)
{
	bool is_sample = r->type == OP_RECORD_SAMPLE;

	if (!is_sample)
		at = end_at == OP_PERF_NOWHERE ? OP_PERF_NOWHERE :
						 r->size - end_at;
	if (at < 8 || at + 8 > r->size)
		return false;
	*out = op_perf_u64(f, r->p + at);
	return true;
}

/* All events have their id at the same place: how else could one tell. */
struct op_perf_event *op_perf_event_by(struct op_perf *f,
				       const struct op_perf_record *r)
{
	struct op_perf_event *first = f->events.rows.p, *found;
	uint64_t id;

	if (f->events.rows.n == 1)
		return first;
	if (!f->events.rows.n ||
	    !field(f, r, first->id_at, first->end_id_at, &id))
		return NULL;
	found = op_perf_event_of(f, id);
	/* What perf made up has no id. */
	return !found && (r->type != OP_RECORD_SAMPLE || !id) ? first : found;
}

uint64_t op_perf_time(struct op_perf *f, const struct op_perf_record *r)
{
	const struct op_perf_event *e = op_perf_event_by(f, r);
	uint64_t time;

	if (!e || !field(f, r, e->time_at, e->end_time_at, &time))
		return 0;
	return time;
}

/* --- names --- */

static struct op_view made_name(struct op_perf *f,
				const struct op_perf_event *e)
{
	unsigned long long config = e->config;
	char text[64];

	if (e->type == HARDWARE && config < op_countof(hardware))
		return op_view_z(hardware[config]);
	if (e->type == SOFTWARE && config < op_countof(software))
		return op_view_z(software[config]);
	if (e->type == TRACEPOINT)
		snprintf(text, sizeof(text), "tracepoint:%llu", config);
	else if (e->type == CACHE)
		snprintf(text, sizeof(text), "cache:0x%llx", config);
	else if (e->type == RAW)
		snprintf(text, sizeof(text), "r%llx", config);
	else if (e->type == BREAKPOINT)
		snprintf(text, sizeof(text), "breakpoint");
	else
		snprintf(text, sizeof(text), "pmu%u:0x%llx", e->type, config);
	return op_perf_kept(f, op_view_z(text));
}

static bool in_list(const char *list, struct op_view word)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (op_view_eq(op_view(list, n), word))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/* Without the modifiers that may follow: cycles:u, cycles/period=1/u. */
static struct op_view plain_name(struct op_view name)
{
	size_t n = 0;

	while (n < name.n && name.p[n] != ':' && name.p[n] != '/')
		n++;
	return op_view(name.p, n);
}

static bool is_cpu(const struct op_perf_event *e)
{
	return e->is_clock || (e->type == HARDWARE && !e->config);
}

/* An event is asked for by its name, with or without modifiers, or by what it
 * measures. The option may come more than once. */
static bool is_asked(const struct op_perf_event *e, const char *list)
{
	return in_list(list, e->name) || in_list(list, plain_name(e->name)) ||
	       (is_cpu(e) && in_list(list, op_view_z("cpu")));
}

static const char *asked(const char *setting)
{
	static const char option[] = "event=";

	return strncmp(setting, option, sizeof(option) - 1) ?
		       NULL :
		       setting + sizeof(option) - 1;
}

/* Intervals are asked for by their own name. */
static bool intervals_asked(const struct op_perf *f)
{
	bool any = false;

	for (const char *const *s = f->opts.settings; s && *s; s++) {
		if (!asked(*s))
			continue;
		any = true;
		if (in_list(asked(*s), op_view_z("off_cpu")))
			return true;
	}
	return !any;
}

void op_perf_events_end(struct op_perf *f)
{
	f->switches.is_wanted = intervals_asked(f);
	for (size_t i = 0; i < f->events.rows.n; i++) {
		struct op_perf_event *e = &f->events.rows.p[i];
		bool any = false;

		if (!e->name.n)
			e->name = made_name(f, e);
		e->is_sched = op_view_is(e->name, "sched:sched_switch") ||
			      op_view_is(e->name, "sched:sched_switch:u");
		e->is_switch = e->is_sched ||
			       (e->type == SOFTWARE && e->config == SWITCHES &&
				e->period == 1);
		for (const char *const *s = f->opts.settings; s && *s; s++) {
			if (!asked(*s))
				continue;
			any = true;
			e->is_wanted |= is_asked(e, asked(*s));
		}
		e->is_wanted |= !any;
	}
}

static bool is_known(const struct op_perf *f, struct op_view word)
{
	char text[128];

	if (word.n >= sizeof(text))
		return false;
	memcpy(text, word.p, word.n);
	text[word.n] = 0;
	if (!strcmp(text, "cpu") || !strcmp(text, "off_cpu"))
		return true;
	for (size_t i = 0; i < f->events.rows.n; i++)
		if (is_asked(&f->events.rows.p[i], text))
			return true;
	return false;
}

/* Of what the recording has; an empty word: none of several. */
static int asked_fail(struct op_perf *f, struct op_view word)
{
	struct op_name_list l = { 0 };

	for (size_t i = 0; i < f->events.rows.n; i++)
		op_name_list_add(&l, f->events.rows.p[i].name, NULL);
	if (!word.n)
		return op_fail(f->err, OP_EUSAGE,
			       "no samples of the selected events; the "
			       "recording has %s",
			       op_name_list_text(&l));
	return op_fail(f->err, OP_EUSAGE,
		       "no event '%.*s' in the recording; it has %s",
		       (int)(word.n < 40 ? word.n : 40), (const char *)word.p,
		       op_name_list_text(&l));
}

int op_perf_filter_check(struct op_perf *f)
{
	for (const char *const *s = f->opts.settings; s && *s; s++) {
		const char *list = asked(*s);

		while (list && *list) {
			size_t n = strcspn(list, ",");

			if (n && !is_known(f, op_view(list, n)))
				return asked_fail(f, op_view(list, n));
			list += n + (list[n] == ',');
		}
	}
	return OP_OK;
}

/* With other filters the note that there are no samples has to do. */
int op_perf_filter_end(struct op_perf *f)
{
	bool is_asked = false;

	for (const char *const *s = f->opts.settings; s && *s; s++)
		is_asked |= asked(*s) != NULL;
	if (!is_asked || f->opts.thread || f->opts.states)
		return OP_OK;
	for (int i = 0; i < 2; i++)
		if (f->switches.intervals[i] != OP_NO_ID)
			return OP_OK;
	for (size_t i = 0; i < f->events.rows.n; i++)
		if (f->events.rows.p[i].profile != OP_NO_ID)
			return OP_OK;
	return asked_fail(f, (struct op_view){ 0 });
}
