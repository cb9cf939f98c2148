// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/metadata.h: what the model said, in a corner of a viewer's file.
 *
 * Viewers' formats have no place for sample types, resources and attributes.
 * So there is an object beside what the viewer reads, which it passes over:
 *
 *	{ "profile": 0, "type": "samples", "unit": "count", "timed": true,
 *	  "value_ns": 10000000, "time_base_ns": "1700000000000000000",
 *	  "resource": { key: value }, "attributes": { key: value },
 *	  "thread": { "id": 7, "name": "main" } }
 *
 * value_ns is there for counts that are written as time: how long 1 is.
 *
 * Values are text, whole numbers and truths; others are left out.
 */
#ifndef OP_FMT_VIEWER_METADATA_H
#define OP_FMT_VIEWER_METADATA_H

#include "pb/json_extract.h"
#include "fmt/viewer/tracks.h"
#include "model/builder.h"
#include "pb/json_write.h"

struct op_metadata {
	uint32_t profile; /* those of the same number are one */
	struct op_view type, unit;
	bool is_timed;
	int64_t value_ns; /* how long a value of 1 is, at least 1 */
	int64_t base_ns;  /* to be added to all times */
	struct op_kvs resource, attrs;
	struct op_kvs thread; /* see op_metadata_thread(); empty: not told */
};

/* Members of an object with plain values, in the arena. */
struct op_kvs op_metadata_values(struct op_json_in *in, struct op_arena *mem);

/* The object above. */
struct op_metadata op_metadata_read(struct op_json_in *in,
				    struct op_arena *mem);

/* The value that is shown as this long. */
int64_t op_metadata_value(const struct op_metadata *t, int64_t ns);

/* The set of attributes. */
uint32_t op_metadata_set(struct op_builder *b, struct op_kvs attrs);

/* The same of a thread: of members "id" and "name" its attributes. */
uint32_t op_metadata_thread(struct op_builder *b, struct op_kvs thread);

struct op_telling {
	uint32_t profile;
	bool is_timed;
	uint64_t value_ns; /* of the tracks */
	uint64_t base_ns;  /* 0: it is not written */
};

/* Writes the members, but not the braces. */
void op_metadata_write(struct op_json *j, const struct op_model *m,
		       const struct op_walk *w, struct op_telling how);

/* Writes the object of a thread; its attributes may be NULL. */
void op_metadata_write_thread(struct op_json *j, const struct op_model *m,
			      const struct op_attr *id,
			      const struct op_attr *name);

/* Writes a member "otprof" with all of it, of the thread of a track. */
void op_metadata_write_track(struct op_json *j, const struct op_model *m,
			     const struct op_walk *w, struct op_telling how,
			     const struct op_track *t);

#endif
