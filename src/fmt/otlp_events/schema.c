// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_events/schema.c: the table of messages and fields. */
#include "fmt/otlp_events/schema.h"

#define U32 OP_EVENTS_UINT32
#define U64 OP_EVENTS_UINT64
#define I64 OP_EVENTS_INT64
#define F64 OP_EVENTS_FIXED64
#define BOOL OP_EVENTS_BOOL
#define TEXT OP_EVENTS_STRING
#define BYTES OP_EVENTS_BYTES
#define ONE false
#define MANY true

static const struct op_events_field data[] = {
	{ "resource_profiles", 1, OP_EVENTS_RESOURCE_PROFILES, MANY },
	{ 0 },
};

static const struct op_events_field resource_profiles[] = {
	{ "resource", 1, OP_EVENTS_RESOURCE, ONE },
	{ "scope_profiles", 2, OP_EVENTS_SCOPE_PROFILES, MANY },
	{ "schema_url", 3, TEXT, ONE },
	{ 0 },
};

static const struct op_events_field scope_profiles[] = {
	{ "scope", 1, OP_EVENTS_SCOPE, ONE },
	{ "profiles", 2, OP_EVENTS_PROFILE, MANY },
	{ "schema_url", 3, TEXT, ONE },
	{ 0 },
};

static const struct op_events_field resource[] = {
	{ "attributes", 1, OP_EVENTS_KEY_VALUE, MANY },
	{ "dropped_attributes_count", 2, U32, ONE },
	{ 0 },
};

static const struct op_events_field scope[] = {
	{ "name", 1, TEXT, ONE },
	{ "version", 2, TEXT, ONE },
	{ "attributes", 3, OP_EVENTS_KEY_VALUE, MANY },
	{ "dropped_attributes_count", 4, U32, ONE },
	{ 0 },
};

static const struct op_events_field key_value[] = {
	{ "key", 1, TEXT, ONE },
	{ "value", 2, OP_EVENTS_ANY, ONE },
	{ 0 },
};

static const struct op_events_field any[] = {
	{ "string_value", 1, TEXT, ONE },
	{ "bool_value", 2, BOOL, ONE },
	{ "int_value", 3, I64, ONE },
	{ "double_value", 4, OP_EVENTS_DOUBLE, ONE },
	{ "array_value", 5, OP_EVENTS_ARRAY, ONE },
	{ "kvlist_value", 6, OP_EVENTS_KVLIST, ONE },
	{ "bytes_value", 7, BYTES, ONE },
	{ 0 },
};

static const struct op_events_field array[] = {
	{ "values", 1, OP_EVENTS_ANY, MANY },
	{ 0 },
};

static const struct op_events_field kvlist[] = {
	{ "values", 1, OP_EVENTS_KEY_VALUE, MANY },
	{ 0 },
};

static const struct op_events_field profile[] = {
	{ "events", 1, OP_EVENTS_EVENT, MANY },
	{ "event_types", 3, OP_EVENTS_EVENT_TYPE, MANY },
	{ "stacks", 4, OP_EVENTS_STACK, MANY },
	{ "locations", 5, OP_EVENTS_LOCATION, MANY },
	{ "functions", 6, OP_EVENTS_FUNCTION, MANY },
	{ "mappings", 7, OP_EVENTS_MAPPING, MANY },
	{ "attributes", 8, OP_EVENTS_REF, MANY },
	{ "links", 10, OP_EVENTS_LINK, MANY },
	{ "strings", 11, TEXT, MANY },
	{ "clocks", 12, OP_EVENTS_CLOCK, MANY },
	{ "time_unix_nano", 16, F64, ONE },
	{ "duration_nanos", 17, I64, ONE },
	{ "comment_string_index", 18, U32, MANY },
	{ "time_unix_nanos", 16, F64, ONE },
	{ 0 },
};

static const struct op_events_field event[] = {
	{ "event_type_index", 1, U32, ONE },
	{ "stack_index", 2, U32, ONE },
	{ "link_index", 3, U32, ONE },
	{ "attribute_indices", 4, U32, MANY },
	{ "time", 5, I64, ONE },
	{ "duration", 6, U64, ONE },
	{ "value", 7, U64, ONE },
	{ "count", 8, U64, ONE },
	{ "sum", 9, U64, ONE },
	{ "attributes", 4, U32, MANY },
	{ 0 },
};

static const struct op_events_field event_type[] = {
	{ "name_string_index", 1, U32, ONE },
	{ "unit_string_index", 2, U32, ONE },
	{ "clock_index", 3, U32, ONE },
	{ "default_value", 4, U64, ONE },
	{ "attribute_indices", 7, U32, MANY },
	{ "clock_id", 3, U32, ONE },
	{ "attribute_incidices", 7, U32, MANY },
	{ "attributes", 7, U32, MANY },
	{ 0 },
};

static const struct op_events_field clock[] = {
	{ "frequency", 1, U64, ONE },
	{ "time_unix_nano", 2, F64, ONE },
	{ "attribute_indices", 3, U32, MANY },
	{ "time_unix_nanos", 2, F64, ONE },
	{ "attributes", 3, U32, MANY },
	{ 0 },
};

static const struct op_events_field stack[] = {
	{ "location_index", 1, U32, MANY },
	{ "location_indices", 1, U32, MANY },
	{ 0 },
};

static const struct op_events_field location[] = {
	{ "mapping_index", 1, U32, ONE },
	{ "address", 2, U64, ONE },
	{ "line", 3, OP_EVENTS_LINE, MANY },
	{ "is_folded", 4, BOOL, ONE },
	{ "type_string_index", 5, U32, ONE },
	{ "attribute_index", 6, U32, MANY },
	{ "attributes", 6, U32, MANY },
	{ 0 },
};

static const struct op_events_field line[] = {
	{ "function_index", 1, U32, ONE },
	{ "line", 2, I64, ONE },
	{ "column", 3, I64, ONE },
	{ 0 },
};

static const struct op_events_field function[] = {
	{ "id", 1, U64, ONE },
	{ "name_string_index", 2, U32, ONE },
	{ "system_name_string_index", 3, U32, ONE },
	{ "filename_string_index", 4, U32, ONE },
	{ "start_line", 5, I64, ONE },
	{ "name_string_uindex", 2, U32, ONE },
	{ 0 },
};

static const struct op_events_field mapping[] = {
	{ "memory_start", 1, U64, ONE },
	{ "memory_limit", 2, U64, ONE },
	{ "file_offset", 3, U64, ONE },
	{ "filename_string_index", 4, U32, ONE },
	{ "build_id_string_index", 5, U32, ONE },
	{ "build_id_kind", 6, OP_EVENTS_BUILD_ID_KIND, ONE },
	{ "attributes", 7, U64, MANY },
	{ "has_functions", 8, BOOL, ONE },
	{ "has_filenames", 9, BOOL, ONE },
	{ "has_line_numbers", 10, BOOL, ONE },
	{ "has_inline_frames", 11, BOOL, ONE },
	{ "attribute_indices", 7, U64, MANY },
	{ 0 },
};

static const struct op_events_field link[] = {
	{ "trace_id", 1, BYTES, ONE },
	{ "span_id", 2, BYTES, ONE },
	{ 0 },
};

static const struct op_events_field ref[] = {
	{ "key_string_index", 1, U32, ONE },
	{ "value", 2, OP_EVENTS_REF_ANY, ONE },
	{ "key_index", 1, U32, ONE },
	{ 0 },
};

static const struct op_events_field ref_any[] = {
	{ "string_index", 1, U32, ONE },
	{ "bool_value", 2, BOOL, ONE },
	{ "int_value", 3, I64, ONE },
	{ "double_value", 4, OP_EVENTS_DOUBLE, ONE },
	{ "array_value", 5, OP_EVENTS_REF_ARRAY, ONE },
	{ "kvlist_value", 6, OP_EVENTS_REF_KVLIST, ONE },
	{ "bytes_value", 7, BYTES, ONE },
	{ "key_index", 1, U32, ONE },
	{ 0 },
};

static const struct op_events_field ref_array[] = {
	{ "values", 1, OP_EVENTS_REF_ANY, MANY },
	{ 0 },
};

static const struct op_events_field ref_kvlist[] = {
	{ "values", 1, OP_EVENTS_REF, MANY },
	{ 0 },
};

const struct op_events_field *const op_events_fields[OP_EVENTS_NR_KINDS] = {
	[OP_EVENTS_DATA] = data,
	[OP_EVENTS_RESOURCE_PROFILES] = resource_profiles,
	[OP_EVENTS_SCOPE_PROFILES] = scope_profiles,
	[OP_EVENTS_RESOURCE] = resource,
	[OP_EVENTS_SCOPE] = scope,
	[OP_EVENTS_KEY_VALUE] = key_value,
	[OP_EVENTS_ANY] = any,
	[OP_EVENTS_ARRAY] = array,
	[OP_EVENTS_KVLIST] = kvlist,
	[OP_EVENTS_PROFILE] = profile,
	[OP_EVENTS_EVENT] = event,
	[OP_EVENTS_EVENT_TYPE] = event_type,
	[OP_EVENTS_CLOCK] = clock,
	[OP_EVENTS_STACK] = stack,
	[OP_EVENTS_LOCATION] = location,
	[OP_EVENTS_LINE] = line,
	[OP_EVENTS_FUNCTION] = function,
	[OP_EVENTS_MAPPING] = mapping,
	[OP_EVENTS_LINK] = link,
	[OP_EVENTS_REF] = ref,
	[OP_EVENTS_REF_ANY] = ref_any,
	[OP_EVENTS_REF_ARRAY] = ref_array,
	[OP_EVENTS_REF_KVLIST] = ref_kvlist,
};

const struct op_events_field *op_events_named(enum op_events_kind message,
					      struct op_view name)
{
	const struct op_events_field *f = op_events_fields[message];

	while (f->name && !op_view_is(name, f->name))
		f++;
	return f->name ? f : NULL;
}

const struct op_events_field *op_events_numbered(enum op_events_kind message,
						 uint32_t num)
{
	const struct op_events_field *f = op_events_fields[message];

	while (f->name && f->num != num)
		f++;
	return f->name ? f : NULL;
}
