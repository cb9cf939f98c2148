// SPDX-License-Identifier: Apache-2.0
/* model/filter.h: selects a part of a model.
 *
 * Profiles are selected by type, samples by the frames of their stacks,
 * observations by time. The result is normal (merge.h); without any option it
 * is what op_normalise() returns.
 *
 *  - Profiles of other types are dropped, and then scopes and resources
 *    without profiles. A profile of a selected type is kept even without
 *    samples.
 *  - With a time range, observations inside it are kept, and of intervals
 *    (interval.h) the part inside it; the time range of the profile becomes
 *    the overlap. Samples without timestamps cannot be cut: they are kept
 *    whole if the time range of their profile overlaps or is unknown, and
 *    dropped otherwise. A profile entirely outside the range is dropped.
 *  - A profile that lost or changed anything has another content: it loses its
 *    id and its original payload.
 */
#ifndef OP_MODEL_FILTER_H
#define OP_MODEL_FILTER_H

#include "model/frame_edit.h"
#include "model/interval.h"
#include "model/where.h"

/* All zero selects everything. */
struct op_filter_opts {
	const char *types;	   /* see op_type_selected() */
	const char *focus;	   /* regex: keep stacks with such a frame */
	const char *ignore;	   /* regex: drop stacks with such a frame */
	struct op_frame_edit edit; /* show_from drops other stacks too */
	/* Conditions on samples; NULL: none. A profile without a matching
	 * sample is dropped. */
	const struct op_where *where;
	struct op_range range; /* to 0: no range */
	/* One value per sample instead of observations with timestamps: their
	 * sum, for gauges the last. A sum of events is not cumulative: it loses
	 * OP_ATTR_TEMPORALITY. */
	bool aggregate;
	bool drop_payloads;
	bool drop_zeros; /* drop samples whose values add up to 0 */
	/* Receives one diagnostic message, without a period, about what could
	 * not be cut. */
	void (*note)(void *ctx, const char *text);
	void *ctx;
};

/* out must be empty except for its quota; on failure the caller must free it.
 * OP_EUSAGE: no profile has these types, or a pattern is invalid. */
int op_filter(const struct op_model *in, const struct op_filter_opts *opts,
	      struct op_model *out, struct op_err *err);

/* The time from the start of the earliest profile to the end of the latest; for
 * profiles without a duration, that of their observations. False: unknown. */
bool op_model_span(const struct op_model *m, struct op_range *out);

#endif
