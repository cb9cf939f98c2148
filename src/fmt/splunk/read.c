// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/read.c: log records into the model.
 *
 * A profile is many records, and its resource and scope may come again in each
 * message: what has the same bytes is the same. Where the scope tells of the
 * profile (head.c) that is what it is; if not, what its records say of kind,
 * period and event tells one profile from another. */
#include "fmt/splunk/read_int.h"

#include <stdio.h>

#include "base/hash.h"
#include "model/semconv.h"

/* What tells one profile from another; compared as bytes. */
struct profile_key {
	uint32_t scope, type, unit, period_type, period_unit, attrs;
	int64_t period, index;
};

struct op_splunk_profile {
	struct profile_key key;
	struct op_profile head;
	struct op_build_pair pair;
	bool has_range; /* the head says from when to when it is */
	uint64_t first_ns, last_ns;
};

/* --- bytes that come again --- */

static uint32_t row_hash(struct op_view key, uint32_t under)
{
	return op_hash32(key.p, key.n) ^ under * 0x9e3779b9u;
}

static bool row_eq(const void *table, uint32_t id, const void *key)
{
	const struct op_splunk_row *a = (const struct op_splunk_row *)table +
					id,
				   *b = key;

	return a->under == b->under && op_view_eq(a->key, b->key);
}

uint32_t op_splunk_row_find(const struct op_splunk_rows *rows,
			    struct op_view key, uint32_t under)
{
	const struct op_splunk_row row = { key, under, 0 };
	uint32_t id = op_intern_find(&rows->index, row_hash(key, under), row_eq,
				     rows->v.p, &row);

	return id == OP_NO_ID ? id : rows->v.p[id].id;
}

void op_splunk_row_add(struct op_splunk_rows *rows, struct op_arena *mem,
		       struct op_splunk_row row)
{
	if (op_vec_push(mem, &rows->v, row))
		op_intern_add(&rows->index, mem, row_hash(row.key, row.under),
			      (uint32_t)rows->v.n - 1);
}

/* Parts one behind the other, in the reader's memory. */
static struct op_view joined(struct op_splunk_reader *r,
			     const struct op_view *parts, size_t nr)
{
	size_t n = 0, at = 0;
	uint8_t *p;

	for (size_t i = 0; i < nr; i++)
		n += sizeof(n) + parts[i].n;
	p = op_arena_alloc(&r->mem, n);
	if (!p)
		return (struct op_view){ 0 };
	for (size_t i = 0; i < nr; i++) {
		memcpy(p + at, &parts[i].n, sizeof(n));
		at += sizeof(n);
		if (parts[i].n)
			memcpy(p + at, parts[i].p, parts[i].n);
		at += parts[i].n;
	}
	return op_view(p, n);
}

/* What a key became; the key, if it is known, is given back. */
static uint32_t known(struct op_splunk_reader *r,
		      const struct op_splunk_rows *rows, struct op_view key,
		      uint32_t under)
{
	uint32_t id = op_splunk_row_find(rows, key, under);

	if (id != OP_NO_ID)
		op_arena_drop(&r->mem, (void *)key.p, key.n);
	return id;
}

static uint32_t resource_id(struct op_splunk_reader *r,
			    const struct op_log_resource *res)
{
	const struct op_view parts[] = { res->bytes, res->head.schema_url };
	struct op_view key = joined(r, parts, op_countof(parts));
	uint32_t id = known(r, &r->resources, key, 0);

	if (id != OP_NO_ID || r->err->code)
		return id;
	id = op_build_resource(&r->b, &res->head, NULL);
	op_splunk_row_add(&r->resources, &r->mem,
			  (struct op_splunk_row){ key, 0, id });
	return id;
}

/* The scope without what we have put there. */
static struct op_scope plain_scope(struct op_splunk_reader *r,
				   const struct op_log_scope *s)
{
	struct op_scope head = s->head;
	struct op_kvs all = head.attrs;

	if (r->head.has_scope) {
		head.name = r->head.scope_name;
		head.version = r->head.scope_version;
	}
	head.attrs = (struct op_kvs){ op_new(&r->once, struct op_kv, all.n),
				      0 };
	if (!head.attrs.p)
		return head;
	for (uint32_t i = 0; i < all.n; i++)
		if (!op_view_is(all.p[i].key, SPLUNK_HEAD))
			head.attrs.p[head.attrs.n++] = all.p[i];
	return head;
}

/* Profiles of one scope stand in scopes of their own, which say where they
 * were. */
static uint32_t scope_id(struct op_splunk_reader *r, uint32_t resource,
			 const struct op_log_scope *s)
{
	const struct op_splunk_head *h = &r->head;
	const struct op_scope head = plain_scope(r, s);
	const struct op_view plain[] = { s->bytes, s->head.schema_url };
	const struct op_view told[] = {
		op_view(h->index, 2 * sizeof(h->index[0])), head.name,
		head.version, head.schema_url
	};
	struct op_view key = h->is_there ? joined(r, told, op_countof(told)) :
					   joined(r, plain, op_countof(plain));
	uint32_t id = known(r, &r->scopes, key, resource);

	if (id != OP_NO_ID || r->err->code)
		return id;
	id = op_build_scope(&r->b, resource, &head, NULL);
	op_splunk_row_add(&r->scopes, &r->mem,
			  (struct op_splunk_row){ key, resource, id });
	return id;
}

/* --- profiles --- */

static uint32_t attr_of(struct op_splunk_reader *r, const struct op_kv *kv)
{
	return op_build_attr(&r->b, kv->key, &kv->value, (struct op_view){ 0 },
			     NULL);
}

uint32_t op_splunk_attr_text(struct op_splunk_reader *r, const char *key,
			     struct op_view v)
{
	const struct op_kv kv = { .key = op_view_z(key),
				  .value = { .kind = OP_ANY_STRING,
					     .bytes = v } };

	return attr_of(r, &kv);
}

static void attr_push(struct op_splunk_reader *r, uint32_t attr)
{
	(void)op_vec_push(&r->once, &r->attrs, attr);
}

uint32_t op_splunk_set_with(struct op_splunk_reader *r, uint32_t set)
{
	size_t n = r->attrs.n;
	uint32_t at, end;

	if (!n || r->err->code)
		return set;
	at = r->b.set_at.p[set];
	end = r->b.set_at.p[set + 1];
	for (; at < end; at++)
		attr_push(r, r->b.members.p[at]);
	set = op_build_set(&r->b, r->attrs.p, (uint32_t)r->attrs.n);
	r->attrs.n = n;
	return set;
}

static uint32_t kvs_set(struct op_splunk_reader *r, struct op_kvs kvs)
{
	struct op_id_vec ids = { 0 };

	for (uint32_t i = 0; i < kvs.n && !r->err->code; i++)
		(void)op_vec_push(&r->once, &ids, attr_of(r, &kvs.p[i]));
	return op_build_set(&r->b, ids.p, (uint32_t)ids.n);
}

/* The attributes of a profile without a head: the event and where it is from,
 * which by custom is a profiler that runs all the time. */
static uint32_t kind_attrs(struct op_splunk_reader *r,
			   const struct op_splunk_kind *kind)
{
	struct op_view source = r->rec.source;
	uint32_t set = kind->attrs;

	if (kind->event.n)
		set = op_build_set_with(&r->b, set,
					op_splunk_attr_text(r, OP_ATTR_EVENT,
							    kind->event));
	if (source.n && !op_view_is(source, SPLUNK_CONTINUOUS))
		set = op_build_set_with(&r->b, set,
					op_splunk_attr_text(r, SPLUNK_SOURCE,
							    source));
	return set;
}

static struct op_profile head_of(struct op_splunk_reader *r,
				 const struct op_splunk_kind *kind)
{
	const struct op_splunk_head *h = &r->head;
	struct op_profile p = { .sample_type = kind->sample_type,
				.period_type = kind->period_type,
				.period = kind->period };

	if (!h->is_there) {
		p.attrs = kind_attrs(r, kind);
		return p;
	}
	p.sample_type.type = op_build_string(&r->b, h->type);
	p.sample_type.unit = op_build_string(&r->b, h->unit);
	p.period_type.type = op_build_string(&r->b, h->period_type);
	p.period_type.unit = op_build_string(&r->b, h->period_unit);
	p.period = h->period;
	p.time_ns = h->time_ns;
	p.duration_ns = h->duration_ns;
	p.attrs = kvs_set(r, h->attrs);
	p.dropped_attrs = (uint32_t)h->dropped_attrs;
	return p;
}

static bool profile_eq(const void *table, uint32_t id, const void *key)
{
	struct op_splunk_profile *const *all = table;

	return !memcmp(&all[id]->key, key, sizeof(all[id]->key));
}

static struct op_splunk_profile *profile_add(struct op_splunk_reader *r,
					     const struct profile_key *key,
					     const struct op_profile *head)
{
	struct op_splunk_profile *p = op_new(&r->mem, struct op_splunk_profile,
					     1);

	if (!p || !op_vec_push(&r->mem, &r->profiles, p) ||
	    !op_intern_add(&r->profile_index, &r->mem,
			   op_hash32(key, sizeof(*key)),
			   (uint32_t)r->profiles.n - 1))
		return NULL;
	p->key = *key;
	p->head = *head;
	p->has_range = r->head.is_there;
	p->first_ns = UINT64_MAX;
	p->pair = (struct op_build_pair){ .scope = r->scope_id,
					  .head = &p->head };
	return p;
}

/* NULL after a failure. */
static struct op_splunk_profile *profile_find(struct op_splunk_reader *r,
					      const struct op_splunk_kind *kind)
{
	const struct op_profile head = head_of(r, kind);
	const struct profile_key key = {
		.scope = r->scope_id,
		.type = head.sample_type.type,
		.unit = head.sample_type.unit,
		.period_type = head.period_type.type,
		.period_unit = head.period_type.unit,
		.attrs = head.attrs,
		.period = head.period,
		.index = r->head.is_there ? r->head.index[2] : -1,
	};
	uint32_t id;

	if (r->err->code)
		return NULL;
	id = op_intern_find(&r->profile_index, op_hash32(&key, sizeof(key)),
			    profile_eq, r->profiles.p, &key);
	return id == OP_NO_ID ? profile_add(r, &key, &head) : r->profiles.p[id];
}

/* All records of a scope with a head are of one profile. */
static struct op_splunk_profile *profile_of(struct op_splunk_reader *r,
					    const struct op_splunk_kind *kind)
{
	struct op_splunk_profile *p = r->of_head;

	if (!p)
		p = profile_find(r, kind);
	if (r->head.is_there)
		r->of_head = p;
	return p;
}

void op_splunk_observe(struct op_splunk_reader *r,
		       const struct op_splunk_kind *kind,
		       const struct op_splunk_seen *seen)
{
	struct op_splunk_profile *p = profile_of(r, kind);
	uint32_t id, sample;

	if (!p)
		return;
	id = op_build_pair_id(&r->b, &p->pair, seen->time_ns);
	sample = op_build_sample(&r->b, id, seen->id);
	if (!seen->time_ns) {
		op_build_add(&r->b, id, sample, seen->value);
		return;
	}
	op_build_observe(&r->b, id, sample, seen->value, seen->time_ns);
	if (seen->time_ns < p->first_ns)
		p->first_ns = seen->time_ns;
	if (seen->time_ns > p->last_ns)
		p->last_ns = seen->time_ns;
}

void op_splunk_profile_make(struct op_splunk_reader *r,
			    const struct op_splunk_kind *kind)
{
	struct op_splunk_profile *p = profile_of(r, kind);

	if (p && !p->pair.made[0] && !p->pair.made[1])
		op_build_pair_id(&r->b, &p->pair, false);
}

/* --- records --- */

static struct op_value_type type_of(struct op_splunk_reader *r,
				    struct op_view type, const char *unit)
{
	return (struct op_value_type){ op_build_string(&r->b, type),
				       op_build_string(&r->b,
						       op_view_z(unit)) };
}

/* Without a word for the kind of data a record that says how much was
 * allocated is an allocation, and any other a look at a thread. */
struct op_splunk_kind op_splunk_kind_of(struct op_splunk_reader *r)
{
	const struct op_splunk_record *rec = &r->rec;
	struct op_splunk_kind k = { .event = rec->event };

	if (op_view_is(rec->data_type, SPLUNK_ALLOCATION) ||
	    (!rec->data_type.n && rec->has_allocated))
		k.sample_type = type_of(r, op_view_z(SPLUNK_ALLOC_SAMPLE),
					SPLUNK_ALLOC_UNIT);
	else if (!rec->data_type.n || op_view_is(rec->data_type, SPLUNK_CPU))
		k.sample_type = type_of(r, op_view_z(SPLUNK_CPU_SAMPLE),
					SPLUNK_CPU_UNIT);
	else
		k.sample_type = type_of(r, rec->data_type, SPLUNK_CPU_UNIT);
	if (rec->period_ms > 0 && rec->period_ms <= INT64_MAX / SPLUNK_MS) {
		k.period = rec->period_ms * SPLUNK_MS;
		k.period_type = type_of(r, op_view_z(SPLUNK_PERIOD_TYPE),
					SPLUNK_PERIOD_UNIT);
	}
	return k;
}

static struct op_view text_of(const struct op_any *v)
{
	return v->kind == OP_ANY_STRING ? v->bytes : (struct op_view){ 0 };
}

static bool int_of(const struct op_any *v, int64_t *out)
{
	if (v->kind == OP_ANY_INT)
		*out = v->num;
	return v->kind == OP_ANY_INT;
}

/* Takes an attribute that says something of the record; false: it is not
 * known. */
static bool known_attr(struct op_splunk_record *rec, const struct op_kv *kv)
{
	const struct op_any *v = &kv->value;
	int64_t ignored;

	if (op_view_is(kv->key, SPLUNK_SOURCETYPE))
		rec->is_profile |= op_view_is(text_of(v), SPLUNK_SCOPE);
	else if (op_view_is(kv->key, SPLUNK_DATA_TYPE))
		rec->data_type = text_of(v);
	else if (op_view_is(kv->key, SPLUNK_DATA_FORMAT))
		rec->format = text_of(v);
	else if (op_view_is(kv->key, SPLUNK_SOURCE))
		rec->source = text_of(v);
	else if (op_view_is(kv->key, SPLUNK_EVENT))
		rec->event = text_of(v);
	else if (op_view_is(kv->key, SPLUNK_PERIOD))
		int_of(v, &rec->period_ms);
	else if (op_view_is(kv->key, SPLUNK_ALLOCATED))
		rec->has_allocated = int_of(v, &rec->allocated);
	else if (op_view_is(kv->key, SPLUNK_VALUE))
		rec->has_value = int_of(v, &rec->value);
	else if (op_view_is(kv->key, SPLUNK_UNTIMED))
		rec->is_untimed = v->kind == OP_ANY_BOOL && v->flag;
	else
		return op_view_is(kv->key, SPLUNK_FRAME_COUNT) &&
		       int_of(v, &ignored);
	return true;
}

static void record_read(struct op_splunk_reader *r, const struct op_log *log,
			bool is_ours)
{
	struct op_splunk_record *rec = &r->rec;

	*rec = (struct op_splunk_record){ .log = log, .is_profile = is_ours };
	for (uint32_t i = 0; i < log->attrs.n; i++)
		known_attr(rec, &log->attrs.p[i]);
	if (!rec->is_profile) {
		r->nr_others++;
		return;
	}
	r->attrs.n = 0;
	for (uint32_t i = 0; i < log->attrs.n && !r->err->code; i++) {
		struct op_splunk_record ignored = { 0 };

		if (!known_attr(&ignored, &log->attrs.p[i]))
			attr_push(r, attr_of(r, &log->attrs.p[i]));
	}
	if (log->body.kind != OP_ANY_STRING)
		r->nr_odd++;
	else if (!rec->format.n || op_view_is(rec->format, SPLUNK_TEXT))
		op_splunk_text_read(r, log->body.bytes);
	else if (op_view_is(rec->format, SPLUNK_PPROF))
		op_splunk_pprof_read(r, log->body.bytes);
	else
		r->nr_odd++;
}

static bool has_profiles(const struct op_log_scope *s)
{
	if (op_view_is(s->head.name, SPLUNK_SCOPE))
		return true;
	for (uint32_t i = 0; i < s->nr_records; i++) {
		struct op_splunk_record rec = { 0 };
		struct op_kvs attrs = s->records[i].attrs;

		for (uint32_t k = 0; k < attrs.n; k++)
			known_attr(&rec, &attrs.p[k]);
		if (rec.is_profile)
			return true;
	}
	return false;
}

static void scope_read(struct op_splunk_reader *r,
		       const struct op_log_resource *res,
		       const struct op_log_scope *s)
{
	bool is_ours = op_view_is(s->head.name, SPLUNK_SCOPE);
	struct op_splunk_kind none = { 0 };

	if (!has_profiles(s)) {
		r->nr_others += s->nr_records;
		return;
	}
	r->head = op_splunk_head_read(&s->head);
	if (r->resource_id == OP_NO_ID)
		r->resource_id = resource_id(r, res);
	r->scope_id = scope_id(r, r->resource_id, s);
	r->rec = (struct op_splunk_record){ 0 };
	r->of_head = NULL;
	if (r->head.is_there && !s->nr_records && !r->err->code)
		op_splunk_profile_make(r, &none);
	for (uint32_t i = 0; i < s->nr_records && !r->err->code; i++)
		record_read(r, &s->records[i], is_ours);
}

/* --- the whole --- */

int op_splunk_reader_init(struct op_splunk_reader *r, struct op_model *m,
			  const struct op_read_opts *opts, struct op_err *err)
{
	size_t quota = opts ? opts->mem_quota : 0;

	*r = (struct op_splunk_reader){
		.err = err,
		.opts = opts,
		.mem = { .err = err, .quota = quota },
		.once = { .err = err, .quota = quota },
	};
	op_builder_init(&r->b, m, err);
	r->has_frames = op_splunk_frames_of(opts ? opts->settings : NULL,
					    &r->frames, err);
	return err->code;
}

int op_splunk_message(struct op_splunk_reader *r, struct op_view msg)
{
	struct op_logs l = { .mem.quota = r->mem.quota };

	r->msg = msg;
	op_logs_decode(&l, msg, r->err);
	for (uint32_t i = 0; i < l.nr_resources && !r->err->code; i++) {
		const struct op_log_resource *res = &l.resources[i];

		r->resource_id = OP_NO_ID;
		for (uint32_t k = 0; k < res->nr_scopes && !r->err->code; k++)
			scope_read(r, res, &res->scopes[k]);
	}
	op_logs_free(&l);
	op_arena_reset(&r->once);
	r->frame_lines = r->thread_lines = (struct op_splunk_rows){ 0 };
	r->stack = r->attrs = (struct op_id_vec){ 0 };
	return r->err->code;
}

static void note(struct op_splunk_reader *r, uint64_t nr, const char *what)
{
	if (nr)
		op_note_skipped(r->opts, r->err, "%llu %s",
				(unsigned long long)nr, what);
}

/* Without a head, a profile is from its first look at a thread to its last. */
static void ranges_set(struct op_splunk_reader *r)
{
	for (size_t i = 0; i < r->profiles.n; i++) {
		const struct op_splunk_profile *p = r->profiles.p[i];
		struct op_profile *head;

		if (p->has_range || !p->last_ns)
			continue;
		head = op_build_profile_head(&r->b, p->pair.id[true]);
		head->time_ns = p->first_ns;
		head->duration_ns = p->last_ns - p->first_ns;
	}
}

int op_splunk_reader_finish(struct op_splunk_reader *r)
{
	if (!r->err->code) {
		ranges_set(r);
		note(r, r->nr_others, "log records without a profile skipped");
		note(r, r->nr_odd,
		     "log records of profiles in an unknown form skipped");
		note(r, r->nr_remarks, "lines between frames skipped");
		note(r, r->nr_ranges, "ends of line and column ranges skipped");
	}
	op_arena_free(&r->once);
	op_arena_free(&r->mem);
	return op_builder_finish(&r->b);
}
