// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/graph.h: what the formats that draw flame graphs have in
 * common. */
#ifndef OP_FMT_VIEWER_GRAPH_H
#define OP_FMT_VIEWER_GRAPH_H

#include "fmt/format.h"
#include "query/flame.h"

struct op_graph_opts {
	const char *title; /* NULL: none was given */
	double least;	   /* share of all below which a frame is left out */
	bool threads;
};

/* Reads the settings title, min-width and threads; least is what it is set to
 * before where nobody says otherwise. */
int op_graph_settings(const struct op_write_opts *opts,
		      struct op_graph_opts *out, struct op_err *err);

/* The title, else what the first resource says it is, else "Profile". */
struct op_view op_graph_title(const struct op_model *m,
			      const struct op_graph_opts *opts);

/* Text for HTML and XML, in an attribute too: markup escaped, what is not UTF-8
 * or not allowed in XML as U+FFFD. */
void op_graph_escape(struct op_buf *out, struct op_view v);

#endif
