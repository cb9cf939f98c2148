// SPDX-License-Identifier: Apache-2.0
/* tests/write/sketch.h: models from a few words, and back to text.
 *
 * Samples are lines; a stack is written from the root, "-" is none:
 *
 *	main;work 3 thread=a #1      value 3, an attribute, link 1
 *	main;work 3@100 4@200        two observations with times
 *
 * Attributes are "key=value" words.
 */
#ifndef OP_TESTS_WRITE_SKETCH_H
#define OP_TESTS_WRITE_SKETCH_H

#include "base/buf.h"
#include "model/builder.h"

/* A profile with its resource and scope. NULL: none, or of the type: cpu in
 * nanoseconds. */
struct sketch {
	const char *samples;
	const char *type, *unit;
	const char *resource; /* attributes */
	const char *scope;    /* name */
	const char *attrs;    /* of the profile */
	int64_t period;
	const char *period_type, *period_unit;
	uint64_t time_ns, duration_ns;
	uint8_t id; /* first byte of the profile id; 0: it has none */
};

/* Builds a model of n profiles. Profiles of the same resource and scope text
 * behind one another share them. m is empty but for its quota. */
int sketch_model(struct op_model *m, const struct sketch *s, size_t n,
		 struct op_err *err);

/* The model of one profile; stops the program if it cannot be. */
void sketch_one(struct op_model *m, const struct sketch *s);

/* What a model says, in the words above: a line for each resource, scope and
 * profile, then its samples, sorted, each behind a tab. The result is good
 * until sketch_text() is called twice more. */
const char *sketch_text(const struct op_model *m);

#endif
