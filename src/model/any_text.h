// SPDX-License-Identifier: Apache-2.0
/* model/any_text.h: values of any kind as JSON and as plain text. */
#ifndef OP_MODEL_ANY_TEXT_H
#define OP_MODEL_ANY_TEXT_H

#include "model/model.h"
#include "pb/json_write.h"

/* As JSON that does not preserve kinds: bytes are a string of hex digits. */
void op_any_json(struct op_json *w, const struct op_model *m,
		 const struct op_any *v);

/* As text: strings as they are, true, 12, 1.5, bytes in hex, nothing for no
 * value, JSON for lists. */
void op_any_plain(struct op_buf *out, const struct op_model *m,
		  const struct op_any *v);

#endif
