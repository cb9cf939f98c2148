// SPDX-License-Identifier: Apache-2.0
/* bench/otep_gen.h: pprof files of the shape that OTEP 239 tells of two of its
 * files, which were never published. */
#ifndef BENCH_OTEP_GEN_H
#define BENCH_OTEP_GEN_H

#include "pb/write.h"

struct otep_gen {
	const char *name;
	uint32_t samples, functions, locations, labels;
	uint32_t shallowest, deepest;
	uint32_t seed;
};

/* Appends a pprof message; the same for the same seed. */
void otep_gen(const struct otep_gen *g, struct op_pbw *w);

#endif
