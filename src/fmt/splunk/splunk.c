// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/splunk.c: files of logs that hold profiles.
 *
 * Both formats read either form of body; they differ in what they write. */
#include "fmt/splunk/splunk_int.h"

bool op_splunk_frames_of(const char *const *settings,
			 enum op_splunk_frames *out, struct op_err *err)
{
	const char *v = op_setting(settings, SPLUNK_SETTING_FRAMES);

	if (!v)
		return false;
	if (!strcmp(v, SPLUNK_FRAMES_2021))
		*out = OP_SPLUNK_2021;
	else if (!strcmp(v, SPLUNK_FRAMES_1_4))
		*out = OP_SPLUNK_1_4;
	else
		op_fail(err, OP_EUSAGE,
			"--" SPLUNK_SETTING_FRAMES " takes " SPLUNK_FRAMES_2021
			" or " SPLUNK_FRAMES_1_4 ", not '%s'",
			v);
	return true;
}

/* --- the formats --- */

static int splunk_read(struct op_view in, const struct op_read_opts *opts,
		       op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };

	op_splunk_read(in, opts, &m, err);
	return op_model_deliver(&m, fn, ctx, err);
}

static int text_sniff(struct op_view in)
{
	bool is_pprof;
	int score = op_splunk_sniff(in, &is_pprof);

	return is_pprof ? 0 : score;
}

static int pprof_sniff(struct op_view in)
{
	bool is_pprof;
	int score = op_splunk_sniff(in, &is_pprof);

	return is_pprof ? score : 0;
}

static int text_write(const struct op_model *m,
		      const struct op_write_opts *opts, struct op_sink *out,
		      struct op_err *err)
{
	return op_splunk_write(m, opts, false, out, err);
}

static int pprof_write(const struct op_model *m,
		       const struct op_write_opts *opts, struct op_sink *out,
		       struct op_err *err)
{
	return op_splunk_write(m, opts, true, out, err);
}

/* The first is listed twice, since it is for reading and for writing. */
static const struct op_format_opt settings[] = {
	{ SPLUNK_SETTING_FRAMES, "2021|1.4",
	  "grammar of frames; default: as read, else 2021", false },
	{ SPLUNK_SETTING_FRAMES, "2021|1.4",
	  "grammar of frames; default: as read, else 2021", true },
	{ SPLUNK_SETTING_LOGS, "protobuf|json",
	  "encoding of the logs; default: by the file name", true },
	{ 0 },
};

const struct op_format op_format_splunk_text = {
	.name = "splunk-text",
	.summary = "Splunk's OTLP logs with call stacks as text",
	.endings = { ".text.logs.otlp", ".text.logs.json" },
	.copies = true,
	.is_sent = true,
	.signal = OP_SIGNAL_LOGS,
	.opts = settings,
	.sniff = text_sniff,
	.read = splunk_read,
	.write = text_write,
};

const struct op_format op_format_splunk_pprof = {
	.name = "splunk-pprof",
	.summary = "Splunk's OTLP logs with pprof",
	.endings = { ".logs.otlp", ".logs.json" },
	.copies = true,
	.is_sent = true,
	.signal = OP_SIGNAL_LOGS,
	.opts = settings,
	.sniff = pprof_sniff,
	.read = splunk_read,
	.write = pprof_write,
};
