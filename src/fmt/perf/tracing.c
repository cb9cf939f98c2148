// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/tracing.c: names of tracepoints, from the descriptions that a
 * recording has of them. A pipe of an older perf names them nowhere else.
 *
 *	"\x17\x08\x44tracing" version\0, u8 endian, u8 long size, u32 page size
 *	"header_page\0" u64 n, n bytes; "header_event\0" u64 n, n bytes
 *	u32 nr of ftrace's own, each u64 n, n bytes
 *	u32 nr of systems, each name\0, u32 nr of events, each u64 n, n bytes
 *
 * The bytes of an event are text: "name: main\nID: 1329\nformat: ...". */
#include "fmt/perf/tracing.h"

#include "fmt/perf/event.h"
#include "fmt/perf/perf_int.h"

struct cut {
	const struct op_perf *f;
	struct op_view v; /* what is left; empty after the end */
};

static struct op_view bytes(struct cut *c, uint64_t n)
{
	struct op_view out = { 0 };

	if (n > c->v.n) {
		c->v.n = 0;
		return out;
	}
	out = op_view(c->v.p, n);
	c->v = op_view(c->v.p + n, c->v.n - n);
	return out;
}

static uint64_t number(struct cut *c, size_t size)
{
	struct op_view v = bytes(c, size);

	if (!v.n)
		return 0;
	return size == 8 ? op_perf_u64(c->f, v.p) : op_perf_u32(c->f, v.p);
}

static struct op_view text(struct cut *c)
{
	struct op_view v = op_perf_text(c->v.p, c->v.n);

	bytes(c, v.n + 1);
	return v;
}

/* Behind a word and up to the end of the line. */
static struct op_view behind(struct op_view v, const char *word)
{
	const uint8_t *at = v.n ? memmem(v.p, v.n, word, strlen(word)) : NULL;
	const uint8_t *end;

	if (!at)
		return (struct op_view){ 0 };
	at += strlen(word);
	end = memchr(at, '\n', v.n - (size_t)(at - v.p));
	return end ? op_view(at, (size_t)(end - at)) : (struct op_view){ 0 };
}

static bool id_of(struct op_view v, uint64_t *id)
{
	*id = 0;
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] < '0' || v.p[i] > '9' || v.n > 9)
			return false;
		*id = *id * 10 + v.p[i] - '0';
	}
	return v.n;
}

static void event_name(struct op_perf *f, struct op_view system,
		       struct op_view format)
{
	struct op_view name = behind(format, "name: ");
	uint64_t id;

	if (!name.n || !id_of(behind(format, "\nID: "), &id))
		return;
	for (size_t i = 0; i < f->events.rows.n && !f->err->code; i++) {
		struct op_perf_event *e = &f->events.rows.p[i];
		uint8_t *to;

		if (e->type != OP_PERF_TRACEPOINT || e->config != id ||
		    e->name.n)
			continue;
		to = op_arena_alloc(&f->mem, system.n + 1 + name.n);
		if (!to)
			return;
		memcpy(to, system.p, system.n);
		to[system.n] = ':';
		memcpy(to + system.n + 1, name.p, name.n);
		e->name = op_view(to, system.n + 1 + name.n);
	}
}

static bool has_unnamed(const struct op_perf *f)
{
	for (size_t i = 0; i < f->events.rows.n; i++)
		if (f->events.rows.p[i].type == OP_PERF_TRACEPOINT &&
		    !f->events.rows.p[i].name.n)
			return true;
	return false;
}

void op_perf_tracing_names(struct op_perf *f)
{
	static const char magic[] = "\x17\x08\x44tracing";
	size_t n = sizeof(magic) - 1;
	struct cut c = { f, f->head.tracing };

	if (!has_unnamed(f) || c.v.n < n || memcmp(c.v.p, magic, n))
		return;
	bytes(&c, n);
	text(&c);
	bytes(&c, 6);
	for (int i = 0; i < 2; i++) {
		text(&c);
		bytes(&c, number(&c, 8));
	}
	for (uint64_t nr = number(&c, 4); nr && c.v.n; nr--)
		bytes(&c, number(&c, 8));
	for (uint64_t nr = number(&c, 4); nr && c.v.n; nr--) {
		struct op_view system = text(&c);

		for (uint64_t k = number(&c, 4); k && c.v.n; k--)
			event_name(f, system, bytes(&c, number(&c, 8)));
	}
}
