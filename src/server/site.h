// SPDX-License-Identifier: Apache-2.0
/* server/site.h: what is at which address.
 *
 *	/TOKEN/           the page
 *	/TOKEN/lib/x.js   its files
 *	/TOKEN/api/NAME   answers (api.h)
 *	/TOKEN/api/open   takes a file (POST)
 *	/TOKEN/api/events tells of changes (push.h)
 *
 * Knows nothing of connections.
 */
#ifndef OP_SERVER_SITE_H
#define OP_SERVER_SITE_H

#include "server/api.h"
#include "server/guard.h"

struct op_site {
	struct op_guard guard;
	const struct op_api *api;
	/* op_api_answer(); NULL: there is no API. */
	void (*ask)(const struct op_api *api, const char *name,
		    const struct op_params *params, struct op_response *out);
	/* A request may take as much memory and work as reading so many bytes
	 * does (base/budget.h), times this; 0: no limit. */
	uint64_t input_bytes;
	uint32_t budget_times;
	/* Adds a file to what is shown, under its number. The function takes
	 * the bytes over. NULL: none can be added. */
	int (*open)(void *ctx, const char *name, struct op_buf *bytes,
		    uint32_t *file_out, struct op_err *err);
	void *ctx;
	uint64_t max_file; /* bytes */
};

/* Looks at a request before its body is read. Gives the most bytes that the
 * body may have; false: it is refused, and out is the reply. */
bool op_site_admit(const struct op_site *s, const struct op_request *r,
		   uint64_t *max_body, struct op_response *out);

/* Whether an admitted request subscribes to changes. */
bool op_site_is_stream(const struct op_site *s, const struct op_request *r);

/* Answers an admitted request. Takes what it needs of the body. true: there is
 * something new to be seen. */
bool op_site_answer(const struct op_site *s, const struct op_request *r,
		    struct op_buf *body, struct op_response *out);

#endif
