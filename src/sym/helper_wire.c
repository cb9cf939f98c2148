// SPDX-License-Identifier: Apache-2.0
/* sym/helper_wire.c: encodes and decodes frames. */
#include "sym/helper_wire.h"

#include <string.h>

static struct op_view *text_of(struct op_sym_frame *f, int i)
{
	struct op_view *texts[] = { &f->name, &f->readable, &f->file, &f->dir };

	return texts[i];
}

static struct op_view cut(struct op_view v)
{
	if (v.n > OP_HELPER_NAME)
		v.n = OP_HELPER_NAME;
	return v;
}

bool op_helper_frame_put(uint8_t *out, size_t *n, size_t most,
			 const struct op_sym_frame *f)
{
	struct op_sym_frame copy = *f;
	struct op_helper_frame head = {
		f->line, f->column, f->function_line, { 0 }
	};
	size_t all = sizeof(head), at = *n;

	for (int i = 0; i < 4; i++) {
		head.bytes[i] = (uint32_t)cut(*text_of(&copy, i)).n;
		all += head.bytes[i];
	}
	if (all > most - at)
		return false;
	memcpy(out + at, &head, sizeof(head));
	at += sizeof(head);
	for (int i = 0; i < 4; i++) {
		if (head.bytes[i])
			memcpy(out + at, text_of(&copy, i)->p, head.bytes[i]);
		at += head.bytes[i];
	}
	*n = at;
	return true;
}

static bool take(struct op_view *from, size_t n, struct op_view *out)
{
	if (n > from->n || n > OP_HELPER_NAME)
		return false;
	*out = op_view(from->p, n);
	*from = op_view(from->p + n, from->n - n);
	return true;
}

static bool frame_read(struct op_view *body, struct op_sym_frame *f)
{
	struct op_helper_frame head;

	if (body->n < sizeof(head))
		return false;
	memcpy(&head, body->p, sizeof(head));
	*body = op_view(body->p + sizeof(head), body->n - sizeof(head));
	*f = (struct op_sym_frame){ .line = head.line,
				    .column = head.column,
				    .function_line = head.function_line };
	if (head.line < 0 || head.column < 0 || head.function_line < 0)
		return false;
	for (int i = 0; i < 4; i++)
		if (!take(body, head.bytes[i], text_of(f, i)))
			return false;
	return f->name.n != 0;
}

int op_helper_reply_read(struct op_view body, uint16_t nr,
			 struct op_sym_frame out[OP_LINES_MAX])
{
	if (nr > OP_LINES_MAX)
		return -1;
	for (int i = 0; i < nr; i++)
		if (!frame_read(&body, &out[i]))
			return -1;
	return body.n ? -1 : nr;
}
