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
	  "jfr, perf, simpleperf, firefox: only events of these types or "
	  "kinds: cpu, wall, alloc, off_cpu, lock, io, ...",
	  false },
	{ "thread", "TEXT",
	  "jfr, perf, simpleperf, firefox: only threads whose name holds this",
	  false },
	{ "state", "STATE,...", "jfr, perf: only threads in these states",
	  false },
	{ "cpu", NULL, "jfr: the same as --event cpu", false },
	{ "wall", NULL, "jfr: --event wall", false },
	{ "alloc", NULL, "jfr: --event alloc", false },
	{ "live", NULL, "jfr: --event live", false },
	{ "lock", NULL, "jfr: --event lock", false },
	{ "nativelock", NULL, "jfr: --event nativelock", false },
	{ "nativemem", NULL, "jfr: --event nativemem", false },
	{ "trace", NULL, "jfr: --event trace", false },
	{ "tag", "TAG", "jfr: only inside of spans with this tag", false },
	{ "latency", "MS",
	  "jfr: only inside of spans and traced methods that last as long",
	  false },
	{ "tail", "PERCENT",
	  "jfr: what is allocated in this last part is no leak; default: 0",
	  false },
	{ "preset", "otel|datadog",
	  "jfr: whose names of sample types; default: otel", false },
	{ "alloc-objects", "times|sums",
	  "jfr: each allocated object with its time, or one count a sample; "
	  "default: times",
	  false },
	{ "properties", "yes|no",
	  "jfr: with environment and system properties; default: no", false },
	{ "recover", NULL,
	  "jfr, perf, simpleperf: read what is whole of a broken recording",
	  false },
	{ 0 },
};

const struct op_format op_format_jfr = {
	.name = "jfr",
	.summary = "recordings of the Java Flight Recorder and its like",
	.endings = { ".jfr" },
	.copies = true,
	.opts = jfr_opts,
	.sniff = jfr_sniff,
	.read = jfr_read,
	.read_parts = jfr_read_parts,
	.info = jfr_info,
};
