// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/metadata.h: a chunk's own description of its types. */
#ifndef OP_FMT_JFR_METADATA_H
#define OP_FMT_JFR_METADATA_H

#include "base/view.h"
#include "fmt/jfr/constant_pool.h"

enum op_jfr_kind {
	OP_JFR_BYTE,  /* boolean, byte */
	OP_JFR_SHORT, /* short, char */
	OP_JFR_INT,
	OP_JFR_LONG,
	OP_JFR_FLOAT,
	OP_JFR_DOUBLE,
	OP_JFR_STRING,
	OP_JFR_STRUCT,
	OP_JFR_REF, /* an id of a pool */
};

enum op_jfr_unit {
	OP_JFR_PLAIN,
	OP_JFR_TICKS,
	OP_JFR_NANOS,
	OP_JFR_MILLIS,
};

struct op_jfr_field {
	struct op_view name;
	uint64_t type_id;
	uint32_t type;	       /* index; OP_NO_ID: not described */
	enum op_jfr_kind kind; /* how it is written */
	enum op_jfr_unit unit;
	bool is_array;
	bool is_ref;
	bool is_bool;
	bool is_packed; /* one number of varying length */
};

struct op_jfr_plan;

struct op_jfr_type {
	uint64_t id;
	struct op_view name;
	enum op_jfr_kind kind;
	bool is_event, is_simple;
	bool is_numbers; /* its values are nr_fields packed numbers */
	bool is_empty;	 /* its values were seen to take no bytes */
	uint32_t first_field, nr_fields;
	struct op_jfr_pool pool;
	struct op_jfr_plan *plan;     /* of an event that is wanted */
	uint64_t nr_events, nr_bytes; /* where they are counted */
};

int op_jfr_metadata_read(struct op_jfr_chunk *c, uint64_t at);
uint32_t op_jfr_type_of(const struct op_jfr_chunk *c, uint64_t id);
uint32_t op_jfr_type_named(const struct op_jfr_chunk *c, const char *name);
/* A field of a type by name; NULL if it has none. */
const struct op_jfr_field *op_jfr_field_named(const struct op_jfr_chunk *c,
					      const struct op_jfr_type *t,
					      const char *name);

#endif
