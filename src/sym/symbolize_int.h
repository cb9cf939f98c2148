// SPDX-License-Identifier: Apache-2.0
/* sym/symbolize_int.h: shared by the files of the symbolizer.
 *
 *	symbolize.c	which locations need names, and their results
 *	symbolize_file.c	addresses in files: each file is read once
 *	symbolize_rows.c	new rows of the dictionary
 *	symbolize_mem.c	other addresses: the kernel, JIT-compiled code
 *	name_cache.c	functions by address, from one model to the next
 */
#ifndef OP_SYM_SYMBOLIZE_INT_H
#define OP_SYM_SYMBOLIZE_INT_H

#include "base/intern.h"
#include "base/vec.h"
#include "sym/helper.h"
#include "sym/jit.h"
#include "sym/kallsyms.h"
#include "sym/name_cache.h"
#include "sym/names.h"
#include "sym/symbolize.h"

/* --- rows --- */

/* The tables of a dictionary while they grow. They are copies, because the
 * model's arrays may be parts of others; op_rows_finish() installs them. */
struct op_rows {
	struct op_model *m;
	struct op_err *err;
	OP_VEC(struct op_view) strings;
	OP_VEC(struct op_function) functions;
	OP_VEC(struct op_line) lines;
	OP_VEC(struct op_attr) attrs;
	struct op_id_vec set_at, members;
	struct op_intern string_index, function_index, set_index;
	OP_VEC(struct op_set_change) changes;
	struct op_buf text;
	bool demangles; /* names not demangled yet */
	bool is_whole;
};

/* A changed set: without the attributes of a key, plus another attribute.
 */
struct op_set_change {
	uint32_t set, key, attr; /* attr 0: none added */
	uint32_t result;
};

int op_rows_init(struct op_rows *r, struct op_model *m, struct op_err *err);
/* Moves the tables to the model, even after an error: they are consistent.
 */
void op_rows_finish(struct op_rows *r);

/* The string, copied; 0 if it is empty or after an error. */
uint32_t op_rows_string(struct op_rows *r, struct op_view v);

/* Appends a line with its function. */
void op_rows_frame(struct op_rows *r, const struct op_sym_frame *f);

/* An attribute whose value outlives the model. */
uint32_t op_rows_attr(struct op_rows *r, const char *key, struct op_any value);

/* The set without attributes that have attr's key, or this key, plus attr. */
uint32_t op_rows_set(struct op_rows *r, uint32_t set, uint32_t key,
		     uint32_t attr);

/* --- work --- */

/* A location that needs names. */
struct op_need {
	uint64_t address;
	uint64_t vaddr; /* in its file */
	uint32_t mapping, location;
	uint32_t file; /* index into op_sym_work.files; OP_NO_ID: none */
	enum op_unresolved why;
	uint32_t lost; /* OP_ASK_NO_, if a limit was reached */
	bool is_unchecked;
	bool is_known; /* the result was remembered */
};

/* A file that contains addresses, however many paths lead to it. */
struct op_sym_file {
	uint64_t dev, ino;
	uint32_t mapping; /* the first that led to it */
	uint32_t id;	  /* in order of discovery */
	uint64_t nr;	  /* addresses in it */
};

struct op_sym_work {
	uint32_t flag_attrs[4]; /* of what mappings have; 0: not made yet */
	struct op_model *m;
	const struct op_symbolize_opts *o;
	struct op_symbolize_result *r;
	struct op_err *err;
	struct op_arena mem;
	OP_VEC(struct op_need) needs;
	OP_VEC(struct op_sym_file) files;
	struct op_intern file_index;
	struct op_helper *helper;
	struct op_name_cache *cache;
	struct op_name_id *ids; /* of mappings */
	struct op_buf identity; /* what an id is made of */
	uint64_t time_ns;	/* when the last profile ends */
	uint64_t find_us;	/* spent searching for files */
	size_t most_used;	/* bytes of the model */
	struct op_rows rows;
	uint8_t *flags; /* per mapping: OP_HAS_ */
};

enum { OP_HAS_NAMES = 1, OP_HAS_LINES = 2, OP_HAS_INLINES = 4 };

/* Adds frames to a location; returns the reason if it cannot. */
enum op_unresolved op_sym_put(struct op_sym_work *w, uint32_t location,
			      const struct op_sym_frame *f, size_t n);

/* Searches for the file of the needs of one mapping. */
void op_sym_find(struct op_sym_work *w, struct op_need *n, size_t nr);

/* Looks up addresses in all files found; sorts needs by file. */
void op_sym_ask(struct op_sym_work *w);

/* --- memory --- */

struct op_jit_process {
	uint32_t pid;
	uint64_t call;	/* the last that used it */
	struct stat st; /* of the file; st_nlink 0: none was read */
	struct op_arena mem;
	struct op_jit jit;
	struct op_buf text;
	size_t bytes; /* of memory that its map takes */
	struct op_err err;
	struct op_jit_process *next;
};

/* The kernel and the perf maps of processes, read on first use. */
struct op_memory {
	const struct op_symbolize_opts *o;
	struct op_arena mem;

	/* Of the model at hand. */
	struct op_model *m;
	struct op_arena *model_mem;
	uint64_t time_ns; /* when the last profile ends */
	uint64_t call;	  /* how many models there were */
	bool kernel_compared, kernel_ok;

	struct op_kallsyms kernel;
	struct op_buf kernel_text;
	struct op_err kernel_err;
	bool kernel_tried, kernel_read;

	/* The process of each location: 0 unknown, PID_MANY. */
	uint32_t *pids;
	struct op_jit_process *processes;
	uint32_t nr_processes;
	size_t jit_used; /* bytes, by all of them */
};

/* Another model: mem is for what is of it. */
void op_memory_begin(struct op_memory *m, struct op_model *model,
		     struct op_arena *mem, uint64_t time_ns);
void op_memory_fini(struct op_memory *m);

bool op_is_kernel(uint64_t address);
bool op_is_jit(struct op_view filename);

/* The name at an address, or the reason why there is none. err is set only if
 * out of memory. */
enum op_unresolved op_memory_kernel(struct op_memory *m, uint64_t address,
				    struct op_view *name, struct op_err *err);
enum op_unresolved op_memory_jit(struct op_memory *m, uint32_t location,
				 struct op_view *name, struct op_err *err);

/* --- from one model to the next --- */

struct op_names {
	struct op_symbolize_opts o;
	struct op_helper helper;
	struct op_memory memory;
	struct op_name_cache cache;
};

/* The build IDs in the attributes of a mapping. */
struct op_build_ids op_mapping_ids(const struct op_model *m, uint32_t mapping);

#endif
