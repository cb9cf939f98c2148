// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/line.h: lines of perf script.
 *
 *	comm  pid/tid [cpu] seconds.fraction:  period event:  more
 *		address symbol+0xoffset (file)
 *		address symbol (inlined)
 *	  source.c:12
 *
 * Which of these parts there are is up to its option -F. A comm may have
 * spaces in it. Everything here is a view of the line. */
#ifndef OP_FMT_PERF_SCRIPT_LINE_H
#define OP_FMT_PERF_SCRIPT_LINE_H

#include "base/view.h"

struct op_script_head {
	struct op_view who; /* all up to the time, which names the thread */
	struct op_view comm;
	int64_t pid, tid; /* pid: -1 if it is not told */
	int64_t cpu;	  /* -1 */
	bool has_time, has_period;
	uint64_t time_ns, period;
	struct op_view event; /* empty: not told */
	struct op_view more;  /* behind the event: a frame, or other text */
};

struct op_script_frame {
	uint64_t address;
	struct op_view symbol; /* empty: not known */
	struct op_view file;   /* empty: not known */
	bool is_inlined;       /* into the next frame */
};

/* The next line without its end; false at the end of the text. */
bool op_script_next(struct op_view in, size_t *at, struct op_view *line);

/* Without blanks at both ends. */
struct op_view op_script_trim(struct op_view v);

bool op_script_head(struct op_view line, struct op_script_head *out);
bool op_script_frame(struct op_view line, struct op_script_frame *out);

/* "  file.c:12" behind a frame. */
bool op_script_source(struct op_view line, struct op_view *file, int64_t *nr);

#endif
