// SPDX-License-Identifier: Apache-2.0
/* tests/write/jfr_value.c: values spelled as text, see jfr.h. */
#include "write/jfr_int.h"

#include <ctype.h>
#include <stdlib.h>

enum { MAX_DEPTH = 16 }; /* of inline structs that are all zero */

struct spell {
	struct jfr *j;
	struct jfr_bytes *b;
	const char *s;
};

static void value(struct spell *w, const struct jfr_field *f);
static void fields(struct spell *w, const struct jfr_type *t, char end);

/* Behind white space and marks. */
static void skip_space(struct spell *w)
{
	for (; isspace((unsigned char)*w->s) || *w->s == '^'; w->s++)
		if (*w->s == '^') {
			w->j->is_marked = true;
			w->j->mark = w->b->n;
		}
}

/* Bytes of an integer of the type; 0: it is none. */
static int width_of(const struct jfr_field *f)
{
	static const struct {
		const char *type;
		int width;
	} ints[] = {
		{ "boolean", 1 }, { "byte", 1 }, { "char", 2 },
		{ "short", 2 },	  { "int", 4 },	 { "long", 8 },
	};

	if (!f || f->is_pool)
		return 8;
	for (size_t i = 0; i < sizeof(ints) / sizeof(*ints); i++)
		if (!strcmp(f->type, ints[i].type))
			return ints[i].width;
	return 0;
}

static bool is_string(const struct jfr_field *f)
{
	return !f->is_pool && (!strcmp(f->type, "String") ||
			       !strcmp(f->type, "java.lang.String"));
}

static int float_width(const struct jfr_field *f)
{
	if (!f || f->is_pool)
		return 0;
	return !strcmp(f->type, "float")  ? 4 :
	       !strcmp(f->type, "double") ? 8 :
					    0;
}

static void put_float(struct jfr_bytes *b, double v, int width)
{
	float narrow = (float)v;
	uint32_t bits;
	uint64_t wide;

	memcpy(&bits, &narrow, sizeof(bits));
	memcpy(&wide, &v, sizeof(wide));
	jfr_fixed(b, width == 4 ? bits : wide, width);
}

/* The width that a letter behind a bare number asks for. */
static int bare_width(struct spell *w)
{
	static const char letters[] = "bsci";
	static const int widths[] = { 1, 2, 2, 4 };
	const char *at = *w->s ? strchr(letters, *w->s) : NULL;

	w->s += at != NULL;
	return at ? widths[at - letters] : 8;
}

static void number(struct spell *w, const struct jfr_field *f)
{
	int width = width_of(f), pad = 0;
	uint64_t v;
	char *end;

	if (float_width(f)) {
		put_float(w->b, strtod(w->s, &end), float_width(f));
		w->s = end;
		return;
	}
	v = *w->s == '-' ? (uint64_t)strtoll(w->s, &end, 0) :
			   strtoull(w->s, &end, 0);
	if (end == w->s || !width)
		jfr_refuse(w->s, "no number can be here");
	w->s = end;
	if (!f)
		width = bare_width(w);
	if (*w->s == '~') {
		pad = (int)strtol(w->s + 1, &end, 10);
		w->s = end;
	}
	jfr_int(w->j, w->b, v, width, pad);
}

static void hex(struct spell *w)
{
	char two[3] = "";

	for (w->s++; isxdigit((unsigned char)w->s[0]) &&
		     isxdigit((unsigned char)w->s[1]);
	     w->s += 2) {
		memcpy(two, w->s, 2);
		jfr_byte(w->b, (unsigned int)strtoul(two, NULL, 16));
	}
}

static void string(struct spell *w)
{
	int encoding = *w->s == 'u' ? 4 : *w->s == 'l' ? 5 : 3;
	struct jfr_bytes text = { 0 };

	for (w->s += 1 + (encoding != 3); *w->s != '\''; w->s++) {
		w->s += *w->s == '\\';
		if (!*w->s)
			jfr_refuse(w->s, "a quote is missing");
		jfr_byte(&text, (unsigned char)*w->s);
	}
	w->s++;
	if (text.n)
		jfr_string(w->j, w->b, encoding, op_view(text.p, text.n));
	else
		jfr_byte(w->b, 1);
	free(text.p);
}

/* The id of `text` in the pool of the field's type. */
static void interned(struct spell *w, const struct jfr_field *f)
{
	size_t n = strcspn(++w->s, "`");
	char *text = jfr_text(w->s, n);

	if (!f || !f->is_pool || w->s[n] != '`')
		jfr_refuse(w->s, "no text for a pool can be here");
	jfr_int(w->j, w->b, jfr_id(w->j, f->type, text), 8, 0);
	w->s += n + 1;
	free(text);
}

static void array(struct spell *w, const struct jfr_field *f)
{
	struct jfr_bytes inside = { 0 };
	struct spell in = { w->j, &inside, w->s + 1 };
	struct jfr_field one;
	uint64_t nr = 0, announced = 0;
	bool lies;
	char *end;

	if (!f || !f->is_array)
		jfr_refuse(w->s, "no array can be here");
	one = *f;
	one.is_array = false;
	lies = *in.s == '!';
	if (lies) {
		announced = strtoull(in.s + 1, &end, 0);
		in.s = end;
	}
	for (skip_space(&in); *in.s != ']'; skip_space(&in), nr++)
		value(&in, &one);
	w->s = in.s + 1;
	jfr_int(w->j, w->b, lies ? announced : nr, 4, 0);
	jfr_put(w->b, inside.p, inside.n);
	free(inside.p);
}

/* {values}*n */
static void repeated(struct spell *w)
{
	struct jfr_bytes inside = { 0 };
	struct spell in = { w->j, &inside, w->s + 1 };
	unsigned long nr;
	char *end;

	fields(&in, NULL, '}');
	if (in.s[0] != '}' || in.s[1] != '*')
		jfr_refuse(in.s, "no }*");
	nr = strtoul(in.s + 2, &end, 0);
	w->s = end;
	while (nr--)
		jfr_put(w->b, inside.p, inside.n);
	free(inside.p);
}

static bool take(struct spell *w, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(w->s, word, n) || isalnum((unsigned char)w->s[n]))
		return false;
	w->s += n;
	return true;
}

static void structure(struct spell *w, const struct jfr_field *f)
{
	const struct jfr_type *t = f ? jfr_type_find(w->j, f->type) : NULL;

	w->s++;
	fields(w, t, ')');
	if (*w->s++ != ')')
		jfr_refuse(w->s - 1, "no )");
}

static void value(struct spell *w, const struct jfr_field *f)
{
	const char *s = w->s;

	if (*s == '=') {
		hex(w);
	} else if (*s == '\'' || ((*s == 'u' || *s == 'l') && s[1] == '\'')) {
		string(w);
	} else if (*s == '&') {
		w->s++;
		jfr_byte(w->b, 2);
		number(w, NULL);
	} else if (*s == '`') {
		interned(w, f);
	} else if (*s == '[') {
		array(w, f);
	} else if (*s == '(') {
		structure(w, f);
	} else if (*s == '{') {
		repeated(w);
	} else if (take(w, "null")) {
		jfr_int(w->j, w->b, 0, f && f->is_pool ? 8 : 1, 0);
	} else if (take(w, "true")) {
		jfr_byte(w->b, 1);
	} else if (take(w, "false")) {
		jfr_byte(w->b, 0);
	} else {
		number(w, f);
	}
}

static void zero(struct spell *w, const struct jfr_field *f, int depth)
{
	const struct jfr_type *t;
	struct jfr_field in;
	const char *s;

	if (f->is_array)
		jfr_int(w->j, w->b, 0, 4, 0);
	else if (width_of(f))
		jfr_int(w->j, w->b, 0, width_of(f), 0);
	else if (float_width(f))
		jfr_fixed(w->b, 0, float_width(f));
	else if (is_string(f))
		jfr_byte(w->b, 0);
	else if (depth < MAX_DEPTH && (t = jfr_type_find(w->j, f->type)))
		for (s = t->fields; jfr_field_next(w->j, &s, &in);)
			zero(w, &in, depth + 1);
}

/* Whether the next value is for the field: it has no name, or this one. */
static bool is_for(struct spell *w, const struct jfr_field *f)
{
	size_t n = 0;

	while (isalnum((unsigned char)w->s[n]))
		n++;
	if (!n || w->s[n] != '=')
		return true;
	if (n != strlen(f->name) || memcmp(w->s, f->name, n))
		return false;
	w->s += n + 1;
	return true;
}

/* Values up to end, which stays. */
static void fields(struct spell *w, const struct jfr_type *t, char end)
{
	const char *s = t ? t->fields : "";
	struct jfr_field f;

	skip_space(w);
	while (jfr_field_next(w->j, &s, &f)) {
		if (*w->s == '.') {
			w->s++;
			s = "";
		} else if (*w->s == end || !is_for(w, &f)) {
			zero(w, &f, 0);
		} else {
			value(w, &f);
		}
		skip_space(w);
	}
	for (; *w->s != end; skip_space(w)) {
		if (!*w->s)
			jfr_refuse(w->s, "not closed");
		value(w, NULL);
	}
}

void jfr_values(struct jfr *j, struct jfr_bytes *b, const struct jfr_type *t,
		const char *text)
{
	struct spell w = { j, b, text };

	fields(&w, t, 0);
}
