// SPDX-License-Identifier: Apache-2.0
/* host/host.c: begin and end; dropping what is gone. */
#include "host/host.h"

/* Mappings of all processes together. */
enum { MAX_MAP_BYTES = 1 << 30 };

void op_host_init(struct op_host *h, struct op_err *err)
{
	h->err = h->mem.err = h->maps.mem.err = err;
	h->maps.mem.quota = MAX_MAP_BYTES;
	h->texts.mem = &h->mem;
	h->maps.pool.mem = &h->maps.mem;
	/* Version 0 is that of nothing. */
	h->maps.kernel.version = op_host_version(h);
}

void op_host_fini(struct op_host *h)
{
	op_arena_free(&h->maps.mem);
	op_arena_free(&h->mem);
}

bool op_host_text_keep(struct op_host *h, struct op_view text,
		       struct op_view *out)
{
	uint8_t *copy = op_pool_alloc(&h->texts, text.n);

	if (!copy)
		return false;
	if (text.n)
		memcpy(copy, text.p, text.n);
	*out = op_view(copy, text.n);
	return true;
}

void op_host_text_drop(struct op_host *h, struct op_view text)
{
	op_pool_free(&h->texts, (void *)text.p, text.n);
}

void op_host_unmap_all(struct op_host *h, uint32_t pid)
{
	uint32_t id = op_host_process_find(h, pid);
	struct op_host_process *p;

	if (id == OP_NO_ID)
		return;
	p = &h->tasks.processes.p[id];
	op_host_space_drop(h, p->space);
	p->space = NULL;
	p->is_full = false;
}

/* --- what is gone --- */

static void mark(struct op_host *h, const struct op_host_space *s)
{
	for (uint32_t i = 0; s && i < s->nr; i++)
		h->maps.binaries.p[s->maps[i].binary].is_mapped = true;
}

static void binaries_mark(struct op_host *h)
{
	for (size_t i = 0; i < h->maps.binaries.n; i++)
		h->maps.binaries.p[i].is_mapped = false;
	for (size_t i = 0; i < h->tasks.processes.n; i++) {
		const struct op_host_process *p = &h->tasks.processes.p[i];

		if (p->is_free)
			continue;
		mark(h, p->space);
		if (p->program != OP_NO_ID)
			h->maps.binaries.p[p->program].is_mapped = true;
	}
	mark(h, &h->maps.kernel);
}

void op_host_sweep(struct op_host *h, op_host_alive_fn *is_alive, void *arg)
{
	op_host_tasks_sweep(h, is_alive, arg);
	binaries_mark(h);
	op_host_binaries_sweep(h);
}
