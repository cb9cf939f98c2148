// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp_json/common.h: what the messages of all signals have in common, as
 * JSON: values, scopes, resources.
 *
 * Strings by reference stay references if strings is NULL; else they are
 * written as the texts they have there. */
#ifndef OP_FMT_OTLP_JSON_COMMON_H
#define OP_FMT_OTLP_JSON_COMMON_H

#include "model/model.h"
#include "pb/json_write.h"

/* --- fields that are left out when zero --- */

op_inline void op_json_uint_field(struct op_json *w, const char *key,
				  uint32_t v)
{
	if (!v)
		return;
	op_json_key(w, key);
	op_json_uint(w, v);
}

op_inline void op_json_uint64_field(struct op_json *w, const char *key,
				    uint64_t v)
{
	if (!v)
		return;
	op_json_key(w, key);
	op_json_uint_text(w, v);
}

op_inline void op_json_int64_field(struct op_json *w, const char *key,
				   int64_t v)
{
	if (!v)
		return;
	op_json_key(w, key);
	op_json_int_text(w, v);
}

op_inline void op_json_text_field(struct op_json *w, const char *key,
				  struct op_view v)
{
	if (!v.n)
		return;
	op_json_key(w, key);
	op_json_string(w, v);
}

op_inline void op_json_ids_field(struct op_json *w, const char *key,
				 struct op_ids ids)
{
	if (!ids.n)
		return;
	op_json_key(w, key);
	op_json_ids(w, ids.p, ids.n);
}

/* A key and the bracket behind it. */
op_inline void op_json_field_open(struct op_json *w, const char *key,
				  char bracket)
{
	op_json_key(w, key);
	op_json_open(w, bracket);
}

/* --- messages --- */

/* An object, empty for no value. */
void op_otlp_json_any(struct op_json *w, const struct op_any *v,
		      const struct op_model *strings);

/* The others are fields, left out if they hold nothing. */
void op_otlp_json_kvs(struct op_json *w, const char *key, struct op_kvs kvs,
		      const struct op_model *strings);
void op_otlp_json_scope(struct op_json *w, const struct op_scope *s,
			const struct op_model *strings);
void op_otlp_json_resource(struct op_json *w, const struct op_resource *r,
			   const struct op_model *strings);

#endif
