// SPDX-License-Identifier: Apache-2.0
/* Any bytes as what a program has written for its helper: every sample of a
 * known thread is counted, and in the end either all of it is read, or it is
 * said to be broken.
 *
 * The first eight bytes say where in the ring the rest begins, so that it goes
 * around the end. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/helper_events.h"
#include "fuzz/prop.h"
#include "model/model.h"

static struct op_channel *channel;

static uint64_t ring_fill(const uint8_t *p, size_t n)
{
	uint64_t at = 0;

	memcpy(&at, p, 8);
	p += 8;
	n -= 8;
	if (n > OP_CHANNEL_RING)
		n = OP_CHANNEL_RING;
	for (size_t i = 0; i < n; i++)
		channel->ring[(at + i) & (OP_CHANNEL_RING - 1)] = p[i];
	channel->head = at + n;
	return at;
}

static void helper_open(struct op_agent_helper *h, struct op_err *err)
{
	static const struct op_live_type types[OP_AGENT_TYPES] = {
		[OP_AGENT_SAMPLES] = { .name = "samples" },
		[OP_AGENT_SNAPSHOTS] = { .name = "snapshots" },
		[OP_AGENT_ALLOC_OBJECTS] = { .name = "alloc_objects" },
		[OP_AGENT_ALLOC_SPACE] = { .name = "alloc_space" },
		[OP_AGENT_INUSE_OBJECTS] = { .name = "inuse_objects" },
		[OP_AGENT_INUSE_SPACE] = { .name = "inuse_space" },
	};
	struct op_live_opts l = { .types = types, .nr_types = OP_AGENT_TYPES };
	struct op_kvs none = { 0 };

	h->err = h->mem.err = err;
	h->opts.wants[OP_AGENT_LOGS] = h->opts.has_memory = true;
	h->channel = h->ring.channel = h->code.channel = channel;
	h->code.pid = 1 << 30;
	h->code.tables_fd = -1;
	PROP(!op_agent_helper_code_init(&h->code, err));
	op_live_init(&h->live[OP_AGENT_LOGS], &l, 1, err);
	h->code.binaries.live[OP_AGENT_LOGS] = &h->live[OP_AGENT_LOGS];
	h->process[OP_AGENT_LOGS] = op_live_process(&h->live[OP_AGENT_LOGS],
						    &none);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct op_agent_helper *h = calloc(1, sizeof(*h));
	struct op_model m[OP_AGENT_KINDS];
	struct op_err err = { 0 };

	if (!channel)
		channel = mmap(NULL, sizeof(*channel), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	PROP(channel != MAP_FAILED && h);
	helper_open(h, &err);
	channel->head = channel->tail = 0;
	if (n >= 8)
		h->ring.at = ring_fill(p, n);
	op_agent_helper_events(h);
	PROP(!err.code);
	PROP(h->ring.is_broken || h->ring.at == channel->head);
	PROP(h->counts.complete <= h->counts.samples);
	PROP(h->counts.samples <= n / sizeof(struct op_channel_repeat));
	for (size_t i = 1; i < h->threads.n; i++)
		PROP(h->threads.p[i - 1].head.tid < h->threads.p[i].head.tid);
	PROP(!op_agent_helper_take(h, m));
	PROP((m[OP_AGENT_LOGS].nr_resources != 0) ==
	     (h->counts.samples + h->counts.allocs != 0));
	op_model_free(&m[OP_AGENT_LOGS]);
	h->channel = NULL; /* it stays */
	op_agent_helper_fini(h);
	free(h);
	return 0;
}
