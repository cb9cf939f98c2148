// SPDX-License-Identifier: Apache-2.0
/* sym/cfi_index.c: sorts the ranges of all FDEs. */
#include "sym/cfi_index.h"

#include "base/hash.h"
#include "sym/sigreturn.h"
#include "sym/unwind_table.h"

enum {
	PADDING = 15,
	RADIX_BITS = 11,
	RADIX = 1 << RADIX_BITS,
	MAX_SIGRETURNS = 16,
};

/* Code outside of FDEs that is searched for signal trampolines. */
static const size_t most_searched = 64u << 20;

/* --- CIEs ----------------------------------------------------------------- */

struct place {
	size_t at;
	bool is_debug;
};

static bool place_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_cfi_kin *k = table;
	const struct place *p = key;

	return k[id].cie.at == p->at && k[id].cie.is_debug == p->is_debug;
}

static uint32_t add_kin(struct op_cfi_index *ix, const struct op_cfi_kin *k)
{
	if (!op_vec_push(ix->mem, &ix->cies, *k))
		return OP_NO_ID;
	return (uint32_t)ix->cies.n - 1;
}

/* The CIE at an offset of a section, read on first use. One that cannot be read
 * is recorded too, so that it is not tried again for each FDE. */
static uint32_t cie_at(struct op_cfi_index *ix, const struct op_cfi_section *s,
		       size_t at)
{
	struct place key = { at, s->is_debug };
	uint64_t word = (uint64_t)at << 1 | s->is_debug;
	uint32_t hash = op_hash_words(&word, 1);
	uint32_t id = op_intern_find(&ix->by_place, hash, place_eq, ix->cies.p,
				     &key);
	struct op_cfi_kin k = { 0 };

	if (id != OP_NO_ID)
		return id;
	k.is_broken = !op_cfi_cie_at(s, at, &k.cie) ||
		      !op_cfi_begin(&ix->cfi, &k.cie, &k.begin);
	k.cie.at = at;
	k.cie.is_debug = s->is_debug;
	id = add_kin(ix, &k);
	if (id != OP_NO_ID && !op_intern_add(&ix->by_place, ix->mem, hash, id))
		return OP_NO_ID;
	return id;
}

/* --- FDEs ----------------------------------------------------------------- */

static int add_range(struct op_cfi_index *ix, const struct op_cfi_section *s,
		     const struct op_cfi_fde *fde, uint32_t cie)
{
	uint64_t start = fde->start - ix->base, end = start + fde->size;
	struct op_cfi_range r = {
		.start = (uint32_t)start,
		.end = (uint32_t)end,
		.program = (uint32_t)(fde->program.p - s->bytes.p),
		.program_bytes = (uint32_t)fde->program.n,
		.cie = cie,
	};

	/* Linkers write address 0 into .debug_frame for code that they dropped.
	 */
	if (!fde->size || (s->is_debug && !fde->start))
		return 0;
	if (fde->start < ix->base || start >= ix->size || end > ix->size) {
		ix->nr_broken++;
		return 0;
	}
	(void)op_vec_push(ix->mem, &ix->ranges, r);
	return ix->err->code;
}

/* last is the CIE of the previous FDE, which usually is the same. */
static int add_fde(struct op_cfi_index *ix, const struct op_cfi_section *s,
		   const struct op_cfi_entry *e, uint32_t *last)
{
	struct op_cfi_fde fde;
	const struct op_cfi_kin *k;
	uint32_t id = *last;

	if (op_unlikely(id == OP_NO_ID || ix->cies.p[id].cie.at != e->cie_at)) {
		id = *last = cie_at(ix, s, e->cie_at);
		if (id == OP_NO_ID)
			return ix->err->code;
	}
	k = &ix->cies.p[id];
	if (k->is_broken || !op_cfi_fde_read(&ix->cfi, s, e, &k->cie, &fde)) {
		ix->nr_broken++;
		return 0;
	}
	return add_range(ix, s, &fde, id);
}

static int scan(struct op_cfi_index *ix, const struct op_cfi_section *s)
{
	uint32_t last = OP_NO_ID;
	struct op_cfi_entry e;
	size_t at = 0;

	if (s->bytes.n > UINT32_MAX)
		return op_fail(ix->err, OP_ELIMIT,
			       "call frame information above 4 GiB");
	for (;;) {
		e = op_cfi_entry(s, at);
		if (e.kind == OP_CFI_END)
			break;
		if (e.kind == OP_CFI_FDE && add_fde(ix, s, &e, &last))
			return ix->err->code;
		ix->nr_broken += e.kind == OP_CFI_BROKEN;
		at = e.next;
	}
	ix->nr_broken += e.at < s->bytes.n;
	return 0;
}

/* --- order ---------------------------------------------------------------- */

static bool is_sorted(const struct op_cfi_index *ix)
{
	const struct op_cfi_range *r = ix->ranges.p;

	for (size_t i = 1; i < ix->ranges.n; i++)
		if (r[i].start < r[i - 1].start)
			return false;
	return true;
}

/* One pass over RADIX_BITS of the upper halves of keys. Stable. */
static void radix_pass(const uint64_t *from, uint64_t *to, size_t n,
		       unsigned int shift)
{
	uint32_t at[RADIX] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i] >> shift & (RADIX - 1)]++;
	for (size_t i = 0; i < RADIX; i++) {
		uint32_t nr = at[i];

		at[i] = sum;
		sum += nr;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i] >> shift & (RADIX - 1)]++] = from[i];
}

/* Sorts by start; equal starts keep the order in which they were found. */
static int sort(struct op_cfi_index *ix)
{
	size_t n = ix->ranges.n;
	struct op_cfi_range *sorted;
	uint64_t *a, *b;

	if (is_sorted(ix))
		return 0;
	a = op_new_raw(ix->mem, uint64_t, n);
	b = op_new_raw(ix->mem, uint64_t, n);
	sorted = op_new_raw(ix->mem, struct op_cfi_range, n);
	if (!a || !b || !sorted)
		return ix->err->code;
	for (size_t i = 0; i < n; i++)
		a[i] = (uint64_t)ix->ranges.p[i].start << 32 | i;
	radix_pass(a, b, n, 32);
	radix_pass(b, a, n, 32 + RADIX_BITS);
	radix_pass(a, b, n, 32 + 2 * RADIX_BITS);
	for (size_t i = 0; i < n; i++)
		sorted[i] = ix->ranges.p[(uint32_t)b[i]];
	memcpy(ix->ranges.p, sorted, n * sizeof(*sorted));
	op_arena_drop(ix->mem, sorted, n * sizeof(*sorted));
	op_arena_drop(ix->mem, b, n * sizeof(*b));
	op_arena_drop(ix->mem, a, n * sizeof(*a));
	return 0;
}

/* Cuts sorted ranges so that none overlap, and assigns padding to them. */
static void resolve(struct op_cfi_index *ix)
{
	const struct op_cfi_kin *k = ix->cies.p;
	struct op_cfi_range *r = ix->ranges.p;
	size_t n = 0;

	for (size_t i = 0; i < ix->ranges.n; i++) {
		struct op_cfi_range *last = n ? &r[n - 1] : NULL;

		if (last && r[i].start == last->start)
			continue;
		if (last && r[i].start < last->end) {
			if (k[r[i].cie].cie.is_debug &&
			    !k[last->cie].cie.is_debug)
				continue;
			last->end = r[i].start;
		}
		/* glibc has no FDE for the system call of clone3, which is as
		 * short; but the code after it is not aligned. */
		if (last && r[i].start - last->end <= PADDING &&
		    !(r[i].start & PADDING))
			last->end = r[i].start;
		r[n++] = r[i];
	}
	ix->ranges.n = n;
}

/* --- signal handlers without FDEs ----------------------------------------- */

static uint32_t signal_kin(struct op_cfi_index *ix)
{
	struct op_cfi_kin k = { .cie.at = SIZE_MAX };

	k.begin.rule = op_sigreturn_rule();
	return add_kin(ix, &k);
}

/* Searches the code between two offsets from base. */
static int search_gap(struct op_cfi_index *ix, uint64_t from, uint64_t to,
		      uint32_t *kin)
{
	const struct op_cfi_section *s = &ix->cfi.code;
	uint64_t first = s->vaddr - ix->base, last = first + s->bytes.n;
	struct op_cfi_range r = { 0 };
	struct op_view gap;
	size_t at, n;

	from = from > first ? from : first;
	to = to < last ? to : last;
	if (from >= to)
		return 0;
	gap = op_view(s->bytes.p + (from - first), (size_t)(to - from));
	if (!op_sigreturn_find(gap, &at, &n))
		return 0;
	if (*kin == OP_NO_ID)
		*kin = signal_kin(ix);
	if (*kin == OP_NO_ID)
		return ix->err->code;
	/* The lookup of its frame uses the byte before: nothing calls it, it is
	 * put on the stack as if it had made a call. */
	r.start = (uint32_t)(from + at) - (from + at > 0);
	r.end = (uint32_t)(from + at + n);
	r.cie = *kin;
	(void)op_vec_push(ix->mem, &ix->ranges, r);
	return ix->err->code;
}

static int search_gaps(struct op_cfi_index *ix)
{
	size_t nr = ix->ranges.n, searched = 0;
	uint32_t kin = OP_NO_ID;
	uint64_t from = 0;

	for (size_t i = 0; i <= nr; i++) {
		uint64_t to = i < nr ? ix->ranges.p[i].start : ix->size;

		if (to > from) {
			searched += to - from;
			if (searched > most_searched ||
			    ix->ranges.n - nr > MAX_SIGRETURNS)
				break;
			if (search_gap(ix, from, to, &kin))
				return ix->err->code;
		}
		from = i < nr ? ix->ranges.p[i].end : to;
	}
	if (ix->ranges.n == nr)
		return 0;
	if (sort(ix))
		return ix->err->code;
	resolve(ix);
	return 0;
}

/* --- the whole ------------------------------------------------------------ */

int op_cfi_index_init(struct op_cfi_index *ix, const struct op_cfi *cfi,
		      struct op_arena *mem, struct op_err *err)
{
	uint64_t base = cfi->code_start & ~(uint64_t)(OP_PAGE_BYTES - 1);

	*ix = (struct op_cfi_index){ .cfi = *cfi, .mem = mem, .err = err };
	if (cfi->code_end < base || cfi->code_end - base >= UINT32_MAX)
		return op_fail(err, OP_ELIMIT, "code spans 4 GiB or more");
	ix->base = base;
	ix->size = (uint32_t)(cfi->code_end - base);
	if (scan(ix, &cfi->eh) || scan(ix, &cfi->debug) || sort(ix))
		return err->code;
	resolve(ix);
	return cfi->code.bytes.n ? search_gaps(ix) : 0;
}

size_t op_cfi_index_find(const struct op_cfi_index *ix, uint32_t at)
{
	size_t lo = 0, n = ix->ranges.n;

	while (n) {
		size_t half = n / 2;

		if (ix->ranges.p[lo + half].end <= at) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

void op_cfi_index_run(const struct op_cfi_index *ix, size_t range,
		      const struct op_cfi_sink *sink)
{
	const struct op_cfi_range *r = &ix->ranges.p[range];
	const struct op_cfi_kin *k = &ix->cies.p[r->cie];
	const struct op_cfi_section *s = k->cie.is_debug ? &ix->cfi.debug :
							   &ix->cfi.eh;
	struct op_cfi_fde fde = {
		.start = ix->base + r->start,
		.size = r->end - r->start,
		.program = op_view(r->program_bytes ? s->bytes.p + r->program :
						      NULL,
				   r->program_bytes),
	};

	op_cfi_run(&ix->cfi, &k->cie, &k->begin, &fde, sink);
}
