// SPDX-License-Identifier: Apache-2.0
/* model/select.h: selects profiles by type and stacks by pattern. */
#ifndef OP_MODEL_SELECT_H
#define OP_MODEL_SELECT_H

#include "base/regex.h"
#include "model/model.h"

/* Whether a list "cpu,alloc/bytes" selects a profile: by its type, by
 * type/unit, or by the event that one of its attributes names; by all three, as
 * type/unit/event; and by the type of its period behind these. NULL selects
 * all. */
bool op_type_selected(const struct op_model *m, const struct op_profile *p,
		      const char *types);

/* Fails because no type is selected; the message lists the existing types. */
int op_type_fail(const struct op_model *m, const char *types,
		 struct op_err *err);

/* Matches a pattern against frames: the names of the function, its file, and
 * the file of the mapping. Each string is matched only once. */
struct op_frame_match {
	const struct op_model *m;
	struct op_regex *re; /* NULL: no pattern */
	struct op_arena mem;
	uint8_t *strings, *locations, *stacks; /* 0: not matched yet */
};

/* pattern NULL: no pattern. Fails like op_regex_new(); call
 * op_frame_match_fini() in either case. */
int op_frame_match_init(struct op_frame_match *f, const struct op_model *m,
			const char *pattern, struct op_err *err);
void op_frame_match_fini(struct op_frame_match *f);

/* Whether a frame of the stack matches; there must be a pattern. */
bool op_frame_match(struct op_frame_match *f, uint32_t stack,
		    struct op_err *err);

/* Whether one frame does: a line of a location; NULL: it has none. */
bool op_frame_match_line(struct op_frame_match *f, uint32_t location,
			 const struct op_line *line, struct op_err *err);

#endif
