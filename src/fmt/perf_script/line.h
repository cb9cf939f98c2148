// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/line.h: lines of perf script.
 *
 *	comm  pid/tid [cpu] misc date time seconds.fraction:  period event: more
 *		address symbol+0xoffset (file)
 *		address symbol (inlined)
 *	  source.c:12
 *	 branches, registers
 *
 * Option -F selects which of these fields are printed. A comm may have spaces
 * in it. Without callers the frame stands in `more`, behind other fields.
 * Everything here is a view of the line. */
#ifndef OP_FMT_PERF_SCRIPT_LINE_H
#define OP_FMT_PERF_SCRIPT_LINE_H

#include "base/view.h"

struct op_script_head {
	struct op_view who; /* all up to the time, which names the thread */
	struct op_view comm;
	int64_t pid, tid; /* pid: -1 if it is not told */
	int64_t cpu;	  /* -1 */
	bool has_ids, has_time, has_period;
	uint64_t time_ns, period;
	struct op_view event; /* empty: not told */
	/* Behind the event: a frame, or other text. Its columns begin where
	 * it begins, so it may begin with blanks. */
	struct op_view more;
};

struct op_script_frame {
	uint64_t address;
	struct op_view symbol; /* empty: not known */
	struct op_view file;   /* empty: not known */
	bool is_inlined;       /* into the next frame */
};

/* The next line without its end; false at the end of the text. */
bool op_script_next(struct op_view in, size_t *at, struct op_view *line);

/* A head with a time, or with ids and at most an event. */
bool op_script_head(struct op_view line, struct op_script_head *out);

/* A head without a time that has a comm or ids, not both: "comm period event:
 * more", "tid period event: more" or less. Any line could be one, so what
 * follows it has to decide. */
bool op_script_short_head(struct op_view line, struct op_script_head *out);

bool op_script_frame(struct op_view line, struct op_script_frame *out);

/* Whether the text begins with an address in a column, as perf prints it. */
bool op_script_is_aligned(struct op_view line);

/* The frame in the text behind an event, which may have other fields before it
 * and behind: addresses of data, weights, flags, where a branch went. */
bool op_script_own_frame(struct op_view more, struct op_script_frame *out);

/* "  file.c:12" behind a frame. */
bool op_script_source(struct op_view line, struct op_view *file, int64_t *nr);

/* A line behind the frames that has branches, registers or instructions. */
bool op_script_is_extra(struct op_view line);

#endif
