// SPDX-License-Identifier: Apache-2.0
/* cli/record_page.h: the page of a recording, while it runs.
 *
 * The page is served by a process of its own, which has none of the privileges
 * of the recorder, gets each window as a message of OTLP, and may end whenever
 * it likes: the recording goes on.
 */
#ifndef OP_CLI_RECORD_PAGE_H
#define OP_CLI_RECORD_PAGE_H

#include <signal.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/model.h"

struct record_page {
	pid_t pid; /* 0: there is none */
	int fd;	   /* a socket to it */
	bool is_gone;
};

/* Starts it, and says where the page is. mask: of signals, for the process. */
int record_page_open(struct record_page *p, const char *title,
		     const sigset_t *mask, struct op_err *err);

/* Shows a window too. */
void record_page_put(struct record_page *p, const struct op_model *m);

/* After the last window: waits until the page is closed, or for SIGINT, SIGTERM
 * or SIGHUP. */
void record_page_wait(struct record_page *p);
void record_page_close(struct record_page *p);

#endif
