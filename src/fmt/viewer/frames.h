// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/frames.h: the frames of a model as viewers want them: a row for
 * each function, wherever in it a stack stands, and one for each place of which
 * no function is known. */
#ifndef OP_FMT_VIEWER_FRAMES_H
#define OP_FMT_VIEWER_FRAMES_H

#include "base/intern.h"
#include "base/vec.h"
#include "model/model.h"

/* A frame that has no name, and no address either. */
#define OP_FRAME_UNKNOWN "[unknown]"

struct op_frame {
	struct op_view name;
	struct op_view file; /* of the source, else of the binary */
	int64_t line;	     /* where the function begins; 0: unknown */
	int64_t column;
	uint32_t function; /* 0: none */
	uint32_t other;	   /* what tells it from others: see frames.c */
};

struct op_frames {
	const struct op_model *m;
	struct op_err *err;
	struct op_arena mem;
	struct op_intern index;
	OP_VEC(struct op_frame) rows;
	uint32_t *by_line, *by_location; /* OP_NO_ID: not asked for yet */
	/* An attribute of locations that tells frames apart too, or NULL. */
	const char *attr;
	uint64_t steps;
};

/* On failure op_frames_fini() is due all the same. */
int op_frames_init(struct op_frames *f, const struct op_model *m,
		   struct op_err *err);
void op_frames_fini(struct op_frames *f);

/* The frames of a stack, the root first, and no fewer than one; out is in an
 * arena of the caller. */
void op_frames_stack(struct op_frames *f, uint32_t stack, struct op_arena *mem,
		     struct op_id_vec *out);

/* What attr says of a frame; empty: nothing. */
struct op_view op_frame_attr(const struct op_frames *f, uint32_t frame);

#endif
