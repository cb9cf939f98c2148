// SPDX-License-Identifier: Apache-2.0
/* query/flame.c: builds the flame tree, and the top list from it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/budget.h"
#include "base/hash.h"
#include "model/any_text.h"
#include "model/semconv.h"
#include "query/flame_int.h"
#include "query/stack_sums.h"

/* A frame is found in a table; in a tree that is larger than any cache. */
enum { STEPS_A_NAME = 8, STEPS_A_NODE = 48 };

/* --- names --- */

struct name_key {
	struct op_view text;
	const struct op_frame_origin *origin; /* NULL: does not count */
};

static bool name_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_flame *f = table;
	const struct name_key *k = key;
	const struct op_frame_origin *a, *b = k->origin;

	if (!op_view_eq(f->names.p[id].text, k->text) || !b)
		return op_view_eq(f->names.p[id].text, k->text);
	a = &f->origin.p[id];
	return op_view_eq(a->type, b->type) &&
	       op_view_eq(a->module, b->module) && op_view_eq(a->file, b->file);
}

static uint32_t name_hash(const struct name_key *k)
{
	uint64_t w[] = { op_hash32(k->text.p, k->text.n), 0, 0 };

	if (k->origin) {
		w[1] = op_hash32(k->origin->module.p, k->origin->module.n);
		w[2] = op_hash32(k->origin->file.p, k->origin->file.n);
	}
	return op_hash_words(w, op_countof(w));
}

static uint32_t name_put(struct op_flame_build *b, struct op_view text)
{
	struct op_flame *f = b->f;
	struct name_key key = { text, f->origins ? &b->origin : NULL };
	uint32_t hash = name_hash(&key);
	uint32_t id = op_intern_find(&f->index, hash, name_eq, f, &key);
	struct op_flame_name row = { .text = text };

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)f->names.n;
	if (op_vec_push(&f->mem, &f->names, row) &&
	    (!f->origins || op_vec_push(&f->mem, &f->origin, b->origin)))
		op_intern_add(&f->index, &f->mem, hash, id);
	return id;
}

static struct op_view base_name(struct op_view path)
{
	size_t i = path.n;

	while (i && path.p[i - 1] != '/')
		i--;
	return op_view(path.p + i, path.n - i);
}

/* Module and address, for a location that nobody has symbolised. */
static struct op_view address_text(struct op_flame_build *b,
				   const struct op_location *l)
{
	const struct op_mapping *map = &b->m->dict.mappings[l->mapping];
	struct op_view module = base_name(op_string(b->m, map->filename));
	size_t n = module.n + sizeof("+0x0123456789abcdef");
	char *s = op_arena_alloc(&b->f->mem, n);

	if (!s)
		return (struct op_view){ 0 };
	snprintf(s, n, "%.*s%s0x%llx", (int)module.n, (const char *)module.p,
		 module.n ? "+" : "", (unsigned long long)l->address);
	return op_view_z(s);
}

static struct op_view function_text(const struct op_flame_build *b,
				    const struct op_line *line)
{
	const struct op_function *f = &b->m->dict.functions[line->function];

	return op_string(b->m, f->name ? f->name : f->system_name);
}

static void location_names(struct op_flame_build *b, uint32_t i)
{
	const struct op_dict *d = &b->m->dict;
	const struct op_location *l = &d->locations[i];
	uint32_t unknown = OP_NO_ID;

	if (b->f->origins)
		b->origin = op_location_origin(b->m, i);
	for (uint32_t k = 0; k < l->nr_lines; k++) {
		const struct op_line *line = &d->lines[l->first_line + k];
		struct op_view text = function_text(b, line);
		uint32_t *id = &b->f->line_name[l->first_line + k];

		b->origin.file = op_string(
			b->m, d->functions[line->function].filename);
		if (text.n)
			*id = name_put(b, text);
		else if (unknown != OP_NO_ID)
			*id = unknown;
		else
			*id = unknown = name_put(b, address_text(b, l));
	}
	if (!l->nr_lines)
		b->f->location_name[i] = name_put(b, address_text(b, l));
}

bool op_flame_is_inlined(const struct op_flame_build *b, uint32_t location)
{
	const struct op_attr *kind;

	kind = op_set_find(b->m, b->m->dict.locations[location].attrs,
			   OP_ATTR_JFR_FRAME_KIND);
	return kind && op_view_is(op_any_text(b->m, &kind->value), "Inlined");
}

static struct op_view copy(struct op_flame_build *b, struct op_buf *text)
{
	uint8_t *p = op_arena_alloc(&b->f->mem, text->n);
	struct op_view v = { p, text->n };

	if (p && text->n)
		memcpy(p, text->p, text->n);
	op_buf_free(text);
	return p ? v : (struct op_view){ 0 };
}

/* The name of a thread, else its number. */
static void thread_name(struct op_flame_build *b, uint32_t set)
{
	const struct op_attr *name = op_set_find(b->m, set,
						 OP_ATTR_THREAD_NAME);
	const struct op_attr *id = op_set_find(b->m, set, OP_ATTR_THREAD_ID);
	struct op_buf text = { .err = b->err };

	if (!name && !id) {
		op_buf_z(&text, "[no thread]");
	} else if (name) {
		op_any_plain(&text, b->m, &name->value);
	} else {
		op_buf_z(&text, "thread ");
		op_any_plain(&text, b->m, &id->value);
	}
	b->origin = (struct op_frame_origin){ .type = op_view_z("thread") };
	if (!b->err->code)
		b->f->set_name[set] = name_put(b, copy(b, &text));
	else
		op_buf_free(&text);
}

/* Names of all the model has, once. */
static int names_begin(struct op_flame_build *b)
{
	const struct op_dict *d = &b->m->dict;
	struct op_flame *f = b->f;

	f->line_name = op_new(&f->mem, uint32_t, d->nr_lines);
	f->location_name = op_new(&f->mem, uint32_t, d->nr[OP_LOCATIONS]);
	if (f->threads)
		f->set_name = op_new(&f->mem, uint32_t, d->sets.nr);
	if (f->origins)
		f->inlined = op_new(&f->mem, bool, d->nr[OP_LOCATIONS]);
	if (b->err->code)
		return b->err->code;
	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS] && !b->err->code; i++) {
		location_names(b, i);
		if (f->inlined)
			f->inlined[i] = op_flame_is_inlined(b, i);
	}
	for (uint32_t i = 0; f->threads && i < d->sets.nr && !b->err->code; i++)
		thread_name(b, i);
	f->by_stack = op_new(&f->mem, int64_t, d->nr[OP_STACKS]);
	f->name_seen = op_new(&f->mem, uint32_t, f->names.n);
	return b->err->code;
}

/* --- samples --- */

/* Makes all names unused. */
static void names_reset(struct op_flame *f)
{
	for (size_t i = 0; i < f->used.n; i++) {
		struct op_flame_name *n = &f->names.p[f->used.p[i]];

		*n = (struct op_flame_name){ .text = n->text };
	}
	f->used.n = 0;
}

int op_flame_begin(struct op_flame_build *b)
{
	struct op_flame *f = b->f;
	struct op_flame_node root = { .parent = OP_NO_NODE,
				      .first_child = OP_NO_NODE,
				      .next = OP_NO_NODE };

	op_arena_reset(&f->tree_mem);
	memset(&f->nodes, 0, sizeof(f->nodes));
	f->total = 0;
	if (!f->line_name && names_begin(b))
		return b->err->code;
	names_reset(f);
	(void)op_vec_push(&f->tree_mem, &f->nodes, root);
	return b->err->code;
}

struct child_key {
	uint32_t parent, name;
};

static bool child_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_flame_node *nodes = table;
	const struct child_key *k = key;

	return nodes[id].parent == k->parent && nodes[id].name == k->name;
}

static uint32_t child_put(struct op_flame_build *b, uint32_t parent,
			  uint32_t name)
{
	struct op_flame *f = b->f;
	struct child_key key = { parent, name };
	uint64_t word = (uint64_t)parent << 32 | name;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&b->children, hash, child_eq, f->nodes.p,
				     &key);
	struct op_flame_node row = { .name = name,
				     .parent = parent,
				     .first_child = OP_NO_NODE };

	if (id != OP_NO_ID)
		return id;
	row.next = f->nodes.p[parent].first_child;
	id = (uint32_t)f->nodes.n;
	if (!op_vec_push(&f->tree_mem, &f->nodes, row) ||
	    !op_intern_add(&b->children, &f->tree_mem, hash, id))
		return parent;
	f->nodes.p[parent].first_child = id;
	return id;
}

uint32_t op_flame_frame(struct op_flame_build *b, uint32_t node, uint32_t name,
			int64_t value)
{
	struct op_flame_name *n = &b->f->names.p[name];

	if (op_unlikely(!n->is_used)) {
		n->is_used = true;
		(void)op_vec_push(&b->f->mem, &b->f->used, name);
	}
	if (b->f->name_seen[name] != b->f->nr_stacks) {
		b->f->name_seen[name] = b->f->nr_stacks;
		n->total = op_add_sat(n->total, value);
	}
	if (b->f->names_only)
		return name;
	node = child_put(b, node, name);
	b->f->nodes.p[node].total = op_add_sat(b->f->nodes.p[node].total,
					       value);
	return node;
}

void op_flame_self(struct op_flame_build *b, uint32_t leaf, int64_t value)
{
	struct op_flame_node *node = &b->f->nodes.p[leaf];
	uint32_t name = leaf;

	if (!b->f->names_only) {
		node->self = op_add_sat(node->self, value);
		name = node->name;
	}
	b->f->names.p[name].self = op_add_sat(b->f->names.p[name].self, value);
}

bool op_flame_steps(struct op_flame_build *b, uint64_t n)
{
	n *= b->f->names_only ? STEPS_A_NAME : STEPS_A_NODE;
	return op_steps(&b->steps, n, b->err);
}

/* The frames of a location, of which all but the last, which is the outermost,
 * are inlined. */
static uint32_t location_add(struct op_flame_build *b, uint32_t node,
			     uint32_t location, int64_t value)
{
	const struct op_location *l = &b->m->dict.locations[location];
	bool inlined = b->f->inlined && b->f->inlined[location];

	if (!l->nr_lines)
		return op_flame_frame(b, node, b->f->location_name[location],
				      value);
	if (!op_flame_steps(b, l->nr_lines))
		return node;
	for (uint32_t k = l->nr_lines; k--; inlined = true) {
		int64_t *sum;

		node = op_flame_frame(
			b, node, b->f->line_name[l->first_line + k], value);
		if (!inlined || b->f->names_only)
			continue;
		sum = &b->f->nodes.p[node].inlined;
		*sum = op_add_sat(*sum, value);
	}
	return node;
}

/* Walks a stack from the root to the leaf, which it returns; thread is its
 * name, or none. */
static uint32_t stack_add(struct op_flame_build *b, uint32_t stack,
			  uint32_t thread, int64_t value)
{
	struct op_ids locs = op_list(&b->m->dict.stacks, stack);
	uint32_t node = 0;

	if (!op_flame_steps(b, locs.n))
		return 0;
	b->f->nr_stacks++;
	if (thread != OP_NO_ID)
		node = op_flame_frame(b, node, thread, value);
	for (uint32_t i = locs.n; i-- && !b->err->code;)
		node = location_add(b, node, locs.p[i], value);
	if (locs.n || thread != OP_NO_ID)
		op_flame_self(b, node, value);
	else
		b->f->nodes.p[0].self = op_add_sat(b->f->nodes.p[0].self,
						   value);
	b->f->total = op_add_sat(b->f->total, value);
	return node;
}

static void leaf_put(struct op_flame *f, uint32_t i, uint32_t node)
{
	if (f->leaf)
		f->leaf[i] = node;
}

static void samples_add(struct op_flame_build *b, const struct op_profile *p)
{
	enum op_aggregator how = op_aggregator_of(b->m, p);

	for (uint32_t i = 0; i < p->nr_samples && !b->err->code; i++)
		leaf_put(b->f, i,
			 stack_add(b, p->stack[i], b->f->set_name[p->set[i]],
				   op_sample_amount(how, p, i)));
}

/* Whether a stack is to be added: with leaves once, whatever its value. */
static bool is_new(const struct op_flame *f, uint32_t stack, int64_t sum)
{
	return f->leaf ? f->leaf[stack] == OP_NO_ID : sum != 0;
}

static void stacks_add(struct op_flame_build *b, const struct op_profile *p)
{
	enum op_aggregator how = op_aggregator_of(b->m, p);
	int64_t *sums = b->f->by_stack;

	for (uint32_t i = 0; i < p->nr_samples; i++)
		sums[p->stack[i]] = op_add_sat(sums[p->stack[i]],
					       op_sample_amount(how, p, i));
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		int64_t sum = sums[p->stack[i]];

		sums[p->stack[i]] = 0;
		if (!b->err->code && is_new(b->f, p->stack[i], sum))
			leaf_put(b->f, p->stack[i],
				 stack_add(b, p->stack[i], OP_NO_ID, sum));
	}
}

/* --- order --- */

static uint64_t size_of(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* Larger total first, then by name. */
static int node_cmp(const void *a, const void *b, void *flame)
{
	const struct op_flame *f = flame;
	const struct op_flame_node *x = &f->nodes.p[*(const uint32_t *)a];
	const struct op_flame_node *y = &f->nodes.p[*(const uint32_t *)b];

	if (f->by_size && size_of(x->total) != size_of(y->total))
		return size_of(x->total) < size_of(y->total) ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return op_view_cmp(f->names.p[x->name].text, f->names.p[y->name].text);
}

static int children_sort(struct op_flame *f, struct op_err *err)
{
	uint32_t *ids = op_new_raw(&f->tree_mem, uint32_t, f->nodes.n);

	if (!ids)
		return err->code;
	for (size_t i = 0; i < f->nodes.n; i++) {
		uint32_t next = f->nodes.p[i].first_child;
		size_t n = 0;

		for (; next != OP_NO_NODE; next = f->nodes.p[next].next)
			ids[n++] = next;
		if (n < 2)
			continue;
		qsort_r(ids, n, sizeof(*ids), node_cmp, f);
		next = OP_NO_NODE;
		while (n--) {
			f->nodes.p[ids[n]].next = next;
			next = ids[n];
		}
		f->nodes.p[i].first_child = next;
	}
	return OP_OK;
}

int op_flame_finish(struct op_flame_build *b)
{
	b->f->nodes.p[0].total = b->f->total;
	return b->err->code ? b->err->code : children_sort(b->f, b->err);
}

int op_flame_build(struct op_flame *f, const struct op_model *m,
		   const struct op_profile *p, struct op_err *err)
{
	struct op_flame_build b = { .f = f, .m = m, .err = err };

	op_arena_tells(&f->mem, err);
	op_arena_tells(&f->tree_mem, err);
	if (op_flame_begin(&b))
		return err->code;
	if (f->leaves)
		f->leaf = op_new_ids(&f->tree_mem,
				     f->threads ? p->nr_samples :
						  m->dict.nr[OP_STACKS]);
	if (f->threads)
		samples_add(&b, p);
	else
		stacks_add(&b, p);
	return op_flame_finish(&b);
}

static int name_cmp(const void *a, const void *b, void *flame)
{
	const struct op_flame *f = flame;
	const struct op_flame_name *x = &f->names.p[*(const uint32_t *)a];
	const struct op_flame_name *y = &f->names.p[*(const uint32_t *)b];

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return op_view_cmp(x->text, y->text);
}

uint32_t *op_flame_top(struct op_flame *f, uint32_t *nr_out, struct op_err *err)
{
	uint32_t n = (uint32_t)f->used.n;
	uint32_t *ids;

	op_arena_tells(&f->tree_mem, err);
	ids = op_new_raw(&f->tree_mem, uint32_t, n);
	if (!ids)
		return NULL;
	if (n)
		memcpy(ids, f->used.p, n * sizeof(*ids));
	qsort_r(ids, n, sizeof(*ids), name_cmp, f);
	*nr_out = n;
	return ids;
}

void op_flame_free(struct op_flame *f)
{
	op_frame_names_free(&f->frame_names);
	op_groups_free(&f->groups);
	op_stack_sums_free(&f->sums);
	op_arena_free(&f->mem);
	op_arena_free(&f->tree_mem);
	*f = (struct op_flame){ 0 };
}
