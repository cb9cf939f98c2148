// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/schema.c: the keys of every message.
 *
 * A row is name, kind, one value or a list of them, and the field numbers in
 * v1.10, v1.8, v1.7, v1.6, v1.5 and v1.4. Keys stand in the order in which
 * writers write them, those that only older releases have at the end. samples
 * and lines, which older releases call sample and line, are taken in all.
 */
#include "fmt/otlp_json/schema.h"

static const struct op_json_field data[] = {
	{ "resourceProfiles", RESOURCE_PROFILES, LIST, { 1, 1, 1, 1, 1, 1 } },
	{ "dictionary", DICTIONARY, ONE, { 2, 2, 2 } },
	{ "mappingTable", MAPPING, LIST, { 0, 0, 0, 2 } },
	{ "locationTable", LOCATION, LIST, { 0, 0, 0, 3 } },
	{ "functionTable", FUNCTION, LIST, { 0, 0, 0, 4 } },
	{ "linkTable", LINK, LIST, { 0, 0, 0, 5 } },
	{ "stringTable", STRING, LIST, { 0, 0, 0, 6 } },
	{ "attributeTable", ATTRIBUTE, LIST, { 0, 0, 0, 7 } },
	{ "attributeUnits", UNIT, LIST, { 0, 0, 0, 8 } },
};

static const struct op_json_field dictionary[] = {
	{ "mappingTable", MAPPING, LIST, { 1, 1, 1 } },
	{ "locationTable", LOCATION, LIST, { 2, 2, 2 } },
	{ "functionTable", FUNCTION, LIST, { 3, 3, 3 } },
	{ "linkTable", LINK, LIST, { 4, 4, 4 } },
	{ "stringTable", STRING, LIST, { 5, 5, 5 } },
	{ "attributeTable", ATTRIBUTE, LIST, { 6, 6, 6 } },
	{ "stackTable", STACK, LIST, { 7, 7 } },
	{ "attributeUnits", UNIT, LIST, { 0, 0, 7 } },
};

static const struct op_json_field resource_profiles[] = {
	{ "resource", RESOURCE, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "scopeProfiles", SCOPE_PROFILES, LIST, { 2, 2, 2, 2, 2, 2 } },
	{ "schemaUrl", STRING, ONE, { 3, 3, 3, 3, 3, 3 } },
};

static const struct op_json_field scope_profiles[] = {
	{ "scope", SCOPE, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "profiles", PROFILE, LIST, { 2, 2, 2, 2, 2, 2 } },
	{ "schemaUrl", STRING, ONE, { 3, 3, 3, 3, 3, 3 } },
};

static const struct op_json_field profile[] = {
	{ "sampleType", VALUE_TYPE, LIST, { 1, 1, 1, 1, 1, 1 } },
	{ "samples", SAMPLE, LIST, { 2, 2, 2, 2, 2, 2 } },
	{ "timeUnixNano", FIXED64, ONE, { 3, 3 } },
	{ "durationNano", UINT64, ONE, { 4, 4 } },
	{ "periodType", VALUE_TYPE, ONE, { 5, 5, 6, 6, 13, 13 } },
	{ "period", INT64, ONE, { 6, 6, 7, 7, 14, 14 } },
	{ "profileId", PROFILE_ID, ONE, { 7, 8, 10, 10, 17, 17 } },
	{ "droppedAttributesCount", UINT32, ONE, { 8, 9, 11, 11, 19, 19 } },
	{ "originalPayloadFormat", STRING, ONE, { 9, 10, 12, 12, 20, 20 } },
	{ "originalPayload", BYTES, ONE, { 10, 11, 13, 13, 21, 21 } },
	{ "attributeIndices", INT32, LIST, { 11, 12, 14, 14, 22 } },
	{ "sample", SAMPLE, LIST, { 0, 2, 2, 2, 2, 2 } },
	{ "commentStrindices", INT32, LIST, { 0, 7, 8, 8, 15, 15 } },
	{ "locationIndices", INT32, LIST, { 0, 0, 3, 3, 5, 5 } },
	{ "timeNanos", INT64, ONE, { 0, 0, 4, 4, 11, 11 } },
	{ "durationNanos", INT64, ONE, { 0, 0, 5, 5, 12, 12 } },
	{ "defaultSampleTypeIndex", INT32, ONE, { 0, 0, 9, 9 } },
	{ "defaultSampleTypeStrindex", INT32, ONE, { 0, 0, 0, 0, 16, 16 } },
	{ "attributes", KEY_VALUE, LIST, { 0, 0, 0, 0, 0, 18 } },
	{ "mappingTable", MAPPING, LIST, { 0, 0, 0, 0, 3, 3 } },
	{ "locationTable", LOCATION, LIST, { 0, 0, 0, 0, 4, 4 } },
	{ "functionTable", FUNCTION, LIST, { 0, 0, 0, 0, 6, 6 } },
	{ "attributeTable", ATTRIBUTE, LIST, { 0, 0, 0, 0, 7, 7 } },
	{ "attributeUnits", UNIT, LIST, { 0, 0, 0, 0, 8, 8 } },
	{ "linkTable", LINK, LIST, { 0, 0, 0, 0, 9, 9 } },
	{ "stringTable", STRING, LIST, { 0, 0, 0, 0, 10, 10 } },
};

static const struct op_json_field sample[] = {
	{ "stackIndex", INT32, ONE, { 1, 1 } },
	{ "attributeIndices", INT32, LIST, { 2, 3, 4, 4, 4, 4 } },
	{ "linkIndex", INT32, ONE, { 3, 4, 5, 5, 5, 5 } },
	{ "values", INT64, LIST, { 4, 2 } },
	{ "timestampsUnixNano", TIMES, LIST, { 5, 5, 6, 6, 6, 6 } },
	{ "locationsStartIndex", INT32, ONE, { 0, 0, 1, 1, 1, 1 } },
	{ "locationsLength", INT32, ONE, { 0, 0, 2, 2, 2, 2 } },
	{ "value", INT64, LIST, { 0, 0, 3, 3, 3, 3 } },
};

/* type and unit are what some converters write. */
static const struct op_json_field value_type[] = {
	{ "typeStrindex", INT32, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "unitStrindex", INT32, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "aggregationTemporality", TEMPORALITY, ONE, { 0, 3, 3, 3, 3, 3 } },
	{ "type", INT32, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "unit", INT32, ONE, { 2, 2, 2, 2, 2, 2 } },
};

static const struct op_json_field mapping[] = {
	{ "memoryStart", UINT64, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "memoryLimit", UINT64, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "fileOffset", UINT64, ONE, { 3, 3, 3, 3, 3, 3 } },
	{ "filenameStrindex", INT32, ONE, { 4, 4, 4, 4, 4, 4 } },
	{ "attributeIndices", INT32, LIST, { 5, 5, 5, 5, 5, 5 } },
	{ "hasFunctions", BOOL, ONE, { 0, 0, 6, 6, 6, 6 } },
	{ "hasFilenames", BOOL, ONE, { 0, 0, 7, 7, 7, 7 } },
	{ "hasLineNumbers", BOOL, ONE, { 0, 0, 8, 8, 8, 8 } },
	{ "hasInlineFrames", BOOL, ONE, { 0, 0, 9, 9, 9, 9 } },
};

static const struct op_json_field location[] = {
	{ "mappingIndex", INT32, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "address", UINT64, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "lines", LINE, LIST, { 3, 3, 3, 3, 3, 3 } },
	{ "attributeIndices", INT32, LIST, { 4, 4, 5, 5, 5, 5 } },
	{ "line", LINE, LIST, { 0, 3, 3, 3, 3, 3 } },
	{ "isFolded", BOOL, ONE, { 0, 0, 4, 4, 4, 4 } },
};

static const struct op_json_field line[] = {
	{ "functionIndex", INT32, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "line", INT64, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "column", INT64, ONE, { 3, 3, 3, 3, 3, 3 } },
};

static const struct op_json_field function[] = {
	{ "nameStrindex", INT32, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "systemNameStrindex", INT32, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "filenameStrindex", INT32, ONE, { 3, 3, 3, 3, 3, 3 } },
	{ "startLine", INT64, ONE, { 4, 4, 4, 4, 4, 4 } },
};

static const struct op_json_field link[] = {
	{ "traceId", TRACE_ID, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "spanId", SPAN_ID, ONE, { 2, 2, 2, 2, 2, 2 } },
};

static const struct op_json_field stack[] = {
	{ "locationIndices", INT32, LIST, { 1, 1 } },
};

/* KeyValueAndUnit; up to v1.7 KeyValue. */
static const struct op_json_field attribute[] = {
	{ "keyStrindex", INT32, ONE, { 1, 1 } },
	{ "value", ANY, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "unitStrindex", INT32, ONE, { 3, 3 } },
	{ "key", STRING, ONE, { 0, 0, 1, 1, 1, 1 } },
};

static const struct op_json_field unit[] = {
	{ "attributeKeyStrindex", INT32, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "unitStrindex", INT32, ONE, { 2, 2, 2, 2, 2, 2 } },
};

static const struct op_json_field key_value[] = {
	{ "key", STRING, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "value", ANY, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "keyStrindex", INT32, ONE, { 3, 3 } },
};

static const struct op_json_field any[] = {
	{ "stringValue", STRING, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "boolValue", BOOL, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "intValue", INT64, ONE, { 3, 3, 3, 3, 3, 3 } },
	{ "doubleValue", DOUBLE, ONE, { 4, 4, 4, 4, 4, 4 } },
	{ "arrayValue", ARRAY, ONE, { 5, 5, 5, 5, 5, 5 } },
	{ "kvlistValue", KVLIST, ONE, { 6, 6, 6, 6, 6, 6 } },
	{ "bytesValue", BYTES, ONE, { 7, 7, 7, 7, 7, 7 } },
	{ "stringValueStrindex", INT32, ONE, { 8, 8 } },
};

static const struct op_json_field array[] = {
	{ "values", ANY, LIST, { 1, 1, 1, 1, 1, 1 } },
};

static const struct op_json_field kvlist[] = {
	{ "values", KEY_VALUE, LIST, { 1, 1, 1, 1, 1, 1 } },
};

static const struct op_json_field scope[] = {
	{ "name", STRING, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "version", STRING, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "attributes", KEY_VALUE, LIST, { 3, 3, 3, 3, 3, 3 } },
	{ "droppedAttributesCount", UINT32, ONE, { 4, 4, 4, 4, 4, 4 } },
};

static const struct op_json_field resource[] = {
	{ "attributes", KEY_VALUE, LIST, { 1, 1, 1, 1, 1, 1 } },
	{ "droppedAttributesCount", UINT32, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "entityRefs", ENTITY, LIST, { 3, 3, 3, 3, 3, 3 } },
};

static const struct op_json_field entity[] = {
	{ "schemaUrl", STRING, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "type", STRING, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "idKeys", STRING, LIST, { 3, 3, 3, 3, 3, 3 } },
	{ "descriptionKeys", STRING, LIST, { 4, 4, 4, 4, 4, 4 } },
};

/* Logs: what was called an instrumentation library is a scope of the same
 * fields. */
static const struct op_json_field logs_data[] = {
	{ "resourceLogs", LOG_RESOURCE, LIST, { 1, 1, 1, 1, 1, 1 } },
};

static const struct op_json_field resource_logs[] = {
	{ "resource", RESOURCE, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "scopeLogs", LOG_SCOPE, LIST, { 2, 2, 2, 2, 2, 2 } },
	{ "schemaUrl", STRING, ONE, { 3, 3, 3, 3, 3, 3 } },
	{ "instrumentationLibraryLogs", LOG_SCOPE, LIST, { 2, 2, 2, 2, 2, 2 } },
};

static const struct op_json_field scope_logs[] = {
	{ "scope", SCOPE, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "logRecords", LOG_RECORD, LIST, { 2, 2, 2, 2, 2, 2 } },
	{ "schemaUrl", STRING, ONE, { 3, 3, 3, 3, 3, 3 } },
	{ "instrumentationLibrary", SCOPE, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "logs", LOG_RECORD, LIST, { 2, 2, 2, 2, 2, 2 } },
};

static const struct op_json_field log_record[] = {
	{ "timeUnixNano", FIXED64, ONE, { 1, 1, 1, 1, 1, 1 } },
	{ "observedTimeUnixNano", FIXED64, ONE, { 11, 11, 11, 11, 11, 11 } },
	{ "severityNumber", SEVERITY, ONE, { 2, 2, 2, 2, 2, 2 } },
	{ "severityText", STRING, ONE, { 3, 3, 3, 3, 3, 3 } },
	{ "name", STRING, ONE, { 4, 4, 4, 4, 4, 4 } },
	{ "body", ANY, ONE, { 5, 5, 5, 5, 5, 5 } },
	{ "attributes", KEY_VALUE, LIST, { 6, 6, 6, 6, 6, 6 } },
	{ "droppedAttributesCount", UINT32, ONE, { 7, 7, 7, 7, 7, 7 } },
	{ "flags", FIXED32, ONE, { 8, 8, 8, 8, 8, 8 } },
	{ "traceId", TRACE_ID, ONE, { 9, 9, 9, 9, 9, 9 } },
	{ "spanId", SPAN_ID, ONE, { 10, 10, 10, 10, 10, 10 } },
	{ "eventName", STRING, ONE, { 12, 12, 12, 12, 12, 12 } },
};

const struct op_json_message op_json_messages[NR_KINDS] = {
	[DATA] = { data, op_countof(data) },
	[DICTIONARY] = { dictionary, op_countof(dictionary) },
	[RESOURCE_PROFILES] = { resource_profiles,
				op_countof(resource_profiles) },
	[SCOPE_PROFILES] = { scope_profiles, op_countof(scope_profiles) },
	[PROFILE] = { profile, op_countof(profile) },
	[SAMPLE] = { sample, op_countof(sample) },
	[VALUE_TYPE] = { value_type, op_countof(value_type) },
	[MAPPING] = { mapping, op_countof(mapping) },
	[LOCATION] = { location, op_countof(location) },
	[LINE] = { line, op_countof(line) },
	[FUNCTION] = { function, op_countof(function) },
	[LINK] = { link, op_countof(link) },
	[STACK] = { stack, op_countof(stack) },
	[ATTRIBUTE] = { attribute, op_countof(attribute) },
	[UNIT] = { unit, op_countof(unit) },
	[KEY_VALUE] = { key_value, op_countof(key_value) },
	[ANY] = { any, op_countof(any) },
	[ARRAY] = { array, op_countof(array) },
	[KVLIST] = { kvlist, op_countof(kvlist) },
	[SCOPE] = { scope, op_countof(scope) },
	[RESOURCE] = { resource, op_countof(resource) },
	[ENTITY] = { entity, op_countof(entity) },
	[LOGS_DATA] = { logs_data, op_countof(logs_data) },
	[LOG_RESOURCE] = { resource_logs, op_countof(resource_logs) },
	[LOG_SCOPE] = { scope_logs, op_countof(scope_logs) },
	[LOG_RECORD] = { log_record, op_countof(log_record) },
};

const struct op_dialect *op_json_dialect(enum op_json_layout layout)
{
	static const struct op_dialect *const dialects[] = {
		[OP_JSON_TODAY] = &op_dialect_v1_10,
		[OP_JSON_V1_8] = &op_dialect_v1_8,
		[OP_JSON_V1_7] = &op_dialect_v1_7,
		[OP_JSON_V1_6] = &op_dialect_v1_6,
		[OP_JSON_V1_5] = &op_dialect_v1_5,
		[OP_JSON_V1_4] = &op_dialect_v1_4,
	};

	return dialects[layout];
}

op_inline bool is_named(const struct op_json_field *f, struct op_view key)
{
	return !f->name[key.n] && !memcmp(f->name, key.p, key.n);
}

static int find(const struct op_json_message *m, struct op_view key,
		unsigned int hint)
{
	for (unsigned int i = hint; i < m->nr; i++)
		if (is_named(&m->fields[i], key))
			return (int)i;
	for (unsigned int i = 0; i < hint && i < m->nr; i++)
		if (is_named(&m->fields[i], key))
			return (int)i;
	return -1;
}

/* stack_index as stackIndex. */
static size_t to_camel(struct op_view key, uint8_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < key.n; i++) {
		uint8_t c = key.p[i];

		if (c == '_' && i + 1 < key.n && key.p[i + 1] >= 'a' &&
		    key.p[i + 1] <= 'z')
			c = (uint8_t)(key.p[++i] - 'a' + 'A');
		out[n++] = c;
	}
	return n;
}

int op_json_field_find(const struct op_json_message *m, struct op_view key,
		       unsigned int hint)
{
	uint8_t name[OP_JSON_NAME];
	int i;

	if (!key.n || key.n >= sizeof(name))
		return -1;
	i = find(m, key, hint);
	if (i >= 0 || !memchr(key.p, '_', key.n))
		return i;
	return find(m, op_view(name, to_camel(key, name)), hint);
}
