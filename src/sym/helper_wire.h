// SPDX-License-Identifier: Apache-2.0
/* sym/helper_wire.h: the protocol between a program and its symbol helper, over
 * a socket, in the byte order of the machine.
 *
 * A request is a struct op_helper_ask, followed by
 *
 *	OP_ASK_FRAMES	nr addresses (u64); with the head come the descriptors
 *			of the binary's files, one for each OP_ASK_HAS_ bit, in
 *			their order; without any it is the vDSO
 *	OP_ASK_NAME	nr bytes of a name to demangle
 *
 * Requests are independent, so that a helper may be replaced by another between
 * any two. The answer is a struct op_helper_reply for each address or name, in
 * their order, then one of OP_REPLY_DONE; or, if the helper cannot continue,
 * one of OP_REPLY_DYING, after which it exits.
 *
 * A helper reads input that may be hostile, so its answers are not trusted:
 * op_helper_reply_read() checks everything.
 */
#ifndef OP_SYM_HELPER_WIRE_H
#define OP_SYM_HELPER_WIRE_H

#include "sym/binary.h"

enum {
	OP_HELPER_ADDRESSES = 4096,   /* per request, at most */
	OP_HELPER_NAME = 64 << 10,    /* longest name, file or directory */
	OP_HELPER_REPLY_MAX = 4 << 20 /* size of the answer for one address */
};

enum op_ask { OP_ASK_FRAMES = 1, OP_ASK_NAME };

enum {
	OP_ASK_HAS_MAIN = 1 << OP_BINARY_MAIN,
	OP_ASK_HAS_DEBUG = 1 << OP_BINARY_DEBUG,
	OP_ASK_HAS_ALT = 1 << OP_BINARY_ALT,
	OP_ASK_NO_LINES = 8,  /* symbols only */
	OP_ASK_NO_NAMES = 16, /* do not demangle */
	OP_ASK_SPLIT = 32,    /* .dwo files may be opened by name */
};

struct op_helper_ask {
	uint32_t kind; /* enum op_ask */
	uint32_t flags;
	uint32_t nr;
	uint32_t step_ms;  /* CPU time per address */
	uint32_t name_ms;  /* CPU time per name */
	uint32_t data_mib; /* of memory */
};

enum op_reply { OP_REPLY_FRAMES = 1, OP_REPLY_DONE, OP_REPLY_DYING };

struct op_helper_reply {
	uint32_t bytes; /* after this header */
	uint16_t kind;	/* enum op_reply */
	uint16_t nr;	/* frames; for OP_REPLY_DYING enum op_helper_phase */
};

/* What a helper was doing when its time or memory ran out. */
enum op_helper_phase { OP_AT_BINARY = 1, OP_AT_LINES, OP_AT_NAME };

/* Precedes the bytes of each frame: name, readable, file, dir. */
struct op_helper_frame {
	int64_t line, column, function_line;
	uint32_t bytes[4];
};

/* Appends a frame to a buffer whose size is limited to `most`; false if it does
 * not fit. Texts longer than OP_HELPER_NAME are truncated. */
bool op_helper_frame_put(uint8_t *out, size_t *n, size_t most,
			 const struct op_sym_frame *f);

/* Reads the frames after the header of an answer; -1 if it is invalid. */
int op_helper_reply_read(struct op_view body, uint16_t nr,
			 struct op_sym_frame out[OP_LINES_MAX]);

#endif
