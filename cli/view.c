// SPDX-License-Identifier: Apache-2.0
/* cli/view.c: what the page of otprof view shows, and the server of it. */
#include "view.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli.h"

enum { MAX_NOTES = 20 };

int view_begin(struct view *v, struct op_err *err)
{
	v->api.store = op_memory_store(err);
	v->api.source_path = v->source_path;
	v->site.api = &v->api;
	v->site.ask = op_api_answer;
	return v->api.store ? op_guard_init(&v->site.guard, err) : err->code;
}

void view_end(struct view *v)
{
	op_server_free(v->server);
	op_store_free(v->api.store);
	op_arena_free(&v->mem);
}

static const char *copy(struct view *v, const char *text)
{
	size_t n = strlen(text) + 1;
	char *p = op_arena_alloc(&v->mem, n);

	return p ? memcpy(p, text, n) : NULL;
}

/* --- what there is --- */

static void title_set(struct view *v)
{
	const char *name = v->files.n ? v->files.p[0].name : "otprof";
	const char *slash = strrchr(name, '/');

	if (slash && slash[1])
		name = slash + 1;
	if (v->files.n > 1)
		snprintf(v->first_title, sizeof(v->first_title),
			 "%.150s and %zu more", name, v->files.n - 1);
	else
		snprintf(v->first_title, sizeof(v->first_title), "%.190s",
			 name);
	v->api.title = v->title ? v->title : v->first_title;
}

/* Times are told from the start of what was there first; a file that begins
 * earlier moves it. */
static void origin_set(struct view *v)
{
	struct op_range span;

	if (!op_store_span(v->api.store, &span))
		return;
	if (!v->has_origin || span.from < v->api.origin_ns)
		v->api.origin_ns = span.from;
	v->has_origin = true;
}

static void model_look(struct view *v, const struct op_model *m)
{
	struct op_walk w = { 0 };
	bool is_first = !v->nr_observations;

	while (op_walk_next(m, &w)) {
		bool has_date = op_profile_has_date(m, w.profile);

		v->nr_observations += op_profile_observations(w.profile);
		v->api.has_date = has_date && (is_first || v->api.has_date);
		is_first = false;
	}
}

/* A recording comes in parts, each later than the one before. */
static void times_add(struct op_api_file *file, const struct op_model *m)
{
	struct op_range *all = &file->times;
	struct op_range own;

	if (!op_model_span(m, &own))
		return;
	if (all->from >= all->to || own.from < all->from)
		all->from = own.from;
	if (own.to > all->to)
		all->to = own.to;
}

static int put(struct view *v, uint32_t file, struct op_model *m,
	       struct op_err *err)
{
	char source[16];

	snprintf(source, sizeof(source), "%u", file);
	model_look(v, m);
	times_add(&v->files.p[file], m);
	if (op_store_put(v->api.store, source, m, err))
		return err->code;
	origin_set(v);
	return OP_OK;
}

int view_put(struct view *v, const struct op_api_file *file, struct op_model *m,
	     struct op_err *err)
{
	struct op_api_file own = *file;

	op_arena_tells(&v->mem, err);
	own.name = copy(v, file->name);
	if (!own.name || !op_vec_push(&v->mem, &v->files, own)) {
		op_model_free(m);
		return err->code;
	}
	if (put(v, (uint32_t)v->files.n - 1, m, err)) {
		v->files.n--;
		return err->code;
	}
	v->api.files = v->files.p;
	v->api.nr_files = (uint32_t)v->files.n;
	v->site.input_bytes += file->bytes;
	title_set(v);
	return OP_OK;
}

int view_add(struct view *v, uint32_t file, struct op_model *m,
	     struct op_err *err)
{
	return put(v, file, m, err);
}

/* What is not kept was said where the command runs. */
void view_note(struct view *v, const char *text)
{
	const char *own = NULL;

	op_arena_tells(&v->mem, OP_IGNORED);
	if (v->notes.n + 1 == MAX_NOTES)
		own = "there are more notes: see the terminal of otprof view";
	else if (v->notes.n < MAX_NOTES)
		own = copy(v, text);
	if (!own || !op_vec_reserve(&v->mem, &v->notes, 2))
		return;
	v->notes.p[v->notes.n++] = own;
	v->notes.p[v->notes.n] = NULL;
	v->api.notes = v->notes.p;
}

/* --- the server --- */

static void change(void *ctx, char *json, size_t room)
{
	const struct view *v = ctx;
	struct op_range span = { 0 };
	uint64_t end = op_store_span(v->api.store, &span) ? span.to : 0;

	snprintf(json, room,
		 "{\"duration\":%" PRIu64 ",\"observations\":%" PRIu64 "}",
		 end > v->api.origin_ns ? end - v->api.origin_ns : 0,
		 v->nr_observations);
}

int view_listen(struct view *v, uint64_t port, bool stays, struct op_err *err)
{
	struct op_server_opts o = { .site = &v->site,
				    .port = (uint16_t)port,
				    .change = change,
				    .ctx = v,
				    .stays = stays };

	if (port > UINT16_MAX)
		return op_fail(err, OP_EUSAGE, "--port is at most %u",
			       UINT16_MAX);
	if (!v->api.title)
		title_set(v);
	v->site.budget_times = cli_budget < UINT32_MAX ? (uint32_t)cli_budget :
							 UINT32_MAX;
	v->server = op_server_new(&o, err);
	return err->code;
}

void view_url(const struct view *v, char *out, size_t room)
{
	snprintf(out, room, "http://127.0.0.1:%u/%s/", v->site.guard.port,
		 v->site.guard.token);
}
