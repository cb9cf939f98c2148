// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/layout.h: in what the drafts of OTLP Profiles differ.
 *
 * They keep the tables in each profile and have the same rows in them, with
 * other field numbers. Index 0 is a row like any other, and means "none" only
 * where the table is empty. */
#ifndef OP_FMT_DRAFT_LAYOUT_H
#define OP_FMT_DRAFT_LAYOUT_H

#include "model/model.h"

/* What the rows of the attribute table are. */
enum op_draft_attrs {
	OP_DRAFT_PAIRS, /* KeyValue, as in other signals */
	OP_DRAFT_SETS,	/* lists of KeyValue */
	OP_DRAFT_REFS,	/* pairs whose texts are in the string table */
};

/* Field numbers. 0: there is no such field. */
struct op_draft_layout {
	enum op_draft_attrs attrs;
	uint32_t table[OP_NR_TABLES]; /* fields of the profile */
	uint32_t units;
	bool short_lines; /* line numbers of 32 bits, no columns */
	bool root_first;  /* stacks */
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
