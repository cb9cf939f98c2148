// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/value.h: values of any type: read, skipped, as text. */
#ifndef OP_FMT_JFR_VALUE_H
#define OP_FMT_JFR_VALUE_H

#include "fmt/jfr/chunk.h"

void op_jfr_skip(struct op_jfr_chunk *c, struct op_jfr_cur *in,
		 const struct op_jfr_field *f);
/* A number, whatever its width; of a float its bits. */
uint64_t op_jfr_number(struct op_jfr_cur *in, enum op_jfr_kind kind);
/* A string as text in UTF-8, in the chunk's memory or its bytes. */
struct op_view op_jfr_text(struct op_jfr_chunk *c, struct op_jfr_cur *in);

#endif
