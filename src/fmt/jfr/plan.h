// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/plan.h: what each field of an event type is for, in this chunk. */
#ifndef OP_FMT_JFR_PLAN_H
#define OP_FMT_JFR_PLAN_H

#include "base/intern.h"
#include "base/vec.h"
#include "fmt/jfr/event_types.h"
#include "fmt/jfr/key_cache.h"
#include "fmt/jfr/metadata.h"
#include "fmt/jfr/packed_event.h"

struct op_jfr_chunk;

/* What a field of an event gives to its sample's identity: a word. */
enum op_jfr_role {
	OP_JFR_STACK,
	OP_JFR_THREAD,
	OP_JFR_STATE,
	OP_JFR_CLASS,
	OP_JFR_OTHER_THREAD,
	OP_JFR_METHOD,
	OP_JFR_ENUM,
	OP_JFR_TRUTH,
	OP_JFR_TEXT,
	OP_JFR_SMALL, /* a number of few values */
	OP_JFR_SPAN,  /* from here on they are parts of a link */
	OP_JFR_ROOT_SPAN,
	OP_JFR_CONTEXT,
	OP_JFR_TRACE,
	OP_JFR_TRACE_HIGH,
	OP_JFR_TIMED, /* no field: whether it waited with a timeout */
};

/* Datadog's agent adds ten fields of the user's to those it has. */
enum { OP_JFR_MAX_WORDS = 24 };

/* How a word is to be read. */
enum op_jfr_form { OP_JFR_NUMBER, OP_JFR_IN_TEXTS, OP_JFR_IN_POOL };

struct op_jfr_word {
	enum op_jfr_role role;
	enum op_jfr_form form;
	uint32_t type;	 /* of the pool */
	const char *key; /* of the attribute */
};

/* Numbers that are no part of an identity. */
enum op_jfr_num {
	OP_JFR_N_TIME,
	OP_JFR_N_DURATION,
	OP_JFR_N_WEIGHT,
	OP_JFR_N_TIMEOUT,
	OP_JFR_N_UNTIL,
	OP_JFR_N_ADDRESS,
	OP_JFR_N_ONE,	/* of no field: 1 */
	OP_JFR_N_VALUE, /* of the first profile, and so on */
	OP_JFR_NR_NUMS = OP_JFR_N_VALUE + 3,
};

/* What is read of an event: numbers, the words of its identity, and one that
 * nobody wants. */
enum {
	OP_JFR_WORDS = OP_JFR_NR_NUMS,
	OP_JFR_UNWANTED = OP_JFR_WORDS + OP_JFR_MAX_WORDS,
	OP_JFR_NR_SLOTS,
};

enum op_jfr_op {
	OP_JFR_DO_PACKED, /* a number of varying length */
	OP_JFR_DO_NUMBER, /* any other */
	OP_JFR_DO_TEXT,
	OP_JFR_DO_SKIP,
};

struct op_jfr_step {
	enum op_jfr_op op;
	uint32_t slot;
	const struct op_jfr_field *field;
};

/* Events of a plan that the builder was not given yet. */
enum { OP_JFR_RUN = 256 };

struct op_jfr_run {
	uint64_t slots[OP_JFR_NR_SLOTS]; /* of the event at hand */
	/* The slot that is the value of a profile as it is; else it is
	 * OP_JFR_UNWANTED. */
	uint32_t value_slot[3];
	size_t n;
	uint32_t samples[OP_JFR_RUN];
	uint64_t times[OP_JFR_RUN];
	uint64_t values[3][OP_JFR_RUN];
};

struct op_jfr_plan {
	const struct op_jfr_event_row *row; /* NULL: it is a fact */
	struct op_view event;
	OP_VEC(struct op_jfr_step) steps;
	struct op_jfr_word words[OP_JFR_MAX_WORDS];
	uint32_t nr_words;
	enum op_jfr_unit units[OP_JFR_NR_NUMS];
	bool is_real[OP_JFR_NR_NUMS]; /* float: the number is its bits */
	bool is_wide[OP_JFR_NR_NUMS]; /* double */
	bool has[OP_JFR_NR_NUMS];
	/* What an event says of other events, besides its profiles. */
	enum op_jfr_context {
		OP_JFR_NO_CONTEXT,
		OP_JFR_MALLOC,
		OP_JFR_FREE,
		OP_JFR_INTERVAL,
		OP_JFR_ENDPOINT,
	} context;
	uint32_t context_words[3]; /* thread, and texts; OP_NO_ID: none */
	bool apart;  /* profiles do not have the same observations */
	bool splits; /* the second profile is of those with a timeout */
	/* Samples have the engine in their highest bits, which is the profile
	 * that they are of. Not all need to be wanted. */
	bool by_engine;
	bool wants[3];
	bool needs_stack; /* without one an event is left out */
	bool is_odd;	  /* has context, or needs a stack, or no profile */
	bool has_link;
	const char *preset; /* value of profile.type; NULL: none */
	struct op_jfr_profile_row profiles[3];
	uint32_t nr_profiles;
	uint32_t ids[3]; /* the builder's; OP_NO_ID: none yet */

	/* Steps of packed numbers that are all words of the identity: their
	 * bytes tell the sample. None if others have a say. */
	uint32_t key_from, nr_key;
	struct op_jfr_packed_event
		packed; /* if all steps are of packed numbers */
	struct op_jfr_key_cache cache;
	struct op_jfr_run *run; /* if so */
	/* Samples by the words of their events. */
	struct op_intern index;
	OP_VEC(uint64_t) keys;
	OP_VEC(uint32_t) samples; /* OP_NO_ID: not wanted */
};

/* Makes plans for all event types of the chunk. */
int op_jfr_plans_make(struct op_jfr_chunk *c);

#endif
