// SPDX-License-Identifier: Apache-2.0
/* cli/view.h: what the page of otprof view shows, and the server of it.
 *
 *	struct view v = { .title = title };
 *	view_begin(&v, err);
 *	view_put(&v, &file, &m, err);
 *	... view_listen(&v, &how, err) ... view_url(&v) ...
 *	op_server_run(v.server);
 *	view_end(&v);
 */
#ifndef OP_CLI_VIEW_H
#define OP_CLI_VIEW_H

#include "base/vec.h"
#include "server/server.h"

struct view {
	/* Set before; may be NULL. */
	const char *title, *source_path;

	struct op_api api;
	struct op_site site;
	struct op_server *server;
	uint64_t nr_observations;
	bool has_origin;
	struct op_arena mem;
	OP_VEC(struct op_api_file) files;
	OP_VEC(const char *) notes;
	char first_title[200];
};

int view_begin(struct view *v, struct op_err *err);
void view_end(struct view *v);

/* Adds a file; the name is copied. Takes the model over, also on failure. */
int view_put(struct view *v, const struct op_api_file *file, struct op_model *m,
	     struct op_err *err);

/* Adds to a file that is there. Takes the model over, also on failure. */
int view_add(struct view *v, uint32_t file, struct op_model *m,
	     struct op_err *err);

/* Keeps a sentence that the page shows. */
void view_note(struct view *v, const char *text);

/* Listens. port 0: any. stays: when the last tab is gone. */
int view_listen(struct view *v, uint64_t port, bool stays, struct op_err *err);

/* Where the page is. */
enum { VIEW_MAX_URL = 80 };
void view_url(const struct view *v, char *out, size_t room);

#endif
