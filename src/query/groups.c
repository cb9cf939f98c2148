// SPDX-License-Identifier: Apache-2.0
/* query/groups.c: finds the labels of samples, each set and link once. */
#include "query/groups.h"

#include "base/hash.h"

#define NOT_ASKED OP_NO_ID
#define ABSENT (OP_NO_ID - 1)

static bool is_link(struct op_label l)
{
	return l.kind == OP_LABEL_TRACE || l.kind == OP_LABEL_SPAN;
}

int op_groups_init(struct op_groups *g, const struct op_model *m,
		   const struct op_group_by *by, struct op_err *err)
{
	g->m = m;
	g->by = *by;
	g->nr = by->nr_labels ? 0 : 1;
	g->scratch.err = err;
	op_arena_tells(&g->mem, err);
	for (uint32_t k = 0; k < by->nr_labels; k++) {
		g->of_set[k] = op_new_ids(&g->mem, m->dict.sets.nr);
		g->of_link[k] = op_new_ids(&g->mem, m->dict.nr[OP_LINKS]);
	}
	return err->code;
}

void op_groups_free(struct op_groups *g)
{
	op_buf_free(&g->scratch);
	op_text_table_free(&g->texts);
	op_arena_free(&g->mem);
	*g = (struct op_groups){ 0 };
}

/* The text that was put together, if there is one. */
static uint32_t scratch_text(struct op_groups *g, bool found,
			     struct op_err *err)
{
	if (!found || err->code)
		return ABSENT;
	return op_text_copy(&g->texts, op_view(g->scratch.p, g->scratch.n),
			    err);
}

/* What a group without the label is called. */
static uint32_t absent_text(struct op_groups *g, uint32_t k, struct op_err *err)
{
	g->scratch.n = 0;
	op_buf_z(&g->scratch, "(no ");
	op_buf_view(&g->scratch, g->by.labels[k].name);
	op_buf_byte(&g->scratch, ')');
	return scratch_text(g, true, err);
}

/* An empty label is as good as none, but it hides those further out. */
static uint32_t attrs_text(struct op_groups *g, uint32_t k,
			   struct op_attr_source s, struct op_err *err)
{
	bool found;

	g->scratch.n = 0;
	found = op_label_text(&g->scratch, g->m, g->by.labels[k], s);
	return found && !g->scratch.n ? absent_text(g, k, err) :
					scratch_text(g, found, err);
}

static uint32_t type_text(struct op_groups *g, const struct op_profile *p,
			  struct op_err *err)
{
	g->scratch.n = 0;
	op_buf_view(&g->scratch, op_string(g->m, p->sample_type.type));
	op_buf_byte(&g->scratch, '/');
	op_buf_view(&g->scratch, op_string(g->m, p->sample_type.unit));
	return scratch_text(g, true, err);
}

static uint32_t outer_text(struct op_groups *g, uint32_t k,
			   const struct op_walk *at, struct op_err *err)
{
	struct op_label l = g->by.labels[k];
	struct op_attr_source s = { .set = at->profile->attrs };
	struct op_view event;
	uint32_t id;

	if (l.kind == OP_LABEL_TYPE)
		return type_text(g, at->profile, err);
	if (l.kind == OP_LABEL_EVENT) {
		event = op_profile_event(g->m, at->profile);
		return event.n ? op_text_put(&g->texts, event, err) : ABSENT;
	}
	id = attrs_text(g, k, s, err);
	s.kvs = &at->scope->attrs;
	if (id == ABSENT)
		id = attrs_text(g, k, s, err);
	s.kvs = &at->resource->attrs;
	return id == ABSENT ? attrs_text(g, k, s, err) : id;
}

void op_groups_profile(struct op_groups *g, const struct op_walk *at,
		       struct op_err *err)
{
	for (uint32_t k = 0; k < g->by.nr_labels && !err->code; k++) {
		g->outer[k] = outer_text(g, k, at, err);
		if (g->outer[k] == ABSENT)
			g->outer[k] = absent_text(g, k, err);
	}
}

static uint32_t sample_text(struct op_groups *g, uint32_t k,
			    const struct op_profile *p, uint32_t i,
			    struct op_err *err)
{
	uint32_t *set = &g->of_set[k][p->set[i]];
	uint32_t *link = &g->of_link[k][p->link[i]];

	if (is_link(g->by.labels[k])) {
		if (*link == NOT_ASKED) {
			g->scratch.n = 0;
			*link = scratch_text(
				g,
				op_label_link_text(&g->scratch, g->m,
						   g->by.labels[k], p->link[i]),
				err);
		}
		if (*link != ABSENT)
			return *link;
	}
	if (*set == NOT_ASKED)
		*set = attrs_text(
			g, k, (struct op_attr_source){ .set = p->set[i] }, err);
	return *set == ABSENT ? g->outer[k] : *set;
}

struct key {
	const uint32_t *texts;
	uint32_t n;
};

static bool group_eq(const void *table, uint32_t id, const void *key)
{
	const struct key *k = key;
	const uint32_t *members = table;

	return !memcmp(members + (size_t)id * k->n, k->texts,
		       k->n * sizeof(*k->texts));
}

/* The next group, of these texts. */
static uint32_t group_new(struct op_groups *g, const uint32_t *texts)
{
	uint32_t n = g->by.nr_labels;

	if (!op_vec_reserve(&g->mem, &g->members, n))
		return 0;
	memcpy(g->members.p + g->members.n, texts, n * sizeof(*texts));
	g->members.n += n;
	return g->nr++;
}

/* With one label nothing has to be looked for. */
static uint32_t group_of_text(struct op_groups *g, uint32_t text,
			      struct op_err *err)
{
	if (op_likely(text < g->of_text.n && g->of_text.p[text] != OP_NO_ID))
		return g->of_text.p[text];
	op_arena_tells(&g->mem, err);
	while (g->of_text.n <= text)
		if (!op_vec_push(&g->mem, &g->of_text, OP_NO_ID))
			return 0;
	g->of_text.p[text] = group_new(g, &text);
	return g->of_text.p[text];
}

uint32_t op_groups_sample(struct op_groups *g, const struct op_profile *p,
			  uint32_t i, struct op_err *err)
{
	uint64_t words[OP_MAX_LABELS];
	uint32_t texts[OP_MAX_LABELS];
	uint32_t n = g->by.nr_labels, hash, id;
	struct key key = { texts, n };

	if (!n)
		return 0;
	for (uint32_t k = 0; k < n; k++)
		words[k] = texts[k] = sample_text(g, k, p, i, err);
	if (err->code)
		return 0;
	if (n == 1)
		return group_of_text(g, texts[0], err);
	hash = op_hash_words(words, n);
	id = op_intern_find(&g->index, hash, group_eq, g->members.p, &key);
	if (id != OP_NO_ID)
		return id;
	op_arena_tells(&g->mem, err);
	if (!op_intern_add(&g->index, &g->mem, hash, g->nr))
		return 0;
	return group_new(g, texts);
}
