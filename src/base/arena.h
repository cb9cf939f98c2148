// SPDX-License-Identifier: Apache-2.0
/* base/arena.h: objects that die together.
 *
 * Small objects are cut from blocks that double in size up to 1 MiB; an
 * object of OP_ARENA_BIG bytes or more has a block of its own, so that it can
 * grow and shrink in place of being copied (the C library moves pages) and be
 * dropped early. Freeing the arena frees everything. Not thread-safe.
 *
 * An arena says itself when it has no more memory: it records that in its
 * error, so that who gets NULL only has to leave. The error is there for as
 * long as anybody takes memory: an arena that ends before it is made with
 * { .err = err }, one that outlives it is given it with op_arena_tells(). What
 * one can do without is taken from an arena that tells OP_IGNORED. To run out
 * of memory with no error at all is a bug, since nobody would know.
 *
 * Under ASan there is a poisoned gap of 16 bytes behind each object.
 */
#ifndef OP_BASE_ARENA_H
#define OP_BASE_ARENA_H

#include "base/err.h"

enum { OP_ARENA_BIG = 128 * 1024 };

struct op_block;

/* All zero but for its error is an empty arena without a quota. */
struct op_arena {
	struct op_err *err;	 /* records when there is no more memory */
	struct op_block *shared; /* newest first; small objects come from it */
	struct op_block *big;	 /* objects with a block of their own */
	struct op_block *spare;	 /* such blocks, for new objects */
	size_t used;		 /* bytes taken from the system */
	size_t quota;		 /* most bytes to take; 0: no limit */
	size_t nr_blocks;
	bool recycles; /* blocks of big objects do not shrink */
};

/* From here to the end of the block, mem records in err; after it, where it
 * did before. */
#define op_arena_tells(mem, err)                               \
	__attribute__((cleanup(op_arena_tell_before), unused)) \
	const struct op_arena_told                             \
	op_line_name(told_) = op_arena_tell(mem, err)

struct op_arena_told {
	struct op_arena *mem;
	struct op_err *before;
};

op_inline struct op_arena_told op_arena_tell(struct op_arena *mem,
					     struct op_err *err)
{
	struct op_arena_told told = { mem, mem->err };

	mem->err = err;
	return told;
}

op_inline void op_arena_tell_before(const struct op_arena_told *told)
{
	told->mem->err = told->before;
}

/* Records that there is no memory for n bytes; gives NULL. */
op_cold void *op_arena_refuse(struct op_arena *mem, size_t n);

/* n bytes aligned to 8, contents undefined; NULL, which is recorded, if the
 * system, the quota, the budget or the test hook says no. n == 0 gives a valid
 * pointer. */
void *op_arena_alloc(struct op_arena *mem, size_t n);

/* nr * size bytes; NULL also on overflow. */
void *op_arena_array(struct op_arena *mem, size_t nr, size_t size);

/* The same, zeroed. */
void *op_arena_calloc(struct op_arena *mem, size_t nr, size_t size);

/* Changes an object from n to new_n bytes; it may move. On failure NULL, and
 * the object is as it was. p may be NULL if n is 0. */
void *op_arena_resize(struct op_arena *mem, void *p, size_t n, size_t new_n);

/* Gives back an object of n bytes where that is possible: one with a block of
 * its own, or the newest small one. It must not be used again either way. */
void op_arena_drop(struct op_arena *mem, void *p, size_t n);

/* Frees everything; the arena is then empty and may be used again. */
void op_arena_free(struct op_arena *mem);

/* Forgets every object but keeps the largest shared block for the next. */
void op_arena_reset(struct op_arena *mem);

/* The same, but keeps the blocks of big objects too, for who reads one message
 * after the other. Those that nobody took since the last time are freed. */
void op_arena_recycle(struct op_arena *mem);

/* Arrays of nr T, zeroed and not. */
#define op_new(mem, T, nr) ((T *)op_arena_calloc(mem, nr, sizeof(T)))
#define op_new_raw(mem, T, nr) ((T *)op_arena_array(mem, nr, sizeof(T)))

/* The heap, for what is not in an arena: growing buffers. The test hook sees
 * these too. NULL, which is recorded in err, if there is no memory. */
void *op_heap_resize(void *p, size_t n, struct op_err *err);
void op_heap_free(void *p);

/* Gives what was freed back to the system, for processes that run for long:
 * otherwise one object that is in use keeps everything before it.
 * Does nothing with allocators that cannot. */
void op_heap_trim(void);

/* Says that n bytes at p, if they are many, will all be written to. */
void op_heap_hint(void *p, size_t n);

/* Test hook: the k-th allocation of this thread from now fails, once. 0 turns
 * it off. op_alloc_failed() says whether it has fired. */
void op_alloc_fail_at(long k);
bool op_alloc_failed(void);

#endif
