// SPDX-License-Identifier: Apache-2.0
/* fmt/speedscope/speedscope_int.h: between the files of speedscope's format.
 *
 *	{ "$schema": ..., "shared": { "frames": [ { name, file, line, col } ] },
 *	  "profiles": [
 *	    { "type": "evented", name, unit, startValue, endValue,
 *	      "events": [ { "type": "O" or "C", frame, at } ] },
 *	    { "type": "sampled", name, unit, startValue, endValue,
 *	      "samples": [ [ frame, ... ] ], "weights": [ ... ] } ] }
 *
 * Stacks are written from the root. Our own facts are in a member "otprof" of
 * a profile (fmt/viewer/metadata.h), with a member "thread".
 */
#ifndef OP_FMT_SPEEDSCOPE_SPEEDSCOPE_INT_H
#define OP_FMT_SPEEDSCOPE_SPEEDSCOPE_INT_H

#include "fmt/format.h"

#define OP_SPEEDSCOPE_SCHEMA \
	"https://www.speedscope.app/file-format-schema.json"

int op_speedscope_read(struct op_view in, const struct op_read_opts *opts,
		       op_model_fn *fn, void *ctx, struct op_err *err);

int op_speedscope_write(const struct op_model *m,
			const struct op_write_opts *opts, struct op_sink *sink,
			struct op_err *err);

#endif
