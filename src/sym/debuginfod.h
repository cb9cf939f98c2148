// SPDX-License-Identifier: Apache-2.0
/* sym/debuginfod.h: binaries and debug files from servers, by build ID.
 *
 * libdebuginfod is loaded on first use, because it depends on an HTTP client.
 * It caches downloads under ~/.cache, and takes its servers and timeouts from
 * DEBUGINFOD_URLS and its other variables. No server is queried unless
 * DEBUGINFOD_URLS is set. */
#ifndef OP_SYM_DEBUGINFOD_H
#define OP_SYM_DEBUGINFOD_H

#include "base/view.h"

struct op_debuginfod {
	/* Called periodically during a download; return true to cancel. May be
	 * NULL. */
	bool (*progress)(void *ctx, long done, long all);
	void *ctx;
	/* Private. */
	void *handle, *client;
	bool is_off; /* missing, or not responding */
};

enum op_debuginfod_kind { OP_DEBUGINFOD_EXECUTABLE, OP_DEBUGINFOD_DEBUGINFO };

/* A descriptor of the file with this build ID (bytes), or -1. */
int op_debuginfod_find(struct op_debuginfod *d, enum op_debuginfod_kind kind,
		       struct op_view build_id);

/* All zero is closed. */
void op_debuginfod_close(struct op_debuginfod *d);

#endif
