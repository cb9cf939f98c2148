// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/write.h: what the writers of the drafts of OTLP Profiles share.
 *
 * A message is written from its end, and a row must have its place in a table
 * before anything that refers to it is written. So the samples of a profile
 * are gone through twice: once to give places to all that they lead to, once
 * to write. Asking again for the place of a row gives the same.
 *
 * No table has a null element: what refers to none of a kind refers to an
 * empty row, which the readers take for none.
 *
 *	row_order.c places of rows
 *	rows.c     the tables
 *	write.c    what is around the profiles
 */
#ifndef OP_FMT_DRAFT_WRITE_H
#define OP_FMT_DRAFT_WRITE_H

#include "base/intern.h"
#include "base/vec.h"
#include "fmt/draft/layout.h"
#include "fmt/format.h"
#include "pb/write.h"

/* What a draft has no place for. */
enum op_draft_loss {
	OP_DRAFT_LOST_UNITS = 1,
	OP_DRAFT_LOST_LINES = 2,
	OP_DRAFT_LOST_PERIOD = 4,
	OP_DRAFT_LOST_PROFILE = 8,
	OP_DRAFT_LOST_TIMES = 16,
};

struct op_draft_places {
	uint32_t *of;	      /* the place of a row of the model; OP_NO_ID */
	struct op_id_vec ids; /* the rows that have places, in order */
};

struct op_draft_list {
	uint32_t first, n; /* in members */
};

struct op_draft_writer {
	const struct op_model *m;
	const struct op_draft_layout *layout;
	struct op_err *err;
	struct op_arena mem;
	struct op_pbw *w;
	unsigned int lost;    /* bits of enum op_draft_loss */
	bool drops_ids;	      /* no profile has an id in this draft */
	struct op_model twin; /* of m, with ids from the content */
	void *ctx;	      /* the format's */

	struct op_arena message; /* what lasts as long as a profile message */

	/* Of the profile at hand. */
	struct op_draft_places rows[OP_NR_TABLES];
	OP_VEC(struct op_view) texts;
	struct op_intern text_index;
	struct op_draft_places units; /* of keys: the unit in place of it */
	/* With OP_DRAFT_SETS, lists of attributes. */
	OP_VEC(struct op_draft_list) lists;
	struct op_id_vec members;
	struct op_intern list_index;
	struct op_id_vec rest; /* of the row at hand: not in fields */
};

/* Writes the messages around the profiles. Those in a scope that stand side by
 * side and are the same by what same says go together to fn, which writes one
 * profile message. It has one id: a profile whose id is more than the hash of
 * its content begins another. Ends w's memory. */
typedef bool op_draft_same_fn(const struct op_draft_writer *w,
			      const struct op_profile *a,
			      const struct op_profile *b);
typedef void op_draft_group_fn(struct op_draft_writer *w,
			       const struct op_profile *p, uint32_t n);
int op_draft_write(struct op_draft_writer *w, op_draft_same_fn *same,
		   op_draft_group_fn *fn);

/* Writes the finished message to a file, unless it failed, and frees it. */
int op_draft_file_end(struct op_pbw *w, struct op_sink *out);

/* Tells who listens what was lost; name is the format's. */
void op_draft_say_lost(struct op_draft_writer *w,
		       const struct op_write_opts *opts, const char *name);

/* --- row_order.c --- */

/* Forgets the rows of the profile before. */
void op_draft_begin(struct op_draft_writer *w);

/* Places of rows of the model and of what they lead to. */
uint32_t op_draft_place_text(struct op_draft_writer *w, struct op_view text);
uint32_t op_draft_place_string(struct op_draft_writer *w, uint32_t id);
uint32_t op_draft_place_location(struct op_draft_writer *w, uint32_t id);
uint32_t op_draft_place_stack(struct op_draft_writer *w, uint32_t id);
uint32_t op_draft_place_link(struct op_draft_writer *w, uint32_t id);
uint32_t op_draft_place_attr(struct op_draft_writer *w, uint32_t id);
/* Of each attribute of a list or, with OP_DRAFT_SETS, of the list. */
uint32_t op_draft_place_list(struct op_draft_writer *w, struct op_ids ids);
uint32_t op_draft_place_set(struct op_draft_writer *w, uint32_t set);

/* Of the unit of an attribute that is no row of the table. */
void op_draft_place_unit(struct op_draft_writer *w, uint32_t attr);

/* When all locations have places: those of mappings, in the model's order. */
void op_draft_order_mappings(struct op_draft_writer *w);

/* What the attributes of a row say that a draft has fields for. */
struct op_draft_native {
	struct op_view build_id, type;
	uint32_t id_kind;
	unsigned int flags; /* has_functions ... */
	bool is_folded, has_id;
};

/* The attributes that are left are in w->rest. */
struct op_draft_native op_draft_native(struct op_draft_writer *w, uint32_t set,
				       bool of_mapping);

/* --- rows.c: writing, from the end --- */

/* A table of the layout. */
void op_draft_table_write(struct op_draft_writer *w, enum op_table t);
void op_draft_units_write(struct op_draft_writer *w);
/* The list of attributes of a row that was given places; by reference. */
void op_draft_list_write(struct op_draft_writer *w, uint32_t num,
			 struct op_ids ids);
/* A KeyValue with its texts in it. */
void op_draft_pair_write(struct op_draft_writer *w, uint32_t num,
			 struct op_view key, const struct op_any *v);
/* The attributes of a profile as such, but for those that skip. */
typedef bool op_draft_skip_fn(struct op_draft_writer *w,
			      const struct op_attr *a);
void op_draft_pairs_write(struct op_draft_writer *w, uint32_t num, uint32_t set,
			  op_draft_skip_fn *skip);

/* --- times --- */

/* Whether readers would take a time in nanoseconds for something else. */
op_inline bool op_draft_time_misread(uint64_t time_ns)
{
	return time_ns <= UINT64_MAX / 1000;
}

/* Whether any time of a profile is such, and the attribute that then says what
 * they are. */
bool op_draft_times_misread(const struct op_profile *p);
void op_draft_time_unit_write(struct op_draft_writer *w, uint32_t num);

/* Whether a profile counts from the start of the process, and the attribute
 * that says so, which has a field in the drafts. */
bool op_draft_is_cumulative(const struct op_model *m,
			    const struct op_profile *p);
bool op_draft_is_temporality(const struct op_model *m, const struct op_attr *a);

/* Whether two profiles have the same attributes but for that one. */
bool op_draft_same_attrs(const struct op_model *m, const struct op_profile *a,
			 const struct op_profile *b);

/* Whether two profiles have the same samples at the same times. */
bool op_draft_same_samples(const struct op_profile *a,
			   const struct op_profile *b);

/* A list of strings as an attribute that is comments; NULL: it is another. */
const struct op_any *op_draft_comment_list(const struct op_model *m,
					   const struct op_attr *a);
/* The comments of a profile; NULL: it has none. */
const struct op_any *op_draft_comments_of(const struct op_model *m,
					  const struct op_profile *p);
void op_draft_comments_write(struct op_draft_writer *w, uint32_t num,
			     const struct op_any *list);

#endif
