// SPDX-License-Identifier: Apache-2.0
#include "write/perf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

/* --- bytes --- */

static void stop(const char *what, const char *at)
{
	fprintf(stderr, "write/perf: %s at '%.60s'\n", what, at);
	abort();
}

static void put(struct perf_bytes *b, const void *p, size_t n)
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
static void num(const struct perf *p, struct perf_bytes *b, uint64_t v,
		unsigned int n)
{
	uint8_t bytes[8];

	for (unsigned int i = 0; i < n; i++)
		bytes[p->is_big ? n - 1 - i : i] = (uint8_t)(v >> 8 * i);
	put(b, bytes, n);
}

static void zeros(struct perf_bytes *b, size_t n)
{
	while (n--)
		put(b, "", 1);
}

static void hex(struct perf_bytes *b, const char *s)
{
	char two[3] = { 0 };
	uint8_t v;

	for (; isxdigit((unsigned char)s[0]) && isxdigit((unsigned char)s[1]);
	     s += 2) {
		memcpy(two, s, 2);
		v = (uint8_t)strtoul(two, NULL, 16);
		put(b, &v, 1);
	}
}

static void text(struct perf_bytes *b, const char *s)
{
	put(b, s, strlen(s) + 1);
	while (b->n % 8)
		put(b, "", 1);
}

/* --- words --- */

enum { MAX_WORDS = 40 };

struct line {
	char *words[MAX_WORDS];
	int nr;
	const char *rest[MAX_WORDS]; /* the line from each word on */
	char *copy;
};

static void line_split(struct line *l, const char *s, size_t n)
{
	char *p = strndup(s, n), *whole = strndup(s, n), *save = NULL;

	*l = (struct line){ .copy = whole };
	for (char *w = strtok_r(p, " ", &save); w && l->nr < MAX_WORDS;
	     w = strtok_r(NULL, " ", &save)) {
		l->rest[l->nr] = whole + (w - p);
		l->words[l->nr++] = w;
	}
	if (!l->nr)
		free(p);
}

static void line_free(struct line *l)
{
	if (l->nr)
		free(l->words[0] - (l->rest[0] - l->copy));
	free(l->copy);
}

/* The value of a word "key=value"; NULL if there is none. */
static const char *value(const struct line *l, const char *key)
{
	size_t n = strlen(key);

	for (int i = 1; i < l->nr; i++)
		if (!strncmp(l->words[i], key, n) && l->words[i][n] == '=')
			return l->words[i] + n + 1;
	return NULL;
}

static bool has_word(const struct line *l, const char *word)
{
	for (int i = 1; i < l->nr; i++)
		if (!strcmp(l->words[i], word))
			return true;
	return false;
}

static uint64_t number(const struct line *l, const char *key, uint64_t other)
{
	const char *s = value(l, key);

	return s ? strtoull(s, NULL, 0) : other;
}

/* "@5", "#5" */
static uint64_t marked(const struct line *l, char mark, uint64_t other)
{
	for (int i = 1; i < l->nr; i++)
		if (l->words[i][0] == mark)
			return strtoull(l->words[i] + 1, NULL, 0);
	return other;
}

static const char *word(const struct line *l, int i)
{
	if (i >= l->nr)
		stop("a word is missing", l->copy);
	return l->words[i];
}

struct pair {
	uint64_t a, b;
};

/* "10/11", "0x10+0x20" */
static struct pair pair(const struct line *l, int i)
{
	char *end;
	struct pair p = { .a = strtoull(word(l, i), &end, 0) };

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

enum {
	IP,
	TID,
	TIME,
	ADDR,
	READ,
	CHAIN,
	ID,
	CPU,
	PERIOD,
	STREAM,
	RAW,
	BRANCH,
	REGS,
	STACK,
	WEIGHT,
	SOURCE,
	IDENTIFIER,
	TRANS,
	INTR,
	PHYS,
	AUX,
	CGROUP,
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
			stop("no such field", s);
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
		       const struct line *l)
{
	const uint64_t id_all = (uint64_t)1 << 18, freq = (uint64_t)1 << 10,
		       clock = (uint64_t)1 << 25;
	uint64_t flags = number(l, "flags", id_all);
	struct perf_bytes b = { 0 };

	flags |= value(l, "freq") ? freq : 0;
	flags |= value(l, "clock") ? clock : 0;
	num(p, &b, number(l, "type", 1), 4);
	num(p, &b, e->bytes, 4);
	num(p, &b, number(l, "config", 0), 8);
	num(p, &b, number(l, "freq", number(l, "period", 1)), 8);
	num(p, &b, e->has, 8);
	num(p, &b, e->read, 8);
	num(p, &b, p->is_big ? reversed(flags) : flags, 8);
	zeros(&b, 24);
	num(p, &b, e->branch, 8);
	num(p, &b, e->regs, 8);
	num(p, &b, 0, 4);
	num(p, &b, number(l, "clock", 0), 4);
	zeros(&b, sizeof(e->attr) - b.n);
	memcpy(e->attr, b.p, sizeof(e->attr));
	free(b.p);
}

static void pipe_attr(struct perf *p, const struct perf_event *e)
{
	num(p, &p->data, 64, 4);
	num(p, &p->data, 0, 2);
	num(p, &p->data, 8 + e->bytes + 8 * e->nr_ids, 2);
	put(&p->data, e->attr, e->bytes);
	for (uint32_t i = 0; i < e->nr_ids; i++)
		num(p, &p->data, e->ids[i], 8);
}

static void event_line(struct perf *p, const struct line *l)
{
	struct perf_event *e = &p->events[p->nr_events++];
	const char *ids = value(l, "ids");
	char *end;

	if (p->nr_events > PERF_MAX_EVENTS)
		stop("too many events", l->copy);
	snprintf(e->name, sizeof(e->name), "%s", word(l, 1));
	e->has = field_bits(value(l, "has"));
	e->read = number(l, "read", 0);
	e->branch = number(l, "branch", 0);
	e->regs = number(l, "regs", 0);
	e->bytes = (uint32_t)number(l, "bytes", 128);
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

static const struct perf_event *event_of(const struct perf *p, uint64_t id)
{
	for (uint32_t i = 0; i < p->nr_events; i++)
		for (uint32_t k = 0; k < p->events[i].nr_ids; k++)
			if (p->events[i].ids[k] == id)
				return &p->events[i];
	return &p->events[0];
}

/* --- records --- */

static void record(struct perf *p, uint32_t type, uint64_t misc,
		   const struct perf_bytes *body)
{
	struct perf_bytes *to = p->is_packed ? &p->pending : &p->data;

	num(p, to, type, 4);
	num(p, to, misc, 2);
	num(p, to, 8 + body->n, 2);
	put(to, body->p, body->n);
}

static bool has(const struct perf_event *e, int field)
{
	return e->has >> field & 1;
}

/* What ends records other than samples. */
static void trailer(const struct perf *p, struct perf_bytes *b,
		    const struct line *l, struct pair ids)
{
	uint64_t id = marked(l, '#', p->nr_events ? p->events[0].ids[0] : 0);
	const struct perf_event *e = event_of(p, id);

	if (has(e, TID)) {
		num(p, b, ids.a, 4);
		num(p, b, ids.b, 4);
	}
	if (has(e, TIME))
		num(p, b, marked(l, '@', 0), 8);
	if (has(e, ID))
		num(p, b, id, 8);
	if (has(e, STREAM))
		num(p, b, id, 8);
	if (has(e, CPU))
		num(p, b, number(l, "cpu", 0), 8);
	if (has(e, IDENTIFIER))
		num(p, b, id, 8);
}

static void task_line(struct perf *p, const struct line *l, uint32_t type)
{
	struct pair child = pair(l, 1), parent = pair(l, 2);
	struct perf_bytes b = { 0 };

	num(p, &b, child.a, 4);
	num(p, &b, parent.a, 4);
	num(p, &b, child.b, 4);
	num(p, &b, parent.b, 4);
	num(p, &b, marked(l, '@', 0), 8);
	trailer(p, &b, l, parent);
	record(p, type, 0, &b);
	free(b.p);
}

static void comm_line(struct perf *p, const struct line *l)
{
	struct pair ids = pair(l, 1);
	struct perf_bytes b = { 0 };

	num(p, &b, ids.a, 4);
	num(p, &b, ids.b, 4);
	text(&b, word(l, 2));
	trailer(p, &b, l, ids);
	record(p, 3, has_word(l, "exec") ? 1 << 13 : 0, &b);
	free(b.p);
}

static void range(struct perf *p, struct perf_bytes *b, const struct line *l,
		  int i)
{
	const char *at = strchr(word(l, i), '@');
	struct pair r = pair(l, i);

	num(p, b, r.a, 8);
	num(p, b, r.b, 8);
	num(p, b, at ? strtoull(at + 1, NULL, 0) : 0, 8);
}

static void mmap_line(struct perf *p, const struct line *l)
{
	const char *id = value(l, "id");
	struct pair ids = pair(l, 1);
	struct perf_bytes b = { 0 }, id_bytes = { 0 };

	num(p, &b, ids.a, 4);
	num(p, &b, ids.b, 4);
	range(p, &b, l, 2);
	hex(&id_bytes, id ? id : "");
	if (id) {
		num(p, &b, id_bytes.n, 4);
		if (p->is_big) /* the size is a byte, whatever the order */
			b.p[b.n - 4] = (uint8_t)id_bytes.n;
		put(&b, id_bytes.p, id_bytes.n);
		zeros(&b, 20 - id_bytes.n);
	} else {
		num(p, &b, 8, 4);
		num(p, &b, 1, 4);
		num(p, &b, number(l, "inode", 0), 8);
		num(p, &b, 0, 8);
	}
	num(p, &b, has_word(l, "noexec") ? 1 : 5, 4);
	num(p, &b, 2, 4);
	text(&b, word(l, 3));
	trailer(p, &b, l, ids);
	record(p, 10, id ? 2 | 1 << 14 : 2, &b);
	free(b.p);
	free(id_bytes.p);
}

static void old_mmap_line(struct perf *p, const struct line *l, bool in_kernel)
{
	struct pair ids = in_kernel ? (struct pair){ UINT32_MAX, 0 } :
				      pair(l, 1);
	struct perf_bytes b = { 0 };
	int i = in_kernel ? 1 : 2;

	num(p, &b, ids.a, 4);
	num(p, &b, ids.b, 4);
	range(p, &b, l, i);
	text(&b, word(l, i + 1));
	trailer(p, &b, l, ids);
	record(p, 1, (in_kernel ? 1 : 2) | (has_word(l, "data") ? 1 << 13 : 0),
	       &b);
	free(b.p);
}

static void ksym_line(struct perf *p, const struct line *l)
{
	struct pair r = pair(l, 1), none = { 0 };
	struct perf_bytes b = { 0 };

	num(p, &b, r.a, 8);
	num(p, &b, r.b, 4);
	num(p, &b, 1, 2);
	num(p, &b, has_word(l, "gone"), 2);
	text(&b, word(l, 2));
	trailer(p, &b, l, none);
	record(p, 17, 0, &b);
	free(b.p);
}

static void lost_line(struct perf *p, const struct line *l, bool is_samples)
{
	struct perf_bytes b = { 0 };

	num(p, &b, strtoull(word(l, 1), NULL, 0), 8);
	if (!is_samples)
		num(p, &b, strtoull(word(l, 2), NULL, 0), 8);
	trailer(p, &b, l, (struct pair){ 0 });
	record(p, is_samples ? 13 : 2, 0, &b);
	free(b.p);
}

static void switch_line(struct perf *p, const struct line *l)
{
	const char *how = word(l, 1);
	struct perf_bytes b = { 0 };
	uint64_t misc = !strcmp(how, "in")	? 0 :
			!strcmp(how, "preempt") ? 3 << 13 :
						  1 << 13;

	trailer(p, &b, l, pair(l, 2));
	record(p, 14, misc, &b);
	free(b.p);
}

static void cgroup_line(struct perf *p, const struct line *l)
{
	struct perf_bytes b = { 0 };

	num(p, &b, strtoull(word(l, 1), NULL, 0), 8);
	text(&b, word(l, 2));
	trailer(p, &b, l, (struct pair){ 0 });
	record(p, 19, 0, &b);
	free(b.p);
}

/* --- samples --- */

static uint64_t chain_word(const char *s)
{
	if (*s == 'k')
		return (uint64_t)-128;
	if (*s == 'u')
		return (uint64_t)-512;
	if (*s == 'g')
		return (uint64_t)-2048;
	return strtoull(s, NULL, 0);
}

/* A list of numbers; how many. */
static uint64_t list(const struct perf *p, struct perf_bytes *b, const char *s)
{
	uint64_t n = 0;

	for (; s && *s; n++) {
		num(p, b, chain_word(s), 8);
		s += strcspn(s, ",");
		s += *s == ',';
	}
	return n;
}

static void counted(const struct perf *p, struct perf_bytes *b, const char *s)
{
	struct perf_bytes words = { 0 };

	num(p, b, list(p, &words, s), 8);
	put(b, words.p, words.n);
	free(words.p);
}

static void raw_field(const struct perf *p, struct perf_bytes *b, const char *s)
{
	struct perf_bytes raw = { 0 };

	hex(&raw, s ? s : "");
	while ((raw.n + 4) % 8)
		put(&raw, "", 1);
	num(p, b, raw.n, 4);
	put(b, raw.p, raw.n);
	free(raw.p);
}

static void stack_field(const struct perf *p, struct perf_bytes *b,
			const char *s)
{
	struct perf_bytes stack = { 0 };
	size_t filled;

	hex(&stack, s ? s : "");
	filled = stack.n;
	zeros(&stack, (8 - stack.n % 8) % 8);
	num(p, b, stack.n, 8);
	put(b, stack.p, stack.n);
	if (stack.n)
		num(p, b, filled, 8);
	free(stack.p);
}

static void big_fields(const struct perf *p, struct perf_bytes *b,
		       const struct perf_event *e, const struct line *l)
{
	uint64_t nr = number(l, "branch", 0);

	if (has(e, READ))
		list(p, b, value(l, "read"));
	if (has(e, CHAIN))
		counted(p, b, value(l, "chain"));
	if (has(e, RAW))
		raw_field(p, b, value(l, "raw"));
	if (has(e, BRANCH)) {
		num(p, b, nr, 8);
		if (e->branch >> 17 & 1)
			num(p, b, 7, 8);
		zeros(b, nr * 24);
	}
	if (has(e, REGS)) {
		num(p, b, value(l, "regs") ? 2 : 0, 8);
		list(p, b, value(l, "regs"));
	}
	if (has(e, STACK))
		stack_field(p, b, value(l, "stack"));
	for (int i = 0; i < 6; i++) {
		static const int last[] = { WEIGHT, SOURCE, TRANS,
					    INTR,   PHYS,   CGROUP };

		if (has(e, last[i]))
			num(p, b, i == 5 ? number(l, "cgroup", 0) : 0, 8);
	}
}

static void sample_line(struct perf *p, const struct line *l)
{
	uint64_t id = marked(l, '#', p->events[0].ids[0]);
	const struct perf_event *e = event_of(p, id);
	struct pair ids = pair(l, 1);
	struct perf_bytes b = { 0 };

	if (has(e, IDENTIFIER))
		num(p, &b, id, 8);
	if (has(e, IP))
		num(p, &b, number(l, "ip", 0), 8);
	if (has(e, TID)) {
		num(p, &b, ids.a, 4);
		num(p, &b, ids.b, 4);
	}
	if (has(e, TIME))
		num(p, &b, marked(l, '@', 0), 8);
	if (has(e, ADDR))
		num(p, &b, 0xadd, 8);
	if (has(e, ID))
		num(p, &b, id, 8);
	if (has(e, STREAM))
		num(p, &b, id, 8);
	if (has(e, CPU)) {
		num(p, &b, number(l, "cpu", 0), 4);
		num(p, &b, 0, 4);
	}
	if (has(e, PERIOD))
		num(p, &b, number(l, "period", 1), 8);
	big_fields(p, &b, e, l);
	record(p, 9, number(l, "mode", 2), &b);
	free(b.p);
}

/* --- anything --- */

static const char *quoted(struct perf_bytes *b, const char *s)
{
	const char *end = strchr(s + 1, *s);

	if (!end)
		stop("no end of a text", s);
	for (s++; s < end; s++) {
		bool is_line = s[0] == '\\' && s[1] == 'n';

		put(b, is_line ? "\n" : s, 1);
		s += is_line;
	}
	put(b, "", 1);
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
			num(p, b, (size_t)(strchr(s + 5, '"') - s - 4), 4);
			s = quoted(b, s + 4);
		} else {
			v = strtoull(s, &end, 0);
			if (end == s)
				stop("no value", s);
			num(p, b, v,
			    *end == 'i' ? 4 :
			    *end == 's' ? 2 :
			    *end == 'b' ? 1 :
					  8);
			s = end + (*end && *end != ' ');
		}
	}
}

static const char *rest(const struct line *l, int i)
{
	return i < l->nr ? l->rest[i] : "";
}

static void record_line(struct perf *p, const struct line *l)
{
	struct perf_bytes b = { 0 };

	values(p, &b, rest(l, 3));
	record(p, (uint32_t)strtoul(word(l, 1), NULL, 0),
	       strtoul(word(l, 2), NULL, 0), &b);
	free(b.p);
}

static void feature_line(struct perf *p, const struct line *l)
{
	uint64_t bit = strtoull(word(l, 1), NULL, 0);
	struct perf_bytes b = { 0 };

	values(p, &p->features[bit], rest(l, 2));
	if (!p->is_pipe)
		return;
	num(p, &b, bit, 8);
	put(&b, p->features[bit].p, p->features[bit].n);
	record(p, 80, 0, &b);
	free(b.p);
}

static void build_id_line(struct perf *p, const struct line *l)
{
	struct perf_bytes b = { 0 }, id = { 0 };
	uint8_t size;

	hex(&id, word(l, 2));
	size = (uint8_t)id.n;
	zeros(&id, 20 - id.n);
	num(p, &b, UINT32_MAX, 4);
	put(&b, id.p, 20);
	put(&b, &size, 1);
	zeros(&b, 3);
	text(&b, word(l, 1));
	if (p->is_pipe) {
		record(p, 67, 1 << 15, &b);
	} else {
		num(p, &p->build_ids, 67, 4);
		num(p, &p->build_ids, 1 << 15, 2);
		num(p, &p->build_ids, 8 + b.n, 2);
		put(&p->build_ids, b.p, b.n);
	}
	free(b.p);
	free(id.p);
}

/* --- packed records --- */

static void flush_line(struct perf *p, const struct line *l, bool is_second)
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
		stop("cannot pack", l->copy);
	if (is_second)
		num(p, &b, to.pos, 8);
	put(&b, out, to.pos);
	if (is_second)
		zeros(&b, (8 - b.n % 8) % 8);
	p->is_packed = false;
	record(p, is_second ? 83 : 81, 0, &b);
	p->is_packed = true;
	memmove(p->pending.p, p->pending.p + n, p->pending.n - n);
	p->pending.n -= n;
	free(b.p);
	free(out);
}

/* --- lines --- */

static void line_play(struct perf *p, const struct line *l)
{
	static const struct {
		const char *name;
		void (*play)(struct perf *p, const struct line *l);
	} kinds[] = {
		{ "event", event_line },     { "sample", sample_line },
		{ "comm", comm_line },	     { "mmap", mmap_line },
		{ "ksym", ksym_line },	     { "switch", switch_line },
		{ "cgroup", cgroup_line },   { "record", record_line },
		{ "feature", feature_line }, { "buildid", build_id_line },
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
	if (!strcmp(what, "fork") || !strcmp(what, "exit")) {
		task_line(p, l, *what == 'f' ? 7 : 4);
	} else if (!strcmp(what, "mmap1") || !strcmp(what, "kmmap")) {
		old_mmap_line(p, l, *what == 'k');
	} else if (!strcmp(what, "lost") || !strcmp(what, "lostsamples")) {
		lost_line(p, l, what[4]);
	} else if (!strcmp(what, "flush") || !strcmp(what, "flush2")) {
		flush_line(p, l, what[5]);
	} else if (!strcmp(what, "pack") || !strcmp(what, "plain")) {
		p->is_packed = what[1] == 'a';
	} else if (!strcmp(what, "round")) {
		record(p, 68, 0, &none);
	} else if (!strcmp(what, "bytes")) {
		values(p, &p->data, rest(l, 1));
	} else if (!strcmp(what, "cut")) {
		p->cut = strtoul(word(l, 1), NULL, 0);
	} else if (!strcmp(what, "head")) {
		at = strtoull(word(l, 1), NULL, 0);
		p->head[at].is_set = true;
		p->head[at].v = strtoull(word(l, 2), NULL, 0);
	} else {
		stop("no such line", what);
	}
}

void perf_lines(struct perf *p, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");
		struct line l;

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
	num(p, b, p->nr_events, 4);
	num(p, b, p->events[0].bytes, 4);
	for (uint32_t i = 0; i < p->nr_events; i++) {
		const struct perf_event *e = &p->events[i];

		put(b, e->attr, p->events[0].bytes);
		num(p, b, e->nr_ids, 4);
		num(p, b, strlen(e->name) + 1, 4);
		put(b, e->name, strlen(e->name) + 1);
		for (uint32_t k = 0; k < e->nr_ids; k++)
			num(p, b, e->ids[k], 8);
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
		put(&p->out, p->events[i].attr, row - 16);
		num(p, &p->out, ids_at, 8);
		num(p, &p->out, 8 * p->events[i].nr_ids, 8);
		ids_at += 8 * p->events[i].nr_ids;
	}
	for (uint32_t i = 0; i < p->nr_events; i++)
		for (uint32_t k = 0; k < p->events[i].nr_ids; k++)
			num(p, &p->out, p->events[i].ids[k], 8);
}

static void features_write(struct perf *p)
{
	uint64_t at = p->out.n;

	for (int bit = 0; bit < 256; bit++)
		at += p->features[bit].n ? 16 : 0;
	for (int bit = 0; bit < 256; bit++) {
		if (!p->features[bit].n)
			continue;
		num(p, &p->out, at, 8);
		num(p, &p->out, p->features[bit].n, 8);
		at += p->features[bit].n;
	}
	for (int bit = 0; bit < 256; bit++)
		put(&p->out, p->features[bit].p, p->features[bit].n);
}

static void head_write(struct perf *p, uint64_t data_at)
{
	struct perf_bytes b = { 0 };
	uint32_t row = (p->nr_events ? p->events[0].bytes : 128) + 16;
	uint64_t bits[4] = { 0 };

	for (int bit = 0; bit < 256; bit++)
		if (p->features[bit].n)
			bits[bit / 64] |= (uint64_t)1 << bit % 64;
	put(&b, p->is_big ? "2ELIFREP" : "PERFILE2", 8);
	num(p, &b, 104, 8);
	num(p, &b, row, 8);
	num(p, &b, 104, 8);
	num(p, &b, (uint64_t)row * p->nr_events, 8);
	num(p, &b, data_at, 8);
	num(p, &b, p->data.n, 8);
	zeros(&b, 16);
	for (int i = 0; i < 4; i++)
		num(p, &b, bits[i], 8);
	memcpy(p->out.p, b.p, b.n);
	free(b.p);
}

struct op_view perf_end(struct perf *p)
{
	struct perf_bytes b = { 0 };
	uint64_t data_at;

	if (p->is_pipe) {
		put(&p->out, p->is_big ? "2ELIFREP" : "PERFILE2", 8);
		num(p, &p->out, 16, 8);
		put(&p->out, p->data.p, p->data.n);
	} else {
		describe(p);
		put(&p->features[2], p->build_ids.p, p->build_ids.n);
		zeros(&p->out, 104);
		rows_write(p, &data_at);
		put(&p->out, p->data.p, p->data.n);
		features_write(p);
		head_write(p, data_at);
	}
	for (size_t i = 0; i < 104; i++) {
		if (!p->head[i].is_set)
			continue;
		b.n = 0;
		num(p, &b, p->head[i].v, 8);
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
