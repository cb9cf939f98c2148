// SPDX-License-Identifier: Apache-2.0
/* server/push.c: server-sent events to the open tabs. */
#include "server/push.h"

#include <stdio.h>

void op_push_add(struct op_push *p, struct op_stream *s)
{
	struct op_stream **at = &p->first;

	if (p->nr >= OP_PUSH_MAX)
		p->first->close(p->first);
	while (*at)
		at = &(*at)->next;
	*at = s;
	s->next = NULL;
	p->nr++;
	p->was_any = true;
	/* What a browser waits before it connects again. */
	s->write(s, op_view_z("retry: 2000\n\n"));
}

void op_push_remove(struct op_push *p, struct op_stream *s, uint64_t now_ns)
{
	struct op_stream **at = &p->first;

	while (*at && *at != s)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = s->next;
	p->gone_ns = now_ns;
	p->nr--;
}

static void send_all(struct op_push *p, struct op_view text)
{
	struct op_stream *next;

	for (struct op_stream *s = p->first; s; s = next) {
		next = s->next;
		s->write(s, text);
	}
}

void op_push_send(struct op_push *p, const char *event, const char *json)
{
	char text[400];
	int n = snprintf(text, sizeof(text), "event: %s\ndata: %s\n\n", event,
			 json);

	if (n > 0 && (size_t)n < sizeof(text))
		send_all(p, op_view(text, (size_t)n));
}

void op_push_beat(struct op_push *p)
{
	send_all(p, op_view_z(":\n\n"));
}

bool op_push_is_over(const struct op_push *p, uint64_t now_ns)
{
	return p->was_any && !p->nr &&
	       now_ns - p->gone_ns >= (uint64_t)OP_PUSH_WAIT_S * 1000000000;
}
