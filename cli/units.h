// SPDX-License-Identifier: Apache-2.0
/* cli/units.h: values as people read them: 9.81s, 120ms, 1.50MiB, 12,345.
 *
 * Time and bytes are scaled so that three digits tell the size, counts have
 * their thousands separated, and any other unit stands behind the number.
 */
#ifndef OP_CLI_UNITS_H
#define OP_CLI_UNITS_H

#include "base/buf.h"
#include "model/model.h"

enum units_kind { UNITS_COUNT, UNITS_TIME, UNITS_BYTES, UNITS_OTHER };

struct units_scale;

/* How the values of a profile are shown. All zero: as counts. */
struct units {
	enum units_kind kind;
	uint64_t ns;			 /* of time: what 1 stands for */
	struct op_view name;		 /* of any other unit */
	const struct units_scale *fixed; /* NULL: by the size of the value */
};

/* The help of --unit. */
#define UNITS_ARG "ns|us|ms|s|min|h|B|kB|KiB|MB|MiB|GB|GiB|TB|TiB|count"

/* By the unit of a profile; fixed is the value of --unit, or NULL. OP_EUSAGE:
 * it is no unit, or the values are no such thing. A count of samples that were
 * taken at a period of time can be shown as time. The model must outlive u. */
int units_init(struct units *u, const struct op_model *m,
	       const struct op_profile *p, const char *fixed,
	       struct op_err *err);

/* Appends a value, printable; gap stands between the number and its unit. */
void units_text(struct op_buf *out, const struct units *u, int64_t v,
		const char *gap);

/* Appends nanoseconds as a time of the best unit. */
void units_duration(struct op_buf *out, uint64_t ns, const char *gap);

#endif
