// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/write_int.h: between the files that write.
 *
 *	write.c         profiles, messages, attributes that all records have
 *	write_text.c    a record for each observation
 *	write_pprof.c   a record for many
 */
#ifndef OP_FMT_SPLUNK_WRITE_INT_H
#define OP_FMT_SPLUNK_WRITE_INT_H

#include "base/vec.h"
#include "fmt/splunk/splunk_int.h"

/* What is lost of a model, a bit each. */
enum op_splunk_loss {
	OP_SPLUNK_LOSS_ADDRESS = 1,
	OP_SPLUNK_LOSS_INLINED = 2,
	OP_SPLUNK_LOSS_FUNCTION = 4,
	OP_SPLUNK_LOSS_NAME = 8,
	OP_SPLUNK_LOSS_UNIT = 16,
	OP_SPLUNK_LOSS_KEY = 32,
	OP_SPLUNK_LOSS_PAYLOAD = 64,
	OP_SPLUNK_LOSS_ATTRS = 128,
};

/* What it has that only otprof will read again. */
enum op_splunk_told {
	OP_SPLUNK_TOLD_TYPE = 1,
	OP_SPLUNK_TOLD_VALUE = 2,
	OP_SPLUNK_TOLD_PERIOD = 4,
};

enum op_splunk_data {
	OP_SPLUNK_DATA_CPU,
	OP_SPLUNK_DATA_ALLOCATION,
	OP_SPLUNK_DATA_OTHER,
};

struct op_splunk_writer {
	const struct op_model *m;
	struct op_err *err;
	struct op_sink *out;
	bool is_json, is_pprof;
	enum op_splunk_frames frames;
	unsigned int lost, told;

	const struct op_resource *ranked; /* of which best_rank is */
	unsigned int best_rank;

	/* Of the profile at hand. */
	struct op_walk walk;
	enum op_splunk_data data;
	struct op_kvs scope_attrs;
	struct op_kv common[8]; /* attributes of each of its records */
	uint32_t nr_common;
	int64_t period_ms;    /* 0: none */
	struct op_view event; /* empty: none */

	/* The message that is not written yet. */
	struct op_arena mem;
	OP_VEC(struct op_log_resource) resources;
	OP_VEC(struct op_log_scope) scopes; /* of all of them */
	OP_VEC(struct op_log) records;	    /* of the profile at hand */
	uint32_t last_r;		    /* of the last resource */
	size_t bytes;			    /* about as many as it will be */
	uint64_t nr_messages;

	/* Of the text form: lines by location and by set. */
	struct op_arena lines_mem;
	struct op_view *frame_lines, *thread_lines;
	struct op_kvs *set_attrs; /* those that the lines do not hold */
};

/* A record to be added: its body lives as long as w->mem. */
struct op_splunk_new {
	uint64_t time_ns;
	uint32_t link;
	struct op_view body;
	struct op_kvs attrs;  /* besides those that all have; copied */
	struct op_kv more[4]; /* the same */
	uint32_t nr_more;
};

/* May write what there is, and empty w->mem. */
void op_splunk_record_add(struct op_splunk_writer *w,
			  const struct op_splunk_new *rec);

/* Whether an attribute of a record has a meaning of its own. */
bool op_splunk_is_reserved(struct op_view key);

struct op_kv op_splunk_kv_text(const char *key, struct op_view v);
struct op_kv op_splunk_kv_int(const char *key, int64_t v);
struct op_kv op_splunk_kv_bool(const char *key, bool v);

/* Writes the records of the profile at hand. */
void op_splunk_text_write(struct op_splunk_writer *w);
void op_splunk_pprof_write(struct op_splunk_writer *w);

#endif
