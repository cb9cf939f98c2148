// SPDX-License-Identifier: Apache-2.0
/* fmt/folded/read.c: lines into the builder.
 *
 * A name is looked at once: from then on its bytes, as they stand in the
 * file, are known to be a location. Where a line begins as the one before it,
 * not even that is asked.
 */
#include "fmt/folded/folded_int.h"

#include "base/hash.h"
#include "base/utf8.h"

int op_folded_bad(struct op_folded_reader *r, int code, const uint8_t *at,
		  const char *why)
{
	const uint8_t *p = r->in.p;
	size_t line = 1;

	while ((p = memchr(p, '\n', (size_t)(at - p))))
		p++, line++;
	return op_fail_at(r->err, code, (uint64_t)(at - r->in.p),
			  "line %zu: %s", line, why);
}

/* --- what a text was --- */

static bool memo_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_folded_memo_row *rows = table;

	return op_view_eq(rows[id].text, *(const struct op_view *)key);
}

op_inline uint32_t memo_find(const struct op_folded_memo *m, uint32_t hash,
			     const struct op_view *text)
{
	return op_intern_find(&m->index, hash, memo_eq, m->rows.p, text);
}

static void memo_put(struct op_folded_reader *r, struct op_folded_memo *m,
		     uint32_t hash, struct op_folded_memo_row row)
{
	if (op_vec_push(&r->mem, &m->rows, row))
		op_intern_add(&m->index, &r->mem, hash,
			      (uint32_t)m->rows.n - 1);
}

/* --- text and values --- */

/* Made UTF-8 here, and not by the builder, so that what becomes equal by it
 * is found to be equal. */
static struct op_view fixed(struct op_folded_reader *r, struct op_view v)
{
	size_t n;
	uint8_t *p;

	if (op_likely(op_utf8_valid(v)))
		return v;
	n = op_utf8_fixed_size(v);
	p = op_arena_alloc(&r->mem, n);
	if (!p)
		return (struct op_view){ 0 };
	op_utf8_fix(v, p);
	return op_view(p, n);
}

struct op_view op_folded_text(struct op_folded_reader *r, struct op_view raw)
{
	struct op_view v = raw;
	const uint8_t *at;

	if (r->form != OP_FOLDED_ESCAPED ||
	    op_folded_decode(&r->mem, raw, &v, &at))
		return fixed(r, v);
	if (at)
		op_folded_bad(r, OP_EFORMAT, at,
			      "a percent sign without two hex digits");
	return (struct op_view){ 0 };
}

struct op_any op_folded_value(struct op_folded_reader *r, struct op_view raw)
{
	struct op_any v = { .kind = OP_ANY_INT };

	if (op_folded_i64(raw, &v.num))
		return v;
	v.kind = OP_ANY_STRING;
	v.bytes = op_folded_text(r, raw);
	return v;
}

void op_folded_set_put(struct op_folded_reader *r, struct op_folded_set *set,
		       struct op_view key, struct op_view value)
{
	struct op_any v = op_folded_value(r, value);
	struct op_view text = op_folded_text(r, key);
	uint32_t id = op_build_string(&r->b, text);
	uint32_t i = 0;

	while (i < set->n && set->keys[i] != id)
		i++;
	if (i == OP_FOLDED_MAX_ATTRS) {
		op_folded_bad(r, OP_ELIMIT, key.p, "more than 128 attributes");
		return;
	}
	set->keys[i] = id;
	set->ids[i] = op_build_attr(&r->b, text, &v, (struct op_view){ 0 },
				    NULL);
	set->n += i == set->n;
}

/* --- stacks --- */

static uint32_t new_frame(struct op_folded_reader *r, struct op_view raw)
{
	struct op_view name = raw.n ? op_folded_text(r, raw) :
				      op_view_z(OP_FOLDED_UNKNOWN);
	struct op_function f = { .name = op_build_string(&r->b, name) };
	struct op_line line = { .function = op_build_function(&r->b, &f) };
	struct op_location none = { 0 };

	return op_build_location(&r->b, &none, &line, 1);
}

op_inline uint32_t frame(struct op_folded_reader *r, struct op_view raw)
{
	uint32_t hash = op_hash32(raw.p, raw.n);
	uint32_t id = memo_find(&r->frames, hash, &raw);
	struct op_folded_memo_row row = { .text = raw };

	if (op_likely(id != OP_NO_ID))
		return r->frames.rows.p[id].id;
	row.id = new_frame(r, raw);
	memo_put(r, &r->frames, hash, row);
	return row.id;
}

/* Makes room for twice as many frames. The ids are kept at the end. */
static bool deeper(struct op_folded_reader *r)
{
	size_t most = r->most ? r->most * 2 : 256;
	uint32_t *path = op_new_raw(&r->mem, uint32_t, most);
	size_t *ends = op_new_raw(&r->mem, size_t, most);

	if (!path || !ends)
		return false;
	if (r->most) {
		memcpy(path + most - r->depth, r->path + r->most - r->depth,
		       r->depth * sizeof(*path));
		memcpy(ends, r->ends, r->depth * sizeof(*ends));
		op_arena_drop(&r->mem, r->ends, r->most * sizeof(*ends));
		op_arena_drop(&r->mem, r->path, r->most * sizeof(*path));
	}
	r->path = path;
	r->ends = ends;
	r->most = most;
	return true;
}

static size_t common_bytes(struct op_view a, struct op_view b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	size_t i = 0;

	for (uint64_t x, y; i + sizeof(x) <= n; i += sizeof(x)) {
		memcpy(&x, a.p + i, sizeof(x));
		memcpy(&y, b.p + i, sizeof(y));
		if (x != y)
			return i + (size_t)__builtin_ctzll(x ^ y) / 8;
	}
	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}

/* How many frames from the root are those of the stack before. */
static size_t common_frames(const struct op_folded_reader *r,
			    struct op_view text, size_t common)
{
	size_t low = 0, high = r->depth;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->ends[mid] < common)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < r->depth && r->ends[low] == common &&
	    (common == text.n || text.p[common] == ';'))
		low++;
	return low;
}

static uint32_t stack_of(struct op_folded_reader *r, struct op_view text)
{
	size_t common = common_bytes(text, r->stack);
	size_t at;

	if (common == text.n && common == r->stack.n)
		return r->stack_id;
	r->depth = common_frames(r, text, common);
	r->stack = text;
	at = r->depth ? r->ends[r->depth - 1] + 1 : 0;
	while (text.n && at <= text.n && !r->err->code) {
		const uint8_t *p = text.p + at;
		const uint8_t *end = memchr(p, ';', text.n - at);
		size_t n = end ? (size_t)(end - p) : text.n - at;

		if (r->depth == r->most && !deeper(r))
			return 0;
		r->ends[r->depth++] = at + n;
		r->path[r->most - r->depth] = frame(r, op_view(p, n));
		at += n + 1;
	}
	r->stack_id = op_build_stack(&r->b, r->path + r->most - r->depth,
				     (uint32_t)r->depth);
	return r->stack_id;
}

/* --- annotations --- */

/* Whether it is half of the link; then it is put there. */
static bool is_link(struct op_link *link, struct op_view key,
		    struct op_view value)
{
	if (op_view_is(key, OP_FOLDED_TRACE))
		return op_folded_hex(value, link->trace_id, 16);
	if (op_view_is(key, OP_FOLDED_SPAN))
		return op_folded_hex(value, link->span_id, 8);
	return false;
}

static struct op_folded_memo_row new_note(struct op_folded_reader *r,
					  struct op_view text)
{
	const uint8_t *p = text.p, *end = p + text.n;
	struct op_folded_set set = { .n = 0 };
	struct op_link link = { 0 };

	while (p && !r->err->code) {
		const uint8_t *stop = memchr(p, ',', (size_t)(end - p));
		size_t n = (size_t)((stop ? stop : end) - p);
		const uint8_t *eq = memchr(p, '=', n);
		size_t key_n = eq ? (size_t)(eq - p) : 0;
		struct op_view key = op_view(p, key_n);

		if (!eq) {
			op_folded_bad(r, OP_EFORMAT, p,
				      "an attribute has no value");
			break;
		}
		if (!is_link(&link, key, op_view(eq + 1, n - key_n - 1)))
			op_folded_set_put(r, &set, key,
					  op_view(eq + 1, n - key_n - 1));
		p = stop ? stop + 1 : NULL;
	}
	return (struct op_folded_memo_row){
		.text = text,
		.id = op_build_set(&r->b, set.ids, set.n),
		.link = op_build_link(&r->b, &link),
	};
}

static struct op_folded_memo_row note(struct op_folded_reader *r,
				      struct op_view text)
{
	uint32_t hash = op_hash32(text.p, text.n);
	uint32_t id = memo_find(&r->notes, hash, &text);
	struct op_folded_memo_row row;

	if (op_likely(id != OP_NO_ID))
		return r->notes.rows.p[id];
	row = new_note(r, text);
	memo_put(r, &r->notes, hash, row);
	return row;
}

/* --- the file --- */

static void sample(struct op_folded_reader *r, const struct op_folded_line *l)
{
	struct op_identity id = { .stack = stack_of(r, l->stack) };
	uint32_t profile = op_build_pair_id(&r->b, &r->pair, l->has_time);
	uint32_t row;

	if (op_unlikely(l->attrs.n)) {
		struct op_folded_memo_row n = note(r, l->attrs);

		id.set = n.id;
		id.link = n.link;
	}
	row = op_build_sample(&r->b, profile, id);
	if (l->has_time)
		op_build_observe(&r->b, profile, row, l->value, l->time_ns);
	else
		op_build_add(&r->b, profile, row, l->value);
}

/* A profile is there even if no sample came. */
static void end_section(struct op_folded_reader *r)
{
	if (!r->pair.made[0] && !r->pair.made[1])
		op_build_pair_id(&r->b, &r->pair, false);
}

/* Lines that are no stack are skipped, unless we wrote the file. */
static void bad_line(struct op_folded_reader *r, const uint8_t *at,
		     const char *why)
{
	if (r->form == OP_FOLDED_ESCAPED || r->strict ||
	    why != op_folded_no_count) {
		op_folded_bad(r, OP_EFORMAT, at, why);
		return;
	}
	if (!r->nr_bad++)
		r->first_bad = at;
}

static void lines(struct op_folded_reader *r, const struct op_read_opts *opts)
{
	struct op_folded_line l;
	struct op_view line;
	const uint8_t *at;
	size_t next = 0;

	if (r->form == OP_FOLDED_ESCAPED)
		op_folded_next(r->in, &next, &line);
	else
		line = (struct op_view){ 0 };
	op_folded_section(r, line);
	while (!r->err->code && op_folded_next(r->in, &next, &line)) {
		const char *why;

		if (op_unlikely(r->form == OP_FOLDED_ESCAPED &&
				op_folded_is_head(line))) {
			end_section(r);
			op_folded_section(r, line);
			continue;
		}
		if (op_folded_skips(line))
			continue;
		why = op_folded_parse(r->form, line, &l, &at);
		if (op_likely(!why))
			sample(r, &l);
		else
			bad_line(r, at, why);
		r->nr_lines++;
	}
	end_section(r);
	if (r->nr_bad * 2 > r->nr_lines)
		op_folded_bad(r, OP_EFORMAT, r->first_bad, op_folded_no_count);
	if (r->nr_bad)
		op_note_skipped(opts, r->err,
				"%llu lines without a stack and a count "
				"skipped, the first at byte %llu",
				(unsigned long long)r->nr_bad,
				(unsigned long long)(r->first_bad - r->in.p));
}

/* TYPE/UNIT, by default samples/count. */
static void read_as(struct op_folded_reader *r, const char *as)
{
	const char *slash;

	as = as ? as : "samples/count";
	slash = strchr(as, '/');
	if (!slash || slash == as) {
		op_fail(r->err, OP_EUSAGE, "as=%s: wants TYPE/UNIT", as);
		return;
	}
	r->as.type = op_build_string(&r->b, op_view(as, (size_t)(slash - as)));
	r->as.unit = op_build_string(&r->b, op_view_z(slash + 1));
}

int op_folded_read(struct op_view in, const struct op_read_opts *opts,
		   op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_folded_reader r = { .in = in, .err = err, .mem.err = err };
	struct op_model m = { 0 };

	if (opts) {
		m.mem.quota = r.mem.quota = opts->mem_quota;
		r.strict = opts->strict;
	}
	r.form = op_folded_form_of(in);
	op_builder_init(&r.b, &m, err);
	read_as(&r, opts ? op_setting(opts->settings, "as") : NULL);
	if (!err->code)
		lines(&r, opts);
	op_builder_finish(&r.b);
	op_arena_free(&r.mem);
	return op_model_deliver(&m, fn, ctx, err);
}
