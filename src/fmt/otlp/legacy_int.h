// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/legacy_int.h: between legacy.c (profiles and samples) and
 * legacy_tables.c (what they refer to). */
#ifndef OP_FMT_OTLP_LEGACY_INT_H
#define OP_FMT_OTLP_LEGACY_INT_H

#include "fmt/otlp/decode.h"
#include "model/builder.h"

/* The raw tables; OP_LEGACY_UNITS has no counterpart in enum op_table. */
enum { OP_LEGACY_UNITS = OP_STACKS };

struct op_legacy_table {
	OP_VEC(struct op_view) rows;
	OP_VEC(uint32_t) ids; /* of the builder; OP_NO_ID: not asked for yet */
};

/* Where a dialect keeps what. Field 0: it has none. */
struct op_legacy_layout {
	uint8_t table[OP_NR_TABLES]; /* fields of the message with the tables */
	uint8_t locations, time, duration, period_type, period, comments,
		default_string, default_index, id, attributes, dropped, format,
		payload, attribute_ids;
};

/* A row of the units: two strings. */
struct op_legacy_unit {
	uint64_t key, unit;
};

struct op_legacy {
	struct op_dec d; /* for the messages shared with decode.c */
	struct op_builder b;
	const struct op_legacy_layout *layout;
	struct op_legacy_table tables[OP_NR_TABLES];
	OP_VEC(struct op_legacy_unit) units;
	struct op_intern unit_index; /* by key */
	size_t nr_units_read;	     /* rows of the units that are in it */
	struct op_legacy_profile *profile; /* the one being read; used again */
	uint64_t frames_left;		   /* that slices may still come to */
	uint64_t nr_cut;		   /* slices that counted one more */
	bool no_data;			   /* a sample had no value, no time */
};

/* Forgets all rows; notes those of a message by the layout's field numbers. */
void op_legacy_tables_clear(struct op_legacy *l);
void op_legacy_tables_add(struct op_legacy *l, struct op_cur c);

/* The builder's id of a row; what is past its table fails at the byte at. */
uint32_t op_legacy_string(struct op_legacy *l, struct op_cur *c,
			  const struct op_pb_field *f);
uint32_t op_legacy_location(struct op_legacy *l, struct op_cur *c,
			    const uint8_t *at, uint64_t i);
uint32_t op_legacy_link(struct op_legacy *l, struct op_cur *c,
			const uint8_t *at, uint64_t i);

/* String i; empty if there is none. */
struct op_view op_legacy_string_at(const struct op_legacy *l, uint64_t i);

/* The builder's attribute of a KeyValue message. */
uint32_t op_legacy_attr(struct op_legacy *l, struct op_cur kv);

/* Appends the builder's ids of a run of attribute indexes. */
void op_legacy_attrs_add(struct op_legacy *l, struct op_cur run,
			 struct op_id_vec *out);

/* The set of the ids in the list, which is emptied. */
uint32_t op_legacy_set(struct op_legacy *l, struct op_id_vec *ids);

#endif
