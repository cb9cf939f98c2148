// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/jfr.c: the format: recordings of the Java Flight Recorder and of what
 * writes like it. */
#include <string.h>

#include "base/buf.h"
#include "fmt/format.h"
#include "fmt/jfr/info.h"
#include "fmt/jfr/read.h"

static int jfr_read(struct op_view in, const struct op_read_opts *opts,
		    op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_source whole = op_source(in);

	return op_jfr_read(&whole, opts, fn, ctx, err);
}

/* What is broken is looked for in all of the file. */
static int jfr_read_parts(const struct op_source *in,
			  const struct op_read_opts *opts, op_model_fn *fn,
			  void *ctx, struct op_err *err)
{
	struct op_buf room = { 0 };
	struct op_source whole = *in;

	if (opts && op_setting_is_on(opts->settings, "recover", err))
		whole.p = op_source_part(in, 0, in->n, &room, err).p;
	if (!err->code)
		op_jfr_read(&whole, opts, fn, ctx, err);
	op_buf_free(&room);
	return err->code;
}

static int jfr_info(struct op_view in, op_info_fn *fn, void *ctx,
		    struct op_err *err)
{
	struct op_source whole = op_source(in);

	return op_jfr_info(&whole, fn, ctx, err);
}

static int jfr_sniff(struct op_view in)
{
	return in.n >= 4 && !memcmp(in.p, "FLR\0", 4) ? 100 : 0;
}

static const struct op_format_opt jfr_opts[] = {
	{ "event", "NAME,...",
	  "keep these event types or kinds: cpu, wall, alloc, lock, io, ...",
	  false },
	{ "thread", "TEXT", "keep threads whose name contains TEXT", false },
	{ "state", "STATE,...", "keep threads in these states", false },
	{ "cpu", NULL, "same as --event cpu", false },
	{ "wall", NULL, "same as --event wall", false },
	{ "alloc", NULL, "same as --event alloc", false },
	{ "live", NULL, "same as --event live", false },
	{ "lock", NULL, "same as --event lock", false },
	{ "nativelock", NULL, "same as --event nativelock", false },
	{ "nativemem", NULL, "same as --event nativemem", false },
	{ "trace", NULL, "same as --event trace", false },
	{ "tag", "TAG", "keep samples in spans with this tag", false },
	{ "latency", "MS",
	  "keep samples in spans and traced methods of at least MS", false },
	{ "tail", "PERCENT",
	  "ignore leaks allocated in this last part; default: 0", false },
	{ "preset", "otel|datadog",
	  "naming scheme of sample types; default: otel", false },
	{ "alloc-objects", "times|sums",
	  "allocations with times, or one count per sample; default: times",
	  false },
	{ "properties", "yes|no",
	  "with environment and system properties; default: no", false },
	{ "recover", NULL, "read the intact parts of a damaged recording",
	  false },
	{ 0 },
};

const struct op_format op_format_jfr = {
	.name = "jfr",
	.summary = "recordings of Java Flight Recorder and async-profiler",
	.endings = { ".jfr" },
	.copies = true,
	.opts = jfr_opts,
	.sniff = jfr_sniff,
	.read = jfr_read,
	.read_parts = jfr_read_parts,
	.info = jfr_info,
};
