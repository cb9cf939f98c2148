// SPDX-License-Identifier: Apache-2.0
/* sym/find.c: looks up the binary of a mapping and its debug file. */
#include "sym/find.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>

#include "base/hex.h"

/* Limit for a debug file without a build ID; larger ones have one. */
enum { MAX_SUMMED = 512 << 20 };

void op_found_close(struct op_found *f)
{
	op_file_close(&f->file);
	*f->root = *f->path = 0;
}

/* Opens out->path as an ELF file. */
static enum op_find_status open_elf(struct op_found *out)
{
	struct op_err err = { 0 };

	if (!op_file_open(&out->file, *out->root ? out->root : NULL, out->path,
			  OP_FIND_MAX_BYTES))
		return errno == ENOENT || errno == ENOTDIR ? OP_FIND_NO_FILE :
							     OP_FIND_BROKEN;
	if (!op_elf_open(&out->elf, out->file.bytes, &err))
		return OP_FIND_OK;
	op_found_close(out);
	return OP_FIND_BROKEN;
}

/* Whether an open file is the wanted one; closes it if not. */
static enum op_find_status judge(const struct op_wanted *w, bool is_gone,
				 struct op_found *out)
{
	enum op_find_status s = OP_FIND_OK;

	switch (op_build_ids_match(&w->ids, &out->elf)) {
	case OP_ID_SAME:
		break;
	case OP_ID_OTHER:
		s = OP_FIND_OTHER_BUILD;
		break;
	case OP_ID_UNKNOWN:
		s = OP_FIND_UNCHECKED;
		if (is_gone || (w->time_ns && out->file.mtime_ns > w->time_ns))
			s = OP_FIND_CHANGED;
	}
	if (s > OP_FIND_UNCHECKED)
		op_found_close(out);
	return s;
}

/* The kernel appends this to the name of a deleted file; another file may have
 * its name. */
static bool cut_deleted(struct op_view *path)
{
	static const char mark[] = " (deleted)";

	if (!op_view_ends(*path, mark))
		return false;
	path->n -= sizeof(mark) - 1;
	return true;
}

/* The file with exactly this name: [vdso], //anon, /memfd:x and anon_inode:x
 * are not files. */
static bool is_file_name(struct op_view path)
{
	static const char *const others[] = { "//", "/memfd:", "/SYSV", "/dev/",
					      "/anon_hugepage" };

	if (!path.n || path.p[0] != '/' || memchr(path.p, 0, path.n))
		return false;
	for (size_t i = 0; i < op_countof(others); i++) {
		size_t n = strlen(others[i]);

		if (path.n >= n && !memcmp(path.p, others[i], n))
			return false;
	}
	return true;
}

/* A path of up to four parts. Paths from a profile stay inside a root. Without
 * a root the path is from the user and may follow links anywhere. */
struct parts {
	struct op_view root;
	struct op_view before, folder, name;
	const char *behind;
};

/* Concatenates views; false if they are too long. */
static bool text_set(char out[PATH_MAX], const struct op_view *list, size_t nr)
{
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		if (list[i].n >= PATH_MAX - n)
			return false;
		if (list[i].n)
			memcpy(out + n, list[i].p, list[i].n);
		n += list[i].n;
	}
	out[n] = 0;
	return true;
}

static bool path_set(struct op_found *out, struct parts p)
{
	struct op_view list[] = { p.before, p.folder, p.name,
				  op_view_z(p.behind) };

	return text_set(out->root, &p.root, 1) &&
	       text_set(out->path, list, op_countof(list));
}

static enum op_find_status try_path(const struct op_wanted *w, bool is_gone,
				    struct parts p, struct op_found *out)
{
	enum op_find_status s;

	if (!path_set(out, p))
		return OP_FIND_NO_FILE;
	s = open_elf(out);
	return s == OP_FIND_OK ? judge(w, is_gone, out) : s;
}

/* Extracts the next directory of a list. */
static bool next_dir(struct op_view *list, struct op_view *dir)
{
	const uint8_t *colon;

	while (list->n) {
		colon = memchr(list->p, ':', list->n);
		*dir = *list;
		if (colon)
			dir->n = (size_t)(colon - list->p);
		list->p += dir->n + (colon != NULL);
		list->n -= dir->n + (colon != NULL);
		if (dir->n && dir->n < PATH_MAX)
			return true;
	}
	return false;
}

static struct op_view dirs(const struct op_find *f)
{
	return op_view_z(f->dirs ? f->dirs : OP_FIND_DIRS);
}

/* "/.build-id/ab/cdef", with lower-case hex digits. */
static bool id_path(struct op_view hex, char *out, size_t n)
{
	int at = snprintf(out, n, "/.build-id/");

	if (hex.n < 4 || hex.n > 2 * OP_BUILD_ID_MAX || n < hex.n + 16)
		return false;
	for (size_t i = 0; i < hex.n; i++) {
		int d = op_hex_digit(hex.p[i]);

		if (d < 0)
			return false;
		if (i == 2)
			out[at++] = '/';
		out[at++] = "0123456789abcdef"[d];
	}
	out[at] = 0;
	return true;
}

static bool is_found(enum op_find_status s)
{
	return s == OP_FIND_OK || s == OP_FIND_UNCHECKED;
}

/* The first error is the one reported. */
static enum op_find_status worse(enum op_find_status a, enum op_find_status b)
{
	return a == OP_FIND_NO_FILE || is_found(b) ? b : a;
}

static enum op_find_status by_id(const struct op_wanted *w, struct op_view dir,
				 struct op_found *out)
{
	static const char *const ends[] = { "", ".debug", "/elf" };
	enum op_find_status s = OP_FIND_NO_FILE;
	char id[2 * OP_BUILD_ID_MAX + 32];

	if (!id_path(w->ids.gnu, id, sizeof(id)))
		return s;
	for (size_t i = 0; i < op_countof(ends) && !is_found(s); i++) {
		struct parts p = { .before = dir,
				   .name = op_view_z(id),
				   .behind = ends[i] };

		s = worse(s, try_path(w, false, p, out));
	}
	return s;
}

/* By the whole path inside the directory, then by its last part, which can only
 * find what the user put there. */
static enum op_find_status by_name(const struct op_wanted *w, bool is_gone,
				   struct op_view dir, struct op_found *out)
{
	struct parts p = { .root = dir, .name = w->path };
	enum op_find_status s;
	const uint8_t *slash;

	if (!is_file_name(w->path))
		return OP_FIND_NO_FILE;
	s = try_path(w, is_gone, p, out);
	slash = memrchr(w->path.p, '/', w->path.n);
	if (is_found(s) || slash == w->path.p)
		return s;
	p = (struct parts){
		.before = dir,
		.name = op_view(slash, (size_t)(w->path.p + w->path.n - slash)),
	};
	return worse(s, try_path(w, is_gone, p, out));
}

static enum op_find_status in_dir(const struct op_wanted *w, bool is_gone,
				  struct op_view dir, struct op_found *out)
{
	enum op_find_status s = by_id(w, dir, out);

	return is_found(s) ? s : worse(s, by_name(w, is_gone, dir, out));
}

/* A file whose name is not known. */
static enum op_find_status from_fd(const struct op_wanted *w, int fd,
				   struct op_found *out)
{
	struct op_err err = { 0 };

	*out->root = *out->path = 0;
	if (!op_file_take(&out->file, fd, OP_FIND_MAX_BYTES))
		return OP_FIND_BROKEN;
	if (!op_elf_open(&out->elf, out->file.bytes, &err))
		return judge(w, false, out);
	op_found_close(out);
	return OP_FIND_BROKEN;
}

static enum op_find_status from_kept(const struct op_find *f,
				     const struct op_wanted *w,
				     struct op_found *out)
{
	int fd = f->kept ? op_kept_open(f->kept, w->ids.htlhash) : -1;
	enum op_find_status s;

	if (fd < 0)
		return OP_FIND_NO_FILE;
	s = from_fd(w, fd, out);
	out->is_kept = is_found(s);
	return s;
}

static enum op_find_status from_server(const struct op_find *f,
				       const struct op_wanted *w,
				       struct op_found *out)
{
	uint8_t id[OP_BUILD_ID_MAX];
	size_t n = w->ids.gnu.n / 2;
	int fd;

	if (!f->server || n > sizeof(id) || !op_unhex(w->ids.gnu, id, n))
		return OP_FIND_NO_FILE;
	fd = op_debuginfod_find(f->server, OP_DEBUGINFOD_EXECUTABLE,
				op_view(id, n));
	return fd < 0 ? OP_FIND_NO_FILE : from_fd(w, fd, out);
}

enum op_find_status op_find_binary(const struct op_find *f,
				   const struct op_wanted *w,
				   struct op_found *out)
{
	enum op_find_status s = OP_FIND_NO_FILE;
	struct op_wanted want = *w;
	bool is_gone = cut_deleted(&want.path);
	struct op_view list = dirs(f), dir;
	struct parts there = { .root = op_view_z(f->root ? f->root : "/"),
			       .name = want.path };

	*out = (struct op_found){ 0 };
	if (there.root.n && is_file_name(want.path))
		s = try_path(&want, is_gone, there, out);
	if (!is_found(s))
		s = worse(s, from_kept(f, &want, out));
	while (!is_found(s) && next_dir(&list, &dir))
		s = worse(s, in_dir(&want, is_gone, dir, out));
	if (!is_found(s))
		s = worse(s, from_server(f, &want, out));
	return s;
}

/* --- debug files --- */

static bool same_build(const struct op_elf *a, const struct op_elf *b,
		       bool *is_known)
{
	struct op_view ia, ib;

	*is_known = op_build_id_gnu(a, &ia) && op_build_id_gnu(b, &ib);
	return *is_known && op_view_eq(ia, ib);
}

/* Opens out->path if it is of the same build, or has the given checksum. */
static bool try_debug(const struct op_found *binary, const uint32_t *crc,
		      struct op_found *out)
{
	bool is_known, same;

	if (open_elf(out) != OP_FIND_OK)
		return false;
	same = same_build(&binary->elf, &out->elf, &is_known);
	if (!is_known && crc && out->file.bytes.n <= MAX_SUMMED)
		same = libdeflate_crc32(0, out->file.bytes.p,
					out->file.bytes.n) == *crc;
	if (!same)
		op_found_close(out);
	return same;
}

/* Opens out->path if it has this build ID. */
static bool try_id(struct op_view id, struct op_found *out)
{
	struct op_view got;

	if (open_elf(out) != OP_FIND_OK)
		return false;
	if (op_build_id_gnu(&out->elf, &got) && op_view_eq(got, id))
		return true;
	op_found_close(out);
	return false;
}

static void hex_of(struct op_view id, char *out)
{
	for (size_t i = 0; i < id.n; i++)
		snprintf(out + 2 * i, 3, "%02x", id.p[i]);
}

/* A debug file with a build ID in one of the directories. */
static bool debug_of_id(const struct op_find *f, struct op_view build_id,
			struct op_found *out)
{
	char hex[2 * OP_BUILD_ID_MAX + 1], id[2 * OP_BUILD_ID_MAX + 32];
	struct op_view list = dirs(f), dir;
	struct parts p = { .behind = ".debug" };

	if (!build_id.n || build_id.n > OP_BUILD_ID_MAX)
		return false;
	hex_of(build_id, hex);
	if (!id_path(op_view_z(hex), id, sizeof(id)))
		return false;
	p.name = op_view_z(id);
	while (next_dir(&list, &dir)) {
		p.before = dir;
		if (path_set(out, p) && try_id(build_id, out))
			return true;
	}
	return false;
}

static bool debug_by_id(const struct op_find *f, const struct op_found *binary,
			struct op_found *out)
{
	struct op_view id;

	return op_build_id_gnu(&binary->elf, &id) && debug_of_id(f, id, out);
}

static bool debug_by_link(const struct op_find *f,
			  const struct op_found *binary, struct op_found *out)
{
	const char *slash = strrchr(binary->path, '/');
	struct op_view folder, dir, list = dirs(f);
	struct parts p = { .root = op_view_z(binary->root) };
	struct op_elf_link l;

	if (!slash || !op_elf_debuglink(&binary->elf, &l) ||
	    memchr(l.name.p, '/', l.name.n))
		return false;
	folder = op_view(binary->path, (size_t)(slash + 1 - binary->path));
	p.before = folder;
	p.name = l.name;
	if (path_set(out, p) && strcmp(out->path, binary->path) &&
	    try_debug(binary, &l.crc, out))
		return true;
	p.folder = op_view_z(".debug/");
	if (path_set(out, p) && try_debug(binary, &l.crc, out))
		return true;
	p.folder = op_view_z("");
	while (next_dir(&list, &dir)) {
		p.root = dir;
		if (path_set(out, p) && try_debug(binary, &l.crc, out))
			return true;
	}
	return false;
}

static bool debug_from_server(const struct op_find *f,
			      const struct op_found *binary,
			      struct op_found *out)
{
	struct op_err err = { 0 };
	struct op_view id;
	bool is_known;
	int fd;

	if (!f->server || !op_build_id_gnu(&binary->elf, &id))
		return false;
	fd = op_debuginfod_find(f->server, OP_DEBUGINFOD_DEBUGINFO, id);
	*out->root = *out->path = 0;
	if (fd < 0 || !op_file_take(&out->file, fd, OP_FIND_MAX_BYTES))
		return false;
	if (!op_elf_open(&out->elf, out->file.bytes, &err) &&
	    same_build(&binary->elf, &out->elf, &is_known))
		return true;
	op_found_close(out);
	return false;
}

bool op_find_debug(const struct op_find *f, const struct op_found *binary,
		   struct op_found *out)
{
	*out = (struct op_found){ 0 };
	return debug_by_id(f, binary, out) || debug_by_link(f, binary, out) ||
	       debug_from_server(f, binary, out);
}

/* The section is a path, a NUL and the build ID. */
bool op_find_alt(const struct op_find *f, const struct op_found *of,
		 struct op_found *out)
{
	const char *slash = strrchr(of->path, '/');
	struct parts p = { .root = op_view_z(of->root) };
	struct op_elf_section s;
	struct op_view id;

	*out = (struct op_found){ 0 };
	if (!op_elf_section(&of->elf, ".gnu_debugaltlink", &s))
		return false;
	p.name = op_elf_text(s.bytes, 0);
	if (!p.name.n || p.name.n + 1 >= s.bytes.n)
		return false;
	id = op_view(s.bytes.p + p.name.n + 1, s.bytes.n - p.name.n - 1);
	if (p.name.p[0] != '/' && slash)
		p.before = op_view(of->path, (size_t)(slash + 1 - of->path));
	return (path_set(out, p) && try_id(id, out)) || debug_of_id(f, id, out);
}
