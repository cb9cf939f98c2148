// SPDX-License-Identifier: Apache-2.0
/* fmt/gperftools/model.c: samples, memory map and names into a model.
 *
 * What pprof would make of the file: its sample types, the last of them first;
 * mappings that a stack leads to; its expressions for functions that are no
 * part of a stack. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/hex.h"
#include "fmt/gperftools/gperftools_int.h"
#include "model/builder.h"
#include "model/semconv.h"

struct maker {
	struct op_gperf *g;
	struct op_builder b;
	OP_VEC(uint64_t) rows; /* addresses, each once */
	struct op_intern index;
	uint32_t *map_of;      /* row; the map or OP_NO_ID */
	uint32_t *location_of; /* row; the builder's */
	OP_VEC(struct op_line) lines;
	struct op_id_vec stack;
};

/* --- which map an address is in --- */

/* Addresses from at[i] up to at[i + 1] are those of a map, or of none. */
struct cover {
	uint64_t *at;
	uint32_t *owner;
	uint32_t *next; /* piece from i on that has no owner, or nearer to it */
	size_t n;
};

static int u64_cmp(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The piece that an address is in; n if it is before all. */
static size_t piece_of(const struct cover *c, uint64_t address)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->at[mid] <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : c->n;
}

static uint32_t unowned(const struct cover *c, uint32_t i)
{
	while (c->next[i] != i) {
		c->next[i] = c->next[c->next[i]];
		i = c->next[i];
	}
	return i;
}

static void cover_put(struct cover *c, uint32_t owner, uint64_t start,
		      uint64_t limit)
{
	uint32_t i;

	if (start >= limit)
		return;
	for (i = unowned(c, (uint32_t)piece_of(c, start));
	     i < c->n && c->at[i] < limit; i = unowned(c, i + 1)) {
		c->owner[i] = owner;
		c->next[i] = i + 1;
	}
}

/* Where a map begins if its file is mapped from its first byte on. */
static uint64_t file_start(const struct op_gperf_map *m)
{
	return m->offset <= m->start ? m->start - m->offset : m->start;
}

/* Of maps that overlap the first one counts. before: what lies before the
 * maps, as far as their files go back. */
static bool cover_make(struct op_gperf *g, struct cover *c, bool before)
{
	size_t nr = 0;

	c->at = op_new(&g->mem, uint64_t, 2 * g->maps.n);
	c->owner = op_new(&g->mem, uint32_t, 2 * g->maps.n);
	c->next = op_new(&g->mem, uint32_t, 2 * g->maps.n + 1);
	if (g->err->code)
		return false;
	for (size_t i = 0; i < g->maps.n; i++) {
		const struct op_gperf_map *m = &g->maps.p[i];

		c->at[c->n++] = before ? file_start(m) : m->start;
		c->at[c->n++] = before ? m->start : m->limit;
	}
	if (c->n)
		qsort(c->at, c->n, sizeof(*c->at), u64_cmp);
	for (size_t i = 0; i < c->n; i++)
		if (!nr || c->at[i] != c->at[nr - 1])
			c->at[nr++] = c->at[i];
	c->n = nr;
	for (uint32_t i = 0; i <= c->n; i++)
		c->next[i] = i;
	if (c->n)
		memset(c->owner, 0xff, c->n * sizeof(*c->owner));
	for (uint32_t i = 0; i < g->maps.n; i++) {
		const struct op_gperf_map *m = &g->maps.p[i];

		if (before)
			cover_put(c, i, file_start(m), m->start);
		else
			cover_put(c, i, m->start, m->limit);
	}
	return true;
}

static uint32_t owner_of(const struct cover *c, uint64_t address)
{
	size_t i = piece_of(c, address);

	return i < c->n ? c->owner[i] : OP_NO_ID;
}

/* Some writers leave out the first part of a file that is mapped in parts: a
 * map that has an address only there begins there. */
static void maps_find(struct maker *k)
{
	struct op_gperf *g = k->g;
	struct cover in = { 0 }, before = { 0 };

	if (!cover_make(g, &in, false) || !cover_make(g, &before, true))
		return;
	for (size_t i = 0; i < k->rows.n; i++) {
		uint64_t address = k->rows.p[i];
		uint32_t map = address ? owner_of(&in, address) : OP_NO_ID;

		if (map == OP_NO_ID && address) {
			map = owner_of(&before, address);
			if (map != OP_NO_ID)
				g->maps.p[map].is_extended = true;
		}
		k->map_of[i] = map;
		if (map != OP_NO_ID)
			g->maps.p[map].is_used = true;
	}
}

/* --- rows of the model --- */

static uint32_t attr(struct maker *k, struct op_view key,
		     const struct op_any *v)
{
	return op_build_attr(&k->b, key, v, (struct op_view){ 0 }, NULL);
}

static uint32_t text_attr(struct maker *k, const char *key, struct op_view v)
{
	struct op_any any = { .kind = OP_ANY_STRING, .bytes = v };

	return attr(k, op_view_z(key), &any);
}

static void maps_make(struct maker *k)
{
	for (size_t i = 0; i < k->g->maps.n; i++) {
		struct op_gperf_map *m = &k->g->maps.p[i];
		struct op_mapping row = { .limit = m->limit };
		uint32_t id;

		if (!m->is_used)
			continue;
		row.start = m->is_extended ? file_start(m) : m->start;
		row.offset = m->is_extended ? 0 : m->offset;
		row.filename = op_build_string(&k->b, m->file);
		if (m->build_id.n) {
			id = text_attr(k, OP_ATTR_BUILD_ID_GNU, m->build_id);
			row.attrs = op_build_set(&k->b, &id, 1);
		}
		m->id = op_build_mapping(&k->b, &row);
	}
}

static bool name_eq(const void *table, uint32_t id, const void *key)
{
	return ((const struct op_gperf_name *)table)[id].address ==
	       *(const uint64_t *)key;
}

static uint32_t name_of(const struct op_gperf *g, uint64_t address)
{
	return op_intern_find(&g->name_index, op_hash_words(&address, 1),
			      name_eq, g->names.p, &address);
}

static bool name_same(const struct op_gperf_name *a,
		      const struct op_gperf_name *b)
{
	return op_view_eq(a->function, b->function) &&
	       op_view_eq(a->file, b->file) && a->line == b->line;
}

void op_gperf_name_add(struct op_gperf *g, const struct op_gperf_name *rows,
		       uint32_t nr)
{
	uint64_t address = rows->address;
	uint32_t id = name_of(g, address);

	if (id != OP_NO_ID) {
		if (!name_same(&g->names.p[id], rows))
			g->names.p[id].is_doubtful = true;
		return;
	}
	id = (uint32_t)g->names.n;
	op_intern_add(&g->name_index, &g->mem, op_hash_words(&address, 1), id);
	for (uint32_t i = 0; i < nr; i++)
		(void)op_vec_push(&g->mem, &g->names, rows[i]);
}

static void line_add(struct maker *k, const struct op_gperf_name *name)
{
	struct op_function function = {
		.name = op_build_string(&k->b, name->function),
		.filename = op_build_string(&k->b, name->file),
	};
	struct op_line line = { .line = name->line };

	function.system_name = function.name;
	line.function = op_build_function(&k->b, &function);
	(void)op_vec_push(&k->g->mem, &k->lines, line);
}

static uint32_t location_make(struct maker *k, uint32_t i)
{
	const struct op_gperf *g = k->g;
	struct op_location row = { .address = g->is_java ? 0 : k->rows.p[i] };
	uint32_t name = name_of(g, k->rows.p[i]);

	if (k->map_of[i] != OP_NO_ID)
		row.mapping = g->maps.p[k->map_of[i]].id;
	k->lines.n = 0;
	if (name < g->names.n && g->names.p[name].is_doubtful)
		name = OP_NO_ID;
	for (; name < g->names.n && g->names.p[name].address == k->rows.p[i];
	     name++)
		line_add(k, &g->names.p[name]);
	return op_build_location(&k->b, &row, k->lines.p, (uint32_t)k->lines.n);
}

/* --- addresses --- */

static bool address_eq(const void *table, uint32_t id, const void *key)
{
	return ((const uint64_t *)table)[id] == *(const uint64_t *)key;
}

static uint32_t row_of(const struct maker *k, uint64_t address, uint32_t *hash)
{
	*hash = op_hash_words(&address, 1);
	return op_intern_find(&k->index, *hash, address_eq, k->rows.p,
			      &address);
}

static void rows_make(struct maker *k)
{
	struct op_gperf *g = k->g;
	uint32_t hash;

	for (size_t i = 0; i < g->samples.n; i++) {
		const struct op_gperf_sample *s = &g->samples.p[i];

		for (uint32_t n = 0; n < s->nr && !g->err->code; n++) {
			uint64_t a = g->addresses.p[s->first + n];

			if (row_of(k, a, &hash) != OP_NO_ID)
				continue;
			if (op_intern_add(&k->index, &g->mem, hash,
					  (uint32_t)k->rows.n))
				(void)op_vec_push(&g->mem, &k->rows, a);
		}
	}
	k->map_of = op_new(&g->mem, uint32_t, k->rows.n);
	k->location_of = op_new_ids(&g->mem, k->rows.n);
}

static uint32_t stack_of(struct maker *k, const struct op_gperf_sample *s)
{
	struct op_gperf *g = k->g;
	uint32_t hash;

	k->stack.n = 0;
	for (uint32_t i = 0; i < s->nr; i++) {
		uint32_t row = row_of(k, g->addresses.p[s->first + i], &hash);
		uint32_t *id = &k->location_of[row];

		if (*id == OP_NO_ID)
			*id = location_make(k, row);
		(void)op_vec_push(&g->mem, &k->stack, *id);
	}
	return op_build_stack(&k->b, k->stack.p, (uint32_t)k->stack.n);
}

/* --- profiles --- */

/* Functions that pprof leaves out of stacks and, among them, those that it
 * keeps: expressions for the whole name. */
static const char drop_profiler[] =
	"ProfileData::(Add|prof_handler)|CpuProfiler::prof_handler|"
	"__pthread_sighandler|__restore";

static const char drop_allocator[] =
	"(tc_)?([cm]alloc|c?free|(posix_)?memalign|p?valloc|realloc)|"
	"__posix_memalign|do_memalign|__libc_malloc|cpp_alloc|"
	"(::)?do_malloc(_no_errno|_pages)?|tcmalloc::.*|"
	"tc_(new|delete)(array)?|tc_new(array)?_nothrow|"
	"malloc_zone_([cmv]alloc|realloc|memalign|free)|"
	"operator new(\\[\\])?|__builtin_(vec_)?(new|delete)|"
	"((__gnu_cxx::new_allocator|__malloc_alloc_template|"
	"simple_alloc)::)?allocate|_M_allocate|BaseArena::.*|"
	"DoSampledAllocation|MallocedMemBlock::MallocedMemBlock|runtime\\..*";

static const char keep_allocator[] = "runtime\\.(panic|reflectcall|call[0-9]*)";

static const char drop_lock[] =
	"(base::)?(RecordLock|SubmitMutex|SubmitSpinLock)ProfileData.*|"
	"((base::)?Mutex::)?(AwaitCommon|Unlock|ReaderUnlock).*|"
	"((base::)?MutexLock::)?~MutexLock.*|"
	"(SpinLock::)?(Unlock|SlowUnlock).*|"
	"(SpinLockHolder::)?~SpinLockHolder.*";

static const struct {
	const char *drop, *keep;
} frames[] = {
	[OP_GPERF_DROP_PROFILER] = { drop_profiler, NULL },
	[OP_GPERF_DROP_ALLOCATOR] = { drop_allocator, keep_allocator },
	[OP_GPERF_DROP_LOCK] = { drop_lock, NULL },
};

static struct op_value_type type_of(struct maker *k,
				    const struct op_gperf_type *t)
{
	return (struct op_value_type){ op_build_string(&k->b, t->type),
				       op_build_string(&k->b, t->unit) };
}

/* Which of the types is profile i: the last is the one to show first, as in
 * files of pprof. */
static uint32_t type_at(const struct op_gperf *g, uint32_t i)
{
	return i ? i - 1 : g->nr_types - 1;
}

static uint32_t scope_make(struct maker *k)
{
	const struct op_gperf *g = k->g;
	struct op_builder *b = &k->b;
	struct op_any order[OP_GPERF_TYPES] = { 0 };
	struct op_kv kv = { .key = op_view_z(OP_ATTR_SAMPLE_TYPE_ORDER) };
	struct op_resource resource = { .schema_url = op_view_z(
						OP_SCHEMA_URL) };
	struct op_scope scope = { .schema_url = op_view_z(OP_SCHEMA_URL),
				  .attrs = { &kv, g->nr_types > 1 } };

	for (uint32_t i = 0; i < g->nr_types; i++) {
		order[i].kind = OP_ANY_INT;
		order[i].num = type_at(g, i);
	}
	kv.value.kind = OP_ANY_ARRAY;
	kv.value.n = g->nr_types;
	kv.value.array = order;
	return op_build_scope(b, op_build_resource(b, &resource, NULL), &scope,
			      NULL);
}

static void profiles_make(struct maker *k, uint32_t *ids)
{
	const struct op_gperf *g = k->g;
	struct op_builder *b = &k->b;
	struct op_profile head = { .period = g->period,
				   .duration_ns = g->duration_ns,
				   .period_type = type_of(k, &g->period_type) };
	const char *keep = frames[g->drop].keep;
	uint32_t attrs[2], n = 0, scope = scope_make(k);

	attrs[n++] = text_attr(k, OP_ATTR_DROP_FRAMES,
			       op_view_z(frames[g->drop].drop));
	if (keep)
		attrs[n++] = text_attr(k, OP_ATTR_KEEP_FRAMES, op_view_z(keep));
	head.attrs = op_build_set(b, attrs, n);
	for (uint32_t i = 0; i < g->nr_types; i++) {
		head.sample_type = type_of(k, &g->types[type_at(g, i)]);
		ids[i] = i ? op_build_profile_like(b, ids[0], &head) :
			     op_build_profile(b, scope, &head);
	}
}

static uint32_t set_of(struct maker *k, const struct op_gperf_sample *s)
{
	struct op_any bytes = { .kind = OP_ANY_INT, .num = s->block_bytes };
	uint32_t set = 0;

	if (s->block_bytes)
		set = op_build_set_with(&k->b, set,
					attr(k, op_view_z(OP_GPERF_BLOCK_BYTES),
					     &bytes));
	for (uint32_t i = 0; i < s->labels.n; i++)
		set = op_build_set_with(&k->b, set,
					attr(k, s->labels.p[i].key,
					     &s->labels.p[i].value));
	return set;
}

static void samples_make(struct maker *k)
{
	const struct op_gperf *g = k->g;
	uint32_t ids[OP_GPERF_TYPES] = { 0 };

	profiles_make(k, ids);
	for (size_t i = 0; i < g->samples.n && !g->err->code; i++) {
		const struct op_gperf_sample *s = &g->samples.p[i];
		struct op_identity id = { .stack = stack_of(k, s),
					  .set = set_of(k, s) };
		uint32_t sample = op_build_sample(&k->b, ids[0], id);

		for (uint32_t n = 0; n < g->nr_types; n++)
			op_build_add(&k->b, ids[n], sample,
				     s->values[type_at(g, n)]);
	}
}

void op_gperf_build(struct op_gperf *g, struct op_model *m)
{
	struct maker k = { .g = g };

	op_builder_init(&k.b, m, g->err);
	if (!g->err->code)
		rows_make(&k);
	if (!g->err->code)
		maps_find(&k);
	if (!g->err->code) {
		maps_make(&k);
		samples_make(&k);
	}
	op_builder_finish(&k.b);
	m->normal = !g->err->code;
}
