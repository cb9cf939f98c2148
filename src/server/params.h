// SPDX-License-Identifier: Apache-2.0
/* server/params.h: the parameters behind the ? of an address. */
#ifndef OP_SERVER_PARAMS_H
#define OP_SERVER_PARAMS_H

#include "base/vec.h"
#include "base/view.h"

enum { OP_MAX_PARAMS = 64 };

struct op_param {
	const char *name, *value;
};

struct op_params {
	struct op_arena mem;
	OP_VEC(struct op_param) list;
};

/* Reads "a=1&b=%2B5s". OP_EUSAGE: an escape is not valid, a name is given
 * twice, or there are too many. p is all zero; on failure it is to be freed
 * too. */
int op_params_parse(struct op_params *p, struct op_view text,
		    struct op_err *err);
void op_params_free(struct op_params *p);

/* The value of a parameter; NULL if it is not given or empty. */
const char *op_param(const struct op_params *p, const char *name);

/* The same as a whole number of at most max, or fallback if it is not given.
 * OP_EUSAGE in err: it is none. */
uint64_t op_param_number(const struct op_params *p, const char *name,
			 uint64_t fallback, uint64_t max, struct op_err *err);

#endif
