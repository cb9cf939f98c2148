// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/tracks.h: a profile as viewers show it: by thread, in order of
 * time.
 *
 * A track is what one thread did, as spans that do not overlap. A span is
 * as long as its value says (model/time_value.h; where that is no time, 1 is a
 * nanosecond), so that the lengths of all add up to the total:
 *
 *	intervals           where they are; those that overlap others of
 *	                    their thread are in further lanes
 *	points in time      from their time on, or from the end of the span
 *	                    before, if that is later
 *	without times       one behind the other, from 0 on
 */
#ifndef OP_FMT_VIEWER_TRACKS_H
#define OP_FMT_VIEWER_TRACKS_H

#include "base/intern.h"
#include "base/vec.h"
#include "model/model.h"

struct op_span {
	uint64_t from, to;
	uint32_t stack;
	uint32_t order; /* in the profile */
};

struct op_track {
	const struct op_attr *id, *name; /* of the thread; NULL: unknown */
	uint32_t lane;			 /* 0: the first */
	OP_VEC(struct op_span) spans;
};

struct op_tracks {
	struct op_arena mem;
	OP_VEC(struct op_track) rows;
	bool is_timed;	   /* it has times */
	uint64_t value_ns; /* length of a value of 1; 0: values are no time */
	uint64_t first;	   /* least time of all; UINT64_MAX: there is none */
	uint64_t nr_lost;  /* observations with values below 0 */
};

/* Makes the tracks of a profile. On failure too op_tracks_fini() is due. */
int op_tracks_init(struct op_tracks *t, const struct op_model *m,
		   const struct op_walk *w, struct op_err *err);
void op_tracks_fini(struct op_tracks *t);

/* Times so late that a double cannot tell nanoseconds apart are written from
 * a base on: the least of all, in a model with such, else 0. */
uint64_t op_tracks_base(const struct op_model *m);

/* The id of a thread if it is a number, or a text that is one. */
bool op_track_id(const struct op_model *m, const struct op_track *t,
		 int64_t *out);

/* Its name; empty if it has none. */
struct op_view op_track_name(const struct op_model *m,
			     const struct op_track *t);

#endif
