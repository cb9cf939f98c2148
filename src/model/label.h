// SPDX-License-Identifier: Apache-2.0
/* model/label.h: what samples can be selected and grouped by.
 *
 * A label is an attribute by its key, or one of these built-in names, which
 * stand for the attributes that different sources use for the same thing:
 *
 *	type, event                    of the profile
 *	service, process, thread, state, class
 *	quality                        how the stack ended; empty: complete
 *	trace, span                    of the sample's link, in hex
 *	function, line, file, module   of the frames of its stack
 *
 * Of several attributes with one key the nearest to the sample counts: its
 * own, then the profile's, the scope's, the resource's. A built-in name is
 * also looked up as the key of an attribute, last.
 */
#ifndef OP_MODEL_LABEL_H
#define OP_MODEL_LABEL_H

#include "base/buf.h"
#include "base/closest.h"
#include "model/model.h"

enum op_label_kind {
	OP_LABEL_ATTRIBUTE,
	OP_LABEL_TYPE,
	OP_LABEL_EVENT,
	OP_LABEL_SERVICE,
	OP_LABEL_PROCESS,
	OP_LABEL_THREAD,
	OP_LABEL_STATE,
	OP_LABEL_CLASS,
	OP_LABEL_QUALITY,
	OP_LABEL_TRACE,
	OP_LABEL_SPAN,
	OP_LABEL_FUNCTION, /* from here on: of frames */
	OP_LABEL_LINE,
	OP_LABEL_FILE,
	OP_LABEL_MODULE,
};

struct op_label {
	enum op_label_kind kind;
	struct op_view name; /* as it was written; the key of an attribute */
};

/* The label of that name, of which it has a view. */
struct op_label op_label_named(struct op_view name);

op_inline bool op_label_is_frame(struct op_label l)
{
	return l.kind >= OP_LABEL_FUNCTION;
}

/* Attributes: a set of the dictionary or, if kvs is not NULL, a list. */
struct op_attr_source {
	uint32_t set;
	const struct op_kvs *kvs;
};

/* The values that the attributes have for a label, by its keys in their order:
 *	const struct op_any *v;
 *	for (size_t k = 0; (v = op_label_value(m, l, source, &k));)
 */
const struct op_any *op_label_value(const struct op_model *m, struct op_label l,
				    struct op_attr_source s, size_t *k);

/* Appends one of these values as text. */
void op_label_value_text(struct op_buf *out, const struct op_model *m,
			 struct op_label l, const struct op_any *v);

/* Appends the text of a label, as "main (12)"; false: there is no value. */
bool op_label_text(struct op_buf *out, const struct op_model *m,
		   struct op_label l, struct op_attr_source s);

/* Appends the trace or span id of a link in hex; false: it has none. */
bool op_label_link_text(struct op_buf *out, const struct op_model *m,
			struct op_label l, uint32_t link);

/* The event that a profile was made of, by whichever attribute names it; empty
 * if none does. */
struct op_view op_profile_event(const struct op_model *m,
				const struct op_profile *p);

/* Whether the model has an attribute for this label; those of frames and of
 * profiles are always there. If not, the closest name that is. */
bool op_label_exists(const struct op_model *m, struct op_label l,
		     struct op_closest *closest);

#endif
