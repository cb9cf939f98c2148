// SPDX-License-Identifier: Apache-2.0
/* Files whose stacks seldom repeat: their samples are read in batches. */
#include "fmt/pprof/pprof.h"

#include "fmt/pprof/fields.h"
#include "pb/write.h"
#include "test.h"

enum {
	SAMPLES = 80000,
	KINDS = 79000, /* the last samples are like the first ones */
	LOCATIONS = 300,
	TIME_KEY = 2, /* a string */
};

static bool is_odd(uint32_t i)
{
	return i % 97 == 5;
}

static bool is_timed(uint32_t i)
{
	return i % 1009 == 7;
}

static void label_write(struct op_pbw *w, uint32_t time)
{
	size_t end = op_pbw_mark(w);

	op_pbw_uint(w, PPROF_LABEL_NUM, time);
	op_pbw_uint(w, PPROF_LABEL_KEY, TIME_KEY);
	op_pbw_len(w, PPROF_SAMPLE_LABEL, end);
}

/* The digits of its kind are the frames, and its number is the value. */
static void sample_write(struct op_pbw *w, uint32_t i, uint32_t last_frame)
{
	uint32_t kind = i % KINDS;
	uint32_t frames[40];
	int64_t value = i;
	size_t end = op_pbw_mark(w);

	for (size_t k = 0; k < op_countof(frames); k++)
		frames[k] = (uint32_t)k % LOCATIONS + 1;
	frames[0] = kind % LOCATIONS + 1;
	frames[1] = kind / LOCATIONS + 1;
	frames[op_countof(frames) - 1] = last_frame;
	if (is_timed(i))
		label_write(w, i + 1);
	if (is_odd(i))
		op_pbw_packed_u32(w, PPROF_SAMPLE_LOCATION, frames,
				  op_countof(frames));
	op_pbw_packed_i64(w, PPROF_SAMPLE_VALUE, &value, 1);
	if (!is_odd(i))
		op_pbw_packed_u32(w, PPROF_SAMPLE_LOCATION, frames,
				  op_countof(frames));
	op_pbw_len(w, PPROF_SAMPLE, end);
}

static void tables_write(struct op_pbw *w)
{
	static const char *const strings[] = { "", "cpu",
					       "otprof.time_unix_nano" };
	size_t end;

	for (size_t i = op_countof(strings); i--;)
		op_pbw_bytes(w, PPROF_STRING, op_view_z(strings[i]));
	for (uint32_t i = LOCATIONS; i; i--) {
		end = op_pbw_mark(w);
		op_pbw_uint(w, PPROF_LOCATION_ADDRESS, 0x1000 + i);
		op_pbw_uint(w, PPROF_ROW_ID, i);
		op_pbw_len(w, PPROF_LOCATION, end);
	}
	end = op_pbw_mark(w);
	op_pbw_uint(w, PPROF_TYPE_TYPE, 1);
	op_pbw_len(w, PPROF_SAMPLE_TYPE, end);
}

/* Of which kind a sample of the model is. */
static uint32_t kind_of(const struct op_model *m, uint32_t stack)
{
	struct op_ids ids = op_list(&m->dict.stacks, stack);
	const struct op_location *locations = m->dict.locations;

	CHECK_EQ(ids.n, 40);
	for (uint32_t k = 2; k < ids.n; k++)
		CHECK_EQ(locations[ids.p[k]].address,
			 k + 1 < ids.n ? 0x1001 + k : 0x1001);
	return (uint32_t)(locations[ids.p[0]].address - 0x1001 +
			  (locations[ids.p[1]].address - 0x1001) * LOCATIONS);
}

/* What the samples with times, or without, have of each kind. */
static void profile_check(const struct op_model *m, const struct op_profile *p,
			  bool timed)
{
	static int64_t want[KINDS];
	static uint32_t first[KINDS]; /* the first sample of it, and 1 */
	uint32_t nr = 0, last = 0;

	memset(want, 0, sizeof(want));
	memset(first, 0, sizeof(first));
	for (uint32_t i = 0; i < SAMPLES; i++) {
		if (is_timed(i) != timed)
			continue;
		if (!first[i % KINDS]) {
			first[i % KINDS] = i + 1;
			nr++;
		}
		want[i % KINDS] += i;
	}
	CHECK_EQ(p->nr_samples, nr);
	for (uint32_t i = 0; i < p->nr_samples && !test_failed; i++) {
		uint32_t kind = kind_of(m, p->stack[i]);

		CHECK(kind < KINDS);
		CHECK_EQ(op_sample_total(p, i), want[kind]);
		CHECK(first[kind] > last);
		last = first[kind];
	}
}

TEST(seldom_repeat)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	struct op_model m = { 0 };
	const struct op_scope *s;

	tables_write(&w);
	for (uint32_t i = SAMPLES; i--;)
		sample_write(&w, i, 1);
	CHECK_EQ(op_pprof_decode(&m, op_pbw_result(&w), &err), OP_OK);
	if (!err.code) {
		s = &m.resources[0].scopes[0];
		CHECK_EQ(s->nr_profiles, 2);
		profile_check(&m, &s->profiles[0], false);
		profile_check(&m, &s->profiles[1], true);
	}
	op_model_free(&m);
	op_pbw_free(&w);
}

/* An id without a location is told of where it stands. */
TEST(unknown_location)
{
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err };
	struct op_model m = { 0 };
	size_t behind = 0;

	tables_write(&w);
	for (uint32_t i = SAMPLES; i--;) {
		if (i == SAMPLES - 40)
			behind = op_pbw_mark(&w);
		sample_write(&w, i, i == SAMPLES - 40 ? LOCATIONS + 9 : 1);
	}
	/* Two bytes of the id, then the value: tag, length, three bytes. */
	behind = op_pbw_mark(&w) - behind - 7;
	CHECK_EQ(op_pprof_decode(&m, op_pbw_result(&w), &err), OP_EFORMAT);
	CHECK_EQ(err.at, behind);
	op_model_free(&m);
	op_pbw_free(&w);
}

TEST_MAIN(seldom_repeat, unknown_location)
