// SPDX-License-Identifier: Apache-2.0
/* query/frame_origins.c: finds the origins of all names of frames at once. */
#include "query/frame_origins.h"

#include "model/semconv.h"

struct finding {
	const struct op_frame_names *names;
	unsigned int parts;
	struct op_frame_origin *out;
	bool *found; /* per name */
};

struct op_frame_origin op_location_origin(const struct op_model *m,
					  uint32_t location)
{
	const struct op_location *l = &m->dict.locations[location];
	const struct op_mapping *map = &m->dict.mappings[l->mapping];
	const struct op_attr *type = op_set_find(m, l->attrs,
						 OP_ATTR_FRAME_TYPE);
	struct op_frame_origin o = { .module = op_string(m, map->filename) };

	if (type)
		o.type = op_any_text(m, &type->value);
	return o;
}

/* A name that is made of files may stand for frames of many modules. */
static void put(struct finding *f, uint32_t name, struct op_frame_origin o)
{
	if (f->found[name])
		return;
	f->found[name] = true;
	if (!(f->parts & (OP_FRAME_FUNCTION | OP_FRAME_MODULE)))
		o.module = (struct op_view){ 0 };
	if (!(f->parts & (OP_FRAME_FUNCTION | OP_FRAME_FILE)))
		o.file = (struct op_view){ 0 };
	f->out[name] = o;
}

static void location_put(struct finding *f, const struct op_model *m,
			 uint32_t i)
{
	const struct op_dict *d = &m->dict;
	const struct op_location *l = &d->locations[i];
	struct op_frame_origin o = op_location_origin(m, i);

	for (uint32_t k = 0; k < l->nr_lines; k++) {
		uint32_t line = l->first_line + k;
		uint32_t function = d->lines[line].function;

		o.file = op_string(m, d->functions[function].filename);
		put(f, f->names->line_name[line], o);
	}
	if (!l->nr_lines)
		put(f, f->names->location_name[i], o);
}

struct op_frame_origin *op_frame_origins(const struct op_frame_names *names,
					 const struct op_model *m,
					 unsigned int parts,
					 struct op_arena *mem)
{
	size_t n = names->texts.list.n;
	struct finding f = { .names = names, .parts = parts };

	f.out = op_new(mem, struct op_frame_origin, n);
	f.found = op_new(mem, bool, n);
	if (!f.out || !f.found)
		return NULL;
	for (uint32_t i = 0; i < m->dict.nr[OP_LOCATIONS]; i++)
		location_put(&f, m, i);
	return f.out;
}
