// SPDX-License-Identifier: Apache-2.0
/* host/resource.h: resource attributes of a running process.
 *
 * service.name is that of the first of these that has one:
 *
 *	OTEL_SERVICE_NAME in the environment of the process
 *	OTEL_RESOURCE_ATTRIBUTES there
 *	its process context (OTEP 4719), by a function of the caller
 *	the systemd unit of its cgroup
 *	the name of its executable
 *
 * All attributes of the first three become attributes, but the process itself
 * has no say in those that are read here: process.*, container.id. */
#ifndef OP_HOST_RESOURCE_H
#define OP_HOST_RESOURCE_H

#include "host/proc.h"
#include "model/model.h"

struct op_resource_attrs {
	struct op_arena *mem;
	OP_VEC(struct op_kv) kvs;
};

/* Adds an attribute, copied and made UTF-8, unless there is one of that key. */
void op_resource_text(struct op_resource_attrs *a, struct op_view key,
		      struct op_view text);

/* The same for a value of any kind, which is not copied: it is in a->mem and
 * UTF-8. */
void op_resource_put(struct op_resource_attrs *a, struct op_view key,
		     struct op_any value);

struct op_resource_opts {
	const char *const *env; /* names of variables to add; NULL ends it */
	bool command_args;	/* arguments may have secrets */
	/* Adds the attributes of the process context; may be NULL. */
	void (*context)(void *arg, uint32_t pid, struct op_resource_attrs *out);
	void *arg;
	const char *passwd; /* NULL: /etc/passwd */
};

/* opts may be NULL. What cannot be read is left out. OP_EIO if the process is
 * gone; else it fails only without memory, which out->mem records. */
int op_resource_read(const struct op_proc *p, uint32_t pid,
		     const struct op_resource_opts *opts,
		     struct op_resource_attrs *out);

#endif
