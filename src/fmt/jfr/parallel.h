// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/parallel.h: chunks in several threads, and what they found joined. */
#ifndef OP_FMT_JFR_PARALLEL_H
#define OP_FMT_JFR_PARALLEL_H

#include "fmt/source.h"

struct op_jfr;

/* Reads chunks up to the end of the file with as many threads. Only what is
 * whole is read so: nothing is recovered. */
void op_jfr_parallel_read(struct op_jfr *j, const struct op_source *file,
			  unsigned int nr);

#endif
