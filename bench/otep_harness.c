// SPDX-License-Identifier: Apache-2.0
/* bench/otep_harness.c: the encodings that OTEP 239 compared.
 *
 * Its benchmark wrote less than the file had, and that is what its figures
 * are of:
 *
 *	all        ProfilesData { resource {}, schema_url "todo", scope {},
 *	           profile_id 01 .. 10, the encoding as field 101, 103 or 105 }
 *	           No types, times, periods, comments; strings that are only
 *	           named there are left out; ids are used as places.
 *	pprof      the rest as it was
 *	arrays     equal stacks once, mappings empty, one link of two empty
 *	           ids, a set of attributes for each set of labels behind an
 *	           empty one; each type has the first value of every sample
 *	ext        OTEP 239: samples by depth, the deepest first; a stack that
 *	           the list of locations has is not put in again, but the last
 *	           place where it could be is never looked at; mappings empty,
 *	           no ids, no labels
 *
 * With times each sample is as many as its first value, of values 1, with a
 * time in seconds: in pprof a label whose key is not in the table. */
#include "otep_harness.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/intern.h"
#include "fmt/pprof/fields.h"
#include "pb/read.h"

enum { SECONDS = 1687841528, NO_PLACE = UINT32_MAX };

static bool nomem(struct harness *h)
{
	op_fail(&h->err, OP_ENOMEM, "no memory");
	return false;
}

/* --- reading --- */

static bool set_eq(const void *table, uint32_t id, const void *key)
{
	return op_view_eq(((const struct op_view *)table)[id],
			  *(const struct op_view *)key);
}

/* The labels of a sample, which most writers put last and side by side. */
static uint32_t set_of(struct harness *h, struct op_view labels)
{
	uint32_t hash = op_hash32(labels.p, labels.n);
	uint32_t id = op_intern_find(&h->set_index, hash, set_eq, h->sets.p,
				     &labels);

	if (id == OP_NO_ID) {
		id = (uint32_t)h->sets.n;
		if (!op_vec_push(&h->mem, &h->sets, labels) ||
		    !op_intern_add(&h->set_index, &h->mem, hash, id))
			nomem(h);
	}
	return id + 1;
}

static void sample_read(struct harness *h, struct op_cur c)
{
	struct harness_sample s = { .first = (uint32_t)h->locations.n,
				    .first_value = (uint32_t)h->values.n,
				    .msg = op_cur_rest(&c) };
	struct op_view labels = { c.end, 0 };
	struct op_pb_field f;
	bool ok = true;

	for (const uint8_t *at = c.p; op_pb_next(&c, &f); at = c.p) {
		struct op_cur run = op_pb_sub(&c, &f);

		if (f.num == PPROF_SAMPLE_LABEL && !labels.n)
			labels = op_view(at, (size_t)(c.end - at));
		while (f.num == PPROF_SAMPLE_LOCATION && op_cur_more(&run))
			ok &= op_vec_push(&h->mem, &h->locations,
					  op_cur_varint(&run));
		while (f.num == PPROF_SAMPLE_VALUE && op_cur_more(&run))
			ok &= op_vec_push(&h->mem, &h->values,
					  (int64_t)op_cur_varint(&run));
	}
	s.nr = (uint32_t)h->locations.n - s.first;
	s.set = set_of(h, labels);
	if (h->values.n - s.first_value != h->nr_types)
		op_fail(&h->err, OP_EFORMAT, "a sample without its values");
	if (!ok || !op_vec_push(&h->mem, &h->samples, s))
		nomem(h);
}

/* Marks the strings that the fields of a row name. */
static void strings_mark(struct harness *h, struct op_view row, uint32_t first,
			 uint32_t last)
{
	struct op_cur c = op_cur(row, &h->err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.num < first || f.num > last || f.wire != OP_PB_VARINT)
			continue;
		if (f.v < h->rows[PPROF_STRING].n)
			h->strings[f.v] = 1;
		else
			op_fail(&h->err, OP_EFORMAT, "a string past the table");
	}
}

static void labels_mark(struct harness *h, struct op_view labels)
{
	struct op_cur c = op_cur(labels, &h->err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		strings_mark(h, f.bytes, PPROF_LABEL_KEY, PPROF_LABEL_STR);
		strings_mark(h, f.bytes, PPROF_LABEL_UNIT, PPROF_LABEL_UNIT);
	}
}

static void strings_number(struct harness *h)
{
	size_t nr = h->rows[PPROF_STRING].n;
	uint32_t next = 1;

	h->strings = op_new(&h->mem, uint32_t, nr + 1);
	if (!h->strings) {
		nomem(h);
		return;
	}
	for (size_t i = 0; i < h->rows[PPROF_MAPPING].n; i++)
		strings_mark(h, h->rows[PPROF_MAPPING].p[i],
			     PPROF_MAPPING_FILENAME, PPROF_MAPPING_BUILD_ID);
	for (size_t i = 0; i < h->rows[PPROF_FUNCTION].n; i++)
		strings_mark(h, h->rows[PPROF_FUNCTION].p[i],
			     PPROF_FUNCTION_NAME, PPROF_FUNCTION_FILENAME);
	for (size_t i = 0; i < h->sets.n; i++)
		labels_mark(h, h->sets.p[i]);
	for (size_t i = 1; i < nr; i++)
		h->strings[i] = h->strings[i] ? next++ : NO_PLACE;
}

bool harness_read(struct harness *h, struct op_view pprof)
{
	struct op_cur c = op_cur(pprof, &h->err), again = c;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		h->nr_types += f.num == PPROF_SAMPLE_TYPE;
		if (f.num >= PPROF_MAPPING && f.num <= PPROF_STRING &&
		    !op_vec_push(&h->mem, &h->rows[f.num], f.bytes))
			nomem(h);
	}
	while (op_pb_next(&again, &f))
		if (op_pb_key(&f) == OP_PB(PPROF_SAMPLE, OP_PB_LEN))
			sample_read(h, op_pb_sub(&again, &f));
	strings_number(h);
	return !h->err.code;
}

bool harness_split(struct harness *h)
{
	size_t nr = h->samples.n;
	const struct harness_sample *old = h->samples.p;
	uint32_t ones = (uint32_t)h->values.n;

	h->samples.p = NULL;
	h->samples.n = h->samples.cap = 0;
	for (uint32_t i = 0; i < h->nr_types; i++)
		if (!op_vec_push(&h->mem, &h->values, 1))
			return nomem(h);
	for (size_t i = 0; i < nr; i++) {
		struct harness_sample s = old[i];
		int64_t times = h->nr_types ? h->values.p[s.first_value] : 0;

		s.first_value = ones;
		s.time = SECONDS;
		while (times-- > 0)
			if (!op_vec_push(&h->mem, &h->samples, s))
				return nomem(h);
	}
	return true;
}

void harness_free(struct harness *h)
{
	op_arena_free(&h->mem);
}

/* --- writing, from the end --- */

static void run_write(struct op_pbw *w, uint32_t num, const uint64_t *v,
		      size_t n)
{
	size_t end = op_pbw_mark(w);

	while (n--)
		op_pbw_varint(w, v[n]);
	op_pbw_len_nonempty(w, num, end);
}

static void values_write(const struct harness *h, struct op_pbw *w,
			 const struct harness_sample *s)
{
	run_write(w, PPROF_SAMPLE_VALUE,
		  (const uint64_t *)h->values.p + s->first_value, h->nr_types);
}

static void strings_write(const struct harness *h, struct op_pbw *w,
			  uint32_t num)
{
	for (size_t i = h->rows[PPROF_STRING].n; i--;)
		if (h->strings[i] != NO_PLACE)
			op_pbw_bytes(w, num, h->rows[PPROF_STRING].p[i]);
}

/* The number that a field of a row has; 0 if it has none. */
static uint64_t number(struct op_view row, uint32_t num)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(row, &err);
	struct op_pb_field f;
	uint64_t v = 0;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(num, OP_PB_VARINT))
			v = f.v;
	return v;
}

static uint64_t string(const struct harness *h, struct op_view row,
		       uint32_t num)
{
	return h->strings[number(row, num)];
}

/* The fields of a row, in another encoding as to[i] for 1 + i. */
static void function_write(const struct harness *h, struct op_pbw *w,
			   struct op_view row, uint32_t shift)
{
	op_pbw_uint(w, PPROF_FUNCTION_START_LINE - shift,
		    number(row, PPROF_FUNCTION_START_LINE));
	for (uint32_t f = PPROF_FUNCTION_FILENAME; f >= PPROF_FUNCTION_NAME;
	     f--)
		op_pbw_uint(w, f - shift, string(h, row, f));
}

static void lines_write(struct op_pbw *w, struct op_view row, uint32_t num)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(row, &err);
	struct op_view lines[64];
	struct op_pb_field f;
	size_t n = 0;

	while (op_pb_next(&c, &f))
		if (f.num == PPROF_LOCATION_LINE && n < op_countof(lines))
			lines[n++] = f.bytes;
	while (n--) {
		size_t end = op_pbw_mark(w);

		op_pbw_uint(w, PPROF_LINE_LINE,
			    number(lines[n], PPROF_LINE_LINE));
		op_pbw_uint(w, PPROF_LINE_FUNCTION,
			    number(lines[n], PPROF_LINE_FUNCTION));
		op_pbw_len(w, num, end);
	}
}

static void location_write(struct op_pbw *w, struct op_view row, uint32_t shift)
{
	lines_write(w, row, PPROF_LOCATION_LINE - shift);
	op_pbw_uint(w, PPROF_LOCATION_ADDRESS - shift,
		    number(row, PPROF_LOCATION_ADDRESS));
	op_pbw_uint(w, PPROF_LOCATION_MAPPING - shift,
		    number(row, PPROF_LOCATION_MAPPING));
}

/* Functions, locations and mappings in the fields f, l and m. Their own fields
 * have the numbers of pprof less shift. */
static void rows_write(const struct harness *h, struct op_pbw *w,
		       const uint32_t fields[3], uint32_t shift)
{
	for (size_t i = h->rows[PPROF_FUNCTION].n; i--;) {
		size_t end = op_pbw_mark(w);

		function_write(h, w, h->rows[PPROF_FUNCTION].p[i], shift);
		op_pbw_len(w, fields[0], end);
	}
	for (size_t i = h->rows[PPROF_LOCATION].n; i--;) {
		size_t end = op_pbw_mark(w);

		location_write(w, h->rows[PPROF_LOCATION].p[i], shift);
		op_pbw_len(w, fields[1], end);
	}
	for (size_t i = h->rows[PPROF_MAPPING].n; i--;)
		op_pbw_len(w, fields[2], op_pbw_mark(w));
}

/* --- pprof --- */

/* Rows with their strings renumbered; ids stay. */
static void pprof_row(const struct harness *h, struct op_pbw *w, uint32_t num,
		      struct op_view row)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(row, &err);
	size_t end = op_pbw_mark(w);
	struct op_pb_field f[64];
	size_t n = 0;

	while (n < op_countof(f) && op_pb_next(&c, &f[n]))
		n++;
	while (n--) {
		bool text = num == PPROF_FUNCTION ?
				    f[n].num >= PPROF_FUNCTION_NAME &&
					    f[n].num <=
						    PPROF_FUNCTION_FILENAME :
			    num == PPROF_MAPPING ?
				    f[n].num == PPROF_MAPPING_FILENAME ||
					    f[n].num == PPROF_MAPPING_BUILD_ID :
			    num == PPROF_SAMPLE_LABEL ?
				    f[n].num != PPROF_LABEL_NUM :
				    false;

		if (f[n].wire == OP_PB_LEN)
			op_pbw_bytes(w, f[n].num, f[n].bytes);
		else
			op_pbw_uint(w, f[n].num,
				    text ? h->strings[f[n].v] : f[n].v);
	}
	op_pbw_len(w, num, end);
}

static void pprof_labels(const struct harness *h, struct op_pbw *w,
			 struct op_view labels)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(labels, &err);
	struct op_view all[64];
	struct op_pb_field f;
	size_t n = 0;

	while (n < op_countof(all) && op_pb_next(&c, &f))
		all[n++] = f.bytes;
	while (n--)
		pprof_row(h, w, PPROF_SAMPLE_LABEL, all[n]);
}

static void pprof_write(const struct harness *h, struct op_pbw *w)
{
	strings_write(h, w, PPROF_STRING);
	for (uint32_t t = PPROF_FUNCTION; t >= PPROF_MAPPING; t--)
		for (size_t i = h->rows[t].n; i--;)
			pprof_row(h, w, t, h->rows[t].p[i]);
	for (size_t i = h->samples.n; i--;) {
		const struct harness_sample *s = &h->samples.p[i];
		size_t end = op_pbw_mark(w);

		if (s->time) {
			op_pbw_uint(w, PPROF_LABEL_NUM, s->time);
			op_pbw_uint(w, PPROF_LABEL_KEY, 1);
			op_pbw_len(w, PPROF_SAMPLE_LABEL, end);
		}
		pprof_labels(h, w, h->sets.p[s->set - 1]);
		values_write(h, w, s);
		run_write(w, PPROF_SAMPLE_LOCATION, h->locations.p + s->first,
			  s->nr);
		op_pbw_len(w, PPROF_SAMPLE, end);
	}
}

/* --- arrays --- */

struct stacks {
	const struct harness *h;
	OP_VEC(uint32_t) samples; /* the first of each stack */
};

static bool stack_eq(const void *table, uint32_t id, const void *key)
{
	const struct stacks *s = table;
	const struct harness_sample *a = &s->h->samples.p[s->samples.p[id]];
	const struct harness_sample *b = key;
	const uint64_t *ids = s->h->locations.p;

	return a->nr == b->nr &&
	       !memcmp(ids + a->first, ids + b->first, a->nr * sizeof(*ids));
}

/* The stack of each sample, equal ones once. */
static uint64_t *stacks_make(struct harness *h, struct stacks *s)
{
	uint64_t *of = op_new(&h->mem, uint64_t, h->samples.n);
	struct op_intern index = { 0 };

	for (size_t i = 0; of && i < h->samples.n; i++) {
		const struct harness_sample *x = &h->samples.p[i];
		uint32_t hash = op_hash32(h->locations.p + x->first,
					  x->nr * sizeof(uint64_t));
		uint32_t id = op_intern_find(&index, hash, stack_eq, s, x);

		if (id == OP_NO_ID) {
			id = (uint32_t)s->samples.n;
			if (!op_vec_push(&h->mem, &s->samples, (uint32_t)i) ||
			    !op_intern_add(&index, &h->mem, hash, id))
				return NULL;
		}
		of[i] = id;
	}
	return of;
}

/* A set of labels as KeyValues. */
static void set_write(const struct harness *h, struct op_pbw *w,
		      struct op_view labels)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(labels, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		uint64_t str = number(f.bytes, PPROF_LABEL_STR);
		size_t end = op_pbw_mark(w);

		if (str) {
			op_pbw_bytes(w, 1, h->rows[PPROF_STRING].p[str]);
		} else {
			op_pbw_varint(w, number(f.bytes, PPROF_LABEL_NUM));
			op_pbw_varint(w, OP_PB(3, OP_PB_VARINT));
		}
		op_pbw_len(w, 2, end);
		op_pbw_bytes(w, 1,
			     h->rows[PPROF_STRING]
				     .p[number(f.bytes, PPROF_LABEL_KEY)]);
		op_pbw_len(w, 1, end);
	}
}

/* The lists of a type: field by field, of every sample. */
static void type_write(const struct harness *h, struct op_pbw *w,
		       const uint64_t *stacks)
{
	size_t end = op_pbw_mark(w), part = end, n = h->samples.n;
	const struct harness_sample *s = h->samples.p;

	for (size_t i = n; n && s->time && i--;)
		op_pbw_varint(w, s[i].time);
	op_pbw_len_nonempty(w, 14, part);
	part = op_pbw_mark(w);
	for (size_t i = n; i--;)
		op_pbw_varint(w, (uint64_t)h->values.p[s[i].first_value]);
	op_pbw_len(w, 13, part);
	part = op_pbw_mark(w);
	for (size_t i = n; i--;)
		op_pbw_varint(w, s[i].set);
	op_pbw_len(w, 12, part);
	run_write(w, 10, stacks, n);
	op_pbw_len(w, 10, end);
}

static void arrays_write(struct harness *h, struct op_pbw *w)
{
	static const uint32_t fields[] = { 6, 5, 4 };
	struct stacks s = { .h = h };
	uint64_t *of = stacks_make(h, &s);
	size_t end;

	if (!of) {
		nomem(h);
		return;
	}
	for (uint32_t t = 0; t < h->nr_types; t++)
		type_write(h, w, of);
	strings_write(h, w, 9);
	for (size_t i = h->sets.n; i--;) {
		end = op_pbw_mark(w);
		set_write(h, w, h->sets.p[i]);
		op_pbw_len(w, 8, end);
	}
	op_pbw_len(w, 8, op_pbw_mark(w));
	end = op_pbw_mark(w);
	op_pbw_len(w, 2, end);
	op_pbw_len(w, 1, op_pbw_mark(w));
	op_pbw_len(w, 7, end);
	rows_write(h, w, fields, 1);
	for (size_t i = s.samples.n; i--;) {
		const struct harness_sample *x = &h->samples.p[s.samples.p[i]];

		end = op_pbw_mark(w);
		run_write(w, 1, h->locations.p + x->first, x->nr);
		op_pbw_len(w, 2, end);
	}
}

/* --- OTEP 239 --- */

struct order {
	uint32_t nr, sample;
};

static int deepest_first(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	return x->sample < y->sample ? -1 : x->sample > y->sample;
}

/* The list of locations, and where each of them stands in it. */
struct list {
	uint64_t *p;
	uint32_t n;
	uint32_t *next;	       /* place of the same location */
	uint32_t *head, *tail; /* by location */
};

static bool list_new(struct harness *h, struct list *l)
{
	uint64_t most = 0;
	size_t all = 0; /* as long as the list can become */

	for (size_t i = 0; i < h->samples.n; i++)
		all += h->samples.p[i].nr;
	for (size_t i = 0; i < h->locations.n; i++)
		if (h->locations.p[i] > most)
			most = h->locations.p[i];
	if (most > 1 << 28) {
		op_fail(&h->err, OP_ELIMIT, "ids of locations are too large");
		return false;
	}
	l->p = op_new(&h->mem, uint64_t, all);
	l->next = op_new(&h->mem, uint32_t, all);
	l->head = op_new(&h->mem, uint32_t, most + 1);
	l->tail = op_new(&h->mem, uint32_t, most + 1);
	if (!l->p || !l->next || !l->head || !l->tail)
		return nomem(h);
	memset(l->head, 0xff, (most + 1) * sizeof(*l->head));
	return true;
}

static uint32_t list_find(const struct list *l, const uint64_t *ids,
			  uint32_t nr)
{
	for (uint32_t at = l->head[ids[0]]; at != NO_PLACE; at = l->next[at])
		/* Not <=, as it was. */
		if (at + nr < l->n &&
		    !memcmp(l->p + at, ids, nr * sizeof(*ids)))
			return at;
	return NO_PLACE;
}

static uint32_t list_put(struct list *l, const uint64_t *ids, uint32_t nr)
{
	uint32_t at = nr ? list_find(l, ids, nr) : 0;

	if (at != NO_PLACE)
		return at;
	at = l->n;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t here = l->n++;

		l->p[here] = ids[i];
		l->next[here] = NO_PLACE;
		if (l->head[ids[i]] == NO_PLACE)
			l->head[ids[i]] = here;
		else
			l->next[l->tail[ids[i]]] = here;
		l->tail[ids[i]] = here;
	}
	return at;
}

static void ext_write(struct harness *h, struct op_pbw *w)
{
	static const uint32_t fields[] = { PPROF_FUNCTION, PPROF_LOCATION,
					   PPROF_MAPPING };
	size_t n = h->samples.n;
	struct order *order = op_new(&h->mem, struct order, n);
	uint32_t *start = op_new(&h->mem, uint32_t, n);
	struct list l = { 0 };

	if (!order || !start || !list_new(h, &l)) {
		nomem(h);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct order){ h->samples.p[i].nr, i };
	qsort(order, n, sizeof(*order), deepest_first);
	for (size_t i = 0; i < n; i++) {
		const struct harness_sample *s = &h->samples.p[order[i].sample];

		start[i] = list_put(&l, h->locations.p + s->first, s->nr);
	}
	run_write(w, 15, l.p, l.n);
	strings_write(h, w, PPROF_STRING);
	rows_write(h, w, fields, 0);
	for (size_t i = n; i--;) {
		const struct harness_sample *s = &h->samples.p[order[i].sample];
		size_t end = op_pbw_mark(w);

		run_write(w, 13, &s->time, s->time != 0);
		op_pbw_uint(w, 8, s->nr);
		op_pbw_uint(w, 7, start[i]);
		values_write(h, w, s);
		op_pbw_len(w, PPROF_SAMPLE, end);
	}
}

/* --- around it --- */

void harness_write(struct harness *h, enum harness_kind kind, struct op_pbw *w)
{
	static const uint32_t fields[] = { 101, 103, 105 };
	static const uint8_t id[] = { 1, 2,  3,	 4,  5,	 6,  7,	 8,
				      9, 10, 11, 12, 13, 14, 15, 16 };
	size_t end = op_pbw_mark(w), inner;

	op_pbw_bytes(w, 3, op_view_z("todo"));
	inner = op_pbw_mark(w);
	if (kind == HARNESS_PPROF)
		pprof_write(h, w);
	else if (kind == HARNESS_ARRAYS)
		arrays_write(h, w);
	else
		ext_write(h, w);
	op_pbw_len(w, fields[kind], inner);
	op_pbw_bytes(w, 1, op_view(id, sizeof(id)));
	op_pbw_len(w, 2, inner); /* of the scope */
	op_pbw_len(w, 1, op_pbw_mark(w));
	op_pbw_len(w, 2, inner); /* of the resource */
	op_pbw_len(w, 1, op_pbw_mark(w));
	op_pbw_len(w, 1, end);
}
