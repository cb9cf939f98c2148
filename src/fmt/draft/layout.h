// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/layout.h: in what the drafts and the first releases of OTLP
 * Profiles differ.
 *
 * They have the same rows in their tables, with other field numbers. Index 0
 * is a row like any other; it means "none" where the table is empty, unless
 * indexes are optional. */
#ifndef OP_FMT_DRAFT_LAYOUT_H
#define OP_FMT_DRAFT_LAYOUT_H

#include "model/model.h"

/* What the rows of the attribute table are. */
enum op_draft_attrs {
	OP_DRAFT_PAIRS, /* KeyValue, as in other signals */
	OP_DRAFT_SETS,	/* lists of KeyValue */
	OP_DRAFT_REFS,	/* pairs whose texts are in the string table */
};

/* Fields of a profile, or of a message around it. */
struct op_draft_head {
	uint32_t id, attrs, dropped, payload_format, payload;
	uint32_t start, end; /* fixed64 */
	uint32_t time, duration;
	uint32_t type, period_type, period;
	uint32_t default_name, default_index; /* of the type that comes first */
	uint32_t locations; /* the list that stacks are slices of */
	uint32_t attr_ids, comments, drop_frames, keep_frames;
};

/* Field numbers. 0: there is no such field. */
struct op_draft_layout {
	enum op_draft_attrs attrs;
	/* The tables are in ProfilesData, or in a message there; otherwise each
	 * profile has its own. */
	bool in_data;
	uint32_t dictionary;
	uint32_t table[OP_NR_TABLES];
	uint32_t units;
	bool optional; /* an absent index is none, and 0 the first row */
	/* Any first string, any number of values, units and comments past the
	 * strings; an attribute without key and value is none. */
	bool lenient;
	bool times_in_ns;  /* always */
	bool folded_first; /* before the other attributes of a location */
	bool own_samples;  /* of each type; otherwise they share them */
	bool last_default; /* of several types that have the default's name */
	bool short_lines;  /* line numbers of 32 bits, no columns */
	bool root_first;   /* stacks */
	uint32_t max_types;
	struct op_draft_head head;
	struct {
		uint32_t locations, values, label, first, nr, attrs, link,
			times;
	} sample;
	struct {
		uint32_t name, system_name, filename, start_line;
	} function;
	struct {
		uint32_t mapping, address, line, is_folded, type, attrs;
	} location;
	struct {
		uint32_t start, limit, offset, filename, build_id, id_kind,
			first_flag, fidelity, attrs;
	} mapping;
};

enum {
	OP_DRAFT_ROW_ID = 1,  /* of what pprof gave an id */
	OP_DRAFT_ID_HASH = 1, /* a build id that is a hash of the file */
	OP_DRAFT_FIDELITY_FULL = 1,
	OP_DRAFT_CUMULATIVE = 2, /* aggregation temporality */
	OP_DRAFT_DELTA = 1,
};

/* On a profile: its times are nanoseconds, whatever they look like. */
#define OP_DRAFT_ATTR_TIMES "otprof.time_unit"

/* Times came in milliseconds, microseconds and nanoseconds: it is the coarsest
 * of them in which the number is not past the year 2554. */
op_inline uint64_t op_draft_time_ns(uint64_t t)
{
	if (t <= UINT64_MAX / 1000000)
		return t * 1000000;
	return t <= UINT64_MAX / 1000 ? t * 1000 : t;
}

#endif
