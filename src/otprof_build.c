// SPDX-License-Identifier: Apache-2.0
/* src/otprof_build.c: building, for include/otprof.h.
 *
 * Two builders of the model stand behind one of the API: the tables live as
 * long as it does, the profiles as long as a message. Samples refer to rows of
 * the tables. A message that is taken has what its samples lead to, as if it
 * were imported from both.
 *
 * Ids that the caller sees are rows plus a base, which moves on when rows are
 * given up: so an id from before is known as such. */
#include "model/builder.h"
#include "model/merge.h"
#include "model/semconv.h"
#include "otprof_int.h"

/* What the caller has ids of. */
enum thing {
	RESOURCE,
	SCOPE,
	PROFILE, /* these three are of a message */
	MAPPING,
	LOCATION,
	STACK,
	SET,
	LINK,
	NR_THINGS,
};

/* Rows of the tables that the message last taken uses, a byte for each. */
struct use {
	uint8_t *mappings, *locations, *stacks, *sets, *links;
};

struct otprof_builder {
	struct op_model tables_m, message_m;
	struct op_builder tables, message;
	struct op_err err;
	struct op_arena scratch;  /* of one call */
	struct op_arena used_mem; /* of used */
	struct use used;
	uint64_t quota;
	uint32_t base[NR_THINGS];
};

/* --- ids --- */

static uint32_t nr_of(const struct otprof_builder *b, enum thing t)
{
	const struct op_builder *rows = &b->tables;

	switch (t) {
	case RESOURCE:
		return (uint32_t)b->message.resources.n;
	case SCOPE:
		return (uint32_t)b->message.scopes.n;
	case PROFILE:
		return (uint32_t)b->message.profiles.n;
	/* Row 0 of a table is nobody's. */
	case MAPPING:
		return (uint32_t)rows->mappings.n - 1;
	case LOCATION:
		return (uint32_t)rows->locations.n - 1;
	case STACK:
		return (uint32_t)rows->stack_at.n - 2;
	case SET:
		return (uint32_t)rows->set_at.n - 2;
	default:
		return (uint32_t)rows->links.n - 1;
	}
}

/* Rows of a message count from 0, those of tables from 1. */
static uint32_t first_of(enum thing t)
{
	return t > PROFILE;
}

static uint32_t id_of(struct otprof_builder *b, enum thing t, uint32_t row)
{
	if (b->err.code || (first_of(t) && !row))
		return 0;
	return b->base[t] + row + 1 - first_of(t);
}

/* The row of an id; false if it is wrong, which then is the error. */
static bool row_of(struct otprof_builder *b, enum thing t, uint32_t id,
		   uint32_t *row)
{
	static const char *const names[] = {
		[RESOURCE] = "resource", [SCOPE] = "scope",
		[PROFILE] = "profile",	 [MAPPING] = "mapping",
		[LOCATION] = "location", [STACK] = "stack",
		[SET] = "attribute set", [LINK] = "link",
	};

	*row = 0;
	if (b->err.code)
		return false;
	if (!id && first_of(t))
		return true;
	if (id && id <= b->base[t])
		op_fail(&b->err, OP_EUSAGE,
			"%s %u is of before otprof_builder_%s()", names[t], id,
			t > PROFILE ? "compact" : "take");
	else if (!id || id - b->base[t] > nr_of(b, t))
		op_fail(&b->err, OP_EUSAGE, "no %s %u was built", names[t], id);
	*row = id - b->base[t] - 1 + first_of(t);
	return !b->err.code;
}

/* All ids so far are over. An id is seldom used that long after it was given
 * that the numbers have come around. */
static void ids_end(struct otprof_builder *b, enum thing t)
{
	uint32_t nr = nr_of(b, t);

	b->base[t] = nr < UINT32_MAX / 2 - b->base[t] ? b->base[t] + nr : 0;
}

/* --- life --- */

static int message_begin(struct otprof_builder *b)
{
	uint64_t used = b->tables_m.mem.used;

	b->message_m = (struct op_model){ 0 };
	if (b->quota)
		b->message_m.mem.quota = used < b->quota ? b->quota - used : 1;
	return op_builder_init(&b->message, &b->message_m, &b->err);
}

int otprof_builder_new(uint64_t mem_quota, struct otprof_builder **out,
		       struct otprof_err *err)
{
	struct op_err mine = { 0 };
	struct otprof_builder *b = op_heap_resize(NULL, sizeof(*b), &mine);

	if (!b)
		return otprof_give_(err, &mine);
	*b = (struct otprof_builder){ .quota = mem_quota,
				      .scratch.err = &b->err,
				      .used_mem.err = &b->err };
	b->tables_m.mem.quota = mem_quota;
	if (op_builder_init(&b->tables, &b->tables_m, &b->err) ||
	    message_begin(b)) {
		otprof_give_(err, &b->err);
		otprof_builder_free(b);
		return err->code;
	}
	*out = b;
	return OTPROF_OK;
}

void otprof_builder_free(struct otprof_builder *b)
{
	if (!b)
		return;
	op_model_free(&b->tables_m);
	op_model_free(&b->message_m);
	op_arena_free(&b->scratch);
	op_arena_free(&b->used_mem);
	op_heap_free(b);
}

uint64_t otprof_builder_bytes(const struct otprof_builder *b)
{
	return b->tables_m.mem.used + b->message_m.mem.used;
}

/* --- taking a message --- */

static void scope_import(struct op_import *im, const struct op_scope *from,
			 uint32_t scope)
{
	for (uint32_t i = 0; i < from->nr_profiles; i++) {
		struct op_profile head = op_import_head(im, &from->profiles[i]);
		struct op_build_pair pair = { .scope = scope, .head = &head };

		op_import_samples(im, &from->profiles[i], &pair);
	}
}

/* The message, whose samples have rows of the tables. */
static void message_import(const struct op_model *m, struct op_import *im)
{
	for (uint32_t r = 0; r < m->nr_resources; r++) {
		const struct op_resource *res = &m->resources[r];
		uint32_t to = op_build_resource(im->to, res, m);

		for (uint32_t s = 0; s < res->nr_scopes; s++)
			scope_import(im, &res->scopes[s],
				     op_build_scope(im->to, to, &res->scopes[s],
						    m));
	}
}

/* Marks the rows of a table that were imported. */
static uint8_t *used_rows(struct otprof_builder *b, const uint32_t *map,
			  size_t nr)
{
	uint8_t *used = op_new(&b->used_mem, uint8_t, nr);

	for (size_t i = 0; used && i < nr; i++)
		used[i] = map[i] != OP_NO_ID;
	return used;
}

static void use_note(struct otprof_builder *b, const struct op_import *im)
{
	const struct op_dict *d = &b->tables_m.dict;

	op_arena_reset(&b->used_mem);
	b->used = (struct use){
		used_rows(b, im->map[OP_MAPPINGS], d->nr[OP_MAPPINGS]),
		used_rows(b, im->map[OP_LOCATIONS], d->nr[OP_LOCATIONS]),
		used_rows(b, im->map[OP_STACKS], d->stacks.nr),
		used_rows(b, im->set_map, d->sets.nr),
		used_rows(b, im->map[OP_LINKS], d->nr[OP_LINKS]),
	};
}

/* A byte for each stack that a sample of the message has. */
static uint8_t *stacks_met(struct otprof_builder *b)
{
	uint8_t *met = op_new(&b->scratch, uint8_t, nr_of(b, STACK) + 1);
	struct op_walk w = { 0 };

	while (met && op_walk_next(&b->message_m, &w))
		for (uint32_t i = 0; i < w.profile->nr_samples; i++)
			met[w.profile->stack[i]] = 1;
	return met;
}

static void take(struct otprof_builder *b, struct op_model *m)
{
	struct op_builder to;
	struct op_import im;
	uint8_t *met = stacks_met(b);

	op_builder_init(&to, m, &b->err);
	if (op_import_builder(&im, &to, &b->tables) && met) {
		op_import_mappings(&im, met);
		message_import(&b->message_m, &im);
		use_note(b, &im);
	}
	op_import_fini(&im);
	if (!op_builder_finish(&to))
		m->normal = true;
}

int otprof_builder_take(struct otprof_builder *b, struct otprof **out,
			struct otprof_err *err)
{
	struct op_model m = { .mem.quota = b->quota };

	if (!op_builder_finish(&b->message))
		take(b, &m);
	for (int t = RESOURCE; t <= PROFILE; t++)
		ids_end(b, (enum thing)t);
	op_model_free(&b->message_m);
	op_arena_reset(&b->scratch);
	if (b->err.code || message_begin(b))
		op_model_free(&m);
	else
		otprof_wrap_(&m, out, &b->err);
	return otprof_give_(err, &b->err);
}

/* --- giving up rows --- */

static void rows_keep(const struct use *u, struct op_import *im)
{
	const struct op_dict *d = &im->from->dict;

	for (uint32_t i = 1; i < d->nr[OP_MAPPINGS]; i++)
		if (u->mappings[i])
			op_import_mapping(im, i);
	for (uint32_t i = 1; i < d->nr[OP_LOCATIONS]; i++)
		if (u->locations[i])
			op_import_location(im, i);
	for (uint32_t i = 1; i < d->stacks.nr; i++)
		if (u->stacks[i])
			op_import_stack(im, i);
	for (uint32_t i = 1; i < d->sets.nr; i++)
		if (u->sets[i])
			op_import_set(im, i);
	for (uint32_t i = 1; i < d->nr[OP_LINKS]; i++)
		if (u->links[i])
			op_import_link(im, i);
}

int otprof_builder_compact(struct otprof_builder *b, struct otprof_err *err)
{
	struct op_model *m = &b->tables_m;
	struct op_model fresh = { .mem.quota = b->quota };
	struct op_builder rows;
	struct op_import im;

	if (nr_of(b, RESOURCE))
		op_fail(&b->err, OP_EUSAGE,
			"otprof_builder_compact() while profiles are built");
	op_builder_init(&rows, &fresh, &b->err);
	if (op_import_builder(&im, &rows, &b->tables) && b->used.stacks)
		rows_keep(&b->used, &im);
	op_import_fini(&im);
	if (b->err.code) {
		op_model_free(&fresh);
		return otprof_give_(err, &b->err);
	}
	for (int t = MAPPING; t < NR_THINGS; t++)
		ids_end(b, (enum thing)t);
	op_model_free(m);
	*m = fresh;
	b->tables = rows;
	b->tables.m = m;
	op_arena_free(&b->used_mem);
	b->used = (struct use){ 0 };
	return OTPROF_OK;
}

/* --- values --- */

struct otprof_value otprof_string(const char *s)
{
	return (struct otprof_value){ .kind = OTPROF_STRING,
				      .s = otprof_str(s) };
}

struct otprof_value otprof_bool(int truth)
{
	return (struct otprof_value){ .kind = OTPROF_BOOL, .i = truth != 0 };
}

struct otprof_value otprof_int(int64_t i)
{
	return (struct otprof_value){ .kind = OTPROF_INT, .i = i };
}

struct otprof_value otprof_double(double d)
{
	return (struct otprof_value){ .kind = OTPROF_DOUBLE, .d = d };
}

struct otprof_value otprof_bytes(const void *p, size_t n)
{
	return (struct otprof_value){ .kind = OTPROF_BYTES, .s = { p, n } };
}

struct otprof_value otprof_array(const struct otprof_value *elements,
				 uint32_t nr)
{
	return (struct otprof_value){ .kind = OTPROF_ARRAY,
				      .nr = nr,
				      .list = elements };
}

struct otprof_value otprof_map(const struct otprof_attr *elements, uint32_t nr)
{
	return (struct otprof_value){ .kind = OTPROF_MAP,
				      .nr = nr,
				      .list = elements };
}

static struct op_any any_of(struct otprof_builder *b,
			    const struct otprof_value *v, int depth);

/* The elements of an array or map, in memory of the call. */
static void list_of(struct otprof_builder *b, const struct otprof_value *v,
		    int depth, struct op_any *out)
{
	bool is_map = v->kind == OTPROF_MAP;
	struct otprof_attrs walk = otprof_value_elements(v);
	struct op_any *array = NULL;
	struct op_kv *map = NULL;
	struct otprof_attr at;

	if (is_map)
		map = op_new(&b->scratch, struct op_kv, v->nr);
	else
		array = op_new(&b->scratch, struct op_any, v->nr);
	if (!map && !array)
		return;
	for (uint32_t i = 0; otprof_attr_next(&walk, &at); i++) {
		if (is_map) {
			map[i].key = otprof_view_of(at.key);
			map[i].value = any_of(b, &at.value, depth + 1);
		} else {
			array[i] = any_of(b, &at.value, depth + 1);
		}
	}
	out->kind = is_map ? OP_ANY_KVLIST : OP_ANY_ARRAY;
	out->n = v->nr;
	if (is_map)
		out->kvlist = map;
	else
		out->array = array;
}

static struct op_any any_of(struct otprof_builder *b,
			    const struct otprof_value *v, int depth)
{
	enum { MAX_DEPTH = 64 };
	struct op_any any = { .kind = OP_ANY_NONE };

	switch (v->kind) {
	case OTPROF_NONE:
		break;
	case OTPROF_STRING:
	case OTPROF_BYTES:
		any.kind = v->kind == OTPROF_STRING ? OP_ANY_STRING :
						      OP_ANY_BYTES;
		any.bytes = otprof_view_of(v->s);
		break;
	case OTPROF_BOOL:
		any.kind = OP_ANY_BOOL;
		any.flag = v->i != 0;
		break;
	case OTPROF_INT:
		any.kind = OP_ANY_INT;
		any.num = v->i;
		break;
	case OTPROF_DOUBLE:
		any.kind = OP_ANY_DOUBLE;
		any.real = v->d;
		break;
	case OTPROF_ARRAY:
	case OTPROF_MAP:
		if (depth < MAX_DEPTH)
			list_of(b, v, depth, &any);
		else
			op_fail(&b->err, OP_ELIMIT,
				"an attribute that nests more than %d deep",
				MAX_DEPTH);
		break;
	default:
		op_fail(&b->err, OP_EUSAGE, "no kind of value %d",
			(int)v->kind);
	}
	return any;
}

/* An id has 32 bits, and so has a number of rows. */
static void most_check(struct otprof_builder *b, size_t nr)
{
	if (nr > UINT32_MAX)
		op_fail_memory(&b->err, nr);
}

/* Attributes of a resource or scope, in memory of the call. */
static struct op_kvs kvs_of(struct otprof_builder *b,
			    const struct otprof_attr *attrs, size_t nr)
{
	struct op_kv *kvs = op_new(&b->scratch, struct op_kv, nr);

	most_check(b, nr);
	for (size_t i = 0; i < nr && !b->err.code; i++) {
		kvs[i].key = otprof_view_of(attrs[i].key);
		kvs[i].value = any_of(b, &attrs[i].value, 0);
	}
	return (struct op_kvs){ kvs, (uint32_t)nr };
}

/* --- resources, scopes and profiles --- */

uint32_t otprof_build_resource(struct otprof_builder *b,
			       const struct otprof_attr *attrs, size_t nr)
{
	struct op_resource head = { .attrs = kvs_of(b, attrs, nr) };
	uint32_t row = 0;

	if (!b->err.code)
		row = op_build_resource(&b->message, &head, NULL);
	op_arena_reset(&b->scratch);
	return id_of(b, RESOURCE, row);
}

uint32_t otprof_build_scope(struct otprof_builder *b, uint32_t resource,
			    const char *name, const char *version,
			    const struct otprof_attr *attrs, size_t nr)
{
	struct op_scope head = { .name = op_view_z(name ? name : ""),
				 .version = op_view_z(version ? version : ""),
				 .attrs = kvs_of(b, attrs, nr) };
	uint32_t row = 0, of;

	if (row_of(b, RESOURCE, resource, &of))
		row = op_build_scope(&b->message, of, &head, NULL);
	op_arena_reset(&b->scratch);
	return id_of(b, SCOPE, row);
}

/* Types of profiles are rows of the tables, as all that profiles refer to. */
static struct op_value_type type_of(struct otprof_builder *b,
				    struct otprof_str type,
				    struct otprof_str unit)
{
	return (struct op_value_type){
		op_build_string(&b->tables, otprof_view_of(type)),
		op_build_string(&b->tables, otprof_view_of(unit)),
	};
}

uint32_t otprof_build_profile(struct otprof_builder *b, uint32_t scope,
			      const struct otprof_profile *head)
{
	struct op_profile p = { 0 };
	struct otprof_profile h;
	uint32_t of;

	if (otprof_opts_(&h, head, &b->err) || !row_of(b, SCOPE, scope, &of) ||
	    !row_of(b, SET, h.attrs, &p.attrs))
		return 0;
	p.sample_type = type_of(b, h.type, h.unit);
	p.period_type = type_of(b, h.period_type, h.period_unit);
	p.period = h.period;
	p.time_ns = h.time_unix_nano;
	p.duration_ns = h.duration_nano;
	p.payload = otprof_view_of(h.payload);
	p.payload_format = otprof_view_of(h.payload_format);
	if (h.id) {
		memcpy(p.id, h.id, sizeof(p.id));
		p.id_len = sizeof(p.id);
	}
	return id_of(b, PROFILE, op_build_profile(&b->message, of, &p));
}

/* --- tables --- */

uint32_t otprof_build_mapping(struct otprof_builder *b,
			      const struct otprof_mapping *m)
{
	struct op_mapping row = { 0 };
	struct otprof_mapping all;
	struct op_any build_id = { .kind = OP_ANY_STRING };

	if (otprof_opts_(&all, m, &b->err) ||
	    !row_of(b, SET, all.attrs, &row.attrs))
		return 0;
	row.start = all.start;
	row.limit = all.limit;
	row.offset = all.offset;
	row.filename = op_build_string(&b->tables, otprof_view_of(all.file));
	build_id.bytes = otprof_view_of(all.build_id);
	if (build_id.bytes.n)
		row.attrs = op_build_set_with(
			&b->tables, row.attrs,
			op_build_attr(&b->tables,
				      op_view_z(OP_ATTR_BUILD_ID_GNU),
				      &build_id, (struct op_view){ 0 }, NULL));
	return id_of(b, MAPPING, op_build_mapping(&b->tables, &row));
}

/* The line of a frame; false if nobody has a name for its address. */
static bool line_of(struct otprof_builder *b, const struct otprof_frame *f,
		    struct op_line *line)
{
	struct op_builder *to = &b->tables;
	struct op_function fn = {
		.name = op_build_string(to, otprof_view_of(f->function)),
		.system_name = op_build_string(to,
					       otprof_view_of(f->system_name)),
		.filename = op_build_string(to, otprof_view_of(f->file)),
	};

	if (!fn.name && !fn.system_name && !fn.filename)
		return false;
	line->function = op_build_function(to, &fn);
	line->line = f->line;
	line->column = f->column;
	return true;
}

uint32_t otprof_build_location(struct otprof_builder *b, uint32_t mapping,
			       const struct otprof_frame *frames, size_t nr)
{
	struct op_location row = { 0 };
	struct op_line *lines = op_new(&b->scratch, struct op_line, nr);
	const uint8_t *at = (const uint8_t *)frames;
	struct otprof_frame f = { 0 };
	uint32_t nr_lines = 0, id = 0;

	most_check(b, nr);
	row_of(b, MAPPING, mapping, &row.mapping);
	for (size_t i = 0; i < nr && !b->err.code; i++) {
		if (!otprof_opts_(&f, at, &b->err) &&
		    line_of(b, &f, &lines[nr_lines]))
			nr_lines++;
		at += frames->sz;
	}
	row.address = f.address;
	if (row_of(b, SET, f.attrs, &row.attrs))
		id = op_build_location(&b->tables, &row, lines, nr_lines);
	op_arena_reset(&b->scratch);
	return id_of(b, LOCATION, id);
}

uint32_t otprof_build_stack(struct otprof_builder *b, const uint32_t *locations,
			    size_t nr)
{
	uint32_t *rows = op_new_raw(&b->scratch, uint32_t, nr);
	uint32_t id = 0;

	most_check(b, nr);
	for (size_t i = 0; i < nr && !b->err.code; i++)
		row_of(b, LOCATION, locations[i], &rows[i]);
	if (!b->err.code)
		id = op_build_stack(&b->tables, rows, (uint32_t)nr);
	op_arena_reset(&b->scratch);
	return id_of(b, STACK, id);
}

uint32_t otprof_build_attrs(struct otprof_builder *b,
			    const struct otprof_attr *attrs, size_t nr)
{
	uint32_t *ids = op_new(&b->scratch, uint32_t, nr);
	uint32_t set = 0;

	most_check(b, nr);
	for (size_t i = 0; i < nr && !b->err.code; i++) {
		struct op_any any = any_of(b, &attrs[i].value, 0);

		ids[i] = op_build_attr(&b->tables, otprof_view_of(attrs[i].key),
				       &any, otprof_view_of(attrs[i].unit),
				       NULL);
	}
	if (!b->err.code)
		set = op_build_set(&b->tables, ids, (uint32_t)nr);
	op_arena_reset(&b->scratch);
	return id_of(b, SET, set);
}

uint32_t otprof_build_link(struct otprof_builder *b, const uint8_t *trace_id,
			   const uint8_t *span_id)
{
	struct op_link link = { 0 };

	memcpy(link.trace_id, trace_id, sizeof(link.trace_id));
	memcpy(link.span_id, span_id, sizeof(link.span_id));
	return id_of(b, LINK, op_build_link(&b->tables, &link));
}

/* --- samples --- */

/* The sample of an identity; false if an id is wrong. */
static bool sample_of(struct otprof_builder *b, uint32_t *profile,
		      struct otprof_identity id, uint32_t *out)
{
	struct op_identity rows;

	if (!row_of(b, PROFILE, *profile, profile) ||
	    !row_of(b, STACK, id.stack, &rows.stack) ||
	    !row_of(b, SET, id.attrs, &rows.set) ||
	    !row_of(b, LINK, id.link, &rows.link))
		return false;
	*out = op_build_sample(&b->message, *profile, rows);
	return !b->err.code;
}

void otprof_build_add(struct otprof_builder *b, uint32_t profile,
		      struct otprof_identity id, int64_t value)
{
	uint32_t sample;

	if (sample_of(b, &profile, id, &sample))
		op_build_add(&b->message, profile, sample, value);
}

void otprof_build_observe(struct otprof_builder *b, uint32_t profile,
			  struct otprof_identity id, int64_t value,
			  uint64_t time_unix_nano)
{
	uint32_t sample;

	if (sample_of(b, &profile, id, &sample))
		op_build_observe(&b->message, profile, sample, value,
				 time_unix_nano);
}
