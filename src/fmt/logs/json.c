// SPDX-License-Identifier: Apache-2.0
/* fmt/logs/json.c: OTLP logs as JSON. It is read by way of protobuf, as
 * profiles are (fmt/otlp_json); written straight from the structs. */
#include "fmt/logs/logs.h"

#include "fmt/otlp_json/common.h"
#include "fmt/otlp_json/transcode.h"

static void id_field(struct op_json *w, const char *key, struct op_view v,
		     size_t want)
{
	if (v.n != want)
		return;
	op_json_key(w, key);
	op_json_hex(w, v);
}

/* --- messages --- */

static void record_write(struct op_json *w, const struct op_log *r,
			 const struct op_model *strings)
{
	op_json_open(w, '{');
	op_json_uint64_field(w, "timeUnixNano", r->time_ns);
	op_json_uint64_field(w, "observedTimeUnixNano", r->observed_ns);
	if (r->severity) {
		op_json_key(w, "severityNumber");
		op_json_int(w, r->severity);
	}
	op_json_text_field(w, "severityText", r->severity_text);
	op_json_text_field(w, "name", r->name);
	if (r->body.kind != OP_ANY_NONE) {
		op_json_key(w, "body");
		op_otlp_json_any(w, &r->body, strings);
	}
	op_otlp_json_kvs(w, "attributes", r->attrs, strings);
	op_json_uint_field(w, "droppedAttributesCount", r->dropped_attrs);
	op_json_uint_field(w, "flags", r->flags);
	id_field(w, "traceId", r->trace_id, 16);
	id_field(w, "spanId", r->span_id, 8);
	op_json_text_field(w, "eventName", r->event_name);
	op_json_close(w, '}');
}

static void scope_write(struct op_json *w, const struct op_log_scope *s,
			const struct op_model *strings)
{
	op_json_open(w, '{');
	op_otlp_json_scope(w, &s->head, strings);
	if (s->nr_records) {
		op_json_field_open(w, "logRecords", '[');
		for (uint32_t i = 0; i < s->nr_records; i++)
			record_write(w, &s->records[i], strings);
		op_json_close(w, ']');
	}
	op_json_text_field(w, "schemaUrl", s->head.schema_url);
	op_json_close(w, '}');
}

static void resource_write(struct op_json *w, const struct op_log_resource *r,
			   const struct op_model *strings)
{
	op_json_open(w, '{');
	op_otlp_json_resource(w, &r->head, strings);
	if (r->nr_scopes) {
		op_json_field_open(w, "scopeLogs", '[');
		for (uint32_t i = 0; i < r->nr_scopes; i++)
			scope_write(w, &r->scopes[i], strings);
		op_json_close(w, ']');
	}
	op_json_text_field(w, "schemaUrl", r->head.schema_url);
	op_json_close(w, '}');
}

void op_logs_json(const struct op_logs *l, const struct op_model *strings,
		  struct op_json *w)
{
	op_json_open(w, '{');
	if (l->nr_resources) {
		op_json_field_open(w, "resourceLogs", '[');
		for (uint32_t i = 0; i < l->nr_resources; i++)
			resource_write(w, &l->resources[i], strings);
		op_json_close(w, ']');
	}
	op_json_close(w, '}');
}

int op_logs_to_json(struct op_view message, struct op_buf *out,
		    struct op_err *err)
{
	struct op_json w = { .out = out };
	struct op_logs l = { 0 };

	if (!op_logs_decode(&l, message, err))
		op_logs_json(&l, NULL, &w);
	op_logs_free(&l);
	return err->code ? err->code : out->err->code;
}

/* --- reading --- */

int op_logs_from_json(struct op_json_in *in, struct op_buf *out)
{
	struct op_json_wire w = { .out = *out, .root = LOGS_DATA };

	if (op_json_peek(in) != '{')
		op_json_bad(in, in->p, "expected a JSON object");
	else
		op_json_transcode(in, &w);
	*out = w.out;
	return in->err->code;
}

const uint8_t *op_logs_json_place(struct op_json_in in, uint64_t at)
{
	struct op_json_wire w = { .root = LOGS_DATA };

	op_json_peek(&in);
	return op_json_place(in, &w, at);
}
