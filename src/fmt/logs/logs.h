// SPDX-License-Identifier: Apache-2.0
/* fmt/logs/logs.h: OTLP logs (LogsData, which on the wire is also
 * ExportLogsServiceRequest), as protobuf and as JSON.
 *
 * Logs are no profiles and have no place in the model. This is what those need
 * who carry profiles in them: the messages as structs, with views of the bytes
 * they came from. Older releases are read too: instrumentation libraries are
 * scopes, also in field 1000, and a record may have a name (field 4).
 */
#ifndef OP_FMT_LOGS_LOGS_H
#define OP_FMT_LOGS_LOGS_H

#include "base/buf.h"
#include "model/model.h"
#include "pb/json_read.h"
#include "pb/json_write.h"
#include "pb/write.h"

struct op_log {
	uint64_t time_ns;     /* since 1970; 0: unknown */
	uint64_t observed_ns; /* when it was collected */
	int32_t severity;
	uint32_t dropped_attrs;
	uint32_t flags;
	struct op_view severity_text;
	struct op_view name; /* of older releases */
	struct op_view event_name;
	struct op_view trace_id, span_id; /* of any length */
	struct op_any body;
	struct op_kvs attrs;
	const uint8_t *at; /* where it stands in the message, if it was read */
};

struct op_log_scope {
	struct op_scope head; /* without profiles */
	struct op_view bytes; /* of its message, if it was read */
	struct op_log *records;
	uint32_t nr_records;
};

struct op_log_resource {
	struct op_resource head; /* without scopes */
	struct op_view bytes;	 /* as above */
	struct op_log_scope *scopes;
	uint32_t nr_scopes;
};

struct op_logs {
	struct op_arena mem; /* a quota may be set */
	struct op_log_resource *resources;
	uint32_t nr_resources;
};

/* Reads a message into an empty op_logs, which has views of it. Unknown fields
 * are passed over; ids of strings are refused, since there is no table of
 * them. On failure too op_logs_free() is due. */
int op_logs_decode(struct op_logs *l, struct op_view msg, struct op_err *err);

void op_logs_free(struct op_logs *l);

/* Appends the message to w. Values may have ids of strings of this model; NULL:
 * they have none. Writes ids of traces and spans as they are. */
int op_logs_encode(const struct op_logs *l, const struct op_model *strings,
		   struct op_pbw *w);

/* The same as OTLP/JSON. Bytes that are no id are left out. */
void op_logs_json(const struct op_logs *l, const struct op_model *strings,
		  struct op_json *w);

/* A message of protobuf as OTLP/JSON, appended to out. */
int op_logs_to_json(struct op_view message, struct op_buf *out,
		    struct op_err *err);

/* The object that in stands at as a message of protobuf, into out, which is
 * empty; the reader is left behind it. Both carry the same error. */
int op_logs_from_json(struct op_json_in *in, struct op_buf *out);

/* The place in the text that became byte at of that message; for errors. in
 * stands where it stood before. */
const uint8_t *op_logs_json_place(struct op_json_in in, uint64_t at);

#endif
