// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/read_int.h: between the files of the pprof reader.
 *
 *	read_tables.c   strings, mappings, locations, functions, when asked for
 *	read_labels.c   labels of a sample: attribute set, link, time
 *	read.c          the message, the samples, the profiles
 */
#ifndef OP_FMT_PPROF_READ_INT_H
#define OP_FMT_PPROF_READ_INT_H

#include "fmt/pprof/fields.h"
#include "model/builder.h"
#include "pb/read.h"

/* Messages that others refer to by an id of 64 bits. Ids mostly count from 1:
 * then they are the index into bytes and made; if not, ids finds it. */
struct op_pprof_rows {
	const char *name; /* for messages */
	OP_VEC(struct op_view) found;
	OP_VEC(uint64_t) ids;
	struct op_intern index; /* of ids, where they are far apart */
	bool dense;
	uint32_t nr;	       /* slots */
	struct op_view *bytes; /* p is NULL where there is no such row */
	uint32_t *made;	       /* the builder's id; OP_NO_ID: not yet */
};

/* What bytes were made into, so that those that come again are not read
 * again. Each row is followed by its bytes: finding it waits for memory, and
 * so only once. Index ids are places in words. */
struct op_pprof_made {
	uint32_t n;  /* bytes */
	uint32_t id; /* stack or set */
	uint32_t link;
	uint32_t zero;
};

struct op_pprof_memo {
	struct op_intern index;
	OP_VEC(uint64_t) words;
	uint32_t nr_asked, nr_known;
};

/* Which labels have a place of their own in the model. */
enum op_pprof_role {
	OP_PPROF_PLAIN,
	OP_PPROF_TRACE,
	OP_PPROF_SPAN,
	OP_PPROF_TIME
};

struct op_pprof_label {
	enum op_pprof_role role;
	uint32_t key; /* strings of the file */
	uint32_t str; /* 0: it is a number */
	uint32_t unit;
	uint32_t made_key; /* the builder's string */
	uint32_t order;
	int64_t num;
};

struct op_pprof_reader {
	struct op_builder b;
	struct op_err *err;
	struct op_arena scratch; /* gone when the reader is */
	struct op_cur file;	 /* at the start of the message */
	bool is_body;		 /* of a log record */

	OP_VEC(struct op_view) strings;
	uint32_t default_key; /* of labels that say none; 0: there is none */
	uint32_t *string_ids; /* the builder's; OP_NO_ID: not yet */
	struct op_pprof_rows mappings, locations, functions;

	OP_VEC(struct op_line) lines; /* of the location at hand */
	struct op_id_vec ids;	      /* of the stack or set at hand */
	OP_VEC(struct op_pprof_label) labels;
	OP_VEC(struct op_any) array; /* of the label at hand */
};

/* read_tables.c */
/* Notes a mapping, location or function for later. */
void op_pprof_row_found(struct op_pprof_reader *r, struct op_pprof_rows *rows,
			const struct op_pb_field *f);
/* After all of them were found. */
void op_pprof_rows_index(struct op_pprof_reader *r, struct op_pprof_rows *rows);
/* The slot of an id that was read before at; OP_NO_ID after a failure. */
uint32_t op_pprof_slot(struct op_pprof_reader *r, struct op_pprof_rows *rows,
		       uint64_t id, const uint8_t *at);
/* The index that a field holds of a string of the file; 0 after a failure. */
uint32_t op_pprof_string_at(struct op_pprof_reader *r,
			    const struct op_pb_field *f);
/* The builder's id of a string of the file. */
uint32_t op_pprof_string_made(struct op_pprof_reader *r, uint32_t at);
/* Both. */
uint32_t op_pprof_string(struct op_pprof_reader *r,
			 const struct op_pb_field *f);
/* The builder's id of the location in a slot. */
uint32_t op_pprof_location(struct op_pprof_reader *r, uint32_t slot);
/* Makes all mappings that locations refer to, in order: the first names the
 * program. */
void op_pprof_mappings_make(struct op_pprof_reader *r);
/* Whether every mapping that was made has a location that was made. */
bool op_pprof_mappings_used(struct op_pprof_reader *r);

/* read_labels.c */
struct op_pprof_labelled {
	uint32_t set, link;
	uint64_t time_ns;
	bool timed;
};
void op_pprof_label_read(struct op_pprof_reader *r, struct op_view msg);
/* What the labels read so far are together; they are then forgotten. */
struct op_pprof_labelled op_pprof_labels_end(struct op_pprof_reader *r);

#endif
