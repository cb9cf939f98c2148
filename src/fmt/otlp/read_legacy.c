// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/read_legacy.c: OTLP Profiles v1.4 to v1.7 into the model.
 *
 * These releases have no null element at index 0 (an absent mapping or link is
 * an absent field), stacks are slices of a list of locations, several sample
 * types share a profile, and units belong to attribute keys: they are read as
 * the drafts before them are, by layouts.
 *
 *	                     v1.4, v1.5      v1.6             v1.7
 *	tables               in Profile      in ProfilesData  in dictionary
 *	                     (fields below)  2 to 8           1 to 7
 *	Sample               1 first location, 2 number of locations, 3 values,
 *	                     4 attributes, 5 link, 6 times (varints)
 *	Location             as today, but 4 is_folded, 5 attributes
 *	Mapping              as today, and 6 to 9 has_functions ...
 *	attribute            KeyValue; AttributeUnit is 1 key, 2 unit (strings)
 */
#include "fmt/otlp/read_legacy.h"

#include "fmt/draft/profile.h"
#include "fmt/otlp/fields.h"

/* What all of them have in common. */
#define RELEASE                                                         \
	.attrs = OP_DRAFT_PAIRS, .optional = true, .lenient = true,     \
	.times_in_ns = true, .folded_first = true, .own_samples = true, \
	.last_default = true, .max_types = 64,                          \
	.sample = { .first = 1,                                         \
		    .nr = 2,                                            \
		    .values = 3,                                        \
		    .attrs = 4,                                         \
		    .link = 5,                                          \
		    .times = 6 },                                       \
	.function = { .name = FUNCTION_NAME,                            \
		      .system_name = FUNCTION_SYSTEM_NAME,              \
		      .filename = FUNCTION_FILENAME,                    \
		      .start_line = FUNCTION_START_LINE },              \
	.location = { .mapping = LOCATION_MAPPING,                      \
		      .address = LOCATION_ADDRESS,                      \
		      .line = LOCATION_LINES,                           \
		      .is_folded = 4,                                   \
		      .attrs = 5 },                                     \
	.mapping = { .start = MAPPING_START,                            \
		     .limit = MAPPING_LIMIT,                            \
		     .offset = MAPPING_OFFSET,                          \
		     .filename = MAPPING_FILENAME,                      \
		     .attrs = MAPPING_ATTRIBUTES,                       \
		     .first_flag = 6 }

static const struct op_draft_layout in_profile = {
	RELEASE,
	.table = {
		[OP_MAPPINGS] = 3,
		[OP_LOCATIONS] = 4,
		[OP_FUNCTIONS] = 6,
		[OP_ATTRS] = 7,
		[OP_LINKS] = 9,
		[OP_STRINGS] = 10,
	},
	.units = 8,
	.head = {
		.type = PROFILE_SAMPLE_TYPE,
		.locations = 5,
		.time = 11,
		.duration = 12,
		.period_type = 13,
		.period = 14,
		.comments = 15,
		.default_name = 16,
		.id = 17,
		.attrs = 18,
		.dropped = 19,
		.payload_format = 20,
		.payload = 21,
		.attr_ids = 22,
	},
};

#define PROFILE_OF_V1_6                        \
	.head = { .type = PROFILE_SAMPLE_TYPE, \
		  .locations = 3,              \
		  .time = 4,                   \
		  .duration = 5,               \
		  .period_type = 6,            \
		  .period = 7,                 \
		  .comments = 8,               \
		  .default_index = 9,          \
		  .id = 10,                    \
		  .dropped = 11,               \
		  .payload_format = 12,        \
		  .payload = 13,               \
		  .attr_ids = 14 }

static const struct op_draft_layout in_data = {
	RELEASE,
	PROFILE_OF_V1_6,
	.in_data = true,
	.table = {
		[OP_MAPPINGS] = 2,
		[OP_LOCATIONS] = 3,
		[OP_FUNCTIONS] = 4,
		[OP_LINKS] = 5,
		[OP_STRINGS] = 6,
		[OP_ATTRS] = 7,
	},
	.units = 8,
};

static const struct op_draft_layout in_dictionary = {
	RELEASE,
	PROFILE_OF_V1_6,
	.in_data = true,
	.dictionary = DATA_DICTIONARY,
	.table = {
		[OP_MAPPINGS] = 1,
		[OP_LOCATIONS] = 2,
		[OP_FUNCTIONS] = 3,
		[OP_LINKS] = 4,
		[OP_STRINGS] = 5,
		[OP_ATTRS] = 6,
	},
	.units = 7,
};

struct legacy {
	struct op_draft_profile profile;
	bool counts_one_more; /* every slice of it, see slice_cut() */
	uint64_t nr_cut;      /* slices that were shortened */
	bool no_data;	      /* a sample had no value, no timestamp */
};

/* If it distinguishes threads, the agent of async-profiler 4.2 counts one
 * location too many in every slice: slices overlap by one, and the last one
 * ends after the list. */
static void slice_cut(struct legacy *l)
{
	struct op_draft_sample *s = &l->profile.sample;
	uint64_t end = s->first + s->nr;

	if (!s->nr ||
	    (!l->counts_one_more && end != l->profile.locations.n + 1))
		return;
	s->nr--;
	l->nr_cut++;
}

/* Whether the slices of a profile follow each other with an overlap of one, up
 * to one location after the end of the list. */
static bool counts_one_more(const struct op_draft *r, struct op_cur c,
			    size_t nr_locations)
{
	uint64_t next = 0;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		uint64_t first = 0, nr = 0;
		struct op_cur sample = op_pb_sub(&c, &f);

		if (op_pb_key(&f) != OP_PB(PROFILE_SAMPLES, OP_PB_LEN))
			continue;
		while (op_pb_next(&sample, &f)) {
			first = f.num == r->layout->sample.first ? f.v : first;
			nr = f.num == r->layout->sample.nr ? f.v : nr;
		}
		if (first != next || !nr)
			return false;
		next = first + nr - 1;
	}
	return next && next == nr_locations;
}

static void profile_read(struct op_draft *r, struct op_cur c, uint32_t scope)
{
	struct legacy *l = r->ctx;
	struct op_draft_profile *p = &l->profile;
	const uint8_t *at = c.p;
	struct op_pb_field f;

	op_draft_profile_begin(r, p, scope);
	if (!r->layout->in_data)
		op_draft_tables(r, c);
	op_draft_head(r, c, &r->layout->head, p);
	op_draft_default(r, p, p->default_index);
	op_draft_comments(r, &p->comments, at, &p->attrs);
	p->head.attrs = op_draft_set(r, &p->attrs);
	l->counts_one_more = counts_one_more(r, c, p->locations.n);
	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) != OP_PB(PROFILE_SAMPLES, OP_PB_LEN))
			continue;
		op_draft_sample_read(r, op_pb_sub(&c, &f), p);
		l->no_data |= !p->sample.values.n && !p->sample.times.n;
		slice_cut(l);
		op_draft_sample_build(r, p);
	}
	op_draft_profile_end(r, p);
}

static const struct op_draft_layout *layout_of(const struct op_dialect *dialect)
{
	if (dialect == &op_dialect_v1_7)
		return &in_dictionary;
	return dialect == &op_dialect_v1_6 ? &in_data : &in_profile;
}

int op_legacy_decode(struct op_model *m, struct op_cur in,
		     const struct op_dialect *dialect,
		     const struct op_read_opts *read, struct op_shape *shape)
{
	struct op_draft r = { .layout = layout_of(dialect) };
	struct legacy l = { 0 };

	r.ctx = &l;
	op_draft_read(&r, m, in, profile_read);
	shape->no_data = l.no_data;
	if (!l.nr_cut)
		return in.err->code;
	return op_note_skipped(read, in.err,
			       "%llu stacks are one location too long: "
			       "truncated",
			       (unsigned long long)l.nr_cut);
}
