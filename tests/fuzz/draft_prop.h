// SPDX-License-Identifier: Apache-2.0
/* What the fuzz targets of the drafts share.
 *
 * What is read keeps the invariants of the model; written and read again its
 * content is the same, unless the writer tells of a loss. What came from OTLP
 * can always be written and read, and stays the same from then on. */
#ifndef OP_TESTS_FUZZ_DRAFT_PROP_H
#define OP_TESTS_FUZZ_DRAFT_PROP_H

#include "fuzz/prop.h"
#include "model/content.h"

typedef int draft_decode_fn(struct op_model *m, struct op_view in,
			    struct op_err *err);
typedef int draft_encode_fn(const struct op_model *m,
			    const struct op_write_opts *opts, struct op_pbw *w);

struct draft {
	draft_decode_fn *decode;
	draft_encode_fn *encode;
};

static inline bool draft_quota(const struct op_err *err)
{
	return err->code == OP_ENOMEM || err->code == OP_ELIMIT;
}

static inline void draft_note(void *ctx, const char *text)
{
	PROP(*text);
	*(bool *)ctx = true;
}

/* Written and read again; false if a quota was in the way. *lost is set if the
 * writer tells of a loss. */
static inline bool draft_again(const struct draft *d, const struct op_model *m,
			       struct op_model *out, bool *lost)
{
	struct op_write_opts opts = { .note = draft_note, .ctx = lost };
	struct op_err err = { 0 };
	struct op_pbw w = { .err = &err, .limit = PROP_QUOTA };

	*out = (struct op_model){ .mem.quota = PROP_QUOTA };
	d->encode(m, &opts, &w);
	PROP(!err.code || draft_quota(&err));
	if (!err.code)
		d->decode(out, op_pbw_result(&w), &err);
	if (err.code && !draft_quota(&err))
		fprintf(stderr, "%s at %llu\n", err.text,
			(unsigned long long)err.at);
	PROP(!err.code || draft_quota(&err));
	if (err.code)
		op_model_free(out);
	else
		prop_model(out);
	op_pbw_free(&w);
	return !err.code;
}

/* Ids from the content, whatever they were. */
static inline void draft_ids(struct op_model *m)
{
	struct op_err err = { 0 };
	struct op_walk w = { 0 };

	while (op_walk_next(m, &w))
		m->resources[w.r].scopes[w.s].profiles[w.p].id_len = 0;
	op_content_ids(m, &err);
	PROP(!err.code || draft_quota(&err));
}

static inline void draft_same(struct op_model *a, struct op_model *b)
{
	struct op_walk x = { 0 }, y = { 0 };

	draft_ids(a);
	draft_ids(b);
	while (op_walk_next(a, &x)) {
		PROP(op_walk_next(b, &y));
		PROP(!memcmp(x.profile->id, y.profile->id, 16));
	}
	PROP(!op_walk_next(b, &y));
}

static inline void draft_from_itself(const struct draft *d, struct op_view in)
{
	struct op_model m = { .mem.quota = PROP_QUOTA }, second;
	struct op_err err = { 0 };
	bool lost = false;

	if (d->decode(&m, in, &err)) {
		prop_error(&err, in.n);
	} else {
		prop_model(&m);
		if (draft_again(d, &m, &second, &lost)) {
			if (!lost)
				draft_same(&m, &second);
			op_model_free(&second);
		}
	}
	op_model_free(&m);
}

static inline void draft_from_otlp(const struct draft *d, struct op_view in)
{
	struct op_model m = { .mem.quota = PROP_QUOTA }, second, third;
	struct op_err err = { 0 };
	bool lost = false;

	if (!op_otlp_decode(&m, in, NULL, &err) &&
	    draft_again(d, &m, &second, &lost)) {
		lost = false;
		if (draft_again(d, &second, &third, &lost)) {
			if (!lost)
				draft_same(&second, &third);
			op_model_free(&third);
		}
		op_model_free(&second);
	}
	op_model_free(&m);
}

#endif
