// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/header.h: the head of a file: events, features; the same from a
 * pipe. */
#ifndef OP_FMT_PERF_HEADER_H
#define OP_FMT_PERF_HEADER_H

#include "base/intern.h"
#include "base/vec.h"
#include "model/model.h"
#include "fmt/perf/record.h"

/* A build id that the file knows by the name of what has it. */
struct op_perf_named_id {
	struct op_view name;
	uint8_t id_len;
	uint8_t id[20];
};

/* What a file says before its records. */
struct op_perf_head {
	struct op_intern id_index;
	OP_VEC(struct op_perf_named_id) build_ids;
	struct op_view tracing;
	struct op_view arch;
	OP_VEC(struct op_kv) facts; /* attributes of the resource */
};

struct op_perf;
struct op_host_binary;

/* Whether it begins as a file or a pipe of perf does. */
bool op_perf_has_magic(struct op_view in);
int op_perf_header_read(struct op_perf *f);
struct op_view op_perf_string(const struct op_perf *f, struct op_view v,
			      size_t *at);
void op_perf_feature(struct op_perf *f, unsigned int bit, struct op_view v);
void op_perf_update(struct op_perf *f, const struct op_perf_record *r);
void op_perf_build_ids(struct op_perf *f, struct op_view v);
/* Gives a file its build id, if the recording knows one by that name. */
bool op_perf_build_id_named(const struct op_perf *f, struct op_view name,
			    struct op_host_binary *out);
/* How many bytes follow a record that are not in its size. */
uint64_t op_perf_trailing_bytes(const struct op_perf *f,
				const struct op_perf_record *r);

#endif
