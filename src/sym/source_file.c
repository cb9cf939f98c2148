// SPDX-License-Identifier: Apache-2.0
/* sym/source_file.c: opens and reads a source file and splits it into lines. */
#include "sym/source_file.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/budget.h"
#include "sym/open.h"

/* An attempt to open a file takes some microseconds. */
enum { MAX_BYTES = 16 << 20, MAX_PARTS = 64, STEPS_A_TRY = 5000 };

static bool is_slash(uint8_t c)
{
	return c == '/' || c == '\\';
}

/* The next part of a path from *at on; empty at its end. */
static struct op_view next_part(struct op_view path, size_t *at)
{
	struct op_view part;

	while (*at < path.n && is_slash(path.p[*at]))
		++*at;
	part = op_view(path.p + *at, 0);
	for (; *at < path.n && !is_slash(path.p[*at]); ++*at)
		part.n++;
	return part;
}

struct parts {
	struct op_view p[MAX_PARTS];
	uint32_t n;
};

/* The last parts; none before a "..", which would refer to another directory.
 */
static void parts_of(struct op_view path, struct parts *out)
{
	struct op_view part;
	size_t at = 0;

	out->n = 0;
	while ((part = next_part(path, &at)).n) {
		if (op_view_is(part, "."))
			continue;
		if (op_view_is(part, "..")) {
			out->n = 0;
			continue;
		}
		if (out->n == MAX_PARTS)
			memmove(out->p, out->p + 1, --out->n * sizeof(*out->p));
		out->p[out->n++] = part;
	}
}

/* The parts from first on as a path; false if it is too long or empty. */
static bool join(const struct parts *parts, uint32_t first, char out[PATH_MAX])
{
	size_t n = 0;

	for (uint32_t i = first; i < parts->n; i++) {
		struct op_view part = parts->p[i];

		if (n + part.n + 2 > PATH_MAX || memchr(part.p, 0, part.n))
			return false;
		if (n)
			out[n++] = '/';
		memcpy(out + n, part.p, part.n);
		n += part.n;
	}
	out[n] = 0;
	return n;
}

static bool load(struct op_source_file *f, int fd, const struct stat *st,
		 struct op_err *err)
{
	size_t size = (size_t)st->st_size;

	if (st->st_size > MAX_BYTES || op_work(size, err))
		return false;
	f->text = op_arena_alloc(&f->mem, size);
	if (!f->text)
		return false;
	while (f->n < size) {
		ssize_t n = read(fd, f->text + f->n, size - f->n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		f->n += (size_t)n;
	}
	return f->n;
}

static void index_lines(struct op_source_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		if ((!i || f->text[i - 1] == '\n') &&
		    !op_vec_push(&f->mem, &f->starts, i))
			return;
}

static void find(struct op_source_file *f, struct op_err *err)
{
	struct parts parts;
	char path[PATH_MAX];

	op_arena_tells(&f->mem, err);
	parts_of(f->path, &parts);
	for (uint32_t i = 0; i < parts.n && !f->is_found && !err->code; i++) {
		struct stat st;
		int fd;

		if (op_work(STEPS_A_TRY, err) || !join(&parts, i, path))
			continue;
		fd = op_open_in(f->dir, path, &st);
		if (fd < 0)
			continue;
		f->is_found = load(f, fd, &st, err);
		close(fd);
	}
	if (f->is_found)
		index_lines(f);
}

bool op_source_file_find(struct op_source_file *f, struct op_view path,
			 struct op_err *err)
{
	const char *dir = f->dir;

	if (!f->path.p || !op_view_eq(f->path, path)) {
		op_source_file_free(f);
		*f = (struct op_source_file){ .dir = dir, .path = path };
		find(f, err);
	}
	return f->is_found && !err->code;
}

int64_t op_source_file_length(const struct op_source_file *f)
{
	return (int64_t)f->starts.n;
}

struct op_view op_source_file_line(const struct op_source_file *f, int64_t line)
{
	size_t at, end;

	if (line < 1 || line > op_source_file_length(f))
		return (struct op_view){ 0 };
	at = f->starts.p[line - 1];
	end = (size_t)line < f->starts.n ? f->starts.p[line] : f->n;
	while (end > at &&
	       (f->text[end - 1] == '\n' || f->text[end - 1] == '\r'))
		end--;
	return op_view(f->text + at, end - at);
}

void op_source_file_free(struct op_source_file *f)
{
	op_arena_free(&f->mem);
	*f = (struct op_source_file){ .dir = f->dir };
}
