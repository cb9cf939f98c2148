// SPDX-License-Identifier: Apache-2.0
/* rpc/split_send.c: one request per part of a message. */
#include "rpc/split_send.h"

#include <stdio.h>

#include "fmt/otlp/split.h"
#include "rpc/signal_ops.h"

struct sending {
	struct op_client *c;
	const struct op_rpc_config *to;
	struct op_answer *a; /* sum of all parts */
};

static void say(struct op_answer *a, const char *text)
{
	if (!*a->text)
		snprintf(a->text, sizeof(a->text), "%s", text);
}

static void note(void *ctx, const char *text)
{
	struct sending *p = ctx;

	say(p->a, text);
}

/* A rejected part does not stop the others. */
static int part(void *ctx, struct op_view message, struct op_err *err)
{
	struct sending *p = ctx;
	struct op_answer one = { 0 };

	op_client_send(p->c, p->to, message, &one);
	if (one.verdict == OP_VERDICT_RETRY) {
		*p->a = one;
		return op_fail(err, OP_EIO, "to be retried");
	}
	if (one.verdict == OP_VERDICT_REFUSED)
		p->a->verdict = OP_VERDICT_REFUSED;
	p->a->rejected += one.rejected;
	say(p->a, one.text);
	return OP_OK;
}

void op_split_send(struct op_client *c, const struct op_rpc_config *to,
		   struct op_view message, struct op_answer *a)
{
	struct sending p = { .c = c, .to = to, .a = a };
	struct op_split_opts opts = { .max = op_rpc_config_max(to),
				      .note = note,
				      .note_ctx = &p };
	struct op_err err = { 0 };

	if (message.n <= opts.max || !op_signals[to->signal].split) {
		op_client_send(c, to, message, a);
		return;
	}
	*a = (struct op_answer){ .verdict = OP_VERDICT_DONE };
	if (!op_signals[to->signal].split(message, &opts, part, &p, &err) ||
	    a->verdict == OP_VERDICT_RETRY)
		return;
	a->verdict = err.code == OP_ENOMEM ? OP_VERDICT_RETRY :
					     OP_VERDICT_REFUSED;
	say(a, err.text);
}
