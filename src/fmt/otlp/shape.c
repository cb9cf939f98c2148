// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/shape.c: the wire types of the fields of every version, to determine
 * how much of a message is OTLP. The inside of resources, scopes and values is
 * not checked: later releases may add to it. */
#include "pb/shape.h"

#include "fmt/otlp/otlp.h"

#define BIT OP_PB_BIT
#define BITS OP_PB_BITS

/* --- what all dialects share --- */

static const struct op_pb_shape numbers_3 = { .varint = BITS(1, 3) };
static const struct op_pb_shape link = { .len = BITS(1, 2) };
static const struct op_pb_shape function = { .varint = BITS(1, 4) };
static const struct op_pb_shape key_value = { .varint = BIT(3),
					      .len = BITS(1, 2) };
static const struct op_pb_shape resource = {
	.varint = BIT(2),
	.len = BIT(3),
	.sub = { { 1, &key_value } },
};
static const struct op_pb_shape scope = {
	.varint = BIT(4),
	.len = BITS(1, 2),
	.sub = { { 3, &key_value } },
};

/* --- from v1.8 on --- */

static const struct op_pb_shape mapping = { .varint = BITS(1, 5),
					    .len = BIT(5) };
static const struct op_pb_shape location = { .varint = BITS(1, 2) | BIT(4),
					     .len = BIT(4),
					     .sub = { { 3, &numbers_3 } } };
static const struct op_pb_shape key_value_unit = { .varint = BIT(1) | BIT(3),
						   .len = BIT(2) };
static const struct op_pb_shape stack = { .varint = BIT(1), .len = BIT(1) };
static const struct op_pb_shape dictionary = {
	.len = BIT(5),
	.sub = { { 1, &mapping },
		 { 2, &location },
		 { 3, &function },
		 { 4, &link },
		 { 6, &key_value_unit },
		 { 7, &stack } },
};
static const struct op_pb_shape sample = { .varint = BITS(1, 4),
					   .i64 = BIT(5),
					   .len = BITS(2, 5) };
static const struct op_pb_shape profile = {
	.varint = BIT(4) | BITS(6, 9) | BITS(11, 12),
	.i64 = BIT(3),
	.len = BITS(7, 12),
	.sub = { { 1, &numbers_3 }, { 2, &sample }, { 5, &numbers_3 } },
};

/* --- up to v1.7 --- */

static const struct op_pb_shape old_mapping = { .varint = BITS(1, 9),
						.len = BIT(5) };
static const struct op_pb_shape old_location = { .varint = BITS(1, 2) |
							   BITS(4, 5),
						 .len = BIT(5),
						 .sub = { { 3, &numbers_3 } } };
static const struct op_pb_shape old_sample = { .varint = BITS(1, 6),
					       .len = BITS(3, 4) | BIT(6) };
static const struct op_pb_shape old_dictionary = {
	.len = BIT(5),
	.sub = { { 1, &old_mapping },
		 { 2, &old_location },
		 { 3, &function },
		 { 4, &link },
		 { 6, &key_value },
		 { 7, &numbers_3 } },
};
static const struct op_pb_shape old_profile = {
	.varint = BITS(3, 5) | BITS(7, 9) | BIT(11) | BIT(14),
	.len = BIT(3) | BIT(8) | BIT(10) | BITS(12, 14),
	.sub = { { 1, &numbers_3 }, { 2, &old_sample }, { 6, &numbers_3 } },
};
static const struct op_pb_shape profile_with_tables = {
	.varint = BIT(5) | BITS(11, 12) | BITS(14, 16) | BIT(19) | BIT(22),
	.len = BIT(5) | BIT(8) | BIT(10) | BIT(15) | BITS(17, 18) |
	       BITS(20, 22),
	.sub = { { 1, &numbers_3 },
		 { 2, &old_sample },
		 { 3, &old_mapping },
		 { 4, &old_location },
		 { 6, &function },
		 { 7, &key_value },
		 { 9, &link },
		 { 13, &numbers_3 } },
};

/* --- the whole message --- */

#define MESSAGE(name, strings, of_profile, ...)                    \
	static const struct op_pb_shape name##_scope = {           \
		.len = BIT(3),                                     \
		.sub = { { 1, &scope }, { 2, &(of_profile) } },    \
	};                                                         \
	static const struct op_pb_shape name##_resource = {        \
		.len = BIT(3),                                     \
		.sub = { { 1, &resource }, { 2, &name##_scope } }, \
	};                                                         \
	static const struct op_pb_shape name = {                   \
		.len = (strings),                                  \
		.sub = { { 1, &name##_resource }, __VA_ARGS__ },   \
	}

MESSAGE(since_v1_8, 0, profile, { 2, &dictionary });
MESSAGE(v1_7, 0, old_profile, { 2, &old_dictionary });
MESSAGE(v1_6, BIT(6), old_profile, { 2, &old_mapping }, { 3, &old_location },
	{ 4, &function }, { 5, &link }, { 7, &key_value }, { 8, &numbers_3 });
MESSAGE(v1_4, 0, profile_with_tables);

struct op_pb_share op_otlp_explain(struct op_view msg, size_t limit)
{
	static const struct op_pb_shape *const shapes[] = { &since_v1_8, &v1_7,
							    &v1_6, &v1_4 };
	struct op_pb_share best = { 0 };

	for (size_t i = 0; i < op_countof(shapes); i++) {
		struct op_pb_share s = op_pb_explain(msg, shapes[i], limit);

		if (!i || s.explained > best.explained)
			best = s;
	}
	return best;
}
