// SPDX-License-Identifier: Apache-2.0
#include "server/push.h"

#include "test.h"

struct tab {
	struct op_stream stream; /* first */
	char text[600];
	bool is_closed;
};

static struct op_push push;

static void tab_write(struct op_stream *s, struct op_view text)
{
	struct tab *t = (struct tab *)s;
	size_t n = strlen(t->text);

	if (n + text.n < sizeof(t->text))
		memcpy(t->text + n, text.p, text.n);
}

static void tab_close(struct op_stream *s)
{
	((struct tab *)s)->is_closed = true;
	op_push_remove(&push, s, 7);
}

static void tab_open(struct tab *t)
{
	*t = (struct tab){ .stream = { .write = tab_write,
				       .close = tab_close } };
	op_push_add(&push, &t->stream);
}

TEST(events)
{
	struct tab a, b;
	char json[500];

	push = (struct op_push){ 0 };
	op_push_send(&push, "change", "{}");
	tab_open(&a);
	op_push_send(&push, "change", "{\"duration\":1}");
	tab_open(&b);
	op_push_beat(&push);
	CHECK_STR(a.text, "retry: 2000\n\nevent: change\n"
			  "data: {\"duration\":1}\n\n:\n\n");
	CHECK_STR(b.text, "retry: 2000\n\n:\n\n");
	op_push_remove(&push, &a.stream, 1);
	op_push_remove(&push, &a.stream, 1);
	CHECK_EQ(push.nr, 1);
	op_push_beat(&push);
	CHECK_STR(b.text, "retry: 2000\n\n:\n\n:\n\n");
	/* What is too long is not cut. */
	memset(json, 'x', sizeof(json) - 1);
	json[sizeof(json) - 1] = 0;
	op_push_send(&push, "change", json);
	CHECK_STR(b.text, "retry: 2000\n\n:\n\n:\n\n");
}

/* A browser has few connections: the oldest one makes room. */
TEST(too_many)
{
	struct tab tabs[OP_PUSH_MAX + 2];

	push = (struct op_push){ 0 };
	for (size_t i = 0; i < op_countof(tabs); i++)
		tab_open(&tabs[i]);
	CHECK_EQ(push.nr, OP_PUSH_MAX);
	for (size_t i = 0; i < op_countof(tabs); i++)
		CHECK_EQ(tabs[i].is_closed, i < 2);
	CHECK(push.first == &tabs[2].stream);
}

TEST(last_tab)
{
	const uint64_t second = 1000000000;
	struct tab a;

	push = (struct op_push){ 0 };
	CHECK(!op_push_is_over(&push, 1000 * second));
	tab_open(&a);
	CHECK(!op_push_is_over(&push, 1000 * second));
	op_push_remove(&push, &a.stream, 1000 * second);
	CHECK(!op_push_is_over(&push, 1009 * second));
	CHECK(op_push_is_over(&push, 1010 * second));
	/* It was only loaded anew. */
	tab_open(&a);
	CHECK(!op_push_is_over(&push, 1010 * second));
}

TEST_MAIN(events, too_many, last_tab)
