// SPDX-License-Identifier: Apache-2.0
/* fmt/logs/decode.c: OTLP logs from protobuf.
 *
 * Rows are counted before they are read, so that each list is allocated once.
 * What logs share with profiles is read by the decoder of those. */
#include "fmt/logs/logs.h"

#include "fmt/logs/fields.h"
#include "fmt/wire/wire.h"

static uint32_t count(struct op_cur c, uint32_t num)
{
	struct op_pb_field f;
	uint32_t n = 0;

	while (op_pb_next(&c, &f))
		n += op_pb_key(&f) == OP_PB(num, OP_PB_LEN) && n < UINT32_MAX;
	return n;
}

/* style: long: one case a field */
static void record_field(struct op_wire *w, struct op_cur c,
			 const struct op_pb_field *f, struct op_log *out)
{
	switch (op_pb_key(f)) {
	case OP_PB(LOG_TIME, OP_PB_I64):
		out->time_ns = f->v;
		break;
	case OP_PB(LOG_OBSERVED, OP_PB_I64):
		out->observed_ns = f->v;
		break;
	case OP_PB(LOG_SEVERITY, OP_PB_VARINT):
		out->severity = (int32_t)f->v;
		break;
	case OP_PB(LOG_SEVERITY_TEXT, OP_PB_LEN):
		out->severity_text = f->bytes;
		break;
	case OP_PB(LOG_NAME, OP_PB_LEN):
		out->name = f->bytes;
		break;
	case OP_PB(LOG_BODY, OP_PB_LEN):
		op_wire_any(w, c, &out->body, 0);
		break;
	case OP_PB(LOG_ATTRIBUTES, OP_PB_LEN):
		op_wire_kv_add(w, c, &out->attrs, 0);
		break;
	case OP_PB(LOG_DROPPED, OP_PB_VARINT):
		out->dropped_attrs = (uint32_t)f->v;
		break;
	case OP_PB(LOG_FLAGS, OP_PB_I32):
		out->flags = (uint32_t)f->v;
		break;
	case OP_PB(LOG_TRACE_ID, OP_PB_LEN):
		out->trace_id = f->bytes;
		break;
	case OP_PB(LOG_SPAN_ID, OP_PB_LEN):
		out->span_id = f->bytes;
		break;
	case OP_PB(LOG_EVENT_NAME, OP_PB_LEN):
		out->event_name = f->bytes;
		break;
	}
}

static void record(struct op_wire *w, struct op_cur c, struct op_log *out)
{
	struct op_pb_field f;

	out->at = c.p;
	while (op_pb_next(&c, &f))
		record_field(w, op_pb_sub(&c, &f), &f, out);
}

static void scope_logs(struct op_wire *w, struct op_cur c,
		       struct op_log_scope *out)
{
	uint32_t nr = count(c, SCOPE_LOGS_RECORDS);
	struct op_pb_field f;

	out->records = op_new(w->mem, struct op_log, nr);
	if (!out->records)
		return;
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		switch (op_pb_key(&f)) {
		case OP_PB(SCOPE_LOGS_SCOPE, OP_PB_LEN):
			out->bytes = f.bytes;
			op_wire_scope(w, sub, &out->head);
			break;
		case OP_PB(SCOPE_LOGS_RECORDS, OP_PB_LEN):
			record(w, sub, &out->records[out->nr_records++]);
			break;
		case OP_PB(SCOPE_LOGS_SCHEMA_URL, OP_PB_LEN):
			out->head.schema_url = f.bytes;
			break;
		}
	}
}

static void resource_logs(struct op_wire *w, struct op_cur c,
			  struct op_log_resource *out)
{
	/* A sender that writes both means the same by them. */
	uint32_t nr = count(c, RESOURCE_LOGS_SCOPES);
	uint32_t num = nr ? RESOURCE_LOGS_SCOPES : RESOURCE_LOGS_LIBRARIES;
	struct op_pb_field f;

	if (!nr)
		nr = count(c, num);
	out->scopes = op_new(w->mem, struct op_log_scope, nr);
	if (!out->scopes)
		return;
	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (f.wire != OP_PB_LEN)
			continue;
		if (f.num == num) {
			scope_logs(w, sub, &out->scopes[out->nr_scopes++]);
		} else if (f.num == RESOURCE_LOGS_RESOURCE) {
			out->bytes = f.bytes;
			op_wire_resource(w, sub, &out->head);
		} else if (f.num == RESOURCE_LOGS_SCHEMA_URL) {
			out->head.schema_url = f.bytes;
		}
	}
}

int op_logs_decode(struct op_logs *l, struct op_view msg, struct op_err *err)
{
	struct op_wire w = { .mem = &l->mem, .err = err };
	struct op_cur c = op_cur(msg, err);
	struct op_pb_field f;

	op_arena_tells(&l->mem, err);
	l->resources = op_new(&l->mem, struct op_log_resource,
			      count(c, LOGS_RESOURCE_LOGS));
	if (!l->resources)
		return err->code;
	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(LOGS_RESOURCE_LOGS, OP_PB_LEN))
			resource_logs(&w, op_pb_sub(&c, &f),
				      &l->resources[l->nr_resources++]);
	return err->code;
}

void op_logs_free(struct op_logs *l)
{
	op_arena_free(&l->mem);
	*l = (struct op_logs){ 0 };
}
