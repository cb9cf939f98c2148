// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/metadata.c: the metadata event: strings, then a tree of elements.
 *
 *	root
 *	  metadata
 *	    class id= name= superType= simpleType=
 *	      field name= class= constantPool= dimension=
 *	        annotation class= value=
 */
#include "fmt/jfr/metadata.h"

#include <stdio.h>

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/value.h"

enum {
	MAX_DEPTH = 32,
	MAX_ID = 1 << 20,  /* of types */
	MAX_FIELDS = 4096, /* of a type */
};

/* --- strings --- */

static void names_read(struct op_jfr_chunk *c, struct op_jfr_cur *in)
{
	uint64_t n = op_jfr_int(in);

	/* Each takes a byte at least. */
	if (n > op_cur_left(&in->c)) {
		op_cur_fail(
			&in->c, in->c.p, OP_EFORMAT,
			"%llu strings declared, but only %zu bytes are left",
			(unsigned long long)n, op_cur_left(&in->c));
		return;
	}
	for (uint64_t i = 0; i < n && !c->err->code; i++)
		(void)op_vec_push(&c->mem, &c->names, op_jfr_text(c, in));
}

static struct op_view name_read(struct op_jfr_chunk *c, struct op_jfr_cur *in)
{
	const uint8_t *at = in->c.p;
	uint64_t i = op_jfr_int(in);

	if (i < c->names.n)
		return c->names.p[i];
	if (!c->err->code)
		op_cur_fail(&in->c, at, OP_EFORMAT,
			    "string index %llu is out of range for a table of "
			    "%zu",
			    (unsigned long long)i, c->names.n);
	return (struct op_view){ 0 };
}

/* --- elements --- */

/* The attributes of an element that matter. */
struct element {
	struct op_view tag, id, name, super, class, dimension, value;
	bool is_simple, is_pool;
	uint64_t nr_children;
};

static void attribute(struct element *e, struct op_view key,
		      struct op_view value)
{
	if (op_view_is(key, "id"))
		e->id = value;
	else if (op_view_is(key, "name"))
		e->name = value;
	else if (op_view_is(key, "superType"))
		e->super = value;
	else if (op_view_is(key, "class"))
		e->class = value;
	else if (op_view_is(key, "dimension"))
		e->dimension = value;
	else if (op_view_is(key, "value"))
		e->value = value;
	else if (op_view_is(key, "simpleType"))
		e->is_simple = op_view_is(value, "true");
	else if (op_view_is(key, "constantPool"))
		e->is_pool = op_view_is(value, "true");
}

static struct element element_read(struct op_jfr_chunk *c,
				   struct op_jfr_cur *in)
{
	struct element e = { .tag = name_read(c, in) };
	uint64_t n = op_jfr_int(in);

	for (uint64_t i = 0; i < n && !c->err->code; i++) {
		struct op_view key = name_read(c, in);

		attribute(&e, key, name_read(c, in));
	}
	e.nr_children = op_jfr_int(in);
	return e;
}

static uint64_t number_of(struct op_view v)
{
	uint64_t x = 0;

	for (size_t i = 0; i < v.n && v.p[i] >= '0' && v.p[i] <= '9'; i++)
		x = x * 10 + (uint64_t)(v.p[i] - '0');
	return x;
}

static void type_add(struct op_jfr_chunk *c, struct op_jfr_cur *in,
		     const struct element *e)
{
	struct op_jfr_type t = {
		.id = number_of(e->id),
		.name = e->name,
		.is_event = op_view_is(e->super, "jdk.jfr.Event"),
		.is_simple = e->is_simple,
		.first_field = (uint32_t)c->fields.n,
	};

	if (t.id >= MAX_ID)
		op_cur_fail(&in->c, in->c.p, OP_ELIMIT,
			    "type id %llu is too large",
			    (unsigned long long)t.id);
	else
		(void)op_vec_push(&c->mem, &c->types, t);
}

static void field_add(struct op_jfr_chunk *c, struct op_jfr_cur *in,
		      const struct element *e)
{
	struct op_jfr_field f = {
		.name = e->name,
		.type_id = number_of(e->class),
		.is_ref = e->is_pool,
		.is_array = number_of(e->dimension) > 0,
	};

	if (!c->types.n)
		return;
	if (c->types.p[c->types.n - 1].nr_fields == MAX_FIELDS)
		op_cur_fail(&in->c, in->c.p, OP_ELIMIT,
			    "a type has more than %d fields", MAX_FIELDS);
	else if (op_vec_push(&c->mem, &c->fields, f))
		c->types.p[c->types.n - 1].nr_fields++;
}

/* Units of numbers are annotations of the field read last. Their types may
 * come later, so it goes by the value alone. */
static void annotation_add(struct op_jfr_chunk *c, const struct element *e)
{
	struct op_jfr_field *f;

	if (!c->fields.n)
		return;
	f = &c->fields.p[c->fields.n - 1];
	if (op_view_is(e->value, "TICKS"))
		f->unit = OP_JFR_TICKS;
	else if (op_view_is(e->value, "NANOSECONDS"))
		f->unit = OP_JFR_NANOS;
	else if (op_view_is(e->value, "MILLISECONDS") ||
		 op_view_is(e->value, "MILLISECONDS_SINCE_EPOCH"))
		f->unit = OP_JFR_MILLIS;
}

/* Goes through the tree; what is open is a stack of children to come. */
static void tree_read(struct op_jfr_chunk *c, struct op_jfr_cur *in)
{
	uint64_t left[MAX_DEPTH] = { 1 };
	bool in_field[MAX_DEPTH] = { 0 };
	int depth = 0;

	while (depth >= 0 && !c->err->code) {
		struct element e;

		if (!left[depth]) {
			depth--;
			continue;
		}
		left[depth]--;
		e = element_read(c, in);
		if (op_view_is(e.tag, "class"))
			type_add(c, in, &e);
		else if (op_view_is(e.tag, "field"))
			field_add(c, in, &e);
		else if (op_view_is(e.tag, "annotation") && in_field[depth])
			annotation_add(c, &e);
		if (!e.nr_children)
			continue;
		if (depth + 1 == MAX_DEPTH) {
			op_cur_fail(&in->c, in->c.p, OP_ELIMIT,
				    "types nested more than %d deep",
				    MAX_DEPTH);
			return;
		}
		left[++depth] = e.nr_children;
		in_field[depth] = op_view_is(e.tag, "field");
	}
}

/* --- after all are known --- */

static enum op_jfr_kind kind_of(struct op_view name)
{
	static const struct {
		const char *name;
		enum op_jfr_kind kind;
	} rows[] = {
		{ "boolean", OP_JFR_BYTE },
		{ "byte", OP_JFR_BYTE },
		{ "char", OP_JFR_SHORT },
		{ "short", OP_JFR_SHORT },
		{ "int", OP_JFR_INT },
		{ "long", OP_JFR_LONG },
		{ "float", OP_JFR_FLOAT },
		{ "double", OP_JFR_DOUBLE },
		{ "java.lang.String", OP_JFR_STRING },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		if (op_view_is(name, rows[i].name))
			return rows[i].kind;
	return OP_JFR_STRUCT;
}

static int ids_index(struct op_jfr_chunk *c)
{
	uint64_t most = 0;

	for (size_t i = 0; i < c->types.n; i++)
		if (c->types.p[i].id > most)
			most = c->types.p[i].id;
	c->nr_by_id = (uint32_t)most + 1;
	c->by_id = op_new_ids(&c->mem, c->nr_by_id);
	if (!c->by_id)
		return c->err->code;
	for (size_t i = 0; i < c->types.n; i++) {
		c->by_id[c->types.p[i].id] = (uint32_t)i;
		c->types.p[i].kind = kind_of(c->types.p[i].name);
	}
	return OP_OK;
}

static void fields_resolve(struct op_jfr_chunk *c)
{
	for (size_t i = 0; i < c->fields.n; i++) {
		struct op_jfr_field *f = &c->fields.p[i];

		f->type = op_jfr_type_of(c, f->type_id);
		f->kind = OP_JFR_STRUCT;
		if (f->type != OP_NO_ID) {
			f->kind = c->types.p[f->type].kind;
			f->is_bool = op_view_is(c->types.p[f->type].name,
						"boolean");
		}
		if (f->is_ref)
			f->kind = OP_JFR_REF;
		f->is_packed = c->h.packed && !f->is_array &&
			       (f->kind == OP_JFR_SHORT ||
				f->kind == OP_JFR_INT ||
				f->kind == OP_JFR_LONG ||
				f->kind == OP_JFR_REF);
	}
}

static void numbers_find(struct op_jfr_chunk *c)
{
	for (size_t i = 0; i < c->types.n; i++) {
		struct op_jfr_type *t = &c->types.p[i];

		t->is_numbers = t->nr_fields > 0;
		for (uint32_t k = 0; k < t->nr_fields; k++)
			t->is_numbers &=
				c->fields.p[t->first_field + k].is_packed;
	}
}

/* A type of the JDK's own, by its name today or in JDK 9. */
static uint32_t own_type(const struct op_jfr_chunk *c, const char *name)
{
	static const char *const starts[] = { "jdk.types.",
					      "com.oracle.jfr.types." };
	char text[64];
	uint32_t type = OP_NO_ID;

	for (size_t i = 0; i < op_countof(starts) && type == OP_NO_ID; i++) {
		snprintf(text, sizeof(text), "%s%s", starts[i], name);
		type = op_jfr_type_named(c, text);
	}
	return type;
}

static void known_types(struct op_jfr_chunk *c)
{
	c->t_string = op_jfr_type_named(c, "java.lang.String");
	c->t_symbol = own_type(c, "Symbol");
	c->t_class = op_jfr_type_named(c, "java.lang.Class");
	c->t_method = own_type(c, "Method");
	c->t_stack = own_type(c, "StackTrace");
	c->t_frame = own_type(c, "StackFrame");
	c->t_frame_type = own_type(c, "FrameType");
	c->t_thread = op_jfr_type_named(c, "java.lang.Thread");
	c->t_group = own_type(c, "ThreadGroup");
	c->t_state = own_type(c, "ThreadState");
}

int op_jfr_metadata_read(struct op_jfr_chunk *c, uint64_t at)
{
	struct op_jfr_cur in = op_jfr_cursor(c, at);

	op_jfr_int(&in); /* size */
	if (op_jfr_long(&in) != 0 && !c->err->code)
		return op_fail_at(c->err, OP_EFORMAT, at,
				  "expected type metadata");
	op_jfr_long(&in); /* start */
	op_jfr_long(&in); /* duration */
	op_jfr_long(&in); /* id */
	names_read(c, &in);
	tree_read(c, &in);
	if (c->err->code || ids_index(c))
		return c->err->code;
	fields_resolve(c);
	numbers_find(c);
	known_types(c);
	return c->err->code;
}

uint32_t op_jfr_type_of(const struct op_jfr_chunk *c, uint64_t id)
{
	return id < c->nr_by_id ? c->by_id[id] : OP_NO_ID;
}

uint32_t op_jfr_type_named(const struct op_jfr_chunk *c, const char *name)
{
	for (uint32_t i = 0; i < c->types.n; i++)
		if (op_view_is(c->types.p[i].name, name))
			return i;
	return OP_NO_ID;
}

const struct op_jfr_field *op_jfr_field_named(const struct op_jfr_chunk *c,
					      const struct op_jfr_type *t,
					      const char *name)
{
	for (uint32_t i = 0; i < t->nr_fields; i++) {
		const struct op_jfr_field *f = &c->fields.p[t->first_field + i];

		if (op_view_is(f->name, name))
			return f;
	}
	return NULL;
}
