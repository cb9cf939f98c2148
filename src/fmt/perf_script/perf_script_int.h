// SPDX-License-Identifier: Apache-2.0
/* fmt/perf_script/perf_script_int.h: between the files of the reader. */
#ifndef OP_FMT_PERF_SCRIPT_PERF_SCRIPT_INT_H
#define OP_FMT_PERF_SCRIPT_PERF_SCRIPT_INT_H

#include "base/intern.h"
#include "base/vec.h"
#include "fmt/format.h"
#include "fmt/perf_script/line.h"
#include "model/builder.h"

struct op_script_event {
	struct op_view name;
	uint32_t profile, weights; /* OP_NO_ID: none */
	uint64_t first_period;
	bool is_timed, is_wanted;
};

/* A text that became a row. */
struct op_script_text {
	struct op_view v;
	uint32_t id;
};

struct op_script_texts {
	struct op_intern index;
	OP_VEC(struct op_script_text) rows;
};

struct op_script {
	struct op_builder b;
	struct op_err *err;
	struct op_arena mem;
	const struct op_read_opts *opts;
	const char *thread;
	uint32_t scope;
	OP_VEC(struct op_script_event) events;
	struct op_script_texts frames, threads;

	bool in_sample;
	bool has_own_frame; /* from behind the event */
	struct op_script_head head;
	struct op_id_vec stack;
	OP_VEC(struct op_line) lines; /* of calls that are inlined */
	uint64_t first_ns, last_ns;
	uint64_t nr_samples;
	uint64_t nr_blank;   /* lines, since the last that is not */
	uint64_t nr_skipped; /* lines */
	uint64_t nr_odd;     /* samples with unknown fields */
};

int op_script_read(struct op_view in, const struct op_read_opts *opts,
		   op_model_fn *fn, void *ctx, struct op_err *err);

/* A frame of the sample; text is all that its lines say. */
void op_script_frame_add(struct op_script *s, const struct op_script_frame *f,
			 struct op_view text, struct op_view file, int64_t nr);

/* s->in_sample says whether the sample is wanted. */
void op_script_sample_begin(struct op_script *s,
			    const struct op_script_head *h);
void op_script_sample_end(struct op_script *s);

/* Periods and times of the profiles. */
void op_script_profiles_end(struct op_script *s);

#endif
