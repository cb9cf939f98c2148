// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/chunk.h: a chunk that is being read.
 *
 * Ids of types, fields and layouts are those of a chunk and mean nothing in the
 * next: everything in struct op_jfr_chunk dies with the chunk, what is built
 * stays. The last chunk lives until the next one took from it what is the
 * same. */
#ifndef OP_FMT_JFR_CHUNK_H
#define OP_FMT_JFR_CHUNK_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/vec.h"
#include "fmt/jfr/chunk_header.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/metadata.h"

struct op_jfr;
struct op_jfr_rows;

struct op_jfr_chunk {
	struct op_jfr *j;
	struct op_err *err;
	struct op_arena mem;
	struct op_jfr_header h;
	struct op_view bytes; /* offsets are from where it begins */
	struct op_buf room;   /* for them */
	OP_VEC(struct op_jfr_type) types;
	OP_VEC(struct op_jfr_field) fields;
	OP_VEC(struct op_view) names; /* strings of the metadata */
	uint32_t *by_id;	      /* type of an id, or OP_NO_ID */
	uint32_t nr_by_id;
	uint64_t pool_bytes; /* of checkpoints read so far */
	bool counts;	     /* the events of each type */

	/* Types that the reader knows by name; OP_NO_ID: not in this chunk. */
	uint32_t t_string, t_symbol, t_class, t_method, t_stack, t_frame,
		t_frame_type, t_thread, t_group, t_state;
	struct op_jfr_rows *rows;
	/* Texts of events, numbered. */
	struct op_intern text_index;
	OP_VEC(struct op_view) texts;
};

/* Reads the bytes of a chunk whose header was checked; to be ended also when
 * that fails. Offsets in errors are those of the chunk. */
int op_jfr_chunk_begin(struct op_jfr_chunk *c, struct op_jfr *j,
		       const struct op_source *file,
		       const struct op_jfr_header *h, struct op_err *err);
/* All zero then; nothing happens to one that is so already. */
void op_jfr_chunk_end(struct op_jfr_chunk *c);
/* Frees what the last chunk left for the next. */
void op_jfr_spare_free(struct op_jfr *j);

struct op_jfr_cur op_jfr_cursor(const struct op_jfr_chunk *c, uint64_t at);

#endif
