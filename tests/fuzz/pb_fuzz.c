// SPDX-License-Identifier: Apache-2.0
/* Any bytes, read as protobuf fields by pb/read.h and by a plain second
 * reader: both see the same fields and give up at the same place. What was
 * read, written by pb/write.h and read again, is the same once more. */
#include <stdlib.h>

#include "fuzz/prop.h"
#include "pb/read.h"
#include "pb/write.h"

/* The other reader: one byte at a time, no shortcuts. */
struct naive {
	const uint8_t *p;
	size_t n;
	size_t at;
	bool bad;
};

static uint64_t naive_varint(struct naive *s)
{
	uint64_t v = 0;

	for (int i = 0; i < 10; i++) {
		uint8_t byte;

		if (s->at == s->n)
			break;
		byte = s->p[s->at++];
		if (i == 9 && byte > 1)
			break;
		v += (uint64_t)(byte % 128) << (7 * i);
		if (byte < 128)
			return v;
	}
	s->bad = true;
	return 0;
}

static uint64_t naive_fixed(struct naive *s, size_t bytes)
{
	uint64_t v = 0;

	if (s->n - s->at < bytes) {
		s->bad = true;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++)
		v += (uint64_t)s->p[s->at++] << (8 * i);
	return v;
}

/* False at the end and on anything that is not a field. */
static bool naive_next(struct naive *s, struct op_pb_field *f)
{
	uint64_t tag;

	if (s->bad || s->at == s->n)
		return false;
	tag = naive_varint(s);
	if (s->bad)
		return false;
	if (tag < 8 || tag > UINT32_MAX) {
		s->bad = true;
		return false;
	}
	f->num = (uint32_t)(tag / 8);
	f->wire = tag % 8;
	f->bytes.p = s->p + s->at;
	if (f->wire == 0) {
		f->v = naive_varint(s);
	} else if (f->wire == 1 || f->wire == 5) {
		f->v = naive_fixed(s, f->wire == 1 ? 8 : 4);
	} else if (f->wire == 2) {
		f->v = naive_varint(s);
		f->bytes.p = s->p + s->at;
		if (!s->bad && f->v <= s->n - s->at)
			s->at += f->v;
		else
			s->bad = true;
	} else {
		s->bad = true;
	}
	f->bytes.n = (size_t)(s->p + s->at - f->bytes.p);
	return !s->bad;
}

static size_t naive_count(struct op_view run)
{
	struct naive s = { run.p, run.n, 0, false };
	size_t n = 0;

	while (s.at < s.n && !s.bad) {
		naive_varint(&s);
		n += !s.bad;
	}
	return s.bad ? SIZE_MAX : n;
}

static bool same(const struct op_pb_field *a, const struct op_pb_field *b)
{
	if (a->num != b->num || a->wire != b->wire)
		return false;
	if (a->wire == OP_PB_LEN)
		return op_view_eq(a->bytes, b->bytes);
	return a->v == b->v;
}

/* A field before what is written already. */
static void put(struct op_pbw *w, const struct op_pb_field *f)
{
	switch (f->wire) {
	case OP_PB_VARINT:
		op_pbw_varint(w, f->v);
		break;
	case OP_PB_LEN:
		op_pbw_raw(w, f->bytes);
		op_pbw_varint(w, f->bytes.n);
		break;
	default:
		op_pbw_raw(w, f->bytes);
		break;
	}
	op_pbw_varint(w, OP_PB((uint64_t)f->num, f->wire));
}

static void write_and_read(const struct op_pb_field *fields, size_t n)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	struct op_pb_field f;
	struct op_cur c;
	size_t i = 0;

	for (size_t k = n; k--;)
		put(&w, &fields[k]);
	PROP(!err.code);
	c = op_cur(op_pbw_result(&w), &err);
	while (op_pb_next(&c, &f)) {
		PROP(i < n && same(&f, &fields[i]));
		i++;
	}
	PROP(i == n && !err.code);
	op_pbw_free(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(op_view(data, n), &err);
	struct naive s = { data, n, 0, false };
	struct op_pb_field *fields = malloc((n + 1) * sizeof(*fields));
	struct op_pb_field f, g;
	size_t count = 0;

	if (!fields)
		return 0;
	while (op_pb_next(&c, &f)) {
		PROP(naive_next(&s, &g));
		PROP(same(&f, &g));
		PROP(f.bytes.p == g.bytes.p && f.bytes.n == g.bytes.n);
		PROP(c.p == data + s.at);
		if (f.wire == OP_PB_LEN && naive_count(f.bytes) != SIZE_MAX)
			PROP(op_pb_count(f.bytes) == naive_count(f.bytes));
		fields[count++] = f;
	}
	PROP(!naive_next(&s, &g));
	PROP(s.bad == (err.code != OP_OK));
	if (err.code) {
		prop_error(&err, n);
		PROP(err.has_at);
	}
	write_and_read(fields, count);
	free(fields);
	return 0;
}
