// SPDX-License-Identifier: Apache-2.0
/* src/otprof_build.c: building, for include/otprof.h. */
#include "model/builder.h"
#include "model/semconv.h"
#include "otprof_int.h"

struct otprof_builder {
	struct op_model m;
	struct op_builder b;
	struct op_err err;
	struct op_arena scratch; /* of one call */
};

int otprof_builder_new(uint64_t mem_quota, struct otprof_builder **out,
		       struct otprof_err *err)
{
	struct otprof_builder *b = op_heap_resize(NULL, sizeof(*b));
	struct op_err mine = { 0 };

	if (!b) {
		op_fail(&mine, OP_ENOMEM, "no memory for a builder");
		return otprof_give_(err, &mine);
	}
	memset(b, 0, sizeof(*b));
	b->m.mem.quota = mem_quota;
	if (op_builder_init(&b->b, &b->m, &b->err)) {
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
	op_model_free(&b->m);
	op_arena_free(&b->scratch);
	op_heap_free(b);
}

int otprof_builder_finish(struct otprof_builder *b, struct otprof **out,
			  struct otprof_err *err)
{
	op_builder_finish(&b->b);
	otprof_wrap_(&b->m, out, &b->err);
	otprof_give_(err, &b->err);
	b->m = (struct op_model){ 0 }; /* it went over, or is freed */
	otprof_builder_free(b);
	return err->code;
}

struct otprof_str otprof_str(const char *s)
{
	return otprof_str_of(op_view_z(s));
}

struct otprof_value otprof_string(const char *s)
{
	return (struct otprof_value){ .kind = OTPROF_STRING,
				      .s = otprof_str(s) };
}

struct otprof_value otprof_int(int64_t i)
{
	return (struct otprof_value){ .kind = OTPROF_INT, .i = i };
}

/* Lists are taken from what a walk over another object gave. */
static struct op_any any_of(struct otprof_builder *b,
			    const struct otprof_value *v)
{
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
	default:
		op_fail(&b->err, OP_EUSAGE,
			"an attribute to build cannot be a list");
	}
	return any;
}

uint32_t otprof_build_resource(struct otprof_builder *b,
			       const struct otprof_attr *attrs, size_t nr)
{
	struct op_resource head = { 0 };
	struct op_kv *kvs = op_new(&b->scratch, struct op_kv, nr);
	uint32_t id = 0;

	if (!kvs || nr > UINT32_MAX)
		op_fail(&b->err, OP_ENOMEM, "no memory for attributes");
	for (size_t i = 0; i < nr && !b->err.code; i++) {
		kvs[i].key = otprof_view_of(attrs[i].key);
		kvs[i].value = any_of(b, &attrs[i].value);
	}
	head.attrs = (struct op_kvs){ kvs, (uint32_t)nr };
	if (!b->err.code)
		id = op_build_resource(&b->b, &head, NULL);
	op_arena_reset(&b->scratch);
	return id;
}

/* Ids of resources, scopes and profiles count from 0, so a wrong one must be
 * caught here: nothing else will. */
static bool is_known(struct otprof_builder *b, const char *what, uint32_t id,
		     size_t nr)
{
	if (b->err.code)
		return false;
	if (id >= nr)
		op_fail(&b->err, OP_EUSAGE, "no %s %u was built", what, id);
	return id < nr;
}

uint32_t otprof_build_scope(struct otprof_builder *b, uint32_t resource,
			    const char *name, const char *version)
{
	struct op_scope head = { .name = op_view_z(name),
				 .version = op_view_z(version) };

	if (!is_known(b, "resource", resource, b->b.resources.n))
		return 0;
	return op_build_scope(&b->b, resource, &head, NULL);
}

static struct op_value_type type_of(struct otprof_builder *b,
				    struct otprof_str type,
				    struct otprof_str unit)
{
	return (struct op_value_type){
		op_build_string(&b->b, otprof_view_of(type)),
		op_build_string(&b->b, otprof_view_of(unit)),
	};
}

uint32_t otprof_build_profile(struct otprof_builder *b, uint32_t scope,
			      const struct otprof_profile *head)
{
	struct op_profile p = {
		.sample_type = type_of(b, head->type, head->unit),
		.period_type = type_of(b, head->period_type, head->period_unit),
		.period = head->period,
		.time_ns = head->time_unix_nano,
		.duration_ns = head->duration_nano,
		.attrs = head->attrs,
	};

	if (!is_known(b, "scope", scope, b->b.scopes.n) ||
	    !is_known(b, "attribute set", p.attrs, b->b.set_at.n - 1))
		return 0;
	if (head->id) {
		memcpy(p.id, head->id, sizeof(p.id));
		p.id_len = sizeof(p.id);
	}
	if (otprof_has_(head, payload_format)) {
		p.payload = otprof_view_of(head->payload);
		p.payload_format = otprof_view_of(head->payload_format);
	}
	return op_build_profile(&b->b, scope, &p);
}

uint32_t otprof_build_mapping(struct otprof_builder *b,
			      const struct otprof_mapping *m)
{
	struct otprof_attr build_id = {
		.key = otprof_str(OP_ATTR_BUILD_ID_GNU),
		.value = { .kind = OTPROF_STRING, .s = m->build_id },
	};
	struct op_mapping row = {
		.start = m->start,
		.limit = m->limit,
		.offset = m->offset,
		.filename = op_build_string(&b->b, otprof_view_of(m->file)),
		.attrs = otprof_build_attrs(b, &build_id, m->build_id.n != 0),
	};

	return op_build_mapping(&b->b, &row);
}

uint32_t otprof_build_location(struct otprof_builder *b, uint32_t mapping,
			       const struct otprof_frame *frames, size_t nr)
{
	struct op_location row = { .mapping = mapping };
	struct op_line *lines = op_new(&b->scratch, struct op_line, nr);
	uint32_t nr_lines = 0;
	uint32_t id;

	if (!lines || nr > UINT32_MAX) {
		op_fail(&b->err, OP_ENOMEM, "no memory for frames");
		return 0;
	}
	if (!is_known(b, "mapping", mapping, b->b.mappings.n))
		return 0;
	for (size_t i = 0; i < nr; i++) {
		const struct otprof_frame *f = &frames[i];
		struct op_function fn = { 0 };

		row.address = f->address;
		row.attrs = f->attrs;
		fn.name = op_build_string(&b->b, otprof_view_of(f->function));
		fn.system_name = op_build_string(
			&b->b, otprof_view_of(f->system_name));
		fn.filename = op_build_string(&b->b, otprof_view_of(f->file));
		if (!fn.name && !fn.system_name && !fn.filename)
			continue; /* an address that nobody has a name for */
		lines[nr_lines].function = op_build_function(&b->b, &fn);
		lines[nr_lines].line = f->line;
		lines[nr_lines++].column = f->column;
	}
	if (!is_known(b, "attribute set", row.attrs, b->b.set_at.n - 1))
		return 0;
	id = op_build_location(&b->b, &row, lines, nr_lines);
	op_arena_reset(&b->scratch);
	return id;
}

uint32_t otprof_build_stack(struct otprof_builder *b, const uint32_t *locations,
			    size_t nr)
{
	if (nr > UINT32_MAX)
		op_fail(&b->err, OP_ELIMIT, "a stack of %zu frames", nr);
	for (size_t i = 0; i < nr && !b->err.code; i++)
		is_known(b, "location", locations[i], b->b.locations.n);
	return op_build_stack(&b->b, locations, (uint32_t)nr);
}

uint32_t otprof_build_attrs(struct otprof_builder *b,
			    const struct otprof_attr *attrs, size_t nr)
{
	uint32_t *ids = op_new(&b->scratch, uint32_t, nr);
	uint32_t set = 0;

	if (!ids || nr > UINT32_MAX)
		op_fail(&b->err, OP_ENOMEM, "no memory for attributes");
	for (size_t i = 0; i < nr && !b->err.code; i++) {
		struct op_any any = any_of(b, &attrs[i].value);

		ids[i] = op_build_attr(&b->b, otprof_view_of(attrs[i].key),
				       &any, otprof_view_of(attrs[i].unit),
				       NULL);
	}
	if (!b->err.code)
		set = op_build_set(&b->b, ids, (uint32_t)nr);
	op_arena_reset(&b->scratch);
	return set;
}

uint32_t otprof_build_link(struct otprof_builder *b, const uint8_t *trace_id,
			   const uint8_t *span_id)
{
	struct op_link link = { 0 };

	memcpy(link.trace_id, trace_id, sizeof(link.trace_id));
	memcpy(link.span_id, span_id, sizeof(link.span_id));
	return op_build_link(&b->b, &link);
}

/* The sample of an identity; false if an id is unknown. */
static bool sample_of(struct otprof_builder *b, uint32_t profile,
		      struct otprof_identity id, uint32_t *out)
{
	struct op_identity identity = { id.stack, id.attrs, id.link };

	if (!is_known(b, "profile", profile, b->b.profiles.n) ||
	    !is_known(b, "stack", id.stack, b->b.stack_at.n - 1) ||
	    !is_known(b, "attribute set", id.attrs, b->b.set_at.n - 1) ||
	    !is_known(b, "link", id.link, b->b.links.n))
		return false;
	*out = op_build_sample(&b->b, profile, identity);
	return !b->err.code;
}

void otprof_build_add(struct otprof_builder *b, uint32_t profile,
		      struct otprof_identity id, int64_t value)
{
	uint32_t sample;

	if (sample_of(b, profile, id, &sample))
		op_build_add(&b->b, profile, sample, value);
}

void otprof_build_observe(struct otprof_builder *b, uint32_t profile,
			  struct otprof_identity id, int64_t value,
			  uint64_t time_unix_nano)
{
	uint32_t sample;

	if (sample_of(b, profile, id, &sample))
		op_build_observe(&b->b, profile, sample, value, time_unix_nano);
}
