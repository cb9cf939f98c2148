// SPDX-License-Identifier: Apache-2.0
/* host/cgroup.h: control groups by the number that samples have. */
#ifndef OP_HOST_CGROUP_H
#define OP_HOST_CGROUP_H

#include "base/intern.h"
#include "base/vec.h"
#include "host/record.h"

/* Of a live host; beyond it those that were not asked for longest go. */
enum { OP_HOST_MAX_CGROUPS = 8192 };

struct op_host_cgroup_row {
	uint64_t id;
	struct op_view path;
	uint64_t used; /* when it was last asked for */
};

struct op_host_cgroups {
	struct op_intern index;
	OP_VEC(struct op_host_cgroup_row) rows;
	uint64_t nr_used;
};

struct op_host;

/* One that is there already keeps its path. */
void op_host_cgroup_add(struct op_host *h, const struct op_host_cgroup *r);
/* Its path; empty if it is not known. */
struct op_view op_host_cgroup(struct op_host *h, uint64_t id);

#endif
