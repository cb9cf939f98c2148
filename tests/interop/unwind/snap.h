// SPDX-License-Identifier: Apache-2.0
/* A moment of a thread: registers, bytes of its memory, and what is mapped.
 * Sources make them (live.c, core.c, perf.c), and each is unwound twice: by
 * us (ours.c) and by elfutils (libdw.c). */
#ifndef INTEROP_UNWIND_SNAP_H
#define INTEROP_UNWIND_SNAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_FRAMES = 1024, NR_REGS = 17 };

struct snap_map {
	uint64_t start, end, offset;
	bool is_code;
	char path[512]; /* "": anonymous; "[vdso]" */
};

struct snap_part {
	uint64_t at;
	const uint8_t *p;
	size_t n;
};

struct snap {
	uint64_t regs[NR_REGS]; /* by DWARF number */
	struct snap_part *parts;
	size_t nr_parts;
	struct snap_map *maps;
	size_t nr_maps;
	unsigned int maps_id; /* another number when they change */
	bool has_lost;	      /* some of the maps may be missing */
	const uint8_t *vdso;
	size_t vdso_bytes;
};

/* n bytes of the memory. */
bool snap_read(const struct snap *s, uint64_t at, void *to, size_t n);

const struct snap_map *snap_map_at(const struct snap *s, uint64_t at);

/* Frames of a stack; how many. why is for the reader of a difference. */
size_t ours_unwind(const struct snap *s, uint64_t *pcs, const char **why);
size_t libdw_unwind(const struct snap *s, uint64_t *pcs, const char **why);

/* Why elfutils may know less of the caller of a frame than we do, or NULL. */
const char *ours_excuse(const struct snap *s, uint64_t pc);

/* Compares both and counts. False: enough. */
bool compare(const struct snap *s);

/* Sources. Arguments as the program's; false if they came to nothing. */
bool live_run(int nr_stacks, unsigned int seed, char **argv);
bool step_run(int nr_stacks, unsigned int seed, char **argv);
bool core_run(const char *path);
bool perf_run(const char *path);

/* /proc/PID/maps, as text. */
struct snap_map *maps_parse(const char *text, size_t *nr);
char *file_text(const char *path, size_t *n);

#endif
