// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/transcode.c: OTLP/JSON to the protobuf wire format, in one
 * pass. */
#include "fmt/otlp_json/transcode.h"

#include <math.h>

#include "base/varint.h"
#include "pb/json_value.h"
#include "pb/read.h"

/* Messages in messages; values may nest 64 deep and take three each. */
enum { DEPTH = 256 };

/* A length on the wire, written when it is known: 35 bits. */
enum { LENGTH_BYTES = 5 };

/* Room for what stands before the bytes of a value. Made before the value is
 * looked at: a reader that has ended stands at no byte. */
enum { HEADER = 32 };

/* Which key comes next: the one that came here last time. n is the length of
 * its text; 0: none came yet. */
struct guess {
	uint8_t field;
	uint8_t n;
};

/* The most fields of a message, and one more place: before the first key. */
enum { PLACES = OP_JSON_FIELDS + 1 };

struct transcode {
	struct op_json_in in;
	const uint8_t *words_end; /* before it eight bytes can be loaded */
	struct op_buf out;
	enum op_json_layout layout;

	/* What tells the release: the keys that were met, a bit each. */
	uint32_t seen[NR_KINDS];
	bool seen_older; /* some that today's release does not have */
	bool types_listed;

	/* By the field before it, which is counted from 1. */
	struct guess guesses[NR_KINDS][PLACES];

	/* For op_json_place(): the byte of the wire that is looked for, and
	 * where the text stood when it was written. */
	size_t wanted;
	const uint8_t *place;
};

/* --- the wire --- */

/* Ends the reader if there is no room, so that loops end. */
op_inline bool room(struct transcode *t, size_t n)
{
	if (op_likely(t->out.cap - t->out.n >= n))
		return true;
	if (op_buf_reserve(&t->out, n))
		return true;
	t->in.p = t->in.end;
	return false;
}

/* What is written next stands at at. To be called where a value begins and
 * where a message ends. */
op_inline void note_place(struct transcode *t, const uint8_t *at)
{
	if (op_unlikely(t->out.n >= t->wanted && !t->place))
		t->place = at;
}

/* With room for ten bytes. Returns the byte behind it. */
op_inline uint8_t *varint_put(uint8_t *p, uint64_t v)
{
	return p + op_varint_put(p, v);
}

/* The same for a number below 2^28; with room for four. */
op_inline uint8_t *varint_put_small(uint8_t *p, uint32_t v)
{
	static const uint32_t marks[] = { 0, 0x80, 0x8080, 0x808080 };
	unsigned int more = op_varint_size(v) - 1;

	v += 3 * (v & 0x0fffc000);
	v += v & 0x3f803f80;
	v |= marks[more];
	memcpy(p, &v, sizeof(v));
	return p + more + 1;
}

op_inline void put(struct transcode *t, uint64_t v)
{
	if (op_likely(room(t, 10)))
		t->out.n = (size_t)(varint_put(t->out.p + t->out.n, v) -
				    t->out.p);
}

op_inline void put_fixed(struct transcode *t, uint64_t v)
{
	if (op_unlikely(!room(t, sizeof(v))))
		return;
	memcpy(t->out.p + t->out.n, &v, sizeof(v));
	t->out.n += sizeof(v);
}

op_inline void put_fixed32(struct transcode *t, uint32_t v)
{
	if (op_unlikely(!room(t, sizeof(v))))
		return;
	memcpy(t->out.p + t->out.n, &v, sizeof(v));
	t->out.n += sizeof(v);
}

/* The place of a length, which what follows will have. */
op_inline size_t length_begin(struct transcode *t, uint32_t num)
{
	put(t, OP_PB(num, OP_PB_LEN));
	if (op_likely(room(t, LENGTH_BYTES)))
		t->out.n += LENGTH_BYTES;
	return t->out.n;
}

op_inline void length_end(struct transcode *t, size_t begin)
{
	uint64_t n = t->out.n - begin;
	uint8_t *p = t->out.p + begin - LENGTH_BYTES;

	if (op_unlikely(t->out.err->code))
		return;
	if (op_unlikely(n >> 7 * LENGTH_BYTES)) {
		op_fail(t->out.err, OP_ELIMIT,
			"a message of %llu bytes is too large",
			(unsigned long long)n);
		t->in.p = t->in.end;
		return;
	}
	for (int i = 0; i < LENGTH_BYTES - 1; i++, n >>= 7)
		p[i] = (uint8_t)(n | 0x80);
	p[LENGTH_BYTES - 1] = (uint8_t)n;
}

/* --- values --- */

/* Fails at the value that begins at at. */
static op_cold void refuse(struct transcode *t, const uint8_t *at,
			   const struct op_json_field *f, const char *what)
{
	op_fail_at(t->in.err, OP_EFORMAT, (uint64_t)(at - t->in.base),
		   "'%s' %s", f->name, what);
	t->in.p = t->in.end;
}

/* The largest magnitudes, of positive and of negative numbers. */
struct range {
	uint64_t above, below;
};

static const struct range ranges[] = {
	[INT32] = { INT32_MAX, (uint64_t)INT32_MAX + 1 },
	[UINT32] = { UINT32_MAX, 0 },
	[INT64] = { INT64_MAX, (uint64_t)INT64_MAX + 1 },
	[UINT64] = { UINT64_MAX, 0 },
	[FIXED64] = { UINT64_MAX, 0 },
	[FIXED32] = { UINT32_MAX, 0 },
	[TIMES] = { UINT64_MAX, 0 },
	[TEMPORALITY] = { INT32_MAX, (uint64_t)INT32_MAX + 1 },
	[SEVERITY] = { INT32_MAX, (uint64_t)INT32_MAX + 1 },
};

/* The text of a string without escapes, in the buffer behind what is written
 * there if it has some. */
static struct op_view plain_text(struct transcode *t)
{
	struct op_json_text s = op_json_extract_string(&t->in);
	uint8_t *to;

	if (op_likely(!s.escaped))
		return s.raw;
	if (!room(t, s.raw.n))
		return (struct op_view){ 0 };
	to = t->out.p + t->out.n;
	return op_view(to, op_json_unescape(s.raw, to));
}

static uint64_t integer_slow(struct transcode *t, const struct op_json_field *f)
{
	const uint8_t *at = t->in.p;
	struct op_json_int r = { 0 };
	enum op_json_verdict verdict = OP_JSON_NO_NUMBER;
	uint8_t c = *at;

	if (c == '"')
		verdict = op_json_integer(plain_text(t), &r);
	else if (c == '-' || (c >= '0' && c <= '9'))
		verdict = op_json_integer(op_json_extract_number(&t->in), &r);
	if (verdict == OP_JSON_NO_NUMBER)
		refuse(t, at, f, "must be an integer");
	else if (verdict == OP_JSON_FRACTION)
		refuse(t, at, f, "must be an integer, not a fraction");
	else if (verdict == OP_JSON_TOO_LARGE ||
		 r.v > (r.negative ? ranges[f->kind].below :
				     ranges[f->kind].above))
		refuse(t, at, f, "is out of range");
	return r.negative ? -r.v : r.v;
}

/* An integer as a number or in a string, as it goes on the wire. */
op_inline uint64_t integer(struct transcode *t, const struct op_json_field *f)
{
	const uint8_t *p = t->in.p;
	bool quoted = *p == '"';
	const uint8_t *end;
	uint64_t v;

	end = op_json_digits(p + quoted, t->words_end, &v);
	if (op_unlikely(!end || v > ranges[f->kind].above))
		return integer_slow(t, f);
	if (quoted ? *end != '"' : *end == '.' || (*end | 0x20) == 'e')
		return integer_slow(t, f);
	t->in.p = end + quoted;
	return v;
}

static uint64_t temporality(struct transcode *t, const struct op_json_field *f)
{
	static const char *const names[] = {
		"AGGREGATION_TEMPORALITY_UNSPECIFIED",
		"AGGREGATION_TEMPORALITY_DELTA",
		"AGGREGATION_TEMPORALITY_CUMULATIVE",
	};
	struct op_json_in start = t->in;
	struct op_view name;

	if (*t->in.p != '"')
		return integer(t, f);
	name = plain_text(t);
	for (unsigned int i = 0; i < op_countof(names); i++)
		if (op_view_is(name, names[i]))
			return i;
	if (t->in.err->code)
		return 0;
	t->in = start;
	return integer(t, f);
}

/* SEVERITY_NUMBER_INFO is the first of four; SEVERITY_NUMBER_INFO3 the third.
 */
static bool severity_named(struct op_view name, uint64_t *out)
{
	static const char prefix[] = "SEVERITY_NUMBER_";
	static const char *const levels[] = { "TRACE", "DEBUG", "INFO",
					      "WARN",  "ERROR", "FATAL" };
	const size_t n = sizeof(prefix) - 1;
	uint64_t of_four = 1;

	if (name.n < n || memcmp(name.p, prefix, n))
		return false;
	name = op_view(name.p + n, name.n - n);
	*out = 0;
	if (op_view_is(name, "UNSPECIFIED"))
		return true;
	if (name.n && name.p[name.n - 1] >= '2' && name.p[name.n - 1] <= '4')
		of_four = (uint64_t)(name.p[--name.n] - '0');
	for (unsigned int i = 0; i < op_countof(levels); i++)
		if (op_view_is(name, levels[i]))
			*out = 4 * i + of_four;
	return *out;
}

static uint64_t severity(struct transcode *t, const struct op_json_field *f)
{
	struct op_json_in start = t->in;
	uint64_t v;

	if (*t->in.p == '"' && severity_named(plain_text(t), &v))
		return v;
	if (t->in.err->code)
		return 0;
	t->in = start;
	return integer(t, f);
}

static uint64_t real(struct transcode *t, const struct op_json_field *f)
{
	const uint8_t *at = t->in.p;
	enum op_json_verdict verdict = OP_JSON_NO_NUMBER;
	struct op_view text = { 0 };
	uint64_t bits;
	double r = 0;

	if (*at == '"')
		text = plain_text(t);
	else if (*at == '-' || (*at >= '0' && *at <= '9'))
		text = op_json_extract_number(&t->in);
	if (*at == '"' && op_view_is(text, "NaN"))
		r = NAN;
	else if (*at == '"' && op_view_is(text, "Infinity"))
		r = INFINITY;
	else if (*at == '"' && op_view_is(text, "-Infinity"))
		r = -INFINITY;
	else
		verdict = op_json_real(text, &r);
	if (!isfinite(r))
		verdict = OP_JSON_FINE;
	if (verdict)
		refuse(t, at, f,
		       verdict == OP_JSON_TOO_LARGE ? "is out of range" :
						      "must be a number");
	memcpy(&bits, &r, sizeof(bits));
	return bits;
}

static uint64_t boolean(struct transcode *t, const struct op_json_field *f)
{
	if (op_json_extract_word(&t->in, "true"))
		return 1;
	if (!op_json_extract_word(&t->in, "false"))
		refuse(t, t->in.p, f, "must be true or false");
	return 0;
}

/* --- strings and bytes --- */

static void string(struct transcode *t, const struct op_json_field *f,
		   uint32_t num)
{
	const uint8_t *at = t->in.p;
	struct op_json_text s;
	size_t begin;

	if (*at != '"') {
		refuse(t, at, f, "must be a string");
		return;
	}
	s = op_json_extract_string(&t->in);
	if (op_unlikely(s.escaped)) {
		begin = length_begin(t, num);
		note_place(t, at);
		if (room(t, s.raw.n))
			t->out.n += op_json_unescape(s.raw,
						     t->out.p + t->out.n);
		length_end(t, begin);
		return;
	}
	put(t, OP_PB(num, OP_PB_LEN));
	put(t, s.raw.n);
	note_place(t, at);
	if (op_unlikely(!room(t, s.raw.n)))
		return;
	if (s.raw.n)
		memcpy(t->out.p + t->out.n, s.raw.p, s.raw.n);
	t->out.n += s.raw.n;
}

static void bytes(struct transcode *t, const struct op_json_field *f,
		  uint32_t num)
{
	const uint8_t *at = t->in.p;
	size_t begin = length_begin(t, num);
	size_t n = OP_NOT_TEXT;

	note_place(t, at);
	if (*at == '"') {
		struct op_json_text s = op_json_extract_string(&t->in);
		uint8_t *to;

		if (!room(t, s.raw.n))
			return;
		to = t->out.p + t->out.n;
		/* Decoded in place: what is written is behind what is read. */
		if (s.escaped)
			s.raw = op_view(to, op_json_unescape(s.raw, to));
		n = op_base64_decode(s.raw, to);
	}
	if (n == OP_NOT_TEXT) {
		refuse(t, at, f, "must be base64");
		return;
	}
	t->out.n += n;
	length_end(t, begin);
}

static size_t id_length(uint8_t kind)
{
	return kind == SPAN_ID ? 8 : 16;
}

/* The id that a text writes in hex or base64, whichever gives the length that
 * it should have. out and other hold as many bytes as text has. */
static size_t id_decode(const struct op_json_field *f, struct op_view text,
			uint8_t *out, uint8_t *other)
{
	size_t want = id_length(f->kind);
	size_t hex = op_hex_decode(text, out);
	size_t base64 = op_base64_decode(text, other);

	if (hex == want)
		return hex;
	if (f->kind == PROFILE_ID && hex == want / 2) {
		memmove(out + hex, out, hex);
		memset(out, 0, hex);
		return want;
	}
	if (base64 == want || hex == OP_NOT_TEXT) {
		memcpy(out, other, base64 == OP_NOT_TEXT ? 0 : base64);
		return base64;
	}
	return hex;
}

/* An id of another length is for the decoder to refuse. */
static void id(struct transcode *t, const struct op_json_field *f, uint32_t num)
{
	uint8_t out[64], other[64];
	const uint8_t *at = t->in.p;
	size_t n = OP_NOT_TEXT;

	if (*at == '"') {
		struct op_view text = plain_text(t);

		if (text.n <= sizeof(out))
			n = id_decode(f, text, out, other);
	}
	if (n == OP_NOT_TEXT) {
		refuse(t, at, f, "must be an id in hex");
		return;
	}
	put(t, OP_PB(num, OP_PB_LEN));
	put(t, n);
	note_place(t, at);
	if (room(t, n) && n) {
		memcpy(t->out.p + t->out.n, out, n);
		t->out.n += n;
	}
}

/* --- fields --- */

/* What may be written as a word. */
static uint64_t word(struct transcode *t, const struct op_json_field *f)
{
	if (f->kind == BOOL)
		return boolean(t, f);
	return f->kind == SEVERITY ? severity(t, f) : temporality(t, f);
}

static void scalar(struct transcode *t, const struct op_json_field *f,
		   uint32_t num)
{
	switch (f->kind) {
	case STRING:
		string(t, f, num);
		break;
	case BYTES:
		bytes(t, f, num);
		break;
	case TRACE_ID:
	case SPAN_ID:
	case PROFILE_ID:
		id(t, f, num);
		break;
	case FIXED64:
	case DOUBLE:
		put(t, OP_PB(num, OP_PB_I64));
		note_place(t, t->in.p);
		put_fixed(t, f->kind == DOUBLE ? real(t, f) : integer(t, f));
		break;
	case FIXED32:
		put(t, OP_PB(num, OP_PB_I32));
		note_place(t, t->in.p);
		put_fixed32(t, (uint32_t)integer(t, f));
		break;
	case BOOL:
	case TEMPORALITY:
	case SEVERITY:
		put(t, OP_PB(num, OP_PB_VARINT));
		note_place(t, t->in.p);
		put(t, word(t, f));
		break;
	default:
		put(t, OP_PB(num, OP_PB_VARINT));
		note_place(t, t->in.p);
		put(t, integer(t, f));
		break;
	}
}

/* In a list null stands for the zero value, so that indexes stay true. */
static bool take_null(struct transcode *t)
{
	return *t->in.p == 'n' && op_json_extract_word(&t->in, "null");
}

/* Numbers of up to seven digits, each with a comma or the closing bracket
 * right behind it: most of a large message is lists of such ids. Leaves the
 * reader behind the last of them, or at its end; false if there was none. */
static bool packed_plain(struct transcode *t)
{
	enum { SLICE = 1024 }; /* numbers that room is made for at once */
	const uint8_t *p = t->in.p, *words_end = t->words_end;
	uint8_t *to, *most;

	if (t->wanted != SIZE_MAX)
		return false;
	if (!room(t, 4 * SLICE + 4))
		return true;
	to = t->out.p + t->out.n;
	most = to + 4 * SLICE;
	while (p < words_end && to < most) {
		uint64_t w = op_word_load(p);
		uint64_t stop = op_word_not_digit(w);
		unsigned int n = stop ? op_word_first(stop) : 0;
		uint8_t next = p[n];

		if (op_unlikely(!n || (next != ',' && next != ']') ||
				(*p == '0' && n > 1)))
			break;
		to = varint_put_small(to, op_word_number(w, n));
		t->in.p = p + n;
		if (next == ']')
			break;
		p += n + 1;
	}
	p = t->out.p + t->out.n;
	t->out.n = (size_t)(to - t->out.p);
	return to > p;
}

static void packed(struct transcode *t, const struct op_json_field *f,
		   uint32_t num)
{
	bool fixed = f->kind == TIMES && t->layout <= OP_JSON_V1_8;
	size_t begin = length_begin(t, num);
	bool first = true;

	t->in.p++;
	while (op_json_more(&t->in, ']', &first)) {
		uint64_t v;

		if (f->kind == INT32 && packed_plain(t))
			continue;
		note_place(t, t->in.p);
		v = op_unlikely(take_null(t)) ? 0 : integer(t, f);
		if (fixed)
			put_fixed(t, v);
		else
			put(t, v);
	}
	length_end(t, begin);
}

static void strings(struct transcode *t, const struct op_json_field *f,
		    uint32_t num)
{
	bool first = true;

	t->in.p++;
	while (op_json_more(&t->in, ']', &first)) {
		if (op_likely(!take_null(t)))
			string(t, f, num);
		else
			length_end(t, length_begin(t, num));
	}
}

/* --- messages --- */

static void message(struct transcode *t, uint8_t kind, unsigned int depth);

static void submessage(struct transcode *t, const struct op_json_field *f,
		       uint32_t num, unsigned int depth)
{
	size_t begin;

	if (!room(t, HEADER))
		return;
	begin = length_begin(t, num);
	note_place(t, t->in.p);
	if (op_likely(*t->in.p == '{'))
		message(t, f->kind, depth + 1);
	else if (!f->list || !take_null(t))
		refuse(t, t->in.p, f, "must be an object");
	note_place(t, t->in.p);
	length_end(t, begin);
}

/* The value of a key that this release has. */
static void value(struct transcode *t, const struct op_json_field *f,
		  uint32_t num, unsigned int depth)
{
	bool is_list = *t->in.p == '[';
	bool first = true;

	if (!room(t, HEADER))
		return;
	if (f->list && !is_list && f->kind != VALUE_TYPE) {
		refuse(t, t->in.p, f, "must be an array");
	} else if (f->kind < DATA) {
		if (!f->list)
			scalar(t, f, num);
		else if (f->kind == STRING)
			strings(t, f, num);
		else
			packed(t, f, num);
	} else if (f->list && is_list) {
		t->types_listed |= f->kind == VALUE_TYPE;
		t->in.p++;
		while (op_json_more(&t->in, ']', &first))
			submessage(t, f, num, depth);
	} else {
		submessage(t, f, num, depth);
	}
}

/* Whether the next n bytes of the text, in quotes and before a colon, are those
 * of the name. A whole name can be loaded from both. */
op_inline bool key_is(const uint8_t *p, const char *name, unsigned int n)
{
	const uint8_t *want = (const uint8_t *)name;
	unsigned int i = 0;

	for (p++; i + 8 <= n; i += 8)
		if (op_word_load(p + i) != op_word_load(want + i))
			return false;
	if (n > i && (op_word_load(p + i) ^ op_word_load(want + i))
			     << 8 * (8 + i - n))
		return false;
	return p[-1] == '"' && p[n] == '"' && p[n + 1] == ':';
}

/* The field of the next key by its name; NULL: it is unknown. *last is the
 * field before it, counted from 1. */
static const struct op_json_field *key_find(struct transcode *t, uint8_t kind,
					    unsigned int *last)
{
	const struct op_json_message *m = &op_json_messages[kind];
	struct guess *g = &t->guesses[kind][*last];
	struct op_json_text k = op_json_extract_key(&t->in);
	uint8_t plain[OP_JSON_NAME];
	int i = -1;

	if (op_likely(!k.escaped))
		i = op_json_field_find(m, k.raw, *last);
	else if (k.raw.n <= sizeof(plain))
		i = op_json_field_find(
			m, op_view(plain, op_json_unescape(k.raw, plain)),
			*last);
	if (i < 0)
		return NULL;
	t->seen[kind] |= 1u << i;
	if (k.raw.n < OP_JSON_NAME)
		*g = (struct guess){ (uint8_t)i, (uint8_t)k.raw.n };
	*last = (unsigned int)i + 1;
	return &m->fields[i];
}

/* The same. A writer writes the keys of all messages of a kind in one order,
 * so that most keys are those that were guessed, and what was seen stays. */
op_inline const struct op_json_field *key(struct transcode *t, uint8_t kind,
					  unsigned int *last)
{
	struct guess g = t->guesses[kind][*last];
	const struct op_json_field *f = &op_json_messages[kind].fields[g.field];

	if (op_unlikely(!g.n || t->in.end - t->in.p < OP_JSON_NAME + 8 ||
			!key_is(t->in.p, f->name, g.n)))
		return key_find(t, kind, last);
	t->in.p += g.n + 3u;
	*last = g.field + 1u;
	return f;
}

/* Recursion ends at DEPTH. */
static void message(struct transcode *t, uint8_t kind, unsigned int depth)
{
	unsigned int last = 0;
	bool first = true;

	if (depth >= DEPTH) {
		op_fail_at(t->in.err, OP_ELIMIT,
			   (uint64_t)(t->in.p - t->in.base),
			   "messages nested more than %d deep", DEPTH);
		t->in.p = t->in.end;
		return;
	}
	t->in.p++; /* the bracket */
	while (op_json_more(&t->in, '}', &first)) {
		const struct op_json_field *f = key(t, kind, &last);
		uint8_t num = f ? f->num[t->layout] : 0;

		op_json_peek(&t->in);
		if (op_likely(num && t->in.p < t->in.end)) {
			if (op_likely(!take_null(t)))
				value(t, f, num, depth);
			continue;
		}
		t->seen_older |= f != NULL;
		op_json_skip(&t->in);
	}
}

/* --- releases --- */

/* The newest release that has every key that was met; OP_JSON_NR_LAYOUTS if
 * there is none. */
static enum op_json_layout layout_of(const struct transcode *t)
{
	unsigned int fits = (1u << OP_JSON_NR_LAYOUTS) - 1;

	for (int kind = DATA; kind < NR_KINDS; kind++) {
		const struct op_json_message *m = &op_json_messages[kind];

		for (unsigned int i = 0; i < m->nr; i++)
			for (int k = 0; k < OP_JSON_NR_LAYOUTS; k++)
				if (t->seen[kind] >> i & 1 &&
				    !m->fields[i].num[k])
					fits &= ~(1u << k);
	}
	if (t->types_listed)
		fits &= ~(1u << OP_JSON_TODAY | 1u << OP_JSON_V1_8);
	return fits ? (enum op_json_layout)__builtin_ctz(fits) :
		      OP_JSON_NR_LAYOUTS;
}

static struct transcode transcode_begin(struct op_json_in in, struct op_buf out)
{
	return (struct transcode){
		.in = in,
		.words_end = in.end - in.p >= 8 ? in.end - 7 : in.p,
		.out = out,
		.wanted = SIZE_MAX,
	};
}

int op_json_transcode(struct op_json_in *in, struct op_json_wire *w)
{
	struct transcode t = transcode_begin(*in, w->out);
	enum op_json_layout layout = OP_JSON_TODAY;

	message(&t, w->root, 0);
	if (!in->err->code && (t.seen_older || t.types_listed))
		layout = layout_of(&t);
	w->mixed = layout == OP_JSON_NR_LAYOUTS;
	w->layout = w->mixed ? OP_JSON_TODAY : layout;
	if (w->layout != OP_JSON_TODAY) {
		t.out.n = 0;
		t = transcode_begin(*in, t.out);
		t.layout = w->layout;
		message(&t, w->root, 0);
	}
	w->out = t.out;
	in->p = t.in.p;
	return in->err->code;
}

const uint8_t *op_json_place(struct op_json_in in, const struct op_json_wire *w,
			     uint64_t at)
{
	struct op_err ignored = { 0 };
	struct transcode t;

	in.err = &ignored;
	t = transcode_begin(in, (struct op_buf){ .err = &ignored });
	t.layout = w->layout;
	t.wanted = (size_t)at;
	message(&t, w->root, 0);
	op_buf_free(&t.out);
	return t.place ? t.place : t.in.p;
}
