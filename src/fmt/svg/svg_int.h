// SPDX-License-Identifier: Apache-2.0
/* fmt/svg/svg_int.h: between the files of the picture.
 *
 *	write.c   the picture
 *	look.c    its colours and numbers
 */
#ifndef OP_FMT_SVG_SVG_INT_H
#define OP_FMT_SVG_SVG_INT_H

#include "fmt/viewer/graph.h"

struct op_svg_colour {
	char text[8]; /* #rrggbb */
};

/* By the kind of a frame, a little different from name to name. */
struct op_svg_colour op_svg_kind(struct op_view type, struct op_view name,
				 bool inlined);

/* By how much of it is more (1: red) or less (-1: blue). */
struct op_svg_colour op_svg_change(double ratio);

/* Of the root. */
struct op_svg_colour op_svg_plain(void);

/* A value as people say it: 1.50 s, 12.3 MiB, 1,234. The unit is escaped. */
void op_svg_value(struct op_buf *out, int64_t v, struct op_view unit);

int op_svg_write(const struct op_model *m, const struct op_write_opts *opts,
		 struct op_sink *out, struct op_err *err);

#endif
