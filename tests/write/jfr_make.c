// SPDX-License-Identifier: Apache-2.0
/* tests/write/jfr_make.c: pool entries made from a text: classes, methods,
 * stacks, threads. The same text has one id in a chunk. */
#include "write/jfr_int.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* Words for the types of frames, by id. */
static const char *const frame_types[] = {
	"interpreted", "jit", "inlined", "native", "cpp", "kernel", "c1",
};

enum { JIT = 1, NATIVE = 3, CPP = 4, KERNEL = 5 };

static unsigned long long id_of(struct jfr *j, const char *type,
				struct op_view text)
{
	char *z = jfr_text((const char *)text.p, text.n);
	uint64_t id = jfr_id(j, type, z);

	free(z);
	return id;
}

/* Text as it can stand in quotes, to be freed. */
static char *quoted(const char *s)
{
	char *out = jfr_alloc(2 * strlen(s) + 1), *to = out;

	for (; *s; *to++ = *s++)
		if (*s == '\'' || *s == '\\')
			*to++ = '\\';
	return out;
}

/* --- methods: "CLASS.METHOD(DESCRIPTOR)" --- */

static void make_method(struct jfr *j, uint64_t id, const char *text,
			bool is_native)
{
	const char *end = text + strlen(text), *dot;
	const char *paren = is_native ? NULL : strchr(text, '(');
	const char *name_end = paren ? paren : end;
	struct op_view cls = { 0 }, desc = op_view_z(is_native ? "" : "()V");
	unsigned long long class_id = 0, name_id;

	for (dot = name_end; dot > text && dot[-1] != '.'; dot--)
		;
	if (dot > text)
		cls = op_view(text, (size_t)(dot - text) - 1);
	if (paren)
		desc = op_view(paren, (size_t)(end - paren));
	if (dot > text)
		class_id = id_of(j, "java.lang.Class", cls);
	name_id = id_of(j, "jdk.types.Symbol",
			op_view(dot, (size_t)(name_end - dot)));
	jfr_pool(j, "jdk.types.Method", id, "%llu %llu %llu 1", class_id,
		 name_id, id_of(j, "jdk.types.Symbol", desc));
}

/* --- stacks --- */

struct frame {
	char *method;
	long line, bci;
	unsigned int type;
};

/* Cuts "MARK number" off the end of a text; otherwise leaves 0. */
static long cut_number(char *text, char mark)
{
	char *at = strrchr(text, mark), *end;
	long v;

	if (!at || (!isdigit((unsigned char)at[1]) && at[1] != '-'))
		return 0;
	v = strtol(at + 1, &end, 10);
	if (*end)
		return 0;
	*at = 0;
	return v;
}

static void parse_frame(struct frame *f, const char *s, size_t n)
{
	char *plus;

	*f = (struct frame){ .method = jfr_text(s, n), .type = JIT };
	plus = strrchr(f->method, '+');
	for (unsigned int i = 0; plus && i < 7; i++)
		if (!strcmp(plus + 1, frame_types[i])) {
			*plus = 0;
			f->type = i;
			break;
		}
	f->bci = cut_number(f->method, '@');
	f->line = cut_number(f->method, ':');
}

/* Length of the first frame: a ; in parentheses does not end it. */
static size_t frame_length(const char *s)
{
	int depth = 0;
	size_t n;

	for (n = 0; s[n] && (s[n] != ';' || depth > 0); n++)
		depth += (s[n] == '(') - (s[n] == ')');
	return n;
}

static unsigned long long method_id(struct jfr *j, const struct frame *f)
{
	bool is_agent = j->flavour == JFR_ASYNC || j->flavour == JFR_DATADOG;
	bool is_native = f->type == CPP || f->type == KERNEL ||
			 (f->type == NATIVE && is_agent);

	return jfr_id(j, is_native ? "native" : "jdk.types.Method", f->method);
}

void jfr_stack(struct jfr *j, uint64_t id, const char *frames)
{
	bool is_cut = !strncmp(frames, "...;", 4);
	struct jfr_bytes text = { 0 };
	const char *s = frames + (is_cut ? 4 : 0);

	/* The file has the leaf first, so each frame goes before the others. */
	while (*s) {
		size_t n = frame_length(s);
		struct frame f;
		struct jfr_bytes all = { 0 };
		char one[100];

		parse_frame(&f, s, n);
		snprintf(one, sizeof(one), "(%llu %ld %ld %u) ",
			 method_id(j, &f), f.line, f.bci, f.type);
		jfr_put(&all, one, strlen(one));
		jfr_put(&all, text.p, text.n);
		free(text.p);
		free(f.method);
		text = all;
		s += n + (s[n] == ';');
	}
	jfr_byte(&text, 0);
	jfr_pool(j, "jdk.types.StackTrace", id, "%d [%s]", is_cut,
		 (char *)text.p);
	free(text.p);
}

/* --- the others --- */

void jfr_thread(struct jfr *j, uint64_t id, const char *name, uint64_t os_id,
		uint64_t java_id)
{
	char *text = quoted(name);

	jfr_pool(j, "java.lang.Thread", id, "'%s' %llu '%s' %llu", text,
		 (unsigned long long)os_id, text, (unsigned long long)java_id);
	free(text);
}

/* An entry whose only field, or whose field "name", is a text. */
static void make_text(struct jfr *j, const char *type, uint64_t id,
		      const char *text)
{
	char *q = quoted(text);

	jfr_pool(j, type, id, "'%s'", q);
	free(q);
}

static void make(struct jfr *j, const char *type, uint64_t id, const char *text)
{
	if (!strcmp(type, "java.lang.Class"))
		jfr_pool(j, type, id, "0 %llu 0 1",
			 id_of(j, "jdk.types.Symbol", op_view_z(text)));
	else if (!strcmp(type, "jdk.types.Method"))
		make_method(j, id, text, false);
	else if (!strcmp(type, "native"))
		make_method(j, id, text, true);
	else if (!strcmp(type, "jdk.types.StackTrace"))
		jfr_stack(j, id, text);
	else if (!strcmp(type, "java.lang.Thread"))
		jfr_thread(j, id, text, id, id);
	else if (!strcmp(type, "jdk.types.ThreadGroup"))
		jfr_pool(j, type, id, "0 '%s'", text);
	else
		make_text(j, type, id, text);
}

uint64_t jfr_id(struct jfr *j, const char *type, const char *text)
{
	const struct jfr_type *t = jfr_type_find(j, type);
	const char *name = t ? t->name : type;
	const struct jfr_enum *e = jfr_enum_rows(j->flavour, name);
	struct jfr_name *n;

	for (; e && e->name; e++)
		if (!strcmp(e->name, text))
			return e->id;
	for (n = j->names; n; n = n->next)
		if (!strcmp(n->type, name) && !strcmp(n->text, text))
			return n->id;
	n = jfr_alloc(sizeof(*n));
	n->id = j->next_id++;
	n->type = jfr_text(name, strlen(name));
	n->text = jfr_text(text, strlen(text));
	n->next = j->names;
	j->names = n;
	make(j, n->type, n->id, text);
	return n->id;
}
