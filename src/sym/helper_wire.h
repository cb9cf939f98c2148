// SPDX-License-Identifier: Apache-2.0
/* sym/helper_wire.h: what goes between a program and its helper for symbols,
 * over a socket, in the byte order of the machine.
 *
 * A question is a struct op_helper_ask, and behind it
 *
 *	OP_ASK_FRAMES	nr addresses (u64); with the head come the descriptors
 *			of the binary's files, one for each OP_ASK_HAS_ bit, in
 *			their order; without any it is the vdso
 *	OP_ASK_NAME	nr bytes of a name that is to be made readable
 *
 * It has no memory of earlier ones, so that a helper may be replaced by
 * another between any two. The answer is a struct op_helper_reply for each
 * address or name, in their order, then one of OP_REPLY_DONE; or, if the
 * helper cannot go on, one of OP_REPLY_DYING and its end.
 *
 * A helper reads what may be hostile, and so its answers may be anything:
 * op_helper_reply_read() believes nothing.
 */
#ifndef OP_SYM_HELPER_WIRE_H
#define OP_SYM_HELPER_WIRE_H

#include "sym/binary.h"

enum {
	OP_HELPER_ADDRESSES = 4096,   /* most of a question */
	OP_HELPER_NAME = 64 << 10,    /* longest name, file or folder */
	OP_HELPER_REPLY_MAX = 4 << 20 /* bytes of an answer to an address */
};

enum op_ask { OP_ASK_FRAMES = 1, OP_ASK_NAME };

enum {
	OP_ASK_HAS_MAIN = 1 << OP_BINARY_MAIN,
	OP_ASK_HAS_DEBUG = 1 << OP_BINARY_DEBUG,
	OP_ASK_HAS_ALT = 1 << OP_BINARY_ALT,
	OP_ASK_NO_LINES = 8,  /* symbols only */
	OP_ASK_NO_NAMES = 16, /* none is made readable */
	OP_ASK_SPLIT = 32,    /* .dwo files may be opened by their names */
};

struct op_helper_ask {
	uint32_t kind; /* enum op_ask */
	uint32_t flags;
	uint32_t nr;
	uint32_t step_ms;  /* of CPU time, that an address may take */
	uint32_t name_ms;  /* and that a name may take */
	uint32_t data_mib; /* of memory */
};

enum op_reply { OP_REPLY_FRAMES = 1, OP_REPLY_DONE, OP_REPLY_DYING };

struct op_helper_reply {
	uint32_t bytes; /* behind this head */
	uint16_t kind;	/* enum op_reply */
	uint16_t nr;	/* frames; of OP_REPLY_DYING enum op_helper_phase */
};

/* What a helper was at when its time or its memory was spent. */
enum op_helper_phase { OP_AT_BINARY = 1, OP_AT_LINES, OP_AT_NAME };

/* Before the bytes of each frame: name, readable, file, dir. */
struct op_helper_frame {
	int64_t line, column, function_line;
	uint32_t bytes[4];
};

/* Writes a frame at the end of a buffer that may have most bytes; false if it
 * does not fit. Texts longer than OP_HELPER_NAME are cut. */
bool op_helper_frame_put(uint8_t *out, size_t *n, size_t most,
			 const struct op_sym_frame *f);

/* Reads the frames behind the head of an answer; -1 if it is none of ours. */
int op_helper_reply_read(struct op_view body, uint16_t nr,
			 struct op_sym_frame out[OP_LINES_MAX]);

#endif
