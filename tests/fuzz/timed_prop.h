// SPDX-License-Identifier: Apache-2.0
/* What holds for observations, however a reader gives them: packed, they are
 * written as the same bytes as arrays are, and have the same ids; added up
 * while they are read, they are the same sums as afterwards; and it does not
 * matter how many threads read, nor whether all of the file is in memory. */
#ifndef OP_TESTS_FUZZ_TIMED_PROP_H
#define OP_TESTS_FUZZ_TIMED_PROP_H

#include <sys/mman.h>
#include <unistd.h>

#include "fmt/format.h"
#include "fuzz/prop.h"
#include "model/content.h"
#include "model/filter.h"

struct timed_way {
	enum op_timed timed;
	unsigned int threads;
	bool aggregates; /* in the end */
	bool in_parts;	 /* from a file */
};

struct timed_out {
	struct op_sink sink;
	struct op_buf buf;
};

static inline int timed_put(struct op_sink *sink, struct op_view v,
			    struct op_err *err)
{
	struct timed_out *out = (struct timed_out *)sink;

	op_buf_view(&out->buf, v);
	return err->code;
}

static inline int timed_keep(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)err;
	*(struct op_model *)ctx = *m;
	return OP_OK;
}

static inline void timed_aggregate(struct op_model *m, struct op_err *err)
{
	static const struct op_filter_opts opts = { .aggregate = true };
	struct op_model out = { .mem.quota = PROP_QUOTA };

	op_filter(m, &opts, &out, err);
	op_model_free(m);
	*m = out;
}

static inline void timed_read_parts(const struct op_format *f,
				    struct op_view in,
				    const struct op_read_opts *opts,
				    struct op_model *m, struct op_err *err)
{
	struct op_source file = { .n = in.n, .fd = memfd_create("parts", 0) };

	PROP(file.fd >= 0);
	PROP(write(file.fd, in.p, in.n) == (ssize_t)in.n);
	f->read_parts(&file, opts, timed_keep, m, err);
	close(file.fd);
}

/* The message that is written if it is read in this way. */
static inline void timed_write(const struct op_format *f, struct op_view in,
			       struct timed_way way, struct timed_out *out,
			       struct op_err *err)
{
	struct op_read_opts opts = { .mem_quota = PROP_QUOTA,
				     .threads = way.threads,
				     .timed = way.timed };
	struct op_model m = { 0 };

	*out = (struct timed_out){ { timed_put }, { .err = err } };
	if (way.in_parts)
		timed_read_parts(f, in, &opts, &m, err);
	else
		f->read(in, &opts, timed_keep, &m, err);
	if (!err->code && way.aggregates)
		timed_aggregate(&m, err);
	PROP(err->code || m.normal);
	/* Parts of a file may meet its rows in another order. */
	if (!err->code && !op_reorder(&m, err) && !op_content_ids(&m, err))
		op_otlp_write(&m, &out->sink, err);
	op_model_free(&m);
}

/* So is what is wrong with the file, if both ways meet it in the same order. */
static inline void timed_same(const struct op_format *f, struct op_view in,
			      struct timed_way a, struct timed_way b)
{
	struct op_err errs[2] = { { 0 }, { 0 } };
	struct timed_out out[2];

	timed_write(f, in, a, &out[0], &errs[0]);
	timed_write(f, in, b, &out[1], &errs[1]);
	if (a.timed == b.timed && a.threads == b.threads &&
	    errs[0].code == OP_EFORMAT)
		PROP(errs[1].code == OP_EFORMAT && errs[0].at == errs[1].at &&
		     !strcmp(errs[0].text, errs[1].text));
	if (!errs[0].code && !errs[1].code)
		PROP(out[0].buf.n == out[1].buf.n &&
		     !memcmp(out[0].buf.p, out[1].buf.p, out[0].buf.n));
	op_buf_free(&out[0].buf);
	op_buf_free(&out[1].buf);
}

static inline void timed_prop(const struct op_format *f, struct op_view in)
{
	static const struct timed_way arrays = { OP_TIMED_ARRAYS, 1, 0, 0 };
	static const struct timed_way packed = { OP_TIMED_PACKED, 2, 0, 0 };
	static const struct timed_way after = { OP_TIMED_ARRAYS, 1, 1, 0 };
	static const struct timed_way sums = { OP_TIMED_SUMS, 2, 1, 0 };
	static const struct timed_way counted = { OP_TIMED_COUNTED, 2, 1, 0 };
	static const struct timed_way parts = { OP_TIMED_ARRAYS, 1, 0, 1 };

	timed_same(f, in, arrays, packed);
	timed_same(f, in, after, sums);
	timed_same(f, in, after, counted);
	if (f->read_parts && in.n)
		timed_same(f, in, arrays, parts);
}

#endif
