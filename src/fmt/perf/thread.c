// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/thread.c: what a recording has of a thread, beside the host. */
#include "fmt/perf/thread.h"

#include "fmt/perf/perf_int.h"

static op_cold bool grow(struct op_perf *f)
{
	static const struct op_perf_thread none;

	while (f->threads.n < f->host.tasks.threads.n)
		if (!op_vec_push(&f->mem, &f->threads, none))
			return false;
	return true;
}

/* Another thread has the row now. The memory for frames stays. */
static op_cold void begin(struct op_perf_thread *t, uint64_t life)
{
	*t = (struct op_perf_thread){ .life = life,
				      .frames = t->frames,
				      .cap_frames = t->cap_frames };
}

struct op_perf_thread *op_perf_thread(struct op_perf *f, uint32_t thread)
{
	uint64_t life = f->host.tasks.threads.p[thread].life;

	if (op_unlikely(thread >= f->threads.n) && !grow(f))
		return NULL;
	if (op_unlikely(f->threads.p[thread].life != life))
		begin(&f->threads.p[thread], life);
	return &f->threads.p[thread];
}
