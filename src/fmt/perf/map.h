// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/map.h: what is mapped where, and which file that is. */
#ifndef OP_FMT_PERF_MAP_H
#define OP_FMT_PERF_MAP_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/vec.h"
#include "base/view.h"

enum op_perf_kind {
	OP_PERF_FILE,
	OP_PERF_CODE, /* made at run time; addresses are the process's own */
	OP_PERF_OF_KERNEL,
};

struct op_perf_binary;

/* A file that was mapped, or what stands for one. */
struct op_perf_dso {
	struct op_view name;
	enum op_perf_kind kind;
	uint64_t inode; /* 0: not known */
	uint8_t id_len;
	uint8_t id[20];
	struct op_perf_binary *binary; /* NULL: not looked for yet */
};

struct op_perf_map {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint64_t base;	 /* the address, in the file's own terms, of start */
	uint32_t dso;
	uint32_t mapping; /* of the model; OP_NO_ID: not asked for yet */
	bool is_located;  /* the file was asked for base */
};

/* Mappings by address, none over another. Shared by processes until one of
 * them changes. */
struct op_perf_space {
	OP_VEC(struct op_perf_map) maps;
	uint32_t nr_users;
	uint32_t version;	    /* no other content had this number */
	uint32_t last;		    /* index of the map found last */
	struct op_perf_space *next; /* that nobody uses */
};

struct op_perf_maps {
	struct op_intern dso_index;
	OP_VEC(struct op_perf_dso) dsos;
	struct op_perf_space kernel;
	struct op_arena mem; /* of spaces; with a quota */
	struct op_perf_space *free_spaces;
	uint32_t nr_versions;
};

struct op_perf;

uint32_t op_perf_dso(struct op_perf *f, const struct op_perf_dso *key);
/* Puts a mapping over what was there. */
void op_perf_map_add(struct op_perf *f, struct op_perf_space *s,
		     const struct op_perf_map *map);
void op_perf_map_cut(struct op_perf *f, struct op_perf_space *s, uint64_t start,
		     uint64_t end);
/* The mapping of an address; NULL: none. Good until the next change. */
struct op_perf_map *op_perf_map_find(struct op_perf_space *s, uint64_t address);

struct op_perf_space *op_perf_space_new(struct op_perf *f);
void op_perf_space_drop(struct op_perf *f, struct op_perf_space *s);
/* Makes it one that nobody else uses. */
bool op_perf_space_own(struct op_perf *f, struct op_perf_space **s);

/* Where the first mapping begins that is not before an address. */
uint64_t op_perf_map_next(const struct op_perf_space *s, uint64_t address);
/* Finds the address that a file has for the start of a mapping; ip is in it. */
void op_perf_map_locate(struct op_perf *f, struct op_perf_map *m, uint64_t ip);

#endif
