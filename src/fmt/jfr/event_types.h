// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/event_types.h: the table of event types: which profiles they
 * become. */
#ifndef OP_FMT_JFR_EVENT_TYPES_H
#define OP_FMT_JFR_EVENT_TYPES_H

#include "base/view.h"

enum op_jfr_measure {
	OP_JFR_ONE, /* each event counts 1, or its weight */
	OP_JFR_DURATION,
	OP_JFR_FIELD,
	OP_JFR_FIELD_IF, /* not every recording has it */
};

/* A profile that an event type becomes. */
struct op_jfr_profile_row {
	const char *type, *unit;
	const char *period; /* type of the period; NULL: none */
	enum op_jfr_measure measure;
	const char *field; /* of OP_JFR_FIELD, times the weight if any */
};

struct op_jfr_event_row {
	const char *name;   /* NULL: of any other with a stack */
	const char *kind;   /* for --event */
	const char *weight; /* field; NULL: none */
	struct op_jfr_profile_row profiles[3];
};

/* Whether its profiles are one for each enum op_jfr_engine. */
op_inline bool op_jfr_is_by_engine(const struct op_jfr_event_row *r)
{
	return r->profiles[1].period;
}

/* What Datadog's own writer calls a profile. */
struct op_jfr_preset {
	const char *event, *type; /* type: ours */
	const char *name, *unit;
};

/* The kind of events that are not in the table. */
#define OP_JFR_OTHER "other"

/* What an event type of JDK 9 and 10 has been called since: their
 * "com.oracle.jdk.X" is "jdk.X". */
struct op_view op_jfr_current_name(struct op_view name);
/* The row of an event type; NULL: it becomes no profile. */
const struct op_jfr_event_row *op_jfr_event_row(struct op_view name);
bool op_jfr_is_kind(struct op_view word);
/* NULL: it keeps its names. */
const struct op_jfr_preset *op_jfr_preset(struct op_view event,
					  const char *type);

struct op_model;
/* Profiles of events that are not in the table, and never had a stack, go. */
void op_jfr_stackless_drop(struct op_model *m);

#endif
