// SPDX-License-Identifier: Apache-2.0
/* fmt/message_reader.c: cuts a stream into messages as their framing says. */
#include "fmt/message_reader.h"

#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/budget.h"

enum { PREFIX = 4, HEAD = 64, READ_BYTES = 64 << 10 };

static size_t held(const struct op_message_reader *r)
{
	return r->buf.n - r->used;
}

static const uint8_t *start(const struct op_message_reader *r)
{
	return r->buf.p + r->used;
}

/* Moves what is held to the front, once that is cheap. */
static void make_room(struct op_message_reader *r)
{
	if (r->used < held(r))
		return;
	if (held(r))
		memcpy(r->buf.p, start(r), held(r));
	r->at += r->used;
	r->buf.n -= r->used;
	r->used = 0;
}

/* Reads some more; false at the end or after a failure. */
static bool fill(struct op_message_reader *r, struct op_err *err)
{
	ssize_t got;

	make_room(r);
	r->buf.err = err;
	if (r->is_end || !op_buf_reserve(&r->buf, READ_BYTES))
		return false;
	do {
		got = read(r->fd, r->buf.p + r->buf.n, r->buf.cap - r->buf.n);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		op_fail_sys(err, "cannot read");
	r->is_end = got <= 0;
	if (got <= 0)
		return false;
	r->buf.n += (size_t)got;
	op_budget_input((uint64_t)got);
	return true;
}

/* Whether so many bytes are held, after reading as many as it takes. */
static bool want(struct op_message_reader *r, size_t n, struct op_err *err)
{
	while (held(r) < n && fill(r, err))
		;
	return held(r) >= n && !err->code;
}

/* Hands out the next n bytes. */
static int give(struct op_message_reader *r, size_t n, struct op_buf *out,
		uint64_t *at, struct op_err *err)
{
	*out = (struct op_buf){ .err = err };
	op_buf_view(out, op_view(start(r), n));
	*at = r->at + r->used;
	r->used += n;
	return err->code ? err->code : 1;
}

static int too_long(const struct op_message_reader *r, struct op_err *err)
{
	return op_fail_at(err, OP_ELIMIT, r->at + r->used,
			  "a message of more than %zu bytes", r->max_bytes);
}

static int cut_off(const struct op_message_reader *r, struct op_err *err)
{
	return op_fail_at(err, OP_EFORMAT, r->at + r->buf.n,
			  "the stream ends inside a message");
}

static int next_by_length(struct op_message_reader *r, struct op_buf *out,
			  uint64_t *at, struct op_err *err)
{
	const uint8_t *p;
	size_t n;

	if (!want(r, PREFIX, err))
		return err->code || !held(r) ? err->code : cut_off(r, err);
	p = start(r);
	n = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
	if (n > r->max_bytes)
		return too_long(r, err);
	if (!want(r, PREFIX + n, err))
		return err->code ? err->code : cut_off(r, err);
	r->used += PREFIX;
	return give(r, n, out, at, err);
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* What has been seen of an object: brackets may stand in strings. */
struct object {
	size_t n;
	uint32_t depth;
	bool in_string, is_escaped;
};

/* Goes on to the end of the object, or of the bytes; true at the former. */
static bool object_scan(struct object *o, const uint8_t *p, size_t n)
{
	while (o->n < n) {
		uint8_t c = p[o->n++];

		if (o->is_escaped) {
			o->is_escaped = false;
		} else if (o->in_string) {
			o->is_escaped = c == '\\';
			o->in_string = c != '"';
		} else if (c == '"') {
			o->in_string = true;
		} else if (c == '{' || c == '[') {
			o->depth++;
		} else if ((c == '}' || c == ']') && o->depth) {
			if (!--o->depth)
				return true;
		}
	}
	return false;
}

/* What is no object goes to the reader as it is, which says so. */
static int next_object(struct op_message_reader *r, struct op_buf *out,
		       uint64_t *at, struct op_err *err)
{
	struct object o = { 0 };

	while (want(r, 1, err) && is_space(*start(r)))
		r->used++;
	if (!held(r) || err->code)
		return err->code;
	while (!object_scan(&o, start(r), held(r))) {
		if (held(r) > r->max_bytes)
			return too_long(r, err);
		if (!fill(r, err))
			return err->code ? err->code : cut_off(r, err);
	}
	return give(r, o.n, out, at, err);
}

static int all_of_it(struct op_message_reader *r, struct op_buf *out,
		     uint64_t *at, struct op_err *err)
{
	while (held(r) <= r->max_bytes && fill(r, err))
		;
	if (held(r) > r->max_bytes)
		return too_long(r, err);
	return err->code || !held(r) ? err->code :
				       give(r, held(r), out, at, err);
}

/* Whether the first bytes are the text of an object. A message of protobuf may
 * begin with a line feed and a bracket, but then has other control characters
 * soon. */
static bool is_object(struct op_view v)
{
	size_t at = 0;

	while (at < v.n && is_space(v.p[at]))
		at++;
	if (at == v.n || v.p[at] != '{')
		return false;
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] < ' ' && !is_space(v.p[i]))
			return false;
	return true;
}

/* No message begins with a byte below 8, which would be field number 0, and no
 * length of less than 128 MiB begins with one above. */
static void framing_find(struct op_message_reader *r, struct op_err *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t n = sizeof(mark) - 1;
	struct op_view head;

	r->framing = OP_FRAMING_NONE;
	want(r, HEAD, err);
	if (held(r) && *start(r) < 8) {
		r->framing = OP_FRAMING_LENGTH;
		return;
	}
	if (held(r) >= n && !memcmp(start(r), mark, n))
		r->used += n;
	head = op_view(start(r), held(r) < HEAD ? held(r) : HEAD);
	if (is_object(head))
		r->framing = OP_FRAMING_JSON;
}

int op_message_next(struct op_message_reader *r, struct op_buf *out,
		    uint64_t *at, struct op_err *err)
{
	if (r->framing == OP_FRAMING_UNKNOWN)
		framing_find(r, err);
	if (err->code)
		return err->code;
	switch (r->framing) {
	case OP_FRAMING_LENGTH:
		return next_by_length(r, out, at, err);
	case OP_FRAMING_JSON:
		return next_object(r, out, at, err);
	default:
		return all_of_it(r, out, at, err);
	}
}

void op_message_reader_free(struct op_message_reader *r)
{
	op_buf_free(&r->buf);
}
