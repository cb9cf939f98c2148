// SPDX-License-Identifier: Apache-2.0
/* base/arena.c: blocks of memory that are freed together, and their quota. */
#include "base/arena.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/assert.h"
#include "base/budget.h"

struct op_block {
	struct op_block *next;
	struct op_block *prev;
	size_t cap; /* bytes behind this header */
	size_t n;   /* of them handed out */
};

enum {
	FIRST_BLOCK = 16 * 1024,
	LARGEST_BLOCK = 1024 * 1024,
	ALIGN = 8,
	MAPPED_BLOCK = 4 * 1024 *
		       1024, /* from here on the block is a mapping */
};

static _Thread_local long fail_in;
static _Thread_local bool fail_fired;

void op_alloc_fail_at(long k)
{
	fail_in = k;
	fail_fired = false;
}

bool op_alloc_failed(void)
{
	return fail_fired;
}

static bool hook_fires(void)
{
	if (op_likely(!fail_in) || --fail_in)
		return false;
	fail_fired = true;
	return true;
}

void *op_arena_refuse(struct op_arena *mem, size_t n)
{
	op_assert(mem->err);
	op_fail_memory(mem->err, n);
	return NULL;
}

static void *heap_resize(void *p, size_t n)
{
	size_t old = malloc_usable_size(p);
	void *moved;

	if (hook_fires() || (n > old && !op_budget_take(n - old)))
		return NULL;
	moved = realloc(p, n ? n : 1);
	if (n > old && !moved)
		op_budget_give(n - old);
	else if (n <= old && moved)
		op_budget_give(old - n);
	return moved;
}

void *op_heap_resize(void *p, size_t n, struct op_err *err)
{
	void *moved = heap_resize(p, n);

	if (!moved)
		op_fail_memory(err, n);
	return moved;
}

void op_heap_free(void *p)
{
	op_budget_give(malloc_usable_size(p));
	free(p);
}

/* Only glibc has it. */
extern int malloc_trim(size_t pad) __attribute__((weak));

void op_heap_trim(void)
{
	if (malloc_trim)
		malloc_trim(0);
}

static uint8_t *data_of(struct op_block *b)
{
	return (uint8_t *)(b + 1);
}

static size_t round_up(size_t n)
{
	return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static bool over_quota(const struct op_arena *mem, size_t more)
{
	return mem->quota &&
	       (mem->used > mem->quota || more > mem->quota - mem->used);
}

static void push(struct op_block **list, struct op_block *b)
{
	b->prev = NULL;
	b->next = *list;
	if (b->next)
		b->next->prev = b;
	*list = b;
}

static void unlink_block(struct op_block **list, struct op_block *b)
{
	if (b->prev)
		b->prev->next = b->next;
	else
		*list = b->next;
	if (b->next)
		b->next->prev = b->prev;
}

/* --- where blocks come from --- */

/* Large blocks are mappings of their own: they grow by moving pages, which the
 * C library stops doing for large objects after it has seen some of them come
 * and go. Under ASan it has to see them all. */
static bool is_mapped(size_t n)
{
	return n >= MAPPED_BLOCK && !OP_GAP;
}

/* To fault in a large block page by page takes as long as to fill it. Only a
 * hint: whether it is taken does not matter. */
static void *hinted(void *p, size_t n)
{
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, n, MADV_HUGEPAGE);
	return p;
}

void op_heap_hint(void *p, size_t n)
{
	enum { PAGE = 4096 };
	uintptr_t at = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

	if (p && n >= MAPPED_BLOCK)
		hinted((void *)at, n - PAGE);
}

static void *raw_new(size_t n)
{
	if (!is_mapped(n))
		return malloc(n);
	return hinted(mmap(NULL, n, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		      n);
}

static void raw_free(void *p, size_t n)
{
	if (is_mapped(n))
		munmap(p, n);
	else
		free(p);
}

static void *raw_resize(void *p, size_t n, size_t new_n)
{
	void *moved;

	if (is_mapped(n) && is_mapped(new_n))
		return hinted(mremap(p, n, new_n, MREMAP_MAYMOVE), new_n);
	if (!is_mapped(n) && !is_mapped(new_n))
		return realloc(p, new_n);
	moved = raw_new(new_n);
	if (!moved)
		return NULL;
	memcpy(moved, p, n < new_n ? n : new_n);
	raw_free(p, n);
	return moved;
}

/* --- blocks --- */

static struct op_block *block_new(struct op_arena *mem, struct op_block **list,
				  size_t cap)
{
	struct op_block *b;

	if (cap > SIZE_MAX / 2 || over_quota(mem, cap + sizeof(*b)) ||
	    !op_budget_take(cap + sizeof(*b)))
		return NULL;
	b = raw_new(sizeof(*b) + cap);
	if (!b) {
		op_budget_give(cap + sizeof(*b));
		return NULL;
	}
	b->cap = cap;
	b->n = 0;
	push(list, b);
	mem->used += cap + sizeof(*b);
	mem->nr_blocks++;
	return b;
}

static void block_free(struct op_arena *mem, struct op_block *b)
{
	size_t n = sizeof(*b) + b->cap;

	mem->used -= n;
	mem->nr_blocks--;
	op_budget_give(n);
	raw_free(b, n);
}

/* A new shared block that holds at least n bytes. The quota may leave less
 * than the doubled size but still enough for this object. */
static struct op_block *shared_new(struct op_arena *mem, size_t n)
{
	size_t cap = mem->shared ? mem->shared->cap * 2 : FIRST_BLOCK;
	struct op_block *b;

	if (cap > LARGEST_BLOCK)
		cap = LARGEST_BLOCK;
	if (cap < n)
		cap = n;
	b = block_new(mem, &mem->shared, cap);
	if (!b && cap > n)
		b = block_new(mem, &mem->shared, n);
	if (b)
		op_poison(data_of(b), b->cap);
	return b;
}

static void list_free(struct op_arena *mem, struct op_block **list)
{
	struct op_block *next;

	for (struct op_block *b = *list; b; b = next) {
		next = b->next;
		block_free(mem, b);
	}
	*list = NULL;
}

/* The smallest spare block in which n bytes have room, but none that they
 * would fill by less than half; NULL: there is none. */
static struct op_block *spare_take(struct op_arena *mem, size_t n)
{
	struct op_block *best = NULL;

	for (struct op_block *b = mem->spare; b; b = b->next)
		if (b->cap >= n && b->cap / 2 <= n &&
		    (!best || b->cap < best->cap))
			best = b;
	if (!best)
		return NULL;
	unlink_block(&mem->spare, best);
	push(&mem->big, best);
	op_unpoison(data_of(best), n);
	return best;
}

/* Keeps a block of a big object for another one. */
static void spare_add(struct op_arena *mem, struct op_block *b)
{
	op_poison(data_of(b), b->cap);
	push(&mem->spare, b);
}

static void *big_new(struct op_arena *mem, size_t n)
{
	struct op_block *b = spare_take(mem, n);

	if (!b)
		b = block_new(mem, &mem->big, n);
	if (!b && mem->spare) {
		list_free(mem, &mem->spare);
		b = block_new(mem, &mem->big, n);
	}
	if (!b)
		return op_arena_refuse(mem, n);
	b->n = n;
	return data_of(b);
}

void *op_arena_alloc(struct op_arena *mem, size_t n)
{
	struct op_block *b = mem->shared;
	size_t want;
	void *p;

	if (hook_fires())
		return op_arena_refuse(mem, n);
	if (n >= OP_ARENA_BIG)
		return big_new(mem, n);
	want = round_up(n) + OP_GAP;
	if (!b || b->cap - b->n < want)
		b = shared_new(mem, want);
	if (!b)
		return op_arena_refuse(mem, n);
	p = data_of(b) + b->n;
	b->n += want;
	op_unpoison(p, n);
	return p;
}

void *op_arena_array(struct op_arena *mem, size_t nr, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(nr, size, &n))
		return op_arena_refuse(mem, SIZE_MAX);
	return op_arena_alloc(mem, n);
}

void *op_arena_calloc(struct op_arena *mem, size_t nr, size_t size)
{
	enum { MUCH = 4096 };
	void *p = op_arena_array(mem, nr, size);

	if (!p)
		return NULL;
	if (nr * size >= MUCH && !op_budget_clear(nr * size))
		return op_arena_refuse(mem, nr * size);
	memset(p, 0, nr * size);
	return p;
}

static void *big_resize(struct op_arena *mem, void *p, size_t new_n)
{
	struct op_block *b = (struct op_block *)p - 1;
	struct op_block *moved;
	size_t more = new_n > b->cap ? new_n - b->cap : 0;

	if (hook_fires())
		return op_arena_refuse(mem, new_n);
	/* A block that is used again stays as large as it has become. */
	if (!more && mem->recycles) {
		b->n = new_n;
		op_unpoison(p, new_n);
		op_poison((uint8_t *)p + new_n, b->cap - new_n);
		return p;
	}
	op_unpoison(p, b->cap);
	if (mem->spare && over_quota(mem, more))
		list_free(mem, &mem->spare);
	if (more && (new_n > SIZE_MAX / 2 || over_quota(mem, more) ||
		     !op_budget_take(more)))
		return op_arena_refuse(mem, new_n);
	unlink_block(&mem->big, b);
	moved = raw_resize(b, sizeof(*b) + b->cap, sizeof(*b) + new_n);
	if (!moved) {
		push(&mem->big, b);
		op_budget_give(more);
		return op_arena_refuse(mem, new_n);
	}
	if (!more)
		op_budget_give(moved->cap - new_n);
	mem->used = mem->used - moved->cap + new_n;
	moved->cap = new_n;
	moved->n = new_n;
	push(&mem->big, moved);
	return data_of(moved);
}

/* True if the object is the newest of its shared block. */
static bool is_newest(const struct op_arena *mem, const void *p, size_t n)
{
	struct op_block *b = mem->shared;

	return b &&
	       (const uint8_t *)p + round_up(n) + OP_GAP == data_of(b) + b->n;
}

/* Grows or shrinks the newest small object where it stands, if it fits. */
static bool resize_in_place(struct op_arena *mem, void *p, size_t n,
			    size_t new_n)
{
	struct op_block *b = mem->shared;
	size_t at, want = round_up(new_n) + OP_GAP;

	if (!is_newest(mem, p, n))
		return false;
	at = (size_t)((uint8_t *)p - data_of(b));
	if (b->cap - at < want)
		return false;
	b->n = at + want;
	op_poison(p, n);
	op_unpoison(p, new_n);
	return true;
}

void *op_arena_resize(struct op_arena *mem, void *p, size_t n, size_t new_n)
{
	void *moved;

	if (!p)
		return op_arena_alloc(mem, new_n);
	if (n >= OP_ARENA_BIG && new_n >= OP_ARENA_BIG)
		return big_resize(mem, p, new_n);
	if (n < OP_ARENA_BIG && new_n < OP_ARENA_BIG &&
	    resize_in_place(mem, p, n, new_n))
		return p;
	if (n < OP_ARENA_BIG && new_n <= n) {
		op_poison((uint8_t *)p + new_n, n - new_n);
		return p;
	}
	moved = op_arena_alloc(mem, new_n);
	if (!moved)
		return NULL;
	memcpy(moved, p, n < new_n ? n : new_n);
	op_arena_drop(mem, p, n);
	return moved;
}

void op_arena_drop(struct op_arena *mem, void *p, size_t n)
{
	struct op_block *b;

	if (!p)
		return;
	if (n >= OP_ARENA_BIG) {
		b = (struct op_block *)p - 1;
		unlink_block(&mem->big, b);
		if (mem->recycles)
			spare_add(mem, b);
		else
			block_free(mem, b);
		return;
	}
	op_poison(p, n);
	if (is_newest(mem, p, n))
		mem->shared->n -= round_up(n) + OP_GAP;
}

void op_arena_free(struct op_arena *mem)
{
	list_free(mem, &mem->shared);
	list_free(mem, &mem->big);
	list_free(mem, &mem->spare);
	mem->recycles = false;
}

/* Forgets the small objects but keeps the largest of their blocks. */
static void shared_reset(struct op_arena *mem)
{
	struct op_block *keep = mem->shared;

	if (!keep)
		return;
	for (struct op_block *b = keep; b; b = b->next)
		if (b->cap > keep->cap)
			keep = b;
	unlink_block(&mem->shared, keep);
	list_free(mem, &mem->shared);
	push(&mem->shared, keep);
	keep->n = 0;
	op_poison(data_of(keep), keep->cap);
}

void op_arena_reset(struct op_arena *mem)
{
	list_free(mem, &mem->big);
	list_free(mem, &mem->spare);
	shared_reset(mem);
}

/* Blocks that nobody took since the last time have n == 0. */
void op_arena_recycle(struct op_arena *mem)
{
	struct op_block *spare = mem->spare, *big = mem->big, *next;

	mem->spare = mem->big = NULL;
	mem->recycles = true;
	for (struct op_block *b = spare; b; b = next) {
		next = b->next;
		if (b->n)
			spare_add(mem, b);
		else
			block_free(mem, b);
	}
	for (struct op_block *b = big; b; b = next) {
		next = b->next;
		spare_add(mem, b);
	}
	for (struct op_block *b = mem->spare; b; b = b->next)
		b->n = 0;
	shared_reset(mem);
}
