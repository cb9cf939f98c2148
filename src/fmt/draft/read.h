// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/read.h: what the readers of the drafts and of the first releases
 * of OTLP Profiles share.
 *
 * The raw rows of a profile's tables are noted, and what a sample leads to goes
 * through the builder, once.
 *
 *	tables.c   the rows
 *	attrs.c    attributes
 *	read.c     what is around the profiles
 *	profile.c  profiles and samples (profile.h)
 */
#ifndef OP_FMT_DRAFT_READ_H
#define OP_FMT_DRAFT_READ_H

#include "fmt/draft/layout.h"
#include "fmt/format.h"
#include "fmt/wire/wire.h"
#include "model/builder.h"

struct op_draft_table {
	OP_VEC(struct op_view) rows;
	struct op_id_vec made; /* the builder's; OP_NO_ID: not yet */
	/* Where rows have ids, as in pprof: */
	OP_VEC(uint64_t) ids;
	struct op_intern by_id;
};

struct op_draft_unit {
	struct op_view key, unit;
};

struct op_draft {
	struct op_wire wire; /* for the messages shared with OTLP */
	struct op_builder b;
	struct op_err *err;
	struct op_cur file;	 /* at the start of the input */
	struct op_arena scratch; /* gone when the reader is */
	const struct op_draft_layout *layout;
	struct op_draft_table tables[OP_NR_TABLES];
	OP_VEC(struct op_view) unit_rows;
	OP_VEC(struct op_draft_unit) units;
	struct op_intern unit_index;
	bool by_id;    /* rows are referred to by id, 0 is none */
	uint64_t left; /* rows that lists may still come to */
	OP_VEC(struct op_line) lines; /* of the location at hand */
	struct op_id_vec row_attrs;   /* of the row at hand */
	struct op_id_vec frames;      /* of the stack at hand */
	void *ctx;		      /* the format's */
};

/* Reads the messages ProfilesData > ResourceProfiles > ScopeProfiles at a
 * cursor into an empty model; each profile goes to fn, which builds it into a
 * scope. On failure the model is to be freed. */
typedef void op_draft_profile_fn(struct op_draft *r, struct op_cur profile,
				 uint32_t scope);
int op_draft_read(struct op_draft *r, struct op_model *m, struct op_cur in,
		  op_draft_profile_fn *fn);

/* The same for a profile that stands alone. */
int op_draft_read_bare(struct op_draft *r, struct op_model *m, struct op_cur in,
		       op_draft_profile_fn *fn);

/* Notes the rows of a message with tables, and forgets those before. */
void op_draft_tables(struct op_draft *r, struct op_cur c);

/* From here on rows are found by the ids they have. */
void op_draft_use_ids(struct op_draft *r);

/* Makes all mappings that locations refer to, in the order of their table:
 * the first names the program. */
void op_draft_mappings(struct op_draft *r);

/* Fails at a byte of the input, unless there was a failure before. */
op_cold void op_draft_fail(struct op_draft *r, const uint8_t *at,
			   const char *what, uint64_t i, size_t nr);

/* The builder's id of a row; past its table is a failure at the byte at. */
uint32_t op_draft_string(struct op_draft *r, const struct op_pb_field *f);
uint32_t op_draft_location(struct op_draft *r, uint64_t i, const uint8_t *at);
uint32_t op_draft_link(struct op_draft *r, uint64_t i, const uint8_t *at);

uint32_t op_draft_stack(struct op_draft *r, uint64_t i, const uint8_t *at);
/* With OP_DRAFT_SETS, the builder's set of a row. */
uint32_t op_draft_set_row(struct op_draft *r, uint64_t i, const uint8_t *at);

/* A string of the table as it stands; past it is a failure. */
struct op_view op_draft_text(struct op_draft *r, uint64_t i, const uint8_t *at);
/* The same of a unit or a comment, which is empty there if the layout is
 * lenient. */
struct op_view op_draft_remark(struct op_draft *r, uint64_t i,
			       const uint8_t *at);

/* Whether all rows of a table have an id, and there are some. */
bool op_draft_has_ids(struct op_draft *r, enum op_table t);

/* attrs.c: notes an AttributeUnit; the strings are known. */
void op_draft_unit_add(struct op_draft *r, struct op_cur c);

/* The builder's attribute of a KeyValue, with the unit that its key has. */
uint32_t op_draft_pair(struct op_draft *r, struct op_cur kv);
/* The same of a text, a flag. */
uint32_t op_draft_text_attr(struct op_draft *r, const char *key,
			    struct op_view text);
uint32_t op_draft_flag_attr(struct op_draft *r, const char *key);

/* Appends the attributes that a run of indexes names, for a set. */
void op_draft_attrs_add(struct op_draft *r, struct op_cur run,
			struct op_id_vec *out);
void op_draft_attr_push(struct op_draft *r, struct op_id_vec *out,
			uint32_t attr);
/* The set of a list, which is emptied. */
uint32_t op_draft_set(struct op_draft *r, struct op_id_vec *attrs);

/* Lists and slices may overlap: whether nr more rows are within reason. */
bool op_draft_allow(struct op_draft *r, uint64_t nr, const uint8_t *at);

/* Appends the numbers of a run. */
struct op_draft_numbers {
	uint64_t *p;
	size_t n, cap;
};
void op_draft_numbers(struct op_draft *r, struct op_cur run,
		      struct op_draft_numbers *out);

/* Appends the attribute of comments: numbers of strings, that stand at at. */
void op_draft_comments(struct op_draft *r, const struct op_draft_numbers *ix,
		       const uint8_t *at, struct op_id_vec *out);

/* --- times --- */

/* An attribute of ours that says how times are to be read. */
bool op_draft_is_time_unit(struct op_cur kv);

/* --- telling a file by its bytes --- */

/* The first profile of a message that is shaped as ProfilesData; false if it
 * is not, or has none. */
bool op_draft_first_profile(struct op_view in, struct op_view *out);

/* Fails if a model has no samples and the input it was read from does not look
 * like its format (score 0): then it was something else. */
int op_draft_empty_check(const struct op_model *m, int score,
			 struct op_err *err);

#endif
