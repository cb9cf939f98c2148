// SPDX-License-Identifier: Apache-2.0
/* fmt/message_reader.h: the messages of a stream, one at a time.
 *
 *	struct op_message_reader r = { .fd = fd, .max_bytes = most };
 *	while (op_message_next(&r, &message, &at, err) > 0)
 *		...
 *	op_message_reader_free(&r);
 */
#ifndef OP_FMT_MESSAGE_READER_H
#define OP_FMT_MESSAGE_READER_H

#include "base/buf.h"

enum op_framing {
	OP_FRAMING_UNKNOWN,
	OP_FRAMING_LENGTH, /* four bytes, big-endian, before each message */
	OP_FRAMING_JSON,   /* objects one after the other */
	OP_FRAMING_NONE,   /* all of it is one message */
};

/* Set fd and max_bytes, the rest is zero. */
struct op_message_reader {
	int fd;
	size_t max_bytes; /* of a message */
	enum op_framing framing;
	struct op_buf buf; /* read and not given yet, from byte used on */
	size_t used;
	uint64_t at; /* where buf begins in the stream */
	bool is_end;
};

/* Reads the next message into *out, which the caller frees, and where it begins
 * in the stream into *at. 1: there was one; 0: the stream has ended; else
 * err->code. Memory grows with the bytes that came, not with those that a
 * length announces. */
int op_message_next(struct op_message_reader *r, struct op_buf *out,
		    uint64_t *at, struct op_err *err);

void op_message_reader_free(struct op_message_reader *r);

#endif
