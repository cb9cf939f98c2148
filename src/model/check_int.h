// SPDX-License-Identifier: Apache-2.0
/* model/check_int.h: shared by the files of the checker. */
#ifndef OP_MODEL_CHECK_INT_H
#define OP_MODEL_CHECK_INT_H

#include "model/check.h"

struct op_checker {
	const struct op_model *m;
	const struct op_check_opts *opts;
	op_finding_fn *fn;
	void *ctx;
	struct op_check_result *out;
	struct op_err *err;
	struct op_arena mem;
	char path[128]; /* of the message being checked */
};

/* Reports that field of the message at c->path violates a rule. field may be
 * empty. */
op_cold void op_check_say(struct op_checker *c, enum op_rule rule,
			  const char *field, const char *fmt, ...)
	op_printf(4, 5);

/* Sets c->path. */
void op_check_at(struct op_checker *c, const char *fmt, ...) op_printf(2, 3);

/* Whether an id is within its table; reports it otherwise. */
bool op_check_id(struct op_checker *c, const char *field, uint32_t id,
		 enum op_table t);

/* The attribute list of a message: ids in range, no duplicate keys. */
void op_check_set(struct op_checker *c, uint32_t set);

/* Attributes of a resource or scope, at c->path. */
void op_check_kvs(struct op_checker *c, const char *field, struct op_kvs kvs);

/* A value: references in range, strings UTF-8, no duplicate keys in a list. */
void op_check_any(struct op_checker *c, const char *field,
		  const struct op_any *v);
void op_check_utf8(struct op_checker *c, const char *field, struct op_view v);

/* check_dict.c: the rows of all tables. */
void op_check_dict(struct op_checker *c);

/* check_rows.c: duplicate and unused rows. */
void op_check_duplicates(struct op_checker *c);
void op_check_orphans(struct op_checker *c);

op_inline bool op_check_has(const struct op_checker *c, uint32_t id,
			    enum op_table t)
{
	return id < c->m->dict.nr[t];
}

#endif
