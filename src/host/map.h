// SPDX-License-Identifier: Apache-2.0
/* host/map.h: address spaces, and the binaries that are mapped in them. */
#ifndef OP_HOST_MAP_H
#define OP_HOST_MAP_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/vec.h"
#include "base/view.h"
#include "host/record.h"
#include "sym/elf.h"

enum op_binary_kind {
	OP_BINARY_FILE,
	OP_BINARY_CODE, /* made at run time; addresses are the process's own */
	OP_BINARY_KERNEL,
};

/* A file that was mapped, or what stands for one. */
struct op_host_binary {
	struct op_view name;
	enum op_binary_kind kind;
	uint32_t maj, min; /* of the device */
	uint64_t inode;	   /* 0: not known */
	uint8_t id_len;
	uint8_t id[OP_HOST_ID_BYTES];
	uint32_t nr_pins; /* who else needs it: see op_host_sweep() */
	bool is_mapped;	  /* by the count of the last sweep */
	uint8_t nr_idle;  /* sweeps since it was mapped */
	bool is_free;	  /* a row that no binary has */
	void *user;	  /* the caller's; NULL at first */
};

struct op_host_map {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint64_t base;	 /* the address, in the file's own terms, of start */
	uint32_t binary;
	uint32_t user;	 /* the caller's; OP_NO_ID at first and after a cut */
	bool is_located; /* the file was asked for base */
};

/* Mappings by address, none over another. Shared by processes until one of
 * them changes. */
struct op_host_space {
	struct op_host_map *maps;
	uint32_t nr, cap;
	uint32_t nr_users;
	uint32_t last;		    /* index of the map found last */
	uint64_t version;	    /* no other content had this number */
	struct op_host_space *next; /* that nobody uses */
};

struct op_host_maps {
	struct op_intern binary_index;
	OP_VEC(struct op_host_binary) binaries;
	struct op_id_vec free_binaries;
	struct op_host_space kernel;
	struct op_arena mem; /* of spaces; with a quota */
	struct op_pool pool; /* in it: arrays of mappings */
	struct op_host_space *free_spaces;
};

struct op_host;

/* The binary that equals key, or a new one; OP_NO_ID without memory. */
uint32_t op_host_binary(struct op_host *h, const struct op_host_binary *key);
/* Keeps a binary that no process maps any more, until it is unpinned as often
 * as it was pinned. */
void op_host_pin(struct op_host *h, uint32_t binary);
void op_host_unpin(struct op_host *h, uint32_t binary);

/* Puts a mapping over what was there. */
void op_host_map_add(struct op_host *h, struct op_host_space *s,
		     const struct op_host_map *map);
void op_host_map_cut(struct op_host *h, struct op_host_space *s, uint64_t start,
		     uint64_t end);
/* The mapping of an address; NULL: none. Good until the next change. */
struct op_host_map *op_host_map_find(struct op_host_space *s, uint64_t address);
/* Where the first mapping begins that is not before an address. */
uint64_t op_host_map_next(const struct op_host_space *s, uint64_t address);
/* Finds the address that a file has for the start of a mapping; ip is in it.
 * NULL: the file is not at hand. */
void op_host_map_locate(struct op_host_map *m, const struct op_elf *elf,
			uint64_t ip);

struct op_host_space *op_host_space_new(struct op_host *h);
/* Drops one user of it; NULL is none. */
void op_host_space_drop(struct op_host *h, struct op_host_space *s);
/* Makes it one that nobody else uses. */
bool op_host_space_own(struct op_host *h, struct op_host_space **s);

/* Drops binaries that have been neither marked with is_mapped nor pinned for a
 * while. */
void op_host_binaries_sweep(struct op_host *h);

#endif
