// SPDX-License-Identifier: Apache-2.0
/* fmt/cpuprofile/v8.h: a CPU profile of V8, as .cpuprofile files have it in
 * one piece and traces of Chromium in chunks.
 *
 *	nodes       a call tree: id, callFrame, children or parent
 *	samples     ids of nodes
 *	timeDeltas  of each sample the microseconds since the one before, of
 *	            the first since startTime
 *
 * A sample lasts until the next, the last until endTime.
 *
 * Heap profiles, and CPU profiles of older releases, have one node in place of
 * nodes, with all others inside of it (nested.c).
 */
#ifndef OP_FMT_CPUPROFILE_V8_H
#define OP_FMT_CPUPROFILE_V8_H

#include "pb/json_extract.h"
#include "fmt/viewer/stack_tree.h"

/* The root of the tree, which no stack of ours has. */
#define OP_V8_ROOT "(root)"

struct op_v8_frame {
	struct op_view name, url;
	struct op_view script; /* its id */
	int64_t line, column;  /* from 0; -1: unknown */
	uint32_t location;     /* OP_NO_ID: not made yet */
};

/* What a node inside of another says of itself. */
enum op_v8_self {
	OP_V8_HITS,
	OP_V8_TIME, /* ns */
	OP_V8_SIZE, /* bytes */
	OP_V8_NR_SELF,
};

struct op_v8_nested {
	uint32_t parent; /* a node before; OP_NO_ID: it is the outermost */
	uint32_t frame;
	uint32_t node; /* of the stack tree, once all were read */
	bool has_line; /* itself, not its callFrame */
	struct op_view id;
	int64_t self[OP_V8_NR_SELF];
};

/* How often a node was seen, for files that do not list the samples. */
struct op_v8_hits {
	uint32_t row; /* of calls */
	int64_t n;
};

struct op_v8 {
	struct op_stack_tree tree;
	struct op_call_tree calls;
	OP_VEC(struct op_v8_frame) frames;
	struct op_intern places; /* the first frame of a name and place */
	OP_VEC(struct op_v8_nested) nested;
	bool has_self[OP_V8_NR_SELF]; /* some nested node has */
	struct op_id_vec samples;     /* rows of calls */
	OP_VEC(struct op_v8_hits) hits;
	OP_VEC(int64_t) deltas; /* ns */
	int64_t start_ns, end_ns;
	bool has_nodes, has_start, has_end;
	uint64_t nr_missing; /* samples whose node is not there */
};

/* Reports samples whose node is not there. */
void op_v8_note(const struct op_v8 *v, const struct op_read_opts *opts);

/* A file of V8's that becomes a model; it stays where it is. */
struct op_v8_file {
	struct op_err *err;
	struct op_model m;
	struct op_builder b;
	struct op_arena mem;
	struct op_v8 v8;
};

void op_v8_open(struct op_v8_file *f, const struct op_read_opts *opts,
		struct op_err *err);

/* Hands the model to fn, if nothing has failed. */
int op_v8_close(struct op_v8_file *f, const struct op_read_opts *opts,
		op_model_fn *fn, void *ctx);

/* v stays where it is from here on. Everything is in the arena. */
void op_v8_init(struct op_v8 *v, struct op_builder *b, struct op_arena *mem);

/* Takes the value of a member; false if it is of none of these keys, and then
 * the reader stands where it stood. */
bool op_v8_member(struct op_v8 *v, struct op_json_text key,
		  struct op_json_in *in);

/* A call frame, and one of which nothing is known. */
extern const struct op_v8_frame op_v8_no_frame;
struct op_v8_frame op_v8_frame_take(struct op_v8 *v, struct op_json_in *in);

/* Takes a node and all that are inside of it. */
void op_v8_nested_take(struct op_v8 *v, struct op_json_in *in);

/* Once the whole text was read: finds the stacks of the nested nodes, and lets
 * samples find them by their ids. */
void op_v8_nested_end(struct op_v8 *v);

/* A sample that was read. */
struct op_v8_sample {
	uint32_t node;	 /* of the stack tree; 0: the root */
	bool is_missing; /* its node is not there; node is 0 */
	int64_t time_ns;
	int64_t length_ns;
};

typedef void op_v8_fn(void *ctx, struct op_v8_sample s);

/* Calls fn for each sample in order of time. On failure where in the text the
 * reason is goes into the error; base is its start. */
void op_v8_emit(struct op_v8 *v, const uint8_t *base, op_v8_fn *fn, void *ctx);

/* The node of the stack tree that a row of calls is; 0 after a failure. */
uint32_t op_v8_node(struct op_v8 *v, const uint8_t *base, uint32_t row);

#endif
