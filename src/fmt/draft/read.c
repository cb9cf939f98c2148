// SPDX-License-Identifier: Apache-2.0
/* fmt/draft/read.c: the messages around the profiles, and attributes. */
#include "fmt/draft/read.h"

#include "base/budget.h"
#include "fmt/otlp/fields.h"

void op_draft_fail(struct op_draft *r, const uint8_t *at, const char *what,
		   uint64_t i, size_t nr)
{
	op_fail_at(r->err, OP_EFORMAT, (uint64_t)(at - r->file.base),
		   "%s index %llu is out of range for a table of %zu", what,
		   (unsigned long long)i, nr);
}

enum { STEPS_A_ROW = 8 };

bool op_draft_allow(struct op_draft *r, uint64_t nr, const uint8_t *at)
{
	if (nr > r->left) {
		op_fail_at(r->err, OP_ELIMIT, (uint64_t)(at - r->file.base),
			   "lists overlap too much");
		return false;
	}
	r->left -= nr;
	return !op_work(nr * STEPS_A_ROW, r->err);
}

void op_draft_numbers(struct op_draft *r, struct op_cur run,
		      struct op_draft_numbers *out)
{
	/* No number is shorter than a byte. */
	if (!op_vec_reserve(&r->scratch, out, op_cur_left(&run)))
		return;
	while (op_cur_more(&run))
		out->p[out->n++] = op_cur_varint(&run);
}

/* --- around the profiles --- */

static void scope_profiles(struct op_draft *r, struct op_cur c,
			   uint32_t resource, op_draft_profile_fn *fn)
{
	struct op_scope head = { 0 };
	struct op_cur again = c;
	struct op_pb_field f;
	uint32_t scope;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) == OP_PB(SCOPE_PROFILES_SCOPE, OP_PB_LEN))
			op_wire_scope(&r->wire, op_pb_sub(&c, &f), &head);
		if (op_pb_key(&f) ==
		    OP_PB(SCOPE_PROFILES_SCHEMA_URL, OP_PB_LEN))
			head.schema_url = f.bytes;
	}
	scope = op_build_scope(&r->b, resource, &head, NULL);
	while (op_pb_next(&again, &f))
		if (op_pb_key(&f) == OP_PB(SCOPE_PROFILES_PROFILES, OP_PB_LEN))
			fn(r, op_pb_sub(&again, &f), scope);
}

static void resource_profiles(struct op_draft *r, struct op_cur c,
			      op_draft_profile_fn *fn)
{
	struct op_resource head = { 0 };
	struct op_cur again = c;
	struct op_pb_field f;
	uint32_t resource;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) ==
		    OP_PB(RESOURCE_PROFILES_RESOURCE, OP_PB_LEN))
			op_wire_resource(&r->wire, op_pb_sub(&c, &f), &head);
		if (op_pb_key(&f) ==
		    OP_PB(RESOURCE_PROFILES_SCHEMA_URL, OP_PB_LEN))
			head.schema_url = f.bytes;
	}
	resource = op_build_resource(&r->b, &head, NULL);
	while (op_pb_next(&again, &f))
		if (op_pb_key(&f) == OP_PB(RESOURCE_PROFILES_SCOPES, OP_PB_LEN))
			scope_profiles(r, op_pb_sub(&again, &f), resource, fn);
}

static bool begin(struct op_draft *r, struct op_model *m, struct op_cur in)
{
	r->err = r->scratch.err = in.err;
	r->file = in;
	r->scratch.quota = m->mem.quota;
	r->wire = (struct op_wire){ .mem = &r->scratch, .err = in.err };
	/* References to strings came later; none are valid here. */
	r->wire.nr_strings = 1;
	/* Far more than samples that repeat a stack need, and a bound for what
	 * a small message can make us do. */
	r->left = (uint64_t)op_cur_left(&in) * 256 + 65536;
	return !op_builder_init(&r->b, m, in.err);
}

static int end(struct op_draft *r)
{
	op_arena_free(&r->scratch);
	return op_builder_finish(&r->b);
}

int op_draft_read(struct op_draft *r, struct op_model *m, struct op_cur in,
		  op_draft_profile_fn *fn)
{
	struct op_pb_field f;

	if (begin(r, m, in) && r->layout->in_data)
		op_draft_tables(r, in);
	while (op_pb_next(&in, &f))
		if (op_pb_key(&f) == OP_PB(DATA_RESOURCE_PROFILES, OP_PB_LEN))
			resource_profiles(r, op_pb_sub(&in, &f), fn);
	return end(r);
}

int op_draft_read_bare(struct op_draft *r, struct op_model *m, struct op_cur in,
		       op_draft_profile_fn *fn)
{
	static const struct op_resource resource;
	static const struct op_scope scope;

	if (begin(r, m, in))
		fn(r, in,
		   op_build_scope(&r->b,
				  op_build_resource(&r->b, &resource, NULL),
				  &scope, NULL));
	return end(r);
}

/* --- sniffing --- */

/* Whether all fields of a message are 1 to 3 and of bytes; gives the first
 * number 2 (of ProfilesData, number 1). One that breaks off counts as far as
 * it goes. */
static bool nested(struct op_view in, uint32_t want, uint32_t last,
		   struct op_view *out)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(in, &err);
	struct op_pb_field f;
	bool found = false;

	while (op_pb_next(&c, &f)) {
		if (f.num > last || f.wire != OP_PB_LEN)
			return false;
		if (f.num == want && !found) {
			*out = f.bytes;
			found = true;
		}
	}
	return found;
}

bool op_draft_first_profile(struct op_view in, struct op_view *out)
{
	struct op_view resource, scope;

	return nested(in, DATA_RESOURCE_PROFILES, DATA_RESOURCE_PROFILES,
		      &resource) &&
	       nested(resource, RESOURCE_PROFILES_SCOPES,
		      RESOURCE_PROFILES_SCHEMA_URL, &scope) &&
	       nested(scope, SCOPE_PROFILES_PROFILES, SCOPE_PROFILES_SCHEMA_URL,
		      out);
}

int op_draft_empty_check(const struct op_model *m, int score,
			 struct op_err *err)
{
	if (score || op_model_has_samples(m))
		return OP_OK;
	return op_fail(err, OP_EFORMAT,
		       "no samples, and it does not look like this format");
}
