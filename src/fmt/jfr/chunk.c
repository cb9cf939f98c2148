// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/chunk.c: a chunk that is being read: its bytes, its memory. */
#include "fmt/jfr/chunk.h"

#include "fmt/jfr/chunk_header.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/rows.h"

int op_jfr_chunk_begin(struct op_jfr_chunk *c, struct op_jfr *j,
		       const struct op_source *file,
		       const struct op_jfr_header *h, struct op_err *err)
{
	*c = (struct op_jfr_chunk){ .j = j,
				    .err = err,
				    .mem = j->spare_mem,
				    .h = *h,
				    .room = j->spare };
	c->mem.err = err;
	j->spare = (struct op_buf){ 0 };
	j->spare_mem = (struct op_arena){ 0 };
	c->bytes = op_source_part(file, h->at, h->size, &c->room, err);
	c->mem.quota = j->mem.quota;
	c->t_string = c->t_symbol = c->t_class = c->t_method = c->t_stack =
		c->t_frame = c->t_frame_type = c->t_thread = c->t_group =
			c->t_state = OP_NO_ID;
	return err->code;
}

void op_jfr_chunk_end(struct op_jfr_chunk *c)
{
	if (!c->j)
		return;
	op_jfr_rows_end(c);
	op_jfr_spare_free(c->j);
	op_arena_recycle(&c->mem);
	c->j->spare_mem = c->mem;
	c->j->spare = c->room;
	*c = (struct op_jfr_chunk){ 0 };
}

void op_jfr_spare_free(struct op_jfr *j)
{
	op_arena_free(&j->spare_mem);
	op_buf_free(&j->spare);
}

struct op_jfr_cur op_jfr_cursor(const struct op_jfr_chunk *c, uint64_t at)
{
	struct op_cur cur = op_cur(c->bytes, c->err);

	cur.p = c->bytes.p + at;
	return (struct op_jfr_cur){ cur, c->h.packed };
}
