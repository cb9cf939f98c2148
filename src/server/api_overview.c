// SPDX-License-Identifier: Apache-2.0
/* server/api_overview.c: what there is: files, types, labels and their values.
 */
#include "fmt/format.h"
#include "model/aggregate.h"
#include "model/any_text.h"
#include "model/select.h"
#include "query/default_profile.h"
#include "query/label_list.h"
#include "query/top.h"
#include "query/totals.h"
#include "query/type_list.h"
#include "server/api_int.h"

/* --- overview --- */

/* The text that selects a type, with a zero behind it; NULL: no memory. */
static const char *selector(const struct op_type_list *types,
			    const struct op_model *m, uint32_t i,
			    struct op_buf *out)
{
	op_type_selector(types, m, &types->rows[i], out);
	op_buf_byte(out, 0);
	return out->err->code ? NULL : (const char *)out->p;
}

/* Which of all types a file has, by their numbers, and which of them is shown
 * first. */
static void file_types_put(struct op_request *r,
			   const struct op_type_list *types,
			   const struct op_model *m, const struct op_model *own)
{
	struct op_buf name = { .err = r->err };
	const struct op_profile *like = op_default_profile(own);
	uint32_t first = OP_MAX_TYPES;

	op_api_open(&r->w, "types", '[');
	for (uint32_t i = 0; i < types->nr; i++) {
		const char *text = selector(types, m, i, &name);

		if (!text || !op_choose_profile(own, text))
			continue;
		op_json_uint(&r->w, i);
		if (first == OP_MAX_TYPES && op_type_selected(own, like, text))
			first = i;
	}
	op_json_close(&r->w, ']');
	op_api_uint(&r->w, "first", first < types->nr ? first : 0);
	op_buf_free(&name);
}

/* The names of the labels that a file has. */
static void file_labels_put(struct op_request *r, const struct op_model *own)
{
	struct op_label_list l = { 0 };

	op_label_list(&l, own, NULL, r->err);
	op_api_open(&r->w, "labels", '[');
	for (size_t i = 0; i < l.rows.n && !r->err->code; i++)
		op_json_string(&r->w, l.rows.p[i].name);
	op_json_close(&r->w, ']');
	op_label_list_free(&l);
}

static void file_content_put(struct op_request *r,
			     const struct op_type_list *types,
			     const struct op_model *m, uint32_t file)
{
	struct op_scan own = { .select.source = file };
	struct op_scanned a = { 0 };

	if (op_store_scan(r->api->store, &own, &a, r->err))
		return;
	file_types_put(r, types, m, a.m);
	file_labels_put(r, a.m);
	op_scanned_free(&a);
}

static void files_put(struct op_request *r, const struct op_type_list *types,
		      const struct op_model *m)
{
	op_api_open(&r->w, "files", '[');
	for (uint32_t i = 0; i < r->api->nr_files; i++) {
		const struct op_api_file *f = &r->api->files[i];

		op_json_open(&r->w, '{');
		op_api_text(&r->w, "name", op_view_z(f->name));
		op_api_text(&r->w, "format", op_view_z(f->format));
		op_api_uint(&r->w, "bytes", f->bytes);
		if (f->times.from < f->times.to) {
			op_api_time(r, "from", f->times.from);
			op_api_time(r, "to", f->times.to);
		}
		file_content_put(r, types, m, i);
		op_json_close(&r->w, '}');
	}
	op_json_close(&r->w, ']');
}

static void type_put(struct op_request *r, const struct op_type_list *types,
		     const struct op_model *m, const struct op_type_row *row)
{
	const struct op_profile *p = row->like;
	struct op_buf name = { .err = r->err };

	op_type_selector(types, m, row, &name);
	op_json_open(&r->w, '{');
	op_api_text(&r->w, "select", op_view(name.p, name.n));
	op_api_type(r, m, p);
	op_api_int(&r->w, "total", row->total);
	op_api_uint(&r->w, "observations", row->nr_observations);
	op_api_uint(&r->w, "samples", op_type_samples(types, m, row));
	op_api_bool(&r->w, "timed", row->is_timed && row->nr_observations);
	op_api_int(&r->w, "period", row->is_one_period ? p->period : 0);
	op_api_text(&r->w, "period_type", op_string(m, p->period_type.type));
	op_api_text(&r->w, "period_unit", op_string(m, p->period_type.unit));
	op_api_text(&r->w, "adds",
		    op_view_z(op_aggregator_name(op_aggregator_of(m, p))));
	op_json_close(&r->w, '}');
	op_buf_free(&name);
}

static void types_put(struct op_request *r, const struct op_type_list *types,
		      const struct op_model *m)
{
	const struct op_profile *first = op_default_profile(m);
	const struct op_type_row *row;

	op_api_open(&r->w, "types", '[');
	for (uint32_t i = 0; i < types->nr; i++)
		type_put(r, types, m, &types->rows[i]);
	op_json_close(&r->w, ']');
	op_api_bool(&r->w, "more_types", types->more);
	row = first ? op_type_row(types, m, first) : NULL;
	op_api_int(&r->w, "first", row ? row - types->rows : 0);
}

static void labels_put(struct op_request *r, const struct op_model *m)
{
	struct op_label_list l = { 0 };

	op_label_list(&l, m, NULL, r->err);
	op_api_open(&r->w, "labels", '[');
	for (size_t i = 0; i < l.rows.n && !r->err->code; i++) {
		op_json_open(&r->w, '{');
		op_api_text(&r->w, "name", l.rows.p[i].name);
		op_api_uint(&r->w, "values", l.rows.p[i].nr_values);
		op_json_close(&r->w, '}');
	}
	op_json_close(&r->w, ']');
	op_api_bool(&r->w, "more_labels", l.more);
	op_label_list_free(&l);
}

/* What the one resource says of itself. */
static void facts_put(struct op_request *r, const struct op_model *m)
{
	struct op_kvs kvs = { 0 };

	if (m->nr_resources == 1)
		kvs = m->resources[0].attrs;
	op_api_open(&r->w, "facts", '[');
	for (uint32_t i = 0; i < kvs.n && !r->err->code; i++) {
		struct op_buf value = { .err = r->err };

		op_any_plain(&value, m, &kvs.p[i].value);
		op_json_open(&r->w, '[');
		op_json_string(&r->w, op_kv_key(m, &kvs.p[i]));
		op_json_string(&r->w, op_view(value.p, value.n));
		op_json_close(&r->w, ']');
		op_buf_free(&value);
	}
	op_json_close(&r->w, ']');
}

static void notes_put(struct op_request *r)
{
	const char *const *note = r->api->notes;

	op_api_open(&r->w, "notes", '[');
	for (; note && *note; note++)
		op_json_z(&r->w, *note);
	op_json_close(&r->w, ']');
}

/* Those that can be written. */
static void formats_put(struct op_request *r)
{
	op_api_open(&r->w, "formats", '[');
	for (size_t i = 0; op_formats[i]; i++) {
		const struct op_format *f = op_formats[i];

		if (!f->write)
			continue;
		op_json_open(&r->w, '{');
		op_api_text(&r->w, "name", op_view_z(f->name));
		op_api_text(&r->w, "summary", op_view_z(f->summary));
		op_api_text(&r->w, "ending", op_view_z(f->endings[0]));
		op_json_close(&r->w, '}');
	}
	op_json_close(&r->w, ']');
}

static void overview_put(struct op_request *r, const struct op_model *m)
{
	const struct op_api *api = r->api;
	struct op_range span = { 0 };
	struct op_type_list types;

	op_type_list(&types, m);
	(void)op_store_span(api->store, &span);
	op_json_open(&r->w, '{');
	op_api_text(&r->w, "version", op_view_z(OTPROF_VERSION));
	op_api_text(&r->w, "title", op_view_z(api->title));
	op_api_bool(&r->w, "live", api->is_live);
	op_json_key(&r->w, "origin");
	op_json_uint_text(&r->w, api->origin_ns);
	op_api_bool(&r->w, "has_date", api->has_date);
	op_api_uint(&r->w, "duration",
		    span.to > api->origin_ns ? span.to - api->origin_ns : 0);
	files_put(r, &types, m);
	types_put(r, &types, m);
	labels_put(r, m);
	facts_put(r, m);
	notes_put(r);
	formats_put(r);
	op_api_bool(&r->w, "source", api->source_path);
	op_json_close(&r->w, '}');
}

void op_api_overview(struct op_request *r)
{
	struct op_scan all = { .select.source = OP_ALL_SOURCES };
	struct op_scanned a = { 0 };

	if (!op_store_scan(r->api->store, &all, &a, r->err))
		overview_put(r, a.m);
	op_scanned_free(&a);
}

/* --- values --- */

/* The values of a label while they are written. */
struct values {
	struct op_request *r;
	struct op_view label;
	struct op_regex *match; /* NULL: all */
	bool is_frame;		/* values overlap: their sum means nothing */
	uint32_t limit;
	uint64_t nr, nr_rest;
	int64_t rest;
	struct op_api_where where;
};

/* Whether the next value is to be written; what is not adds to the rest. */
static bool value_next(struct values *v, struct op_view text, int64_t value)
{
	if (v->r->err->code ||
	    (v->match && !op_regex_matches(v->match, text, v->r->err)))
		return false;
	if (v->nr++ < v->limit)
		return true;
	v->nr_rest++;
	v->rest = op_add_sat(v->rest, value);
	return false;
}

static void where_put(struct values *v, struct op_view text)
{
	struct op_buf where = { .err = v->r->err };

	op_api_where_put(&v->where, v->label, text, &where);
	op_api_text(&v->r->w, "where", op_view(where.p, where.n));
	op_buf_free(&where);
}

static void values_head(struct values *v, int64_t total)
{
	op_json_open(&v->r->w, '{');
	op_api_text(&v->r->w, "label", v->label);
	op_api_int(&v->r->w, "total", total);
	op_api_open(&v->r->w, "values", '[');
}

static void values_tail(struct values *v)
{
	op_json_close(&v->r->w, ']');
	op_api_uint(&v->r->w, "nr", v->nr);
	op_api_rest(v->r, v->nr_rest, v->is_frame ? NULL : "value", v->rest);
	op_json_close(&v->r->w, '}');
}

static void labels_values(struct values *v, const struct op_selection *s,
			  const struct op_group_by *by)
{
	struct op_totals t = { 0 };

	if (!op_totals_build(&t, s->m, s->like, by, v->r->err)) {
		op_totals_sort(&t);
		for (size_t i = 0; i < t.list.n; i++)
			op_api_where_note(&v->where,
					  op_group_text(&t.groups,
							t.list.p[i].group, 0),
					  v->r->err);
		values_head(v, t.all.value);
		for (size_t i = 0; i < t.list.n; i++) {
			const struct op_total *x = &t.list.p[i];
			struct op_view text = op_group_text(&t.groups, x->group,
							    0);

			if (!value_next(v, text, x->value))
				continue;
			op_json_open(&v->r->w, '{');
			op_api_text(&v->r->w, "text", text);
			op_api_int(&v->r->w, "value", x->value);
			op_api_uint(&v->r->w, "observations",
				    x->nr_observations);
			where_put(v, text);
			op_json_close(&v->r->w, '}');
		}
		values_tail(v);
	}
	op_api_where_free(&v->where);
	op_totals_free(&t);
}

static void frames_values(struct values *v, const struct op_selection *s,
			  const struct op_group_by *by)
{
	struct op_top t = { 0 };

	if (!op_top_build(&t, s->m, s->like, by, v->r->err)) {
		op_top_sort(&t, OP_TOP_CUM);
		values_head(v, t.total);
		for (size_t i = 0; i < t.rows.n; i++) {
			struct op_view text = op_top_name(&t, &t.rows.p[i]);

			if (!value_next(v, text, t.rows.p[i].cum))
				continue;
			op_json_open(&v->r->w, '{');
			op_api_text(&v->r->w, "text", text);
			op_api_int(&v->r->w, "value", t.rows.p[i].cum);
			op_json_close(&v->r->w, '}');
		}
		values_tail(v);
	}
	op_top_free(&t);
}

void op_api_values(struct op_request *r)
{
	const char *label = op_param(r->params, "label");
	struct values v = { .r = r, .label = op_view_z(label) };
	struct op_selection s = { 0 };
	struct op_group_by by;

	v.is_frame = op_label_is_frame(op_label_named(v.label));
	v.limit = op_api_number(r, "limit", 100, 10000);
	v.match = op_api_pattern(r, "match");
	if (!label || strchr(label, ','))
		op_fail(r->err, OP_EUSAGE,
			"label expects one label, as in thread");
	/* Sums do not tell how many observations they are made of. */
	if (!r->err->code &&
	    !op_selection_open(&s, r, "",
			       v.is_frame ? OP_FOR_SUMS : OP_FOR_TIMES)) {
		const struct op_model *m[] = { s.whole.m, NULL };

		if (!op_api_by(r, "label", m, &by))
			(v.is_frame ? frames_values : labels_values)(&v, &s,
								     &by);
	}
	op_selection_close(&s);
	op_regex_free(v.match);
}
