// SPDX-License-Identifier: Apache-2.0
#include "fmt/jfr/jfr.h"

int op_jfr_nomem(struct op_err *err)
{
	return op_fail(err, OP_ENOMEM, "no memory to read a recording");
}

uint64_t op_jfr_varint_slow(struct op_cur *c)
{
	const uint8_t *start = c->p;
	uint64_t v = 0;

	for (unsigned int i = 0; i < 9; i++) {
		uint8_t byte;

		if (c->p == c->end) {
			op_cur_fail(c, start, OP_EFORMAT,
				    "a number is cut off");
			return 0;
		}
		byte = *c->p++;
		if (i == 8)
			return v | (uint64_t)byte << 56;
		v |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80)
			break;
	}
	return v;
}

uint64_t op_jfr_wide(struct op_cur *c, unsigned int width)
{
	struct op_view v = op_cur_take(c, width);
	uint64_t x = 0;

	for (size_t i = 0; i < v.n; i++)
		x = x << 8 | v.p[i];
	return x;
}

int op_jfr_chunk_begin(struct op_jfr_chunk *c, struct op_jfr *j,
		       const struct op_source *file,
		       const struct op_jfr_header *h, struct op_err *err)
{
	*c = (struct op_jfr_chunk){
		.j = j, .err = err, .h = *h, .room = j->spare
	};
	j->spare = (struct op_buf){ 0 };
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
	op_arena_free(&c->mem);
	op_buf_free(&c->j->spare);
	c->j->spare = c->room;
	*c = (struct op_jfr_chunk){ 0 };
}

struct op_jfr_cur op_jfr_cursor(const struct op_jfr_chunk *c, uint64_t at)
{
	struct op_cur cur = op_cur(c->bytes, c->err);

	cur.p = c->bytes.p + at;
	return (struct op_jfr_cur){ cur, c->h.packed };
}

int op_jfr_header_check(const struct op_source *file,
			const struct op_jfr_header *h, struct op_err *err)
{
	uint64_t left = file->n - h->at;

	if (h->size > left)
		return op_fail_at(err, OP_EFORMAT, h->at,
				  "a chunk of %llu bytes, %llu are left: "
				  "--recover reads what is whole",
				  (unsigned long long)h->size,
				  (unsigned long long)left);
	if (h->size < OP_JFR_HEADER || h->pools_at < OP_JFR_HEADER ||
	    h->pools_at >= h->size || h->meta_at < OP_JFR_HEADER ||
	    h->meta_at >= h->size)
		return op_fail_at(err, OP_EFORMAT, h->at,
				  "a chunk that is not finished: --recover "
				  "reads what is whole");
	return OP_OK;
}

/* What the bytes at a byte of the file say. */
static int header_parse(struct op_view bytes, uint64_t at,
			struct op_jfr_header *h, struct op_err *err)
{
	struct op_cur c = op_cur(bytes, err);
	uint64_t flags;

	if (memcmp(c.p, "FLR\0", 4))
		return op_fail_at(err, OP_EFORMAT, at,
				  "no chunk of a recording begins here");
	c.p += 4;
	h->major = (uint16_t)op_jfr_wide(&c, 2);
	h->minor = (uint16_t)op_jfr_wide(&c, 2);
	if (h->major == 0 && h->minor == 9)
		return op_fail_at(err, OP_EFORMAT, at,
				  "a recording of version 0.9, as Oracle's JDK "
				  "7 and 8 write: only 1.0 and 2.x are read");
	if (h->major != 1 && h->major != 2)
		return op_fail_at(err, OP_EFORMAT, at,
				  "a recording of version %u.%u: only 1.0 and "
				  "2.x are read",
				  h->major, h->minor);
	h->size = op_jfr_wide(&c, 8);
	h->pools_at = op_jfr_wide(&c, 8);
	h->meta_at = op_jfr_wide(&c, 8);
	h->start_ns = op_jfr_wide(&c, 8);
	h->duration_ns = op_jfr_wide(&c, 8);
	h->start_ticks = op_jfr_wide(&c, 8);
	h->ticks_per_s = op_jfr_wide(&c, 8);
	op_jfr_wide(&c, 2); /* state: whether it was being written */
	flags = op_jfr_wide(&c, 2);
	h->packed = flags & 1;
	if (!h->ticks_per_s)
		return op_fail_at(err, OP_EFORMAT, at + 56,
				  "a clock of 0 ticks a second");
	return OP_OK;
}

int op_jfr_header_read(const struct op_source *file, uint64_t at,
		       struct op_jfr_header *h, struct op_err *err)
{
	struct op_buf room = { 0 };
	struct op_view bytes;

	*h = (struct op_jfr_header){ .at = at };
	if (file->n - at < OP_JFR_HEADER)
		return op_fail_at(err, OP_EFORMAT, at,
				  "the header of a chunk is cut off");
	bytes = op_source_part(file, at, OP_JFR_HEADER, &room, err);
	if (bytes.n)
		header_parse(bytes, at, h, err);
	op_buf_free(&room);
	return err->code;
}

/* A chunk may hold copies of its own header. */
uint64_t op_jfr_next_chunk(const struct op_source *whole,
			   const struct op_jfr_header *h)
{
	static const char magic[] = { 'F', 'L', 'R', 0, 0 };
	struct op_view file = op_view(whole->p, whole->n);
	uint64_t at = h->at + 1;

	while (file.n - at >= OP_JFR_HEADER) {
		const uint8_t *p = memmem(file.p + at, file.n - at, magic,
					  sizeof(magic));
		struct op_err ignored = { 0 };
		struct op_jfr_header other;

		if (!p)
			break;
		at = (uint64_t)(p - file.p);
		if (!op_jfr_header_read(whole, at, &other, &ignored) &&
		    (other.start_ns != h->start_ns ||
		     other.start_ticks != h->start_ticks))
			return at;
		at++;
	}
	return file.n;
}

/* Goes from event to event as long as their sizes make sense, and notes the
 * last description of types and where constants are. */
int op_jfr_salvage(const struct op_source *whole, struct op_jfr_header *h,
		   struct op_jfr_found *found, struct op_arena *mem,
		   struct op_err *err)
{
	struct op_view file = op_view(whole->p, whole->n);
	struct op_err quiet = { 0 };
	struct op_jfr_cur in = { op_cur(file, &quiet), h->packed };
	const uint8_t *end;

	if (!found->next)
		found->next = op_jfr_next_chunk(whole, h);
	end = in.c.end = file.p + found->next;
	in.c.p = file.p + h->at + OP_JFR_HEADER;
	h->meta_at = 0;
	while (in.c.p < end) {
		const uint8_t *start = in.c.p;
		uint64_t size = op_jfr_int(&in), type = op_jfr_long(&in);
		uint64_t at = (uint64_t)(start - file.p) - h->at;

		if (quiet.code || !size || size > (uint64_t)(end - start)) {
			in.c.p = start;
			break;
		}
		if (type == 0)
			h->meta_at = at;
		if (type == 1 && !op_vec_push(mem, &found->pools_at, at))
			return op_jfr_nomem(err);
		in.c.p = start + size;
	}
	h->size = (uint64_t)(in.c.p - file.p) - h->at;
	return OP_OK;
}
