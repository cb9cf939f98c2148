// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/kind.h: what a line is, by itself and by its neighbours. */
#ifndef OP_FMT_PERF_SCRIPT_KIND_H
#define OP_FMT_PERF_SCRIPT_KIND_H

#include "fmt/perf_script/line.h"

enum op_script_kind {
	OP_SCRIPT_BLANK,
	OP_SCRIPT_COMMENT,
	OP_SCRIPT_HEAD,
	OP_SCRIPT_FRAME,
	OP_SCRIPT_BARE,	  /* a frame that begins a sample without a head */
	OP_SCRIPT_RECORD, /* of --show-mmap-events and the like */
	OP_SCRIPT_EXTRA,  /* of a sample: branches, registers */
	OP_SCRIPT_UNKNOWN,
};

/* Where in the text a line stands; begins as zero. */
struct op_script_place {
	size_t next;	 /* offset behind the line */
	bool in_sample;	 /* behind a head, before an empty line */
	bool has_frames; /* lines with frames, since the head */
	bool has_heads;	 /* so far */
	bool has_short;	 /* the last of them is a short one */
	bool bare_lines; /* each line is a sample */
	bool after_blank;
	struct op_script_head head;   /* of OP_SCRIPT_HEAD and RECORD */
	struct op_script_frame frame; /* of OP_SCRIPT_FRAME and BARE */
};

/* Takes the next line of the text; false at its end. */
bool op_script_take(struct op_view in, struct op_script_place *at,
		    struct op_view *line, enum op_script_kind *kind);

/* How well the text looks like what perf script prints. */
int op_script_sniff(struct op_view in);

#endif
