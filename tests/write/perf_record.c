// SPDX-License-Identifier: Apache-2.0
/* tests/write/perf_record.c: records of the kernel, and samples. */
#include "write/perf_int.h"

#include <stdlib.h>

static const struct perf_event *event_of(const struct perf *p, uint64_t id)
{
	for (uint32_t i = 0; i < p->nr_events; i++)
		for (uint32_t k = 0; k < p->events[i].nr_ids; k++)
			if (p->events[i].ids[k] == id)
				return &p->events[i];
	return &p->events[0];
}

/* --- records --- */

void perf_record(struct perf *p, uint32_t type, uint64_t misc,
		 const struct perf_bytes *body)
{
	struct perf_bytes *to = p->is_packed ? &p->pending : &p->data;

	perf_num(p, to, type, 4);
	perf_num(p, to, misc, 2);
	perf_num(p, to, 8 + body->n, 2);
	perf_put(to, body->p, body->n);
}

static bool has(const struct perf_event *e, int field)
{
	return e->has >> field & 1;
}

/* What ends records other than samples. */
void perf_trailer(const struct perf *p, struct perf_bytes *b,
		  const struct perf_line *l, struct perf_pair ids)
{
	uint64_t id = perf_marked(l, '#',
				  p->nr_events ? p->events[0].ids[0] : 0);
	const struct perf_event *e = event_of(p, id);

	if (has(e, TID)) {
		perf_num(p, b, ids.a, 4);
		perf_num(p, b, ids.b, 4);
	}
	if (has(e, TIME))
		perf_num(p, b, perf_marked(l, '@', 0), 8);
	if (has(e, ID))
		perf_num(p, b, id, 8);
	if (has(e, STREAM))
		perf_num(p, b, id, 8);
	if (has(e, CPU))
		perf_num(p, b, perf_number(l, "cpu", 0), 8);
	if (has(e, IDENTIFIER))
		perf_num(p, b, id, 8);
}

static void task_line(struct perf *p, const struct perf_line *l, uint32_t type)
{
	struct perf_pair child = perf_pair(l, 1), parent = perf_pair(l, 2);
	struct perf_bytes b = { 0 };

	perf_num(p, &b, child.a, 4);
	perf_num(p, &b, parent.a, 4);
	perf_num(p, &b, child.b, 4);
	perf_num(p, &b, parent.b, 4);
	perf_num(p, &b, perf_marked(l, '@', 0), 8);
	perf_trailer(p, &b, l, parent);
	perf_record(p, type, 0, &b);
	free(b.p);
}

static void comm_line(struct perf *p, const struct perf_line *l)
{
	struct perf_pair ids = perf_pair(l, 1);
	struct perf_bytes b = { 0 };

	perf_num(p, &b, ids.a, 4);
	perf_num(p, &b, ids.b, 4);
	perf_text(&b, perf_word(l, 2));
	perf_trailer(p, &b, l, ids);
	perf_record(p, 3, perf_has_word(l, "exec") ? 1 << 13 : 0, &b);
	free(b.p);
}

static void range(struct perf *p, struct perf_bytes *b,
		  const struct perf_line *l, int i)
{
	const char *at = strchr(perf_word(l, i), '@');
	struct perf_pair r = perf_pair(l, i);

	perf_num(p, b, r.a, 8);
	perf_num(p, b, r.b, 8);
	perf_num(p, b, at ? strtoull(at + 1, NULL, 0) : 0, 8);
}

static void mmap_line(struct perf *p, const struct perf_line *l)
{
	const char *id = perf_value(l, "id");
	struct perf_pair ids = perf_pair(l, 1);
	struct perf_bytes b = { 0 }, id_bytes = { 0 };

	perf_num(p, &b, ids.a, 4);
	perf_num(p, &b, ids.b, 4);
	range(p, &b, l, 2);
	perf_hex(&id_bytes, id ? id : "");
	if (id) {
		perf_num(p, &b, id_bytes.n, 4);
		if (p->is_big) /* the size is a byte, whatever the order */
			b.p[b.n - 4] = (uint8_t)id_bytes.n;
		perf_put(&b, id_bytes.p, id_bytes.n);
		perf_zeros(&b, 20 - id_bytes.n);
	} else {
		perf_num(p, &b, 8, 4);
		perf_num(p, &b, 1, 4);
		perf_num(p, &b, perf_number(l, "inode", 0), 8);
		perf_num(p, &b, 0, 8);
	}
	perf_num(p, &b, perf_has_word(l, "noexec") ? 1 : 5, 4);
	perf_num(p, &b, 2, 4);
	perf_text(&b, perf_word(l, 3));
	perf_trailer(p, &b, l, ids);
	perf_record(p, 10, id ? 2 | 1 << 14 : 2, &b);
	free(b.p);
	free(id_bytes.p);
}

static void old_mmap_line(struct perf *p, const struct perf_line *l,
			  bool in_kernel)
{
	struct perf_pair ids = in_kernel ? (struct perf_pair){ UINT32_MAX, 0 } :
					   perf_pair(l, 1);
	struct perf_bytes b = { 0 };
	int i = in_kernel ? 1 : 2;

	perf_num(p, &b, ids.a, 4);
	perf_num(p, &b, ids.b, 4);
	range(p, &b, l, i);
	perf_text(&b, perf_word(l, i + 1));
	perf_trailer(p, &b, l, ids);
	perf_record(p, 1,
		    (in_kernel ? 1 : 2) |
			    (perf_has_word(l, "data") ? 1 << 13 : 0),
		    &b);
	free(b.p);
}

static void ksym_line(struct perf *p, const struct perf_line *l)
{
	struct perf_pair r = perf_pair(l, 1), none = { 0 };
	struct perf_bytes b = { 0 };

	perf_num(p, &b, r.a, 8);
	perf_num(p, &b, r.b, 4);
	perf_num(p, &b, 1, 2);
	perf_num(p, &b, perf_has_word(l, "gone"), 2);
	perf_text(&b, perf_word(l, 2));
	perf_trailer(p, &b, l, none);
	perf_record(p, 17, 0, &b);
	free(b.p);
}

static void lost_line(struct perf *p, const struct perf_line *l,
		      bool is_samples)
{
	struct perf_bytes b = { 0 };

	perf_num(p, &b, strtoull(perf_word(l, 1), NULL, 0), 8);
	if (!is_samples)
		perf_num(p, &b, strtoull(perf_word(l, 2), NULL, 0), 8);
	perf_trailer(p, &b, l, (struct perf_pair){ 0 });
	perf_record(p, is_samples ? 13 : 2, 0, &b);
	free(b.p);
}

static void switch_line(struct perf *p, const struct perf_line *l)
{
	const char *how = perf_word(l, 1);
	struct perf_bytes b = { 0 };
	uint64_t misc = !strcmp(how, "in")	? 0 :
			!strcmp(how, "preempt") ? 3 << 13 :
						  1 << 13;

	perf_trailer(p, &b, l, perf_pair(l, 2));
	perf_record(p, 14, misc, &b);
	free(b.p);
}

static void cgroup_line(struct perf *p, const struct perf_line *l)
{
	struct perf_bytes b = { 0 };

	perf_num(p, &b, strtoull(perf_word(l, 1), NULL, 0), 8);
	perf_text(&b, perf_word(l, 2));
	perf_trailer(p, &b, l, (struct perf_pair){ 0 });
	perf_record(p, 19, 0, &b);
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
		perf_num(p, b, chain_word(s), 8);
		s += strcspn(s, ",");
		s += *s == ',';
	}
	return n;
}

static void counted(const struct perf *p, struct perf_bytes *b, const char *s)
{
	struct perf_bytes words = { 0 };

	perf_num(p, b, list(p, &words, s), 8);
	perf_put(b, words.p, words.n);
	free(words.p);
}

static void raw_field(const struct perf *p, struct perf_bytes *b, const char *s)
{
	struct perf_bytes raw = { 0 };

	perf_hex(&raw, s ? s : "");
	while ((raw.n + 4) % 8)
		perf_put(&raw, "", 1);
	perf_num(p, b, raw.n, 4);
	perf_put(b, raw.p, raw.n);
	free(raw.p);
}

static void stack_field(const struct perf *p, struct perf_bytes *b,
			const char *s)
{
	struct perf_bytes stack = { 0 };
	size_t filled;

	perf_hex(&stack, s ? s : "");
	filled = stack.n;
	perf_zeros(&stack, (8 - stack.n % 8) % 8);
	perf_num(p, b, stack.n, 8);
	perf_put(b, stack.p, stack.n);
	if (stack.n)
		perf_num(p, b, filled, 8);
	free(stack.p);
}

static void big_fields(const struct perf *p, struct perf_bytes *b,
		       const struct perf_event *e, const struct perf_line *l)
{
	uint64_t nr = perf_number(l, "branch", 0);

	if (has(e, READ))
		list(p, b, perf_value(l, "read"));
	if (has(e, CHAIN))
		counted(p, b, perf_value(l, "chain"));
	if (has(e, RAW))
		raw_field(p, b, perf_value(l, "raw"));
	if (has(e, BRANCH)) {
		perf_num(p, b, nr, 8);
		if (e->branch >> 17 & 1)
			perf_num(p, b, 7, 8);
		perf_zeros(b, nr * 24);
	}
	if (has(e, REGS)) {
		perf_num(p, b, perf_value(l, "regs") ? 2 : 0, 8);
		list(p, b, perf_value(l, "regs"));
	}
	if (has(e, STACK))
		stack_field(p, b, perf_value(l, "stack"));
	for (int i = 0; i < 6; i++) {
		static const int last[] = { WEIGHT, SOURCE, TRANS,
					    INTR,   PHYS,   CGROUP };

		if (has(e, last[i]))
			perf_num(p, b, i == 5 ? perf_number(l, "cgroup", 0) : 0,
				 8);
	}
}

static void sample_line(struct perf *p, const struct perf_line *l)
{
	uint64_t id = perf_marked(l, '#', p->events[0].ids[0]);
	const struct perf_event *e = event_of(p, id);
	struct perf_pair ids = perf_pair(l, 1);
	struct perf_bytes b = { 0 };

	if (has(e, IDENTIFIER))
		perf_num(p, &b, id, 8);
	if (has(e, IP))
		perf_num(p, &b, perf_number(l, "ip", 0), 8);
	if (has(e, TID)) {
		perf_num(p, &b, ids.a, 4);
		perf_num(p, &b, ids.b, 4);
	}
	if (has(e, TIME))
		perf_num(p, &b, perf_marked(l, '@', 0), 8);
	if (has(e, ADDR))
		perf_num(p, &b, 0xadd, 8);
	if (has(e, ID))
		perf_num(p, &b, id, 8);
	if (has(e, STREAM))
		perf_num(p, &b, id, 8);
	if (has(e, CPU)) {
		perf_num(p, &b, perf_number(l, "cpu", 0), 4);
		perf_num(p, &b, 0, 4);
	}
	if (has(e, PERIOD))
		perf_num(p, &b, perf_number(l, "period", 1), 8);
	big_fields(p, &b, e, l);
	perf_record(p, 9, perf_number(l, "mode", 2), &b);
	free(b.p);
}

/* --- lines --- */

bool perf_record_line(struct perf *p, const struct perf_line *l)
{
	static const struct {
		const char *name;
		void (*play)(struct perf *p, const struct perf_line *l);
	} kinds[] = {
		{ "sample", sample_line }, { "comm", comm_line },
		{ "mmap", mmap_line },	   { "ksym", ksym_line },
		{ "switch", switch_line }, { "cgroup", cgroup_line },
	};
	const char *what = l->words[0];

	for (size_t i = 0; i < op_countof(kinds); i++) {
		if (!strcmp(what, kinds[i].name)) {
			kinds[i].play(p, l);
			return true;
		}
	}
	if (!strcmp(what, "fork") || !strcmp(what, "exit"))
		task_line(p, l, *what == 'f' ? 7 : 4);
	else if (!strcmp(what, "mmap1") || !strcmp(what, "kmmap"))
		old_mmap_line(p, l, *what == 'k');
	else if (!strcmp(what, "lost") || !strcmp(what, "lostsamples"))
		lost_line(p, l, what[4]);
	else
		return false;
	return true;
}
