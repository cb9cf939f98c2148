// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/rows.c: the tables of a profile, from the end. */
#include "fmt/draft/write.h"

#include "fmt/otlp/fields.h"
#include "fmt/wire/wire.h"

/* --- values --- */

/* The fields of an AnyValue; with refs, texts are places of strings. Recursion
 * is bounded by what readers allow. */
static void any_write(struct op_draft_writer *w, const struct op_any *v,
		      bool refs);

static void kv_write(struct op_draft_writer *w, uint32_t num,
		     struct op_view key, const struct op_any *v, bool refs)
{
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	any_write(w, v, refs);
	op_pbw_len_nonempty(p, KV_VALUE, end);
	if (refs)
		op_pbw_uint(p, KV_KEY, op_draft_place_text(w, key));
	else if (key.n)
		op_pbw_string(p, KV_KEY, key);
	op_pbw_len(p, num, end);
}

static void list_write(struct op_draft_writer *w, const struct op_any *v,
		       bool refs)
{
	bool kvs = v->kind == OP_ANY_KVLIST;
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	for (uint32_t i = v->n; i--;) {
		size_t item = op_pbw_mark(p);

		if (kvs) {
			kv_write(w, LIST_VALUES, op_kv_key(w->m, &v->kvlist[i]),
				 &v->kvlist[i].value, refs);
			continue;
		}
		any_write(w, &v->array[i], refs);
		op_pbw_len(p, LIST_VALUES, item);
	}
	op_pbw_len(p, kvs ? ANY_KVLIST : ANY_ARRAY, end);
}

static void any_write(struct op_draft_writer *w, const struct op_any *v,
		      bool refs)
{
	struct op_view text = op_any_text(w->m, v);
	struct op_pbw *p = w->w;

	switch (v->kind) {
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		if (refs)
			op_wire_oneof_uint(p, ANY_STRING,
					   op_draft_place_text(w, text));
		else
			op_pbw_string(p, ANY_STRING, text);
		break;
	case OP_ANY_ARRAY:
	case OP_ANY_KVLIST:
		list_write(w, v, refs);
		break;
	case OP_ANY_BOOL:
	case OP_ANY_INT:
	case OP_ANY_DOUBLE:
	case OP_ANY_BYTES:
		op_wire_scalar_write(p, v);
		break;
	}
}

void op_draft_pair_write(struct op_draft_writer *w, uint32_t num,
			 struct op_view key, const struct op_any *v)
{
	kv_write(w, num, key, v, false);
}

void op_draft_pairs_write(struct op_draft_writer *w, uint32_t num, uint32_t set,
			  op_draft_skip_fn *skip)
{
	struct op_ids ids = op_list(&w->m->dict.sets, set);

	for (uint32_t i = ids.n; i--;) {
		const struct op_attr *a = &w->m->dict.attrs[ids.p[i]];

		if (!skip(w, a))
			op_draft_pair_write(w, num, op_string(w->m, a->key),
					    &a->value);
	}
}

/* --- lists of attributes --- */

void op_draft_list_write(struct op_draft_writer *w, uint32_t num,
			 struct op_ids ids)
{
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	if (!ids.n)
		return;
	if (w->layout->attrs == OP_DRAFT_SETS)
		op_pbw_varint(p, op_draft_place_list(w, ids));
	else
		for (uint32_t i = ids.n; i--;)
			op_pbw_varint(p, op_draft_place_attr(w, ids.p[i]));
	op_pbw_len(p, num, end);
}

static void rest_write(struct op_draft_writer *w, uint32_t num)
{
	op_draft_list_write(w, num,
			    (struct op_ids){ w->rest.p, (uint32_t)w->rest.n });
}

/* --- rows --- */

static void function_write(struct op_draft_writer *w, uint32_t id)
{
	const struct op_draft_layout *y = w->layout;
	const struct op_function *row = &w->m->dict.functions[id];
	int64_t start = row->start_line;
	struct op_pbw *p = w->w;

	if (y->short_lines && (start < 0 || start > UINT32_MAX)) {
		w->lost |= OP_DRAFT_LOST_LINES;
		start = 0;
	}
	op_pbw_uint(p, y->function.start_line, (uint64_t)start);
	op_pbw_uint(p, y->function.filename,
		    op_draft_place_string(w, row->filename));
	op_pbw_uint(p, y->function.system_name,
		    op_draft_place_string(w, row->system_name));
	op_pbw_uint(p, y->function.name, op_draft_place_string(w, row->name));
}

static void line_write(struct op_draft_writer *w, const struct op_line *l)
{
	bool is_short = w->layout->short_lines;
	bool fits = !is_short || (l->line >= 0 && l->line <= UINT32_MAX);
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	op_pbw_uint(p, LINE_COLUMN, is_short ? 0 : (uint64_t)l->column);
	op_pbw_uint(p, LINE_LINE, fits ? (uint64_t)l->line : 0);
	op_pbw_uint(p, LINE_FUNCTION, w->rows[OP_FUNCTIONS].of[l->function]);
	op_pbw_len(p, w->layout->location.line, end);
}

static void location_write(struct op_draft_writer *w, uint32_t id)
{
	const struct op_draft_layout *y = w->layout;
	const struct op_dict *d = &w->m->dict;
	const struct op_location *row = &d->locations[id];
	struct op_draft_native native = op_draft_native(w, row->attrs, false);
	struct op_pbw *p = w->w;

	rest_write(w, y->location.attrs);
	if (y->location.type)
		op_pbw_uint(p, y->location.type,
			    op_draft_place_text(w, native.type));
	if (y->location.is_folded)
		op_pbw_uint(p, y->location.is_folded, native.is_folded);
	for (uint32_t i = row->nr_lines; i--;)
		line_write(w, &d->lines[row->first_line + i]);
	op_pbw_uint(p, y->location.address, row->address);
	op_pbw_uint(p, y->location.mapping,
		    w->rows[OP_MAPPINGS].of[row->mapping]);
}

static void mapping_write(struct op_draft_writer *w, uint32_t id)
{
	const struct op_draft_layout *y = w->layout;
	const struct op_mapping *row = &w->m->dict.mappings[id];
	struct op_draft_native native = op_draft_native(w, row->attrs, true);
	struct op_pbw *p = w->w;

	rest_write(w, y->mapping.attrs);
	if (y->mapping.id_kind)
		op_pbw_uint(p, y->mapping.id_kind, native.id_kind);
	if (y->mapping.fidelity)
		op_pbw_uint(p, y->mapping.fidelity,
			    native.flags ? OP_DRAFT_FIDELITY_FULL : 0);
	for (uint32_t i = 4; y->mapping.first_flag && i--;)
		op_pbw_uint(p, y->mapping.first_flag + i,
			    native.flags >> i & 1);
	op_pbw_uint(p, y->mapping.build_id,
		    op_draft_place_text(w, native.build_id));
	op_pbw_uint(p, y->mapping.filename,
		    op_draft_place_string(w, row->filename));
	op_pbw_uint(p, y->mapping.offset, row->offset);
	op_pbw_uint(p, y->mapping.limit, row->limit);
	op_pbw_uint(p, y->mapping.start, row->start);
}

static void link_write(struct op_draft_writer *w, uint32_t id)
{
	const struct op_link *l = &w->m->dict.links[id];

	if (l->span_len == sizeof(l->span_id))
		op_pbw_bytes(w->w, LINK_SPAN_ID,
			     op_view(l->span_id, l->span_len));
	if (l->trace_len == sizeof(l->trace_id))
		op_pbw_bytes(w->w, LINK_TRACE_ID,
			     op_view(l->trace_id, l->trace_len));
}

static void sets_write(struct op_draft_writer *w, uint32_t num)
{
	enum { ATTRIBUTES = 1 };

	for (size_t i = w->lists.n; i--;) {
		const struct op_draft_list *l = &w->lists.p[i];
		size_t end = op_pbw_mark(w->w);

		for (uint32_t k = l->n; k--;) {
			uint32_t id = w->members.p[l->first + k];
			const struct op_attr *a = &w->m->dict.attrs[id];

			op_draft_pair_write(w, ATTRIBUTES,
					    op_string(w->m, a->key), &a->value);
		}
		op_pbw_len(w->w, num, end);
	}
}

static void attr_write(struct op_draft_writer *w, uint32_t num, uint32_t id)
{
	const struct op_attr *a = &w->m->dict.attrs[id];

	kv_write(w, num, op_string(w->m, a->key), &a->value,
		 w->layout->attrs == OP_DRAFT_REFS);
}

/* Frames leaf first; a draft that has them root first writes its own. */
static void stack_write(struct op_draft_writer *w, uint32_t id)
{
	enum { LOCATIONS = 1 };
	struct op_ids frames = op_list(&w->m->dict.stacks, id);
	struct op_pbw *p = w->w;
	size_t end = op_pbw_mark(p);

	if (!frames.n || !op_pbw_room(p, 5 * (size_t)frames.n))
		return;
	for (uint32_t i = 0; i < frames.n; i++) {
		uint32_t k = w->layout->root_first ? i : frames.n - 1 - i;

		op_pbw_raw_varint(p, w->rows[OP_LOCATIONS].of[frames.p[k]]);
	}
	op_pbw_len(p, LOCATIONS, end);
}

void op_draft_table_write(struct op_draft_writer *w, enum op_table t)
{
	static void (*const write[OP_NR_TABLES])(struct op_draft_writer *,
						 uint32_t) = {
		[OP_MAPPINGS] = mapping_write,
		[OP_LOCATIONS] = location_write,
		[OP_FUNCTIONS] = function_write,
		[OP_LINKS] = link_write,
		[OP_STACKS] = stack_write,
	};
	const struct op_id_vec *ids = &w->rows[t].ids;
	uint32_t num = w->layout->table[t];

	if (w->err->code)
		return;
	if (t == OP_STRINGS) {
		for (size_t i = w->texts.n; i--;)
			op_pbw_string(w->w, num, w->texts.p[i]);
		return;
	}
	if (t == OP_ATTRS && w->layout->attrs == OP_DRAFT_SETS) {
		sets_write(w, num);
		return;
	}
	for (size_t i = ids->n; i-- && !w->err->code;) {
		size_t end = op_pbw_mark(w->w);

		if (t == OP_ATTRS) {
			attr_write(w, num, ids->p[i]);
			continue;
		}
		write[t](w, ids->p[i]);
		op_pbw_len(w->w, num, end);
	}
}

void op_draft_units_write(struct op_draft_writer *w)
{
	enum { KEY = 1, UNIT = 2 };
	struct op_pbw *p = w->w;

	for (size_t i = w->units.ids.n; i-- && !w->err->code;) {
		uint32_t key = w->units.ids.p[i];
		size_t end = op_pbw_mark(p);

		if (!w->units.of[key])
			continue;
		op_pbw_uint(p, UNIT,
			    op_draft_place_string(w, w->units.of[key]));
		op_pbw_uint(p, KEY, op_draft_place_string(w, key));
		op_pbw_len(p, w->layout->units, end);
	}
}
