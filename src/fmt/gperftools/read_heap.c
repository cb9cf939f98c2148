// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/read_heap.c: heap, growth and fragmentation profiles.
 *
 *	heap profile: 144: 8498176 [ 144: 8498176] @ heapz_v2/524288
 *	    1: 9216 [ 1: 9216] @ 0xc635c8 0x42ecc3
 *
 * Objects and bytes that are in use and, in brackets, that were allocated. The
 * last word is the kind: a heap_v2 or heapz_v2 was sampled each so many bytes,
 * Go's heap twice as often. */
#include <math.h>

#include "fmt/gperftools/gperftools_int.h"

struct counts {
	int64_t inuse[2], alloc[2]; /* objects, bytes */
};

struct kind {
	const char *name;
	bool has_rate;
	int64_t divisor; /* of the rate */
};

/* A name that begins another stands behind it. */
static const struct kind kinds[] = {
	{ "heapprofile", false, 1 },	{ "heapz_v2", true, 1 },
	{ "heap_v2", true, 1 },		{ "heap", true, 2 },
	{ "growthz", false, 1 },	{ "growth", false, 1 },
	{ "fragmentationz", false, 1 }, { "fragmentation", false, 1 },
};

static bool counts_take(struct op_view *v, struct counts *c)
{
	return op_gperf_take_int(v, &c->inuse[0]) && op_gperf_take(v, ":") &&
	       op_gperf_take_int(v, &c->inuse[1]) && op_gperf_take(v, "[") &&
	       op_gperf_take_int(v, &c->alloc[0]) && op_gperf_take(v, ":") &&
	       op_gperf_take_int(v, &c->alloc[1]) && op_gperf_take(v, "]") &&
	       op_gperf_take(v, "@");
}

static const struct kind *head_take(struct op_view line, struct counts *c,
				    int64_t *rate)
{
	*rate = 0;
	if (!op_gperf_take(&line, "heap profile:") || !counts_take(&line, c))
		return NULL;
	for (size_t i = 0; i < op_countof(kinds); i++) {
		if (!op_gperf_take(&line, kinds[i].name))
			continue;
		if (kinds[i].has_rate && op_gperf_begins(line, "/")) {
			op_gperf_take(&line, "/");
			if (!op_gperf_take_int(&line, rate))
				return NULL;
		}
		return op_gperf_trim(line).n ? NULL : &kinds[i];
	}
	return NULL;
}

bool op_gperf_is_heap(struct op_view line)
{
	struct counts c;
	int64_t rate;

	return head_take(line, &c, &rate);
}

/* --- samples --- */

/* Each allocation of s bytes was seen with a probability of 1 - e^(-s / rate),
 * since the bytes between two that are seen follow a Poisson process. */
bool op_gperf_unsample(int64_t *count, int64_t *bytes, int64_t rate)
{
	const double most = 9223372036854774784.0; /* below 2^63 */
	double mean, scale, objects, size;

	if (!*count || !*bytes) {
		*count = *bytes = 0;
		return true;
	}
	if (rate <= 1)
		return true;
	mean = (double)*bytes / (double)*count;
	scale = 1 / (1 - exp(-mean / (double)rate));
	objects = (double)*count * scale;
	size = (double)*bytes * scale;
	if (!(fabs(objects) <= most && fabs(size) <= most))
		return false;
	*count = (int64_t)objects;
	*bytes = (int64_t)size;
	return true;
}

struct heap {
	const struct kind *kind;
	int64_t rate;
	bool has_alloc;
};

static bool pair_put(const struct heap *h, struct op_gperf_sample *s,
		     const int64_t *pair, int64_t *to)
{
	to[0] = pair[0];
	to[1] = pair[1];
	if (!pair[0])
		return !pair[1];
	s->block_bytes = pair[1] / pair[0];
	return !h->kind->has_rate || op_gperf_unsample(&to[0], &to[1], h->rate);
}

static void sample_take(struct op_gperf *g, const struct heap *h,
			struct op_view line)
{
	struct op_gperf_sample *s = op_gperf_sample_add(g);
	struct op_view rest = line;
	struct counts c;
	bool fits = true;

	if (!counts_take(&rest, &c)) {
		op_gperf_bad(g, line, "not a sample of a heap profile");
		return;
	}
	if (h->has_alloc)
		fits = pair_put(h, s, c.alloc, &s->values[0]);
	fits &= pair_put(h, s, c.inuse, &s->values[h->has_alloc ? 2 : 0]);
	if (!fits)
		op_gperf_bad(g, line, "the bytes do not match the objects");
	op_gperf_take_stack(g, rest, 1);
}

static void types_add(struct op_gperf *g, bool has_alloc)
{
	if (has_alloc) {
		op_gperf_type_add(g, "alloc_objects", "count");
		op_gperf_type_add(g, "alloc_space", "bytes");
	}
	op_gperf_type_add(g, has_alloc ? "inuse_objects" : "objects", "count");
	op_gperf_type_add(g, has_alloc ? "inuse_space" : "space", "bytes");
	g->period_type.type = op_view_z("space");
	g->period_type.unit = op_view_z("bytes");
}

void op_gperf_read_heap(struct op_gperf *g, struct op_view text)
{
	struct op_view line = { 0 };
	struct heap h = { 0 };
	struct counts c;

	op_gperf_line(&text, &line);
	h.kind = head_take(line, &c, &h.rate);
	if (!h.kind) {
		op_gperf_bad(g, line, "not the header of a heap profile");
		return;
	}
	h.rate /= h.kind->divisor;
	h.has_alloc = (c.alloc[0] && c.alloc[0] != c.inuse[0]) ||
		      (c.alloc[1] && c.alloc[1] != c.inuse[1]);
	g->period = h.kind->has_rate ? h.rate : 1;
	g->drop = OP_GPERF_DROP_ALLOCATOR;
	types_add(g, h.has_alloc);
	while (!g->err->code && op_gperf_line(&text, &line)) {
		if (op_gperf_is_map_head(line)) {
			op_gperf_read_maps(g, text);
			return;
		}
		if (op_gperf_is_idle(line))
			op_gperf_comment(g, line);
		else
			sample_take(g, &h, line);
	}
}
