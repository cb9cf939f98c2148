// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/sniff.c: telling logs of profiles from other files.
 *
 * The messages around log records and around profiles are alike up to the
 * record, and a profile may be in a scope of the same name. What a record and
 * a profile have in the same fields differs in wire type. */
#include "pb/json_extract.h"
#include "fmt/logs/fields.h"
#include "fmt/splunk/splunk_int.h"

enum { SURE = 95 };

struct found {
	bool is_record; /* there is something that can only be a record */
	bool is_ours;	/* it is of a profile */
	bool is_pprof;
};

static bool has_text(struct op_view v, const char *text)
{
	return v.n && memmem(v.p, v.n, text, strlen(text));
}

/* The wire type that a field of a record has. */
static bool wire_fits(const struct op_pb_field *f)
{
	switch (f->num) {
	case LOG_TIME:
	case LOG_OBSERVED:
		return f->wire == OP_PB_I64;
	case LOG_SEVERITY:
	case LOG_DROPPED:
		return f->wire == OP_PB_VARINT;
	case LOG_FLAGS:
		return f->wire == OP_PB_I32;
	default:
		return f->num > LOG_EVENT_NAME || f->wire == OP_PB_LEN;
	}
}

static bool is_record(struct op_view msg, struct found *out)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f;
	bool has_any = false;

	while (op_pb_next(&c, &f)) {
		if (!wire_fits(&f))
			return false;
		has_any |= f.num == LOG_TIME || f.num == LOG_ATTRIBUTES ||
			   f.num == LOG_OBSERVED;
		if (f.num != LOG_ATTRIBUTES)
			continue;
		out->is_ours |= has_text(f.bytes, SPLUNK_SOURCETYPE) &&
				has_text(f.bytes, SPLUNK_SCOPE);
		out->is_pprof |= has_text(f.bytes, SPLUNK_DATA_FORMAT) &&
				 has_text(f.bytes, SPLUNK_PPROF);
	}
	return !err.code && has_any;
}

static bool named_ours(struct op_view scope)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(scope, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(SCOPE_NAME, OP_PB_LEN) &&
		    op_view_is(f.bytes, SPLUNK_SCOPE))
			return true;
	return false;
}

/* Our own head, where there is no record at all. */
static bool has_head(struct op_view scope)
{
	return named_ours(scope) && has_text(scope, SPLUNK_HEAD);
}

/* False: this is none. */
static bool scope_look(struct op_view msg, struct found *out)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.num <= SCOPE_LOGS_SCHEMA_URL && f.wire != OP_PB_LEN)
			return false;
		if (f.num == SCOPE_LOGS_SCOPE) {
			out->is_ours |= named_ours(f.bytes);
			out->is_record |= has_head(f.bytes);
		}
		if (f.num != SCOPE_LOGS_RECORDS)
			continue;
		if (!is_record(f.bytes, out))
			return false;
		out->is_record = true;
		if (out->is_ours)
			break;
	}
	return !err.code;
}

static bool resource_look(struct op_view msg, struct found *out)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		bool is_scope = f.num == RESOURCE_LOGS_SCOPES ||
				f.num == RESOURCE_LOGS_LIBRARIES;

		if (f.num <= RESOURCE_LOGS_SCHEMA_URL && f.wire != OP_PB_LEN)
			return false;
		if (is_scope && !scope_look(f.bytes, out))
			return false;
		if (out->is_ours && out->is_record)
			break;
	}
	return !err.code;
}

static int wire_sniff(struct op_view in, struct found *out)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) != OP_PB(LOGS_RESOURCE_LOGS, OP_PB_LEN) ||
		    !resource_look(f.bytes, out))
			return 0;
		if (out->is_ours && out->is_record)
			return SURE;
	}
	return 0;
}

static int json_sniff(struct op_view in, struct found *out)
{
	enum { FIRST = 1 << 20 };
	struct op_view value,
		first = op_view(in.p, in.n < FIRST ? in.n : FIRST);

	if ((!op_json_sniff_key(in, "resourceLogs", &value) &&
	     !op_json_sniff_key(in, "resource_logs", &value)) ||
	    !has_text(first, SPLUNK_SCOPE))
		return 0;
	out->is_pprof = has_text(first, SPLUNK_PPROF);
	return SURE;
}

int op_splunk_sniff(struct op_view in, bool *is_pprof)
{
	struct found found = { 0 };
	struct op_err ignored = { 0 };
	struct op_view msg;
	size_t at = 0;
	int score = 0;

	if (op_splunk_next(in, &at, &msg, &ignored))
		score = wire_sniff(msg, &found);
	/* A message too may begin with a line feed, as white space does. */
	if (!score)
		score = json_sniff(in, &found);
	*is_pprof = found.is_pprof;
	return score;
}
