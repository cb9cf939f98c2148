// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/firefox_int.h: between the files of the Firefox Profiler's
 * formats.
 *
 * Gecko, the engine of Firefox, writes raw profiles: one per process, those of
 * child processes inside that of the parent.
 *
 *	{ "meta": {...}, "libs": [...], "processes": [ the same, ... ],
 *	  "threads": [ { "name", "tid", "samples", "stackTable", "frameTable",
 *	                 "markers", "stringTable" } ] }
 *
 * The Firefox Profiler makes processed profiles of these and of others:
 *
 *	{ "meta": {...}, "libs": [...], "shared": { tables },
 *	  "threads": [ { "name", "tid", "pid", "samples", tables } ] }
 *
 * Tables are stackTable, frameTable, funcTable, resourceTable and stringArray;
 * up to version 55 they are the thread's, from version 60 on they are shared.
 * Stacks are prefix trees, from the root.
 *
 *	read.c       processes and threads
 *	table.c      tables of either shape
 *	location.c   names of frames in raw profiles
 *	lib.c        libraries
 *	stack.c      stacks, frames and functions
 *	sample.c     samples and allocations
 *	write.c      processed profiles, written
 */
#ifndef OP_FMT_FIREFOX_FIREFOX_INT_H
#define OP_FMT_FIREFOX_FIREFOX_INT_H

#include "base/vec.h"
#include "fmt/firefox/table.h"
#include "fmt/format.h"
#include "fmt/viewer/metadata.h"
#include "model/builder.h"

/* --- libraries --- */

struct op_gecko_lib {
	struct op_view path, name, breakpad_id, code_id;
	uint64_t start, end, offset; /* end 0: they are not told */
	uint32_t mapping;	     /* OP_NO_ID: not made yet */
};

struct op_gecko_libs {
	OP_VEC(struct op_gecko_lib) rows;
	struct op_arena *mem; /* of the rows */
	uint32_t *by_start;   /* NULL: not asked for yet */
};

/* Reads the list that in stands at. */
void op_gecko_libs_take(struct op_json_in *in, struct op_arena *mem,
			struct op_gecko_libs *out);

/* The library that has an address in memory; NULL: none. */
struct op_gecko_lib *op_gecko_lib_at(struct op_gecko_libs *libs,
				     uint64_t address);

/* The mapping of a library. */
uint32_t op_gecko_mapping(struct op_builder *b, struct op_gecko_lib *lib);

/* --- stacks --- */

enum {
	OP_GECKO_PREFIX,
	OP_GECKO_PREFIX_OFFSET,
	OP_GECKO_FRAME,
	OP_GECKO_NR_STACK
};
enum {
	OP_GECKO_FUNC,
	OP_GECKO_LOCATION, /* of raw profiles only, in place of the func */
	OP_GECKO_ADDRESS,
	OP_GECKO_LIB,
	OP_GECKO_DEPTH,
	OP_GECKO_LINE,
	OP_GECKO_COLUMN,
	OP_GECKO_ORIGINAL,
	OP_GECKO_NR_FRAME
};
enum {
	OP_GECKO_NAME,
	OP_GECKO_FILE,
	OP_GECKO_SOURCE,
	OP_GECKO_START_LINE,
	OP_GECKO_START_COLUMN,
	OP_GECKO_RESOURCE,
	OP_GECKO_IS_JS,
	OP_GECKO_FUNC_ORIGINAL,
	OP_GECKO_NR_FUNC
};
enum {
	OP_GECKO_PLACE_SOURCE,
	OP_GECKO_PLACE_LINE,
	OP_GECKO_PLACE_COLUMN,
	OP_GECKO_NR_PLACE
};

/* A row of the stack table. */
struct op_gecko_row {
	uint32_t depth; /* 0: not known yet */
	uint32_t whole; /* itself, or the row above at which it is cut */
	/* Stacks of the builder, of samples and of calls; OP_NO_ID: not made
	 * yet. */
	uint32_t stacks[2];
	/* What it is as a caller: the location that it begins, with those
	 * that it is inlined into, and the row behind them. */
	uint32_t location; /* OP_NO_ID: not made yet */
	uint32_t next;	   /* OP_NO_ID: it is the last */
};

/* Everything that a stack refers to, of a thread or shared. */
struct op_gecko_tables {
	struct op_arena *mem;
	OP_VEC(struct op_view) strings;
	struct op_gecko_column stack[OP_GECKO_NR_STACK];
	struct op_gecko_column frame[OP_GECKO_NR_FRAME];
	struct op_gecko_column func[OP_GECKO_NR_FUNC];
	struct op_gecko_column place[OP_GECKO_NR_PLACE];
	struct op_gecko_column resource_lib, source_name;
	struct op_gecko_libs *libs;
	struct op_gecko_row *rows; /* of the stack table */
	size_t nr_rows;
	bool has_stacks, has_strings;
	uint64_t at; /* of the stack table, for errors */
	/* Addresses of callers are those they return to. */
	bool has_return_addresses;
};

struct op_gecko;

/* The stack that has its leaf in this row. is_call: the leaf made a call too,
 * as that of an allocation did. */
uint32_t op_gecko_stack(struct op_gecko *r, struct op_gecko_tables *t,
			int64_t row, bool is_call);

/* Whether the key is that of a table or of the strings; then it is taken. */
bool op_gecko_tables_member(struct op_gecko_tables *t, struct op_json_text key,
			    struct op_json_in *in);

/* Prepares the tables that were taken. */
int op_gecko_tables_ready(struct op_gecko_tables *t, struct op_err *err);

/* --- profiles --- */

enum op_gecko_event {
	OP_GECKO_SAMPLES,
	OP_GECKO_WALL,	/* samples that are lengths of time */
	OP_GECKO_SPACE, /* samples that are bytes */
	OP_GECKO_CPU,
	OP_GECKO_CYCLES,
	OP_GECKO_ALLOC,
	OP_GECKO_MALLOC,
	OP_GECKO_FREE,
	OP_GECKO_NR_EVENTS
};

struct op_gecko_process {
	struct op_view pid, name, type;
	uint32_t doc;	/* whose it is */
	uint32_t scope; /* OP_NO_ID: not made yet */
	/* Without times, with times; OP_NO_ID: not made yet. */
	uint32_t groups[OP_GECKO_NR_EVENTS][2];
};

/* What becomes one profile. */
struct op_gecko_group {
	uint32_t number; /* of profiles that we wrote */
	uint32_t event;	 /* op_gecko_event */
	bool is_timed;
	uint32_t profile;
	uint64_t first, end;
};

/* A profile of a process, as it stands in the file. What its meta does not say
 * is as in the one that it is inside of. */
struct op_gecko_doc {
	struct op_json_in in;	/* at its start */
	uint32_t number, level; /* level: how many it is inside of */
	const uint8_t *meta, *libs_at, *threads, *processes, *shared_at;
	const uint8_t *allocs; /* of a recording that it is a part of */
	bool has_samples;      /* it is a thread */
	struct op_gecko_libs *libs;
	struct op_gecko_tables *shared;
	int64_t start_ns, interval_ns;
	int64_t version; /* of a processed profile; -1: not told */
	struct op_view time_unit, cpu_unit;
	struct op_view os, cpu_name;
};

/* A thread, as it stands in the file. */
struct op_gecko_thread {
	struct op_view name, tid, pid, process_name, process_type;
	const uint8_t *samples, *markers, *js_allocs, *native_allocs;
	bool is_told;
	struct op_metadata told;
	struct op_gecko_tables *tables;
	struct op_gecko_libs libs; /* of its own */
	bool has_libs;
	const struct op_gecko_doc *doc;
	uint32_t process;
	uint32_t set; /* OP_NO_ID: not made yet */
};

struct op_gecko {
	struct op_err *err;
	const struct op_read_opts *opts;
	struct op_arena mem, thread_mem;
	struct op_builder b;
	OP_VEC(struct op_gecko_doc) docs;
	OP_VEC(struct op_gecko_process) processes;
	struct op_intern process_index;
	OP_VEC(struct op_gecko_group) groups;
	struct op_intern told_index; /* of those that we wrote */
	struct op_id_vec path;	     /* of a stack */
	struct op_id_vec ways;	     /* up the table */
	OP_VEC(struct op_line) lines;
	uint32_t frame_sets[2]; /* native, kernel; OP_NO_ID: not made yet */
	unsigned int wanted; /* bit per event that was asked for; 0: none was */
	const char *thread;  /* only those whose name holds it; NULL: all */
	bool is_cut;	     /* some stack was too deep */
	uint64_t nr_rounded, nr_early, nr_cpu, nr_allocs;
};

/* The attributes of a thread's samples. */
uint32_t op_gecko_thread_set(struct op_gecko *r, struct op_gecko_thread *t);

/* Adds the resource of a process, with a scope. */
void op_gecko_scope_make(struct op_gecko *r, const struct op_gecko_doc *d,
			 struct op_gecko_process *p);

/* Reads the samples and allocations of a thread. */
void op_gecko_samples(struct op_gecko *r, struct op_gecko_thread *t);

/* --- both ways --- */

int op_gecko_read(struct op_view in, const struct op_read_opts *opts,
		  op_model_fn *fn, void *ctx, struct op_err *err);
int op_gecko_write(const struct op_model *m, const struct op_write_opts *opts,
		   struct op_sink *sink, struct op_err *err);

#endif
