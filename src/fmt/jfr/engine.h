// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/engine.h: samples of CPU time and of wall time told apart. */
#ifndef OP_FMT_JFR_ENGINE_H
#define OP_FMT_JFR_ENGINE_H

#include "base/port.h"

struct op_jfr_chunk;
struct op_jfr_plan;

/* How async-profiler took a sample; the numbers of profiles of a plan. */
enum op_jfr_engine { OP_JFR_CPU, OP_JFR_WALL, OP_JFR_OPEN };

/* Samples have the engine in their highest bits. */
enum { OP_JFR_ENGINE_SHIFT = 30 };
#define OP_JFR_SAMPLE_MASK (((uint32_t)1 << OP_JFR_ENGINE_SHIFT) - 1)

/* Whether samples of a chunk can be of several. */
bool op_jfr_has_engines(struct op_jfr_chunk *c);
enum op_jfr_engine op_jfr_engine_of(struct op_jfr_chunk *c,
				    const struct op_jfr_plan *p,
				    const uint64_t *words);
/* Whether the state of a sample alone tells its engine. */
bool op_jfr_tells_engine(struct op_jfr_chunk *c);
/* Kind of its events, and type of its period; that of an open one is cpu. */
const char *op_jfr_engine_kind(enum op_jfr_engine e);

#endif
