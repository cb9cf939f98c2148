// SPDX-License-Identifier: Apache-2.0
/* cli/show_summary.c: the contents of a file in a few lines. */
#include <inttypes.h>
#include <string.h>

#include "base/printable.h"
#include "show.h"
#include "model/aggregate.h"
#include "model/any_text.h"

static const struct {
	enum op_table table;
	const char *name;
} tables[] = {
	{ OP_MAPPINGS, "mappings" },   { OP_LOCATIONS, "locations" },
	{ OP_FUNCTIONS, "functions" }, { OP_LINKS, "links" },
	{ OP_STRINGS, "strings" },     { OP_ATTRS, "attributes" },
	{ OP_STACKS, "stacks" },
};

static void kvs_text(struct show *s, struct op_kvs kvs, const char *indent)
{
	for (uint32_t i = 0; i < kvs.n; i++) {
		op_buf_z(&s->out, indent);
		text_word(&s->out, op_kv_key(s->m, &kvs.p[i]));
		op_buf_byte(&s->out, '=');
		text_any(&s->out, s->m, &kvs.p[i].value);
		op_buf_byte(&s->out, '\n');
	}
}

static void set_text(struct show *s, uint32_t set, const char *indent)
{
	struct op_ids ids = op_list(&s->m->dict.sets, set);

	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &s->m->dict.attrs[ids.p[i]];

		op_buf_z(&s->out, indent);
		text_word(&s->out, op_string(s->m, a->key));
		op_buf_byte(&s->out, '=');
		text_any(&s->out, s->m, &a->value);
		op_buf_byte(&s->out, '\n');
	}
}

static void type_text(struct show *s, struct op_value_type t)
{
	text_word(&s->out, op_string(s->m, t.type));
	op_buf_byte(&s->out, '/');
	text_word(&s->out, op_string(s->m, t.unit));
}

static void count_text(struct show *s, uint64_t n, const char *what)
{
	text_number(&s->out, (int64_t)n);
	op_buf_printf(&s->out, " %s%s", what, n == 1 ? "" : "s");
}

static void time_text(struct show *s, const struct op_profile *p)
{
	op_buf_z(&s->out, "\n      from ");
	if (op_profile_has_date(s->m, p))
		text_time(&s->out, p->time_ns);
	else
		op_buf_printf(&s->out, "%s s of its clock",
			      op_fixed_text((double)p->time_ns / 1e9, 3).s);
	op_buf_z(&s->out, " for ");
	text_duration(&s->out, p->duration_ns);
}

static void profile_text(struct show *s, const struct op_walk *w)
{
	const struct op_profile *p = w->profile;

	op_buf_printf(&s->out, "    profile %u.%u.%u: ", w->r, w->s, w->p);
	type_text(s, p->sample_type);
	op_buf_printf(&s->out, " (%s), ",
		      op_aggregator_name(op_aggregator_of(s->m, p)));
	count_text(s, p->nr_samples, "sample");
	op_buf_z(&s->out, ", ");
	count_text(s, op_profile_observations(p), "observation");
	op_buf_z(&s->out, ", total ");
	text_number(&s->out, op_profile_total(p));
	time_text(s, p);
	if (p->period) {
		op_buf_printf(&s->out, ", every %" PRId64 " ", p->period);
		type_text(s, p->period_type);
	}
	if (p->id_len) {
		op_buf_z(&s->out, "\n      id ");
		op_buf_hex(&s->out, op_view(p->id, sizeof(p->id)));
	}
	if (p->payload.n) {
		op_buf_z(&s->out, "\n      original payload: ");
		text_word(&s->out, p->payload_format);
		op_buf_z(&s->out, ", ");
		count_text(s, p->payload.n, "byte");
	}
	op_buf_byte(&s->out, '\n');
	set_text(s, p->attrs, "      ");
}

/* The length of a table's name: without the s for one row. */
static int word_length(const struct show *s, size_t i)
{
	int n = (int)strlen(tables[i].name);

	return s->m->dict.nr[tables[i].table] == 1 ? n - 1 : n;
}

static void file_text(struct show *s)
{
	const struct op_input *in = s->in;

	op_buf_printable(&s->out, op_view_z(s->file), "");
	op_buf_printf(&s->out, ": %s", in->format->name);
	if (s->m->dialect)
		op_buf_printf(&s->out, " %s", s->m->dialect);
	op_buf_z(&s->out, ", ");
	count_text(s, in->file_bytes, "byte");
	if (in->packing) {
		op_buf_printf(&s->out, " (%s, unpacked ", in->packing);
		text_number(&s->out, (int64_t)in->bytes.n);
		op_buf_byte(&s->out, ')');
	}
	op_buf_z(&s->out, "\ndictionary:");
	for (size_t i = 0; i < op_countof(tables); i++)
		op_buf_printf(&s->out, "%s %u %.*s", i ? "," : "",
			      s->m->dict.nr[tables[i].table], word_length(s, i),
			      tables[i].name);
	op_buf_byte(&s->out, '\n');
}

static void scope_text(struct show *s, uint32_t r, uint32_t n)
{
	const struct op_scope *scope = &s->m->resources[r].scopes[n];

	op_buf_printf(&s->out, "  scope %u.%u: ", r, n);
	op_quote(&s->out, scope->name);
	if (scope->version.n) {
		op_buf_byte(&s->out, ' ');
		op_quote(&s->out, scope->version);
	}
	op_buf_byte(&s->out, '\n');
	kvs_text(s, scope->attrs, "    ");
}

static void records_text(struct show *s)
{
	if (s->records.n)
		op_buf_printf(&s->out, "records: %9s %14s  type\n", "count",
			      "bytes");
	for (size_t i = 0; i < s->records.n; i++) {
		const struct show_record *r = &s->records.p[i];

		op_buf_printf(&s->out, "  %16" PRIu64 " %14" PRIu64 "  ",
			      r->count, r->bytes);
		text_name(&s->out, r->kind);
		op_buf_byte(&s->out, '\n');
	}
}

void show_summary(struct show *s)
{
	const struct op_model *m = s->m;

	file_text(s);
	records_text(s);
	for (uint32_t r = 0; r < m->nr_resources; r++) {
		const struct op_resource *res = &m->resources[r];
		struct op_walk w = { .resource = res, .r = r };

		op_buf_printf(&s->out, "resource %u\n", r);
		kvs_text(s, res->attrs, "  ");
		for (w.s = 0; w.s < res->nr_scopes; w.s++) {
			w.scope = &res->scopes[w.s];
			scope_text(s, r, w.s);
			for (w.p = 0; w.p < w.scope->nr_profiles; w.p++) {
				w.profile = &w.scope->profiles[w.p];
				if (show_selects(s, w.profile))
					profile_text(s, &w);
			}
		}
	}
}

/* --- the same as JSON --- */

static void kvs_json(struct op_json *w, const struct op_model *m,
		     struct op_kvs kvs)
{
	op_json_key(w, "attributes");
	op_json_open(w, '{');
	for (uint32_t i = 0; i < kvs.n; i++) {
		op_json_key_view(w, op_kv_key(m, &kvs.p[i]));
		op_any_json(w, m, &kvs.p[i].value);
	}
	op_json_close(w, '}');
}

static void set_json(struct op_json *w, const struct op_model *m, uint32_t set)
{
	struct op_ids ids = op_list(&m->dict.sets, set);

	op_json_key(w, "attributes");
	op_json_open(w, '{');
	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[i]];

		op_json_key_view(w, op_string(m, a->key));
		op_any_json(w, m, &a->value);
	}
	op_json_close(w, '}');
}

static void key_view(struct op_json *w, const char *key, struct op_view v)
{
	op_json_key(w, key);
	op_json_string(w, v);
}

static void key_uint(struct op_json *w, const char *key, uint64_t v)
{
	op_json_key(w, key);
	op_json_uint(w, v);
}

static void key_int(struct op_json *w, const char *key, int64_t v)
{
	op_json_key(w, key);
	op_json_int(w, v);
}

static void profile_json(struct op_json *w, const struct op_model *m,
			 const struct op_profile *p)
{
	op_json_open(w, '{');
	key_view(w, "type", op_string(m, p->sample_type.type));
	key_view(w, "unit", op_string(m, p->sample_type.unit));
	op_json_key(w, "aggregator");
	op_json_z(w, op_aggregator_name(op_aggregator_of(m, p)));
	key_view(w, "period_type", op_string(m, p->period_type.type));
	key_view(w, "period_unit", op_string(m, p->period_type.unit));
	key_int(w, "period", p->period);
	key_uint(w, "time_unix_nano", p->time_ns);
	key_uint(w, "duration_nano", p->duration_ns);
	op_json_key(w, "profile_id");
	op_json_hex(w, op_view(p->id, p->id_len ? sizeof(p->id) : 0));
	key_uint(w, "dropped_attributes_count", p->dropped_attrs);
	key_view(w, "original_payload_format", p->payload_format);
	key_uint(w, "original_payload_bytes", p->payload.n);
	key_uint(w, "samples", p->nr_samples);
	key_uint(w, "observations", op_profile_observations(p));
	key_int(w, "total", op_profile_total(p));
	set_json(w, m, p->attrs);
	op_json_close(w, '}');
}

static void scope_json(struct show *s, struct op_json *w,
		       const struct op_scope *scope)
{
	op_json_open(w, '{');
	key_view(w, "name", scope->name);
	key_view(w, "version", scope->version);
	key_view(w, "schema_url", scope->schema_url);
	key_uint(w, "dropped_attributes_count", scope->dropped_attrs);
	kvs_json(w, s->m, scope->attrs);
	op_json_key(w, "profiles");
	op_json_open(w, '[');
	for (uint32_t i = 0; i < scope->nr_profiles; i++)
		if (show_selects(s, &scope->profiles[i]))
			profile_json(w, s->m, &scope->profiles[i]);
	op_json_close(w, ']');
	op_json_close(w, '}');
}

static void resource_json(struct show *s, struct op_json *w,
			  const struct op_resource *r)
{
	op_json_open(w, '{');
	kvs_json(w, s->m, r->attrs);
	key_view(w, "schema_url", r->schema_url);
	key_uint(w, "dropped_attributes_count", r->dropped_attrs);
	op_json_key(w, "scopes");
	op_json_open(w, '[');
	for (uint32_t i = 0; i < r->nr_scopes; i++)
		scope_json(s, w, &r->scopes[i]);
	op_json_close(w, ']');
	op_json_close(w, '}');
}

static void records_json(const struct show *s, struct op_json *w)
{
	if (!s->records.n)
		return;
	op_json_key(w, "records");
	op_json_open(w, '[');
	for (size_t i = 0; i < s->records.n; i++) {
		op_json_open(w, '{');
		key_view(w, "type", s->records.p[i].kind);
		key_uint(w, "count", s->records.p[i].count);
		key_uint(w, "bytes", s->records.p[i].bytes);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

void show_summary_json(struct show *s)
{
	struct op_json w = { .out = &s->out, .pretty = true };
	const struct op_model *m = s->m;

	op_json_open(&w, '{');
	op_json_key(&w, "file");
	op_json_z(&w, s->file);
	op_json_key(&w, "format");
	op_json_z(&w, s->in->format->name);
	op_json_key(&w, "dialect");
	op_json_z(&w, m->dialect);
	op_json_key(&w, "doubt");
	if (m->dialect_note)
		op_json_z(&w, m->dialect_note);
	else
		op_json_null(&w);
	op_json_key(&w, "packing");
	if (s->in->packing)
		op_json_z(&w, s->in->packing);
	else
		op_json_null(&w);
	key_uint(&w, "file_bytes", s->in->file_bytes);
	key_uint(&w, "bytes", s->in->bytes.n);
	op_json_key(&w, "dictionary");
	op_json_open(&w, '{');
	for (size_t i = 0; i < op_countof(tables); i++)
		key_uint(&w, tables[i].name, m->dict.nr[tables[i].table]);
	op_json_close(&w, '}');
	records_json(s, &w);
	op_json_key(&w, "resources");
	op_json_open(&w, '[');
	for (uint32_t r = 0; r < m->nr_resources; r++)
		resource_json(s, &w, &m->resources[r]);
	op_json_close(&w, ']');
	op_json_close(&w, '}');
	op_buf_byte(&s->out, '\n');
}
