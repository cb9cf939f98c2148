// SPDX-License-Identifier: Apache-2.0
/* fmt/name_list.c: names in a sentence, cut to length. */
#include "fmt/name_list.h"

static void put(struct op_name_list *l, struct op_view v)
{
	for (size_t i = 0; i < v.n; i++)
		l->text[l->n++] = (char)(v.p[i] < ' ' || v.p[i] > '~' ? '?' :
									v.p[i]);
}

void op_name_list_add(struct op_name_list *l, struct op_view name,
		      const char *about)
{
	static const char more[] = ", ...";
	/* A comma and a blank, a blank and parentheses. */
	size_t n = name.n + (about ? strlen(about) + 3 : 0) + 2;

	if (l->is_full)
		return;
	if (n + sizeof(more) > sizeof(l->text) - l->n) {
		l->is_full = true;
		put(l, op_view_z(l->n ? more : more + 2));
		return;
	}
	put(l, op_view_z(l->n ? ", " : ""));
	put(l, name);
	if (!about)
		return;
	put(l, op_view_z(" ("));
	put(l, op_view_z(about));
	put(l, op_view_z(")"));
}

const char *op_name_list_text(const struct op_name_list *l)
{
	return l->n ? l->text : "none";
}
