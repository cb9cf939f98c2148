// SPDX-License-Identifier: Apache-2.0
/* model/frame_edit.h: stacks without the frames that nobody wants to see. */
#ifndef OP_MODEL_FRAME_EDIT_H
#define OP_MODEL_FRAME_EDIT_H

#include "model/merge.h"

/* All zero changes nothing. Patterns match as those of model/select.h. Inlined
 * calls are frames of their own. */
struct op_frame_edit {
	const char *hide;      /* pattern: without these frames */
	const char *show_from; /* pattern: without the callers of the first */
	bool collapse;	       /* a function that calls itself is one frame */
};

op_inline bool op_frame_edit_is_set(const struct op_frame_edit *e)
{
	return e->hide || e->show_from || e->collapse;
}

/* Takes over these stacks (a byte each, those that are not 0) edited, before
 * op_import_stack() is asked for them. */
int op_import_edited(struct op_import *im, const uint8_t *stacks,
		     const struct op_frame_edit *e, struct op_err *err);

#endif
