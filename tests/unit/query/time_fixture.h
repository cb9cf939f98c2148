// SPDX-License-Identifier: Apache-2.0
/* Random profiles with times, of every kind that views over time know. */
#ifndef OP_TESTS_UNIT_QUERY_TIME_FIXTURE_H
#define OP_TESTS_UNIT_QUERY_TIME_FIXTURE_H

#include <stdio.h>

#include "base/buf.h"
#include "model/semconv.h"
#include "random.h"
#include "write/sketch.h"

static const struct sketch time_kinds[] = {
	{ .type = "cpu" },
	{ .type = "samples", .unit = "count" },
	{ .type = "off_cpu" },
	{ .type = "off_cpu", .scope = OP_SCOPE_EBPF },
	{ .type = "off_cpu", .period = 40, .period_unit = "nanoseconds" },
	{ .type = "inuse_space", .unit = "bytes" },
	{ .type = "cpu", .attrs = OP_ATTR_TEMPORALITY "=cumulative" },
};

/* Up to 30 samples of a few threads with up to 9 observations each; some
 * profiles have no times. */
static inline void random_samples(struct op_buf *b, uint64_t *seed)
{
	uint32_t nr = random_below(seed, 30);
	bool untimed = !random_below(seed, 20);

	b->n = 0;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t n = 1 + random_below(seed, 9);

		op_buf_printf(b, "main;f%u", i);
		for (uint32_t k = 0; k < (untimed ? 1 : n); k++) {
			int value = (int)random_below(seed, 300) - 20;

			op_buf_printf(b, " %d", value);
			if (!untimed)
				op_buf_printf(b, "@%u",
					      1000 + random_below(seed, 1000));
		}
		if (random_below(seed, 4))
			op_buf_printf(b, " thread.name=t%u",
				      random_below(seed, 4));
		if (!random_below(seed, 3))
			op_buf_printf(b, " thread.state=%s",
				      random_below(seed, 2) ? "sleeping" :
							      "running");
		op_buf_byte(b, '\n');
	}
	op_buf_byte(b, 0);
}

static inline void random_model(struct op_model *m, uint64_t *seed)
{
	struct op_err err = { 0 };
	struct op_buf text = { .err = &err };
	uint32_t kind = random_below(seed, op_countof(time_kinds));
	struct sketch s = time_kinds[kind];

	random_samples(&text, seed);
	s.samples = (const char *)text.p;
	sketch_one(m, &s);
	op_buf_free(&text);
}

static inline struct op_profile *first_profile(const struct op_model *m)
{
	return m->resources[0].scopes[0].profiles;
}

#endif
