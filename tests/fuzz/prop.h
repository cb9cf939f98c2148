// SPDX-License-Identifier: Apache-2.0
/* What fuzz targets share: a property that must hold, and the walk over a
 * model that proves its ids. */
#ifndef OP_TESTS_FUZZ_PROP_H
#define OP_TESTS_FUZZ_PROP_H

#include <stdio.h>

#include "fuzz/fuzz.h"
#include "fmt/otlp/otlp.h"
#include "model/merge.h"

/* Ends the run with a report that names the property. */
#define PROP(cond)                                                       \
	do {                                                             \
		if (!(cond)) {                                           \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, \
				__LINE__, #cond);                        \
			__builtin_trap();                                \
		}                                                        \
	} while (0)

/* Hostile input must be cheap to refuse. */
enum { PROP_QUOTA = 64 << 20 };

/* A failure of a reader blames the input or its size, at a byte of it. */
static inline void prop_error(const struct op_err *err, size_t n)
{
	PROP(err->code == OP_EFORMAT || err->code == OP_ELIMIT ||
	     err->code == OP_ENOMEM);
	PROP(*err->text);
	PROP(!err->has_at || err->at <= n);
}

/* --- every id of a model --- */

static inline void prop_id(const struct op_model *m, uint32_t id,
			   enum op_table t)
{
	PROP(id < m->dict.nr[t]);
}

/* Reads each byte, so that a view past its memory is found. */
static inline void prop_view(struct op_view v)
{
	for (size_t i = 0; i < v.n; i++)
		(void)*(const volatile uint8_t *)&v.p[i];
}

static inline void prop_list(const struct op_model *m, const struct op_lists *l,
			     uint32_t i, enum op_table t)
{
	struct op_ids ids;

	PROP(i < l->nr);
	PROP(l->at[i] <= l->end[i]);
	PROP(l->end[i] <= l->at[l->nr]);
	ids = op_list(l, i);
	for (uint32_t k = 0; k < ids.n; k++)
		prop_id(m, ids.p[k], t);
}

static inline void prop_set(const struct op_model *m, uint32_t set)
{
	prop_list(m, &m->dict.sets, set, OP_ATTRS);
}

static inline void prop_any(const struct op_model *m, const struct op_any *v)
{
	PROP(v->kind <= OP_ANY_STRING_ID);
	if (v->kind == OP_ANY_STRING || v->kind == OP_ANY_BYTES)
		prop_view(v->bytes);
	if (v->kind == OP_ANY_STRING_ID)
		prop_id(m, v->string_id, OP_STRINGS);
	for (uint32_t i = 0; v->kind == OP_ANY_ARRAY && i < v->n; i++)
		prop_any(m, &v->array[i]);
	for (uint32_t i = 0; v->kind == OP_ANY_KVLIST && i < v->n; i++) {
		prop_id(m, v->kvlist[i].key_id, OP_STRINGS);
		prop_view(v->kvlist[i].key);
		prop_any(m, &v->kvlist[i].value);
	}
}

static inline void prop_kvs(const struct op_model *m, struct op_kvs kvs)
{
	struct op_any any = { .kind = OP_ANY_KVLIST, .n = kvs.n };

	any.kvlist = kvs.p;
	prop_any(m, &any);
}

static inline void prop_dict(const struct op_model *m)
{
	const struct op_dict *d = &m->dict;

	for (int t = 0; t < OP_NR_TABLES; t++)
		PROP(d->nr[t]);
	PROP(d->stacks.nr == d->nr[OP_STACKS]);
	PROP(!op_list(&d->sets, 0).n);
	for (uint32_t i = 0; i < d->nr[OP_STRINGS]; i++)
		prop_view(d->strings[i]);
	for (uint32_t i = 0; i < d->nr[OP_MAPPINGS]; i++) {
		prop_id(m, d->mappings[i].filename, OP_STRINGS);
		prop_set(m, d->mappings[i].attrs);
	}
	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS]; i++) {
		const struct op_location *l = &d->locations[i];

		prop_id(m, l->mapping, OP_MAPPINGS);
		prop_set(m, l->attrs);
		PROP(l->first_line <= d->nr_lines);
		PROP(l->nr_lines <= d->nr_lines - l->first_line);
	}
	for (uint32_t i = 0; i < d->nr_lines; i++)
		prop_id(m, d->lines[i].function, OP_FUNCTIONS);
	for (uint32_t i = 0; i < d->nr[OP_FUNCTIONS]; i++) {
		prop_id(m, d->functions[i].name, OP_STRINGS);
		prop_id(m, d->functions[i].system_name, OP_STRINGS);
		prop_id(m, d->functions[i].filename, OP_STRINGS);
	}
	for (uint32_t i = 0; i < d->nr[OP_ATTRS]; i++) {
		prop_id(m, d->attrs[i].key, OP_STRINGS);
		prop_id(m, d->attrs[i].unit, OP_STRINGS);
		prop_any(m, &d->attrs[i].value);
	}
	for (uint32_t i = 0; i < d->nr[OP_STACKS]; i++)
		prop_list(m, &d->stacks, i, OP_LOCATIONS);
	for (uint32_t i = 0; i < d->sets.nr; i++)
		prop_set(m, i);
}

static inline void prop_profile(const struct op_model *m,
				const struct op_profile *p)
{
	prop_id(m, p->sample_type.type, OP_STRINGS);
	prop_id(m, p->sample_type.unit, OP_STRINGS);
	prop_id(m, p->period_type.type, OP_STRINGS);
	prop_id(m, p->period_type.unit, OP_STRINGS);
	prop_set(m, p->attrs);
	prop_view(p->payload);
	prop_view(p->payload_format);
	PROP(!p->id_len || p->id_len == sizeof(p->id));
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_values values = op_sample_values(p, i);
		struct op_times times = op_sample_times(p, i);

		prop_id(m, p->stack[i], OP_STACKS);
		prop_id(m, p->link[i], OP_LINKS);
		prop_set(m, p->set[i]);
		PROP(!values.n || !times.n || values.n == times.n);
		prop_view(op_view(values.p, values.n * sizeof(*values.p)));
		prop_view(op_view(times.p, times.n * sizeof(*times.p)));
	}
}

/* The invariants that model.h names. */
static inline void prop_model(const struct op_model *m)
{
	struct op_walk w = { 0 };

	prop_dict(m);
	for (uint32_t r = 0; r < m->nr_resources; r++) {
		const struct op_resource *res = &m->resources[r];

		prop_kvs(m, res->attrs);
		prop_view(res->schema_url);
		for (uint32_t s = 0; s < res->nr_scopes; s++) {
			prop_kvs(m, res->scopes[s].attrs);
			prop_view(res->scopes[s].name);
			prop_view(res->scopes[s].version);
			prop_view(res->scopes[s].schema_url);
		}
	}
	while (op_walk_next(m, &w))
		prop_profile(m, w.profile);
}

/* --- order --- */

static inline bool prop_went(const struct op_err *err)
{
	PROP(!err->code || err->code == OP_ENOMEM || err->code == OP_ELIMIT);
	return !err->code;
}

/* Of two models of the same input, made by a reader that says they are normal:
 * putting one in order gives the bytes that normalising gives the other. */
static inline void prop_order(struct op_model *a, struct op_model *b)
{
	struct op_err err = { 0 };
	struct op_pbw wa = { .err = &err }, wb = { .err = &err };

	if (!a->normal)
		return;
	op_reorder(a, &err);
	if (!err.code)
		op_normalise(b, &err);
	if (prop_went(&err)) {
		op_otlp_encode(a, &wa);
		op_otlp_encode(b, &wb);
		if (prop_went(&err))
			PROP(op_view_eq(op_pbw_result(&wa),
					op_pbw_result(&wb)));
	}
	op_pbw_free(&wa);
	op_pbw_free(&wb);
}

#endif
