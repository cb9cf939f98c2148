// SPDX-License-Identifier: Apache-2.0
/* server/api.h: answers the requests of the page (docs/api.md).
 *
 * Nothing here knows of connections: a name and parameters go in, and JSON or a
 * file comes out.
 */
#ifndef OP_SERVER_API_H
#define OP_SERVER_API_H

#include "base/buf.h"
#include "server/params.h"
#include "store/store.h"

/* A file that is shown. */
struct op_api_file {
	const char *name;
	const char *format;
	uint64_t bytes;	       /* 0: unknown */
	struct op_range times; /* of what is in it; empty if unknown */
};

/* What is asked about. Set by the caller, and changed between requests only. */
struct op_api {
	struct op_store *store; /* source i is file i */
	const char *title;
	const char *source_path;  /* of source text; NULL: none is shown */
	const char *const *notes; /* what was said while reading; NULL at end */
	const struct op_api_file *files;
	uint32_t nr_files;
	bool is_live;
	/* Times are told from here. A live recording keeps its first. */
	uint64_t origin_ns;
	bool has_date; /* it is since 1970 */
};

struct op_response {
	int status;	    /* of HTTP */
	const char *type;   /* media type */
	char file_name[80]; /* under which a download is saved; may be empty */
	char location[80];  /* of a redirection; may be empty */
	char note[400];	    /* what is not as asked for; may be empty */
	struct op_buf body;
};

/* Answers GET api/NAME. A request that fails is answered too, with the status
 * and {"error": ...}. The caller frees the body. */
void op_api_answer(const struct op_api *api, const char *name,
		   const struct op_params *params, struct op_response *out);

#endif
