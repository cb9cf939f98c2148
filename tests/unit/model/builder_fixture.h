// SPDX-License-Identifier: Apache-2.0
/* unit/model/builder_fixture.h: what the tests of the builder share. */
#ifndef OP_TESTS_BUILDER_FIXTURE_H
#define OP_TESTS_BUILDER_FIXTURE_H

#include "model/builder.h"
#include "test.h"

#define TEXT(s) ((struct op_view){ (const uint8_t *)(s), sizeof(s) - 1 })

/* A model being built; after finish() x.m is the result. */
struct build {
	struct op_model m;
	struct op_err err;
	struct op_builder b;
};

static inline void begin(struct build *x)
{
	*x = (struct build){ 0 };
	CHECK_EQ(op_builder_init(&x->b, &x->m, &x->err), OP_OK);
}

static inline void finish(struct build *x)
{
	CHECK_EQ(op_builder_finish(&x->b), OP_OK);
}

static const struct op_resource no_resource;
static const struct op_scope no_scope;
static const struct op_profile no_profile;

/* One resource and scope with an empty profile, which is profile 0. */
static inline void begin_profile(struct build *x)
{
	begin(x);
	CHECK_EQ(op_build_resource(&x->b, &no_resource, NULL), 0);
	CHECK_EQ(op_build_scope(&x->b, 0, &no_scope, NULL), 0);
	CHECK_EQ(op_build_profile(&x->b, 0, &no_profile), 0);
}

static inline const struct op_profile *finish_profile(struct build *x)
{
	finish(x);
	CHECK_EQ(x->m.nr_resources, 1);
	return &x->m.resources[0].scopes[0].profiles[0];
}

static inline uint32_t put(struct build *x, const char *s)
{
	return op_build_string(&x->b, op_view_z(s));
}

static inline struct op_any text(const char *s)
{
	return (struct op_any){ .kind = OP_ANY_STRING, .bytes = op_view_z(s) };
}

static inline struct op_any number(int64_t v)
{
	return (struct op_any){ .kind = OP_ANY_INT, .num = v };
}

#endif
