// SPDX-License-Identifier: Apache-2.0
/* sym/lines_scope.c: joins the names of namespaces and classes. */
#include "sym/lines_scope.h"

#include <string.h>

enum { MAX_DEPTH = 64, MAX_NAME = 4096 };

uint32_t op_scopes_add(struct op_scopes *s, struct op_arena *mem,
		       uint32_t parent, const char *name)
{
	struct op_scope_row none = { 0 }, row = { parent, name };

	if (!s->rows.n && !op_vec_push(mem, &s->rows, none))
		return 0;
	if (!op_vec_push(mem, &s->rows, row))
		return 0;
	return (uint32_t)s->rows.n - 1;
}

bool op_scopes_put(struct op_scopes *s, struct op_arena *mem, uint64_t offset,
		   uint32_t scope)
{
	struct op_scope_member m = { offset, scope, NULL };

	return op_vec_push(mem, &s->members, m);
}

static struct op_scope_member *find(struct op_scopes *s, uint64_t offset)
{
	size_t from = 0, to = s->members.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (s->members.p[mid].offset < offset)
			from = mid + 1;
		else
			to = mid;
	}
	if (from == s->members.n || s->members.p[from].offset != offset)
		return NULL;
	return &s->members.p[from];
}

/* The names of the scopes from the outermost in, then the function, joined with
 * "::"; written backwards. */
static const char *join(const struct op_scopes *s, struct op_arena *mem,
			uint32_t scope, const char *name)
{
	char text[MAX_NAME];
	size_t at = sizeof(text) - 1, n = strlen(name);
	char *out;

	text[at] = 0;
	if (n >= at)
		return NULL;
	at -= n;
	memcpy(text + at, name, n);
	for (int i = 0; scope && i < MAX_DEPTH; i++) {
		const struct op_scope_row *row = &s->rows.p[scope];

		n = strlen(row->name);
		if (n + 2 >= at)
			return NULL;
		at -= n + 2;
		memcpy(text + at, row->name, n);
		memcpy(text + at + n, "::", 2);
		scope = row->parent;
	}
	out = op_arena_alloc(mem, sizeof(text) - at);
	if (out)
		memcpy(out, text + at, sizeof(text) - at);
	return out;
}

const char *op_scopes_name(struct op_scopes *s, struct op_arena *mem,
			   uint64_t offset, const char *name)
{
	struct op_scope_member *m = find(s, offset);

	if (!m || !m->scope)
		return NULL;
	if (!m->full)
		m->full = join(s, mem, m->scope, name);
	return m->full;
}
