// SPDX-License-Identifier: Apache-2.0
/* tests/write/perf.c: lines into a file: its head, events and features. */
#include "write/perf_int.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

/* --- bytes --- */

void perf_stop(const char *what, const char *at)
{
	fprintf(stderr, "write/perf: %s at '%.60s'\n", what, at);
	abort();
}

void perf_put(struct perf_bytes *b, const void *p, size_t n)
{
	if (b->cap - b->n < n) {
		b->cap = 2 * b->cap + n + 256;
		b->p = realloc(b->p, b->cap);
		if (!b->p)
			abort();
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

/* The low n bytes of a number in the order of the file. */
void perf_num(const struct perf *p, struct perf_bytes *b, uint64_t v,
	      unsigned int n)
{
	uint8_t bytes[8];

	for (unsigned int i = 0; i < n; i++)
		bytes[p->is_big ? n - 1 - i : i] = (uint8_t)(v >> 8 * i);
	perf_put(b, bytes, n);
}

void perf_zeros(struct perf_bytes *b, size_t n)
{
	while (n--)
		perf_put(b, "", 1);
}

void perf_hex(struct perf_bytes *b, const char *s)
{
	char two[3] = { 0 };
	uint8_t v;

	for (; isxdigit((unsigned char)s[0]) && isxdigit((unsigned char)s[1]);
	     s += 2) {
		memcpy(two, s, 2);
		v = (uint8_t)strtoul(two, NULL, 16);
		perf_put(b, &v, 1);
	}
}

void perf_text(struct perf_bytes *b, const char *s)
{
	perf_put(b, s, strlen(s) + 1);
	while (b->n % 8)
		perf_put(b, "", 1);
}

/* --- words --- */

static void line_split(struct perf_line *l, const char *s, size_t n)
{
	char *p = strndup(s, n), *whole = strndup(s, n), *save = NULL;

	*l = (struct perf_line){ .copy = whole };
	for (char *w = strtok_r(p, " ", &save); w && l->nr < PERF_MAX_WORDS;
	     w = strtok_r(NULL, " ", &save)) {
		l->rest[l->nr] = whole + (w - p);
		l->words[l->nr++] = w;
	}
	if (!l->nr)
		free(p);
}

static void line_free(struct perf_line *l)
{
	if (l->nr)
		free(l->words[0] - (l->rest[0] - l->copy));
	free(l->copy);
}

/* The value of a word "key=value"; NULL if there is none. */
const char *perf_value(const struct perf_line *l, const char *key)
{
	size_t n = strlen(key);

	for (int i = 1; i < l->nr; i++)
		if (!strncmp(l->words[i], key, n) && l->words[i][n] == '=')
			return l->words[i] + n + 1;
	return NULL;
}

bool perf_has_word(const struct perf_line *l, const char *word)
{
	for (int i = 1; i < l->nr; i++)
		if (!strcmp(l->words[i], word))
			return true;
	return false;
}

uint64_t perf_number(const struct perf_line *l, const char *key, uint64_t other)
{
	const char *s = perf_value(l, key);

	return s ? strtoull(s, NULL, 0) : other;
}

/* "@5", "#5" */
uint64_t perf_marked(const struct perf_line *l, char mark, uint64_t other)
{
	for (int i = 1; i < l->nr; i++)
		if (l->words[i][0] == mark)
			return strtoull(l->words[i] + 1, NULL, 0);
	return other;
}

const char *perf_word(const struct perf_line *l, int i)
{
	if (i >= l->nr)
		perf_stop("a word is missing", l->copy);
	return l->words[i];
}

/* "10/11", "0x10+0x20" */
struct perf_pair perf_pair(const struct perf_line *l, int i)
{
	char *end;
	struct perf_pair p = { .a = strtoull(perf_word(l, i), &end, 0) };

	p.b = *end ? strtoull(end + 1, NULL, 0) : p.a;
	return p;
}

/* --- events --- */

static const char *const fields[] = {
	"ip",	"tid",	 "time",   "addr",   "read",	   "chain",
	"id",	"cpu",	 "period", "stream", "raw",	   "branch",
	"regs", "stack", "weight", "source", "identifier", "trans",
	"intr", "phys",	 "aux",	   "cgroup",
};

static uint64_t field_bits(const char *s)
{
	uint64_t bits = 0;

	while (s && *s) {
		size_t n = strcspn(s, "+"), i = 0;

		while (i < op_countof(fields) &&
		       (strlen(fields[i]) != n || strncmp(fields[i], s, n)))
			i++;
		if (i == op_countof(fields))
			perf_stop("no such field", s);
		bits |= (uint64_t)1 << i;
		s += n + (s[n] == '+');
	}
	return bits;
}

static uint64_t reversed(uint64_t v)
{
	uint64_t out = 0;

	for (int i = 0; i < 64; i++)
		out |= (v >> i & 1) << (63 - i);
	return out;
}

static void attr_write(const struct perf *p, struct perf_event *e,
		       const struct perf_line *l)
{
	const uint64_t id_all = (uint64_t)1 << 18, freq = (uint64_t)1 << 10,
		       clock = (uint64_t)1 << 25;
	uint64_t flags = perf_number(l, "flags", id_all);
	struct perf_bytes b = { 0 };

	flags |= perf_value(l, "freq") ? freq : 0;
	flags |= perf_value(l, "clock") ? clock : 0;
	perf_num(p, &b, perf_number(l, "type", 1), 4);
	perf_num(p, &b, e->bytes, 4);
	perf_num(p, &b, perf_number(l, "config", 0), 8);
	perf_num(p, &b, perf_number(l, "freq", perf_number(l, "period", 1)), 8);
	perf_num(p, &b, e->has, 8);
	perf_num(p, &b, e->read, 8);
	perf_num(p, &b, p->is_big ? reversed(flags) : flags, 8);
	perf_zeros(&b, 24);
	perf_num(p, &b, e->branch, 8);
	perf_num(p, &b, e->regs, 8);
	perf_num(p, &b, 0, 4);
	perf_num(p, &b, perf_number(l, "clock", 0), 4);
	perf_zeros(&b, sizeof(e->attr) - b.n);
	memcpy(e->attr, b.p, sizeof(e->attr));
	free(b.p);
}

static void pipe_attr(struct perf *p, const struct perf_event *e)
{
	perf_num(p, &p->data, 64, 4);
	perf_num(p, &p->data, 0, 2);
	perf_num(p, &p->data, 8 + e->bytes + 8 * e->nr_ids, 2);
	perf_put(&p->data, e->attr, e->bytes);
	for (uint32_t i = 0; i < e->nr_ids; i++)
		perf_num(p, &p->data, e->ids[i], 8);
}

static void event_line(struct perf *p, const struct perf_line *l)
{
	struct perf_event *e = &p->events[p->nr_events++];
	const char *ids = perf_value(l, "ids");
	char *end;

	if (p->nr_events > PERF_MAX_EVENTS)
		perf_stop("too many events", l->copy);
	snprintf(e->name, sizeof(e->name), "%s", perf_word(l, 1));
	e->has = field_bits(perf_value(l, "has"));
	e->read = perf_number(l, "read", 0);
	e->branch = perf_number(l, "branch", 0);
	e->regs = perf_number(l, "regs", 0);
	e->bytes = (uint32_t)perf_number(l, "bytes", 128);
	if (!ids)
		e->ids[e->nr_ids++] = p->nr_events;
	for (; ids && *ids && e->nr_ids < PERF_MAX_IDS; ids = end) {
		e->ids[e->nr_ids++] = strtoull(ids, &end, 0);
		end += *end == '+';
	}
	attr_write(p, e, l);
	if (p->is_pipe)
		pipe_attr(p, e);
}

/* --- anything --- */

static const char *quoted(struct perf_bytes *b, const char *s)
{
	const char *end = strchr(s + 1, *s);

	if (!end)
		perf_stop("no end of a text", s);
	for (s++; s < end; s++) {
		bool is_line = s[0] == '\\' && s[1] == 'n';

		perf_put(b, is_line ? "\n" : s, 1);
		s += is_line;
	}
	perf_put(b, "", 1);
	return end + 1;
}

static void values(const struct perf *p, struct perf_bytes *b, const char *s)
{
	char *end;
	uint64_t v;

	while (*s) {
		if (*s == ' ') {
			s++;
		} else if (*s == '\'') {
			s = quoted(b, s);
		} else if (!strncmp(s, "text\"", 5)) {
			perf_num(p, b, (size_t)(strchr(s + 5, '"') - s - 4), 4);
			s = quoted(b, s + 4);
		} else {
			v = strtoull(s, &end, 0);
			if (end == s)
				perf_stop("no value", s);
			perf_num(p, b, v,
				 *end == 'i' ? 4 :
				 *end == 's' ? 2 :
				 *end == 'b' ? 1 :
					       8);
			s = end + (*end && *end != ' ');
		}
	}
}

static const char *rest(const struct perf_line *l, int i)
{
	return i < l->nr ? l->rest[i] : "";
}

static void raw_record_line(struct perf *p, const struct perf_line *l)
{
	struct perf_bytes b = { 0 };

	values(p, &b, rest(l, 3));
	perf_record(p, (uint32_t)strtoul(perf_word(l, 1), NULL, 0),
		    strtoul(perf_word(l, 2), NULL, 0), &b);
	free(b.p);
}

static void feature_line(struct perf *p, const struct perf_line *l)
{
	uint64_t bit = strtoull(perf_word(l, 1), NULL, 0);
	struct perf_bytes b = { 0 };

	values(p, &p->features[bit], rest(l, 2));
	if (!p->is_pipe)
		return;
	perf_num(p, &b, bit, 8);
	perf_put(&b, p->features[bit].p, p->features[bit].n);
	perf_record(p, 80, 0, &b);
	free(b.p);
}

static void build_id_line(struct perf *p, const struct perf_line *l)
{
	struct perf_bytes b = { 0 }, id = { 0 };
	uint8_t size;

	perf_hex(&id, perf_word(l, 2));
	size = (uint8_t)id.n;
	perf_zeros(&id, 20 - id.n);
	perf_num(p, &b, UINT32_MAX, 4);
	perf_put(&b, id.p, 20);
	perf_put(&b, &size, 1);
	perf_zeros(&b, 3);
	perf_text(&b, perf_word(l, 1));
	if (p->is_pipe) {
		perf_record(p, 67, 1 << 15, &b);
	} else {
		perf_num(p, &p->build_ids, 67, 4);
		perf_num(p, &p->build_ids, 1 << 15, 2);
		perf_num(p, &p->build_ids, 8 + b.n, 2);
		perf_put(&p->build_ids, b.p, b.n);
	}
	free(b.p);
	free(id.p);
}

/* --- packed records --- */

static void flush_line(struct perf *p, const struct perf_line *l,
		       bool is_second)
{
	size_t n = l->nr > 1 ? strtoul(l->words[1], NULL, 0) : p->pending.n;
	uint8_t *out = malloc(ZSTD_compressBound(n) + 64);
	ZSTD_inBuffer from = { p->pending.p, n, 0 };
	ZSTD_outBuffer to = { out, ZSTD_compressBound(n) + 64, 0 };
	struct perf_bytes b = { 0 };

	if (!p->zstd)
		p->zstd = ZSTD_createCStream();
	if (!out || n > p->pending.n ||
	    ZSTD_compressStream2(p->zstd, &to, &from, ZSTD_e_flush))
		perf_stop("cannot pack", l->copy);
	if (is_second)
		perf_num(p, &b, to.pos, 8);
	perf_put(&b, out, to.pos);
	if (is_second)
		perf_zeros(&b, (8 - b.n % 8) % 8);
	p->is_packed = false;
	perf_record(p, is_second ? 83 : 81, 0, &b);
	p->is_packed = true;
	memmove(p->pending.p, p->pending.p + n, p->pending.n - n);
	p->pending.n -= n;
	free(b.p);
	free(out);
}

/* --- lines --- */

static void line_play(struct perf *p, const struct perf_line *l)
{
	static const struct {
		const char *name;
		void (*play)(struct perf *p, const struct perf_line *l);
	} kinds[] = {
		{ "event", event_line },
		{ "record", raw_record_line },
		{ "feature", feature_line },
		{ "buildid", build_id_line },
	};
	const char *what = l->words[0];
	struct perf_bytes none = { 0 };
	uint64_t at;

	for (size_t i = 0; i < op_countof(kinds); i++) {
		if (!strcmp(what, kinds[i].name)) {
			kinds[i].play(p, l);
			return;
		}
	}
	if (perf_record_line(p, l))
		return;
	if (!strcmp(what, "flush") || !strcmp(what, "flush2")) {
		flush_line(p, l, what[5]);
	} else if (!strcmp(what, "pack") || !strcmp(what, "plain")) {
		p->is_packed = what[1] == 'a';
	} else if (!strcmp(what, "round")) {
		perf_record(p, 68, 0, &none);
	} else if (!strcmp(what, "bytes")) {
		values(p, &p->data, rest(l, 1));
	} else if (!strcmp(what, "cut")) {
		p->cut = strtoul(perf_word(l, 1), NULL, 0);
	} else if (!strcmp(what, "head")) {
		at = strtoull(perf_word(l, 1), NULL, 0);
		p->head[at].is_set = true;
		p->head[at].v = strtoull(perf_word(l, 2), NULL, 0);
	} else {
		perf_stop("no such line", what);
	}
}

void perf_lines(struct perf *p, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");
		struct perf_line l;

		line_split(&l, s, n);
		if (l.nr)
			line_play(p, &l);
		line_free(&l);
		s += n + (s[n] == '\n');
	}
}

void perf_begin(struct perf *p, const char *how)
{
	*p = (struct perf){ .is_pipe = strstr(how, "pipe"),
			    .is_big = strstr(how, "big") };
}

/* --- the file --- */

/* EVENT_DESC, unless the text gave one. */
static void describe(struct perf *p)
{
	struct perf_bytes *b = &p->features[12];

	if (b->n || !p->nr_events || !strcmp(p->events[0].name, "-"))
		return;
	perf_num(p, b, p->nr_events, 4);
	perf_num(p, b, p->events[0].bytes, 4);
	for (uint32_t i = 0; i < p->nr_events; i++) {
		const struct perf_event *e = &p->events[i];

		perf_put(b, e->attr, p->events[0].bytes);
		perf_num(p, b, e->nr_ids, 4);
		perf_num(p, b, strlen(e->name) + 1, 4);
		perf_put(b, e->name, strlen(e->name) + 1);
		for (uint32_t k = 0; k < e->nr_ids; k++)
			perf_num(p, b, e->ids[k], 8);
	}
}

static void rows_write(struct perf *p, uint64_t *data_at)
{
	uint32_t row = (p->nr_events ? p->events[0].bytes : 128) + 16;
	uint64_t ids_at = 104 + (uint64_t)row * p->nr_events;

	*data_at = ids_at;
	for (uint32_t i = 0; i < p->nr_events; i++)
		*data_at += 8 * p->events[i].nr_ids;
	for (uint32_t i = 0; i < p->nr_events; i++) {
		perf_put(&p->out, p->events[i].attr, row - 16);
		perf_num(p, &p->out, ids_at, 8);
		perf_num(p, &p->out, 8 * p->events[i].nr_ids, 8);
		ids_at += 8 * p->events[i].nr_ids;
	}
	for (uint32_t i = 0; i < p->nr_events; i++)
		for (uint32_t k = 0; k < p->events[i].nr_ids; k++)
			perf_num(p, &p->out, p->events[i].ids[k], 8);
}

static void features_write(struct perf *p)
{
	uint64_t at = p->out.n;

	for (int bit = 0; bit < 256; bit++)
		at += p->features[bit].n ? 16 : 0;
	for (int bit = 0; bit < 256; bit++) {
		if (!p->features[bit].n)
			continue;
		perf_num(p, &p->out, at, 8);
		perf_num(p, &p->out, p->features[bit].n, 8);
		at += p->features[bit].n;
	}
	for (int bit = 0; bit < 256; bit++)
		perf_put(&p->out, p->features[bit].p, p->features[bit].n);
}

static void head_write(struct perf *p, uint64_t data_at)
{
	struct perf_bytes b = { 0 };
	uint32_t row = (p->nr_events ? p->events[0].bytes : 128) + 16;
	uint64_t bits[4] = { 0 };

	for (int bit = 0; bit < 256; bit++)
		if (p->features[bit].n)
			bits[bit / 64] |= (uint64_t)1 << bit % 64;
	perf_put(&b, p->is_big ? "2ELIFREP" : "PERFILE2", 8);
	perf_num(p, &b, 104, 8);
	perf_num(p, &b, row, 8);
	perf_num(p, &b, 104, 8);
	perf_num(p, &b, (uint64_t)row * p->nr_events, 8);
	perf_num(p, &b, data_at, 8);
	perf_num(p, &b, p->data.n, 8);
	perf_zeros(&b, 16);
	for (int i = 0; i < 4; i++)
		perf_num(p, &b, bits[i], 8);
	memcpy(p->out.p, b.p, b.n);
	free(b.p);
}

struct op_view perf_end(struct perf *p)
{
	struct perf_bytes b = { 0 };
	uint64_t data_at;

	if (p->is_pipe) {
		perf_put(&p->out, p->is_big ? "2ELIFREP" : "PERFILE2", 8);
		perf_num(p, &p->out, 16, 8);
		perf_put(&p->out, p->data.p, p->data.n);
	} else {
		describe(p);
		perf_put(&p->features[2], p->build_ids.p, p->build_ids.n);
		perf_zeros(&p->out, 104);
		rows_write(p, &data_at);
		perf_put(&p->out, p->data.p, p->data.n);
		features_write(p);
		head_write(p, data_at);
	}
	for (size_t i = 0; i < 104; i++) {
		if (!p->head[i].is_set)
			continue;
		b.n = 0;
		perf_num(p, &b, p->head[i].v, 8);
		memcpy(p->out.p + i, b.p, 8);
	}
	free(b.p);
	return op_view(p->out.p, p->out.n - p->cut);
}

void perf_free(struct perf *p)
{
	free(p->data.p);
	free(p->pending.p);
	free(p->out.p);
	free(p->build_ids.p);
	for (int i = 0; i < 256; i++)
		free(p->features[i].p);
	ZSTD_freeCStream(p->zstd);
}
