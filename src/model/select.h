// SPDX-License-Identifier: Apache-2.0
/* model/select.h: which profiles and which stacks are meant. */
#ifndef OP_MODEL_SELECT_H
#define OP_MODEL_SELECT_H

#include "base/regex.h"
#include "model/model.h"

/* Whether a list "cpu,alloc/bytes" names a profile: by its type, by type/unit,
 * or by the event that one of its attributes names. NULL names all. */
bool op_type_selected(const struct op_model *m, const struct op_profile *p,
		      const char *types);

/* Fails, naming the types that there are: none is selected. */
int op_type_fail(const struct op_model *m, const char *types,
		 struct op_err *err);

/* A pattern looked up in frames: the names of the function, its file, and the
 * file of the mapping. Each string is matched once. */
struct op_frame_match {
	const struct op_model *m;
	struct op_regex *re; /* NULL: there is no pattern */
	struct op_arena mem;
	uint8_t *strings, *locations, *stacks; /* 0: not looked at yet */
};

/* pattern NULL: no pattern. Fails as op_regex_new(); op_frame_match_fini() is
 * due either way. */
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
