// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/gperftools_int.h: between the files of the reader.
 *
 *	read.c             which of these a file is for
 *	read_cpu.c         binary CPU profiles, of C++ and of Java
 *	read_heap.c        text: heap, growth and fragmentation profiles
 *	read_contention.c  text: waiting for locks
 *	read_threads.c     text: where threads stand
 *	read_go.c          text: Go's counts, and its comments
 *	read_java.c        text: heap and contention profiles of Java
 *	text.c             lines and their parts
 *	maps.c             the memory map behind the samples
 *	model.c            samples and map into a model
 *
 * A reader fills struct op_gperf in the order of the file; the addresses of a
 * stack have their mapping only when the map behind the samples was read.
 */
#ifndef OP_FMT_GPERFTOOLS_GPERFTOOLS_INT_H
#define OP_FMT_GPERFTOOLS_GPERFTOOLS_INT_H

#include "base/intern.h"
#include "base/vec.h"
#include "fmt/format.h"

/* The label of the size of an allocation, as pprof has it. */
#define OP_GPERF_BLOCK_BYTES "bytes"

/* alloc and inuse, each as objects and bytes */
enum { OP_GPERF_TYPES = 4 };

struct op_gperf_type {
	struct op_view type, unit;
};

struct op_gperf_sample {
	size_t first; /* into the addresses, leaf first */
	uint32_t nr;
	int64_t values[OP_GPERF_TYPES];
	int64_t block_bytes; /* of an allocation; 0: none */
	struct op_kvs labels;
};

struct op_gperf_map {
	uint64_t start, limit, offset;
	struct op_view file, build_id;
	bool is_used, is_extended;
	uint32_t id; /* the builder's mapping */
};

/* A call at an address that the file itself names. */
struct op_gperf_name {
	uint64_t address;
	struct op_view function, file;
	int64_t line;
	bool is_doubtful; /* the file has another name for it too */
};

/* Which functions pprof leaves out of stacks once they have names. */
enum op_gperf_drop {
	OP_GPERF_DROP_PROFILER,
	OP_GPERF_DROP_ALLOCATOR,
	OP_GPERF_DROP_LOCK,
};

struct op_gperf {
	struct op_err *err;
	const struct op_read_opts *opts;
	struct op_arena mem;
	struct op_view in;

	struct op_gperf_type types[OP_GPERF_TYPES]; /* as pprof has them */
	uint32_t nr_types;
	struct op_gperf_type period_type;
	int64_t period;
	uint64_t duration_ns;
	enum op_gperf_drop drop;

	OP_VEC(uint64_t) addresses;
	OP_VEC(struct op_gperf_sample) samples;
	OP_VEC(struct op_gperf_map) maps;
	OP_VEC(struct op_gperf_name) names; /* those of one address in a row */
	struct op_intern name_index;	    /* the first row of an address */
	OP_VEC(struct op_gperf_name) comments; /* Go's, of one address so far */
	bool is_java;	     /* addresses are only keys of names */
	uint64_t nr_unknown; /* lines that were skipped */
	struct op_gperf_sample nowhere;
};

/* Fails at a line, or a part of one. */
void op_gperf_bad(struct op_gperf *g, struct op_view at, const char *what);

void op_gperf_type_add(struct op_gperf *g, const char *type, const char *unit);

/* Adds a sample; after a failure, one that goes nowhere. */
struct op_gperf_sample *op_gperf_sample_add(struct op_gperf *g);

/* Adds an address to the sample that was added last. */
void op_gperf_address_add(struct op_gperf *g, uint64_t address);

/* Takes the second address out of a sample. */
void op_gperf_drop_second(struct op_gperf *g, struct op_gperf_sample *s);

/* Takes out second addresses that repeat the first: a signal handler finds
 * the leaf in the context and on the stack. Callers are return addresses less
 * 1 by then. */
void op_gperf_drop_repeated(struct op_gperf *g);

/* --- text (text.c) --- */

/* Takes the next line off a text, without blanks at its ends. */
bool op_gperf_line(struct op_view *text, struct op_view *line);
struct op_view op_gperf_trim(struct op_view v);
/* A line that holds nothing, or a comment. */
bool op_gperf_is_idle(struct op_view line);
bool op_gperf_begins(struct op_view v, const char *text);
/* Where the memory map begins. */
bool op_gperf_is_map_head(struct op_view line);
/* Where any other section begins. */
bool op_gperf_ends_samples(struct op_view line);

/* Each takes off a view what it says, and blanks before it. */
bool op_gperf_take(struct op_view *v, const char *text);
bool op_gperf_take_int(struct op_view *v, int64_t *out);
bool op_gperf_take_hex(struct op_view *v, uint64_t *out);
struct op_view op_gperf_take_word(struct op_view *v);

/* "key = value"; false if it is no such line. */
bool op_gperf_assignment(struct op_view line, struct op_view *key,
			 struct op_view *value);

/* The addresses up to the end of a line, of the sample added last; each less
 * what is given. */
void op_gperf_take_stack(struct op_gperf *g, struct op_view v,
			 unsigned int less);

/* Values of a heap sample as they were before sampling at a rate. False if
 * they do not fit. */
bool op_gperf_unsample(int64_t *count, int64_t *bytes, int64_t rate);

/* --- kinds --- */

/* Whether the bytes begin with the header of a CPU profile, and a record that
 * fits behind it. */
bool op_gperf_is_cpu(struct op_view in);
void op_gperf_read_cpu(struct op_gperf *g);

bool op_gperf_is_heap(struct op_view line);
void op_gperf_read_heap(struct op_gperf *g, struct op_view text);

bool op_gperf_is_contention(struct op_view line);
void op_gperf_read_contention(struct op_gperf *g, struct op_view text);

bool op_gperf_is_threads(struct op_view line);
void op_gperf_read_threads(struct op_gperf *g, struct op_view text);

bool op_gperf_is_count(struct op_view text);
void op_gperf_read_count(struct op_gperf *g, struct op_view text);

/* A comment that may say more of the last sample. */
void op_gperf_comment(struct op_gperf *g, struct op_view line);
/* Before the next sample, and at the end. */
void op_gperf_comments_end(struct op_gperf *g);

bool op_gperf_is_java(struct op_view text);
void op_gperf_read_java(struct op_gperf *g, struct op_view text);
/* The names behind the samples. */
void op_gperf_read_java_names(struct op_gperf *g, struct op_view text);

/* --- the rest --- */

/* Passes other sections up to the head of the memory map, which may be this
 * line, and reads that. */
void op_gperf_read_sections(struct op_gperf *g, struct op_view line,
			    struct op_view text);
void op_gperf_read_maps(struct op_gperf *g, struct op_view text);

/* Adds what is known of an address: the call, and the calls that it was inlined
 * into. If there are others already they stay, unless they differ: then the
 * address has no name. */
void op_gperf_name_add(struct op_gperf *g, const struct op_gperf_name *rows,
		       uint32_t nr);

/* Fills an empty model. */
void op_gperf_build(struct op_gperf *g, struct op_model *m);

/* --- read.c --- */

/* Whether a file begins like one of the text profiles. */
bool op_gperf_is_text(struct op_view in);

int op_gperf_read(struct op_view in, const struct op_read_opts *opts,
		  op_model_fn *fn, void *ctx, struct op_err *err);

#endif
