// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/read_go.c: Go's profiles of counts, and what Go says in
 * comments.
 *
 *	goroutine profile: total 7
 *	1 @ 0x44cb3 0x45045
 *	# labels: {"key":"value"}
 *	#	0x44cb2	main.f+0x12	/src/main.go:8
 *	#	0x44cb2	main.g+0x12	/src/main.go:15
 *
 * Addresses in comments are those of calls, not where they return to. Two rows
 * of one address are an inlined call and its caller, unless the stack has that
 * address twice. */
#include "fmt/gperftools/gperftools_int.h"
#include "fmt/viewer/metadata.h"

static bool is_sample(struct op_view line)
{
	int64_t count;

	return op_gperf_take_int(&line, &count) && op_gperf_take(&line, "@");
}

/* The first line could as well be of folded stacks. */
bool op_gperf_is_count(struct op_view text)
{
	struct op_view line = { 0 };
	int64_t total;

	op_gperf_line(&text, &line);
	if (!op_gperf_take_word(&line).n ||
	    !op_gperf_take(&line, "profile: total ") ||
	    !op_gperf_take_int(&line, &total) || op_gperf_trim(line).n)
		return false;
	while (op_gperf_line(&text, &line))
		if (!op_gperf_is_idle(line))
			return is_sample(line) || op_gperf_begins(line, "---");
	return true;
}

static void sample_take(struct op_gperf *g, struct op_view line)
{
	struct op_gperf_sample *s = op_gperf_sample_add(g);
	struct op_view rest = line;

	if (!op_gperf_take_int(&rest, &s->values[0]) ||
	    !op_gperf_take(&rest, "@")) {
		op_gperf_bad(g, line, "not a sample of a profile of counts");
		return;
	}
	op_gperf_take_stack(g, rest, 1);
}

void op_gperf_read_count(struct op_gperf *g, struct op_view text)
{
	struct op_view line = { 0 };

	op_gperf_line(&text, &line);
	g->types[0].type = op_gperf_take_word(&line);
	g->types[0].unit = op_view_z("count");
	g->nr_types = 1;
	g->period_type = g->types[0];
	g->period = 1;
	while (!g->err->code && op_gperf_line(&text, &line)) {
		if (op_gperf_ends_samples(line)) {
			op_gperf_read_sections(g, line, text);
			return;
		}
		if (op_gperf_is_idle(line))
			op_gperf_comment(g, line);
		else
			sample_take(g, line);
	}
}

/* --- comments --- */

/* Whether they are texts, of a key each. */
static bool labels_fit(struct op_kvs labels)
{
	enum { MAX_LABELS = 64 };

	if (labels.n > MAX_LABELS)
		return false;
	for (uint32_t i = 0; i < labels.n; i++) {
		const struct op_kv *kv = &labels.p[i];

		if (!kv->key.n || kv->value.kind != OP_ANY_STRING ||
		    op_view_is(kv->key, OP_GPERF_BLOCK_BYTES))
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (op_view_eq(kv->key, labels.p[k].key))
				return false;
	}
	return true;
}

static void labels_take(struct op_gperf *g, struct op_view text)
{
	struct op_err err = { 0 };
	struct op_json_in in = op_json_start(text, &err);
	struct op_kvs labels = op_metadata_values(&in, &g->mem);

	if (err.code || op_json_peek(&in) || !labels_fit(labels))
		g->nr_unknown++;
	else
		g->samples.p[g->samples.n - 1].labels = labels;
}

/* Cuts a word off before its last character of this kind. */
static bool cut(struct op_view *v, char c, struct op_view *behind)
{
	const uint8_t *at = v->n ? memrchr(v->p, c, v->n) : NULL;

	if (!at)
		return false;
	*behind = op_view(at + 1, v->n - (size_t)(at + 1 - v->p));
	v->n = (size_t)(at - v->p);
	return true;
}

/* The text up to the next tab. */
static struct op_view column(struct op_view *v)
{
	const uint8_t *tab = v->n ? memchr(v->p, '\t', v->n) : NULL;
	size_t n = tab ? (size_t)(tab - v->p) : v->n;
	struct op_view c = op_view(v->p, n);

	*v = op_gperf_trim(op_view(v->p + n, v->n - n));
	return c;
}

/* How often in a row an address stands where it first does in a stack. */
static uint32_t times_in(const struct op_gperf *g,
			 const struct op_gperf_sample *s, uint64_t address)
{
	const uint64_t *a = g->addresses.p + s->first;
	uint32_t first = 0, end;

	while (first < s->nr && a[first] != address)
		first++;
	for (end = first; end < s->nr && a[end] == address;)
		end++;
	return end - first;
}

void op_gperf_comments_end(struct op_gperf *g)
{
	size_t n = g->comments.n;
	uint32_t times;

	g->comments.n = 0;
	if (!n || g->err->code)
		return;
	times = times_in(g, &g->samples.p[g->samples.n - 1],
			 g->comments.p[0].address);
	if (!times) {
		/* Older releases of Go print return addresses. */
		g->comments.p[0].address--;
		times = times_in(g, &g->samples.p[g->samples.n - 1],
				 g->comments.p[0].address);
		for (size_t i = 1; i < n; i++)
			g->comments.p[i].address = g->comments.p[0].address;
	}
	if (times && n % times == 0)
		op_gperf_name_add(g, g->comments.p, (uint32_t)(n / times));
}

void op_gperf_comment(struct op_gperf *g, struct op_view line)
{
	struct op_gperf_name row = { 0 };
	struct op_view offset, number;

	if (!op_gperf_take(&line, "#") || !g->samples.n)
		return;
	if (op_gperf_take(&line, "labels:")) {
		labels_take(g, op_gperf_trim(line));
		return;
	}
	line = op_gperf_trim(line);
	if (!op_gperf_begins(line, "0x") ||
	    !op_gperf_take_hex(&line, &row.address))
		return;
	line = op_gperf_trim(line);
	row.function = column(&line);
	row.file = line;
	if (!cut(&row.function, '+', &offset) || !row.function.n ||
	    !cut(&row.file, ':', &number) ||
	    !op_gperf_take_int(&number, &row.line))
		return;
	if (g->comments.n && g->comments.p[0].address != row.address)
		op_gperf_comments_end(g);
	(void)op_vec_push(&g->mem, &g->comments, row);
}
