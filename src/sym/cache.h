// SPDX-License-Identifier: Apache-2.0
/* sym/cache.h: binaries that are open, up to a number of bytes and of files.
 * Those that were not asked for the longest go first. */
#ifndef OP_SYM_CACHE_H
#define OP_SYM_CACHE_H

#include "sym/binary.h"

enum { OP_CACHE_FILES = 64 };

struct op_cache_entry;

struct op_cache {
	struct op_find find;
	size_t max_bytes; /* 0: 512 MiB */
	struct op_cache_entry *entries[OP_CACHE_FILES];
	uint64_t clock;
	uint64_t nr_opened, nr_dropped;
};

/* The binary of a mapping, by its build ids or, without them, by path and
 * time: one that could not be found is remembered too. Good until the next
 * call. NULL and err without memory. */
struct op_binary *op_cache_get(struct op_cache *c, const struct op_wanted *w,
			       struct op_err *err);

void op_cache_free(struct op_cache *c);

#endif
