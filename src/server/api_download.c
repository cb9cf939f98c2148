// SPDX-License-Identifier: Apache-2.0
/* server/api_download.c: what is selected as a file, and source files. */
#include <stdio.h>

#include "fmt/buf_sink.h"
#include "fmt/output.h"
#include "model/content.h"
#include "model/diff.h"
#include "model/merge.h"
#include "server/api_int.h"
#include "sym/source_file.h"

/* --- download --- */

static const struct op_format *format_param(struct op_request *r)
{
	const char *name = op_param(r->params, "format");
	const struct op_format *f = NULL;
	struct op_err why = { 0 };

	if (!name)
		op_fail(r->err, OP_EUSAGE,
			"format expects a name, as in pprof");
	else
		f = op_format_wanted(name, &why);
	if (why.code)
		op_api_fail(r, "format", &why);
	else if (f && !f->write)
		op_fail(r->err, OP_EUSAGE, "format: %s cannot be written",
			f->name);
	return f && f->write ? f : NULL;
}

/* The title, as far as a file name may have it, and the ending. */
static void name_put(struct op_request *r, const struct op_format *f)
{
	const char *title = r->api->title && *r->api->title ? r->api->title :
							      "profile";
	const char *ending = f->endings[0] ? f->endings[0] : "";
	char *out = r->reply->file_name;
	size_t n = 0, most = sizeof(r->reply->file_name) - strlen(ending) - 1;

	for (; *title && n < most && n < 60; title++) {
		char c = *title;
		bool is_plain = (c >= 'a' && c <= 'z') ||
				(c >= 'A' && c <= 'Z') ||
				(c >= '0' && c <= '9') ||
				(n && strchr("._-", c));

		out[n++] = is_plain ? c : '_';
	}
	snprintf(out + n, sizeof(r->reply->file_name) - n, "%s", ending);
}

/* What the format cannot hold. */
static void note_add(void *ctx, const char *text)
{
	char *note = ((struct op_response *)ctx)->note;
	size_t n = strlen(note), most = sizeof(((struct op_response *)0)->note);

	snprintf(note + n, most - n, "%s%s", n ? "; " : "", text);
}

/* Writes the profiles with ids; the store does not get them. */
static int with_ids_write(const struct op_format *f, const struct op_model *m,
			  struct op_response *reply, struct op_sink *sink,
			  struct op_err *err)
{
	struct op_write_opts opts = { .note = note_add, .ctx = reply };
	struct op_writing how = { .format = f, .opts = &opts };
	struct op_arena mem = { .err = err };
	struct op_model twin;

	if (!op_model_twin(m, &mem, &twin) && !op_content_ids(&twin, err))
		op_write(&twin, &how, sink, err);
	op_arena_free(&mem);
	return err->code;
}

static void model_write(struct op_request *r, const struct op_format *f,
			const struct op_model *m)
{
	struct op_buf_sink sink = op_buf_sink(r->err);

	if (with_ids_write(f, m, r->reply, &sink.sink, r->err)) {
		op_buf_free(&sink.buf);
		return;
	}
	op_buf_free(&r->reply->body);
	r->reply->body = sink.buf;
	r->reply->type = "application/octet-stream";
	name_put(r, f);
}

/* Writers rely on rows that are there once. */
static void normal_write(struct op_request *r, const struct op_format *f,
			 const struct op_model *m)
{
	struct op_model *one[] = { (struct op_model *)m };
	struct op_model out = { 0 };

	if (m->normal)
		model_write(r, f, m);
	else if (!op_concat(one, 1, &out, r->err))
		model_write(r, f, &out);
	op_model_free(&out);
}

static void one_write(struct op_request *r, const struct op_format *f)
{
	struct op_selection s = { 0 };

	if (!op_selection_open(&s, r, "", OP_FOR_COPY))
		normal_write(r, f, s.m);
	op_selection_close(&s);
}

static void difference_write(struct op_request *r, const struct op_format *f)
{
	struct op_diff_opts o = { .normalize = op_api_flag(r, "normalize") };
	struct op_selection s[2] = { 0 };
	struct op_model out = { 0 };

	if (!op_selection_open(&s[1], r, "", OP_FOR_COPY) &&
	    !op_selection_open(&s[0], r, "before.", OP_FOR_COPY) &&
	    !op_diff(s[0].m, s[1].m, &o, &out, r->err))
		model_write(r, f, &out);
	op_model_free(&out);
	op_selection_close(&s[0]);
	op_selection_close(&s[1]);
}

void op_api_download(struct op_request *r)
{
	const struct op_format *f = format_param(r);

	if (f && op_has_before(r->params))
		difference_write(r, f);
	else if (f)
		one_write(r, f);
}

/* --- source --- */

static void source_put(struct op_request *r, const struct op_source_file *f)
{
	op_json_open(&r->w, '{');
	op_api_text(&r->w, "file", f->path);
	op_api_open(&r->w, "lines", '[');
	for (int64_t i = 1; i <= op_source_file_length(f); i++)
		op_json_string(&r->w, op_source_file_line(f, i));
	op_json_close(&r->w, ']');
	op_json_close(&r->w, '}');
}

void op_api_source(struct op_request *r)
{
	struct op_source_file f = { .dir = r->api->source_path };
	const char *path = op_param(r->params, "file");

	if (!path)
		op_fail(r->err, OP_EUSAGE, "file expects a path");
	else if (!f.dir)
		op_fail(r->err, OP_EFORMAT,
			"source files are shown only with --source-path");
	else if (op_source_file_find(&f, op_view_z(path), r->err))
		source_put(r, &f);
	else
		op_fail(r->err, OP_EFORMAT,
			"there is no '%.120s' below the path of --source-path",
			path);
	op_source_file_free(&f);
}
