// SPDX-License-Identifier: Apache-2.0
#include "rpc/queue.h"

#include <stdlib.h>

#include "test.h"

static const enum op_signal P = OP_SIGNAL_PROFILES, L = OP_SIGNAL_LOGS;

/* A message is a letter, written as often as it has bytes. */
static struct op_queued *push(struct op_queue *q, enum op_signal s, char c,
			      size_t n)
{
	char text[64];

	memset(text, c, sizeof(text));
	return op_queue_push(q, op_queued_new(s, op_view(text, n), NULL, NULL,
					      OP_IGNORED));
}

/* The letters of a list, which is freed. */
static const char *letters(struct op_queued *list)
{
	static char out[64];
	size_t n = 0;

	while (list) {
		struct op_queued *next = list->next;

		out[n++] = (char)list->bytes.p[0];
		op_queued_free(list);
		list = next;
	}
	out[n] = 0;
	return out;
}

static const char *rest(struct op_queue *q)
{
	struct op_queued *list = NULL, **end = &list;

	while ((*end = op_queue_pop(q)))
		end = &(*end)->next;
	CHECK_EQ(q->bytes, 0);
	CHECK_EQ(q->nr, 0);
	return letters(list);
}

TEST(the_oldest_goes)
{
	struct op_queue q = { .max = 10 };

	CHECK_STR(letters(push(&q, P, 'a', 4)), "");
	CHECK_STR(letters(push(&q, L, 'b', 4)), "");
	CHECK_STR(letters(push(&q, P, 'c', 2)), "");
	CHECK_STR(letters(push(&q, P, 'd', 1)), "a");
	CHECK_EQ(q.bytes, 7);
	CHECK_STR(letters(push(&q, L, 'e', 8)), "bc");
	CHECK_STR(letters(push(&q, L, 'f', 10)), "de");
	CHECK_STR(rest(&q), "f");
}

/* What was tried and put back lets the others pass, and is in its place. */
TEST(each_has_its_turn)
{
	struct op_queue q = { .max = 100 };
	struct op_queued *m;
	char order[12];

	push(&q, P, 'a', 1);
	push(&q, L, 'x', 1);
	push(&q, P, 'b', 1);
	push(&q, P, 'c', 1);
	for (int i = 0; i < 7; i++) {
		m = op_queue_take(&q, P);
		order[i] = (char)m->bytes.p[0];
		CHECK(!op_queue_return(&q, m));
	}
	order[7] = 0;
	CHECK_STR(order, "abcabca");
	m = op_queue_take(&q, P);
	CHECK_EQ(m->bytes.p[0], 'b');
	op_queued_free(m);
	m = op_queue_take(&q, L);
	CHECK_EQ(m->bytes.p[0], 'x');
	CHECK(!op_queue_take(&q, L));
	CHECK(!op_queue_return(&q, m));
	CHECK_STR(rest(&q), "axc");
}

/* There may be no room any more for what is put back. */
TEST(put_back_too_late)
{
	struct op_queue q = { .max = 10 };
	struct op_queued *m;

	push(&q, P, 'a', 6);
	m = op_queue_take(&q, P);
	push(&q, P, 'b', 9);
	CHECK_STR(letters(op_queue_return(&q, m)), "a");
	CHECK_STR(rest(&q), "b");
}

static void count(void *ctx)
{
	++*(int *)ctx;
}

TEST(bytes_of_the_callers_are_not_copied)
{
	struct op_view bytes = op_view("abc", 3);
	struct op_err err = { 0 };
	int released = 0;
	struct op_queued *m = op_queued_new(P, bytes, count, &released, &err);

	CHECK(m->bytes.p == bytes.p);
	CHECK_EQ(released, 0);
	op_queued_free(m);
	CHECK_EQ(released, 1);
	op_queued_free(NULL);
}

TEST(no_memory)
{
	struct op_err err = { 0 };
	int released = 0;

	op_alloc_fail_at(1);
	CHECK(!op_queued_new(P, op_view("a", 1), count, &released, &err));
	CHECK_EQ(err.code, OP_ENOMEM);
	CHECK_EQ(released, 0);
}

TEST_MAIN(the_oldest_goes, each_has_its_turn, put_back_too_late,
	  bytes_of_the_callers_are_not_copied, no_memory)
