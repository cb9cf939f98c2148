// SPDX-License-Identifier: Apache-2.0
/* agent/handler.h: threads that take samples of themselves, in the handler of a
 * signal.
 *
 * A request has its own memory, so that any number of threads can answer at the
 * same time and a late answer harms nobody:
 *
 *	FREE -op_ask()-> ASKED -handler-> BUSY -> DONE -op_ask_free()-> FREE
 *			 ASKED -op_ask_cancel()-> CANCELLED -handler-> FREE
 *
 * Only threads that run are asked. One that waits for a CPU answers when it
 * gets one, before it executes anything of the program: the answer is right,
 * for all the times at which it was wanted meanwhile. */
#ifndef OP_AGENT_HANDLER_H
#define OP_AGENT_HANDLER_H

#include "agent/walk.h"
#include "agent/context.h"
#include "base/err.h"

/* At 10 ms a thread may wait for a CPU for 10 seconds until samples of it are
 * not taken. */
enum { OP_MAX_ASKS = 4096, OP_MAX_OWED = 1024 };

enum op_ask_state {
	OP_ASK_FREE,
	OP_ASK_ASKED,
	OP_ASK_BUSY,
	OP_ASK_DONE,
	OP_ASK_CANCELLED, /* the signal is still under way */
};

struct op_ask {
	uint32_t state; /* enum op_ask_state; atomic */
	uint32_t tid;
	/* The answer. */
	uint8_t end;
	bool has_unknown;
	uint32_t nr;
	uint64_t cpu_ns;
	struct op_agent_context context;
	uint64_t frames[OP_AGENT_MAX_FRAMES];
	struct op_agent_walk walk; /* its map is set by who asks */
	/* The samples that the answer is for; used by who asks. Memory only for
	 * those used. */
	uint32_t nr_owed;
	struct op_channel_when owed[OP_MAX_OWED];
};

/* Installs the handler for a signal that the program does not use; 0 chooses
 * SIGURG, or SIGWINCH. There is one in a process. */
int op_handler_open(int signal, struct op_err *err);
/* Whether the handler is still ours: the program may have set another, or none,
 * with which the next signal would end it. */
bool op_handler_is_there(void);
/* Nobody is asked any more; those asked may still answer. */
void op_handler_close(void);
int op_handler_signal(void);

/* Asks a thread. NULL: it is gone (ESRCH), or too many were asked. */
struct op_ask *op_ask(uint32_t tid, const struct op_channel_map *map,
		      const uint8_t *tables);
enum op_ask_state op_ask_state(const struct op_ask *a);
/* The answer is no longer needed; false: it is being given. */
bool op_ask_cancel(struct op_ask *a);
/* For an answer that was used, or if the thread is gone. */
void op_ask_free(struct op_ask *a);

/* How many answers there were, ever. */
uint32_t op_asks_done(void);
/* If no answer was given since there were so many, waits until there are nr
 * more, or for so long. */
void op_asks_wait(uint32_t done, uint32_t nr, uint64_t ns);

#endif
