// SPDX-License-Identifier: Apache-2.0
/* fmt/otep239/read.c: profiles of OTEP 239 into a model.
 *
 * The draft says that its reader can read pprof, whose rows have ids that
 * others refer to, where here they refer to places, counted from 0. Which it
 * is shows in the ids and in who refers to 0. */
#include "fmt/otep239/otep239_int.h"

#include "fmt/draft/profile.h"
#include "fmt/pprof/pprof.h"

/* --- ids or places --- */

static bool has_zero(struct op_cur run)
{
	while (op_cur_more(&run))
		if (!op_cur_varint(&run))
			return true;
	return false;
}

/* Whether a sample refers to location 0, which no id can be. */
static bool refers_to_first(struct op_draft *r, struct op_cur c,
			    const struct op_draft_profile *p)
{
	struct op_pb_field f, g;

	for (size_t i = 0; i < p->locations.n; i++)
		if (!p->locations.p[i])
			return true;
	while (op_pb_next(&c, &f)) {
		struct op_cur sample = op_pb_sub(&c, &f);

		if (op_pb_key(&f) != OP_PB(EXT_SAMPLE, OP_PB_LEN))
			continue;
		while (op_pb_next(&sample, &g))
			if (g.num == EXT_SAMPLE_LOCATION &&
			    has_zero(op_pb_sub(&sample, &g)))
				return true;
	}
	return r->err->code;
}

/* --- profiles --- */

/* Times and durations are signed here. */
static uint64_t positive(uint64_t v)
{
	return (int64_t)v > 0 ? v : 0;
}

static void profile_build(struct op_draft *r, struct op_cur c,
			  struct op_draft_profile *p)
{
	const uint8_t *at = c.p;
	struct op_pb_field f;

	op_draft_head(r, c, &r->layout->head, p);
	op_draft_comments(r, &p->comments, at, &p->attrs);
	op_draft_default(r, p, p->types.n - 1);
	p->head.attrs = op_draft_set(r, &p->attrs);
	p->head.duration_ns = positive(p->head.duration_ns);
	op_draft_range(&p->head,
		       p->start ? p->start : positive(p->head.time_ns), p->end);
	if (op_draft_has_ids(r, OP_LOCATIONS) && !refers_to_first(r, c, p))
		op_draft_use_ids(r);
	op_draft_mappings(r);
	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) != OP_PB(EXT_SAMPLE, OP_PB_LEN))
			continue;
		op_draft_sample_read(r, op_pb_sub(&c, &f), p);
		op_draft_sample_build(r, p);
	}
	op_draft_profile_end(r, p);
}

static void container_read(struct op_draft *r, struct op_cur c, uint32_t scope)
{
	static const struct op_draft_head container = {
		.id = CONTAINER_ID,
		.start = CONTAINER_START,
		.end = CONTAINER_END,
		.attrs = CONTAINER_ATTRIBUTES,
		.dropped = CONTAINER_DROPPED,
		.payload_format = CONTAINER_PAYLOAD_FORMAT,
		.payload = CONTAINER_PAYLOAD,
	};
	struct op_draft_profile *p = r->ctx;
	struct op_cur body = c, again = c;
	struct op_pb_field f;

	body.end = body.p;
	op_draft_profile_begin(r, p, scope);
	while (op_pb_next(&again, &f))
		if (op_pb_key(&f) == OP_PB(CONTAINER_PROFILE, OP_PB_LEN))
			body = op_pb_sub(&again, &f);
	/* Units of attributes are in the tables. */
	op_draft_tables(r, body);
	op_draft_head(r, c, &container, p);
	if (!r->err->code)
		profile_build(r, body, p);
}

static void bare_read(struct op_draft *r, struct op_cur c, uint32_t scope)
{
	op_draft_profile_begin(r, r->ctx, scope);
	op_draft_tables(r, c);
	if (!r->err->code)
		profile_build(r, c, r->ctx);
}

/* --- the whole --- */

/* Whether a message is a profile without a container: the first field 1 is a
 * type, which has only numbers, or there are fields that ProfilesData has
 * not. */
static bool is_bare(struct op_view msg)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f, g;

	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (f.num > 1)
			return true;
		if (op_pb_next(&sub, &g) && g.wire == OP_PB_VARINT)
			return true;
	}
	return false;
}

/* Whether a bare profile is pprof's: nothing in it is of the draft. */
static bool is_pprof(struct op_view msg)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f, g;

	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		if (f.num > EXT_LOCATION_INDICES)
			return false;
		if (f.num == EXT_LOCATION_INDICES && f.wire == OP_PB_LEN)
			return false;
		if (op_pb_key(&f) != OP_PB(EXT_SAMPLE, OP_PB_LEN))
			continue;
		while (op_pb_next(&sub, &g))
			if (g.num > EXT_SAMPLE_LABEL)
				return false;
	}
	return true;
}

int op_otep239_decode(struct op_model *m, struct op_view msg,
		      struct op_err *err)
{
	struct op_draft r = { .layout = &op_otep239_layout };
	struct op_draft_profile p = { 0 };

	r.ctx = &p;
	if (!is_bare(msg))
		return op_draft_read(&r, m, op_cur(msg, err), container_read);
	if (is_pprof(msg))
		return op_pprof_decode(m, msg, err);
	return op_draft_read_bare(&r, m, op_cur(msg, err), bare_read);
}
