// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/event_filter.h: which events the options select, and whether they are
 * there. */
#ifndef OP_FMT_JFR_EVENT_FILTER_H
#define OP_FMT_JFR_EVENT_FILTER_H

#include "fmt/source.h"
#include "fmt/jfr/options.h"

struct op_jfr;
struct op_jfr_chunk;

/* Whether some event types were asked for; and this one, or all. */
bool op_jfr_has_event_filter(const struct op_jfr_opts *o);
bool op_jfr_event_wanted(const struct op_jfr_opts *o, struct op_view name,
			 const char *kind);
bool op_jfr_state_wanted(const struct op_jfr_opts *o, const char *ours,
			 struct op_view theirs);
/* Notes the name of an event type, the states of a chunk; and at the end fails
 * if an option names one that was never met, or if no event is of those that
 * were asked for. */
void op_jfr_event_seen(struct op_jfr *j, struct op_view name);
void op_jfr_states_seen(struct op_jfr_chunk *c);
int op_jfr_filter_check(struct op_jfr *j, const struct op_source *file);

#endif
