// SPDX-License-Identifier: Apache-2.0
/* model/check.h: validates a message against the rules of OTLP Profiles.
 *
 * The rules are those of the protocol text and of the profiling group's
 * checker; docs/check.md says which is which. MUST rules are errors, SHOULD
 * rules are warnings. */
#ifndef OP_MODEL_CHECK_H
#define OP_MODEL_CHECK_H

#include "model/model.h"

enum op_rule {
	OP_RULE_RESOURCE_MISSING,
	OP_RULE_SCOPE_MISSING,
	OP_RULE_PROFILE_MISSING,
	OP_RULE_ZERO_ELEMENT,
	OP_RULE_STRING_INDEX,
	OP_RULE_ATTRIBUTE_INDEX,
	OP_RULE_STACK_INDEX,
	OP_RULE_LINK_INDEX,
	OP_RULE_LOCATION_INDEX,
	OP_RULE_MAPPING_INDEX,
	OP_RULE_FUNCTION_INDEX,
	OP_RULE_KEY_TWICE,
	OP_RULE_KEY_AMBIGUOUS,
	OP_RULE_SAMPLE_EMPTY,
	OP_RULE_SAMPLE_COUNTS,
	OP_RULE_SAMPLE_VALUES,
	OP_RULE_MAPPING_RANGE,
	OP_RULE_LINE_NEGATIVE,
	OP_RULE_FUNCTION_NAME,
	OP_RULE_ID_LENGTH,
	OP_RULE_PROFILE_ID_ZERO,
	OP_RULE_PAYLOAD_FORMAT,
	OP_RULE_UTF8,
	OP_RULE_TIME_RANGE,
	OP_RULE_SAMPLE_SHAPES,
	OP_RULE_SAMPLE_TWICE,
	OP_RULE_LINK_ZERO,
	OP_RULE_DUPLICATE,
	OP_RULE_ORPHAN,
	OP_RULE_BUILD_ID,
	OP_RULE_DIALECT,
	OP_NR_RULES,
};

struct op_rule_info {
	const char *name;
	const char *ref; /* number in docs/check.md */
	bool is_error;
	const char *summary;
};

extern const struct op_rule_info op_rules[OP_NR_RULES];

struct op_finding {
	enum op_rule rule;
	bool is_error;
	char path[160]; /* into the message, by its field names */
	char text[160];
};

typedef void op_finding_fn(void *ctx, const struct op_finding *f);

struct op_check_opts {
	/* Treat warnings as errors, except for a mapping without a build ID
	 * whose source cannot have one. */
	bool strict;
	/* Findings to report per rule; the rest is only counted. 0: all. */
	uint64_t most;
};

struct op_check_result {
	uint64_t nr[OP_NR_RULES];
	uint64_t nr_errors;
	uint64_t nr_warnings;
};

/* Checks a model that was read with op_read_opts.unchecked and not changed
 * since. Calls fn (may be NULL) for each finding and adds to *out. */
int op_check(const struct op_model *m, const struct op_check_opts *opts,
	     op_finding_fn *fn, void *ctx, struct op_check_result *out,
	     struct op_err *err);

#endif
