// SPDX-License-Identifier: Apache-2.0
/* rpc/reply.h: what the answers of a server say.
 *
 * Answers come from the network, and what they say ends up in a log: texts are
 * made one clean line. What cannot be read says nothing; it is no error. */
#ifndef OP_RPC_REPLY_H
#define OP_RPC_REPLY_H

#include "base/err.h"
#include "base/view.h"

enum op_reply_form {
	OP_REPLY_PROTOBUF,
	OP_REPLY_JSON,
	OP_REPLY_TEXT, /* neither: from a proxy, say */
	OP_REPLY_HTML, /* a page for people */
};

enum { OP_REPLY_TEXT_MAX = 160 };

struct op_reply {
	uint64_t rejected; /* profiles or records */
	bool has_delay;	   /* there was a RetryInfo */
	uint64_t delay_ns;
	char text[OP_REPLY_TEXT_MAX]; /* the server's words; "": none */
};

/* By content-type, whose parameters do not count; other if there is none. */
enum op_reply_form op_reply_form(struct op_view content_type,
				 enum op_reply_form other);

/* Reads Export*ServiceResponse: 1 partial_success { 1 rejected, 2 message }.
 * False if it is not that; r is then empty. A text is tried as either form, for
 * some servers say text/plain of everything. */
bool op_reply_export(struct op_view body, enum op_reply_form form,
		     struct op_reply *r);

/* Reads google.rpc.Status, or what servers of HTTP send in its place: JSON with
 * "error" or "detail" in it, or text, of which the first line is the message.
 * False as above. */
bool op_reply_status(struct op_view body, enum op_reply_form form,
		     struct op_reply *r);

/* The message in the one frame of a gRPC body: a flag, four bytes of length,
 * the message. False if it is not that. */
bool op_grpc_frame(struct op_view body, struct op_view *message,
		   bool *is_packed);

/* The number of grpc-status, 0 to 999; -1 if it is none. */
int op_grpc_status(struct op_view text);

/* The texts of grpc-message and grpc-status-details-bin; may be empty. */
void op_grpc_reply(struct op_view message, struct op_view details,
		   struct op_reply *r);

/* Makes of any bytes one line of UTF-8 in out, which holds n bytes with the
 * NUL: control characters and runs of space become one space, and what is too
 * long ends in "...". */
void op_reply_clean(char *out, size_t n, struct op_view v);

#endif
