// SPDX-License-Identifier: Apache-2.0
/* sym/jit.c: reads perf maps and jitdump files. */
#include "sym/jit.h"

#include <stdlib.h>

#include "sym/text.h"

/* False without memory. */
static bool add(struct op_jit *j, struct op_jit_code c, uint64_t size)
{
	size_t max = j->max ? j->max : OP_JIT_MAX;

	if (!size || !c.name.n || j->codes.n >= max ||
	    __builtin_add_overflow(c.start, size, &c.end)) {
		j->nr_skipped++;
		return true;
	}
	if (c.name.n > OP_JIT_NAME)
		c.name.n = OP_JIT_NAME;
	return op_vec_push(j->mem, &j->codes, c);
}

/* --- perf maps --- */

int op_jit_perf_map(struct op_jit *j, struct op_view text, struct op_err *err)
{
	struct op_view v;

	while (op_text_line(&text, &v)) {
		struct op_jit_code c = { .since = j->codes.n };
		uint64_t size;

		/* The file may be incomplete while it is being written. */
		if (text.p == v.p + v.n)
			break;
		if (v.n && v.p[v.n - 1] == '\r')
			v.n--;
		if (!op_text_hex(&v, &c.start) || !op_text_hex(&v, &size)) {
			j->nr_skipped++;
			continue;
		}
		c.name = v;
		if (!add(j, c, size))
			return err->code;
	}
	return OP_OK;
}

/* --- jitdump --- */

enum {
	HEADER_BYTES = 40,
	RECORD_BYTES = 16,
	LOAD_BYTES = 56, /* including the record header */
	MOVE_BYTES = 64,
	RECORD_LOAD = 0,
	RECORD_MOVE = 1,
};

static uint64_t number(struct op_view v, size_t at, size_t n)
{
	uint64_t x = 0;

	memcpy(&x, v.p + at, n);
	return x;
}

static bool load(struct op_jit *j, struct op_view r)
{
	struct op_jit_code c = { .since = number(r, 8, 8) };
	const uint8_t *end;

	if (r.n <= LOAD_BYTES) {
		j->nr_skipped++;
		return true;
	}
	end = memchr(r.p + LOAD_BYTES, 0, r.n - LOAD_BYTES);
	c.start = number(r, 32, 8);
	if (end)
		c.name = op_view(r.p + LOAD_BYTES,
				 (size_t)(end - r.p) - LOAD_BYTES);
	return add(j, c, number(r, 40, 8));
}

/* The name of moved code, which was loaded or moved before. Moves are few: no
 * virtual machine in use writes them. */
static bool move(struct op_jit *j, struct op_view r)
{
	enum { MAX_BACK = 4096 };
	struct op_jit_code c = { .since = number(r, 8, 8) };
	uint64_t from;

	if (r.n < MOVE_BYTES) {
		j->nr_skipped++;
		return true;
	}
	from = number(r, 32, 8);
	c.start = number(r, 40, 8);
	for (size_t i = j->codes.n, n = 0; i-- && n < MAX_BACK; n++)
		if (j->codes.p[i].start == from) {
			c.name = j->codes.p[i].name;
			break;
		}
	return add(j, c, number(r, 48, 8));
}

static int header(struct op_view file, size_t *at, struct op_err *err)
{
	if (file.n < HEADER_BYTES || memcmp(file.p, "DTiJ", 4))
		return op_fail_at(err, OP_EFORMAT, 0,
				  "is not a little-endian jitdump file");
	*at = (size_t)number(file, 8, 4);
	if (*at < HEADER_BYTES || *at > file.n)
		return op_fail_at(err, OP_EFORMAT, 8,
				  "a jitdump header of %zu bytes is not valid",
				  *at);
	return OP_OK;
}

int op_jit_dump(struct op_jit *j, struct op_view file, struct op_err *err)
{
	size_t at = 0;

	if (header(file, &at, err))
		return err->code;
	while (file.n - at >= RECORD_BYTES) {
		struct op_view r = op_view(file.p + at, file.n - at);
		uint64_t id = number(r, 0, 4), n = number(r, 4, 4);
		bool ok = true;

		if (n < RECORD_BYTES || n > r.n)
			break; /* truncated, or no way to continue */
		r.n = (size_t)n;
		at += r.n;
		if (id == RECORD_LOAD)
			ok = load(j, r);
		else if (id == RECORD_MOVE)
			ok = move(j, r);
		if (!ok)
			return err->code;
	}
	return OP_OK;
}

/* --- looking up --- */

static int compare(const void *pa, const void *pb)
{
	const struct op_jit_code *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->since > b->since) - (a->since < b->since);
}

void op_jit_finish(struct op_jit *j)
{
	uint64_t reach = 0;

	if (j->codes.n)
		qsort(j->codes.p, j->codes.n, sizeof(*j->codes.p), compare);
	for (size_t i = 0; i < j->codes.n; i++) {
		if (j->codes.p[i].end > reach)
			reach = j->codes.p[i].end;
		j->codes.p[i].reach = reach;
	}
}

struct op_view op_jit_find(const struct op_jit *j, uint64_t address,
			   uint64_t time)
{
	/* Reused addresses are close together; only a hostile map has more to
	 * search. */
	enum { MAX_STEPS = 4096 };
	const struct op_jit_code *best = NULL;
	size_t from = 0, to = j->codes.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (j->codes.p[mid].start <= address)
			from = mid + 1;
		else
			to = mid;
	}
	for (size_t n = 0; from-- && n < MAX_STEPS; n++) {
		const struct op_jit_code *c = &j->codes.p[from];

		if (c->reach <= address)
			break;
		if (address < c->end && c->since <= time &&
		    (!best || c->since > best->since))
			best = c;
	}
	return best ? best->name : (struct op_view){ 0 };
}
