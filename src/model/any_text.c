// SPDX-License-Identifier: Apache-2.0
/* model/any_text.c: attribute values as text. */
#include "model/any_text.h"

#include "base/number.h"

static void list_json(struct op_json *w, const struct op_model *m,
		      const struct op_any *v)
{
	bool kvs = v->kind == OP_ANY_KVLIST;

	op_json_open(w, kvs ? '{' : '[');
	for (uint32_t i = 0; i < v->n; i++) {
		if (kvs)
			op_json_key_view(w, op_kv_key(m, &v->kvlist[i]));
		op_any_json(w, m, kvs ? &v->kvlist[i].value : &v->array[i]);
	}
	op_json_close(w, kvs ? '}' : ']');
}

/* The depth that readers and builders allow limits the recursion. */
void op_any_json(struct op_json *w, const struct op_model *m,
		 const struct op_any *v)
{
	switch (v->kind) {
	case OP_ANY_NONE:
		op_json_null(w);
		break;
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		op_json_string(w, op_any_text(m, v));
		break;
	case OP_ANY_BOOL:
		op_json_bool(w, v->flag);
		break;
	case OP_ANY_INT:
		op_json_int(w, v->num);
		break;
	case OP_ANY_DOUBLE:
		op_json_double(w, v->real);
		break;
	case OP_ANY_BYTES:
		op_json_hex(w, v->bytes);
		break;
	default:
		list_json(w, m, v);
	}
}

void op_any_plain(struct op_buf *out, const struct op_model *m,
		  const struct op_any *v)
{
	struct op_json w = { .out = out };

	switch (v->kind) {
	case OP_ANY_NONE:
		break;
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		op_buf_view(out, op_any_text(m, v));
		break;
	case OP_ANY_BYTES:
		op_buf_hex(out, v->bytes);
		break;
	case OP_ANY_DOUBLE:
		op_buf_z(out, op_double_text(v->real).s);
		break;
	default:
		op_any_json(&w, m, v);
	}
}
