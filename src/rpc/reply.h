// SPDX-License-Identifier: Apache-2.0
/* rpc/reply.h: parses the responses of a server.
 *
 * Responses come from the network, and their content ends up in a log, so texts
 * are reduced to one clean line. Unreadable content is ignored; it is not an
 * error. */
#ifndef OP_RPC_REPLY_H
#define OP_RPC_REPLY_H

#include "base/err.h"
#include "base/view.h"

enum op_reply_form {
	OP_REPLY_PROTOBUF,
	OP_REPLY_JSON,
	OP_REPLY_TEXT, /* neither, such as from a proxy */
	OP_REPLY_HTML, /* a web page */
};

enum { OP_REPLY_TEXT_MAX = 160 };

struct op_reply {
	uint64_t rejected; /* profiles or records */
	bool has_delay;	   /* there was a RetryInfo */
	uint64_t delay_ns;
	char text[OP_REPLY_TEXT_MAX]; /* message of the server; "": none */
};

/* By content type, ignoring its parameters; other if there is none. */
enum op_reply_form op_reply_form(struct op_view content_type,
				 enum op_reply_form other);

/* Parses Export*ServiceResponse: 1 partial_success { 1 rejected, 2 message }.
 * False if it is not that; r is then empty. Text is tried as either form,
 * because some servers declare everything as text/plain. */
bool op_reply_export(struct op_view body, enum op_reply_form form,
		     struct op_reply *r);

/* Parses google.rpc.Status, or what HTTP servers send instead: JSON with
 * "error" or "detail" in it, or text, whose first line is the message. False as
 * above. */
bool op_reply_status(struct op_view body, enum op_reply_form form,
		     struct op_reply *r);

/* The message in the one frame of a gRPC body: a flag, four bytes of length,
 * the message. False if it is not that. */
bool op_grpc_frame(struct op_view body, struct op_view *message,
		   bool *is_packed);

/* The value of grpc-status, 0 to 999; -1 if it is invalid. */
int op_grpc_status(struct op_view text);

/* The texts of grpc-message and grpc-status-details-bin; may be empty. */
void op_grpc_reply(struct op_view message, struct op_view details,
		   struct op_reply *r);

/* Converts any bytes to one line of UTF-8 in out, which has n bytes including
 * the NUL: control characters and runs of whitespace become one space, and text
 * that is too long is truncated with "...". */
void op_reply_clean(char *out, size_t n, struct op_view v);

#endif
