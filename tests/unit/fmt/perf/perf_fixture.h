// SPDX-License-Identifier: Apache-2.0
/* What the tests of the reader of perf.data share: reading a file that
 * tests/write/perf.h wrote, and what it says in a few words:
 *
 *	samples/count period 4 5+3 cpu-clock          type, time, event
 *		x+0x10;libc+0x20 @5 @7 work 10/11     frames, times, thread
 *
 * Frames begin with the leaf; a file is its name without folders, "?" stands
 * for none, and "!" is before frames of the kernel. Attributes that are not
 * named here follow as they are. */
#ifndef OP_TESTS_PERF_FIXTURE_H
#define OP_TESTS_PERF_FIXTURE_H

#include <stdlib.h>

#include "fmt/format.h"
#include "model/semconv.h"
#include "test.h"
#include "write/perf.h"

static char perf_note[400]; /* all that the reader told */

static inline void note(void *ctx, const char *text)
{
	size_t n = strlen(perf_note);

	(void)ctx;
	snprintf(perf_note + n, sizeof(perf_note) - n, "%s%s", n ? "; " : "",
		 text);
}

static inline int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)err;
	*(struct op_model *)ctx = *m;
	return OP_OK;
}

static const char *perf_root;

/* Reads a copy that ends where the file ends, and is gone when the model is
 * looked at. Settings are words; NULL: none. Binaries are looked for where
 * perf_root says: nowhere. */
static inline int read_with(struct op_model *m, struct op_view file,
			    const char *words, struct op_err *err)
{
	const char *settings[6] = { NULL };
	struct op_read_opts opts = { .settings = settings,
				     .note = note,
				     .root = perf_root };
	char *list = strdup(words ? words : ""), *save = list;
	uint8_t *copy = malloc(file.n + !file.n);

	for (int i = 0; i < 5 && (settings[i] = strtok_r(save, " ", &save));)
		i++;
	if (file.n)
		memcpy(copy, file.p, file.n);
	*m = (struct op_model){ 0 };
	*err = (struct op_err){ 0 };
	perf_note[0] = 0;
	op_format_perf.read(op_view(copy, file.n), &opts, keep, m, err);
	free(copy);
	free(list);
	return err->code;
}

static inline void put_value(struct op_buf *b, const struct op_model *m,
			     const struct op_any *v)
{
	if (v->kind == OP_ANY_INT)
		op_buf_printf(b, "%lld", (long long)v->num);
	op_buf_view(b, op_any_text(m, v));
	for (uint32_t i = 0; v->kind == OP_ANY_ARRAY && i < v->n; i++) {
		op_buf_z(b, i ? "," : "");
		put_value(b, m, &v->array[i]);
	}
}

static inline void put_attr(struct op_buf *b, const struct op_model *m,
			    uint32_t set, const char *key, const char *before)
{
	const struct op_attr *a = op_set_find(m, set, key);

	if (!a)
		return;
	op_buf_z(b, before);
	put_value(b, m, &a->value);
}

/* Those that are not printed in a place of their own. */
static inline void put_others(struct op_buf *b, const struct op_model *m,
			      uint32_t set)
{
	static const char *const known[] = {
		OP_ATTR_EVENT,	      OP_ATTR_THREAD_ID, OP_ATTR_THREAD_NAME,
		OP_ATTR_THREAD_STATE, "process.pid",	 OP_ATTR_CLOCK,
	};
	struct op_ids ids = op_list(&m->dict.sets, set);

	for (uint32_t i = 0; i < ids.n; i++) {
		const struct op_attr *a = &m->dict.attrs[ids.p[i]];
		size_t k = 0;

		while (k < op_countof(known) &&
		       !op_view_is(op_string(m, a->key), known[k]))
			k++;
		if (k < op_countof(known))
			continue;
		op_buf_byte(b, ' ');
		op_buf_view(b, op_string(m, a->key));
		op_buf_byte(b, '=');
		put_value(b, m, &a->value);
	}
}

static inline void put_frame(struct op_buf *b, const struct op_model *m,
			     uint32_t id)
{
	const struct op_location *l = &m->dict.locations[id];
	const struct op_attr *type = op_set_find(m, l->attrs,
						 OP_ATTR_FRAME_TYPE);
	struct op_view name = op_string(m,
					m->dict.mappings[l->mapping].filename);
	const uint8_t *slash = name.n ? memrchr(name.p, '/', name.n) : NULL;

	if (type && op_view_is(op_any_text(m, &type->value), "kernel"))
		op_buf_byte(b, '!');
	if (slash)
		name = op_view(slash + 1,
			       name.n - (size_t)(slash + 1 - name.p));
	if (l->mapping)
		op_buf_view(b, name);
	else
		op_buf_byte(b, '?');
	op_buf_printf(b, "+0x%llx", (unsigned long long)l->address);
}

static inline void put_sample(struct op_buf *b, const struct op_model *m,
			      const struct op_profile *p, uint32_t i)
{
	struct op_ids frames = op_list(&m->dict.stacks, p->stack[i]);
	struct op_values values = op_sample_values(p, i);
	struct op_times times = op_sample_times(p, i);

	op_buf_z(b, frames.n ? "\t" : "\t-");
	for (uint32_t k = 0; k < frames.n; k++) {
		op_buf_z(b, k ? ";" : "");
		put_frame(b, m, frames.p[k]);
	}
	for (uint32_t k = 0; k < values.n || k < times.n; k++) {
		op_buf_byte(b, ' ');
		if (k < values.n)
			op_buf_printf(b, "%lld", (long long)values.p[k]);
		if (k < times.n)
			op_buf_printf(b, "@%llu",
				      (unsigned long long)times.p[k]);
	}
	put_attr(b, m, p->set[i], OP_ATTR_THREAD_STATE, " ");
	put_attr(b, m, p->set[i], OP_ATTR_THREAD_NAME, " ");
	put_attr(b, m, p->set[i], "process.pid", " ");
	put_attr(b, m, p->set[i], OP_ATTR_THREAD_ID, "/");
	put_others(b, m, p->set[i]);
	op_buf_byte(b, '\n');
}

static inline void put_model(struct op_buf *b, const struct op_model *m)
{
	const struct op_resource *r = m->resources;
	struct op_walk w = { 0 };

	for (uint32_t i = 0; i < r->attrs.n; i++) {
		op_buf_view(b, op_kv_key(m, &r->attrs.p[i]));
		op_buf_byte(b, '=');
		put_value(b, m, &r->attrs.p[i].value);
		op_buf_byte(b, '\n');
	}
	while (op_walk_next(m, &w)) {
		const struct op_profile *p = w.profile;

		op_buf_view(b, op_string(m, p->sample_type.type));
		op_buf_byte(b, '/');
		op_buf_view(b, op_string(m, p->sample_type.unit));
		if (p->period)
			op_buf_printf(b, " period %lld", (long long)p->period);
		op_buf_printf(b, " %llu+%llu", (unsigned long long)p->time_ns,
			      (unsigned long long)p->duration_ns);
		put_attr(b, m, p->attrs, OP_ATTR_EVENT, " ");
		put_attr(b, m, p->attrs, OP_ATTR_CLOCK, " since ");
		put_others(b, m, p->attrs);
		op_buf_byte(b, '\n');
		for (uint32_t i = 0; i < p->nr_samples; i++)
			put_sample(b, m, p, i);
	}
}

/* What the file says, or its error; good until the next call. */
static inline const char *told(struct op_view file, const char *settings)
{
	static char text[16384];
	struct op_err err, buf_err = { 0 };
	struct op_buf b = { .err = &buf_err };
	struct op_model m;

	if (read_with(&m, file, settings, &err) && err.has_at)
		op_buf_printf(&b, "error: %s at %llu\n", err.text,
			      (unsigned long long)err.at);
	else if (err.code)
		op_buf_printf(&b, "error: %s\n", err.text);
	else
		put_model(&b, &m);
	snprintf(text, sizeof(text), "%.*s", (int)b.n, (const char *)b.p);
	op_buf_free(&b);
	op_model_free(&m);
	return text;
}

/* Lines may begin with one of settings: "with recover=yes". */
struct row {
	const char *name, *lines, *want;
};

static inline void check_row(const struct row *row, const char *how)
{
	const char *lines = row->lines, *got;
	char settings[100] = "";
	struct perf p;

	if (!strncmp(lines, "with ", 5)) {
		snprintf(settings, sizeof(settings), "%.*s",
			 (int)strcspn(lines + 5, "\n"), lines + 5);
		lines = strchr(lines, '\n') + 1;
	}
	perf_begin(&p, how);
	perf_lines(&p, lines);
	got = told(perf_end(&p), settings);
	if (strcmp(got, row->want)) {
		fprintf(stderr, "--- %s (%s)\n%s\n", row->name, how, got);
		TEST_FAIL("%s: %.120s", row->name, got);
	}
	perf_free(&p);
}

static inline void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_row(&rows[i], "file");
}

#define CHECK_ROWS(rows) check_rows(rows, op_countof(rows))

#endif
