// SPDX-License-Identifier: Apache-2.0
/* Recordings of several chunks say the same whether or not what was made of the
 * constants of one is carried to the next. With a thread for each chunk nothing
 * is; told() compares. */
#include "fmt/jfr/carry.h"
#include "fmt/jfr/chunk.h"
#include "fmt/jfr/chunk_header.h"
#include "fmt/jfr/constant_pool.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/metadata.h"
#include "fmt/jfr/plan.h"
#include "fmt/jfr/read.h"
#include "fmt/jfr/rows.h"
#include "fmt/jfr/walk.h"
#include "jfr_fixture.h"
#include "random.h"

/* --- what changes from one chunk to the next --- */

#define EVENT(time) "jdk.ExecutionSample " time " 70 80 30\n"
#define ALLOC(time) "jdk.ObjectAllocationInNewTLAB " time " 70 80 50 1 1\n"
#define THREAD "pool Thread 70 'w' 5 'w' 7\n"
#define SYMBOLS "pool Symbol 61 'A'\npool Symbol 62 'f'\npool Symbol 63 '()V'\n"
#define CLASS "pool Class 50 name=61\n"
#define METHOD "pool Method 40 50 62 63\n"
#define STACK "pool StackTrace 80 false [(40 12 0 1)]\n"
/* More states than async-profiler ever had. */
#define STATES_JDK                                                   \
	"pool ThreadState 31 'STATE_NEW'\npool ThreadState 32 'X'\n" \
	"pool ThreadState 33 'Y'\n"
#define ENUMS                                               \
	STATES_JDK "pool ThreadState 30 'STATE_RUNNABLE'\n" \
		   "pool FrameType 1 'JIT'\n"
#define CONSTANTS THREAD SYMBOLS CLASS METHOD STACK ENUMS
/* Types get the same ids in each chunk, whatever the order of constants. */
#define DECLARE                                                          \
	"pool Thread 9 null 1\npool Symbol 9 'x'\npool Class 9 name=9\n" \
	"pool Method 9\npool StackTrace 9\npool ThreadState 39 'Z'\n"    \
	"pool FrameType 9 'X'\n"
#define FIRST DECLARE EVENT("1") CONSTANTS "next\n" DECLARE EVENT("2")
#define SAMPLES "samples/count jdk.ExecutionSample\n"
#define WHO " thread.id=7 thread.name=w"
#define OS " jfr.thread.os_id=5"
#define RUNS " thread.state=running\n"
#define A_F(times) "\tA.f " times OS WHO RUNS

static const struct {
	const char *name, *text, *want;
} rows[] = {
	{ "nothing", FIRST CONSTANTS, SAMPLES A_F("@1 @2") },
	{ "ids of symbols",
	  FIRST THREAD "pool Symbol 1 'A'\npool Symbol 2 'f'\n"
		       "pool Symbol 3 '()V'\npool Class 50 name=1\n"
		       "pool Method 40 50 2 3\n" STACK ENUMS,
	  SAMPLES A_F("@1 @2") },
	{ "the name of a method",
	  FIRST THREAD
	  "pool Symbol 61 'A'\npool Symbol 62 'g'\n" CLASS METHOD STACK ENUMS,
	  SAMPLES A_F("@1") "\tA.g @2" OS WHO RUNS },
	{ "the name of its class",
	  FIRST THREAD
	  "pool Symbol 61 'B'\npool Symbol 62 'f'\n" CLASS METHOD STACK ENUMS,
	  SAMPLES A_F("@1") "\tB.f @2" OS WHO RUNS },
	{ "a method goes", FIRST THREAD SYMBOLS CLASS STACK ENUMS,
	  SAMPLES "\t @2" OS WHO RUNS A_F("@1") },
	{ "a method comes",
	  DECLARE EVENT("1") THREAD SYMBOLS CLASS STACK ENUMS
	  "next\n" DECLARE EVENT("2") CONSTANTS,
	  SAMPLES "\t @1" OS WHO RUNS A_F("@2") },
	{ "the frames of a stack",
	  FIRST THREAD SYMBOLS CLASS METHOD ENUMS
	  "pool StackTrace 80 false [(40 13 0 1)]\n",
	  SAMPLES A_F("@1") "\tA.f @2" OS WHO RUNS },
	{ "a stack is cut",
	  FIRST THREAD SYMBOLS CLASS METHOD ENUMS
	  "pool StackTrace 80 true [(40 12 0 1)]\n",
	  SAMPLES A_F("@1") "\tA.f @2 jfr.stack.truncated=true" OS WHO RUNS },
	{ "a stack goes", FIRST THREAD SYMBOLS CLASS METHOD ENUMS,
	  SAMPLES "\t- @2" OS WHO RUNS A_F("@1") },
	{ "a frame becomes native",
	  FIRST THREAD SYMBOLS CLASS METHOD STACK STATES_JDK
	  "pool ThreadState 30 'STATE_RUNNABLE'\npool FrameType 1 'C++'\n",
	  SAMPLES A_F("@1") "\tf @2" OS WHO RUNS },
	{ "native frames are told apart",
	  DECLARE EVENT("1") THREAD SYMBOLS CLASS METHOD STACK STATES_JDK
	  "pool ThreadState 30 'STATE_RUNNABLE'\npool FrameType 1 'Native'\n"
	  "next\n" DECLARE EVENT("2")
		  THREAD SYMBOLS CLASS METHOD STACK STATES_JDK
	  "pool ThreadState 30 'STATE_RUNNABLE'\n"
	  "pool FrameType 1 'Native'\npool FrameType 2 'Kernel'\n",
	  SAMPLES A_F("@1") "\tf @2" OS WHO RUNS },
	{ "states tell the engine",
	  FIRST CONSTANTS "pool ThreadState 34 'STATE_DEFAULT'\n",
	  SAMPLES A_F("@1") SAMPLES A_F("@2") },
	{ "a thread gets another name",
	  FIRST SYMBOLS CLASS METHOD STACK ENUMS "pool Thread 70 'x' 5 'x' 7\n",
	  SAMPLES A_F("@1") "\tA.f @2" OS " thread.id=7 thread.name=x" RUNS },
	{ "a thread gets another id",
	  FIRST SYMBOLS CLASS METHOD STACK ENUMS "pool Thread 70 'w' 6 'w' 7\n",
	  SAMPLES A_F("@1") "\tA.f @2 jfr.thread.os_id=6" WHO RUNS },
	{ "a state gets another name",
	  FIRST THREAD SYMBOLS CLASS METHOD STACK STATES_JDK
	  "pool ThreadState 30 'STATE_SLEEPING'\npool FrameType 1 'JIT'\n",
	  SAMPLES A_F("@1") "\tA.f @2" OS WHO " thread.state=sleeping\n" },
};

static void begin(struct jfr *j, enum jfr_flavour flavour)
{
	jfr_begin(j, flavour);
	j->has_no_enums = true;
}

TEST(what_changes)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct jfr j;

		begin(&j, JFR_JDK17);
		play(&j, rows[i].text);
		says(&j, rows[i].name, rows[i].want);
	}
}

/* --- what is carried --- */

/* Reads the next chunk of a file up to where it is walked. */
static void chunk_begin(struct op_jfr *j, struct op_jfr_chunk *c,
			struct op_view bytes, uint64_t at)
{
	struct op_source file = op_source(bytes);
	struct op_jfr_header h;

	CHECK_EQ(op_jfr_header_read(&file, at, &h, j->err), OP_OK);
	CHECK_EQ(op_jfr_chunk_begin(c, j, &file, &h, j->err), OP_OK);
	CHECK_EQ(op_jfr_metadata_read(c, h.meta_at), OP_OK);
	CHECK_EQ(op_jfr_pools_read(c, h.pools_at), OP_OK);
	CHECK_EQ(op_jfr_rows_begin(c), OP_OK);
	CHECK_EQ(op_jfr_plans_make(c), OP_OK);
}

static uint32_t nr_made(const struct op_jfr_chunk *c, uint32_t type)
{
	const struct op_jfr_pool *p = &c->types.p[type].pool;
	uint32_t n = 0;

	for (size_t i = 0; i < p->made.n; i++)
		n += p->made.p[i] != OP_NO_ID;
	return n;
}

static uint32_t nr_known(const struct op_jfr_chunk *c)
{
	uint32_t n = 0;

	for (size_t i = 0; i < c->types.n; i++)
		if (c->types.p[i].plan)
			n += c->types.p[i].plan->cache.nr;
	return n;
}

/* What the second of two chunks has before it is walked: methods, frames,
 * stacks, threads, identities. */
static void carries(const char *text, const uint32_t want[5])
{
	struct op_model m = { 0 };
	struct op_err err = { 0 };
	struct op_jfr recording = { 0 };
	struct op_jfr_chunk first, second;
	struct op_view file;
	struct jfr j;

	begin(&j, JFR_JDK17);
	play(&j, text);
	file = jfr_end(&j);
	op_jfr_begin(&recording, &m, &err);
	chunk_begin(&recording, &first, file, 0);
	CHECK_EQ(op_jfr_walk(&first), OP_OK);
	chunk_begin(&recording, &second, file, first.h.size);
	op_jfr_carry(&second, &first);
	CHECK(first.err == &err && second.err == &err);
	CHECK_EQ(nr_made(&second, second.t_method), want[0]);
	CHECK_EQ(second.rows->locations.nr, want[1]);
	CHECK_EQ(nr_made(&second, second.t_stack), want[2]);
	CHECK_EQ(nr_made(&second, second.t_thread), want[3]);
	CHECK_EQ(nr_known(&second), want[4]);
	op_jfr_chunk_end(&first);
	op_jfr_chunk_end(&second);
	op_jfr_spare_free(&recording);
	op_arena_free(&recording.mem);
	op_model_free(&m);
	jfr_free(&j);
}

TEST(what_is_the_same_is_carried)
{
	carries(FIRST CONSTANTS, (uint32_t[]){ 1, 1, 1, 1, 1 });
	/* Symbols have other numbers. */
	carries(FIRST THREAD "pool Symbol 1 'A'\npool Symbol 2 'f'\n"
			     "pool Symbol 3 '()V'\n"
			     "pool Class 50 name=1\n"
			     "pool Method 40 50 2 3\n" STACK ENUMS,
		(uint32_t[]){ 1, 1, 1, 1, 1 });
	/* A thread, and with it the identity; then a method. */
	carries(FIRST SYMBOLS CLASS METHOD STACK ENUMS
		"pool Thread 70 'x' 5 'x' 7\n",
		(uint32_t[]){ 1, 1, 1, 0, 0 });
	carries(FIRST THREAD SYMBOLS CLASS STACK ENUMS
		"pool Method 40 50 61 63\n",
		(uint32_t[]){ 0, 0, 0, 1, 0 });
	/* Types are described otherwise. */
	carries(DECLARE EVENT("1") CONSTANTS
		"next\ntype my.T | x:int\n" DECLARE EVENT("2") CONSTANTS,
		(uint32_t[]){ 0, 0, 0, 0, 0 });
}

/* --- at random --- */

static uint64_t state;

static unsigned int any(unsigned int below)
{
	return random_below(&state, below);
}

enum { NR = 6 };

enum what {
	METHODS,
	CLASSES,
	STACKS,
	LINES,
	THREADS,
	GROUPS,
	STATES,
	FRAME_TYPES,
	NR_WHAT
};

/* Constants by id; a part of them changes from chunk to chunk. */
struct world {
	unsigned int of[NR_WHAT][NR + 1];
};

static void change(struct world *w, unsigned int much)
{
	for (int i = 0; i < NR_WHAT; i++)
		for (int id = 1; id <= NR; id++)
			if (any(100) < much)
				w->of[i][id] = any(5);
}

/* Value 0 of a method, a stack or a thread: it is missing. */
static void constants(struct jfr *j, const struct world *w)
{
	static const char *const states[] = { "STATE_RUNNABLE", "STATE_DEFAULT",
					      "STATE_SLEEPING", "STATE_PARKED",
					      "" };
	static const char *const types[] = { "JIT", "Kernel", "Native", "C++",
					     "" };
	unsigned int first = 1 + any(9); /* id of a symbol */

	for (unsigned int i = 0; i < 5; i++)
		jfr_pool(j, "Symbol", first + i, "'name%u'", i);
	for (unsigned int id = 1; id <= NR; id++) {
		jfr_pool(j, "Class", id, "name=%u", first + w->of[CLASSES][id]);
		jfr_pool(j, "ThreadState", id, "'%s'",
			 states[w->of[STATES][id]]);
		jfr_pool(j, "FrameType", id, "'%s'",
			 types[w->of[FRAME_TYPES][id]]);
		jfr_pool(j, "ThreadGroup", id, "0 'group%u'",
			 w->of[GROUPS][id]);
		if (w->of[METHODS][id])
			jfr_pool(j, "Method", id, "%u %u %u", id,
				 first + w->of[METHODS][id], first);
		if (w->of[THREADS][id])
			jfr_pool(j, "Thread", id, "'t%u' 5 null %u group=%u",
				 w->of[THREADS][id], id, id);
		if (w->of[STACKS][id])
			jfr_pool(j, "StackTrace", id,
				 "%s [(%u %u 0 %u) (%u 200 1 1)]",
				 w->of[STACKS][id] == 1 ? "true" : "false", id,
				 w->of[LINES][id], id, id % NR + 1);
	}
}

static void declare(struct jfr *j)
{
	static const char *const names[] = {
		"jdk.types.Method",	"java.lang.Thread",
		"jdk.types.StackTrace", "jdk.types.ThreadGroup",
		"java.lang.Class",	"jdk.types.FrameType",
	};

	for (size_t i = 0; i < op_countof(names); i++)
		jfr_declare(j, names[i]);
}

static void random_recording(struct jfr *j)
{
	struct world w = { 0 };

	change(&w, 100);
	for (int chunk = 0; chunk < 5; chunk++) {
		if (chunk) {
			change(&w, any(3) * any(4));
			jfr_next(j, JFR_JDK17);
		}
		declare(j);
		for (int i = 0; i < 60; i++) {
			unsigned int id = any(NR + 1);

			jfr_event(j, "jdk.ExecutionSample", "%d %u %u %u", i,
				  any(NR + 1), id, any(NR + 1));
			jfr_event(j, "jdk.ObjectAllocationInNewTLAB",
				  "startTime=%d stackTrace=%u objectClass=%u",
				  i, id, any(NR + 1));
		}
		constants(j, &w);
	}
}

TEST(random_changes)
{
	static const struct jfr_way many = { .threads = 16 };

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct op_model one, each;
		struct op_err err;
		struct op_view file;
		struct jfr j;

		state = seed;
		begin(&j, JFR_JDK17);
		random_recording(&j);
		file = jfr_end(&j);
		CHECK_EQ(read_with(&one, file, NULL, &err), OP_OK);
		CHECK_EQ(read_by(&each, file, NULL, &many, &err), OP_OK);
		if (strcmp(sketch_text(&one), sketch_text(&each)))
			TEST_FAIL("seed %llu", (unsigned long long)seed);
		op_model_free(&one);
		op_model_free(&each);
		jfr_free(&j);
	}
}

/* --- out of memory --- */

TEST(each_allocation_fails)
{
	struct op_view file;
	struct jfr j;

	begin(&j, JFR_JDK17);
	play(&j, FIRST CONSTANTS);
	file = jfr_end(&j);
	EACH_ALLOC_FAILS(k) {
		struct op_model m = { 0 };
		struct op_err err = { 0 };
		struct op_read_opts opts = { 0 };

		op_format_jfr.read(file, &opts, keep, &m, &err);
		CHECK(err.code == OP_OK || err.code == OP_ENOMEM);
		op_model_free(&m);
	}
	jfr_free(&j);
}

TEST_MAIN(what_changes, what_is_the_same_is_carried, random_changes,
	  each_allocation_fails)
