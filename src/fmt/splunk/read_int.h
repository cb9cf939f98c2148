// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/read_int.h: between the files that read.
 *
 *	read_file.c    messages of a file
 *	read.c         resources, scopes, profiles, attributes of records
 *	read_text.c    bodies that are a call stack
 *	read_pprof.c   bodies that are a pprof file
 */
#ifndef OP_FMT_SPLUNK_READ_INT_H
#define OP_FMT_SPLUNK_READ_INT_H

#include "fmt/splunk/splunk_int.h"
#include "model/builder.h"

/* Bytes that became something. */
struct op_splunk_row {
	struct op_view key;
	uint32_t under; /* what else tells it from others */
	uint32_t id;
};

struct op_splunk_rows {
	struct op_intern index;
	OP_VEC(struct op_splunk_row) v;
};

/* What the profile of an observation is; ids are the builder's. */
struct op_splunk_kind {
	struct op_value_type sample_type, period_type;
	int64_t period;
	struct op_view event;
	uint32_t attrs; /* set, besides the event and the source */
};

/* An observation, but for its profile. */
struct op_splunk_seen {
	struct op_identity id;
	int64_t value;
	uint64_t time_ns; /* 0: none */
};

/* A record, its attributes sorted out. */
struct op_splunk_record {
	const struct op_log *log;
	bool is_profile;
	bool has_value, has_allocated, is_untimed;
	int64_t value, allocated, period_ms;
	struct op_view data_type, format, event, source;
};

struct op_splunk_profile;

struct op_splunk_reader {
	struct op_builder b;
	struct op_err *err;
	struct op_arena mem;  /* for as long as the reader */
	struct op_arena once; /* for as long as a message */
	const struct op_read_opts *opts;
	struct op_view msg; /* at hand */
	bool has_frames;    /* a setting says which */
	enum op_splunk_frames frames;

	struct op_splunk_rows resources, scopes;
	struct op_intern profile_index;
	OP_VEC(struct op_splunk_profile *) profiles;

	/* The resource, scope and record at hand. */
	uint32_t resource_id, scope_id;
	struct op_splunk_head head;
	struct op_splunk_profile *of_head; /* NULL: not found yet */
	struct op_splunk_record rec;
	struct op_id_vec attrs; /* of the record that are not known */

	/* Lines of this message that became locations or sets. */
	struct op_splunk_rows frame_lines, thread_lines;
	struct op_id_vec stack;

	uint64_t nr_unpacked; /* bytes of all bodies */
	uint64_t nr_others, nr_odd, nr_remarks, nr_ranges;
};

int op_splunk_reader_init(struct op_splunk_reader *r, struct op_model *m,
			  const struct op_read_opts *opts, struct op_err *err);

/* Adds all profiles in a message; the reader has no views of it afterwards. */
int op_splunk_message(struct op_splunk_reader *r, struct op_view msg);

/* Ends it, also after a failure; tells what was left out. */
int op_splunk_reader_finish(struct op_splunk_reader *r);

/* What this key became; OP_NO_ID: nothing yet. */
uint32_t op_splunk_row_find(const struct op_splunk_rows *rows,
			    struct op_view key, uint32_t under);

/* The key is not copied. */
void op_splunk_row_add(struct op_splunk_rows *rows, struct op_arena *mem,
		       struct op_splunk_row row);

uint32_t op_splunk_attr_text(struct op_splunk_reader *r, const char *key,
			     struct op_view v);

/* A set, and the attributes of the record that are not known. */
uint32_t op_splunk_set_with(struct op_splunk_reader *r, uint32_t set);

/* The kind of profile that the record at hand is of, as its attributes and its
 * scope say. */
struct op_splunk_kind op_splunk_kind_of(struct op_splunk_reader *r);

/* Adds an observation to the profile of this kind in the scope at hand. */
void op_splunk_observe(struct op_splunk_reader *r,
		       const struct op_splunk_kind *kind,
		       const struct op_splunk_seen *seen);

/* Makes the profile of this kind, if it is not there. */
void op_splunk_profile_make(struct op_splunk_reader *r,
			    const struct op_splunk_kind *kind);

/* The bodies of the record at hand. */
void op_splunk_text_read(struct op_splunk_reader *r, struct op_view body);
void op_splunk_pprof_read(struct op_splunk_reader *r, struct op_view body);

#endif
