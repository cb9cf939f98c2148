// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/recover.c: what can be found of chunks that are broken or were never
 * finished. */
#include "fmt/jfr/recover.h"

#include "fmt/jfr/chunk_header.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/jfr_int.h"

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
		   struct op_jfr_found *found, struct op_arena *mem)
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
			return mem->err->code;
		in.c.p = start + size;
	}
	h->size = (uint64_t)(in.c.p - file.p) - h->at;
	return OP_OK;
}
