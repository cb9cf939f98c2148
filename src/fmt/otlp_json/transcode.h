// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/transcode.h: a message from JSON to the wire.
 *
 * The wire is what op_otlp_decode() reads, so that every check and limit of a
 * message exists once. Its lengths are padded varints, written before what
 * they measure is known.
 */
#ifndef OP_FMT_OTLP_JSON_TRANSCODE_H
#define OP_FMT_OTLP_JSON_TRANSCODE_H

#include "base/buf.h"
#include "fmt/otlp_json/schema.h"
#include "pb/json_read.h"

struct op_json_wire {
	struct op_buf out; /* to be freed by the caller, also on failure */
	enum op_json_layout layout; /* the release its keys speak for */
	bool mixed;   /* it has keys that no release has together */
	uint8_t root; /* the message that it is: DATA or LOGS_DATA */
};

/* Transcodes the object that the reader stands at and leaves it behind that.
 * out.err must be that of the reader. */
int op_json_transcode(struct op_json_in *in, struct op_json_wire *w);

/* The place in the text that became byte at of the wire; for errors. in stands
 * where it stood before the message. */
const uint8_t *op_json_place(struct op_json_in in, const struct op_json_wire *w,
			     uint64_t at);

#endif
