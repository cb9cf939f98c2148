// SPDX-License-Identifier: Apache-2.0
/* A thread that is stopped: its registers, stack and maps. */
#ifndef INTEROP_UNWIND_STOPPED_H
#define INTEROP_UNWIND_STOPPED_H

#include <sys/types.h>

#include "snap.h"

enum { STOPPED_STACK = 1 << 20 };

struct stopped {
	pid_t pid;
	uint8_t *stack; /* of the caller, STOPPED_STACK bytes */
	struct snap snap;
	struct snap_part part;
	char *maps_text;
	size_t maps_bytes;
};

/* Fills snap. The thread is of s->pid and was stopped by ptrace. */
bool stopped_take(struct stopped *s, pid_t tid);

#endif
