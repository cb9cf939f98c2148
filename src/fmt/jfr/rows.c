// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/rows.c: frames, threads and classes as rows of the model.
 *
 * Types are described by each chunk anew: where the fields are that a row is
 * made of is found out once per chunk, as a layout. */
#include "fmt/jfr/rows.h"

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/constant_pool.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/key_cache.h"
#include "fmt/jfr/metadata.h"
#include "fmt/jfr/packed_event.h"
#include "fmt/jfr/value.h"
#include "model/semconv.h"

/* --- layouts --- */

enum { METHOD_CLASS, METHOD_NAME, METHOD_DESCRIPTOR, NR_METHOD };
enum { CLASS_NAME, NR_CLASS };
enum { GROUP_NAME, NR_GROUP };
enum { STACK_TRUNCATED, STACK_FRAMES, NR_STACK };
enum { FRAME_METHOD, FRAME_LINE, FRAME_BCI, FRAME_TYPE, NR_FRAME };
enum {
	THREAD_OS_NAME,
	THREAD_OS_ID,
	THREAD_JAVA_NAME,
	THREAD_JAVA_ID,
	THREAD_GROUP,
	THREAD_VIRTUAL,
	NR_THREAD,
};

static bool is_string_ref(const struct op_jfr_chunk *c,
			  const struct op_jfr_field *f)
{
	return f->kind == OP_JFR_REF && f->type == c->t_string &&
	       c->t_string != OP_NO_ID;
}

/* A name says with its first letter how the field must be written: # as a
 * number, ' as a text, [ as frames. What says otherwise is not wanted. */
static bool is_field(const struct op_jfr_chunk *c, const struct op_jfr_field *f,
		     const char *name)
{
	if (!op_view_is(f->name, name + 1))
		return false;
	if (*name == '[')
		return f->is_array && f->kind == OP_JFR_STRUCT &&
		       f->type == c->t_frame;
	if (*name == '\'')
		return !f->is_array &&
		       (f->kind == OP_JFR_STRING || is_string_ref(c, f));
	return !f->is_array && f->kind != OP_JFR_STRING &&
	       f->kind != OP_JFR_STRUCT;
}

static void layout_make(struct op_jfr_chunk *c, struct op_jfr_layout *l,
			uint32_t type, const char *const *names, uint8_t nr)
{
	const struct op_jfr_type *t;

	*l = (struct op_jfr_layout){ .type = type };
	if (type == OP_NO_ID)
		return;
	t = &c->types.p[type];
	l->nr = t->nr_fields;
	for (uint32_t i = 0; i < t->nr_fields && i < OP_JFR_MAX_FIELDS; i++) {
		const struct op_jfr_field *f = &c->fields.p[t->first_field + i];

		l->slot[i] = OP_JFR_NO_SLOT;
		for (uint8_t k = 0; k < nr; k++)
			if (is_field(c, f, names[k])) {
				l->slot[i] = k;
				l->nr_wanted = i + 1;
				l->refs |= (uint32_t)is_string_ref(c, f) << k;
			}
	}
}

/* The same where all fields are packed numbers, as those of frames are. */
static void numbers_read(const struct op_jfr_layout *l, struct op_jfr_cur *in,
			 uint64_t *out)
{
	uint32_t most = l->nr < OP_JFR_MAX_FIELDS ? l->nr : OP_JFR_MAX_FIELDS;
	uint64_t v;

	for (uint32_t i = 0; i < most; i++) {
		v = op_jfr_varint(&in->c);
		if (op_likely(l->slot[i] != OP_JFR_NO_SLOT))
			out[l->slot[i]] = v;
	}
	for (uint32_t i = most; i < l->nr; i++)
		op_jfr_varint(&in->c);
}

/* The wanted fields of a value: numbers as they are, of all others the byte
 * of the chunk where they begin. What is behind the last one that is wanted is
 * not gone through, nor is that one itself unless it is a number: reading the
 * pool went through all of the value. */
static void layout_read(struct op_jfr_chunk *c, const struct op_jfr_layout *l,
			struct op_jfr_cur *in, uint64_t *out)
{
	const struct op_jfr_field *f =
		&c->fields.p[c->types.p[l->type].first_field];

	if (c->types.p[l->type].is_numbers) {
		numbers_read(l, in, out);
		return;
	}
	for (uint32_t i = 0; i < l->nr_wanted && !c->err->code; i++, f++) {
		uint8_t slot = l->slot[i];

		if (op_likely(f->is_packed && slot != OP_JFR_NO_SLOT)) {
			out[slot] = op_jfr_varint(&in->c);
		} else if (slot == OP_JFR_NO_SLOT) {
			op_jfr_skip(c, in, f);
		} else if (f->is_array || f->kind == OP_JFR_STRING ||
			   f->kind == OP_JFR_STRUCT) {
			out[slot] = (uint64_t)(in->c.p - c->bytes.p);
			if (i + 1 < l->nr_wanted)
				op_jfr_skip(c, in, f);
		} else {
			out[slot] = op_jfr_number(in, f->kind);
		}
	}
}

/* The value of an id in a pool; false if it is missing. */
static bool row_read(struct op_jfr_chunk *c, const struct op_jfr_layout *l,
		     uint64_t id, uint64_t *out)
{
	struct op_jfr_cur in;
	uint64_t at;
	uint32_t slot;

	if (!op_jfr_pool_find(c, l->type, id, &at, &slot))
		return false;
	in = op_jfr_cursor(c, at);
	layout_read(c, l, &in, out);
	return !c->err->code;
}

/* The text of a slot, which is where it begins or its id. */
static struct op_view text_of(struct op_jfr_chunk *c,
			      const struct op_jfr_layout *l, uint32_t slot,
			      uint64_t v)
{
	struct op_jfr_cur in;

	if (!v)
		return (struct op_view){ 0 };
	if (l->refs >> slot & 1)
		return op_jfr_pool_text(c, c->t_string, v);
	in = op_jfr_cursor(c, v);
	return op_jfr_text(c, &in);
}

int op_jfr_rows_begin(struct op_jfr_chunk *c)
{
	static const char *const method[] = { "#type", "#name", "#descriptor" };
	static const char *const class[] = { "#name" };
	static const char *const group[] = { "'name" };
	static const char *const stack[] = { "#truncated", "[frames" };
	static const char *const frame[] = { "#method", "#lineNumber",
					     "#bytecodeIndex", "#type" };
	static const char *const thread[] = { "'osName",   "#osThreadId",
					      "'javaName", "#javaThreadId",
					      "#group",	   "#virtual" };
	struct op_jfr_rows *r = op_new(&c->mem, struct op_jfr_rows, 1);
	const struct op_jfr_pool *p;

	c->rows = r;
	if (!r)
		return c->err->code;
	r->text.err = c->err;
	op_jfr_recent_init(&r->recent);
	layout_make(c, &r->method, c->t_method, method, NR_METHOD);
	layout_make(c, &r->class, c->t_class, class, NR_CLASS);
	layout_make(c, &r->group, c->t_group, group, NR_GROUP);
	layout_make(c, &r->stack, c->t_stack, stack, NR_STACK);
	layout_make(c, &r->frame, c->t_frame, frame, NR_FRAME);
	layout_make(c, &r->thread, c->t_thread, thread, NR_THREAD);
	if (c->t_method != OP_NO_ID)
		r->methods = op_new(&c->mem, struct op_jfr_method,
				    c->types.p[c->t_method].pool.ids.n);
	if (c->t_frame_type == OP_NO_ID)
		return c->err->code;
	p = &c->types.p[c->t_frame_type].pool;
	for (size_t i = 0; i < p->ids.n; i++)
		r->has_kernel |= op_view_is(op_jfr_pool_text(c, c->t_frame_type,
							     p->ids.p[i]),
					    "Kernel");
	return c->err->code;
}

void op_jfr_rows_end(struct op_jfr_chunk *c)
{
	if (c->rows)
		op_buf_free(&c->rows->text);
}

/* --- attributes --- */

static void attr_add(struct op_jfr_chunk *c, const char *key,
		     const struct op_any *v)
{
	uint32_t id = op_build_attr(&c->j->b, op_view_z(key), v,
				    (struct op_view){ 0 }, NULL);

	(void)op_vec_push(&c->mem, &c->rows->ids, id);
}

void op_jfr_attr_text(struct op_jfr_chunk *c, const char *key,
		      struct op_view text)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = text };

	if (text.n)
		attr_add(c, key, &v);
}

void op_jfr_attr_int(struct op_jfr_chunk *c, const char *key, int64_t num)
{
	struct op_any v = { .kind = OP_ANY_INT, .num = num };

	attr_add(c, key, &v);
}

void op_jfr_attr_true(struct op_jfr_chunk *c, const char *key)
{
	struct op_any v = { .kind = OP_ANY_BOOL, .flag = true };

	attr_add(c, key, &v);
}

/* --- names --- */

static void put_dots(struct op_buf *out, struct op_view v)
{
	size_t from = out->n;

	op_buf_view(out, v);
	for (size_t i = from; i < out->n; i++)
		if (out->p[i] == '/')
			out->p[i] = '.';
}

/* "[[I" is int[][], "[Ljava/lang/String;" is java.lang.String[]. */
static void put_array(struct op_buf *out, struct op_view v)
{
	static const char letters[] = "BCDFIJSZ";
	static const char *const names[] = {
		"byte", "char", "double", "float",
		"int",	"long", "short",  "boolean"
	};
	size_t dims = 0;
	const char *letter;

	while (dims < v.n && v.p[dims] == '[')
		dims++;
	v = op_view(v.p + dims, v.n - dims);
	letter = v.n == 1 ? strchr(letters, v.p[0]) : NULL;
	if (letter && *letter)
		op_buf_z(out, names[letter - letters]);
	else if (v.n > 2 && v.p[0] == 'L' && v.p[v.n - 1] == ';')
		put_dots(out, op_view(v.p + 1, v.n - 2));
	else
		put_dots(out, v);
	while (dims--)
		op_buf_z(out, "[]");
}

static void put_class(struct op_buf *out, struct op_view v)
{
	if (v.n && v.p[0] == '[')
		put_array(out, v);
	else
		put_dots(out, v);
}

struct op_view op_jfr_class_symbol(struct op_jfr_chunk *c, uint64_t id)
{
	uint64_t v[NR_CLASS] = { 0 };

	if (!row_read(c, &c->rows->class, id, v))
		return (struct op_view){ 0 };
	return op_jfr_pool_text(c, c->t_symbol, v[CLASS_NAME]);
}

struct op_view op_jfr_class_name(struct op_jfr_chunk *c, uint64_t id)
{
	struct op_buf *text = &c->rows->text;

	text->n = 0;
	put_class(text, op_jfr_class_symbol(c, id));
	return op_view(text->p, text->n);
}

/* --- functions --- */

bool op_jfr_method_read(struct op_jfr_chunk *c, uint64_t id,
			struct op_jfr_method *m)
{
	struct op_jfr_method *cached;
	uint64_t v[NR_METHOD] = { 0 }, at;
	struct op_jfr_cur in;
	uint32_t slot;

	*m = (struct op_jfr_method){ 0 };
	if (!op_jfr_pool_find(c, c->t_method, id, &at, &slot))
		return false;
	cached = &c->rows->methods[slot];
	if (cached->is_known) {
		*m = *cached;
		return true;
	}
	in = op_jfr_cursor(c, at);
	layout_read(c, &c->rows->method, &in, v);
	if (c->err->code)
		return false;
	m->class = op_jfr_class_symbol(c, v[METHOD_CLASS]);
	m->name = op_jfr_pool_text(c, c->t_symbol, v[METHOD_NAME]);
	m->descriptor = op_jfr_pool_text(c, c->t_symbol, v[METHOD_DESCRIPTOR]);
	m->is_known = !c->err->code;
	*cached = *m;
	return true;
}

static struct op_view method_text(struct op_jfr_chunk *c,
				  const struct op_jfr_method *m)
{
	struct op_buf *text = &c->rows->text;

	text->n = 0;
	put_class(text, m->class);
	if (m->class.n && m->name.n)
		op_buf_byte(text, '.');
	op_buf_view(text, m->name);
	return op_view(text->p, text->n);
}

struct op_view op_jfr_method_name(struct op_jfr_chunk *c, uint64_t id)
{
	struct op_jfr_method m;

	op_jfr_method_read(c, id, &m);
	return method_text(c, &m);
}

static uint32_t java_function(struct op_jfr_chunk *c,
			      const struct op_jfr_method *m)
{
	struct op_builder *b = &c->j->b;
	struct op_buf *text = &c->rows->text;
	struct op_function f = { .name = op_build_string(b,
							 method_text(c, m)) };

	if (m->descriptor.n) {
		text->n = 0;
		op_buf_view(text, m->class);
		op_buf_byte(text, '.');
		op_buf_view(text, m->name);
		op_buf_view(text, m->descriptor);
		f.system_name = op_build_string(b, op_view(text->p, text->n));
	}
	return op_build_function(b, &f);
}

/* --- frames --- */

enum frame_kind { FRAME_JVM, FRAME_NATIVE, FRAME_KERNEL };

static enum frame_kind kind_of(const struct op_jfr_chunk *c,
			       struct op_view text)
{
	if (op_view_is(text, "Kernel"))
		return FRAME_KERNEL;
	if (op_view_is(text, "C++"))
		return FRAME_NATIVE;
	/* The JDK calls Java methods native that are not written in Java. */
	if (op_view_is(text, "Native") && c->rows->has_kernel)
		return FRAME_NATIVE;
	return FRAME_JVM;
}

/* The attributes of a location; they end the ids at hand. */
static uint32_t frame_attrs(struct op_jfr_chunk *c, struct op_view kind_text,
			    enum frame_kind kind, int32_t bci)
{
	static const char *const types[] = { "jvm", "native", "kernel" };
	struct op_id_vec *ids = &c->rows->ids;
	size_t from = ids->n;
	uint32_t set;

	op_jfr_attr_text(c, OP_ATTR_FRAME_TYPE, op_view_z(types[kind]));
	op_jfr_attr_text(c, OP_ATTR_JFR_FRAME_KIND, kind_text);
	if (bci > 0)
		op_jfr_attr_int(c, "jfr.frame.bci", bci);
	set = op_build_set(&c->j->b, ids->p + from, (uint32_t)(ids->n - from));
	ids->n = from;
	return set;
}

/* What all frames of a type have in common, found out once. */
static struct op_jfr_frame_type frame_type(struct op_jfr_chunk *c, uint64_t id)
{
	struct op_jfr_frame_type fresh = { 0 }, *t = &fresh;

	if (id < op_countof(c->rows->frame_types))
		t = &c->rows->frame_types[id];
	if (t->is_known)
		return *t;
	t->text = op_jfr_pool_text(c, c->t_frame_type, id);
	t->kind = kind_of(c, t->text);
	t->attrs = frame_attrs(c, t->text, t->kind, 0);
	t->is_known = true;
	return *t;
}

/* Methods become functions once. */
static uint32_t java_function_of(struct op_jfr_chunk *c, uint64_t id)
{
	struct op_jfr_method m;
	uint64_t at;
	uint32_t slot, *made;

	if (!op_jfr_pool_find(c, c->t_method, id, &at, &slot))
		return 0;
	made = &c->types.p[c->t_method].pool.made.p[slot];
	if (*made == OP_NO_ID) {
		op_jfr_method_read(c, id, &m);
		*made = java_function(c, &m);
	}
	return *made;
}

/* Native frames have a library in place of a class. */
static uint32_t native_function(struct op_jfr_chunk *c, uint64_t id,
				uint32_t *mapping)
{
	struct op_builder *b = &c->j->b;
	struct op_function f = { 0 };
	struct op_mapping row = { 0 };
	struct op_jfr_method m;

	op_jfr_method_read(c, id, &m);
	f.name = op_build_string(b, m.name);
	row.filename = op_build_string(b, m.class);
	*mapping = op_build_mapping(b, &row);
	return op_build_function(b, &f);
}

static uint32_t location_make(struct op_jfr_chunk *c, const uint64_t *v)
{
	struct op_jfr_frame_type type = frame_type(c, v[FRAME_TYPE]);
	struct op_location row = { .attrs = type.attrs };
	int32_t at = (int32_t)v[FRAME_LINE], bci = (int32_t)v[FRAME_BCI];
	struct op_line line = { .line = at > 0 ? at : 0 };

	if (type.kind == FRAME_JVM)
		line.function = java_function_of(c, v[FRAME_METHOD]);
	else
		line.function = native_function(c, v[FRAME_METHOD],
						&row.mapping);
	if (at <= 0 && bci > 0)
		row.attrs = frame_attrs(c, type.text, type.kind, bci);
	return op_build_location(&c->j->b, &row, &line, 1);
}

static uint32_t frame_read(struct op_jfr_chunk *c, struct op_jfr_cur *in)
{
	const struct op_jfr_layout *l = &c->rows->frame;
	const struct op_jfr_type *t = &c->types.p[l->type];
	uint64_t v[NR_FRAME] = { 0 };

	layout_read(c, l, in, v);
	for (uint32_t i = l->nr_wanted; i < l->nr && !t->is_numbers; i++)
		op_jfr_skip(c, in, &c->fields.p[t->first_field + i]);
	return c->err->code ? 0 : location_make(c, v);
}

static uint32_t location_next(struct op_jfr_chunk *c, struct op_jfr_cur *in)
{
	struct op_jfr_rows *r = c->rows;
	const uint32_t *known;
	struct op_jfr_key key;
	uint32_t location;
	size_t n;

	if (op_unlikely(!c->types.p[r->frame.type].is_numbers ||
			!op_jfr_key(&in->c, r->frame.nr, &key, &n))) {
		r->has_others = true;
		return frame_read(c, in);
	}
	known = op_jfr_key_cache_find(&r->locations, &key);
	if (op_likely(known)) {
		in->c.p += n;
		return *known;
	}
	location = frame_read(c, in);
	op_jfr_key_cache_add(&r->locations, &c->mem, &key, location);
	return location;
}

struct op_jfr_frame_refs op_jfr_frame_refs(const struct op_jfr_chunk *c,
					   const struct op_jfr_key *key)
{
	struct op_view bytes = op_view((const uint8_t *)key, sizeof(*key));
	struct op_err ignored = { 0 };
	struct op_jfr_cur in = { op_cur(bytes, &ignored), true };
	uint64_t v[NR_FRAME] = { 0 };

	numbers_read(&c->rows->frame, &in, v);
	return (struct op_jfr_frame_refs){ v[FRAME_METHOD], v[FRAME_TYPE] };
}

/* The location of a frame of n bytes; OP_NO_ID: it is not known yet. */
op_inline uint32_t location_known(struct op_jfr_rows *r, const uint8_t *p,
				  uint32_t n)
{
	struct op_jfr_recent_slot *recent = NULL;
	const uint32_t *known;
	struct op_jfr_key key;
	uint64_t w;

	if (op_unlikely(n > sizeof(key)))
		return OP_NO_ID;
	if (op_likely(n <= sizeof(w))) {
		memcpy(&w, p, sizeof(w));
		w &= UINT64_MAX >> (64 - 8 * n);
		recent = op_jfr_recent_slot(&r->recent, w);
		if (op_likely(recent->bytes == w))
			return recent->what;
	}
	op_jfr_packed_key(p, n, &key);
	known = op_jfr_key_cache_find(&r->locations, &key);
	if (known && recent)
		*recent = (struct op_jfr_recent_slot){ w, *known };
	return known ? *known : OP_NO_ID;
}

/* The frames from here on whose bytes are known, as far as they go; gives how
 * many. They are packed numbers. */
op_inline size_t locations_known(struct op_jfr_rows *r, struct op_cur *in,
				 uint32_t nr_numbers, size_t nr, uint32_t *out)
{
	size_t n = 0;

	while (n < nr && in->end - in->p >= OP_JFR_PACKED_ROOM) {
		const uint8_t *p = in->p;
		uint32_t ends = op_ends(p), at = 0, bytes;

		if (op_unlikely(op_ends_has_long(ends)))
			break;
		while (n < nr &&
		       (bytes = op_jfr_packed_take(&ends, nr_numbers, &at))) {
			uint32_t id = location_known(r, p + at - bytes, bytes);

			if (op_unlikely(id == OP_NO_ID))
				return n;
			out[n++] = id;
			in->p = p + at;
		}
		if (op_unlikely(!at))
			break;
	}
	return n;
}

/* Nearly all writers have four numbers, which are worth a loop of their own. */
static size_t frames_known(struct op_jfr_rows *r, struct op_cur *in, size_t nr,
			   uint32_t *out)
{
	return op_likely(r->frame.nr == 4) ?
		       locations_known(r, in, 4, nr, out) :
		       locations_known(r, in, r->frame.nr, nr, out);
}

/* --- stacks --- */

/* Bit 31 of what is remembered of a stack: it was cut. */
#define TRUNCATED ((uint32_t)1 << 31)

/* Begins to read a stack, with room for the ids of its frames; gives how many
 * there are. */
static uint64_t stack_begin(struct op_jfr_chunk *c, struct op_jfr_cur *in,
			    uint64_t *v, struct op_jfr_cur *frames)
{
	struct op_jfr_rows *r = c->rows;
	uint64_t n;

	r->ids.n = 0;
	layout_read(c, &r->stack, in, v);
	if (c->err->code || !v[STACK_FRAMES] || r->frame.type == OP_NO_ID ||
	    c->types.p[r->frame.type].is_empty)
		return 0;
	*frames = op_jfr_cursor(c, v[STACK_FRAMES]);
	n = op_jfr_int(frames);
	(void)op_vec_reserve(&c->mem, &r->ids, n);
	return c->err->code ? 0 : n;
}

bool op_jfr_stack_is_cached(struct op_jfr_chunk *c, uint64_t at)
{
	struct op_jfr_cur in = op_jfr_cursor(c, at), frames;
	uint64_t v[NR_STACK] = { 0 };
	uint64_t n = stack_begin(c, &in, v, &frames);

	return !n || (c->types.p[c->rows->frame.type].is_numbers &&
		      frames_known(c->rows, &frames.c, n, c->rows->ids.p) == n);
}

static uint32_t stack_make(struct op_jfr_chunk *c, struct op_jfr_cur *in)
{
	struct op_jfr_rows *r = c->rows;
	uint64_t v[NR_STACK] = { 0 };
	struct op_jfr_cur frames;
	uint64_t n = stack_begin(c, in, v, &frames);
	bool is_numbers = n && c->types.p[r->frame.type].is_numbers;
	uint32_t stack;

	while (n && !c->err->code) {
		size_t some = 0;
		uint32_t id;

		if (is_numbers)
			some = frames_known(r, &frames.c, n,
					    r->ids.p + r->ids.n);
		r->ids.n += some;
		n -= some;
		if (!n)
			break;
		id = location_next(c, &frames);
		(void)op_vec_push(&c->mem, &r->ids, id);
		n--;
	}
	r->has_others |= c->err->code != 0;
	stack = op_build_stack(&c->j->b, r->ids.p, (uint32_t)r->ids.n);
	r->ids.n = 0;
	return stack | (v[STACK_TRUNCATED] ? TRUNCATED : 0);
}

uint32_t op_jfr_stack(struct op_jfr_chunk *c, uint64_t id, bool *truncated)
{
	struct op_jfr_cur in;
	uint32_t slot, *made;
	uint64_t at;

	*truncated = false;
	if (!id || !op_jfr_pool_find(c, c->t_stack, id, &at, &slot))
		return 0;
	made = &c->types.p[c->t_stack].pool.made.p[slot];
	if (*made == OP_NO_ID) {
		in = op_jfr_cursor(c, at);
		*made = stack_make(c, &in);
	}
	*truncated = *made & TRUNCATED;
	return *made & ~TRUNCATED;
}

/* --- threads --- */

static struct op_view thread_name(struct op_jfr_chunk *c, const uint64_t *v)
{
	const struct op_jfr_layout *l = &c->rows->thread;
	struct op_view name = text_of(c, l, THREAD_JAVA_NAME,
				      v[THREAD_JAVA_NAME]);

	if (name.n)
		return name;
	return text_of(c, l, THREAD_OS_NAME, v[THREAD_OS_NAME]);
}

struct op_view op_jfr_thread_name(struct op_jfr_chunk *c, uint64_t id)
{
	uint64_t v[NR_THREAD] = { 0 };

	if (!id || !row_read(c, &c->rows->thread, id, v))
		return (struct op_view){ 0 };
	return thread_name(c, v);
}

static struct op_view group_name(struct op_jfr_chunk *c, uint64_t id)
{
	uint64_t v[NR_GROUP] = { 0 };

	if (!id || !row_read(c, &c->rows->group, id, v))
		return (struct op_view){ 0 };
	return text_of(c, &c->rows->group, GROUP_NAME, v[GROUP_NAME]);
}

/* The id of a thread is Java's, or else the system's. */
static void ids_of(const uint64_t *v, int64_t ids[2])
{
	int64_t java = (int64_t)v[THREAD_JAVA_ID];
	int64_t os = (int64_t)v[THREAD_OS_ID];

	ids[0] = java > 0 ? java : os;
	ids[1] = os > 0 ? os : 0;
}

bool op_jfr_thread_ids(struct op_jfr_chunk *c, uint64_t id, int64_t ids[2])
{
	uint64_t v[NR_THREAD] = { 0 };

	if (!id || !row_read(c, &c->rows->thread, id, v))
		return false;
	ids_of(v, ids);
	return true;
}

static struct op_jfr_thread thread_of(struct op_jfr_chunk *c, const uint64_t *v)
{
	struct op_jfr_thread t = { .is_virtual = v[THREAD_VIRTUAL] };

	ids_of(v, t.ids);
	t.name = thread_name(c, v);
	t.group = group_name(c, v[THREAD_GROUP]);
	return t;
}

bool op_jfr_thread_read(struct op_jfr_chunk *c, uint64_t id,
			struct op_jfr_thread *t)
{
	uint64_t v[NR_THREAD] = { 0 };

	if (!row_read(c, &c->rows->thread, id, v))
		return false;
	*t = thread_of(c, v);
	return true;
}

static uint32_t thread_make(struct op_jfr_chunk *c,
			    const struct op_jfr_thread *t)
{
	struct op_id_vec *ids = &c->rows->ids;
	size_t from = ids->n;
	uint32_t set;

	op_jfr_attr_int(c, OP_ATTR_THREAD_ID, t->ids[0]);
	op_jfr_attr_text(c, OP_ATTR_THREAD_NAME, t->name);
	if (t->ids[1])
		op_jfr_attr_int(c, OP_JFR_ATTR_OS_ID, t->ids[1]);
	op_jfr_attr_text(c, "jfr.thread.group", t->group);
	if (t->is_virtual)
		op_jfr_attr_true(c, "jfr.thread.virtual");
	set = op_build_set(&c->j->b, ids->p + from, (uint32_t)(ids->n - from));
	ids->n = from;
	return set;
}

uint32_t op_jfr_thread(struct op_jfr_chunk *c, uint64_t id)
{
	struct op_jfr_thread t;
	uint32_t slot, *made;
	uint64_t at;

	if (!id || !op_jfr_pool_find(c, c->t_thread, id, &at, &slot))
		return 0;
	made = &c->types.p[c->t_thread].pool.made.p[slot];
	if (*made == OP_NO_ID && op_jfr_thread_read(c, id, &t))
		*made = thread_make(c, &t);
	return *made == OP_NO_ID ? 0 : *made;
}
