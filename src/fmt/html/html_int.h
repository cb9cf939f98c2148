// SPDX-License-Identifier: Apache-2.0
/* fmt/html/html_int.h: the parts of the page.
 *
 *	page.c   the files of ui/flame and ui/lib, embedded
 *	data.c   the profiles as JSON
 *	times.c  their observations
 *	write.c  both put together
 */
#ifndef OP_FMT_HTML_HTML_INT_H
#define OP_FMT_HTML_HTML_INT_H

#include "fmt/viewer/graph.h"

/* The page, in which {{name}} stands for a part. */
struct op_view op_page_html_source(void);

/* All styles and all scripts as one, with or without the views of time. */
void op_page_style(struct op_buf *out, bool has_times);
void op_page_script(struct op_buf *out, bool has_times);

struct op_page_opts {
	struct op_graph_opts graph;
	bool has_times; /* write the observations, too */
};

/* Writes the JSON that the page's script reads, safe in a script element. Tells
 * how many nodes there were. */
int op_html_data(const struct op_model *m, const struct op_page_opts *opts,
		 struct op_sink *out, uint64_t *nr_nodes, struct op_err *err);

int op_html_write(const struct op_model *m, const struct op_write_opts *opts,
		  struct op_sink *out, struct op_err *err);

#endif
