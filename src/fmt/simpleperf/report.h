// SPDX-License-Identifier: Apache-2.0
/* fmt/simpleperf/report.h: what `simpleperf report-sample --protobuf` writes.
 *
 *	offset  size  what
 *	     0    10  "SIMPLEPERF"
 *	    10     2  version, 1
 *	    12     4  size of a record; 0: there are no more
 *	    16  size  the record, a protobuf message, and so on
 *
 * All numbers are little-endian. A record has one field, which says what it
 * is: 1 sample, 2 lost, 3 file, 4 thread, 5 meta info, 6 context switch.
 * Samples refer to files and threads, which come at the end.
 */
#ifndef OP_FMT_SIMPLEPERF_REPORT_H
#define OP_FMT_SIMPLEPERF_REPORT_H

#include "base/vec.h"
#include "pb/read.h"

#define OP_SIMPLEPERF_MAGIC "SIMPLEPERF"

enum op_simpleperf_kind {
	OP_SIMPLEPERF_OTHER,
	OP_SIMPLEPERF_SAMPLE,
	OP_SIMPLEPERF_LOST,
	OP_SIMPLEPERF_FILE,
	OP_SIMPLEPERF_THREAD,
	OP_SIMPLEPERF_META,
	OP_SIMPLEPERF_SWITCH,
	OP_SIMPLEPERF_NR_KINDS
};

struct op_simpleperf_record {
	enum op_simpleperf_kind kind;
	const uint8_t *file;  /* its first byte */
	struct op_view bytes; /* of the message in it */
	size_t at, size;      /* of the whole, with its size in front */
};

/* The next record behind the byte at, which is moved on; false behind the last
 * and if there is no whole one, which is an error. A record that is broken is
 * an error too, but *at is behind it. */
bool op_simpleperf_next(struct op_view in, size_t *at,
			struct op_simpleperf_record *out, struct op_err *err);

/* Checks what stands before the first record; where that is. */
size_t op_simpleperf_start(struct op_view in, struct op_err *err);

enum { OP_SIMPLEPERF_NATIVE, OP_SIMPLEPERF_INTERPRETED, OP_SIMPLEPERF_JIT };

struct op_simpleperf_call {
	uint64_t address; /* in the file */
	uint32_t file;
	int32_t symbol; /* of the file; below 0: unknown */
	uint32_t type;	/* one of the above; others are native too */
};

struct op_simpleperf_sample {
	uint64_t time_ns, count;
	int32_t thread;
	uint32_t event;
	uint32_t unwind_error;			 /* 0: none */
	OP_VEC(struct op_simpleperf_call) calls; /* leaf first */
};

struct op_simpleperf_file {
	uint32_t id;
	struct op_view path;
	OP_VEC(struct op_view) symbols, mangled;
};

struct op_simpleperf_thread {
	uint32_t id, process;
	struct op_view name;
};

struct op_simpleperf_meta {
	OP_VEC(struct op_view) events;
	struct op_view package, app_type, sdk_version, build_type;
	bool has_offcpu, is_offcpu;
};

struct op_simpleperf_lost {
	uint64_t samples, lost;
};

/* The messages. Lists are in the arena, and what they held before is gone.
 * Offsets in errors are those of the record. */
void op_simpleperf_sample(const struct op_simpleperf_record *r,
			  struct op_arena *mem,
			  struct op_simpleperf_sample *out, struct op_err *err);
void op_simpleperf_file(const struct op_simpleperf_record *r,
			struct op_arena *mem, struct op_simpleperf_file *out,
			struct op_err *err);
void op_simpleperf_thread(const struct op_simpleperf_record *r,
			  struct op_simpleperf_thread *out, struct op_err *err);
void op_simpleperf_meta(const struct op_simpleperf_record *r,
			struct op_arena *mem, struct op_simpleperf_meta *out,
			struct op_err *err);
void op_simpleperf_lost(const struct op_simpleperf_record *r,
			struct op_simpleperf_lost *out, struct op_err *err);

#endif
