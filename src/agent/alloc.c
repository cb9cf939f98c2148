// SPDX-License-Identifier: Apache-2.0
/* agent/alloc.c: samples what the program allocates. */
#include "agent/alloc.h"

#include <errno.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/got.h"
#include "agent/live_table.h"

enum state { FREE, BUSY, READY };

/* How often is looked whether an object has been loaded. */
enum { RETRIES = 1000 };

struct memory {
	struct op_live_table live;
	uint32_t states[OP_ALLOC_SLOTS]; /* of the slots */
	struct op_alloc slots[OP_ALLOC_SLOTS];
	uint64_t frees[OP_ALLOC_FREES];
};

static struct {
	bool is_on;
	struct op_allocs_opts opts;
	struct memory *m;
	uint64_t nr_ids, lost;
	uint64_t frees_put, frees_got;
	uint64_t frees_seen; /* frees_put when slots were looked at last */
	uint32_t nr_retries; /* left, for objects that are being loaded */
} all;

/* What the hooks need of each thread. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
	uint64_t left; /* bytes to the next point */
	uint64_t random;
	bool is_inside;
} own;

/* --- chance --------------------------------------------------------------- */

/* By the series of the inverse hyperbolic tangent; the error is below 1e-5. The
 * library of functions is not loaded for this. */
double op_alloc_ln(double x)
{
	const double ln2 = 0.69314718055994531;
	int e = 0;
	double s, s2;

	for (; x < 1; x *= 2)
		e--;
	s = (x - 1) / (x + 1);
	s2 = s * s;
	return e * ln2 +
	       2 * s *
		       (1 + s2 * (1.0 / 3 +
				  s2 * (1.0 / 5 +
					s2 * (1.0 / 7 + s2 * (1.0 / 9)))));
}

/* xorshift*; in (0, 1]. */
static double chance(void)
{
	uint64_t x = own.random;

	while (!x)
		if (getrandom(&x, sizeof(x), GRND_NONBLOCK) != sizeof(x))
			x = (uintptr_t)&own ^ (uint64_t)time(NULL) << 32;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	own.random = x;
	return ((double)((x * 0x2545f4914f6cdd1d) >> 11) + 1) / 0x1p53;
}

static uint64_t gap(void)
{
	return (uint64_t)(-op_alloc_ln(chance()) * OP_ALLOC_MEAN);
}

/* --- samples -------------------------------------------------------------- */

static void ring_bell(void)
{
	__atomic_add_fetch(all.opts.bell, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, all.opts.bell, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static struct op_alloc *slot_claim(void)
{
	for (uint32_t i = 0; i < OP_ALLOC_SLOTS; i++) {
		uint32_t *state = &all.m->states[i], was = FREE;

		if (i == OP_ALLOC_SLOTS / 4)
			ring_bell();
		if (__atomic_load_n(state, __ATOMIC_RELAXED) == FREE &&
		    __atomic_compare_exchange_n(state, &was, BUSY, false,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return &all.m->slots[i];
	}
	__atomic_add_fetch(&all.lost, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* The map stays as it is from when it is named here. */
static bool map_take(struct op_alloc *a)
{
	const struct op_channel_map *map;

	do {
		map = op_agent_map(all.opts.channel);
		__atomic_store_n(&a->walk.map, map, __ATOMIC_SEQ_CST);
	} while (map != op_agent_map(all.opts.channel));
	return map;
}

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* The first frames are those of this file. */
static void drop_own(struct op_alloc *a)
{
	uint32_t i = 0;

	while (i < a->nr &&
	       (a->frames[i] & ~OP_AGENT_EXACT) >= (uintptr_t)__ehdr_start &&
	       (a->frames[i] & ~OP_AGENT_EXACT) < (uintptr_t)etext)
		i++;
	a->nr -= i;
	memmove(a->frames, a->frames + i, a->nr * sizeof(*a->frames));
}

static void free_put(uint64_t id)
{
	uint64_t at = __atomic_load_n(&all.frees_put, __ATOMIC_RELAXED);

	do {
		if (at - __atomic_load_n(&all.frees_got, __ATOMIC_ACQUIRE) >=
		    OP_ALLOC_FREES) {
			__atomic_add_fetch(&all.lost, 1, __ATOMIC_RELAXED);
			return;
		}
	} while (!__atomic_compare_exchange_n(&all.frees_put, &at, at + 1, true,
					      __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	__atomic_store_n(&all.m->frees[at % OP_ALLOC_FREES], id,
			 __ATOMIC_RELEASE);
}

static void live_add(uint64_t p, uint64_t id)
{
	uint64_t old;

	if (!op_live_table_add(&all.m->live, p, id, &old))
		__atomic_add_fetch(&all.lost, 1, __ATOMIC_RELAXED);
	if (old)
		free_put(old);
}

static void take(uint64_t p, size_t n)
{
	struct op_alloc *a = slot_claim();
	struct op_unwind_regs regs;
	struct timespec t;
	ucontext_t uc;

	if (!a)
		return;
	clock_gettime(CLOCK_REALTIME, &t);
	a->time_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	a->tid = (uint32_t)syscall(SYS_gettid);
	a->size = n;
	a->nr = 0;
	a->walk.tables = all.opts.tables;
	getcontext(&uc);
	op_agent_regs(&uc, &regs);
	if (map_take(a))
		a->nr = op_agent_unwind(&a->walk, &regs, a->frames,
					OP_ALLOC_FRAMES, &a->end);
	drop_own(a);
	op_agent_context(&a->context);
	a->id = __atomic_add_fetch(&all.nr_ids, 1, __ATOMIC_RELAXED);
	live_add(p, a->id);
	__atomic_store_n(&all.m->states[a - all.m->slots], READY,
			 __ATOMIC_RELEASE);
}

/* Whether an allocation of n bytes has no sample point. Asked before, so that
 * the hook ends in a jump to the function it stands for. Programs ask for any
 * size: one that cannot be had is above what is left, and begins a new gap. */
op_inline bool passes(size_t n)
{
	return op_likely(!__builtin_sub_overflow(own.left, n, &own.left));
}

/* The distance to the next point does not depend on what was before. Of a new
 * thread it is not known yet. */
static void crossed(uint64_t p, size_t n)
{
	bool is_first = !own.random;
	int saved = errno;

	own.left = gap();
	if (is_first) {
		if (passes(n))
			return;
		own.left = gap();
	}
	if (p && all.is_on && !own.is_inside) {
		own.is_inside = true;
		take(p, n);
		own.is_inside = false;
	}
	errno = saved;
}

static __attribute__((noinline)) void *allocated(void *p, size_t n)
{
	crossed((uintptr_t)p, n);
	return p;
}

static __attribute__((noinline)) uint64_t freed(const void *p)
{
	return all.is_on ? op_live_table_take(&all.m->live, (uintptr_t)p) : 0;
}

op_inline uint64_t maybe_freed(const void *p)
{
	return op_unlikely(op_live_maybe(&all.m->live, (uintptr_t)p)) ?
		       freed(p) :
		       0;
}

/* --- hooks ---------------------------------------------------------------- */

static void *hook_malloc(size_t n)
{
	if (passes(n))
		return malloc(n);
	return allocated(malloc(n), n);
}

static void *hook_calloc(size_t n, size_t each)
{
	if (passes(n * each))
		return calloc(n, each);
	return allocated(calloc(n, each), n * each);
}

static void hook_free(void *p)
{
	uint64_t id = maybe_freed(p);

	if (op_unlikely(id))
		free_put(id);
	free(p);
}

/* The old address is given up before anybody else can get it. */
static void *hook_realloc(void *old, size_t n)
{
	uint64_t id = old ? maybe_freed(old) : 0, address = (uintptr_t)old;
	void *p = realloc(old, n);

	if (id && (p || !n))
		free_put(id);
	else if (id)
		live_add(address, id);
	return passes(n) ? p : allocated(p, n);
}

static void *hook_reallocarray(void *old, size_t n, size_t each)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, each, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return hook_realloc(old, bytes);
}

static void *hook_memalign(size_t alignment, size_t n)
{
	if (passes(n))
		return memalign(alignment, n);
	return allocated(memalign(alignment, n), n);
}

static void *hook_aligned_alloc(size_t alignment, size_t n)
{
	if (passes(n))
		return aligned_alloc(alignment, n);
	return allocated(aligned_alloc(alignment, n), n);
}

static int hook_posix_memalign(void **out, size_t alignment, size_t n)
{
	int rc = posix_memalign(out, alignment, n);

	if (!rc && !passes(n))
		allocated(*out, n);
	return rc;
}

static void *hook_valloc(size_t n)
{
	if (passes(n))
		return valloc(n);
	return allocated(valloc(n), n);
}

static void *hook_pvalloc(size_t n)
{
	if (passes(n))
		return pvalloc(n);
	return allocated(pvalloc(n), n);
}

static const struct op_got_hook hooks[] = {
	{ "malloc", hook_malloc },
	{ "calloc", hook_calloc },
	{ "free", hook_free },
	{ "realloc", hook_realloc },
	{ "reallocarray", hook_reallocarray },
	{ "memalign", hook_memalign },
	{ "aligned_alloc", hook_aligned_alloc },
	{ "posix_memalign", hook_posix_memalign },
	{ "valloc", hook_valloc },
	{ "pvalloc", hook_pvalloc },
};

/* What the program would call without hooks. */
static const struct op_got_hook originals[] = {
	{ "malloc", malloc },
	{ "calloc", calloc },
	{ "free", free },
	{ "realloc", realloc },
	{ "reallocarray", reallocarray },
	{ "memalign", memalign },
	{ "aligned_alloc", aligned_alloc },
	{ "posix_memalign", posix_memalign },
	{ "valloc", valloc },
	{ "pvalloc", pvalloc },
};

/* --- for the sampler ------------------------------------------------------ */

static void in_child(void)
{
	all.is_on = false;
}

int op_allocs_open(const struct op_allocs_opts *opts, struct op_err *err)
{
	void *p = mmap(NULL, sizeof(struct memory), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return op_fail_sys(err, "no address space for allocations");
	/* In a forked child there may be those of its parent. */
	all.frees_put = all.frees_got = all.frees_seen = all.lost = 0;
	all.m = p;
	all.opts = *opts;
	if (pthread_atfork(NULL, NULL, in_child))
		return op_fail(err, OP_ENOMEM, "no memory to follow fork()");
	all.is_on = true;
	op_allocs_loaded();
	return OP_OK;
}

void op_allocs_loaded(void)
{
	all.nr_retries = RETRIES;
	op_allocs_retry();
}

void op_allocs_retry(void)
{
	bool is_pending;

	if (!all.is_on || !all.nr_retries)
		return;
	op_got_patch(hooks, op_countof(hooks), &is_pending);
	all.nr_retries = is_pending ? all.nr_retries - 1 : 0;
}

/* Calls that are under way may still return into a hook: the memory stays. */
void op_allocs_close(void)
{
	bool is_pending;

	if (!all.is_on)
		return;
	op_got_patch(originals, op_countof(originals), &is_pending);
	all.is_on = false;
}

static bool has_waiting(void)
{
	for (uint32_t i = 0; i < OP_ALLOC_SLOTS; i++)
		if (__atomic_load_n(&all.m->states[i], __ATOMIC_ACQUIRE) ==
		    READY)
			return true;
	return __atomic_load_n(&all.frees_got, __ATOMIC_ACQUIRE) !=
	       __atomic_load_n(&all.frees_put, __ATOMIC_ACQUIRE);
}

void op_allocs_flush(void)
{
	enum { TRIES = 200 };
	const struct timespec nap = { 0, 1000000 };

	for (int i = 0; i < TRIES && all.is_on && has_waiting(); i++) {
		ring_bell();
		nanosleep(&nap, NULL);
	}
}

/* What was freed until now is in a slot, or was taken from one before. */
struct op_alloc *op_alloc_next(void)
{
	all.frees_seen = __atomic_load_n(&all.frees_put, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; all.m && i < OP_ALLOC_SLOTS; i++)
		if (__atomic_load_n(&all.m->states[i], __ATOMIC_ACQUIRE) ==
		    READY)
			return &all.m->slots[i];
	return NULL;
}

void op_alloc_done(struct op_alloc *a)
{
	__atomic_store_n(&all.m->states[a - all.m->slots], FREE,
			 __ATOMIC_RELEASE);
}

/* Later ones may be of a sample that the caller does not have yet. A place that
 * was claimed, but not written yet, ends the list. */
uint32_t op_allocs_freed(uint64_t *ids, uint32_t max)
{
	uint32_t n = 0;

	while (n < max && all.frees_got != all.frees_seen) {
		uint64_t *p = &all.m->frees[all.frees_got % OP_ALLOC_FREES];
		uint64_t id = __atomic_exchange_n(p, 0, __ATOMIC_ACQ_REL);

		if (!id)
			break;
		ids[n++] = id;
		__atomic_store_n(&all.frees_got, all.frees_got + 1,
				 __ATOMIC_RELEASE);
	}
	return n;
}

uint64_t op_allocs_lost(void)
{
	return __atomic_load_n(&all.lost, __ATOMIC_RELAXED);
}

uint64_t op_allocs_oldest(uint64_t version)
{
	for (uint32_t i = 0; all.m && i < OP_ALLOC_SLOTS; i++) {
		const struct op_channel_map *map;

		if (__atomic_load_n(&all.m->states[i], __ATOMIC_SEQ_CST) !=
		    BUSY)
			continue;
		map = __atomic_load_n(&all.m->slots[i].walk.map,
				      __ATOMIC_SEQ_CST);
		if (map && map->version < version)
			version = map->version;
	}
	return version;
}
