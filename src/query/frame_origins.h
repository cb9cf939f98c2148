// SPDX-License-Identifier: Apache-2.0
/* query/frame_origins.h: where the code of frames comes from. */
#ifndef OP_QUERY_FRAME_ORIGINS_H
#define OP_QUERY_FRAME_ORIGINS_H

#include "query/frame_names.h"

/* Views of the model, empty if unknown. */
struct op_frame_origin {
	struct op_view type;   /* native, jvm, ... (profile.frame.type) */
	struct op_view module; /* path of the binary */
	struct op_view file;   /* of the source */
};

/* Of a location, without the file, which is that of a line. */
struct op_frame_origin op_location_origin(const struct op_model *m,
					  uint32_t location);

/* Per text of names, which are made of these parts of frames: the origin of the
 * first frame that is called so, but only what all of them have in common.
 * NULL: out of memory, which mem records. */
struct op_frame_origin *op_frame_origins(const struct op_frame_names *names,
					 const struct op_model *m,
					 unsigned int parts,
					 struct op_arena *mem);

#endif
