// SPDX-License-Identifier: Apache-2.0
/* tests/write/jfr_meta.c: the metadata event, by way of its text. */
#include "write/jfr_int.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct meta {
	const struct jfr *j;
	struct jfr_bytes strings; /* as they will be written */
	struct jfr_bytes list;	  /* char * of each */
	struct jfr_bytes tree;
	const char *s;
};

static uint64_t string_ix(struct meta *m, char *text)
{
	char **list = (char **)(void *)m->list.p;
	size_t n = m->list.n / sizeof(text);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], text)) {
			free(text);
			return i;
		}
	jfr_put(&m->list, &text, sizeof(text));
	jfr_string(m->j, &m->strings, m->j->meta_encoding, op_view_z(text));
	return n;
}

static void skip_space(struct meta *m)
{
	m->s += strspn(m->s, " \t\n");
}

/* A word or a quoted text. */
static uint64_t word(struct meta *m)
{
	const char *s = m->s;
	size_t n;

	if (*s == '\'') {
		n = strcspn(++s, "'");
		m->s = s + n + 1;
	} else {
		n = strcspn(s, " \t\n(){}=!");
		m->s = s + n;
	}
	return string_ix(m, jfr_text(s, n));
}

/* The number of parts, or what !9 says in its place. */
static void count(struct meta *m, struct jfr_bytes *b, uint64_t nr)
{
	char *end = NULL;

	if (*m->s == '!') {
		nr = strtoull(m->s + 1, &end, 0);
		m->s = end;
	}
	jfr_int(m->j, b, nr, 4, 0);
}

static void attributes(struct meta *m, struct jfr_bytes *b)
{
	struct jfr_bytes pairs = { 0 };
	uint64_t nr = 0;

	if (*m->s == '(') {
		m->s++;
		for (skip_space(m); *m->s != ')'; skip_space(m), nr++) {
			jfr_int(m->j, &pairs, word(m), 4, 0);
			if (*m->s++ != '=')
				jfr_refuse(m->s - 1, "no =");
			jfr_int(m->j, &pairs, word(m), 4, 0);
		}
		m->s++;
	}
	count(m, b, nr);
	jfr_put(b, pairs.p, pairs.n);
	free(pairs.p);
}

static void element(struct meta *m, struct jfr_bytes *b)
{
	struct jfr_bytes inside = { 0 };
	uint64_t nr = 0;

	if (!isalpha((unsigned char)*m->s))
		jfr_refuse(m->s, "not an element");
	jfr_int(m->j, b, word(m), 4, 0);
	attributes(m, b);
	if (*m->s == '{') {
		m->s++;
		for (skip_space(m); *m->s != '}'; skip_space(m), nr++)
			element(m, &inside);
		m->s++;
	}
	count(m, b, nr);
	jfr_put(b, inside.p, inside.n);
	free(inside.p);
}

static void metadata_put(struct jfr *j, struct jfr_bytes *body)
{
	j->metadata = jfr_here(j);
	j->is_declared = true;
	jfr_event_put(j, 0, body, 4);
}

void jfr_metadata_text(struct jfr *j, const char *text)
{
	struct meta m = { .j = j, .s = text };
	struct jfr_bytes body = { 0 };
	size_t n;

	skip_space(&m);
	element(&m, &m.tree);
	n = m.list.n / sizeof(char *);
	jfr_int(j, &body, 0, 8, 0); /* start */
	jfr_int(j, &body, 0, 8, 0); /* duration */
	/* A JDK takes the same id in another chunk for the same types. */
	jfr_int(j, &body, ++j->nr_metadata, 8, 0);
	jfr_int(j, &body, n, 4, 0);
	jfr_put(&body, m.strings.p, m.strings.n);
	jfr_put(&body, m.tree.p, m.tree.n);
	for (size_t i = 0; i < n; i++)
		free(((char **)(void *)m.list.p)[i]);
	free(m.list.p);
	free(m.strings.p);
	free(m.tree.p);
	metadata_put(j, &body);
}

void jfr_metadata_raw(struct jfr *j, const char *values)
{
	struct jfr_bytes body = { 0 };

	jfr_values(j, &body, NULL, values);
	metadata_put(j, &body);
}

/* --- the text of the declared types --- */

static void say(struct jfr_bytes *b, const char *fmt, ...) op_printf(2, 3);

static void say(struct jfr_bytes *b, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = jfr_format(fmt, ap);
	va_end(ap);
	jfr_put(b, text, strlen(text));
	free(text);
}

/* Annotations "@Name(value)@Name": each an element. */
static void say_notes(struct jfr *j, struct jfr_bytes *b, const char *s)
{
	while ((s = strchr(s, '@'))) {
		size_t n = strcspn(++s, "(@ ");
		char *name = jfr_text(s, n);

		say(b, "annotation(class=%llu",
		    (unsigned long long)jfr_type_id(j, name));
		free(name);
		s += n;
		if (*s == '(') {
			n = strcspn(++s, ")");
			say(b, " value=%.*s", (int)n, s);
			s += n;
		}
		say(b, ") ");
	}
}

static void say_field(struct jfr *j, struct jfr_bytes *b,
		      const struct jfr_field *f)
{
	say(b, "field(name=%s class=%llu%s%s){ ", f->name,
	    (unsigned long long)jfr_type_id(j, f->type),
	    f->is_pool ? " constantPool=true" : "",
	    f->is_array ? " dimension=1" : "");
	say_notes(j, b, f->notes);
	say(b, "} ");
}

/* What stands before a name, or before what is left of it, in JDK 9. */
static const char *old_start(const struct jfr *j, const char **name)
{
	static const char types[] = "jdk.types.";

	if (!j->is_jdk9 || strncmp(*name, "jdk.", 4) ||
	    !strncmp(*name, "jdk.jfr.", 8))
		return "";
	if (strncmp(*name, types, sizeof(types) - 1))
		return "com.oracle.";
	*name += sizeof(types) - 1;
	return "com.oracle.jfr.types.";
}

static void say_type(struct jfr *j, struct jfr_bytes *b,
		     const struct jfr_type *t)
{
	const char *s = t->fields, *super = strstr(t->head, "super=");
	const char *name = t->name, *start = old_start(j, &name);
	struct jfr_field f;

	say(b, "class(id=%llu name='%s%s'", (unsigned long long)t->id, start,
	    name);
	if (jfr_has_word(t, "event"))
		say(b, " superType=jdk.jfr.Event");
	if (jfr_has_word(t, "annotation"))
		say(b, " superType=java.lang.annotation.Annotation");
	if (super)
		say(b, " superType=%.*s", (int)strcspn(super + 6, " "),
		    super + 6);
	if (jfr_has_word(t, "simple"))
		say(b, " simpleType=true");
	say(b, "){ ");
	say_notes(j, b, t->head);
	while (jfr_field_next(j, &s, &f))
		say_field(j, b, &f);
	say(b, "}\n");
}

/* A type may declare others while it is told, in front of itself; so they are
 * told by id, from the oldest, until there is no newer. */
void jfr_metadata(struct jfr *j)
{
	struct jfr_bytes b = { 0 };
	const struct jfr_type *done = NULL, *t;

	say(&b, "root{ metadata{ ");
	while (done != j->types) {
		for (t = j->types; t->next != done; t = t->next)
			;
		say_type(j, &b, t);
		done = t;
	}
	say(&b, "} region(locale=en gmtOffset=0%s) }",
	    j->flavour == JFR_JDK25 ? " dst=0" : "");
	jfr_byte(&b, 0);
	jfr_metadata_text(j, (const char *)b.p);
	free(b.p);
}
