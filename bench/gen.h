// SPDX-License-Identifier: Apache-2.0
/* bench/gen.h: profiles of a wanted size, made up from a seed.
 *
 * The shape follows what profilers send: names of C++, Java and Go, stacks of
 * 5 to 60 frames that share their roots, few hot locations and many rare
 * ones, attribute sets of thread and CPU, and three profiles: sums, times,
 * values with times. Small messages are mostly names, large ones mostly
 * stacks and samples.
 */
#ifndef BENCH_GEN_H
#define BENCH_GEN_H

#include "model/model.h"

enum gen_part {
	GEN_STRINGS,
	GEN_ROWS, /* functions, locations, mappings */
	GEN_STACKS,
	GEN_SAMPLES,
	NR_GEN_PARTS,
};

struct gen_opts {
	size_t bytes; /* wanted of the encoded message, met within some % */
	uint64_t seed;
};

/* Fills an empty model. cost says how many encoded bytes each part has by
 * our reckoning. */
int gen_profiles(const struct gen_opts *opts, struct op_model *m,
		 size_t cost[NR_GEN_PARTS], struct op_err *err);

#endif
