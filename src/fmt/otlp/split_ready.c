// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/split_ready.c: inspects a message without decoding it, to pass it on
 * if it can be sent as is. */
#include "fmt/otlp/dialect.h"
#include "fmt/otlp/fields.h"
#include "fmt/otlp/split_int.h"

bool op_split_id_is_set(const uint8_t *id)
{
	uint64_t w[2];

	memcpy(w, id, sizeof(w));
	return w[0] | w[1];
}

/* What is known of a message without decoding it. */
struct glance {
	uint64_t nr_profiles;
	uint64_t nr_ids;
	uint32_t nr_samples; /* inspected, until the version is certain */
	bool is_current;
	struct op_shape shape;
};

/* After so many ambiguous samples it is quicker to decode. */
enum { MAX_SAMPLES = 256 };

static op_cold void glance_sample(struct glance *g, struct op_cur c)
{
	size_t nr_two = 0, nr_five = 0;
	struct op_pb_field f;
	uint32_t keys = 0;

	while (op_pb_next(&c, &f)) {
		keys |= op_shape_bit(f.num, f.wire);
		if (op_pb_key(&f) == OP_PB(2, OP_PB_LEN))
			nr_two += op_pb_count(f.bytes);
		if (op_pb_key(&f) == OP_PB(5, OP_PB_LEN))
			nr_five += f.bytes.n / 8;
	}
	op_shape_note(&g->shape, keys, nr_two, nr_five);
	g->is_current = op_shape_is_current(&g->shape);
	g->nr_samples++;
}

static void glance_profile(struct glance *g, struct op_cur c)
{
	struct op_pb_field f;
	bool has_id = false;

	g->nr_profiles++;
	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(PROFILE_SAMPLES, OP_PB_LEN)) {
			if (op_unlikely(!g->is_current) &&
			    g->nr_samples < MAX_SAMPLES)
				glance_sample(g, op_pb_sub(&c, &f));
		} else if (op_pb_key(&f) == OP_PB(PROFILE_ID, OP_PB_LEN)) {
			has_id = f.bytes.n == 16 &&
				 op_split_id_is_set(f.bytes.p);
		}
	}
	g->nr_ids += has_id;
}

/* Resource and scope profiles have the nested messages in field 2. */
static void glance_inside(struct glance *g, struct op_cur c, bool is_scope)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) != OP_PB(RESOURCE_PROFILES_SCOPES, OP_PB_LEN))
			continue;
		if (is_scope)
			glance_profile(g, op_pb_sub(&c, &f));
		else
			glance_inside(g, op_pb_sub(&c, &f), true);
	}
}

bool op_split_is_ready(struct op_view message)
{
	struct op_err ignored = { 0 };
	struct op_cur c = op_cur(message, &ignored);
	struct glance g = { 0 };
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(DATA_RESOURCE_PROFILES, OP_PB_LEN))
			glance_inside(&g, op_pb_sub(&c, &f), false);
	return !ignored.code && g.is_current && g.nr_profiles &&
	       g.nr_ids == g.nr_profiles;
}
