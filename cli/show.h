// SPDX-License-Identifier: Apache-2.0
/* cli/show.h: the views of `otprof show`. */
#ifndef OP_CLI_SHOW_H
#define OP_CLI_SHOW_H

#include "base/number.h"
#include "job.h"
#include "pb/json_write.h"

/* Number of records of a kind in the file, for formats that have kinds. */
struct show_record {
	struct op_view kind;
	uint64_t count, bytes;
};

struct show {
	struct job job;
	uint64_t top; /* UINT64_MAX: not set */
	bool tree;
	bool raw;
	bool payload;
	bool json;
	const char *types; /* NULL: all */

	const char *file;
	const struct op_input *in;
	const struct op_model *m;
	struct op_buf out;
	OP_VEC(struct show_record) records; /* in the job's memory */
	struct op_err *err;
};

/* Whether --type selects a profile. The others stay in the model, so that
 * profiles keep their numbers. */
bool show_selects(const struct show *s, const struct op_profile *p);

void show_summary(struct show *s);
void show_summary_json(struct show *s);
void show_raw(struct show *s);
/* --top and --tree. */
void show_flame(struct show *s);

/* text.c: parts of lines. */
void text_word(struct op_buf *out, struct op_view v);
/* A name on one line: without control characters and invalid UTF-8. */
void text_name(struct op_buf *out, struct op_view v);

/* Cuts what stands in out since at to so many columns, with a mark. */
void text_cut(struct op_buf *out, size_t at, uint32_t columns);

/* Breaks what stands in out since at, a line, behind commas if it is too long
 * for the terminal. */
void text_wrap(struct op_buf *out, size_t at);
void text_any(struct op_buf *out, const struct op_model *m,
	      const struct op_any *v);
void text_time(struct op_buf *out, uint64_t ns);
void text_duration(struct op_buf *out, uint64_t ns);
/* A value with thousands separators. */
void text_number(struct op_buf *out, int64_t v);

#endif
