// SPDX-License-Identifier: Apache-2.0
/* src/otprof_read.c: reading and walking, for include/otprof.h. */
#include <stdio.h>

#include "fmt/input.h"
#include "otprof_int.h"

const char *otprof_version(void)
{
	return OTPROF_VERSION;
}

int otprof_give_(struct otprof_err *out, const struct op_err *err)
{
	if (!err->code || out->code)
		return out->code ? out->code : err->code;
	out->code = err->code;
	out->sys = err->sys;
	out->has_at = err->has_at;
	out->at = err->at;
	snprintf(out->text, sizeof(out->text), "%s", err->text);
	return out->code;
}

void otprof_enter_(struct otprof_call *c, const struct op_budget *like)
{
	c->budget = (struct op_budget){ .times = 1 };
	if (like) {
		c->budget.input = like->input;
		c->budget.times = like->times;
	}
	c->before = op_budget_use(&c->budget);
}

int otprof_leave_(struct otprof_call *c, struct otprof **out,
		  struct otprof_err *to, const struct op_err *err)
{
	if (out && !err->code)
		(*out)->budget = c->budget;
	op_budget_use(c->before);
	return otprof_give_(to, err);
}

int otprof_list_(struct op_model *m, struct otprof *out, struct op_err *err)
{
	struct op_walk w = { 0 };
	size_t n = 0;

	/* A host gets times as an array. */
	if (op_model_align_times(m, err))
		return err->code;
	while (op_walk_next(m, &w))
		n++;
	out->profiles = op_new(&m->mem, struct op_walk, n);
	if (!out->profiles)
		return op_fail(err, OP_ENOMEM, "no memory for profiles");
	w = (struct op_walk){ 0 };
	out->nr_profiles = 0;
	while (op_walk_next(m, &w))
		out->profiles[out->nr_profiles++] = w;
	out->m = *m;
	out->budget = (struct op_budget){ 0 };
	return OP_OK;
}

int otprof_wrap_(struct op_model *m, struct otprof **out, struct op_err *err)
{
	struct otprof *p = op_heap_resize(NULL, sizeof(*p));

	if (!p)
		op_fail(err, OP_ENOMEM, "no memory for profiles");
	if (err->code || otprof_list_(m, p, err)) {
		op_model_free(m);
		op_heap_free(p);
		return err->code;
	}
	*out = p;
	return OP_OK;
}

void otprof_free(struct otprof *p)
{
	if (!p)
		return;
	op_model_free(&p->m);
	op_heap_free(p);
}

static uint32_t times_of(uint32_t budget)
{
	return budget == OTPROF_NO_BUDGET ? 0 : budget ? budget : 1;
}

static int input_opts(const struct otprof_open_opts *o,
		      struct op_input_opts *in, struct op_read_opts *read,
		      struct op_err *err)
{
	if (!o)
		return OP_OK;
	if (otprof_has_(o, budget))
		op_budget()->times = times_of(o->budget);
	if (otprof_has_(o, max_bytes))
		in->max_bytes = o->max_bytes;
	if (otprof_has_(o, mem_quota))
		read->mem_quota = o->mem_quota;
	if (otprof_has_(o, settings))
		read->settings = o->settings;
	if (otprof_has_(o, strict))
		read->strict = o->strict;
	if (otprof_has_(o, root))
		read->root = o->root;
	if (!otprof_has_(o, format) || !o->format)
		return OP_OK;
	in->format = op_format_named(o->format);
	if (!in->format)
		return op_fail(err, OP_EUSAGE, "no format '%s'", o->format);
	return OP_OK;
}

/* Reads what was opened, if it was. */
static int read_open(struct op_input *in, const struct op_read_opts *opts,
		     struct otprof **out, struct op_err *err)
{
	struct op_model m = { 0 };

	if (!err->code && !op_input_read(in, opts, &m, err))
		otprof_wrap_(&m, out, err);
	return err->code;
}

int otprof_open_file(const char *path, const struct otprof_open_opts *opts,
		     struct otprof **out, struct otprof_err *err)
{
	struct op_input_opts in_opts = { 0 };
	struct op_read_opts read_opts = { 0 };
	struct op_err mine = { 0 };
	struct op_input in = { 0 };
	struct otprof_call call;

	otprof_enter_(&call, NULL);
	if (!input_opts(opts, &in_opts, &read_opts, &mine))
		op_input_open(&in, path, &in_opts, &mine);
	read_open(&in, &read_opts, out, &mine);
	return otprof_leave_(&call, out, err, &mine);
}

int otprof_open_memory(const void *bytes, size_t n,
		       const struct otprof_open_opts *opts, struct otprof **out,
		       struct otprof_err *err)
{
	struct op_input_opts in_opts = { 0 };
	struct op_read_opts read_opts = { 0 };
	struct op_err mine = { 0 };
	struct op_input in = { 0 };
	struct otprof_call call;

	otprof_enter_(&call, NULL);
	if (!input_opts(opts, &in_opts, &read_opts, &mine))
		op_input_memory(&in, op_view(bytes, n), &in_opts, &mine);
	read_open(&in, &read_opts, out, &mine);
	return otprof_leave_(&call, out, err, &mine);
}

/* --- walking --- */

size_t otprof_nr_profiles(const struct otprof *p)
{
	return p->nr_profiles;
}

/* Fills a caller's struct, which may be shorter than ours. */
static void fill(void *out, const void *full, size_t n)
{
	size_t sz = *(const size_t *)out;

	memcpy(out, full, sz < n ? sz : n);
	*(size_t *)out = sz;
}

int otprof_profile(const struct otprof *p, size_t i, struct otprof_profile *out,
		   struct otprof_err *err)
{
	const struct op_model *m = &p->m;
	struct otprof_profile full = { 0 };
	struct op_err mine = { 0 };
	const struct op_profile *f;

	if (i >= p->nr_profiles) {
		op_fail(&mine, OP_EUSAGE, "no profile %zu of %zu", i,
			p->nr_profiles);
		return otprof_give_(err, &mine);
	}
	f = p->profiles[i].profile;
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
	fill(out, &full, sizeof(full));
	return OTPROF_OK;
}

int otprof_sample(const struct otprof *p, size_t profile, uint32_t i,
		  struct otprof_sample *out, struct otprof_err *err)
{
	struct otprof_sample full = { 0 };
	struct op_err mine = { 0 };
	const struct op_profile *f = NULL;
	const struct op_link *link;

	if (profile < p->nr_profiles)
		f = p->profiles[profile].profile;
	if (!f || i >= f->nr_samples) {
		op_fail(&mine, OP_EUSAGE, "no sample %u in profile %zu", i,
			profile);
		return otprof_give_(err, &mine);
	}
	link = &p->m.dict.links[f->link[i]];
	full.stack = f->stack[i];
	full.attrs = f->set[i];
	full.trace_id = f->link[i] && link->trace_len ? link->trace_id : NULL;
	full.span_id = f->link[i] && link->span_len ? link->span_id : NULL;
	full.values = op_sample_values(f, i).p;
	full.nr_values = op_sample_values(f, i).n;
	full.nr_times = op_sample_times(f, i).n;
	full.times = full.nr_times ? f->times + f->time_at[i] : NULL;
	fill(out, &full, sizeof(full));
	return OTPROF_OK;
}

struct otprof_frames otprof_frames(const struct otprof *p, uint32_t stack)
{
	return (struct otprof_frames){ .p = p, .stack = stack };
}

int otprof_frame_next(struct otprof_frames *walk, struct otprof_frame *out)
{
	const struct op_model *m = &walk->p->m;
	const struct op_dict *d = &m->dict;
	struct otprof_frame full = { 0 };
	const struct op_location *l;
	const struct op_function *f;
	const struct op_line *line;
	struct op_ids locs;

	if (walk->stack >= d->stacks.nr)
		return 0;
	locs = op_list(&d->stacks, walk->stack);
	if (walk->location >= locs.n)
		return 0;
	l = &d->locations[locs.p[walk->location]];
	full.address = l->address;
	full.attrs = l->attrs;
	full.mapping = otprof_str_of(
		op_string(m, d->mappings[l->mapping].filename));
	if (l->nr_lines) {
		line = &d->lines[l->first_line + walk->line];
		f = &d->functions[line->function];
		full.function = otprof_str_of(op_string(m, f->name));
		full.system_name = otprof_str_of(op_string(m, f->system_name));
		full.file = otprof_str_of(op_string(m, f->filename));
		full.line = line->line;
		full.column = line->column;
		full.is_inlined = walk->line + 1 < l->nr_lines;
	}
	if (++walk->line >= l->nr_lines) {
		walk->line = 0;
		walk->location++;
	}
	fill(out, &full, sizeof(full));
	return 1;
}

/* --- attributes --- */

enum { OVER_SET, OVER_KVS, OVER_ARRAY };

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

struct otprof_attrs otprof_value_elements(const struct otprof *p,
					  const struct otprof_value *v)
{
	bool is_list = v->kind == OTPROF_ARRAY || v->kind == OTPROF_MAP;

	return (struct otprof_attrs){
		.p = p,
		.list = v->list,
		.n = is_list ? v->nr : 0,
		.kind = v->kind == OTPROF_MAP ? OVER_KVS : OVER_ARRAY,
	};
}

static struct otprof_value value_of(const struct op_model *m,
				    const struct op_any *v)
{
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
		break;
	}
	return out;
}

int otprof_attr_next(struct otprof_attrs *walk, struct otprof_attr *out)
{
	const struct op_model *m = &walk->p->m;
	const struct op_attr *row;
	const struct op_kv *kv;
	uint32_t i = walk->i;

	if (i >= walk->n)
		return 0;
	walk->i++;
	*out = (struct otprof_attr){ 0 };
	switch (walk->kind) {
	case OVER_SET:
		row = &m->dict.attrs[((const uint32_t *)walk->list)[i]];
		out->key = otprof_str_of(op_string(m, row->key));
		out->unit = otprof_str_of(op_string(m, row->unit));
		out->value = value_of(m, &row->value);
		break;
	case OVER_KVS:
		kv = (const struct op_kv *)walk->list + i;
		out->key = otprof_str_of(op_kv_key(m, kv));
		out->value = value_of(m, &kv->value);
		break;
	default:
		out->value = value_of(m, (const struct op_any *)walk->list + i);
	}
	return 1;
}
