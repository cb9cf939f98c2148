// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/write.c: the model as OTLP/JSON of today's release.
 *
 * Straight from the model, through a buffer of fixed size. Zero values are
 * left out as proto3 has it, but never a row of a table. 64-bit numbers are
 * strings, ids are hex, other bytes base64. */
#include "fmt/otlp_json/common.h"
#include "fmt/otlp_json/otlp_json_int.h"

enum { BUFFER = 64 * 1024 };

struct writer {
	struct op_json json; /* first, see spill() */
	struct op_buf buf;
	struct op_sink *sink;
};

static void spill(struct op_json *json)
{
	struct writer *w = (struct writer *)json;

	if (!w->buf.err->code)
		w->sink->write(w->sink, op_view(w->buf.p, w->buf.n),
			       w->buf.err);
	w->buf.n = 0;
}

/* --- dictionary --- */

static void mappings_write(struct op_json *w, const struct op_dict *d)
{
	op_json_field_open(w, "mappingTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_MAPPINGS]; i++) {
		const struct op_mapping *m = &d->mappings[i];

		op_json_open(w, '{');
		op_json_uint64_field(w, "memoryStart", m->start);
		op_json_uint64_field(w, "memoryLimit", m->limit);
		op_json_uint64_field(w, "fileOffset", m->offset);
		op_json_uint_field(w, "filenameStrindex", m->filename);
		op_json_ids_field(w, "attributeIndices",
				  op_list(&d->sets, m->attrs));
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void lines_write(struct op_json *w, const struct op_line *lines,
			uint32_t nr)
{
	if (!nr)
		return;
	op_json_field_open(w, "lines", '[');
	for (uint32_t i = 0; i < nr; i++) {
		op_json_open(w, '{');
		op_json_uint_field(w, "functionIndex", lines[i].function);
		op_json_int64_field(w, "line", lines[i].line);
		op_json_int64_field(w, "column", lines[i].column);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void locations_write(struct op_json *w, const struct op_dict *d)
{
	op_json_field_open(w, "locationTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS]; i++) {
		const struct op_location *l = &d->locations[i];

		op_json_open(w, '{');
		op_json_uint_field(w, "mappingIndex", l->mapping);
		op_json_uint64_field(w, "address", l->address);
		lines_write(w, d->lines + l->first_line, l->nr_lines);
		op_json_ids_field(w, "attributeIndices",
				  op_list(&d->sets, l->attrs));
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void functions_write(struct op_json *w, const struct op_dict *d)
{
	op_json_field_open(w, "functionTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_FUNCTIONS]; i++) {
		const struct op_function *f = &d->functions[i];

		op_json_open(w, '{');
		op_json_uint_field(w, "nameStrindex", f->name);
		op_json_uint_field(w, "systemNameStrindex", f->system_name);
		op_json_uint_field(w, "filenameStrindex", f->filename);
		op_json_int64_field(w, "startLine", f->start_line);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void links_write(struct op_json *w, const struct op_dict *d)
{
	op_json_field_open(w, "linkTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_LINKS]; i++) {
		const struct op_link *l = &d->links[i];

		op_json_open(w, '{');
		if (l->trace_len == sizeof(l->trace_id)) {
			op_json_key(w, "traceId");
			op_json_hex(w, op_view(l->trace_id, l->trace_len));
		}
		if (l->span_len == sizeof(l->span_id)) {
			op_json_key(w, "spanId");
			op_json_hex(w, op_view(l->span_id, l->span_len));
		}
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void strings_write(struct op_json *w, const struct op_dict *d)
{
	op_json_field_open(w, "stringTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_STRINGS]; i++)
		op_json_string(w, d->strings[i]);
	op_json_close(w, ']');
}

static void attrs_write(struct op_json *w, const struct op_dict *d)
{
	op_json_field_open(w, "attributeTable", '[');
	for (uint32_t i = 0; i < d->nr[OP_ATTRS]; i++) {
		const struct op_attr *a = &d->attrs[i];

		op_json_open(w, '{');
		op_json_uint_field(w, "keyStrindex", a->key);
		if (a->key || a->unit || a->value.kind != OP_ANY_NONE) {
			op_json_key(w, "value");
			op_otlp_json_any(w, &a->value, NULL);
		}
		op_json_uint_field(w, "unitStrindex", a->unit);
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void stacks_write(struct op_json *w, const struct op_dict *d)
{
	op_json_field_open(w, "stackTable", '[');
	for (uint32_t i = 0; i < d->stacks.nr; i++) {
		op_json_open(w, '{');
		op_json_ids_field(w, "locationIndices", op_list(&d->stacks, i));
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void dictionary_write(struct op_json *w, const struct op_dict *d)
{
	op_json_field_open(w, "dictionary", '{');
	mappings_write(w, d);
	locations_write(w, d);
	functions_write(w, d);
	links_write(w, d);
	strings_write(w, d);
	attrs_write(w, d);
	stacks_write(w, d);
	op_json_close(w, '}');
}

/* --- profiles --- */

static void samples_write(struct op_json *w, const struct op_dict *d,
			  const struct op_profile *p)
{
	if (!p->nr_samples)
		return;
	op_json_field_open(w, "samples", '[');
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_values values = op_sample_values(p, i);
		struct op_times times = op_sample_times(p, i);

		op_json_open(w, '{');
		op_json_uint_field(w, "stackIndex", p->stack[i]);
		op_json_ids_field(w, "attributeIndices",
				  op_list(&d->sets, p->set[i]));
		op_json_uint_field(w, "linkIndex", p->link[i]);
		if (values.n) {
			op_json_key(w, "values");
			op_json_int_texts(w, values.p, values.n);
		}
		if (times.n) {
			op_json_key(w, "timestampsUnixNano");
			op_json_uint_texts(w, times.p, times.n);
		}
		op_json_close(w, '}');
	}
	op_json_close(w, ']');
}

static void value_type_write(struct op_json *w, const char *key,
			     struct op_value_type t)
{
	if (!t.type && !t.unit)
		return;
	op_json_field_open(w, key, '{');
	op_json_uint_field(w, "typeStrindex", t.type);
	op_json_uint_field(w, "unitStrindex", t.unit);
	op_json_close(w, '}');
}

static void profile_write(struct op_json *w, const struct op_dict *d,
			  const struct op_profile *p)
{
	op_json_open(w, '{');
	value_type_write(w, "sampleType", p->sample_type);
	samples_write(w, d, p);
	op_json_uint64_field(w, "timeUnixNano", p->time_ns);
	op_json_uint64_field(w, "durationNano", p->duration_ns);
	value_type_write(w, "periodType", p->period_type);
	op_json_int64_field(w, "period", p->period);
	if (p->id_len == sizeof(p->id)) {
		op_json_key(w, "profileId");
		op_json_hex(w, op_view(p->id, p->id_len));
	}
	op_json_uint_field(w, "droppedAttributesCount", p->dropped_attrs);
	op_json_text_field(w, "originalPayloadFormat", p->payload_format);
	if (p->payload.n) {
		op_json_key(w, "originalPayload");
		op_json_base64(w, p->payload);
	}
	op_json_ids_field(w, "attributeIndices", op_list(&d->sets, p->attrs));
	op_json_close(w, '}');
}

static void scope_write(struct op_json *w, const struct op_dict *d,
			const struct op_scope *s)
{
	op_json_open(w, '{');
	op_otlp_json_scope(w, s, NULL);
	if (s->nr_profiles) {
		op_json_field_open(w, "profiles", '[');
		for (uint32_t i = 0; i < s->nr_profiles; i++)
			profile_write(w, d, &s->profiles[i]);
		op_json_close(w, ']');
	}
	op_json_text_field(w, "schemaUrl", s->schema_url);
	op_json_close(w, '}');
}

static void resource_write(struct op_json *w, const struct op_dict *d,
			   const struct op_resource *r)
{
	op_json_open(w, '{');
	op_otlp_json_resource(w, r, NULL);
	if (r->nr_scopes) {
		op_json_field_open(w, "scopeProfiles", '[');
		for (uint32_t i = 0; i < r->nr_scopes; i++)
			scope_write(w, d, &r->scopes[i]);
		op_json_close(w, ']');
	}
	op_json_text_field(w, "schemaUrl", r->schema_url);
	op_json_close(w, '}');
}

int op_otlp_json_write(const struct op_model *m, bool pretty,
		       struct op_sink *sink, struct op_err *err)
{
	struct writer out = { .buf.err = err, .sink = sink };
	struct op_json *w = &out.json;

	*w = (struct op_json){ .out = &out.buf,
			       .pretty = pretty,
			       .spill = spill };
	op_buf_reserve(&out.buf, BUFFER);
	op_json_open(w, '{');
	if (m->nr_resources) {
		op_json_field_open(w, "resourceProfiles", '[');
		for (uint32_t i = 0; i < m->nr_resources; i++)
			resource_write(w, &m->dict, &m->resources[i]);
		op_json_close(w, ']');
	}
	dictionary_write(w, &m->dict);
	op_json_close(w, '}');
	op_buf_byte(&out.buf, '\n');
	spill(w);
	op_buf_free(&out.buf);
	return err->code;
}
