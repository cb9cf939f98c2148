// SPDX-License-Identifier: Apache-2.0
/* sym/debuginfod.h: binaries and debug files from servers, by build id.
 *
 * libdebuginfod is loaded when it is first asked something, because it brings
 * an HTTP client with it. It keeps what it fetched under ~/.cache, and takes
 * its servers and timeouts from DEBUGINFOD_URLS and its other variables.
 * Nobody is asked unless DEBUGINFOD_URLS is set. */
#ifndef OP_SYM_DEBUGINFOD_H
#define OP_SYM_DEBUGINFOD_H

#include "base/view.h"

struct op_debuginfod {
	/* Called now and then while a file is fetched; true: give it up. May
	 * be NULL. */
	bool (*progress)(void *ctx, long done, long all);
	void *ctx;
	/* Ours. */
	void *handle, *client;
	bool is_off; /* not there, or does not answer */
};

enum op_debuginfod_kind { OP_DEBUGINFOD_EXECUTABLE, OP_DEBUGINFOD_DEBUGINFO };

/* A descriptor of the file of this build id (bytes), or -1. */
int op_debuginfod_find(struct op_debuginfod *d, enum op_debuginfod_kind kind,
		       struct op_view build_id);

/* All zero is closed. */
void op_debuginfod_close(struct op_debuginfod *d);

#endif
