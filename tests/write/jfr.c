// SPDX-License-Identifier: Apache-2.0
#include "write/jfr_int.h"

#include <stdio.h>
#include <stdlib.h>

/* --- text and bytes --- */

void jfr_refuse(const char *s, const char *why)
{
	fprintf(stderr, "jfr text: %s at '%.60s'\n", why, s);
	abort();
}

void *jfr_alloc(size_t n)
{
	void *p = calloc(1, n);

	if (!p)
		jfr_refuse("", "no memory");
	return p;
}

char *jfr_text(const char *s, size_t n)
{
	char *p = jfr_alloc(n + 1);

	memcpy(p, s, n);
	return p;
}

char *jfr_format(const char *fmt, va_list ap)
{
	char *p;

	if (vasprintf(&p, fmt, ap) < 0)
		jfr_refuse(fmt, "no memory");
	return p;
}

void jfr_put(struct jfr_bytes *b, const void *p, size_t n)
{
	if (b->cap - b->n < n) {
		b->cap = (b->n + n) * 2;
		b->p = realloc(b->p, b->cap);
		if (!b->p)
			jfr_refuse("", "no memory");
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

void jfr_byte(struct jfr_bytes *b, unsigned int v)
{
	uint8_t byte = (uint8_t)v;

	jfr_put(b, &byte, 1);
}

void jfr_fixed(struct jfr_bytes *b, uint64_t v, int width)
{
	while (width--)
		jfr_byte(b, (unsigned int)(v >> 8 * width) & 0xff);
}

/* The ninth byte, if there is one, is eight bits and ends the number. */
void jfr_varint(struct jfr_bytes *b, uint64_t v, int pad)
{
	int i;

	for (i = 1; i < 9 && (v >= 0x80 || i < pad); i++, v >>= 7)
		jfr_byte(b, (unsigned int)(v & 0x7f) | 0x80);
	jfr_byte(b, (unsigned int)v & 0xff);
}

void jfr_int(const struct jfr *j, struct jfr_bytes *b, uint64_t v, int width,
	     int pad)
{
	if (width < 8)
		v &= (UINT64_C(1) << 8 * width) - 1;
	if (j->is_fixed || width == 1)
		jfr_fixed(b, v, width);
	else
		jfr_varint(b, v, pad);
}

/* The next code point, or the next byte if it is no UTF-8. */
static uint32_t code_point(struct op_view *v)
{
	uint32_t c = *v->p;
	size_t n = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
	uint32_t out = n ? c & (0x3fu >> n) : c;

	for (size_t i = 1; i <= n; i++) {
		if (i >= v->n || (v->p[i] & 0xc0) != 0x80) {
			n = 0;
			out = c;
			break;
		}
		out = out << 6 | (v->p[i] & 0x3f);
	}
	*v = op_view(v->p + n + 1, v->n - n - 1);
	return out;
}

/* Units of UTF-16 or Latin-1, in b; returns how many. */
static uint64_t units(const struct jfr *j, struct jfr_bytes *b, int encoding,
		      struct op_view v)
{
	uint64_t nr = 0;

	for (; v.n; nr++) {
		uint32_t c = code_point(&v);

		if (encoding == 5) {
			jfr_byte(b, c);
			continue;
		}
		if (c > 0xffff) {
			c -= 0x10000;
			jfr_int(j, b, 0xd800 | c >> 10, 2, 0);
			c = 0xdc00 | (c & 0x3ff);
			nr++;
		}
		jfr_int(j, b, c, 2, 0);
	}
	return nr;
}

void jfr_string(const struct jfr *j, struct jfr_bytes *b, int encoding,
		struct op_view v)
{
	struct jfr_bytes chars = { 0 };
	uint64_t nr = v.n;

	if (encoding == 3)
		jfr_put(&chars, v.p, v.n);
	else
		nr = units(j, &chars, encoding, v);
	jfr_byte(b, (unsigned int)encoding);
	jfr_int(j, b, nr, 4, 0);
	jfr_put(b, chars.p, chars.n);
	free(chars.p);
}

/* --- events --- */

size_t jfr_here(const struct jfr *j)
{
	return j->out.n - j->chunk;
}

void jfr_event_put(struct jfr *j, uint64_t type_id, struct jfr_bytes *body,
		   int size_bytes)
{
	struct jfr_bytes id = { 0 };
	size_t n, size = 0;

	jfr_int(j, &id, type_id, 8, 0);
	for (n = size_bytes ? (size_t)size_bytes : 1; !size; n++)
		if (j->is_fixed)
			size = id.n + body->n + 4;
		else if (id.n + body->n + n < UINT64_C(1) << 7 * n)
			size = id.n + body->n + n;
	jfr_int(j, &j->out, size, 4, size_bytes);
	jfr_put(&j->out, id.p, id.n);
	if (j->is_marked)
		j->mark += j->out.n;
	j->is_marked = false;
	jfr_put(&j->out, body->p, body->n);
	free(id.p);
	free(body->p);
	*body = (struct jfr_bytes){ 0 };
}

void jfr_event(struct jfr *j, const char *type, const char *values, ...)
{
	struct jfr_bytes body = { 0 };
	const struct jfr_type *t = jfr_type_find(j, type);
	va_list ap;
	char *text;

	va_start(ap, values);
	text = jfr_format(values, ap);
	va_end(ap);
	jfr_values(j, &body, t, text);
	jfr_event_put(j, t ? t->id : jfr_type_id(j, type), &body,
		      j->size_bytes);
	free(text);
}

void jfr_raw(struct jfr *j, const char *values, ...)
{
	struct jfr_bytes b = { 0 };
	va_list ap;
	char *text;

	va_start(ap, values);
	text = jfr_format(values, ap);
	va_end(ap);
	jfr_values(j, &b, NULL, text);
	if (j->is_marked)
		j->mark += j->out.n;
	j->is_marked = false;
	jfr_put(&j->out, b.p, b.n);
	free(b.p);
	free(text);
}

/* --- chunks --- */

static const struct {
	enum jfr_header at;
	int width;
} header_fields[] = {
	{ JFR_MAGIC, 4 },	{ JFR_MAJOR, 2 },
	{ JFR_MINOR, 2 },	{ JFR_SIZE, 8 },
	{ JFR_CHECKPOINT, 8 },	{ JFR_METADATA, 8 },
	{ JFR_START_NS, 8 },	{ JFR_DURATION_NS, 8 },
	{ JFR_START_TICKS, 8 }, { JFR_TICKS_PER_SECOND, 8 },
	{ JFR_STATE, 1 },	{ JFR_PAD, 1 },
	{ JFR_FLAGS, 2 },
};

void jfr_header(struct jfr *j, enum jfr_header field, uint64_t v)
{
	j->header[field] = (struct jfr_override){ true, v };
}

static bool is_jdk(const struct jfr *j)
{
	return j->flavour == JFR_JDK17 || j->flavour == JFR_JDK25;
}

static void header(struct jfr *j, bool is_last)
{
	uint64_t v[JFR_HEADER] = {
		[JFR_MAGIC] = 0x464c5200,
		[JFR_MAJOR] = j->is_jdk9 ? 1 : 2,
		[JFR_MINOR] = is_jdk(j) && !j->is_jdk9,
		[JFR_SIZE] = jfr_here(j),
		[JFR_CHECKPOINT] = j->checkpoint,
		[JFR_METADATA] = j->metadata,
		[JFR_START_NS] = UINT64_C(1700000000000000000),
		[JFR_DURATION_NS] = 1000000000,
		[JFR_TICKS_PER_SECOND] = 1000000000,
		[JFR_FLAGS] = (j->is_fixed ? 0u : 1u) |
			      (is_jdk(j) && is_last ? 2u : 0u),
	};
	struct jfr_bytes b = { 0 };

	for (size_t i = 0; i < sizeof(header_fields) / sizeof(*header_fields);
	     i++) {
		enum jfr_header at = header_fields[i].at;

		jfr_fixed(&b, j->header[at].is_set ? j->header[at].v : v[at],
			  header_fields[i].width);
	}
	memcpy(j->out.p + j->chunk, b.p, b.n);
	free(b.p);
}

static void chunk_begin(struct jfr *j, enum jfr_flavour flavour)
{
	static const uint64_t first_type[] = { 164, 188, 20, 20 };
	static const uint8_t zeros[JFR_HEADER];

	j->flavour = flavour;
	j->chunk = j->out.n;
	j->metadata = j->checkpoint = j->newest = j->delta_at = 0;
	memset(j->has_enums, 0, sizeof(j->has_enums));
	memset(j->header, 0, sizeof(j->header));
	j->is_declared = false;
	j->next_type = first_type[flavour];
	j->next_id = 1000;
	jfr_put(&j->out, zeros, sizeof(zeros));
}

static void chunk_end(struct jfr *j, bool is_last)
{
	if (!j->out.n)
		return;
	jfr_pools_finish(j);
	if (!j->is_declared)
		jfr_metadata(j);
	header(j, is_last);
	jfr_pools_free(j);
	jfr_types_free(j);
}

void jfr_begin(struct jfr *j, enum jfr_flavour flavour)
{
	bool jdk = flavour == JFR_JDK17 || flavour == JFR_JDK25;

	*j = (struct jfr){ .meta_encoding = jdk ? 4 : 3 };
	chunk_begin(j, flavour);
}

void jfr_next(struct jfr *j, enum jfr_flavour flavour)
{
	chunk_end(j, false);
	chunk_begin(j, flavour);
}

struct op_view jfr_end(struct jfr *j)
{
	chunk_end(j, true);
	return op_view(j->out.p, j->out.n);
}

void jfr_free(struct jfr *j)
{
	jfr_pools_free(j);
	jfr_types_free(j);
	free(j->out.p);
	*j = (struct jfr){ 0 };
}
