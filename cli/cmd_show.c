// SPDX-License-Identifier: Apache-2.0
/* cli/cmd_show.c: otprof show: selects what to print of a file. */
#include <string.h>

#include "model/select.h"
#include "show.h"

bool show_selects(const struct show *s, const struct op_profile *p)
{
	return op_type_selected(s->m, p, s->types);
}

/* Writes the first original payload as is. */
static void show_payload(struct show *s)
{
	struct op_walk w = { 0 };

	while (op_walk_next(s->m, &w)) {
		if (!w.profile->payload.n || !show_selects(s, w.profile))
			continue;
		cli_write(w.profile->payload, s->err);
		return;
	}
	op_fail(s->err, OP_EFORMAT, "%s: no profile has an original payload",
		s->file);
}

static void show_model(struct show *s)
{
	if (s->payload)
		show_payload(s);
	else if (s->raw)
		show_raw(s);
	else if (s->tree || s->top != UINT64_MAX)
		show_flame(s);
	else if (s->json)
		show_summary_json(s);
	else
		show_summary(s);
}

static void record_add(void *ctx, struct op_view kind, uint64_t count,
		       uint64_t bytes)
{
	struct show *s = ctx;
	struct show_record r = { .count = count, .bytes = bytes };
	uint8_t *name;

	op_arena_tells(&s->job.mem, s->err);
	name = op_arena_alloc(&s->job.mem, kind.n);
	if (!name)
		return;
	if (kind.n)
		memcpy(name, kind.p, kind.n);
	r.kind = op_view(name, kind.n);
	(void)op_vec_push(&s->job.mem, &s->records, r);
}

static bool is_summary(const struct show *s)
{
	return !s->raw && !s->tree && !s->payload && s->top == UINT64_MAX &&
	       !s->job.input.settings;
}

static int show_file(struct show *s, struct op_err *err)
{
	struct op_input in;
	struct op_input about;
	struct op_model m = { 0 };

	if (cli_open(&in, s->file, &s->job.input, err))
		return err->code;
	if (job_opened(&s->job, &in, err) ||
	    job_settings_check(&s->job, NULL, err)) {
		op_input_close(&in);
		return err->code;
	}
	if (is_summary(s) && in.format->info &&
	    (op_input_load(&in, err) ||
	     in.format->info(in.bytes, record_add, s, err))) {
		op_input_close(&in);
		return op_err_about(err, s->file);
	}
	about = in; /* sizes and names are needed after it is closed */
	s->in = &about;
	s->m = &m;
	if (cli_read_open(&m, &in, s->file, &s->job.input, err))
		return err->code;
	if (!job_after_read(&s->job, s->file, &m, err) &&
	    !job_filter(&s->job, &m, err))
		show_model(s);
	if (!err->code)
		cli_flush(&s->out);
	op_model_free(&m);
	return err->code;
}

static int usage(const struct show *s, int nr_files, struct op_err *err)
{
	if (nr_files != 1)
		return op_fail(err, OP_EUSAGE, "expected exactly one FILE");
	if (!s->top)
		return op_fail(err, OP_EUSAGE, "--top expects at least 1");
	if ((s->top != UINT64_MAX) + s->tree + s->raw + s->payload > 1)
		return op_fail(
			err, OP_EUSAGE,
			"--top, --tree, --raw and --payload are mutually "
			"exclusive");
	if (s->json && (s->raw || s->payload))
		return op_fail(err, OP_EUSAGE, "--%s has no JSON form",
			       s->raw ? "raw" : "payload");
	return OP_OK;
}

int cmd_show(const struct op_cmd *cmd, int argc, char **argv,
	     struct op_err *err)
{
	struct show s = { .top = UINT64_MAX, .err = err, .out.err = err };
	const struct op_opt own[] = {
		{ OP_OPT_U64, 0, "top", "N",
		  "show the N functions with the highest self value", &s.top },
		{ OP_OPT_FLAG, 0, "tree", NULL, "show the call tree", &s.tree },
		{ OP_OPT_FLAG, 0, "raw", NULL, "show all samples, one per line",
		  &s.raw },
		{ OP_OPT_FLAG, 0, "payload", NULL, "write the original payload",
		  &s.payload },
		{ OP_OPT_FLAG, 0, "json", NULL,
		  "print the summary, --top or --tree as JSON", &s.json },
		{ 0 },
	};
	int first = job_begin(&s.job, cmd, own, argc, argv, err);

	if (first > 0 && !usage(&s, argc - first, err)) {
		s.file = argv[first];
		s.types = s.job.filter.types;
		s.job.filter.types = NULL;
		if ((s.tree || s.top != UINT64_MAX) && !job_cuts(&s.job))
			s.job.input.timed = OP_TIMED_SUMS;
		show_file(&s, err);
	}
	op_buf_free(&s.out);
	job_end(&s.job);
	return first < 0 ? first : err->code;
}
