// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/maps.c: the memory map of the process.
 *
 * As in /proc/PID/maps, or in short:
 *
 *	00400000-00fcb000 r-xp 00000000 08:01 1234  /bin/program
 *	00400000-00fcb000: /bin/program (@1000) build-id
 *	00400000-00fcb000: $source/program    after a line "source=/home"
 *
 * Before a line may stand what a logger wrote, up to "file.cc:12] ". */
#include "fmt/gperftools/gperftools_int.h"

/* Each is looked for in every line, so there must be few. */
enum { MAX_VARIABLES = 16 };

struct variables {
	struct op_view names[MAX_VARIABLES], values[MAX_VARIABLES];
	size_t n;
	size_t bytes_left; /* that lines may grow to */
};

/* --- variables and loggers --- */

static struct op_view without_log_head(struct op_view line)
{
	const uint8_t *end = line.n ? memchr(line.p, ']', line.n) : NULL;
	size_t n = end ? (size_t)(end - line.p) : 0, digits = n;

	while (digits && line.p[digits - 1] >= '0' && line.p[digits - 1] <= '9')
		digits--;
	if (digits == n || digits < 2 || line.p[digits - 1] != ':' ||
	    memchr(line.p, '[', n) || n + 1 >= line.n ||
	    (line.p[n + 1] != ' ' && line.p[n + 1] != '\t'))
		return line;
	return op_gperf_trim(op_view(end + 1, line.n - n - 1));
}

/* Which variable stands at a place; its number or n. */
static size_t variable_at(const struct variables *vars, struct op_view v)
{
	size_t i;

	for (i = 0; i < vars->n; i++)
		if (v.n > vars->names[i].n &&
		    !memcmp(v.p + 1, vars->names[i].p, vars->names[i].n))
			break;
	return i;
}

/* The line with values in place of "$name". */
static struct op_view expanded(struct op_gperf *g, struct variables *vars,
			       struct op_view line)
{
	struct op_buf out = { .err = g->err, .limit = vars->bytes_left };
	uint8_t *copy;

	if (!vars->n || !line.n || !memchr(line.p, '$', line.n))
		return line;
	for (size_t i = 0; i < line.n && !g->err->code;) {
		struct op_view rest = op_view(line.p + i, line.n - i);
		size_t k = *rest.p == '$' ? variable_at(vars, rest) : vars->n;

		if (k == vars->n) {
			op_buf_byte(&out, *rest.p);
			i++;
		} else {
			op_buf_view(&out, vars->values[k]);
			i += 1 + vars->names[k].n;
		}
	}
	vars->bytes_left -= out.n;
	copy = op_arena_alloc(&g->mem, out.n);
	if (!g->err->code)
		line = op_view(memcpy(copy, out.p, out.n), out.n);
	op_buf_free(&out);
	return line;
}

/* --- lines --- */

static bool is_made_of(struct op_view v, const char *set)
{
	for (size_t i = 0; i < v.n; i++)
		if (!strchr(set, v.p[i]) || !v.p[i])
			return false;
	return v.n;
}

/* "08:01" */
static bool is_device(struct op_view v)
{
	uint64_t n;

	return op_gperf_take_hex(&v, &n) && op_gperf_take(&v, ":") &&
	       op_gperf_take_hex(&v, &n) && !v.n;
}

/* Offset, device and inode, as in /proc; then comes the file, which may have
 * spaces in its name. */
static bool take_long(struct op_view v, struct op_gperf_map *m)
{
	struct op_view word = op_gperf_take_word(&v);
	uint64_t offset = 0;
	int64_t inode;

	if (!is_device(word)) {
		if (!op_gperf_take_hex(&word, &offset) || word.n)
			return false;
		word = op_gperf_take_word(&v);
	}
	if (!is_device(word) || !op_gperf_take_int(&v, &inode))
		return false;
	m->offset = offset;
	m->file = op_gperf_trim(v);
	if (op_view_ends(m->file, " (deleted)"))
		m->file.n -= strlen(" (deleted)");
	return true;
}

static void take_short(struct op_view v, struct op_gperf_map *m)
{
	struct op_view id, at;
	uint64_t offset;

	m->file = op_gperf_take_word(&v);
	at = v;
	if (op_gperf_take(&at, "(@") && op_gperf_take_hex(&at, &offset) &&
	    op_gperf_take(&at, ")")) {
		m->offset = offset;
		v = at;
	}
	id = op_gperf_take_word(&v);
	if (is_made_of(id, "0123456789abcdefABCDEF"))
		m->build_id = id;
}

/* What a line maps; false if it is none. is_code says whether it can run. */
static bool map_take(struct op_view line, struct op_gperf_map *m, bool *is_code)
{
	struct op_view rest = line, word;

	*m = (struct op_gperf_map){ 0 };
	*is_code = true;
	if (!op_gperf_take_hex(&rest, &m->start) || !rest.n ||
	    !strchr("- \t", rest.p[0]))
		return false;
	op_gperf_take(&rest, "-");
	if (!op_gperf_take_hex(&rest, &m->limit))
		return false;
	op_gperf_take(&rest, ":");
	if (rest.n && rest.p[0] != ' ' && rest.p[0] != '\t')
		return false;
	line = rest;
	word = op_gperf_take_word(&rest);
	if (is_made_of(word, "-rwxps")) {
		*is_code = memchr(word.p, 'x', word.n);
		line = rest;
	}
	if (!take_long(line, m))
		take_short(line, m);
	return true;
}

/* --- the list --- */

/* Whether b goes on where a ends. What one of them does not say fits. */
static bool is_next_part(const struct op_gperf_map *a,
			 const struct op_gperf_map *b)
{
	if (a->limit != b->start)
		return false;
	if (a->file.n && b->file.n && !op_view_eq(a->file, b->file))
		return false;
	if (a->build_id.n && b->build_id.n &&
	    !op_view_eq(a->build_id, b->build_id))
		return false;
	return !a->offset || !b->offset ||
	       a->offset + (a->limit - a->start) == b->offset;
}

static void map_add(struct op_gperf *g, const struct op_gperf_map *m)
{
	struct op_gperf_map *last = g->maps.n ? &g->maps.p[g->maps.n - 1] :
						NULL;

	if (!last || !is_next_part(last, m)) {
		(void)op_vec_push(&g->mem, &g->maps, *m);
		return;
	}
	last->limit = m->limit;
	if (m->file.n)
		last->file = m->file;
	if (m->build_id.n)
		last->build_id = m->build_id;
}

/* "libc.so", "libc-2.15.so", "libc.so.6" */
static bool is_library(struct op_view file)
{
	static const char so[] = ".so";
	const uint8_t *end = file.p + file.n, *p = file.p;

	while ((p = memmem(p, (size_t)(end - p), so, sizeof(so) - 1))) {
		p += sizeof(so) - 1;
		if (p == end || (end - p > 1 && (*p == '.' || *p == '_') &&
				 p[1] >= '0' && p[1] <= '9'))
			return true;
	}
	return false;
}

/* The program comes first: what is no library and has a name of a file. */
static void program_first(struct op_gperf *g)
{
	for (size_t i = 0; i < g->maps.n; i++) {
		struct op_gperf_map m = g->maps.p[i];

		if (!m.file.n || m.file.p[0] == '[' || is_library(m.file))
			continue;
		g->maps.p[i] = g->maps.p[0];
		g->maps.p[0] = m;
		return;
	}
}

/* Programs that were moved to huge pages, and those that are not loaded
 * anywhere but at their fixed address. */
static void program_fix(struct op_gperf *g)
{
	static const uint64_t fixed_start = 0x400000;
	struct op_gperf_map *m = g->maps.p;

	if (g->maps.n > 1 && op_gperf_begins(m->file, "/anon_hugepage") &&
	    m->limit == m[1].start) {
		g->maps.n--;
		memmove(m, m + 1, g->maps.n * sizeof(*m));
	}
	if (g->maps.n && m->start - m->offset == fixed_start) {
		m->start = fixed_start;
		m->offset = 0;
	}
}

void op_gperf_read_maps(struct op_gperf *g, struct op_view text)
{
	enum { FACTOR = 16, ANYWAY = 65536 };
	struct variables vars = { .bytes_left = FACTOR * text.n + ANYWAY };
	struct op_gperf_map m;
	struct op_view line;
	bool is_code;

	while (!g->err->code && op_gperf_line(&text, &line)) {
		line = expanded(g, &vars, without_log_head(line));
		if (map_take(line, &m, &is_code)) {
			if (is_code)
				map_add(g, &m);
		} else if (vars.n < MAX_VARIABLES &&
			   op_gperf_assignment(line, &vars.names[vars.n],
					       &vars.values[vars.n]) &&
			   vars.names[vars.n].n) {
			vars.n++;
		} else if (!op_gperf_is_idle(line)) {
			g->nr_unknown++;
		}
	}
	program_first(g);
	program_fix(g);
}

void op_gperf_read_sections(struct op_gperf *g, struct op_view line,
			    struct op_view text)
{
	do {
		if (op_gperf_is_map_head(line)) {
			op_gperf_read_maps(g, text);
			return;
		}
	} while (op_gperf_line(&text, &line));
}
