// SPDX-License-Identifier: Apache-2.0
#include "query/flame.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

struct build {
	struct op_flame *f;
	const struct op_model *m;
	struct op_err *err;
	struct op_intern names;
	struct op_intern children;
	uint32_t *line_name;	 /* per line of the dictionary */
	uint32_t *location_name; /* per location without lines */
	uint32_t *seen;		 /* per name: the last stack it was in */
	int64_t *by_stack;
};

static bool name_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_flame_name *names = table;

	return op_view_eq(names[id].text, *(const struct op_view *)key);
}

static uint32_t name_put(struct build *b, struct op_view text)
{
	uint32_t hash = op_hash32(text.p, text.n);
	uint32_t id = op_intern_find(&b->names, hash, name_eq, b->f->names.p,
				     &text);
	struct op_flame_name row = { .text = text };

	if (id != OP_NO_ID)
		return id;
	id = (uint32_t)b->f->names.n;
	if (!op_vec_push(&b->f->mem, &b->f->names, row) ||
	    !op_intern_add(&b->names, &b->f->mem, hash, id))
		op_fail(b->err, OP_ENOMEM, "no memory for a flame graph");
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
static struct op_view address_text(struct build *b, const struct op_location *l)
{
	const struct op_mapping *map = &b->m->dict.mappings[l->mapping];
	struct op_view module = base_name(op_string(b->m, map->filename));
	size_t n = module.n + sizeof("+0x0123456789abcdef");
	char *s = op_arena_alloc(&b->f->mem, n);

	if (!s) {
		op_fail(b->err, OP_ENOMEM, "no memory for a flame graph");
		return (struct op_view){ 0 };
	}
	snprintf(s, n, "%.*s%s0x%llx", (int)module.n, (const char *)module.p,
		 module.n ? "+" : "", (unsigned long long)l->address);
	return op_view_z(s);
}

static struct op_view function_text(const struct build *b,
				    const struct op_line *line)
{
	const struct op_function *f = &b->m->dict.functions[line->function];

	return op_string(b->m, f->name ? f->name : f->system_name);
}

static void location_names(struct build *b, uint32_t i)
{
	const struct op_location *l = &b->m->dict.locations[i];
	uint32_t unknown = OP_NO_ID;

	for (uint32_t k = 0; k < l->nr_lines; k++) {
		uint32_t line = l->first_line + k;
		struct op_view text = function_text(b, &b->m->dict.lines[line]);

		if (!text.n) {
			if (unknown == OP_NO_ID)
				unknown = name_put(b, address_text(b, l));
			b->line_name[line] = unknown;
		} else {
			b->line_name[line] = name_put(b, text);
		}
	}
	if (!l->nr_lines)
		b->location_name[i] = name_put(b, address_text(b, l));
}

/* --- samples --- */

static int begin(struct build *b, const struct op_profile *p)
{
	const struct op_dict *d = &b->m->dict;
	struct op_arena *mem = &b->f->mem;
	struct op_flame_node root = { .parent = OP_NO_NODE,
				      .first_child = OP_NO_NODE,
				      .next = OP_NO_NODE };

	b->line_name = op_new(mem, uint32_t, d->nr_lines);
	b->location_name = op_new(mem, uint32_t, d->nr[OP_LOCATIONS]);
	b->by_stack = op_new(mem, int64_t, d->nr[OP_STACKS]);
	if (!b->line_name || !b->location_name || !b->by_stack ||
	    !op_vec_push(mem, &b->f->nodes, root))
		return op_fail(b->err, OP_ENOMEM,
			       "no memory for a flame graph");
	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS] && !b->err->code; i++)
		location_names(b, i);
	b->seen = op_new(mem, uint32_t, b->f->names.n);
	if (!b->seen)
		return op_fail(b->err, OP_ENOMEM,
			       "no memory for a flame graph");
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		int64_t *sum = &b->by_stack[p->stack[i]];

		*sum = op_add_sat(*sum, op_sample_total(p, i));
	}
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

static uint32_t child_put(struct build *b, uint32_t parent, uint32_t name)
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
	if (!op_vec_push(&f->mem, &f->nodes, row) ||
	    !op_intern_add(&b->children, &f->mem, hash, id)) {
		op_fail(b->err, OP_ENOMEM, "no memory for a flame graph");
		return parent;
	}
	f->nodes.p[parent].first_child = id;
	return id;
}

/* Adds a frame under a node and returns the node it became; of names only, the
 * name. */
static uint32_t frame_add(struct build *b, uint32_t node, uint32_t name,
			  uint32_t stack, int64_t value)
{
	struct op_flame_name *n = &b->f->names.p[name];

	n->is_used = true;
	if (b->seen[name] != stack + 1) {
		b->seen[name] = stack + 1;
		n->total = op_add_sat(n->total, value);
	}
	if (b->f->names_only)
		return name;
	node = child_put(b, node, name);
	b->f->nodes.p[node].total = op_add_sat(b->f->nodes.p[node].total,
					       value);
	return node;
}

static void self_add(struct build *b, uint32_t leaf, int64_t value)
{
	struct op_flame_node *node = &b->f->nodes.p[leaf];
	uint32_t name = leaf;

	if (!b->f->names_only) {
		node->self = op_add_sat(node->self, value);
		name = node->name;
	}
	b->f->names.p[name].self = op_add_sat(b->f->names.p[name].self, value);
}

/* Walks a stack from the root to the leaf. */
static void stack_add(struct build *b, uint32_t stack, int64_t value)
{
	const struct op_dict *d = &b->m->dict;
	struct op_ids locs = op_list(&d->stacks, stack);
	uint32_t node = 0;

	for (uint32_t i = locs.n; i--;) {
		const struct op_location *l = &d->locations[locs.p[i]];

		for (uint32_t k = l->nr_lines; k--;)
			node = frame_add(b, node,
					 b->line_name[l->first_line + k], stack,
					 value);
		if (!l->nr_lines)
			node = frame_add(b, node, b->location_name[locs.p[i]],
					 stack, value);
	}
	if (locs.n)
		self_add(b, node, value);
	else
		b->f->nodes.p[0].self = op_add_sat(b->f->nodes.p[0].self,
						   value);
	b->f->total = op_add_sat(b->f->total, value);
}

/* --- order --- */

/* Larger total first, then by name. */
static int node_cmp(const void *a, const void *b, void *flame)
{
	const struct op_flame *f = flame;
	const struct op_flame_node *x = &f->nodes.p[*(const uint32_t *)a];
	const struct op_flame_node *y = &f->nodes.p[*(const uint32_t *)b];

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return op_view_cmp(f->names.p[x->name].text, f->names.p[y->name].text);
}

static int children_sort(struct op_flame *f, struct op_err *err)
{
	uint32_t *ids = op_new_raw(&f->mem, uint32_t, f->nodes.n);

	if (!ids)
		return op_fail(err, OP_ENOMEM, "no memory for a flame graph");
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

int op_flame_build(struct op_flame *f, const struct op_model *m,
		   const struct op_profile *p, struct op_err *err)
{
	struct build b = { .f = f, .m = m, .err = err };

	if (begin(&b, p))
		return err->code;
	for (uint32_t i = 0; i < m->dict.nr[OP_STACKS] && !err->code; i++)
		if (b.by_stack[i])
			stack_add(&b, i, b.by_stack[i]);
	f->nodes.p[0].total = f->total;
	return err->code ? err->code : children_sort(f, err);
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
	uint32_t *ids = op_new_raw(&f->mem, uint32_t, f->names.n);
	uint32_t n = 0;

	if (!ids) {
		op_fail(err, OP_ENOMEM, "no memory for a list of functions");
		return NULL;
	}
	for (uint32_t i = 0; i < f->names.n; i++)
		if (f->names.p[i].is_used)
			ids[n++] = i;
	qsort_r(ids, n, sizeof(*ids), name_cmp, f);
	*nr_out = n;
	return ids;
}

void op_flame_free(struct op_flame *f)
{
	op_arena_free(&f->mem);
	*f = (struct op_flame){ 0 };
}
