// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/rows.h: frames, threads and classes as rows of the model. */
#ifndef OP_FMT_JFR_ROWS_H
#define OP_FMT_JFR_ROWS_H

#include "base/buf.h"
#include "base/vec.h"
#include "fmt/jfr/chunk.h"
#include "fmt/jfr/key_cache.h"

/* Which fields of a type are wanted, as slots by the order of its fields. */
enum { OP_JFR_MAX_FIELDS = 64, OP_JFR_NO_SLOT = 255 };

struct op_jfr_layout {
	uint32_t type;
	uint32_t nr;
	uint32_t nr_wanted; /* fields up to the last that is wanted */
	uint32_t refs;	    /* a bit for each slot of a text in the pool */
	uint8_t slot[OP_JFR_MAX_FIELDS];
};

struct op_jfr_frame_type {
	bool is_known;
	struct op_view text;
	unsigned int kind;
	uint32_t attrs; /* of a location without a bytecode index */
};

/* As the recording has them. */
struct op_jfr_method {
	struct op_view class, name, descriptor;
	bool is_known; /* it was read */
};

struct op_jfr_rows {
	struct op_jfr_layout method, class, group, stack, frame, thread;
	struct op_jfr_method *methods;	   /* that were read, by slot */
	struct op_jfr_key_cache locations; /* by frame */
	struct op_jfr_recent recent;	   /* some of them */
	bool has_others;		   /* frames that are not among them */
	struct op_id_vec ids;		   /* of the stack or set at hand */
	struct op_buf text;
	bool has_kernel; /* the writer tells kernel frames apart */
	struct op_jfr_frame_type frame_types[16]; /* by id */
};

#define OP_JFR_ATTR_OS_ID "jfr.thread.os_id"

struct op_jfr_thread {
	int64_t ids[2]; /* thread.id, and the system's; 0: none */
	struct op_view name, group;
	bool is_virtual;
};

/* The constants that a frame refers to. */
struct op_jfr_frame_refs {
	uint64_t method, type;
};

int op_jfr_rows_begin(struct op_jfr_chunk *c);
void op_jfr_rows_end(struct op_jfr_chunk *c);
/* The stack of an id; *truncated says whether it was cut. */
uint32_t op_jfr_stack(struct op_jfr_chunk *c, uint64_t id, bool *truncated);
/* Whether the locations of all frames of the stack at a byte of the chunk are
 * in the cache. */
bool op_jfr_stack_is_cached(struct op_jfr_chunk *c, uint64_t at);
/* The set of a thread's attributes. */
uint32_t op_jfr_thread(struct op_jfr_chunk *c, uint64_t id);
/* Names as they are in the source, in the chunk's memory. */
struct op_view op_jfr_class_name(struct op_jfr_chunk *c, uint64_t id);
struct op_view op_jfr_method_name(struct op_jfr_chunk *c, uint64_t id);
struct op_view op_jfr_thread_name(struct op_jfr_chunk *c, uint64_t id);
/* These are false if it is missing. */
bool op_jfr_method_read(struct op_jfr_chunk *c, uint64_t id,
			struct op_jfr_method *m);
bool op_jfr_thread_read(struct op_jfr_chunk *c, uint64_t id,
			struct op_jfr_thread *t);
struct op_view op_jfr_class_symbol(struct op_jfr_chunk *c, uint64_t id);
/* Of a frame that is packed numbers, by their bytes. */
struct op_jfr_frame_refs op_jfr_frame_refs(const struct op_jfr_chunk *c,
					   const struct op_jfr_key *key);
/* Its thread.id and the system's; false if it is missing. */
bool op_jfr_thread_ids(struct op_jfr_chunk *c, uint64_t id, int64_t ids[2]);
/* An attribute of a text, a number, a truth; added to the ids at hand. */
void op_jfr_attr_text(struct op_jfr_chunk *c, const char *key,
		      struct op_view text);
void op_jfr_attr_int(struct op_jfr_chunk *c, const char *key, int64_t v);
void op_jfr_attr_true(struct op_jfr_chunk *c, const char *key);

#endif
