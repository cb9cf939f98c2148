// SPDX-License-Identifier: Apache-2.0
/* host/context.c: finds a process context and takes a copy that is not torn. */
#include "host/context.h"

#include <sched.h>
#include <sys/mman.h>

#include "host/context_int.h"
#include "host/proc_memory.h"

enum { VERSION = 2, MAX_TRIES = 5, MAX_PLACES = 8 };

struct header {
	char signature[8];
	uint32_t version, payload_bytes;
	uint64_t published_ns, payload;
};

_Static_assert(sizeof(struct header) == 32, "as in the memory of a process");

/* --- where it is --- */

struct places {
	uint64_t at[MAX_PLACES];
	uint32_t nr;
};

/* Linux tells of a name in three ways: given to an anonymous mapping, to a
 * shared one, and of the file in memory that is mapped. */
bool op_context_is_name(struct op_view name)
{
	static const char *const names[] = { "/memfd:OTEL_CTX",
					     "[anon:OTEL_CTX]",
					     "[anon_shmem:OTEL_CTX]" };

	for (size_t i = 0; i < op_countof(names); i++)
		if (op_view_is(op_view_first(name, strlen(names[i])), names[i]))
			return true;
	return false;
}

static bool place_add(void *arg, struct op_host_mmap *m)
{
	struct places *to = arg;

	if ((m->prot & (PROT_READ | PROT_EXEC)) == PROT_READ &&
	    op_context_is_name(m->name))
		to->at[to->nr++] = m->start;
	return to->nr < MAX_PLACES;
}

/* --- what it holds --- */

struct work {
	const struct op_proc *p;
	uint32_t pid;
	uint64_t at;
	struct header head;
	struct op_err *err;
};

static bool head_read(const struct work *w, struct header *out)
{
	return op_proc_memory(w->p, w->pid, w->at, out, sizeof(*out));
}

static int head_check(const struct work *w, struct op_err *err)
{
	const struct header *h = &w->head;

	if (memcmp(h->signature, "OTEL_CTX", sizeof(h->signature)))
		return op_fail(err, OP_EFORMAT,
			       "process context of %u: no signature", w->pid);
	if (h->version != VERSION)
		return op_fail(err, OP_EFORMAT,
			       "process context of %u: version %u, not %d",
			       w->pid, h->version, VERSION);
	if (!h->payload_bytes)
		return op_fail(err, OP_EFORMAT, "process context of %u: empty",
			       w->pid);
	if (h->payload_bytes > OP_CONTEXT_MAX_BYTES)
		return op_fail(err, OP_ELIMIT,
			       "process context of %u: %u bytes, more than %d",
			       w->pid, h->payload_bytes, OP_CONTEXT_MAX_BYTES);
	return 0;
}

/* A header and its payload, if nothing changed while they were read. What is
 * wrong with them counts only then, too: the payload may have been freed. A new
 * mapping has its name before it has a header. */
static bool try_read(struct work *w, uint8_t *payload)
{
	struct op_err why = { 0 };
	struct header after;

	if (!head_read(w, &w->head)) {
		op_fail(w->err, OP_EIO, "process context of %u: cannot be read",
			w->pid);
		return true;
	}
	if (!w->head.published_ns)
		return false;
	if (!head_check(w, &why) &&
	    !op_proc_memory(w->p, w->pid, w->head.payload, payload,
			    w->head.payload_bytes))
		op_fail(&why, OP_EFORMAT,
			"process context of %u: payload is not in memory",
			w->pid);
	if (!head_read(w, &after) || memcmp(&w->head, &after, sizeof(after)))
		return false;
	if (why.code)
		*w->err = why;
	return true;
}

static int stable_read(struct work *w, uint8_t *payload)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		if (try_read(w, payload))
			return w->err->code;
		sched_yield();
	}
	return op_fail(w->err, OP_EIO, "process context of %u: being updated",
		       w->pid);
}

static int context_read(struct work *w, struct op_arena *mem,
			struct op_context *out)
{
	struct op_arena tmp = { .err = mem->err };
	struct op_context c = { .at = w->at };
	uint8_t *payload = op_arena_alloc(&tmp, OP_CONTEXT_MAX_BYTES);
	int code = OP_ENOMEM;

	if (payload) {
		code = stable_read(w, payload);
		c.published_ns = w->head.published_ns;
		if (!code)
			code = op_context_decode(op_view(payload,
							 w->head.payload_bytes),
						 mem, &c, w->err);
		if (!code)
			*out = c;
	}
	op_arena_free(&tmp);
	return code;
}

int op_context_read(const struct op_proc *p, uint32_t pid, struct op_arena *mem,
		    struct op_context *out, struct op_err *err)
{
	struct op_err why = { 0 };
	struct places places = { 0 };
	int code = 0;

	if (!op_proc_map_lines(p, pid, place_add, &places))
		return op_fail(err, OP_EIO, "cannot read mappings of %u", pid);
	*out = (struct op_context){ 0 };
	/* Others may have the name too, but not what belongs there. */
	for (uint32_t i = 0; i < places.nr; i++) {
		struct work w = {
			.p = p, .pid = pid, .at = places.at[i], .err = &why
		};

		why = (struct op_err){ 0 };
		code = context_read(&w, mem, out);
		if (!code || code == OP_ENOMEM)
			return code;
		if (!err->code)
			*err = why;
	}
	return code ? err->code : 0;
}

bool op_context_is_due(struct op_context_watch *w, uint64_t now_ns)
{
	static const uint64_t min_wait_ns = 250000000;
	static const uint64_t max_wait_ns = 64000000000;

	if (now_ns - w->looked_ns < w->wait_ns)
		return false;
	w->looked_ns = now_ns;
	if (!w->wait_ns) {
		w->wait_ns = min_wait_ns;
		return false;
	}
	if (w->wait_ns < max_wait_ns)
		w->wait_ns *= 2;
	return true;
}

void op_context_resource(void *arg, uint32_t pid, struct op_resource_attrs *out)
{
	struct op_context c = { 0 };
	struct op_err why = { 0 };

	if (op_context_read(arg, pid, out->mem, &c, &why))
		return;
	for (uint32_t i = 0; i < c.resource.n; i++) {
		const struct op_kv *kv = &c.resource.p[i];

		if (kv->value.kind == OP_ANY_STRING)
			op_resource_text(out, kv->key, kv->value.bytes);
		else if (kv->value.kind != OP_ANY_NONE)
			op_resource_put(out, kv->key, kv->value);
	}
}
