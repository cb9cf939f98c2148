// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/read_labels.c: the labels of a sample as an attribute set.
 *
 *	one text                    string
 *	one number                  int, with its unit
 *	several of a key            array of them, in their order
 *	several with unlike units   array of { value, unit }
 *
 * Two labels are a link, one is a time (fields.h). */
#include "fmt/pprof/read_int.h"

#include <stdlib.h>

#include "base/hex.h"

static enum op_pprof_role role_of(struct op_view key)
{
	if (op_view_is(key, PPROF_KEY_TRACE_ID))
		return OP_PPROF_TRACE;
	if (op_view_is(key, PPROF_KEY_SPAN_ID))
		return OP_PPROF_SPAN;
	if (op_view_is(key, PPROF_KEY_TIME))
		return OP_PPROF_TIME;
	return OP_PPROF_PLAIN;
}

void op_pprof_label_read(struct op_pprof_reader *r, struct op_view msg)
{
	struct op_cur c = op_cur_sub(&r->file, msg);
	struct op_pprof_label l = { .order = (uint32_t)r->labels.n };
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.wire != OP_PB_VARINT)
			continue;
		switch (f.num) {
		case PPROF_LABEL_KEY:
			l.key = op_pprof_string_at(r, &f);
			break;
		case PPROF_LABEL_STR:
			l.str = op_pprof_string_at(r, &f);
			break;
		case PPROF_LABEL_NUM:
			l.num = (int64_t)f.v;
			break;
		case PPROF_LABEL_UNIT:
			l.unit = op_pprof_string_at(r, &f);
			break;
		}
	}
	if (!l.key)
		l.key = r->default_key;
	if (l.key)
		l.role = role_of(r->strings.p[l.key]);
	(void)op_vec_push(&r->scratch, &r->labels, l);
}

/* --- labels that are no attributes --- */

/* The one label of a role; NULL if there is none or more than one. */
static const struct op_pprof_label *only(const struct op_pprof_reader *r,
					 enum op_pprof_role role)
{
	const struct op_pprof_label *found = NULL;

	for (size_t i = 0; i < r->labels.n; i++) {
		if (r->labels.p[i].role != role)
			continue;
		if (found)
			return NULL;
		found = &r->labels.p[i];
	}
	return found;
}

/* In the body of a log record the digits may be a number's, without zeros in
 * front. */
static bool hex_label(const struct op_pprof_reader *r,
		      const struct op_pprof_label *l, uint8_t *out, size_t n)
{
	char digits[2 * sizeof(((struct op_link *)0)->trace_id)];
	struct op_view v;

	if (!l || !l->str)
		return false;
	v = r->strings.p[l->str];
	if (r->is_body && v.n && v.n < 2 * n) {
		memset(digits, '0', 2 * n - v.n);
		memcpy(digits + 2 * n - v.n, v.p, v.n);
		v = op_view(digits, 2 * n);
	}
	return op_unhex(v, out, n);
}

/* The link that two labels are, if both are there and whole. */
static uint32_t link_of(struct op_pprof_reader *r)
{
	struct op_link link = { 0 };

	if (!hex_label(r, only(r, OP_PPROF_TRACE), link.trace_id,
		       sizeof(link.trace_id)) ||
	    !hex_label(r, only(r, OP_PPROF_SPAN), link.span_id,
		       sizeof(link.span_id)))
		return 0;
	return op_build_link(&r->b, &link);
}

static bool is_attr(const struct op_pprof_label *l,
		    const struct op_pprof_labelled *out)
{
	if (l->role == OP_PPROF_TIME)
		return !out->timed;
	return l->role == OP_PPROF_PLAIN || !out->link;
}

/* --- attributes --- */

static struct op_any string_of(struct op_pprof_reader *r, uint32_t at)
{
	struct op_any v = { .kind = OP_ANY_STRING_ID };

	v.string_id = op_pprof_string_made(r, at);
	/* An empty text is no reference. */
	return v.string_id ? v : (struct op_any){ .kind = OP_ANY_STRING };
}

static struct op_any value_of(struct op_pprof_reader *r,
			      const struct op_pprof_label *l)
{
	struct op_any v = { .kind = OP_ANY_INT };

	if (l->str)
		return string_of(r, l->str);
	v.num = l->num;
	return v;
}

/* { value, unit } */
static struct op_any with_unit(struct op_pprof_reader *r,
			       const struct op_pprof_label *l)
{
	struct op_any v = { .kind = OP_ANY_KVLIST, .n = 2 };

	if (l->str)
		return value_of(r, l);
	v.kvlist = op_new(&r->scratch, struct op_kv, 2);
	if (!v.kvlist)
		return value_of(r, l);
	v.kvlist[0].key = op_view_z("value");
	v.kvlist[0].value = value_of(r, l);
	v.kvlist[1].key = op_view_z("unit");
	v.kvlist[1].value = string_of(r, l->unit);
	return v;
}

/* The unit that all numbers share; false if they differ. */
static bool unit_of(const struct op_pprof_reader *r,
		    const struct op_pprof_label *l, size_t n,
		    struct op_view *out)
{
	bool first = true;

	*out = (struct op_view){ 0 };
	for (size_t i = 0; i < n; i++) {
		struct op_view unit = { 0 };

		if (l[i].str)
			continue;
		if (l[i].unit)
			unit = r->strings.p[l[i].unit];
		if (!first && !op_view_eq(unit, *out))
			return false;
		*out = unit;
		first = false;
	}
	return true;
}

/* The attribute of n labels of one key. */
static uint32_t attr_of(struct op_pprof_reader *r,
			const struct op_pprof_label *l, size_t n)
{
	struct op_any v = value_of(r, l);
	struct op_view unit;
	bool one_unit = unit_of(r, l, n, &unit);

	if (n > 1) {
		r->array.n = 0;
		for (size_t i = 0; i < n; i++) {
			v = one_unit ? value_of(r, &l[i]) : with_unit(r, &l[i]);
			(void)op_vec_push(&r->scratch, &r->array, v);
		}
		v = (struct op_any){ .kind = OP_ANY_ARRAY,
				     .n = (uint32_t)r->array.n };
		v.array = r->array.p;
	}
	if (r->err->code)
		return 0;
	if (!one_unit)
		unit = (struct op_view){ 0 };
	return op_build_attr(&r->b, r->b.strings.p[l->made_key], &v, unit,
			     NULL);
}

static int label_cmp(const void *a, const void *b)
{
	const struct op_pprof_label *x = a, *y = b;

	if (x->made_key != y->made_key)
		return x->made_key < y->made_key ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* By key, and those of one key in their order. Mostly there are few. */
static void labels_sort(struct op_pprof_label *l, size_t n)
{
	enum { SMALL = 16 };

	if (n > SMALL) {
		qsort(l, n, sizeof(*l), label_cmp);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct op_pprof_label x = l[i];
		size_t k = i;

		for (; k && label_cmp(&l[k - 1], &x) > 0; k--)
			l[k] = l[k - 1];
		l[k] = x;
	}
}

/* Leaves only the labels that are attributes. */
static size_t attrs_only(struct op_pprof_reader *r,
			 const struct op_pprof_labelled *out)
{
	struct op_pprof_label *l = r->labels.p;
	size_t n = 0;

	for (size_t i = 0; i < r->labels.n; i++) {
		if (!is_attr(&l[i], out))
			continue;
		l[n] = l[i];
		l[n].made_key = op_pprof_string_made(r, l[n].key);
		n++;
	}
	return n;
}

struct op_pprof_labelled op_pprof_labels_end(struct op_pprof_reader *r)
{
	struct op_pprof_labelled out = { 0 };
	const struct op_pprof_label *time = only(r, OP_PPROF_TIME);
	const struct op_pprof_label *l = r->labels.p;
	size_t n, k;

	if (time && !time->str && time->num > 0) {
		out.timed = true;
		out.time_ns = (uint64_t)time->num;
	}
	out.link = link_of(r);
	n = attrs_only(r, &out);
	labels_sort(r->labels.p, n);
	r->ids.n = 0;
	for (size_t i = 0; i < n && !r->err->code; i = k) {
		for (k = i + 1; k < n && l[k].made_key == l[i].made_key; k++)
			;
		(void)op_vec_push(&r->scratch, &r->ids,
				  attr_of(r, l + i, k - i));
	}
	r->labels.n = 0;
	out.set = op_build_set(&r->b, r->ids.p, (uint32_t)r->ids.n);
	return out;
}
