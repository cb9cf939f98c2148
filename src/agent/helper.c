// SPDX-License-Identifier: Apache-2.0
/* agent/helper.c: what the helper of a profiled program does. */
#include "agent/helper.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/alloc.h"
#include "agent/helper_events.h"
#include "base/pairs.h"
#include "host/context.h"
#include "host/resource.h"
#include "model/semconv.h"

/* Of the events of a window. As text they have about 50 MB. */
enum { MAX_FRAMES = 256 << 10 };

/* A program that ends closes its files before its threads are gone: for a
 * second after that they are looked for more often. */
enum { END_LOOKS = 100, END_LOOK_MS = 10 };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static const struct op_live_type types[OP_AGENT_TYPES] = {
	[OP_AGENT_SAMPLES] = { "samples", "count", "wall", "nanoseconds", 0,
			       NULL, NULL },
	[OP_AGENT_SNAPSHOTS] = { .name = "samples",
				 .unit = "count",
				 .period_name = "wall",
				 .period_unit = "nanoseconds",
				 .attr_key = OP_ATTR_PROFILING_SOURCE,
				 .attr_text = "snapshot" },
	[OP_AGENT_ALLOC_OBJECTS] = { "alloc_objects", "count", "space", "bytes",
				     OP_ALLOC_MEAN, NULL, NULL },
	[OP_AGENT_ALLOC_SPACE] = { "alloc_space", "bytes", "space", "bytes",
				   OP_ALLOC_MEAN, NULL, NULL },
	[OP_AGENT_INUSE_OBJECTS] = { "inuse_objects", "count", "space", "bytes",
				     OP_ALLOC_MEAN, NULL, NULL },
	[OP_AGENT_INUSE_SPACE] = { "inuse_space", "bytes", "space", "bytes",
				   OP_ALLOC_MEAN, NULL, NULL },
};

/* --- start ---------------------------------------------------------------- */

static int channel_map(struct op_agent_helper *h)
{
	void *p = mmap(NULL, sizeof(*h->channel), PROT_READ | PROT_WRITE,
		       MAP_SHARED, h->opts.channel, 0);

	if (p == MAP_FAILED)
		return op_fail_sys(h->err, "cannot map the program's memory");
	h->channel = p;
	if (h->channel->version != OP_CHANNEL_VERSION ||
	    h->channel->bytes != sizeof(*h->channel))
		return op_fail(h->err, OP_EUSAGE,
			       "the agent in the program is of another version "
			       "than this helper");
	return OP_OK;
}

static void variables_read(struct op_resource_attrs *a)
{
	const char *list = getenv("OTEL_RESOURCE_ATTRIBUTES");
	struct op_pairs pairs = { 0 };
	struct op_err why = { 0 };

	op_resource_text(a, op_view_z("service.name"),
			 op_view_z(getenv("OTEL_SERVICE_NAME")));
	if (!list || op_pairs_read(&pairs, a->mem, list, &why))
		return;
	/* The last of a key counts, and the first that is put stays. */
	for (size_t i = pairs.n; i-- > 0;)
		op_resource_text(a, op_view_z(pairs.p[i].key),
				 op_view_z(pairs.p[i].value));
}

/* What the program has set since it began is in the environment of the helper,
 * but not in /proc. False: the program is gone, and what it says is left out.
 */
static bool resource_read(struct op_agent_helper *h, struct op_arena *mem,
			  struct op_kvs *out)
{
	struct op_resource_opts o = { .context = op_context_resource,
				      .arg = &h->code.proc };
	struct op_resource_attrs a = { .mem = mem };
	char name[256] = "";
	bool is_there;

	variables_read(&a);
	is_there = !op_resource_read(&h->code.proc, h->opts.pid, &o, &a);
	gethostname(name, sizeof(name) - 1);
	op_resource_text(&a, op_view_z("host.name"), op_view_z(name));
	op_resource_text(&a, op_view_z("telemetry.sdk.name"),
			 op_view_z("otprof"));
	op_resource_text(&a, op_view_z("telemetry.sdk.language"),
			 op_view_z("c"));
	op_resource_text(&a, op_view_z("telemetry.sdk.version"),
			 op_view_z(OTPROF_VERSION));
	*out = (struct op_kvs){ a.kvs.p, (uint32_t)a.kvs.n };
	return is_there;
}

static void live_init(struct op_agent_helper *h, enum op_agent_helper_kind kind)
{
	struct op_live_opts l = { .types = h->types,
				  .nr_types = OP_AGENT_TYPES,
				  .scope_name = "otprof",
				  .scope_version = OTPROF_VERSION };
	struct op_arena mem = { .err = h->err };
	struct op_kvs attrs;

	if (!h->opts.wants[kind])
		return;
	op_live_init(&h->live[kind], &l, now_ns(), h->err);
	h->code.binaries.live[kind] = &h->live[kind];
	(void)resource_read(h, &mem, &attrs);
	h->process[kind] = op_live_process(&h->live[kind], &attrs);
	op_arena_free(&mem);
}

/* The agent begins before main(), where programs publish who they are. */
static void context_look(struct op_agent_helper *h, bool is_last)
{
	struct op_err gone = { 0 };
	struct op_arena mem = { .err = &gone };
	struct op_context c = { 0 };
	struct op_kvs attrs;

	if ((!op_context_is_due(&h->context, now_ns()) && !is_last) ||
	    op_context_read(&h->code.proc, h->opts.pid, &mem, &c, &gone) ||
	    c.published_ns == h->context.published_ns ||
	    !resource_read(h, &mem, &attrs))
		goto out;
	h->context.published_ns = c.published_ns;
	for (int i = 0; !gone.code && i < OP_AGENT_KINDS; i++)
		if (h->opts.wants[i])
			op_live_process_attrs(&h->live[i], h->process[i],
					      &attrs);
out:
	op_arena_free(&mem);
}

/* The thread that takes samples ends with the program, and when the process
 * executes another one. */
static bool is_running(const struct op_agent_helper *h)
{
	return !syscall(SYS_tgkill, (long)h->opts.pid, (long)h->opts.sampler,
			0) ||
	       errno == EPERM;
}

/* The socket ends with the program, if that does not close it by itself. */
static void *watch(void *arg)
{
	struct op_agent_helper *h = arg;
	struct pollfd p = { .fd = h->opts.alive };
	uint32_t *wake = &h->channel->wake;

	while (poll(&p, 1, -1) < 0)
		;
	__atomic_store_n(&h->is_hung_up, true, __ATOMIC_RELEASE);
	__atomic_add_fetch(wake, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, wake, FUTEX_WAKE, 1, NULL, NULL, 0);
	return NULL;
}

int op_agent_helper_init(struct op_agent_helper *h,
			 const struct op_agent_helper_opts *opts,
			 struct op_err *err)
{
	h->opts = *opts;
	h->err = h->mem.err = err;
	memcpy(h->types, types, sizeof(types));
	if (channel_map(h))
		return err->code;
	h->types[OP_AGENT_SAMPLES].period = (int64_t)opts->interval_ns;
	h->types[OP_AGENT_SNAPSHOTS].period = (int64_t)opts->snapshot_ns;
	h->ring.channel = h->channel;
	h->code.pid = opts->pid;
	h->code.channel = h->channel;
	h->code.tables_fd = opts->tables;
	op_agent_helper_code_init(&h->code, err);
	for (int i = 0; i < OP_AGENT_KINDS; i++)
		live_init(h, (enum op_agent_helper_kind)i);
	if (!err->code && !op_agent_helper_code_read(&h->code))
		op_fail(err, OP_EIO,
			"the mappings of process %u are not "
			"readable",
			opts->pid);
	/* It has ended meanwhile, which is no failure. There is nothing to
	 * take, and what failed must not be used. */
	if (err->code && !is_running(h)) {
		*err = (struct op_err){ 0 };
		memset(h->opts.wants, 0, sizeof(h->opts.wants));
		h->has_ended = true;
	}
	h->has_watcher = !err->code &&
			 !pthread_create(&h->watcher, NULL, watch, h);
	if (err->code)
		snprintf(h->channel->message, sizeof(h->channel->message),
			 "%.190s", err->text);
	__atomic_store_n(&h->channel->state,
			 err->code ? OP_CHANNEL_FAILED : OP_CHANNEL_READY,
			 __ATOMIC_RELEASE);
	return err->code;
}

void op_agent_helper_fini(struct op_agent_helper *h)
{
	if (h->has_watcher) {
		shutdown(h->opts.alive, SHUT_RDWR);
		pthread_join(h->watcher, NULL);
	}
	op_agent_helper_events_fini(h);
	if (h->code.host.err)
		op_agent_helper_code_fini(&h->code);
	for (int i = 0; i < OP_AGENT_KINDS; i++)
		if (h->code.binaries.live[i])
			op_live_fini(&h->live[i]);
	if (h->channel)
		munmap(h->channel, sizeof(*h->channel));
	op_arena_free(&h->mem);
}

/* --- the program ---------------------------------------------------------- */

/* Waits until there is something to do since the last call. */
static void await(struct op_agent_helper *h, int timeout_ms)
{
	struct timespec t = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
	uint32_t now = __atomic_load_n(&h->channel->wake, __ATOMIC_ACQUIRE);

	if (now == h->woken)
		syscall(SYS_futex, &h->channel->wake, FUTEX_WAIT, now, &t, NULL,
			0);
	h->woken = __atomic_load_n(&h->channel->wake, __ATOMIC_ACQUIRE);
}

/* What was sampled before a library was unloaded is looked up in the maps of
 * then: another one may have its addresses by now. */
static void maps_update(struct op_agent_helper *h)
{
	struct op_channel *c = h->channel;
	uint64_t unloads;

	if (__atomic_load_n(&c->changes, __ATOMIC_ACQUIRE) == c->seen)
		return;
	unloads = __atomic_load_n(&c->unloads, __ATOMIC_RELAXED);
	if (unloads != h->unloads)
		op_agent_helper_events(h);
	h->unloads = unloads;
	op_agent_helper_code_read(&h->code);
}

int op_agent_helper_step(struct op_agent_helper *h, int timeout_ms)
{
	bool ends;

	if (__atomic_load_n(&h->is_hung_up, __ATOMIC_ACQUIRE) &&
	    h->nr_looks < END_LOOKS && timeout_ms > END_LOOK_MS) {
		timeout_ms = END_LOOK_MS;
		h->nr_looks++;
	}
	if (h->has_rest)
		timeout_ms = 0;
	await(h, timeout_ms);
	/* Before the ring is read: what is written until then counts. */
	ends = __atomic_load_n(&h->channel->has_ended, __ATOMIC_ACQUIRE) ||
	       !is_running(h);
	maps_update(h);
	context_look(h, ends);
	op_agent_helper_events(h);
	h->counts.lost = h->channel->lost;
	h->counts.late = h->channel->late + h->channel->owed;
	h->counts.unheard = h->channel->unheard;
	h->counts.skipped = h->channel->skipped;
	h->has_rest = op_agent_helper_is_full(h);
	h->has_ended = (ends && !h->has_rest) || h->ring.is_broken;
	if (h->ring.is_broken)
		op_fail(h->err, OP_EFORMAT,
			"the program has overwritten memory of its agent");
	return h->err->code;
}

bool op_agent_helper_is_full(const struct op_agent_helper *h)
{
	return h->nr_frames >= MAX_FRAMES;
}

/* Samples that threads still owe are missing only if the program is gone. */
static uint64_t nr_late(struct op_agent_helper *h)
{
	uint64_t all = h->has_ended ? h->counts.late : h->channel->late;
	uint64_t nr = all > h->taken.late ? all - h->taken.late : 0;

	h->taken.late = all;
	return nr;
}

static void attr_put(struct op_agent_helper *h, enum op_agent_type type,
		     const char *key, uint64_t value)
{
	op_live_profile_attr(&h->live[OP_AGENT_PROFILES],
			     h->process[OP_AGENT_PROFILES], type, key,
			     (int64_t)value);
}

/* The logs of the conventions have no place for these. */
static void rounds_describe(struct op_agent_helper *h, enum op_agent_type type,
			    struct op_agent_helper_rounds *r, uint64_t late)
{
	const struct op_agent_helper_counts *c = &h->counts, *t = &h->taken;

	attr_put(h, type, OP_ATTRS_OF_WINDOW "rounds", r->nr);
	attr_put(h, type, OP_ATTRS_OF_WINDOW "rounds_skipped",
		 c->skipped - t->skipped);
	attr_put(h, type, OP_ATTRS_OF_WINDOW "spread.mean_ns",
		 r->nr ? r->spread_ns / r->nr : 0);
	attr_put(h, type, OP_ATTRS_OF_WINDOW "spread.max_ns", r->max_spread_ns);
	attr_put(h, type, OP_ATTRS_OF_WINDOW "samples_lost", c->lost - t->lost);
	attr_put(h, type, OP_ATTRS_OF_WINDOW "samples_late", late);
	*r = (struct op_agent_helper_rounds){ 0 };
}

static void window_describe(struct op_agent_helper *h)
{
	uint64_t late = nr_late(h);

	rounds_describe(h, OP_AGENT_SAMPLES, &h->rounds[false], late);
	rounds_describe(h, OP_AGENT_SNAPSHOTS, &h->rounds[true], late);
	h->taken.lost = h->counts.lost;
	h->taken.skipped = h->counts.skipped;
}

int op_agent_helper_take(struct op_agent_helper *h,
			 struct op_model out[OP_AGENT_KINDS])
{
	if (h->opts.has_memory)
		op_agent_helper_inuse(h, now_ns());
	if (h->opts.wants[OP_AGENT_PROFILES])
		window_describe(h);
	for (int i = 0; i < OP_AGENT_KINDS; i++) {
		out[i] = (struct op_model){ 0 };
		if (h->opts.wants[i])
			op_live_take(&h->live[i], now_ns(), &out[i]);
	}
	h->nr_frames = 0;
	/* Not if there are records that were not read: they may be of threads
	 * that are gone. */
	if (!h->has_rest)
		op_agent_helper_sweep(h);
	return h->err->code;
}
