// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/engine.c: how async-profiler took a sample.
 *
 * Its samples of CPU time and those of wall time are events of one type,
 * jdk.ExecutionSample, unless it writes the latter as profiler.WallClockSample.
 * What tells them apart is the state of the thread:
 *
 *	2.10 and later   STATE_DEFAULT: CPU time; any other: wall time
 *	before that      STATE_SLEEPING: wall time; STATE_RUNNABLE: what the
 *	                 setting "event" says, as there was one engine only
 *
 * Settings are in the first chunk of a recording. Where the reader begins with
 * a later one, in a thread of its own, STATE_RUNNABLE is left open, and decided
 * when the parts are joined. The JDK itself samples CPU time only, and has
 * states that the profiler does not know. */
#include "fmt/jfr/engine.h"

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/constant_pool.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/plan.h"

/* Whose states a chunk has. */
enum writer { JDK, WITH_DEFAULT, WITHOUT_DEFAULT };

static enum writer writer_of(struct op_jfr_chunk *c)
{
	enum { STATES_BEFORE = 2 }; /* running and sleeping */
	const struct op_jfr_pool *p;

	if (c->t_state == OP_NO_ID)
		return JDK;
	p = &c->types.p[c->t_state].pool;
	for (size_t i = 0; i < p->ids.n && !c->err->code; i++)
		if (op_view_is(op_jfr_pool_text(c, c->t_state, p->ids.p[i]),
			       "STATE_DEFAULT"))
			return WITH_DEFAULT;
	return p->ids.n && p->ids.n <= STATES_BEFORE ? WITHOUT_DEFAULT : JDK;
}

bool op_jfr_has_engines(struct op_jfr_chunk *c)
{
	return writer_of(c) != JDK;
}

bool op_jfr_tells_engine(struct op_jfr_chunk *c)
{
	return writer_of(c) == WITH_DEFAULT;
}

enum op_jfr_engine op_jfr_engine_of(struct op_jfr_chunk *c,
				    const struct op_jfr_plan *p,
				    const uint64_t *words)
{
	struct op_view state = { 0 };

	for (uint32_t i = 0; i < p->nr_words; i++)
		if (p->words[i].role == OP_JFR_STATE)
			state = op_jfr_pool_text(c, c->t_state, words[i]);
	if (!state.n)
		return OP_JFR_CPU;
	if (writer_of(c) == WITH_DEFAULT)
		return op_view_is(state, "STATE_DEFAULT") ? OP_JFR_CPU :
							    OP_JFR_WALL;
	if (op_view_is(state, "STATE_SLEEPING"))
		return OP_JFR_WALL;
	return c->j->engine;
}

const char *op_jfr_engine_kind(enum op_jfr_engine e)
{
	return e == OP_JFR_WALL ? "wall" : "cpu";
}
