// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/schema.h: which key of which message is which field.
 *
 * The names of keys tell the releases apart where their bytes cannot: a key
 * has a field number in each release that knows it. v1.9 has the keys of
 * v1.10, so what stands here as today's is both. Messages of logs are the same
 * in all of them: their older keys stand beside today's.
 */
#ifndef OP_FMT_OTLP_JSON_SCHEMA_H
#define OP_FMT_OTLP_JSON_SCHEMA_H

#include "base/view.h"
#include "fmt/otlp/dialect.h"

/* Releases by their keys, the newest first. */
enum op_json_layout {
	OP_JSON_TODAY,
	OP_JSON_V1_8,
	OP_JSON_V1_7,
	OP_JSON_V1_6,
	OP_JSON_V1_5,
	OP_JSON_V1_4,
	OP_JSON_NR_LAYOUTS,
};

/* How a value is written, here and on the wire; from DATA on it is a message,
 * of this type. */
enum op_json_kind {
	INT32,
	UINT32,
	INT64,
	UINT64,
	FIXED64,
	FIXED32,
	TIMES, /* FIXED64, up to v1.7 UINT64 */
	TEMPORALITY,
	SEVERITY, /* of a log record */
	BOOL,
	DOUBLE,
	STRING,
	BYTES,
	TRACE_ID,
	SPAN_ID,
	PROFILE_ID,

	DATA,
	DICTIONARY,
	RESOURCE_PROFILES,
	SCOPE_PROFILES,
	PROFILE,
	SAMPLE,
	VALUE_TYPE,
	MAPPING,
	LOCATION,
	LINE,
	FUNCTION,
	LINK,
	STACK,
	ATTRIBUTE, /* a row of the attribute table */
	UNIT,
	KEY_VALUE,
	ANY,
	ARRAY,
	KVLIST,
	SCOPE,
	RESOURCE,
	ENTITY,

	LOGS_DATA,
	LOG_RESOURCE,
	LOG_SCOPE,
	LOG_RECORD,
	NR_KINDS,
};

enum { ONE, LIST };

/* The longest name has 26 characters. */
enum { OP_JSON_NAME = 32 };

/* Most fields of a message. */
enum { OP_JSON_FIELDS = 32 };

struct op_json_field {
	char name[OP_JSON_NAME]; /* as proto3 has it in JSON */
	uint8_t kind;
	uint8_t list;			 /* ONE or LIST */
	uint8_t num[OP_JSON_NR_LAYOUTS]; /* 0: not in this release */
};

struct op_json_message {
	const struct op_json_field *fields;
	uint8_t nr; /* at most OP_JSON_FIELDS */
};

/* By kind; only those from DATA on have fields. */
extern const struct op_json_message op_json_messages[NR_KINDS];

/* The dialect in which op_otlp_decode() gets the wire of a layout. */
const struct op_dialect *op_json_dialect(enum op_json_layout layout);

/* The field of this key, in either spelling, as an index; -1: unknown. Looks
 * at the field with index hint first. */
int op_json_field_find(const struct op_json_message *m, struct op_view key,
		       unsigned int hint);

#endif
