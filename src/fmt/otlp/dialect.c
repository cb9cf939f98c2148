// SPDX-License-Identifier: Apache-2.0
/* fmt/otlp/dialect.c: detects the wire version of a message by its shape. */
#include "fmt/otlp/dialect.h"

#include "fmt/otlp/fields.h"

const struct op_dialect op_dialect_v1_4 = { "v1.4", OP_FAMILY_SLICES, false };
const struct op_dialect op_dialect_v1_5 = { "v1.5", OP_FAMILY_SLICES, false };
const struct op_dialect op_dialect_v1_6 = { "v1.6", OP_FAMILY_SLICES, false };
const struct op_dialect op_dialect_v1_7 = { "v1.7", OP_FAMILY_SLICES, false };
const struct op_dialect op_dialect_v1_8 = { "v1.8", OP_FAMILY_STACKS, true };
const struct op_dialect op_dialect_v1_9 = { "v1.9", OP_FAMILY_STACKS, false };
const struct op_dialect op_dialect_v1_10 = { "v1.10", OP_FAMILY_STACKS, false };

/* A set of (field, wire type) pairs of one message type. */
struct keys {
	uint64_t varint, i64, len;
};

static void keys_add(struct keys *k, const struct op_pb_field *f)
{
	uint64_t bit = f->num < 64 ? (uint64_t)1 << f->num : 0;

	if (f->wire == OP_PB_VARINT)
		k->varint |= bit;
	else if (f->wire == OP_PB_I64)
		k->i64 |= bit;
	else if (f->wire == OP_PB_LEN)
		k->len |= bit;
}

static bool has(uint64_t set, unsigned int num)
{
	return set >> num & 1;
}

/* Everything the decision depends on. */
struct evidence {
	struct keys data, dict, profile, sample, attribute;
	bool id_of_16;	  /* Profile.7 is 16 bytes: an id, not comments */
	bool comments;	  /* Profile.7 has another length */
	bool link_unlike; /* Sample.4 can only be a link */
	struct op_shape shape;
};

/* Whether field 4 of a sample must be a link rather than unpacked values: these
 * would be the only data, or be packed in part, or come with attributes that
 * are not packed either. */
static bool is_link(uint32_t keys)
{
	const uint32_t data = op_shape_bit(2, OP_PB_LEN) |
			      op_shape_bit(5, OP_PB_LEN) |
			      op_shape_bit(5, OP_PB_I64);
	const uint32_t unpacked = op_shape_bit(2, OP_PB_VARINT) |
				  op_shape_bit(4, OP_PB_LEN);

	return (keys & op_shape_bit(4, OP_PB_VARINT)) && (keys & data) &&
	       !(keys & unpacked);
}

static void look_sample(struct op_cur c, struct evidence *e)
{
	uint32_t keys = 0;
	size_t nr_two = 0, nr_five = 0;
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		keys |= op_shape_bit(f.num, f.wire);
		keys_add(&e->sample, &f);
		if (op_pb_key(&f) == OP_PB(2, OP_PB_LEN))
			nr_two += op_pb_count(f.bytes);
		if (op_pb_key(&f) == OP_PB(5, OP_PB_LEN))
			nr_five += f.bytes.n / 8;
	}
	op_shape_note(&e->shape, keys, nr_two, nr_five);
	e->link_unlike |= is_link(keys);
}

static void look_profile(struct op_cur c, struct evidence *e)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		keys_add(&e->profile, &f);
		if (op_pb_key(&f) == OP_PB(PROFILE_SAMPLES, OP_PB_LEN))
			look_sample(op_pb_sub(&c, &f), e);
		if (op_pb_key(&f) != OP_PB(PROFILE_ID, OP_PB_LEN))
			continue;
		e->id_of_16 |= f.bytes.n == 16;
		e->comments |= f.bytes.n && f.bytes.n != 16;
	}
}

/* Resource and scope profiles have the nested messages in field 2. */
static void look_inside(struct op_cur c, struct evidence *e, int levels)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (op_pb_key(&f) != OP_PB(RESOURCE_PROFILES_SCOPES, OP_PB_LEN))
			continue;
		if (levels > 1)
			look_inside(op_pb_sub(&c, &f), e, levels - 1);
		else
			look_profile(op_pb_sub(&c, &f), e);
	}
}

static void look_dictionary(struct op_cur c, struct evidence *e)
{
	struct op_pb_field f, g;

	while (op_pb_next(&c, &f)) {
		struct op_cur sub = op_pb_sub(&c, &f);

		keys_add(&e->dict, &f);
		if (op_pb_key(&f) != OP_PB(DICT_ATTRIBUTE, OP_PB_LEN))
			continue;
		while (op_pb_next(&sub, &g))
			keys_add(&e->attribute, &g);
	}
}

static void look(struct op_view msg, struct evidence *e)
{
	struct op_err ignored = { 0 };
	struct op_cur c = op_cur(msg, &ignored);
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		keys_add(&e->data, &f);
		if (op_pb_key(&f) == OP_PB(DATA_RESOURCE_PROFILES, OP_PB_LEN))
			look_inside(op_pb_sub(&c, &f), e, 2);
		if (op_pb_key(&f) == OP_PB(DATA_DICTIONARY, OP_PB_LEN))
			look_dictionary(op_pb_sub(&c, &f), e);
	}
}

/* Evidence for releases with slices of locations (v1.6, v1.7) rather than
 * stacks, where one field number has two meanings. */
static int slices_votes(const struct evidence *e)
{
	bool stacks = has(e->dict.len, DICT_STACK); /* or, rarely, units */

	return has(e->profile.len, 3) + has(e->profile.varint, 5) +
	       has(e->profile.len, 6) + has(e->profile.varint, 7) +
	       (has(e->sample.varint, 2) && !stacks) +
	       has(e->sample.varint, 5) + has(e->sample.len, 6) +
	       has(e->sample.varint, 6) + has(e->attribute.len, 1);
}

static int stacks_votes(const struct evidence *e)
{
	return has(e->profile.i64, 3) + has(e->profile.len, 5) +
	       has(e->profile.varint, 6) + has(e->profile.len, 7) +
	       has(e->sample.len, 2) + has(e->sample.len, 5) +
	       has(e->sample.i64, 5) + has(e->attribute.varint, 1);
}

/* Tables at the top: v1.6, where field 2 is a mapping, which consists of
 * numbers. The dictionary has no numbers. */
static bool tables_at_top(const struct evidence *e)
{
	bool dictionary = e->dict.len && !(e->dict.varint & 0xff);

	return e->data.len >> 3 && !dictionary;
}

/* Tables in the profile: v1.4 or v1.5, which differ in one field each. */
static const struct op_dialect *tables_in_profile(const struct evidence *e)
{
	bool tables = has(e->profile.len, 3) || has(e->profile.len, 4) ||
		      has(e->profile.len, 6);

	if (e->data.len >> 2 || !tables)
		return NULL;
	return has(e->profile.len, 22) ? &op_dialect_v1_5 : &op_dialect_v1_4;
}

static const struct op_dialect *v1_8_or_9(const struct evidence *e)
{
	bool v1_8 = has(e->profile.len, 8) || has(e->profile.varint, 9) ||
		    has(e->profile.len, 12) || has(e->profile.varint, 12) ||
		    (e->comments && !e->id_of_16);

	return v1_8 ? &op_dialect_v1_8 : &op_dialect_v1_9;
}

static void allow(struct op_dialect_verdict *v, const struct op_dialect *d)
{
	v->list[v->nr++] = d;
}

/* Of the versions with stacks, v1.10 has no run in field 3 of a sample and the
 * older ones have none in field 4; without fields 2, 3 and 4 they are equal. */
static void stacks_allow(struct op_dialect_verdict *v, const struct evidence *e)
{
	const struct op_dialect *older = v1_8_or_9(e);
	uint64_t moved = (e->sample.varint | e->sample.len) & 0x1c;
	bool never_today = has(e->sample.len, 3);
	bool never_older = has(e->sample.len, 4) ||
			   (!moved && older == &op_dialect_v1_9);
	bool older_first = (e->shape.data_missing &&
			    !has(e->sample.varint, 3)) ||
			   e->link_unlike || older == &op_dialect_v1_8;

	if (never_today && has(e->sample.len, 4)) {
		allow(v, &op_dialect_v1_10);
		v->dialect_note = "its samples mix fields of v1.9 and v1.10";
		v->is_mixed = true;
		return;
	}
	if (!v->dialect_note)
		v->dialect_note =
			"field 2 of its samples may be attributes (v1.10) "
			"or values (v1.9)";
	if (older_first && !never_older)
		allow(v, older);
	if (!never_today)
		allow(v, &op_dialect_v1_10);
	if (!older_first && !never_older)
		allow(v, older);
}

static void slices_allow(struct op_dialect_verdict *v)
{
	v->dialect_note = "it mixes the fields of v1.7 and later releases";
	allow(v, &op_dialect_v1_7);
}

static struct op_dialect_verdict only(const struct op_dialect *d)
{
	return (struct op_dialect_verdict){ .list = { d }, .nr = 1 };
}

struct op_dialect_verdict op_dialect_find(struct op_view msg)
{
	struct evidence e = { 0 };
	struct op_dialect_verdict v = { 0 };
	int slices, stacks;

	look(msg, &e);
	if (op_shape_is_current(&e.shape))
		return only(&op_dialect_v1_10);
	if (tables_at_top(&e))
		return only(&op_dialect_v1_6);
	if (tables_in_profile(&e))
		return only(tables_in_profile(&e));
	slices = slices_votes(&e);
	stacks = stacks_votes(&e);
	if (slices && !stacks)
		return only(&op_dialect_v1_7);
	if (slices > stacks)
		slices_allow(&v);
	stacks_allow(&v, &e);
	if (slices && slices <= stacks)
		slices_allow(&v);
	return v;
}

/* Keys that Sample does not have in the current version, or only unpacked. */
static uint32_t older_keys(void)
{
	return op_shape_bit(2, OP_PB_VARINT) | op_shape_bit(3, OP_PB_LEN) |
	       op_shape_bit(4, OP_PB_VARINT) | op_shape_bit(5, OP_PB_VARINT) |
	       op_shape_bit(6, OP_PB_LEN) | op_shape_bit(6, OP_PB_VARINT);
}

bool op_shape_is_current(const struct op_shape *s)
{
	if (s->keys & older_keys())
		return false;
	if (s->keys & op_shape_bit(4, OP_PB_LEN))
		return true;
	return !s->data_missing && s->uneven;
}

/* The first submessage with this number; empty if there is none. */
static struct op_cur first_of(struct op_cur c, uint32_t num)
{
	struct op_pb_field f;

	while (op_pb_next(&c, &f))
		if (op_pb_key(&f) == OP_PB(num, OP_PB_LEN))
			return op_pb_sub(&c, &f);
	return c;
}

bool op_dialect_looks_older(struct op_view msg)
{
	struct op_err ignored = { 0 };
	struct op_cur c = op_cur(msg, &ignored);
	struct op_pb_field f;
	uint32_t keys = 0;

	c = first_of(c, DATA_RESOURCE_PROFILES);
	c = first_of(c, RESOURCE_PROFILES_SCOPES);
	c = first_of(c, SCOPE_PROFILES_PROFILES);
	c = first_of(c, PROFILE_SAMPLES);
	while (op_pb_next(&c, &f))
		keys |= op_shape_bit(f.num, f.wire);
	return keys & older_keys();
}
