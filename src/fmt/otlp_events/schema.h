// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_events/schema.h: the names of fields, for the text format.
 *
 * The proposal's text and its .proto differ in some names; both are read, and
 * those that come first here are written. */
#ifndef OP_FMT_OTLP_EVENTS_SCHEMA_H
#define OP_FMT_OTLP_EVENTS_SCHEMA_H

#include "base/view.h"

/* How a value is written; from OP_EVENTS_DATA on it is a message. */
enum op_events_kind {
	OP_EVENTS_UINT32,
	OP_EVENTS_UINT64,
	OP_EVENTS_INT64,
	OP_EVENTS_FIXED64,
	OP_EVENTS_BOOL,
	OP_EVENTS_DOUBLE,
	OP_EVENTS_BUILD_ID_KIND,
	OP_EVENTS_STRING,
	OP_EVENTS_BYTES,

	OP_EVENTS_DATA,
	OP_EVENTS_RESOURCE_PROFILES,
	OP_EVENTS_SCOPE_PROFILES,
	OP_EVENTS_RESOURCE,
	OP_EVENTS_SCOPE,
	OP_EVENTS_KEY_VALUE,
	OP_EVENTS_ANY,
	OP_EVENTS_ARRAY,
	OP_EVENTS_KVLIST,
	OP_EVENTS_PROFILE,
	OP_EVENTS_EVENT,
	OP_EVENTS_EVENT_TYPE,
	OP_EVENTS_CLOCK,
	OP_EVENTS_STACK,
	OP_EVENTS_LOCATION,
	OP_EVENTS_LINE,
	OP_EVENTS_FUNCTION,
	OP_EVENTS_MAPPING,
	OP_EVENTS_LINK,
	OP_EVENTS_REF, /* a KeyValue whose texts are numbers of strings */
	OP_EVENTS_REF_ANY,
	OP_EVENTS_REF_ARRAY,
	OP_EVENTS_REF_KVLIST,
	OP_EVENTS_NR_KINDS,
};

struct op_events_field {
	const char *name;
	uint8_t num;
	uint8_t kind;
	bool list; /* may stand there more than once */
};

/* The fields of a message, ended by a NULL name. */
extern const struct op_events_field *const op_events_fields[OP_EVENTS_NR_KINDS];

/* The field of this name or number; NULL if there is none. */
const struct op_events_field *op_events_named(enum op_events_kind message,
					      struct op_view name);
const struct op_events_field *op_events_numbered(enum op_events_kind message,
						 uint32_t num);

#endif
