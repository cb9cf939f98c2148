// SPDX-License-Identifier: Apache-2.0
/* fmt/pprof/write_int.h: between the files of the pprof writer.
 *
 *	write_rows.c    which profiles are which column of which sample
 *	write_names.c   what columns are called
 *	write_texts.c   strings, and attributes as labels
 *	write.c         the message
 */
#ifndef OP_FMT_PPROF_WRITE_INT_H
#define OP_FMT_PPROF_WRITE_INT_H

#include "base/intern.h"
#include "base/vec.h"
#include "fmt/format.h"
#include "fmt/pprof/fields.h"
#include "fmt/pprof/pprof.h"
#include "pb/write.h"

/* A profile of the model, and which of the samples' values it gives. */
struct op_pprof_source {
	const struct op_profile *profile;
	const struct op_scope *scope;
	uint32_t resource;
	uint32_t column;
	bool timed;
};

struct op_pprof_column {
	struct op_view type, unit;
	struct op_view event;  /* its type; empty: unknown */
	struct op_view period; /* type of what samples were taken by */
	uint32_t nth;	       /* of these in one scope, counted by shape */
	struct op_view name;   /* in the file, in place of the type */
	bool has_name;
};

/* A sample of the file. */
struct op_pprof_row {
	uint32_t stack, set, link, resource;
	uint64_t time_ns; /* 0: none */
};

struct op_pprof_writer {
	const struct op_model *m;
	struct op_err *err;
	struct op_arena mem;
	struct op_pbw *w;

	OP_VEC(struct op_pprof_source) sources;
	OP_VEC(struct op_pprof_column) columns;
	OP_VEC(struct op_pprof_row) rows;
	int64_t *values;  /* rows.n times columns.n */
	uint32_t *order;  /* which column comes i-th in the file */
	bool is_restored; /* the columns are those of a pprof file */
	bool by_resource; /* there are several: their attributes are labels */

	OP_VEC(struct op_view) strings; /* of the file */
	struct op_intern string_index;
	uint32_t *string_ids; /* by the model's; OP_NO_ID: not yet */
	uint32_t empty_text;  /* an empty string that is not number 0 */
	uint32_t time_key, time_unit;

	/* Labels as bytes, made when first needed. */
	struct op_view *set_labels, *link_labels, *resource_labels;

	bool *stacks, *locations, *functions, *mappings; /* in use */
	unsigned int lost; /* bits of enum op_pprof_loss */

	const struct op_pprof_part *part; /* NULL: all profiles */
	struct op_view part_labels;
	uint32_t ms_key;
};

/* What pprof has no place for. */
enum op_pprof_loss {
	OP_PPROF_LOSS_RESOURCE = 1,
	OP_PPROF_LOSS_SCOPE = 2,
	OP_PPROF_LOSS_PROFILE = 4,
	OP_PPROF_LOSS_LOCATION = 8,
	OP_PPROF_LOSS_MAPPING = 16,
	OP_PPROF_LOSS_TIME = 32, /* of states */
};

/* write_rows.c: fills sources, columns, rows, values and order. */
void op_pprof_rows_make(struct op_pprof_writer *w);

/* write_names.c: names the columns. */
void op_pprof_names_make(struct op_pprof_writer *w);

/* write_texts.c: the file's number of a string of the model, or of any text. */
uint32_t op_pprof_out_string(struct op_pprof_writer *w, uint32_t id);
uint32_t op_pprof_out_text(struct op_pprof_writer *w, struct op_view v);
/* Labels of a set, a link or a resource as they stand in a sample. */
struct op_view op_pprof_set_labels(struct op_pprof_writer *w, uint32_t set);
struct op_view op_pprof_link_labels(struct op_pprof_writer *w, uint32_t link);
struct op_view op_pprof_resource_labels(struct op_pprof_writer *w, uint32_t r);
/* Labels of these. */
struct op_view op_pprof_kvs_labels(struct op_pprof_writer *w,
				   struct op_kvs kvs);

#endif
