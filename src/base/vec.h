// SPDX-License-Identifier: Apache-2.0
/* base/vec.h: arrays that grow inside an arena.
 *
 *	OP_VEC(uint32_t) ids = { 0 };
 *	if (!op_vec_push(mem, &ids, 7))
 *		return err->code;
 *
 * Growth doubles. An element pointer is good until the next push. At most
 * OP_VEC_MAX elements, so that an index always fits uint32_t.
 */
#ifndef OP_BASE_VEC_H
#define OP_BASE_VEC_H

#include "base/arena.h"

#define OP_VEC_MAX ((size_t)UINT32_MAX - 1)

#define OP_VEC(T)           \
	struct {            \
		T *p;       \
		size_t n;   \
		size_t cap; \
	}

/* The one most used, with a name, so that functions can take it. */
struct op_id_vec {
	uint32_t *p;
	size_t n;
	size_t cap;
};

/* The array p of *cap elements made to hold at least need; NULL if it cannot
 * be, which mem records, and then p is still good. */
void *op_vec_grow(struct op_arena *mem, void *p, size_t *cap, size_t need,
		  size_t size);

/* Room for nr more elements behind the last; false if there is none. */
#define op_vec_reserve(mem, v, nr)                                       \
	(op_likely((v)->cap - (v)->n >= (size_t)(nr)) || __extension__({ \
		 void *grown_ = op_vec_grow(mem, (v)->p, &(v)->cap,      \
					    (v)->n + (size_t)(nr),       \
					    sizeof(*(v)->p));            \
		 if (grown_)                                             \
			 (v)->p = grown_;                                \
		 grown_ != NULL;                                         \
	 }))

#define op_vec_push(mem, v, x) \
	(op_vec_reserve(mem, v, 1) && ((v)->p[(v)->n++] = (x), true))

/* Gives back what the array does not use. */
#define op_vec_trim(mem, v)                                                 \
	do {                                                                \
		op_arena_tells(mem, OP_IGNORED);                            \
		void *less_ = NULL;                                         \
		if ((v)->n < (v)->cap)                                      \
			less_ = op_arena_resize(mem, (v)->p,                \
						(v)->cap * sizeof(*(v)->p), \
						(v)->n * sizeof(*(v)->p));  \
		if (less_) {                                                \
			(v)->p = less_;                                     \
			(v)->cap = (v)->n;                                  \
		}                                                           \
	} while (0)

#endif
