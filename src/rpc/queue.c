// SPDX-License-Identifier: Apache-2.0
/* rpc/queue.c: messages that wait in memory, up to a limit. */
#include "rpc/queue.h"

struct op_queued *op_queued_new(enum op_signal signal, struct op_view bytes,
				void (*release)(void *ctx), void *ctx,
				struct op_err *err)
{
	struct op_queued *m;
	size_t n = release ? 0 : bytes.n;

	if (n > SIZE_MAX - sizeof(*m)) {
		op_fail_memory(err, n);
		return NULL;
	}
	m = op_heap_resize(NULL, sizeof(*m) + n, err);
	if (!m)
		return NULL;
	*m = (struct op_queued){
		.signal = signal,
		.bytes = bytes,
		.release = release,
		.ctx = ctx,
	};
	if (!release) {
		if (n)
			memcpy(m + 1, bytes.p, n);
		m->bytes.p = (const uint8_t *)(m + 1);
	}
	return m;
}

void op_queued_free(struct op_queued *m)
{
	if (m && m->release)
		m->release(m->ctx);
	op_heap_free(m);
}

void op_queued_list_free(struct op_queued *list)
{
	while (list) {
		struct op_queued *next = list->next;

		op_queued_free(list);
		list = next;
	}
}

uint64_t op_queued_list_length(const struct op_queued *list)
{
	uint64_t n = 0;

	for (; list; list = list->next)
		n++;
	return n;
}

/* Inserts a message by its number; mostly at the end. */
static void insert(struct op_queue *q, struct op_queued *m)
{
	struct op_queued **at = &q->first[m->signal];
	struct op_queued *last = q->last[m->signal];

	if (last && last->nr < m->nr)
		at = &last->next;
	while (*at && (*at)->nr < m->nr)
		at = &(*at)->next;
	m->next = *at;
	*at = m;
	if (!m->next)
		q->last[m->signal] = m;
	q->nr++;
	q->bytes += m->bytes.n;
}

/* Removes the message after prev, or the first. */
static struct op_queued *take_behind(struct op_queue *q, enum op_signal signal,
				     struct op_queued *prev)
{
	struct op_queued **at = prev ? &prev->next : &q->first[signal];
	struct op_queued *m = *at;

	*at = m->next;
	if (!m->next)
		q->last[signal] = prev;
	m->next = NULL;
	q->nr--;
	q->bytes -= m->bytes.n;
	return m;
}

struct op_queued *op_queue_pop(struct op_queue *q)
{
	struct op_queued *oldest = NULL;

	for (int s = 0; s < OP_NR_SIGNALS; s++)
		if (q->first[s] && (!oldest || q->first[s]->nr < oldest->nr))
			oldest = q->first[s];
	return oldest ? take_behind(q, oldest->signal, NULL) : NULL;
}

/* Removes the oldest messages until the limit is met. */
static struct op_queued *overflow(struct op_queue *q)
{
	struct op_queued *list = NULL, **end = &list;

	while (q->bytes > q->max) {
		*end = op_queue_pop(q);
		end = &(*end)->next;
	}
	return list;
}

struct op_queued *op_queue_push(struct op_queue *q, struct op_queued *m)
{
	m->nr = ++q->next_nr;
	insert(q, m);
	return overflow(q);
}

struct op_queued *op_queue_return(struct op_queue *q, struct op_queued *m)
{
	insert(q, m);
	return overflow(q);
}

struct op_queued *op_queue_take(struct op_queue *q, enum op_signal signal)
{
	struct op_queued *prev = NULL, *m = q->first[signal];

	while (m && m->nr <= q->after[signal]) {
		prev = m;
		m = m->next;
	}
	if (!m)
		prev = NULL;
	if (!q->first[signal])
		return NULL;
	m = take_behind(q, signal, prev);
	q->after[signal] = m->nr;
	return m;
}
