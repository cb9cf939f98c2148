// SPDX-License-Identifier: Apache-2.0
/* query/label_list.c: looks at each set of attributes once. */
#include "query/label_list.h"

#include "query/default_profile.h"
#include "query/groups.h"

static const char *const builtin[] = { "service", "process", "thread", "state",
				       "class",	  "quality", "trace",  "span" };

struct listing {
	struct op_label_list *l;
	const struct op_model *m;
	const struct op_profile *like;
	size_t first_key; /* of rows */
	bool *set_seen, *attr_seen;
	struct op_err *err;
};

/* Whether samples of a profile count. */
static bool counts(const struct listing *x, const struct op_profile *p)
{
	return !x->like || op_same_type(x->m, p, x->like);
}

/* --- built-in labels --- */

static uint32_t nr_values(const struct op_groups *g, const char *name)
{
	struct op_buf absent = { .err = g->scratch.err };
	uint32_t nr = g->nr;

	op_buf_printf(&absent, "(no %s)", name);
	for (uint32_t i = 0; i < g->nr; i++)
		if (op_view_eq(op_group_text(g, i, 0),
			       op_view(absent.p, absent.n)))
			nr--;
	op_buf_free(&absent);
	return nr;
}

static void builtin_add(struct listing *x, const char *name)
{
	struct op_group_by by = { .nr_labels = 1 };
	struct op_label_row row = { .name = op_view_z(name) };
	struct op_groups g = { 0 };
	struct op_walk w = { 0 };

	by.labels[0] = op_label_named(row.name);
	op_groups_init(&g, x->m, &by, x->err);
	while (!x->err->code && op_walk_next(x->m, &w)) {
		if (!counts(x, w.profile))
			continue;
		op_groups_profile(&g, &w, x->err);
		for (uint32_t i = 0; i < w.profile->nr_samples && !x->err->code;
		     i++)
			op_groups_sample(&g, w.profile, i, x->err);
	}
	row.nr_values = x->err->code ? 0 : nr_values(&g, name);
	if (row.nr_values)
		(void)op_vec_push(&x->l->mem, &x->l->rows, row);
	op_groups_free(&g);
}

/* --- attributes --- */

/* Whether a built-in label stands for the key. */
static bool is_builtin_key(const struct listing *x, struct op_view key)
{
	struct op_kv kv = { .key = key, .value = { .kind = OP_ANY_INT } };
	struct op_kvs kvs = { &kv, 1 };
	struct op_attr_source source = { .kvs = &kvs };

	for (size_t i = 0; i < op_countof(builtin); i++) {
		struct op_label l = op_label_named(op_view_z(builtin[i]));
		size_t k = 0;

		if (op_label_value(x->m, l, source, &k))
			return true;
	}
	return false;
}

static void attr_add(struct listing *x, uint32_t attr)
{
	struct op_label_row fresh = { .nr_values = 1 };
	struct op_label_list *l = x->l;
	size_t i = x->first_key;

	if (x->attr_seen[attr])
		return;
	x->attr_seen[attr] = true;
	fresh.name = op_string(x->m, x->m->dict.attrs[attr].key);
	while (i < l->rows.n && !op_view_eq(l->rows.p[i].name, fresh.name))
		i++;
	if (i < l->rows.n)
		l->rows.p[i].nr_values++;
	else if (is_builtin_key(x, fresh.name))
		return;
	else if (i - x->first_key == OP_MAX_LABEL_KEYS)
		l->more = true;
	else
		(void)op_vec_push(&l->mem, &l->rows, fresh);
}

static void set_add(struct listing *x, uint32_t set)
{
	struct op_ids ids = op_list(&x->m->dict.sets, set);

	if (x->set_seen[set])
		return;
	x->set_seen[set] = true;
	for (uint32_t k = 0; k < ids.n && !x->err->code; k++)
		attr_add(x, ids.p[k]);
}

static void keys_add(struct listing *x)
{
	const struct op_dict *d = &x->m->dict;
	struct op_arena mem = { .err = x->err };
	struct op_walk w = { 0 };

	x->first_key = x->l->rows.n;
	x->set_seen = op_new(&mem, bool, d->sets.nr);
	x->attr_seen = op_new(&mem, bool, d->nr[OP_ATTRS]);
	while (!x->err->code && op_walk_next(x->m, &w)) {
		if (!counts(x, w.profile))
			continue;
		for (uint32_t i = 0; i < w.profile->nr_samples; i++)
			set_add(x, w.profile->set[i]);
	}
	op_arena_free(&mem);
}

int op_label_keys(struct op_label_list *l, const struct op_model *m,
		  const struct op_profile *like, struct op_err *err)
{
	struct listing x = { .l = l, .m = m, .like = like, .err = err };

	op_arena_tells(&l->mem, err);
	keys_add(&x);
	return err->code;
}

int op_label_list(struct op_label_list *l, const struct op_model *m,
		  const struct op_profile *like, struct op_err *err)
{
	struct listing x = { .l = l, .m = m, .like = like, .err = err };

	op_arena_tells(&l->mem, err);
	for (size_t i = 0; i < op_countof(builtin) && !err->code; i++)
		builtin_add(&x, builtin[i]);
	if (!err->code)
		keys_add(&x);
	return err->code;
}

void op_label_list_free(struct op_label_list *l)
{
	op_arena_free(&l->mem);
	*l = (struct op_label_list){ 0 };
}
