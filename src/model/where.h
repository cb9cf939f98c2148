// SPDX-License-Identifier: Apache-2.0
/* model/where.h: conditions on samples.
 *
 *	where     = condition { "," condition }
 *	condition = label operator value
 *	operator  = "=" | "!=" | "=~" | "!~" | "<" | "<=" | ">" | ">="
 *	label     = word | quoted
 *	value     = word | quoted
 *	word      = letters, digits and any of . _ - / : @ + $ *
 *	quoted    = text between " or ', in which \ quotes the next character
 *
 * A comma means "and". label.h lists the built-in labels; any other is the key
 * of an attribute. =~ and !~ take a regular expression that may match anywhere
 * in the text; < and > compare numbers, and what is not a number is false.
 *
 * A thread and a process are also equal, and match, by how they are shown, as
 * "main (12)".
 * A label of frames is true if it is true of any frame, and != and !~ if no
 * frame is equal or matches. A file or module is equal by its path or by its
 * last part. An attribute that neither the sample nor its profile, scope and
 * resource have is looked up in the locations of the stack and their mappings.
 * A missing label is the empty text. docs/query.md explains all of it.
 */
#ifndef OP_MODEL_WHERE_H
#define OP_MODEL_WHERE_H

#include "base/regex.h"
#include "base/vec.h"
#include "model/label.h"

enum op_where_op {
	OP_WHERE_EQ,
	OP_WHERE_NE,
	OP_WHERE_MATCH,
	OP_WHERE_NO_MATCH,
	OP_WHERE_LT,
	OP_WHERE_LE,
	OP_WHERE_GT,
	OP_WHERE_GE,
	OP_WHERE_HOLDS, /* the text is a part of it; not in the grammar */
	OP_WHERE_IN,	/* it is one of a list with commas; likewise */
};

struct op_condition {
	struct op_label label;
	enum op_where_op op;
	struct op_view value; /* with a NUL behind it */
	double number;	      /* for < and > */
	struct op_regex *re;  /* for =~ and !~ */
};

/* All zero is no condition. */
struct op_where {
	struct op_arena mem;
	OP_VEC(struct op_condition) list;
};

/* Adds the conditions of a text. OP_EUSAGE: it is not one, and err->at is the
 * character at fault. */
int op_where_parse(struct op_where *w, const char *text, struct op_err *err);

/* Adds one condition. */
int op_where_add(struct op_where *w, const char *label, enum op_where_op op,
		 const char *value, struct op_err *err);

void op_where_free(struct op_where *w);

/* Appends the condition that selects the samples whose label has a text, as it
 * is shown (op_label_text()); empty: those without one. */
void op_where_write(struct op_buf *out, struct op_view label,
		    struct op_view text);

/* Appends one, behind a comma, that drops the samples of which the text is only
 * a part of what is shown: those of "main (12)" for main, and for 12. */
void op_where_write_whole(struct op_buf *out, struct op_view label,
			  struct op_view text);

/* Asks the conditions about samples of one model. Each set, link, location and
 * stack is looked at once per condition. */
struct op_where_match {
	const struct op_where *w;
	const struct op_model *m;
	struct op_arena mem;
	struct op_where_memo *memo; /* per condition */
};

/* op_where_match_fini() is due whatever the result. */
int op_where_match_init(struct op_where_match *x, const struct op_where *w,
			const struct op_model *m, struct op_err *err);
void op_where_match_fini(struct op_where_match *x);

/* The samples asked about from now on are of this profile. */
void op_where_profile(struct op_where_match *x, const struct op_walk *at,
		      struct op_err *err);

bool op_where_sample(struct op_where_match *x, const struct op_profile *p,
		     uint32_t i, struct op_err *err);

#endif
