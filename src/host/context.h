// SPDX-License-Identifier: Apache-2.0
/* host/context.h: process contexts (OTEP 4719).
 *
 * A process publishes who it is in a mapping that is named OTEL_CTX. The
 * mapping begins with a header, in the byte order of the machine:
 *
 *	0	"OTEL_CTX"
 *	8	u32 version: 2
 *	12	u32 bytes of the payload
 *	16	u64 when it was published (CLOCK_BOOTTIME); 0: being updated
 *	24	u64 address of the payload
 *
 * The payload is a message ProcessContext { 1 Resource resource,
 * 2 KeyValue attributes }. An update changes the time, so a payload counts only
 * if the header is the same before and after it was read.
 *
 * The attributes of the resource describe the service; they are those that
 * op_resource_read() adds. The others are for readers of thread contexts
 * (thread_context.h): the version of their schema and the names of the keys
 * that they refer to by number.
 *
 * Whatever a process publishes is only what it says: it may be garbage, huge,
 * or change all the time. */
#ifndef OP_HOST_CONTEXT_H
#define OP_HOST_CONTEXT_H

#include "host/resource.h"

enum {
	OP_CONTEXT_MAX_BYTES = 64 << 10, /* of the payload */
	OP_CONTEXT_MAX_ATTRS = 1024,
	OP_CONTEXT_MAX_KEYS = 256,
};

struct op_context {
	uint64_t at;	       /* address of the header */
	uint64_t published_ns; /* differs after each update; 0: no context */
	struct op_kvs resource;
	struct op_view schema_version; /* of thread contexts; empty: none */
	/* Names of keys of thread contexts. An update may add some. */
	struct op_view *keys;
	uint32_t nr_keys;
};

/* Reads the process context; texts and tables are in mem and UTF-8. Returns 0
 * with published_ns 0 if the process has none. OP_EIO if the process is gone or
 * not ours, or if it was updating the context each time we looked: then it is
 * worth trying again later. OP_EFORMAT and OP_ELIMIT if the context is invalid.
 * That there is no memory is recorded where mem records it. out is written only
 * on success. */
int op_context_read(const struct op_proc *p, uint32_t pid, struct op_arena *mem,
		    struct op_context *out, struct op_err *err);

/* When a process is looked at for its context: it may publish one, or another
 * one, at any time, and no record tells. Zero for a new process. */
struct op_context_watch {
	uint64_t looked_ns, wait_ns;
	uint64_t published_ns; /* of the context that is in use; 0: none */
};

/* Whether it is time to look, for the first time a quarter of a second after
 * the first call, then less and less often. */
bool op_context_is_due(struct op_context_watch *w, uint64_t now_ns);

/* Whether the name of a mapping is that of a process context. */
bool op_context_is_name(struct op_view name);

/* For op_resource_opts.context, with a const struct op_proc * as arg: adds the
 * attributes of the resource. None if the context cannot be read. */
void op_context_resource(void *arg, uint32_t pid,
			 struct op_resource_attrs *out);

#endif
