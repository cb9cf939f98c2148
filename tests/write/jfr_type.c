// SPDX-License-Identifier: Apache-2.0
/* tests/write/jfr_type.c: declared types, by name and field by field. */
#include "write/jfr_int.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *word, *type, *notes;
} short_types[] = {
	{ "ticks", "long", "@Timestamp(TICKS)" },
	{ "epochms", "long", "@Timestamp(MILLISECONDS_SINCE_EPOCH)" },
	{ "span", "long", "@Timespan(TICKS)" },
	{ "ns", "long", "@Timespan(NANOSECONDS)" },
	{ "ms", "long", "@Timespan(MILLISECONDS)" },
	{ "bytes", "long", "@DataAmount(BYTES)" },
	{ "address", "long", "@MemoryAddress" },
	{ "percent", "float", "@Percentage" },
	{ "unsigned", "long", "@Unsigned" },
	{ "uint", "int", "@Unsigned" },
};

/* Whether a field of the flavours that a word names is in this one. */
static bool is_of(enum jfr_flavour flavour, struct op_view word)
{
	static const char *const names[] = { "17", "25", "ap", "dd" };
	bool is_not = word.n && *word.p == '!';

	word = op_view(word.p + is_not, word.n - is_not);
	if (op_view_is(word, "jdk"))
		return is_not != (flavour <= JFR_JDK25);
	return is_not != op_view_is(word, names[flavour]);
}

static void copy(char *out, size_t cap, const char *s, size_t n)
{
	if (n >= cap)
		jfr_refuse(s, "too long");
	memcpy(out, s, n);
	out[n] = 0;
}

/* "name:TYPE*[]@Note(x)" of n bytes. */
static void parse(struct jfr_field *f, const char *s, size_t n)
{
	const char *type = memchr(s, ':', n), *end = s + n, *notes, *behind;

	if (!type)
		jfr_refuse(s, "a field without a type");
	*f = (struct jfr_field){ 0 };
	copy(f->name, sizeof(f->name), s, (size_t)(type - s));
	type++;
	notes = memchr(type, '@', (size_t)(end - type));
	notes = notes ? notes : end;
	copy(f->notes, sizeof(f->notes), notes, (size_t)(end - notes));
	behind = type + strcspn(type, "*[@ ");
	copy(f->type, sizeof(f->type), type, (size_t)(behind - type));
	f->is_pool = memchr(behind, '*', (size_t)(notes - behind));
	f->is_array = memchr(behind, '[', (size_t)(notes - behind));
	for (size_t i = 0; i < sizeof(short_types) / sizeof(*short_types);
	     i++) {
		if (strcmp(f->type, short_types[i].word))
			continue;
		snprintf(f->type, sizeof(f->type), "%s", short_types[i].type);
		n = strlen(f->notes);
		snprintf(f->notes + n, sizeof(f->notes) - n, "%s",
			 short_types[i].notes);
	}
}

bool jfr_field_next(const struct jfr *j, const char **s, struct jfr_field *f)
{
	for (;;) {
		const char *word = *s + strspn(*s, " \t\n"), *bar;
		size_t n = strcspn(word, " \t\n");

		if (!n)
			return false;
		*s = word + n;
		bar = memchr(word, '|', n);
		if (bar &&
		    !is_of(j->flavour, op_view(word, (size_t)(bar - word))))
			continue;
		if (bar)
			word = bar + 1;
		parse(f, word, (size_t)(*s - word));
		return true;
	}
}

bool jfr_has_word(const struct jfr_type *t, const char *word)
{
	for (const char *s = t->head; *s; s += strcspn(s, " ")) {
		s += strspn(s, " ");
		if (op_view_is(op_view(s, strcspn(s, " ")), word))
			return true;
	}
	return false;
}

void jfr_type(struct jfr *j, const char *head, const char *fields)
{
	struct jfr_type *t = jfr_alloc(sizeof(*t));
	size_t n = strcspn(head, " ");
	const char *id = strstr(head, " #");

	t->name = jfr_text(head, n);
	t->head = jfr_text(head + n, strlen(head + n));
	t->fields = jfr_text(fields, strlen(fields));
	t->id = id ? strtoull(id + 2, NULL, 0) : j->next_type++;
	t->next = j->types;
	j->types = t;
	j->is_declared = false;
}

/* name is all of what begins a head, or what is behind its last dot. */
static bool is_named(const char *head, const char *name)
{
	size_t n = strcspn(head, " "), k = strlen(name);

	if (k > n || memcmp(head + n - k, name, k))
		return false;
	return k == n || head[n - k - 1] == '.';
}

struct jfr_type *jfr_type_find(struct jfr *j, const char *name)
{
	for (struct jfr_type *t = j->types; t; t = t->next)
		if (is_named(t->name, name))
			return t;
	for (size_t i = 0; jfr_table[i][0]; i++) {
		if (!is_named(jfr_table[i][0], name))
			continue;
		jfr_type(j, jfr_table[i][0], jfr_table[i][1]);
		return j->types;
	}
	return NULL;
}

uint64_t jfr_type_id(struct jfr *j, const char *name)
{
	struct jfr_type *t;

	if (*name == '#')
		return strtoull(name + 1, NULL, 0);
	t = jfr_type_find(j, name);
	if (!t)
		jfr_refuse(name, "no such type");
	return t->id;
}

void jfr_types_close(struct jfr *j)
{
	const struct jfr_type *done = NULL, *t;
	struct jfr_field f;

	for (; done != j->types; done = t) {
		for (t = j->types; t->next != done; t = t->next)
			;
		for (const char *s = t->fields; jfr_field_next(j, &s, &f);)
			jfr_type_find(j, f.type);
	}
}

void jfr_declare(struct jfr *j, const char *name)
{
	jfr_type_id(j, name);
}

void jfr_types_free(struct jfr *j)
{
	while (j->types) {
		struct jfr_type *t = j->types;

		j->types = t->next;
		free(t->name);
		free(t->head);
		free(t->fields);
		free(t);
	}
}
