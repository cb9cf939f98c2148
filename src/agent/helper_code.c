// SPDX-License-Identifier: Apache-2.0
/* agent/helper_code.c: the code of the profiled program. */
#include "agent/helper_code.h"

#include <fcntl.h>
#include <sys/mman.h>

_Static_assert((uint64_t)OP_BPF_MAX_SLABS *OP_BPF_SLAB == OP_CHANNEL_TABLES,
	       "a place of a slab is a place in the memory file");

enum { MAX_TABLE_BYTES = 32 << 20 };

/* --- memory of the tables ------------------------------------------------- */

static bool slab_map(void *ctx, uint32_t nr, void *at)
{
	const struct op_agent_helper_code *c = ctx;

	return mmap(at, OP_BPF_SLAB, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED, c->tables_fd,
		    (off_t)nr * OP_BPF_SLAB) != MAP_FAILED;
}

static void slab_drop(void *ctx, uint32_t nr)
{
	const struct op_agent_helper_code *c = ctx;

	fallocate(c->tables_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)nr * OP_BPF_SLAB, OP_BPF_SLAB);
}

/* --- begin and end -------------------------------------------------------- */

static void binary_gone(void *arg, struct op_host_binary *b)
{
	struct op_agent_helper_code *c = arg;

	op_rec_binary_gone(&c->binaries, b);
}

int op_agent_helper_code_init(struct op_agent_helper_code *c,
			      struct op_err *err)
{
	const struct op_slab_maps maps = { slab_map, slab_drop, c };

	c->mem.err = err;
	c->host.is_live = true;
	c->host.binary_gone = binary_gone;
	c->host.arg = c;
	op_host_init(&c->host, err);
	c->binaries.host = &c->host;
	c->binaries.tables = &c->tables;
	c->binaries.err = err;
	return op_rec_tables_init(&c->tables, &c->mem, &maps, NULL,
				  MAX_TABLE_BYTES, err);
}

void op_agent_helper_code_fini(struct op_agent_helper_code *c)
{
	for (size_t i = 0; i < c->host.maps.binaries.n; i++)
		binary_gone(c, &c->host.maps.binaries.p[i]);
	op_rec_tables_fini(&c->tables);
	op_host_fini(&c->host);
	op_proc_fini(&c->proc);
	op_arena_free(&c->mem);
}

/* --- maps ----------------------------------------------------------------- */

static void add_map(void *arg, const struct op_host_mmap *m)
{
	struct op_agent_helper_code *c = arg;

	op_host_mmap(&c->host, m);
}

static struct op_host_space *space_of(struct op_agent_helper_code *c)
{
	uint32_t i = op_host_process_find(&c->host, c->pid);

	return i == OP_NO_ID ? NULL : c->host.tasks.processes.p[i].space;
}

static struct op_channel_range range_of(struct op_agent_helper_code *c,
					struct op_host_map *m)
{
	struct op_channel_range r = { .start = m->start, .end = m->end };
	struct op_unwind_table table;

	if (op_rec_table(&c->binaries, c->pid, m, &table))
		r.table = (uint32_t)((const uint8_t *)table.head -
				     c->tables.slabs.base);
	r.bias = m->start - m->base;
	return r;
}

/* The program may write to the map meanwhile: nothing is read from it. */
static void publish(struct op_agent_helper_code *c, uint64_t changes)
{
	struct op_channel *to = c->channel;
	uint64_t version = to->current + 1;
	struct op_channel_map *map = &to->maps[version % OP_CHANNEL_MAPS];
	struct op_host_space *s = space_of(c);
	uint32_t nr = s ? s->nr : 0;

	c->is_cut = nr > OP_CHANNEL_MAX_RANGES;
	if (c->is_cut)
		nr = OP_CHANNEL_MAX_RANGES;
	map->version = version;
	for (uint32_t i = 0; i < nr; i++)
		map->ranges[i] = range_of(c, &s->maps[i]);
	__atomic_store_n(&map->nr, nr, __ATOMIC_RELAXED);
	__atomic_store_n(&to->current, version, __ATOMIC_RELEASE);
	__atomic_store_n(&to->seen, changes, __ATOMIC_RELEASE);
}

bool op_agent_helper_code_read(struct op_agent_helper_code *c)
{
	struct op_channel *ch = c->channel;
	uint64_t changes = __atomic_load_n(&ch->changes, __ATOMIC_ACQUIRE);
	uint64_t oldest = __atomic_load_n(&ch->oldest, __ATOMIC_ACQUIRE);

	/* The place of the next version, and those of dropped tables, are free
	 * if nobody uses an older version. */
	if (ch->current >= OP_CHANNEL_MAPS &&
	    oldest + OP_CHANNEL_MAPS <= ch->current + 1)
		return false;
	if (oldest == ch->current)
		op_rec_tables_tick(&c->tables);
	op_host_unmap_all(&c->host, c->pid);
	if (!op_proc_maps(&c->proc, c->pid, add_map, c))
		return false;
	op_host_sweep(&c->host, NULL, NULL);
	publish(c, changes);
	return true;
}

struct op_host_map *op_agent_helper_code_find(struct op_agent_helper_code *c,
					      uint64_t address)
{
	struct op_host_space *s = space_of(c);
	struct op_host_map *m = s ? op_host_map_find(s, address) : NULL;

	if (m)
		op_rec_locate(&c->binaries, c->pid, m);
	return m;
}
