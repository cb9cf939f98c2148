// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
	HUGE_BLOCK = 4 * 1024 * 1024,
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

void *op_heap_resize(void *p, size_t n)
{
	return hook_fires() ? NULL : realloc(p, n ? n : 1);
}

void op_heap_free(void *p)
{
	free(p);
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

/* To fault in a large block page by page takes as long as to fill it. Only a
 * hint: whether it is taken does not matter. It is of whole pages, those at
 * the ends included: a block of which a part is unlike the rest cannot be
 * moved by the system when it grows, but is copied. */
static void ask_huge_pages(void *p, size_t n)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)p & ~(page - 1);
	uintptr_t to = ((uintptr_t)p + n + page - 1) & ~(page - 1);

	if (n >= HUGE_BLOCK)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}

static struct op_block *block_new(struct op_arena *mem, struct op_block **list,
				  size_t cap)
{
	struct op_block *b;

	if (cap > SIZE_MAX / 2 || over_quota(mem, cap + sizeof(*b)))
		return NULL;
	b = malloc(sizeof(*b) + cap);
	if (!b)
		return NULL;
	ask_huge_pages(b, cap);
	b->cap = cap;
	b->n = 0;
	push(list, b);
	mem->used += cap + sizeof(*b);
	mem->nr_blocks++;
	return b;
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

static void *big_new(struct op_arena *mem, size_t n)
{
	struct op_block *b = block_new(mem, &mem->big, n);

	if (!b)
		return NULL;
	b->n = n;
	return data_of(b);
}

void *op_arena_alloc(struct op_arena *mem, size_t n)
{
	struct op_block *b = mem->shared;
	size_t want;
	void *p;

	if (hook_fires())
		return NULL;
	if (n >= OP_ARENA_BIG)
		return big_new(mem, n);
	want = round_up(n) + OP_GAP;
	if (!b || b->cap - b->n < want)
		b = shared_new(mem, want);
	if (!b)
		return NULL;
	p = data_of(b) + b->n;
	b->n += want;
	op_unpoison(p, n);
	return p;
}

void *op_arena_array(struct op_arena *mem, size_t nr, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(nr, size, &n))
		return NULL;
	return op_arena_alloc(mem, n);
}

void *op_arena_calloc(struct op_arena *mem, size_t nr, size_t size)
{
	void *p = op_arena_array(mem, nr, size);

	if (p)
		memset(p, 0, nr * size);
	return p;
}

static void *big_resize(struct op_arena *mem, void *p, size_t new_n)
{
	struct op_block *b = (struct op_block *)p - 1;
	struct op_block *moved;

	if (new_n > b->cap &&
	    (new_n > SIZE_MAX / 2 || over_quota(mem, new_n - b->cap)))
		return NULL;
	unlink_block(&mem->big, b);
	moved = realloc(b, sizeof(*b) + new_n);
	if (!moved) {
		push(&mem->big, b);
		return NULL;
	}
	if (new_n > moved->cap)
		ask_huge_pages(moved, new_n);
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
		return hook_fires() ? NULL : big_resize(mem, p, new_n);
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
		mem->used -= b->cap + sizeof(*b);
		mem->nr_blocks--;
		free(b);
		return;
	}
	op_poison(p, n);
	if (is_newest(mem, p, n))
		mem->shared->n -= round_up(n) + OP_GAP;
}

static void list_free(struct op_arena *mem, struct op_block *b)
{
	while (b) {
		struct op_block *next = b->next;

		mem->used -= b->cap + sizeof(*b);
		mem->nr_blocks--;
		free(b);
		b = next;
	}
}

void op_arena_free(struct op_arena *mem)
{
	list_free(mem, mem->shared);
	list_free(mem, mem->big);
	mem->shared = NULL;
	mem->big = NULL;
}

void op_arena_reset(struct op_arena *mem)
{
	struct op_block *keep = mem->shared;

	list_free(mem, mem->big);
	mem->big = NULL;
	if (!keep)
		return;
	for (struct op_block *b = keep; b; b = b->next)
		if (b->cap > keep->cap)
			keep = b;
	unlink_block(&mem->shared, keep);
	list_free(mem, mem->shared);
	mem->shared = NULL;
	push(&mem->shared, keep);
	keep->n = 0;
	op_poison(data_of(keep), keep->cap);
}
