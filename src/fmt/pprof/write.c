// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/write.c: a model as one pprof message.
 *
 * Ids of mappings, locations and functions are the model's; row 0, which has
 * no id there, gets the one behind the last. Strings are numbered before
 * anything is written, since the message is written from its end. */
#include "fmt/pprof/write_int.h"

#include <stdio.h>

#include "fmt/pprof/pprof.h"
#include "model/semconv.h"

enum { NS_PER_MS = 1000000 };

/* --- what is in use --- */

static void function_use(struct op_pprof_writer *w, uint32_t id)
{
	const struct op_function *f = &w->m->dict.functions[id];

	if (w->functions[id])
		return;
	w->functions[id] = true;
	op_pprof_out_string(w, f->name);
	op_pprof_out_string(w, f->system_name);
	op_pprof_out_string(w, f->filename);
}

/* The build id that pprof has room for: one, of any kind. */
static struct op_view build_id(const struct op_model *m, uint32_t set)
{
	static const char *const keys[] = { OP_ATTR_BUILD_ID_GNU,
					    OP_ATTR_BUILD_ID_GO,
					    OP_ATTR_BUILD_ID_HTLHASH };

	for (size_t i = 0; i < op_countof(keys); i++) {
		const struct op_attr *a = op_set_find(m, set, keys[i]);

		if (a && op_any_text(m, &a->value).n)
			return op_any_text(m, &a->value);
	}
	return (struct op_view){ 0 };
}

static bool has_flag(const struct op_model *m, uint32_t set, const char *key)
{
	const struct op_attr *a = op_set_find(m, set, key);

	return a && a->value.kind == OP_ANY_BOOL && a->value.flag;
}

static const char *const mapping_flags[] = {
	OP_ATTR_HAS_FUNCTIONS,
	OP_ATTR_HAS_FILENAMES,
	OP_ATTR_HAS_LINE_NUMBERS,
	OP_ATTR_HAS_INLINE_FRAMES,
};

static void mapping_use(struct op_pprof_writer *w, uint32_t id)
{
	const struct op_mapping *row = &w->m->dict.mappings[id];
	struct op_view build = build_id(w->m, row->attrs);
	uint32_t kept = build.n != 0;

	if (!id || w->mappings[id])
		return;
	w->mappings[id] = true;
	op_pprof_out_string(w, row->filename);
	op_pprof_out_text(w, build);
	for (size_t i = 0; i < op_countof(mapping_flags); i++)
		kept += has_flag(w->m, row->attrs, mapping_flags[i]);
	if (op_list(&w->m->dict.sets, row->attrs).n > kept)
		w->lost |= OP_PPROF_LOSS_MAPPING;
}

static void location_use(struct op_pprof_writer *w, uint32_t id)
{
	const struct op_location *row = &w->m->dict.locations[id];

	if (w->locations[id])
		return;
	w->locations[id] = true;
	mapping_use(w, row->mapping);
	for (uint32_t i = 0; i < row->nr_lines; i++)
		function_use(w, w->m->dict.lines[row->first_line + i].function);
	if (op_list(&w->m->dict.sets, row->attrs).n >
	    has_flag(w->m, row->attrs, OP_ATTR_IS_FOLDED))
		w->lost |= OP_PPROF_LOSS_LOCATION;
}

static void rows_use(struct op_pprof_writer *w)
{
	for (size_t i = 0; i < w->rows.n && !w->err->code; i++) {
		const struct op_pprof_row *row = &w->rows.p[i];
		struct op_ids frames;

		op_pprof_set_labels(w, row->set);
		op_pprof_link_labels(w, row->link);
		op_pprof_resource_labels(w, row->resource);
		if (row->time_ns && w->part && w->part->time_ms)
			w->ms_key = op_pprof_out_text(
				w, op_view_z(w->part->time_ms));
		if (row->time_ns && !w->time_key &&
		    (!w->ms_key || row->time_ns % NS_PER_MS)) {
			w->time_key = op_pprof_out_text(
				w, op_view_z(PPROF_KEY_TIME));
			w->time_unit = op_pprof_out_text(
				w, op_view_z(PPROF_UNIT_TIME));
		}
		if (w->stacks[row->stack])
			continue;
		w->stacks[row->stack] = true;
		frames = op_list(&w->m->dict.stacks, row->stack);
		for (uint32_t k = 0; k < frames.n; k++)
			location_use(w, frames.p[k]);
	}
}

/* --- the head --- */

struct head {
	uint32_t drop_frames, keep_frames, doc_url, default_type;
	struct op_id_vec comments;
	uint64_t time_ns, end_ns;
	const struct op_profile *period; /* of which profile */
};

static const struct op_attr *find_attr(const struct op_pprof_writer *w,
				       const char *key)
{
	for (size_t i = 0; i < w->sources.n; i++) {
		const struct op_attr *a = op_set_find(
			w->m, w->sources.p[i].profile->attrs, key);

		if (a)
			return a;
	}
	return NULL;
}

static uint32_t attr_text(struct op_pprof_writer *w, const char *key)
{
	const struct op_attr *a = find_attr(w, key);

	return a ? op_pprof_out_text(w, op_any_text(w->m, &a->value)) : 0;
}

static void comment_add(struct op_pprof_writer *w, struct head *h,
			const struct op_any *v)
{
	uint32_t id = op_pprof_out_text(w, op_any_text(w->m, v));

	(void)op_vec_push(&w->mem, &h->comments, id);
}

/* A list under one key or, as the Collector has it, numbered keys. */
static void comments_make(struct op_pprof_writer *w, struct head *h)
{
	const struct op_attr *a = find_attr(w, OP_ATTR_COMMENT);
	char key[sizeof(OP_ATTR_COMMENT) + 24];

	if (a && a->value.kind == OP_ANY_ARRAY)
		for (uint32_t i = 0; i < a->value.n; i++)
			comment_add(w, h, &a->value.array[i]);
	else if (a)
		comment_add(w, h, &a->value);
	for (unsigned int i = 0; !a || i; i++) {
		snprintf(key, sizeof(key), OP_ATTR_COMMENT ".%u", i);
		a = find_attr(w, key);
		if (!a)
			break;
		comment_add(w, h, &a->value);
	}
}

/* What a type is called in the file; of several the first. */
static struct op_view name_of(const struct op_pprof_writer *w,
			      struct op_view type)
{
	for (size_t i = 0; i < w->columns.n; i++)
		if (op_view_eq(w->columns.p[i].type, type))
			return w->columns.p[i].name;
	return type;
}

static void default_type_make(struct op_pprof_writer *w, struct head *h)
{
	const struct op_scope *s = w->sources.p[0].scope;

	for (uint32_t i = 0; i < s->attrs.n; i++) {
		struct op_view type = op_any_text(w->m, &s->attrs.p[i].value);

		if (op_view_is(op_kv_key(w->m, &s->attrs.p[i]),
			       OP_ATTR_DEFAULT_SAMPLE_TYPE))
			h->default_type = op_pprof_out_text(w,
							    name_of(w, type));
	}
}

static void times_make(const struct op_pprof_writer *w, struct head *h)
{
	for (size_t i = 0; i < w->sources.n; i++) {
		const struct op_profile *p = w->sources.p[i].profile;
		uint64_t end;

		if (__builtin_add_overflow(p->time_ns, p->duration_ns, &end))
			end = UINT64_MAX;
		if (!h->period &&
		    (p->period || p->period_type.type || p->period_type.unit))
			h->period = p;
		if (!p->time_ns && !p->duration_ns)
			continue;
		if (!h->end_ns || p->time_ns < h->time_ns)
			h->time_ns = p->time_ns;
		if (end > h->end_ns)
			h->end_ns = end;
	}
}

static void head_make(struct op_pprof_writer *w, struct head *h)
{
	for (size_t i = 0; i < w->columns.n; i++) {
		op_pprof_out_text(w, w->columns.p[i].name);
		op_pprof_out_text(w, w->columns.p[i].unit);
	}
	if (!w->sources.n)
		return;
	h->drop_frames = attr_text(w, OP_ATTR_DROP_FRAMES);
	h->keep_frames = attr_text(w, OP_ATTR_KEEP_FRAMES);
	h->doc_url = attr_text(w, OP_ATTR_DOC_URL);
	default_type_make(w, h);
	comments_make(w, h);
	times_make(w, h);
	if (h->period) {
		op_pprof_out_string(w, h->period->period_type.type);
		op_pprof_out_string(w, h->period->period_type.unit);
	}
}

/* --- writing, from the end --- */

static void type_write(struct op_pbw *p, uint32_t field, uint32_t type,
		       uint32_t unit)
{
	size_t end = op_pbw_mark(p);

	op_pbw_uint(p, PPROF_TYPE_UNIT, unit);
	op_pbw_uint(p, PPROF_TYPE_TYPE, type);
	op_pbw_len(p, field, end);
}

static void head_write(struct op_pprof_writer *w, const struct head *h)
{
	const struct op_profile *period = h->period;
	struct op_pbw *p = w->w;

	op_pbw_uint(p, PPROF_DOC_URL, h->doc_url);
	op_pbw_uint(p, PPROF_DEFAULT_TYPE, h->default_type);
	op_pbw_packed_u32(p, PPROF_COMMENT, h->comments.p, h->comments.n);
	if (period) {
		op_pbw_uint(p, PPROF_PERIOD, (uint64_t)period->period);
		type_write(p, PPROF_PERIOD_TYPE,
			   op_pprof_out_string(w, period->period_type.type),
			   op_pprof_out_string(w, period->period_type.unit));
	}
	op_pbw_uint(p, PPROF_DURATION, h->end_ns - h->time_ns);
	op_pbw_uint(p, PPROF_TIME, h->time_ns);
	op_pbw_uint(p, PPROF_KEEP_FRAMES, h->keep_frames);
	op_pbw_uint(p, PPROF_DROP_FRAMES, h->drop_frames);
}

static void function_write(struct op_pprof_writer *w, uint32_t id)
{
	const struct op_function *row = &w->m->dict.functions[id];
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	op_pbw_uint(p, PPROF_FUNCTION_START_LINE, (uint64_t)row->start_line);
	op_pbw_uint(p, PPROF_FUNCTION_FILENAME,
		    op_pprof_out_string(w, row->filename));
	op_pbw_uint(p, PPROF_FUNCTION_SYSTEM_NAME,
		    op_pprof_out_string(w, row->system_name));
	op_pbw_uint(p, PPROF_FUNCTION_NAME, op_pprof_out_string(w, row->name));
	op_pbw_uint(p, PPROF_ROW_ID, id ? id : w->m->dict.nr[OP_FUNCTIONS]);
	op_pbw_len(p, PPROF_FUNCTION, end);
}

static void location_write(struct op_pprof_writer *w, uint32_t id)
{
	const struct op_dict *d = &w->m->dict;
	const struct op_location *row = &d->locations[id];
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p), line_end;

	op_pbw_uint(p, PPROF_LOCATION_IS_FOLDED,
		    has_flag(w->m, row->attrs, OP_ATTR_IS_FOLDED));
	for (uint32_t i = row->nr_lines; i--;) {
		const struct op_line *l = &d->lines[row->first_line + i];

		line_end = op_pbw_mark(p);
		op_pbw_uint(p, PPROF_LINE_COLUMN, (uint64_t)l->column);
		op_pbw_uint(p, PPROF_LINE_LINE, (uint64_t)l->line);
		op_pbw_uint(p, PPROF_LINE_FUNCTION,
			    l->function ? l->function : d->nr[OP_FUNCTIONS]);
		op_pbw_len(p, PPROF_LOCATION_LINE, line_end);
	}
	op_pbw_uint(p, PPROF_LOCATION_ADDRESS, row->address);
	op_pbw_uint(p, PPROF_LOCATION_MAPPING, row->mapping);
	op_pbw_uint(p, PPROF_ROW_ID, id ? id : d->nr[OP_LOCATIONS]);
	op_pbw_len(p, PPROF_LOCATION, end);
}

static void mapping_write(struct op_pprof_writer *w, uint32_t id)
{
	const struct op_mapping *row = &w->m->dict.mappings[id];
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	for (uint32_t i = op_countof(mapping_flags); i--;)
		op_pbw_uint(p, PPROF_MAPPING_HAS_FUNCTIONS + i,
			    has_flag(w->m, row->attrs, mapping_flags[i]));
	op_pbw_uint(p, PPROF_MAPPING_BUILD_ID,
		    op_pprof_out_text(w, build_id(w->m, row->attrs)));
	op_pbw_uint(p, PPROF_MAPPING_FILENAME,
		    op_pprof_out_string(w, row->filename));
	op_pbw_uint(p, PPROF_MAPPING_OFFSET, row->offset);
	op_pbw_uint(p, PPROF_MAPPING_LIMIT, row->limit);
	op_pbw_uint(p, PPROF_MAPPING_START, row->start);
	op_pbw_uint(p, PPROF_ROW_ID, id);
	op_pbw_len(p, PPROF_MAPPING, end);
}

static void tables_write(struct op_pprof_writer *w)
{
	const struct op_dict *d = &w->m->dict;

	for (size_t i = w->strings.n; i--;)
		op_pbw_string(w->w, PPROF_STRING, w->strings.p[i]);
	for (uint32_t i = d->nr[OP_FUNCTIONS]; i--;)
		if (w->functions[i])
			function_write(w, i);
	for (uint32_t i = d->nr[OP_LOCATIONS]; i--;)
		if (w->locations[i])
			location_write(w, i);
	for (uint32_t i = d->nr[OP_MAPPINGS]; i--;)
		if (w->mappings[i])
			mapping_write(w, i);
}

static void ms_write(struct op_pprof_writer *w, uint64_t time_ns)
{
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	op_pbw_uint(p, PPROF_LABEL_NUM, time_ns / NS_PER_MS);
	op_pbw_uint(p, PPROF_LABEL_KEY, w->ms_key);
	op_pbw_len(p, PPROF_SAMPLE_LABEL, end);
}

static void time_write(struct op_pprof_writer *w, uint64_t time_ns)
{
	struct op_pbw *p = w->w;
	size_t end;

	if (!time_ns)
		return;
	if (w->ms_key)
		ms_write(w, time_ns);
	if (w->ms_key && !(time_ns % NS_PER_MS))
		return;
	end = op_pbw_mark(p);
	op_pbw_uint(p, PPROF_LABEL_UNIT, w->time_unit);
	op_pbw_uint(p, PPROF_LABEL_NUM, time_ns);
	op_pbw_uint(p, PPROF_LABEL_KEY, w->time_key);
	op_pbw_len(p, PPROF_SAMPLE_LABEL, end);
}

/* The ids of a stack; location 0 has the one behind the last. */
static void stack_write(struct op_pprof_writer *w, uint32_t stack)
{
	struct op_ids frames = op_list(&w->m->dict.stacks, stack);
	uint32_t nowhere = w->m->dict.nr[OP_LOCATIONS];
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	if (!frames.n || !op_pbw_room(p, 5 * (size_t)frames.n))
		return;
	for (uint32_t i = frames.n; i--;)
		op_pbw_raw_varint(p, frames.p[i] ? frames.p[i] : nowhere);
	op_pbw_len(p, PPROF_SAMPLE_LOCATION, end);
}

static bool is_bare(const struct op_pprof_writer *w)
{
	return w->part && w->part->is_bare;
}

static void rows_write(struct op_pprof_writer *w)
{
	struct op_pbw *p = w->w;
	size_t n = w->columns.n;

	for (size_t i = w->rows.n; i-- && !w->err->code;) {
		const struct op_pprof_row *row = &w->rows.p[i];
		const int64_t *values = w->values + i * n;
		size_t end = op_pbw_mark(p), values_end;

		time_write(w, row->time_ns);
		op_pbw_raw(p, op_pprof_link_labels(w, row->link));
		op_pbw_raw(p, op_pprof_resource_labels(w, row->resource));
		op_pbw_raw(p, w->part_labels);
		op_pbw_raw(p, op_pprof_set_labels(w, row->set));
		values_end = op_pbw_mark(p);
		for (size_t k = is_bare(w) ? 0 : n; k--;)
			op_pbw_varint(p, (uint64_t)values[w->order[k]]);
		op_pbw_len_nonempty(p, PPROF_SAMPLE_VALUE, values_end);
		stack_write(w, row->stack);
		op_pbw_len(p, PPROF_SAMPLE, end);
	}
}

static void types_write(struct op_pprof_writer *w)
{
	for (size_t i = is_bare(w) ? 0 : w->columns.n; i--;) {
		const struct op_pprof_column *c = &w->columns.p[w->order[i]];

		type_write(w->w, PPROF_SAMPLE_TYPE,
			   op_pprof_out_text(w, c->name),
			   op_pprof_out_text(w, c->unit));
	}
}

/* --- what is lost --- */

static void heads_lost(struct op_pprof_writer *w)
{
	static const char *const kept[] = { OP_ATTR_COMMENT,
					    OP_ATTR_DROP_FRAMES,
					    OP_ATTR_KEEP_FRAMES,
					    OP_ATTR_DOC_URL };

	for (size_t i = 0; i < w->sources.n; i++) {
		const struct op_pprof_source *s = &w->sources.p[i];
		const struct op_resource *r = &w->m->resources[s->resource];
		uint32_t left = op_list(&w->m->dict.sets, s->profile->attrs).n;

		for (size_t k = 0; k < op_countof(kept); k++)
			left -= op_set_find(w->m, s->profile->attrs, kept[k]) !=
				NULL;
		if (left)
			w->lost |= OP_PPROF_LOSS_PROFILE;
		if (r->attrs.n && !w->by_resource)
			w->lost |= OP_PPROF_LOSS_RESOURCE;
		if (s->scope->name.n)
			w->lost |= OP_PPROF_LOSS_SCOPE;
	}
}

static void say_lost(struct op_pprof_writer *w,
		     const struct op_write_opts *opts)
{
	static const char *const names[] = {
		"attributes of the resource", "names of scopes",
		"attributes of profiles",     "attributes of locations",
		"attributes of mappings",     "times of states",
	};
	struct op_buf text = { .err = w->err };

	if (!opts || !opts->note || !w->lost)
		return;
	op_buf_z(&text, "pprof cannot hold");
	for (size_t i = 0, n = 0; i < op_countof(names); i++)
		if (w->lost & 1u << i)
			op_buf_printf(&text, "%s %s", n++ ? "," : "", names[i]);
	op_buf_byte(&text, 0);
	if (!w->err->code)
		opts->note(opts->ctx, (const char *)text.p);
	op_buf_free(&text);
}

/* --- the whole --- */

static bool writer_init(struct op_pprof_writer *w)
{
	const struct op_dict *d = &w->m->dict;

	w->string_ids = op_new_ids(&w->mem, d->nr[OP_STRINGS]);
	w->set_labels = op_new(&w->mem, struct op_view, d->sets.nr);
	w->link_labels = op_new(&w->mem, struct op_view, d->nr[OP_LINKS]);
	w->resource_labels = op_new(&w->mem, struct op_view,
				    w->m->nr_resources);
	w->stacks = op_new(&w->mem, bool, d->stacks.nr);
	w->locations = op_new(&w->mem, bool, d->nr[OP_LOCATIONS]);
	w->functions = op_new(&w->mem, bool, d->nr[OP_FUNCTIONS]);
	w->mappings = op_new(&w->mem, bool, d->nr[OP_MAPPINGS]);
	if (w->err->code)
		return false;
	op_pprof_out_text(w, (struct op_view){ 0 });
	return !w->err->code;
}

static void encode(struct op_pprof_writer *w)
{
	struct head h = { 0 };

	if (writer_init(w))
		op_pprof_rows_make(w);
	if (!w->err->code && !is_bare(w))
		head_make(w, &h);
	if (!w->err->code && w->part)
		w->part_labels = op_pprof_kvs_labels(w, w->part->labels);
	if (!w->err->code)
		rows_use(w);
	if (w->err->code)
		return;
	head_write(w, &h);
	tables_write(w);
	rows_write(w);
	types_write(w);
}

int op_pprof_encode(const struct op_model *m, const struct op_write_opts *opts,
		    struct op_pbw *out)
{
	struct op_pprof_writer w = {
		.m = m, .err = out->err, .w = out, .mem.err = out->err
	};

	encode(&w);
	if (!w.err->code) {
		heads_lost(&w);
		say_lost(&w, opts);
	}
	op_arena_free(&w.mem);
	return w.err->code;
}

int op_pprof_encode_part(const struct op_model *m,
			 const struct op_pprof_part *part, struct op_pbw *out)
{
	struct op_pprof_writer w = {
		.m = m,
		.err = out->err,
		.w = out,
		.mem.err = out->err,
		.part = part,
	};
	uint64_t nr = 0;

	encode(&w);
	for (size_t i = 0; i < w.rows.n; i++)
		nr += op_list(&m->dict.stacks, w.rows.p[i].stack).n;
	*part->nr_frames = nr;
	if (w.lost & (OP_PPROF_LOSS_LOCATION | OP_PPROF_LOSS_MAPPING))
		*part->is_lossy = true;
	op_arena_free(&w.mem);
	return w.err->code;
}
