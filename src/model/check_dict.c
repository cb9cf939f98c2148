// SPDX-License-Identifier: Apache-2.0
/* model/check_dict.c: the rows of the dictionary, one by one. */
#include "model/check_int.h"
#include "model/semconv.h"

static const struct {
	enum op_table table;
	const char *name;
} tables[] = {
	{ OP_MAPPINGS, "mapping_table" },   { OP_LOCATIONS, "location_table" },
	{ OP_FUNCTIONS, "function_table" }, { OP_LINKS, "link_table" },
	{ OP_STRINGS, "string_table" },	    { OP_ATTRS, "attribute_table" },
	{ OP_STACKS, "stack_table" },
};

static bool all_zero(const uint8_t *p, size_t n)
{
	uint8_t any = 0;

	for (size_t i = 0; i < n; i++)
		any |= p[i];
	return !any;
}

/* Whether row 0 of a table is its zero value. A link of 16 and 8 zero bytes is
 * one too: the protocol requires that form. */
static bool is_zero_row(const struct op_dict *d, enum op_table t)
{
	const struct op_link *link = &d->links[0];

	switch (t) {
	case OP_MAPPINGS:
		return all_zero((const uint8_t *)d->mappings,
				sizeof(*d->mappings));
	case OP_LOCATIONS:
		return !d->locations[0].address && !d->locations[0].mapping &&
		       !d->locations[0].attrs && !d->locations[0].nr_lines;
	case OP_FUNCTIONS:
		return !d->functions[0].start_line && !d->functions[0].name &&
		       !d->functions[0].system_name &&
		       !d->functions[0].filename;
	case OP_LINKS:
		return all_zero(link->trace_id, sizeof(link->trace_id)) &&
		       all_zero(link->span_id, sizeof(link->span_id)) &&
		       (!link->trace_len ||
			link->trace_len == sizeof(link->trace_id)) &&
		       (!link->span_len ||
			link->span_len == sizeof(link->span_id));
	case OP_STRINGS:
		return !d->strings[0].n;
	case OP_ATTRS:
		return !d->attrs[0].key && !d->attrs[0].unit &&
		       d->attrs[0].value.kind == OP_ANY_NONE;
	default:
		return !op_list(&d->stacks, 0).n;
	}
}

static void check_zero_rows(struct op_checker *c)
{
	const struct op_dict *d = &c->m->dict;

	op_check_at(c, "dictionary");
	for (size_t i = 0; i < op_countof(tables); i++) {
		if (d->missing >> tables[i].table & 1)
			op_check_say(c, OP_RULE_ZERO_ELEMENT, tables[i].name,
				     "is empty, must begin with a zero value");
		else if (!is_zero_row(d, tables[i].table))
			op_check_say(c, OP_RULE_ZERO_ELEMENT, tables[i].name,
				     "does not begin with a zero value");
	}
}

/* Mappings without a file that could have a build ID: JIT code, anonymous
 * memory, the vDSO; and those from a source that does not record build IDs, as
 * the flags of pprof or a missing address range show. */
static bool cannot_have_build_id(const struct op_model *m,
				 const struct op_mapping *map)
{
	static const char *const flags[] = {
		OP_ATTR_HAS_FUNCTIONS,
		OP_ATTR_HAS_FILENAMES,
		OP_ATTR_HAS_LINE_NUMBERS,
		OP_ATTR_HAS_INLINE_FRAMES,
	};
	struct op_view name = op_string(m, map->filename);

	for (size_t i = 0; i < op_countof(flags); i++)
		if (op_set_find(m, map->attrs, flags[i]))
			return true;
	return !name.n || name.p[0] == '[' ||
	       (name.n > 1 && !memcmp(name.p, "//", 2)) ||
	       (!map->start && !map->limit);
}

static bool has_build_id(const struct op_model *m, const struct op_mapping *map)
{
	return op_set_find(m, map->attrs, OP_ATTR_BUILD_ID_GNU) ||
	       op_set_find(m, map->attrs, OP_ATTR_BUILD_ID_GO) ||
	       op_set_find(m, map->attrs, OP_ATTR_BUILD_ID_HTLHASH);
}

/* Whether it is safe to look up the attributes of a set by key. */
static bool set_is_sound(const struct op_checker *c, uint32_t set)
{
	struct op_ids ids = op_list(&c->m->dict.sets, set);

	for (uint32_t i = 0; i < ids.n; i++)
		if (!op_check_has(c, ids.p[i], OP_ATTRS) ||
		    !op_check_has(c, c->m->dict.attrs[ids.p[i]].key,
				  OP_STRINGS))
			return false;
	return true;
}

static void check_build_id(struct op_checker *c, const struct op_mapping *map)
{
	if (!set_is_sound(c, map->attrs) ||
	    !op_check_has(c, map->filename, OP_STRINGS) ||
	    has_build_id(c->m, map))
		return;
	if (c->opts->strict && cannot_have_build_id(c->m, map))
		return;
	op_check_say(c, OP_RULE_BUILD_ID, "attribute_indices",
		     "has no process.executable.build_id.*");
}

static void check_mappings(struct op_checker *c)
{
	const struct op_dict *d = &c->m->dict;

	for (uint32_t i = 1; i < d->nr[OP_MAPPINGS]; i++) {
		const struct op_mapping *m = &d->mappings[i];

		op_check_at(c, "dictionary.mapping_table[%u]", i);
		op_check_id(c, "filename_strindex", m->filename, OP_STRINGS);
		op_check_set(c, m->attrs);
		if ((m->start || m->limit) && m->start >= m->limit)
			op_check_say(c, OP_RULE_MAPPING_RANGE, "memory_limit",
				     "0x%llx is not after memory_start 0x%llx",
				     (unsigned long long)m->limit,
				     (unsigned long long)m->start);
		check_build_id(c, m);
	}
}

static void check_locations(struct op_checker *c)
{
	const struct op_dict *d = &c->m->dict;

	for (uint32_t i = 0; i < d->nr[OP_LOCATIONS]; i++) {
		const struct op_location *l = &d->locations[i];

		op_check_at(c, "dictionary.location_table[%u]", i);
		op_check_id(c, "mapping_index", l->mapping, OP_MAPPINGS);
		op_check_set(c, l->attrs);
		for (uint32_t k = 0; k < l->nr_lines; k++) {
			const struct op_line *n = &d->lines[l->first_line + k];

			op_check_id(c, "lines.function_index", n->function,
				    OP_FUNCTIONS);
			if (n->line < 0 || n->column < 0)
				op_check_say(c, OP_RULE_LINE_NEGATIVE, "lines",
					     "line %lld, column %lld",
					     (long long)n->line,
					     (long long)n->column);
		}
	}
}

static void check_functions(struct op_checker *c)
{
	const struct op_dict *d = &c->m->dict;

	for (uint32_t i = 0; i < d->nr[OP_FUNCTIONS]; i++) {
		const struct op_function *f = &d->functions[i];

		op_check_at(c, "dictionary.function_table[%u]", i);
		op_check_id(c, "name_strindex", f->name, OP_STRINGS);
		op_check_id(c, "system_name_strindex", f->system_name,
			    OP_STRINGS);
		op_check_id(c, "filename_strindex", f->filename, OP_STRINGS);
		if (f->start_line < 0)
			op_check_say(c, OP_RULE_LINE_NEGATIVE, "start_line",
				     "%lld", (long long)f->start_line);
		if (i && !f->name && !f->system_name && !f->filename)
			op_check_say(c, OP_RULE_FUNCTION_NAME, "",
				     "no name, system name or file name");
	}
}

static void check_links(struct op_checker *c)
{
	const struct op_dict *d = &c->m->dict;

	for (uint32_t i = 1; i < d->nr[OP_LINKS]; i++) {
		const struct op_link *l = &d->links[i];

		op_check_at(c, "dictionary.link_table[%u]", i);
		if (l->trace_len != sizeof(l->trace_id))
			op_check_say(c, OP_RULE_ID_LENGTH, "trace_id",
				     "%u bytes, must be 16", l->trace_len);
		else if (all_zero(l->trace_id, sizeof(l->trace_id)))
			op_check_say(c, OP_RULE_LINK_ZERO, "trace_id",
				     "is all zeros");
		if (l->span_len != sizeof(l->span_id))
			op_check_say(c, OP_RULE_ID_LENGTH, "span_id",
				     "%u bytes, must be 8", l->span_len);
		else if (all_zero(l->span_id, sizeof(l->span_id)))
			op_check_say(c, OP_RULE_LINK_ZERO, "span_id",
				     "is all zeros");
	}
}

static void check_attrs(struct op_checker *c)
{
	const struct op_dict *d = &c->m->dict;

	for (uint32_t i = 0; i < d->nr[OP_ATTRS]; i++) {
		op_check_at(c, "dictionary.attribute_table[%u]", i);
		op_check_id(c, "key_strindex", d->attrs[i].key, OP_STRINGS);
		op_check_id(c, "unit_strindex", d->attrs[i].unit, OP_STRINGS);
		op_check_any(c, "value", &d->attrs[i].value);
	}
}

static void check_stacks(struct op_checker *c)
{
	const struct op_dict *d = &c->m->dict;

	for (uint32_t i = 0; i < d->stacks.nr; i++) {
		struct op_ids ids = op_list(&d->stacks, i);

		op_check_at(c, "dictionary.stack_table[%u]", i);
		for (uint32_t k = 0; k < ids.n; k++)
			op_check_id(c, "location_indices", ids.p[k],
				    OP_LOCATIONS);
	}
}

void op_check_dict(struct op_checker *c)
{
	const struct op_dict *d = &c->m->dict;

	check_zero_rows(c);
	check_mappings(c);
	check_locations(c);
	check_functions(c);
	check_links(c);
	for (uint32_t i = 0; i < d->nr[OP_STRINGS]; i++) {
		op_check_at(c, "dictionary.string_table[%u]", i);
		op_check_utf8(c, "", d->strings[i]);
	}
	check_attrs(c);
	check_stacks(c);
}
