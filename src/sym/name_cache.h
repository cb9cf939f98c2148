// SPDX-License-Identifier: Apache-2.0
/* sym/name_cache.h: which functions are at an address, as found before.
 *
 * The key is the identity of a binary, where it is mapped and the address. It
 * takes a given number of bytes at most: what was not used longest goes first.
 */
#ifndef OP_SYM_NAME_CACHE_H
#define OP_SYM_NAME_CACHE_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/vec.h"
#include "sym/binary.h"

/* A hash of what identifies a binary: no two have the same. */
struct op_name_id {
	uint64_t hash[2]; /* 0, 0: none */
};

struct op_name_key {
	struct op_name_id id;
	uint64_t start, limit, offset; /* of the mapping */
	uint64_t address;
};

struct op_name_result {
	uint32_t why;  /* enum op_unresolved */
	uint32_t lost; /* OP_ASK_NO_, if a limit was reached */
	bool is_brief; /* to be looked up again some time */
	size_t nr;
	const struct op_sym_frame *frames;
};

struct op_name_row {
	struct op_name_key key;
	uint8_t *frames;
	uint32_t bytes, nr;
	uint32_t why, lost;
	uint32_t newer, older;
	uint64_t until; /* the last call that may use it */
};

struct op_name_cache {
	size_t max_bytes; /* 0: nothing is kept */
	size_t bytes;
	struct op_arena mem;
	struct op_pool pool;
	struct op_intern index;
	OP_VEC(struct op_name_row) rows;
	struct op_id_vec free_rows;
	uint32_t newest, oldest;
	uint64_t nr_calls;
};

void op_name_cache_init(struct op_name_cache *c, size_t max_bytes);
void op_name_cache_fini(struct op_name_cache *c);

/* The identity that is made of these bytes. */
struct op_name_id op_name_id(struct op_view bytes);

/* Another model begins. */
void op_name_cache_begin(struct op_name_cache *c);
/* Frames are written to room, which has space for OP_LINES_MAX, and are good
 * until the next put. */
bool op_name_cache_find(struct op_name_cache *c, const struct op_name_key *key,
			struct op_sym_frame *room, struct op_name_result *out);
/* Without memory for it nothing is kept. */
void op_name_cache_put(struct op_name_cache *c, const struct op_name_key *key,
		       const struct op_name_result *r);

#endif
