// SPDX-License-Identifier: Apache-2.0
/* server/page.h: the files of the page, embedded.
 *
 * What is in ui/app is at the root, what is in ui/lib below lib/, and
 * ui/app/index.html is the root itself.
 */
#ifndef OP_SERVER_PAGE_H
#define OP_SERVER_PAGE_H

#include "base/view.h"

struct op_page_file {
	const char *type; /* media type */
	struct op_view bytes;
};

/* A file by its address, such as "lib/app.js"; false: there is none. */
bool op_page_find(struct op_view address, struct op_page_file *out);

/* The paths of all files in ui, NULL at the end, and the address of one. */
const char *const *op_page_paths(void);
const char *op_page_address(const char *path);

#endif
