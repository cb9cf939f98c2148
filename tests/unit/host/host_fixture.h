// SPDX-License-Identifier: Apache-2.0
/* What the tests of src/host share: a host, and events in a line each. */
#ifndef OP_TESTS_UNIT_HOST_HOST_FIXTURE_H
#define OP_TESTS_UNIT_HOST_HOST_FIXTURE_H

#include <sys/mman.h>

#include "host/host.h"
#include "test.h"

static struct op_err err;
static struct op_host host;

static inline void host_begin(bool is_live)
{
	err = (struct op_err){ 0 };
	host = (struct op_host){ .is_live = is_live };
	op_host_init(&host, &err);
}

static inline void host_end(void)
{
	op_host_fini(&host);
}

static inline void host_fork(uint32_t parent, uint32_t pid, uint32_t tid)
{
	struct op_host_task t = { pid, parent, tid, parent, 0 };

	op_host_fork(&host, &t);
}

static inline void host_exit(uint32_t pid, uint32_t tid)
{
	struct op_host_task t = { pid, 1, tid, 1, 0 };

	op_host_exit(&host, &t);
}

static inline void host_exec(uint32_t pid, const char *name)
{
	struct op_host_comm c = { pid, pid, true, op_view_z(name) };

	op_host_comm(&host, &c);
}

static inline void host_map(uint32_t pid, uint64_t start, uint64_t len,
			    const char *name)
{
	struct op_host_mmap m = { .pid = pid,
				  .tid = pid,
				  .start = start,
				  .len = len,
				  .inode = 7,
				  .prot = PROT_READ | PROT_EXEC,
				  .name = op_view_z(name) };

	op_host_mmap(&host, &m);
}

/* The binary at an address of a process; "": none. */
static inline struct op_view host_at(uint32_t pid, uint64_t address)
{
	uint32_t id = op_host_process_find(&host, pid);
	struct op_host_space *s = NULL;
	struct op_host_map *m;

	if (id != OP_NO_ID)
		s = host.tasks.processes.p[id].space;
	m = s ? op_host_map_find(s, address) : NULL;
	return m ? host.maps.binaries.p[m->binary].name : op_view_z("");
}

static inline struct op_view host_program(uint32_t pid)
{
	return op_host_program(&host, op_host_process_find(&host, pid));
}

static inline struct op_view host_name(uint32_t tid)
{
	uint32_t id = op_host_thread_find(&host, tid);

	return id == OP_NO_ID ? op_view_z("") : host.tasks.threads.p[id].name;
}

#endif
