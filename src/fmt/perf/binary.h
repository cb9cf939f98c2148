// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/binary.h: files that were mapped, if they are at hand. */
#ifndef OP_FMT_PERF_BINARY_H
#define OP_FMT_PERF_BINARY_H

#include "base/arena.h"
#include "sym/elf.h"
#include "sym/tables.h"

/* A file that is at hand, under any name. */
struct op_perf_file {
	uint64_t dev, ino;
	struct op_elf elf;
	const struct op_file_table *table; /* NULL: not asked for yet */
	bool is_elf;
	bool is_vdso;
	struct op_perf_file *next;
};

struct op_perf_binary {
	struct op_perf_file *file; /* NULL: none is at hand */
	bool is_there;		   /* and is what was recorded */
};

struct op_perf_binaries {
	struct op_perf_file *files;
	uint64_t bytes; /* read so far */
};

struct op_host_map;
struct op_perf;

/* That of a binary of the host; NULL if it is not at hand. */
struct op_perf_binary *op_perf_binary(struct op_perf *f, uint32_t id);
/* Whether the files that the recording names may be opened at all. */
bool op_perf_may_open(const struct op_perf *f);
/* Reads all of one that is at hand, into mem. */
bool op_perf_binary_whole(struct op_perf *f, uint32_t id, struct op_arena *mem,
			  struct op_elf *out);
/* Asks the file for the address of a mapping, once; ip is in it. */
void op_perf_locate(struct op_perf *f, struct op_host_map *m, uint64_t ip);

#endif
