// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_events/read_text.c: protobuf's text format into the wire format,
 * which the reader of messages then reads.
 *
 *	name: 12    name: "a" 'b'    name { ... }    name: [1, 2]
 *
 * More than protobuf allows is read, as the proposal's examples need it: digits
 * with _ between them, and no commas, or too many, in lists.
 *
 * A length stands before what it measures and is not known then, so each has
 * five bytes. If the reader of messages fails, the text is gone through again
 * up to that byte of the wire, and the error names the place in the text. */
#include "fmt/otlp_events/otlp_events_int.h"

#include "base/hex.h"
#include "base/utf8.h"
#include "fmt/otlp_events/schema.h"
#include "pb/json_value.h"
#include "pb/read.h"

enum { DEEPEST = 200, LENGTH_BYTES = 5 };

struct in {
	const uint8_t *p, *end, *base;
	struct op_err *err;
	struct op_buf out; /* the wire */
	/* Which byte of the wire is looked for, and where it comes from. */
	uint64_t want;
	const uint8_t *found;
};

static bool fail(struct in *in, const uint8_t *at, const char *what)
{
	op_fail_at(in->err, OP_EFORMAT, (uint64_t)(at - in->base), "%s", what);
	in->p = in->end;
	return false;
}

/* --- tokens --- */

static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next byte that means something; 0 at the end. */
static uint8_t peek(struct in *in)
{
	for (; in->p < in->end; in->p++) {
		if (*in->p == '#')
			while (in->p < in->end && *in->p != '\n')
				in->p++;
		if (in->p == in->end)
			break;
		if (!is_space(*in->p))
			return *in->p;
	}
	return 0;
}

static bool take(struct in *in, uint8_t c)
{
	if (in->p == in->end || peek(in) != c || in->p == in->end)
		return false;
	in->p++;
	return true;
}

static bool is_word(uint8_t c)
{
	return c == '_' || (c >= '0' && c <= '9') ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* A name, or a number with all that belongs to one. */
static struct op_view word(struct in *in, bool number)
{
	const uint8_t *start;

	peek(in);
	start = in->p;
	while (in->p < in->end &&
	       (is_word(*in->p) ||
		(number && (*in->p == '.' || *in->p == '-' || *in->p == '+'))))
		in->p++;
	return op_view(start, (size_t)(in->p - start));
}

/* --- the wire --- */

static void varint(struct in *in, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		op_buf_byte(&in->out, (int)(v & 0x7f) | 0x80);
	op_buf_byte(&in->out, (int)v);
}

static void fixed64(struct in *in, uint64_t v)
{
	uint8_t *p = op_buf_add(&in->out, sizeof(v));

	if (p)
		memcpy(p, &v, sizeof(v));
}

/* To be called when what at stands for has been put out. */
static void note(struct in *in, const uint8_t *at)
{
	if (!in->found && in->out.n > in->want)
		in->found = at;
}

static void tag(struct in *in, const struct op_events_field *f,
		enum op_pb_wire wire)
{
	varint(in, OP_PB((uint32_t)f->num, wire));
}

/* Begins what has a length; gives where that is to be. */
static size_t sized_begin(struct in *in)
{
	op_buf_add(&in->out, LENGTH_BYTES);
	return in->out.n;
}

static void sized_end(struct in *in, size_t start)
{
	uint64_t n = in->out.n - start;

	if (in->err->code)
		return;
	for (int i = LENGTH_BYTES; i--; n >>= 7)
		in->out.p[start - 1 - (size_t)i] = (uint8_t)((n & 0x7f) |
							     (i ? 0x80 : 0));
}

/* --- scalars --- */

/* The digits of a number without the _ between them. */
static bool digits(struct in *in, struct op_view text, char *out, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		bool inner = i && i + 1 < text.n && text.p[i - 1] != '_';

		if (text.p[i] == '_' && inner)
			continue;
		if (n + 1 == cap)
			return fail(in, text.p, "the number is too long");
		out[n++] = (char)text.p[i];
	}
	out[n] = 0;
	return true;
}

/* An integer in base 10, 16 or 8; false if it is none or has no room. */
static bool integer(const char *s, uint64_t *out)
{
	unsigned int base = 10;
	uint64_t v = 0;

	if (s[0] == '0' && (s[1] | 0x20) == 'x') {
		base = 16;
		s += 2;
	} else if (s[0] == '0' && s[1]) {
		base = 8;
		s++;
	}
	if (!*s)
		return false;
	for (; *s; s++) {
		int d = op_hex_digit((uint8_t)*s);

		if (d < 0 || (unsigned int)d >= base ||
		    __builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	}
	*out = v;
	return true;
}

static bool integer_read(struct in *in, enum op_events_kind kind, uint64_t *out)
{
	struct op_view text = word(in, true);
	bool negative = text.n && text.p[0] == '-';
	char s[80];
	uint64_t v;

	if (!digits(in, text, s, sizeof(s)))
		return false;
	if (!integer(s + negative, &v))
		return fail(in, text.p, "expected an integer");
	if (negative && (kind != OP_EVENTS_INT64 || v > (uint64_t)1 << 63))
		return fail(in, text.p, "the number is too small");
	if ((kind == OP_EVENTS_UINT32 && v > UINT32_MAX) ||
	    (kind == OP_EVENTS_INT64 && !negative && v > INT64_MAX))
		return fail(in, text.p, "the number is too large");
	*out = negative ? -v : v;
	return true;
}

static bool bool_read(struct in *in, uint64_t *out)
{
	static const char *const names[2][4] = { { "false", "f", "0", "False" },
						 { "true", "t", "1", "True" } };
	struct op_view text = word(in, false);

	for (int v = 0; v < 2; v++)
		for (size_t i = 0; i < op_countof(names[v]); i++)
			if (op_view_is(text, names[v][i])) {
				*out = (uint64_t)v;
				return true;
			}
	return fail(in, text.p, "expected true or false");
}

static bool kind_read(struct in *in, uint64_t *out)
{
	struct in before = *in;
	struct op_view text = word(in, false);

	*out = op_view_is(text, "BUILD_ID_BINARY_HASH");
	if (*out || op_view_is(text, "BUILD_ID_LINKER"))
		return true;
	in->p = before.p;
	return integer_read(in, OP_EVENTS_UINT32, out);
}

static bool double_read(struct in *in, uint64_t *out)
{
	struct op_view text = word(in, true);
	double v = 0;
	char s[80];

	if (!digits(in, text, s, sizeof(s)))
		return false;
	if (!strcmp(s, "inf") || !strcmp(s, "-inf"))
		v = *s == '-' ? -__builtin_inf() : __builtin_inf();
	else if (!strcmp(s, "nan"))
		v = __builtin_nan("");
	else if (op_json_real(op_view_z(s), &v) != OP_JSON_FINE)
		return fail(in, text.p, "expected a number");
	memcpy(out, &v, sizeof(v));
	return true;
}

/* --- strings --- */

static void utf8_put(struct in *in, uint32_t c)
{
	uint8_t b[4];

	op_buf_view(&in->out, op_view(b, op_utf8_put(b, c)));
}

/* Up to most digits of a base; how many there are is given. */
static int code_read(struct in *in, int base, int most, uint32_t *out)
{
	int n = 0;

	for (*out = 0; n < most && in->p < in->end; n++, in->p++) {
		int d = op_hex_digit(*in->p);

		if (d < 0 || d >= base)
			break;
		*out = *out * (uint32_t)base + (uint32_t)d;
	}
	return n;
}

/* What follows a backslash. */
static bool escape_read(struct in *in)
{
	static const char names[] = "abfnrtv\\'\"?";
	static const char codes[] = "\a\b\f\n\r\t\v\\'\"?";
	const uint8_t *at = in->p;
	uint8_t c = in->p < in->end ? *in->p : 0;
	const char *name = c ? strchr(names, c) : NULL;
	uint32_t code;
	int most;

	if (name) {
		in->p++;
		op_buf_byte(&in->out, codes[name - names]);
		return true;
	}
	if (code_read(in, 8, 3, &code)) {
		op_buf_byte(&in->out, (int)(code & 0xff));
		return true;
	}
	if (c != 'x' && c != 'X' && c != 'u' && c != 'U')
		return fail(in, at, "unknown escape");
	in->p++;
	most = c == 'U' ? 8 : c == 'u' ? 4 : 2;
	if (!code_read(in, 16, most, &code) || code > 0x10ffff)
		return fail(in, at, "unknown escape");
	if (most == 2)
		op_buf_byte(&in->out, (int)code);
	else
		utf8_put(in, code);
	return true;
}

static bool quoted_read(struct in *in)
{
	const uint8_t *at = in->p;
	uint8_t quote = *in->p++;

	while (in->p < in->end && *in->p != quote) {
		const uint8_t *start = in->p;

		if (*in->p == '\n')
			break;
		if (*in->p == '\\') {
			in->p++;
			if (!escape_read(in))
				return false;
			continue;
		}
		while (in->p < in->end && *in->p != quote && *in->p != '\\' &&
		       *in->p != '\n')
			in->p++;
		op_buf_view(&in->out, op_view(start, (size_t)(in->p - start)));
	}
	if (in->p == in->end || *in->p != quote)
		return fail(in, at, "unterminated string");
	in->p++;
	return true;
}

static bool is_quote(struct in *in)
{
	uint8_t c = peek(in);

	return in->p < in->end && (c == '"' || c == '\'');
}

/* Strings behind one another are one. */
static bool string_read(struct in *in, const struct op_events_field *f)
{
	const uint8_t *at;
	size_t start;

	if (!is_quote(in))
		return fail(in, in->p, "expected a string");
	at = in->p;
	tag(in, f, OP_PB_LEN);
	start = sized_begin(in);
	note(in, at);
	while (is_quote(in))
		if (!quoted_read(in))
			return false;
	sized_end(in, start);
	note(in, at);
	return true;
}

static bool scalar_read(struct in *in, const struct op_events_field *f)
{
	const uint8_t *at;
	uint64_t v = 0;
	bool ok;

	peek(in);
	at = in->p;
	switch (f->kind) {
	case OP_EVENTS_STRING:
	case OP_EVENTS_BYTES:
		return string_read(in, f);
	case OP_EVENTS_BOOL:
		ok = bool_read(in, &v);
		break;
	case OP_EVENTS_DOUBLE:
		ok = double_read(in, &v);
		break;
	case OP_EVENTS_BUILD_ID_KIND:
		ok = kind_read(in, &v);
		break;
	default:
		ok = integer_read(in, f->kind, &v);
	}
	if (!ok)
		return false;
	if (f->kind == OP_EVENTS_DOUBLE || f->kind == OP_EVENTS_FIXED64) {
		tag(in, f, OP_PB_I64);
		fixed64(in, v);
	} else {
		tag(in, f, OP_PB_VARINT);
		varint(in, v);
	}
	note(in, at);
	return true;
}

/* --- messages --- */

/* The fields of a message up to its end: a brace, or 0 for that of the text.
 * Recursion ends at DEEPEST. */
static bool fields_read(struct in *in, enum op_events_kind message, uint8_t end,
			unsigned int depth);

static bool message_read(struct in *in, const struct op_events_field *f,
			 unsigned int depth)
{
	const uint8_t *at;
	uint8_t end = '}';
	size_t start;

	peek(in);
	at = in->p;
	if (take(in, '<'))
		end = '>';
	else if (!take(in, '{'))
		return fail(in, at, "expected a message in braces");
	if (depth >= DEEPEST) {
		op_fail_at(in->err, OP_ELIMIT, (uint64_t)(at - in->base),
			   "messages nested more than %d deep", DEEPEST);
		return false;
	}
	tag(in, f, OP_PB_LEN);
	start = sized_begin(in);
	note(in, at);
	if (!fields_read(in, f->kind, end, depth + 1))
		return false;
	sized_end(in, start);
	return true;
}

static bool value_read(struct in *in, const struct op_events_field *f,
		       unsigned int depth)
{
	return f->kind >= OP_EVENTS_DATA ? message_read(in, f, depth) :
					   scalar_read(in, f);
}

static bool list_read(struct in *in, const struct op_events_field *f,
		      unsigned int depth)
{
	while (!take(in, ']')) {
		if (take(in, ','))
			continue;
		if (in->p == in->end)
			return fail(in, in->p, "unterminated list");
		if (!value_read(in, f, depth))
			return false;
	}
	return true;
}

static bool field_read(struct in *in, enum op_events_kind message,
		       unsigned int depth)
{
	struct op_view name = word(in, false);
	const struct op_events_field *f = op_events_named(message, name);
	bool colon;

	if (!name.n)
		return fail(in, name.p, "expected a field name");
	if (!f)
		return fail(in, name.p, "unknown field");
	colon = take(in, ':');
	if (!colon && f->kind < OP_EVENTS_DATA)
		return fail(in, in->p, "expected a colon");
	if (f->list && take(in, '['))
		return list_read(in, f, depth);
	return value_read(in, f, depth);
}

static bool fields_read(struct in *in, enum op_events_kind message, uint8_t end,
			unsigned int depth)
{
	for (;;) {
		if (in->err->code)
			return false;
		peek(in);
		if (in->p == in->end)
			return end ? fail(in, in->p, "unterminated message") :
				     true;
		if (end && take(in, end))
			return true;
		if (!field_read(in, message, depth))
			return false;
		if (!take(in, ','))
			take(in, ';');
	}
}

/* --- the whole --- */

static struct in begin(struct op_view text, struct op_err *err)
{
	return (struct in){ .p = text.p,
			    .end = text.p + text.n,
			    .base = text.p,
			    .err = err,
			    .out.err = err,
			    .want = UINT64_MAX };
}

/* The message that a text is: profiles in resources, or a profile alone. */
static enum op_events_kind root_of(struct op_view text)
{
	struct op_err err = { 0 };
	struct in in = begin(text, &err);
	struct op_view name = word(&in, false);

	return op_events_named(OP_EVENTS_DATA, name) ? OP_EVENTS_DATA :
						       OP_EVENTS_PROFILE;
}

/* Says where in the text a failure of the reader of messages is. */
static void place_error(struct op_view text, enum op_events_kind root,
			struct op_err *err)
{
	struct op_err again = { 0 };
	struct in in = begin(text, &again);

	if (!err->has_at)
		return;
	in.want = err->at;
	fields_read(&in, root, 0, 0);
	err->at = in.found ? (uint64_t)(in.found - in.base) : text.n;
	op_buf_free(&in.out);
}

int op_events_text_read(struct op_model *m, struct op_view text,
			struct op_err *err)
{
	enum op_events_kind root = root_of(text);
	struct op_events_opts opts = { .bare = root == OP_EVENTS_PROFILE,
				       .placeholders = true };
	struct in in = begin(text, err);
	size_t bad = op_utf8_prefix(text);

	in.out.limit = m->mem.quota;
	if (bad < text.n)
		return op_fail_at(err, OP_EFORMAT, bad,
				  "the text is not valid UTF-8");
	if (fields_read(&in, root, 0, 0) && !err->code &&
	    op_events_decode_as(m, op_view(in.out.p, in.out.n), &opts, err))
		place_error(text, root, err);
	op_buf_free(&in.out);
	return err->code;
}

bool op_events_text_begins(struct op_view text)
{
	struct op_err err = { 0 };
	struct in in = begin(text, &err);
	struct op_view name = word(&in, false);
	uint8_t c;

	if (!name.n || (!op_events_named(OP_EVENTS_DATA, name) &&
			!op_events_named(OP_EVENTS_PROFILE, name)))
		return false;
	c = peek(&in);
	return in.p < in.end && (c == ':' || c == '{' || c == '<');
}
