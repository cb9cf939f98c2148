// SPDX-License-Identifier: Apache-2.0
/* fmt/logs/fields.h: field numbers of OTLP logs, of today and of older
 * releases. What they share with profiles is in fmt/otlp/fields.h. */
#ifndef OP_FMT_LOGS_FIELDS_H
#define OP_FMT_LOGS_FIELDS_H

#include "fmt/otlp/fields.h"

enum {
	LOGS_RESOURCE_LOGS = 1,

	RESOURCE_LOGS_RESOURCE = 1,
	RESOURCE_LOGS_SCOPES = 2, /* or instrumentation libraries */
	RESOURCE_LOGS_SCHEMA_URL = 3,
	RESOURCE_LOGS_LIBRARIES = 1000, /* while they became scopes */

	SCOPE_LOGS_SCOPE = 1,
	SCOPE_LOGS_RECORDS = 2,
	SCOPE_LOGS_SCHEMA_URL = 3,

	LOG_TIME = 1,
	LOG_SEVERITY = 2,
	LOG_SEVERITY_TEXT = 3,
	LOG_NAME = 4, /* until v0.16; reserved today */
	LOG_BODY = 5,
	LOG_ATTRIBUTES = 6,
	LOG_DROPPED = 7,
	LOG_FLAGS = 8,
	LOG_TRACE_ID = 9,
	LOG_SPAN_ID = 10,
	LOG_OBSERVED = 11,
	LOG_EVENT_NAME = 12,
};

#endif
