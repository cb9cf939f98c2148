// SPDX-License-Identifier: Apache-2.0
/* model/filter.h: the part of a model that is asked for.
 *
 * Profiles are chosen by type, samples by the frames of their stacks,
 * observations by time. What is left is normal (merge.h); without any wish
 * it is what op_normalise() gives.
 *
 *  - A profile of another type goes, and with it a scope and a resource that
 *    have none left. One of the right type stays, also without samples.
 *  - With a range of time, observations are kept that lie in it or, if they
 *    last (interval.h), the part of them that does; the profile's own range
 *    becomes what overlaps. Samples without times cannot be cut: they stay
 *    whole if their profile's time overlaps or is not known, and go if not,
 *    and so does a profile that lies outside altogether.
 *  - A profile of which something was left out or changed has another
 *    content: it loses its id and its original payload.
 */
#ifndef OP_MODEL_FILTER_H
#define OP_MODEL_FILTER_H

#include "model/frame_edit.h"
#include "model/interval.h"
#include "model/where.h"

/* All zero asks for everything. */
struct op_filter_opts {
	const char *types;	   /* op_type_selected() */
	const char *focus;	   /* pattern: only stacks with such a frame */
	const char *ignore;	   /* pattern: no stacks with such a frame */
	struct op_frame_edit edit; /* show_from drops other stacks too */
	/* Conditions on samples; NULL: none. A profile of which no sample
	 * meets them goes. */
	const struct op_where *where;
	struct op_range range; /* to 0: no range */
	/* One value a sample in place of observations with times: their sum,
	 * of gauges the last, of running counters the last less the first.
	 * A difference no longer runs: it loses OP_ATTR_TEMPORALITY. */
	bool aggregate;
	bool drop_payloads;
	bool drop_zeros; /* samples whose values add up to 0 */
	/* Told, in a sentence without a period, what could not be cut. */
	void (*note)(void *ctx, const char *text);
	void *ctx;
};

/* out is empty but for its quota; on failure it is to be freed. OP_EUSAGE: no
 * profile is of these types, or a pattern is none. */
int op_filter(const struct op_model *in, const struct op_filter_opts *opts,
	      struct op_model *out, struct op_err *err);

/* The time from the start of the earliest profile to the end of the latest;
 * of profiles without a time that of their observations. False: not known. */
bool op_model_span(const struct op_model *m, struct op_range *out);

#endif
