// SPDX-License-Identifier: Apache-2.0
/* src/otprof_walk.c: profiles, samples, tables and attributes of an object, for
 * include/otprof.h. */
#include "model/semconv.h"
#include "otprof_int.h"

/* --- profiles and samples --- */

size_t otprof_nr_profiles(const struct otprof *p)
{
	return p->nr_profiles;
}

static const struct op_profile *profile_at(const struct otprof *p, size_t i,
					   struct op_err *err)
{
	if (i < p->nr_profiles)
		return p->profiles[i].profile;
	op_fail(err, OP_EUSAGE, "no profile %zu of %zu", i, p->nr_profiles);
	return NULL;
}

int otprof_profile(const struct otprof *p, size_t i, struct otprof_profile *out,
		   struct otprof_err *err)
{
	const struct op_model *m = &p->m;
	struct otprof_profile full = { 0 };
	struct op_err mine = { 0 };
	const struct op_profile *f = profile_at(p, i, &mine);

	if (!f)
		return otprof_give_(err, &mine);
	full.type = otprof_str_of(op_string(m, f->sample_type.type));
	full.unit = otprof_str_of(op_string(m, f->sample_type.unit));
	full.period_type = otprof_str_of(op_string(m, f->period_type.type));
	full.period_unit = otprof_str_of(op_string(m, f->period_type.unit));
	full.period = f->period;
	full.time_unix_nano = f->time_ns;
	full.duration_nano = f->duration_ns;
	full.id = f->id_len ? f->id : NULL;
	full.nr_samples = f->nr_samples;
	full.attrs = f->attrs;
	full.resource = p->profiles[i].r;
	full.scope = p->profiles[i].s;
	full.scope_name = otprof_str_of(p->profiles[i].scope->name);
	full.scope_version = otprof_str_of(p->profiles[i].scope->version);
	full.total = op_profile_total(f);
	full.payload = otprof_str_of(f->payload);
	full.payload_format = otprof_str_of(f->payload_format);
	otprof_fill_(out, &full, &mine);
	return otprof_give_(err, &mine);
}

int otprof_columns(const struct otprof *p, size_t profile,
		   struct otprof_columns *out, struct otprof_err *err)
{
	struct op_err mine = { 0 };
	const struct op_profile *f = profile_at(p, profile, &mine);
	struct otprof_columns full = { 0 };

	if (!f)
		return otprof_give_(err, &mine);
	full.nr = f->nr_samples;
	full.stacks = f->stack;
	full.attrs = f->set;
	full.links = f->link;
	full.value_at = f->value_at;
	full.values = f->values;
	full.time_at = f->time_at;
	full.times = f->times;
	otprof_fill_(out, &full, &mine);
	return otprof_give_(err, &mine);
}

int otprof_sample(const struct otprof *p, size_t profile, uint32_t i,
		  struct otprof_sample *out, struct otprof_err *err)
{
	struct otprof_sample full = { 0 };
	struct op_err mine = { 0 };
	const struct op_profile *f = profile_at(p, profile, &mine);
	const struct op_link *link;

	if (f && i >= f->nr_samples)
		op_fail(&mine, OP_EUSAGE, "no sample %u in profile %zu", i,
			profile);
	if (mine.code)
		return otprof_give_(err, &mine);
	link = &p->m.dict.links[f->link[i]];
	full.stack = f->stack[i];
	full.attrs = f->set[i];
	full.link = f->link[i];
	full.trace_id = f->link[i] && link->trace_len ? link->trace_id : NULL;
	full.span_id = f->link[i] && link->span_len ? link->span_id : NULL;
	full.values = op_sample_values(f, i).p;
	full.nr_values = op_sample_values(f, i).n;
	full.nr_times = op_sample_times(f, i).n;
	full.times = full.nr_times ? f->times + f->time_at[i] : NULL;
	otprof_fill_(out, &full, &mine);
	return otprof_give_(err, &mine);
}

/* --- tables --- */

uint32_t otprof_nr_rows(const struct otprof *p, enum otprof_table table)
{
	const struct op_dict *d = &p->m.dict;

	switch (table) {
	case OTPROF_MAPPINGS:
		return d->nr[OP_MAPPINGS];
	case OTPROF_LOCATIONS:
		return d->nr[OP_LOCATIONS];
	case OTPROF_FUNCTIONS:
		return d->nr[OP_FUNCTIONS];
	case OTPROF_LINKS:
		return d->nr[OP_LINKS];
	case OTPROF_STACKS:
		return d->stacks.nr;
	case OTPROF_ATTRS:
		return d->sets.nr;
	}
	return 0;
}

struct otprof_ids otprof_stack(const struct otprof *p, uint32_t stack)
{
	struct op_ids ids = { 0 };

	if (stack < p->m.dict.stacks.nr)
		ids = op_list(&p->m.dict.stacks, stack);
	return (struct otprof_ids){ ids.p, ids.n };
}

struct otprof_frames otprof_frames(const struct otprof *p, uint32_t stack)
{
	return (struct otprof_frames){ .p = p,
				       .locations = otprof_stack(p, stack) };
}

struct otprof_frames otprof_location_frames(const struct otprof *p,
					    uint32_t location)
{
	bool is_known = location && location < p->m.dict.nr[OP_LOCATIONS];

	return (struct otprof_frames){ .p = p,
				       .locations.n = is_known,
				       .one = location };
}

int otprof_frame_next(struct otprof_frames *walk, struct otprof_frame *out)
{
	const struct op_model *m = &walk->p->m;
	const struct op_dict *d = &m->dict;
	struct otprof_frame full = { 0 };
	struct op_err ignored = { 0 };
	const struct op_location *l;
	const struct op_function *f;
	const struct op_line *line;

	if (walk->at >= walk->locations.n)
		return 0;
	full.location_id = walk->one ? walk->one : walk->locations.p[walk->at];
	l = &d->locations[full.location_id];
	full.address = l->address;
	full.attrs = l->attrs;
	full.mapping_id = l->mapping;
	full.mapping = otprof_str_of(
		op_string(m, d->mappings[l->mapping].filename));
	if (l->nr_lines) {
		line = &d->lines[l->first_line + walk->line];
		f = &d->functions[line->function];
		full.function_id = line->function;
		full.function = otprof_str_of(op_string(m, f->name));
		full.system_name = otprof_str_of(op_string(m, f->system_name));
		full.file = otprof_str_of(op_string(m, f->filename));
		full.line = line->line;
		full.column = line->column;
		full.is_inlined = walk->line + 1 < l->nr_lines;
	}
	if (++walk->line >= l->nr_lines) {
		walk->line = 0;
		walk->at++;
	}
	return !otprof_fill_(out, &full, &ignored);
}

int otprof_mapping(const struct otprof *p, uint32_t mapping,
		   struct otprof_mapping *out, struct otprof_err *err)
{
	const struct op_dict *d = &p->m.dict;
	struct otprof_mapping full = { 0 };
	struct op_err mine = { 0 };
	const struct op_attr *build_id;
	const struct op_mapping *row;

	if (mapping >= d->nr[OP_MAPPINGS]) {
		op_fail(&mine, OP_EUSAGE, "no mapping %u of %u", mapping,
			d->nr[OP_MAPPINGS]);
		return otprof_give_(err, &mine);
	}
	row = &d->mappings[mapping];
	full.file = otprof_str_of(op_string(&p->m, row->filename));
	full.start = row->start;
	full.limit = row->limit;
	full.offset = row->offset;
	full.attrs = row->attrs;
	build_id = op_set_find(&p->m, row->attrs, OP_ATTR_BUILD_ID_GNU);
	if (build_id)
		full.build_id = otprof_str_of(
			op_any_text(&p->m, &build_id->value));
	otprof_fill_(out, &full, &mine);
	return otprof_give_(err, &mine);
}

/* --- attributes --- */

enum { OVER_SET, OVER_KVS, OVER_ARRAY, OVER_OWN_MAP, OVER_OWN_ARRAY };

struct otprof_attrs otprof_attrs(const struct otprof *p, uint32_t set)
{
	struct op_ids ids = { 0 };

	if (set < p->m.dict.sets.nr)
		ids = op_list(&p->m.dict.sets, set);
	return (struct otprof_attrs){
		.p = p, .list = ids.p, .n = ids.n, .kind = OVER_SET
	};
}

static struct otprof_attrs over_kvs(const struct otprof *p, struct op_kvs kvs)
{
	return (struct otprof_attrs){
		.p = p, .list = kvs.p, .n = kvs.n, .kind = OVER_KVS
	};
}

struct otprof_attrs otprof_resource_attrs(const struct otprof *p,
					  uint32_t resource)
{
	struct op_kvs none = { 0 };

	if (resource >= p->m.nr_resources)
		return over_kvs(p, none);
	return over_kvs(p, p->m.resources[resource].attrs);
}

struct otprof_attrs otprof_scope_attrs(const struct otprof *p,
				       uint32_t resource, uint32_t scope)
{
	struct op_kvs none = { 0 };

	if (resource >= p->m.nr_resources ||
	    scope >= p->m.resources[resource].nr_scopes)
		return over_kvs(p, none);
	return over_kvs(p, p->m.resources[resource].scopes[scope].attrs);
}

struct otprof_attrs otprof_value_elements(const struct otprof_value *v)
{
	bool is_map = v->kind == OTPROF_MAP;
	struct otprof_attrs walk = { .p = v->from, .list = v->list };

	if (is_map || v->kind == OTPROF_ARRAY)
		walk.n = v->nr;
	if (v->from)
		walk.kind = is_map ? OVER_KVS : OVER_ARRAY;
	else
		walk.kind = is_map ? OVER_OWN_MAP : OVER_OWN_ARRAY;
	return walk;
}

static struct otprof_value value_of(const struct otprof *p,
				    const struct op_any *v)
{
	const struct op_model *m = &p->m;
	struct otprof_value out = { .kind = OTPROF_NONE };

	switch (v->kind) {
	case OP_ANY_STRING:
	case OP_ANY_STRING_ID:
		out.kind = OTPROF_STRING;
		out.s = otprof_str_of(op_any_text(m, v));
		break;
	case OP_ANY_BYTES:
		out.kind = OTPROF_BYTES;
		out.s = otprof_str_of(v->bytes);
		break;
	case OP_ANY_BOOL:
		out.kind = OTPROF_BOOL;
		out.i = v->flag;
		break;
	case OP_ANY_INT:
		out.kind = OTPROF_INT;
		out.i = v->num;
		break;
	case OP_ANY_DOUBLE:
		out.kind = OTPROF_DOUBLE;
		out.d = v->real;
		break;
	case OP_ANY_ARRAY:
	case OP_ANY_KVLIST:
		out.kind = v->kind == OP_ANY_ARRAY ? OTPROF_ARRAY : OTPROF_MAP;
		out.list = v->array;
		out.nr = v->n;
		out.from = p;
		break;
	}
	return out;
}

int otprof_attr_next(struct otprof_attrs *walk, struct otprof_attr *out)
{
	const struct otprof *p = walk->p;
	const struct op_attr *row;
	const struct op_kv *kv;
	uint32_t i = walk->i;

	if (i >= walk->n)
		return 0;
	walk->i++;
	*out = (struct otprof_attr){ 0 };
	switch (walk->kind) {
	case OVER_SET:
		row = &p->m.dict.attrs[((const uint32_t *)walk->list)[i]];
		out->key = otprof_str_of(op_string(&p->m, row->key));
		out->unit = otprof_str_of(op_string(&p->m, row->unit));
		out->value = value_of(p, &row->value);
		break;
	case OVER_KVS:
		kv = (const struct op_kv *)walk->list + i;
		out->key = otprof_str_of(op_kv_key(&p->m, kv));
		out->value = value_of(p, &kv->value);
		break;
	case OVER_ARRAY:
		out->value = value_of(p, (const struct op_any *)walk->list + i);
		break;
	case OVER_OWN_MAP:
		*out = ((const struct otprof_attr *)walk->list)[i];
		break;
	default:
		out->value = ((const struct otprof_value *)walk->list)[i];
	}
	return 1;
}
