// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/stack.c: stacks, and what they are made of.
 *
 *	stackTable    prefix (the caller's row) or prefixOffset, frame
 *	frameTable    func, address, lib, inlineDepth, line, column
 *	              or, in raw profiles, location, line, column
 *	funcTable     name, fileName or source, lineNumber, columnNumber,
 *	              resource
 *	resourceTable lib, up to version 69
 *	sources       filename
 *	sourceLocationTable  source, line, column before a compiler
 *
 * What was inlined at an address is in frames of the same address, whose
 * inlineDepth counts from 0 for the outermost: together they are a location.
 *
 * In raw profiles, and up to version 37 of processed ones, addresses of callers
 * are those they return to; then 1 is taken off, as OTLP wants it.
 */
#include "fmt/firefox/firefox_int.h"
#include "fmt/firefox/location.h"
#include "fmt/viewer/frames.h"
#include "fmt/native.h"
#include "fmt/viewer/stack_tree.h"

#define ID(text)                                  \
	{                                         \
		.name = text, .kind = OP_GECKO_ID \
	}

static const struct op_gecko_column stack_columns[OP_GECKO_NR_STACK] = {
	ID("prefix"),
	ID("prefixOffset"),
	ID("frame"),
};
static const struct op_gecko_column frame_columns[OP_GECKO_NR_FRAME] = {
	ID("func"),   ID("location"),	      ID("address"),
	ID("lib"),    ID("inlineDepth"),      ID("line"),
	ID("column"), ID("originalLocation"),
};
static const struct op_gecko_column func_columns[OP_GECKO_NR_FUNC] = {
	ID("name"),	  ID("fileName"),	  ID("source"),
	ID("lineNumber"), ID("columnNumber"),	  ID("resource"),
	ID("isJS"),	  ID("originalLocation"),
};
static const struct op_gecko_column place_columns[OP_GECKO_NR_PLACE] = {
	ID("source"),
	ID("line"),
	ID("column"),
};
static const struct op_gecko_column lib_column = ID("lib");
static const struct op_gecko_column name_column = ID("filename");

/* --- tables --- */

static uint64_t table_take(struct op_gecko_tables *t, struct op_json_in *in,
			   struct op_gecko_column *columns,
			   const struct op_gecko_column *named, size_t nr)
{
	struct op_gecko_table head;

	t->has_stacks |= columns == t->stack;
	memcpy(columns, named, nr * sizeof(*named));
	op_gecko_table_open(in, &head, columns, nr);
	if (!in->err->code)
		op_gecko_table_load(in, t->mem, &head, columns, nr);
	return (uint64_t)(head.at - in->base);
}

static void strings_take(struct op_gecko_tables *t, struct op_json_in *in)
{
	bool first = true;

	t->strings.n = 0;
	t->has_strings = true;
	if (!op_json_enter(in, '['))
		return;
	while (op_json_more(in, ']', &first)) {
		struct op_view text = op_json_extract_text(in, t->mem);

		if (!op_vec_push(t->mem, &t->strings, text))
			in->p = in->end;
	}
}

bool op_gecko_tables_member(struct op_gecko_tables *t, struct op_json_text key,
			    struct op_json_in *in)
{
	if (op_json_is(key, "stringArray") || op_json_is(key, "stringTable"))
		strings_take(t, in);
	else if (op_json_is(key, "stackTable"))
		t->at = table_take(t, in, t->stack, stack_columns,
				   OP_GECKO_NR_STACK);
	else if (op_json_is(key, "frameTable"))
		table_take(t, in, t->frame, frame_columns, OP_GECKO_NR_FRAME);
	else if (op_json_is(key, "funcTable"))
		table_take(t, in, t->func, func_columns, OP_GECKO_NR_FUNC);
	else if (op_json_is(key, "resourceTable"))
		table_take(t, in, &t->resource_lib, &lib_column, 1);
	else if (op_json_is(key, "sources"))
		table_take(t, in, &t->source_name, &name_column, 1);
	else if (op_json_is(key, "sourceLocationTable"))
		table_take(t, in, t->place, place_columns, OP_GECKO_NR_PLACE);
	else
		return false;
	return true;
}

int op_gecko_tables_ready(struct op_gecko_tables *t, struct op_err *err)
{
	static const struct op_gecko_row none = {
		.stacks = { OP_NO_ID, OP_NO_ID },
		.location = OP_NO_ID,
		.next = OP_NO_ID,
	};

	t->nr_rows = op_gecko_rows(t->stack, OP_GECKO_NR_STACK);
	t->rows = op_new_raw(t->mem, struct op_gecko_row, t->nr_rows);
	if (!t->rows)
		return err->code;
	for (size_t i = 0; i < t->nr_rows; i++)
		t->rows[i] = none;
	return err->code;
}

/* --- frames --- */

struct frame {
	struct op_view name, file;
	int64_t start_line, line, column; /* 0: unknown */
	uint64_t address;
	bool has_address, in_kernel;
	uint32_t mapping;
	int64_t depth;
};

static void out_of_table(struct op_gecko *r, const struct op_gecko_tables *t,
			 const char *what, int64_t id, size_t nr)
{
	op_fail_at(r->err, OP_EFORMAT, t->at,
		   "%s index %lld is out of range for a table of %zu", what,
		   (long long)id, nr);
}

static struct op_view string_of(struct op_gecko *r,
				const struct op_gecko_tables *t, int64_t id)
{
	if (id == OP_GECKO_NONE)
		return (struct op_view){ 0 };
	if ((uint64_t)id < t->strings.n)
		return t->strings.p[id];
	out_of_table(r, t, "string", id, t->strings.n);
	return (struct op_view){ 0 };
}

/* A number of a line or column, which counts from 1. */
static int64_t number_of(int64_t cell)
{
	return cell == OP_GECKO_NONE ? 0 : cell;
}

static struct op_view source_of(struct op_gecko *r,
				const struct op_gecko_tables *t, int64_t source)
{
	if (source == OP_GECKO_NONE)
		return (struct op_view){ 0 };
	return string_of(r, t, op_gecko_cell(&t->source_name, (size_t)source));
}

static void lib_put(struct op_gecko *r, struct op_gecko_lib *lib,
		    struct frame *f)
{
	f->mapping = op_gecko_mapping(&r->b, lib);
	f->in_kernel = op_is_kernel_file(lib->name) ||
		       op_is_kernel_file(lib->path);
}

/* A caller's address is the one it returns to: the call is before that. */
static void nudge(const struct op_gecko_tables *t, struct frame *f,
		  bool is_call)
{
	if (is_call && t->has_return_addresses && f->has_address && f->address)
		f->address--;
}

/* Names of functions that have none yet are their addresses. */
static void address_put(struct op_gecko *r, struct op_gecko_tables *t,
			size_t frame, int64_t func, struct frame *f)
{
	int64_t lib = op_gecko_cell(&t->frame[OP_GECKO_LIB], frame);
	int64_t address = op_gecko_cell(&t->frame[OP_GECKO_ADDRESS], frame);
	int64_t resource;
	uint64_t named;

	if (lib == OP_GECKO_NONE && func != OP_GECKO_NONE) {
		resource = op_gecko_cell(&t->func[OP_GECKO_RESOURCE],
					 (size_t)func);
		if (resource != OP_GECKO_NONE)
			lib = op_gecko_cell(&t->resource_lib, (size_t)resource);
	}
	if (lib != OP_GECKO_NONE && (uint64_t)lib < t->libs->rows.n) {
		lib_put(r, &t->libs->rows.p[lib], f);
		f->has_address = address != OP_GECKO_NONE;
		f->address = f->has_address ? (uint64_t)address : 0;
	}
	if (!op_gecko_is_address(f->name, &named))
		return;
	if (!f->has_address && !f->mapping) {
		f->has_address = true;
		f->address = named;
	}
	if (f->has_address)
		f->name = (struct op_view){ 0 };
}

/* Up to version 3 the name of a script's function was all that Gecko says.
 * Up to version 17 a column was taken for the line, and the line for a part of
 * the file's name. */
static void old_script(const struct op_gecko_tables *t, struct frame *f)
{
	struct op_gecko_location l;
	int64_t line;

	if (!t->func[OP_GECKO_FILE].at && !t->func[OP_GECKO_SOURCE].at) {
		l = op_gecko_script(f->name);
		if (!l.file.n)
			return;
		f->name = l.name.n ? l.name : l.file;
		f->file = l.file;
		f->start_line = l.line;
		f->column = l.column;
	} else if (!t->func[OP_GECKO_START_COLUMN].at &&
		   op_gecko_take_number(&f->file, &line)) {
		f->column = f->start_line;
		f->start_line = line;
	}
}

static void original_put(struct op_gecko *r, const struct op_gecko_tables *t,
			 int64_t place, struct frame *f, bool is_start)
{
	int64_t source;

	if (place == OP_GECKO_NONE)
		return;
	source = op_gecko_cell(&t->place[OP_GECKO_PLACE_SOURCE], (size_t)place);
	f->line = number_of(
		op_gecko_cell(&t->place[OP_GECKO_PLACE_LINE], (size_t)place));
	f->column = number_of(
		op_gecko_cell(&t->place[OP_GECKO_PLACE_COLUMN], (size_t)place));
	if (!is_start)
		return;
	f->start_line = f->line;
	f->file = source_of(r, t, source);
}

static void func_put(struct op_gecko *r, const struct op_gecko_tables *t,
		     int64_t func, struct frame *f)
{
	const struct op_gecko_column *c = t->func;
	size_t nr = op_gecko_rows(c, OP_GECKO_NR_FUNC), i = (size_t)func;

	if (func == OP_GECKO_NONE)
		return;
	if (i >= nr) {
		out_of_table(r, t, "func", func, nr);
		return;
	}
	f->name = string_of(r, t, op_gecko_cell(&c[OP_GECKO_NAME], i));
	f->file = string_of(r, t, op_gecko_cell(&c[OP_GECKO_FILE], i));
	if (!f->file.n)
		f->file = source_of(r, t,
				    op_gecko_cell(&c[OP_GECKO_SOURCE], i));
	f->start_line = number_of(op_gecko_cell(&c[OP_GECKO_START_LINE], i));
	f->column = number_of(op_gecko_cell(&c[OP_GECKO_START_COLUMN], i));
	if (op_gecko_cell(&c[OP_GECKO_IS_JS], i) == true)
		old_script(t, f);
	f->line = f->start_line;
	original_put(r, t, op_gecko_cell(&c[OP_GECKO_FUNC_ORIGINAL], i), f,
		     true);
}

/* Where in the function it was, if that is known. */
static void line_put(const struct op_gecko_tables *t, size_t frame,
		     struct frame *f)
{
	int64_t line = op_gecko_cell(&t->frame[OP_GECKO_LINE], frame);

	if (line == OP_GECKO_NONE || !line)
		return;
	f->line = line;
	f->column = number_of(op_gecko_cell(&t->frame[OP_GECKO_COLUMN], frame));
}

static struct frame processed_frame(struct op_gecko *r,
				    struct op_gecko_tables *t, size_t frame)
{
	int64_t func = op_gecko_cell(&t->frame[OP_GECKO_FUNC], frame);
	struct frame f = { 0 };

	f.depth = number_of(op_gecko_cell(&t->frame[OP_GECKO_DEPTH], frame));
	func_put(r, t, func, &f);
	line_put(t, frame, &f);
	original_put(r, t, op_gecko_cell(&t->frame[OP_GECKO_ORIGINAL], frame),
		     &f, false);
	address_put(r, t, frame, func, &f);
	return f;
}

/* A script has no name but that of its file. */
static struct op_view script_name(struct op_gecko *r, struct op_view file)
{
	static const char before[] = "(root scope) ";
	size_t n = sizeof(before) - 1;
	uint8_t *text = op_arena_alloc(&r->mem, n + file.n);

	if (!text)
		return file;
	memcpy(text, before, n);
	memcpy(text + n, file.p, file.n);
	return op_view(text, n + file.n);
}

static void raw_address(struct op_gecko *r, struct op_gecko_tables *t,
			uint64_t address, struct frame *f)
{
	struct op_gecko_lib *lib = op_gecko_lib_at(t->libs, address);

	f->has_address = true;
	f->address = address;
	if (!lib)
		return;
	f->address = address - lib->start + lib->offset;
	lib_put(r, lib, f);
}

static struct frame raw_frame(struct op_gecko *r, struct op_gecko_tables *t,
			      size_t frame)
{
	int64_t string = op_gecko_cell(&t->frame[OP_GECKO_LOCATION], frame);
	struct op_gecko_location l = op_gecko_location(string_of(r, t, string));
	struct op_mapping row = { 0 };
	struct frame f = { .name = l.name,
			   .file = l.file,
			   .start_line = l.line,
			   .line = l.line,
			   .column = l.column };

	if (!l.name.n && l.file.n)
		f.name = script_name(r, l.file);
	if (l.has_address)
		raw_address(r, t, l.address, &f);
	if (l.library.n) {
		row.filename = op_build_string(&r->b, l.library);
		f.mapping = op_build_mapping(&r->b, &row);
		f.in_kernel = op_is_kernel_file(l.library);
	}
	line_put(t, frame, &f);
	return f;
}

static struct frame frame_of(struct op_gecko *r, struct op_gecko_tables *t,
			     size_t row)
{
	int64_t frame = op_gecko_cell(&t->stack[OP_GECKO_FRAME], row);
	size_t nr = op_gecko_rows(t->frame, OP_GECKO_NR_FRAME);
	struct frame f = { 0 };

	if (frame == OP_GECKO_NONE || (uint64_t)frame >= nr) {
		out_of_table(r, t, "frame", frame == OP_GECKO_NONE ? -1 : frame,
			     nr);
		return f;
	}
	if (t->frame[OP_GECKO_LOCATION].n)
		f = raw_frame(r, t, (size_t)frame);
	else
		f = processed_frame(r, t, (size_t)frame);
	if (!f.name.n && !f.has_address)
		f.name = op_view_z(OP_FRAME_UNKNOWN);
	return f;
}

/* --- locations --- */

/* Of a location: what is inlined deeper is in locations of its own. */
enum { MAX_LINES = 128 };

static void line_add(struct op_gecko *r, const struct frame *f)
{
	struct op_function row = { .start_line = f->start_line };
	struct op_line line = { .line = f->line, .column = f->column };

	if (!f->name.n)
		return;
	row.name = op_build_string(&r->b, f->name);
	row.filename = op_build_string(&r->b, f->file);
	line.function = op_build_function(&r->b, &row);
	(void)op_vec_push(&r->mem, &r->lines, line);
}

static uint32_t frame_set(struct op_gecko *r, const struct frame *f)
{
	uint32_t *set = &r->frame_sets[f->in_kernel];

	if (!f->has_address && !f->mapping)
		return 0;
	if (*set == OP_NO_ID)
		*set = op_native_frame_set(&r->b, f->in_kernel);
	return *set;
}

/* The caller's row; OP_NO_ID: it is the root. */
static uint32_t prefix_of(struct op_gecko *r, const struct op_gecko_tables *t,
			  uint32_t row)
{
	int64_t id = op_gecko_cell(&t->stack[OP_GECKO_PREFIX], row);

	if (t->stack[OP_GECKO_PREFIX_OFFSET].n) {
		id = op_gecko_cell(&t->stack[OP_GECKO_PREFIX_OFFSET], row);
		if (id == OP_GECKO_NONE || !id)
			return OP_NO_ID;
		id = row - id;
	}
	if (id == OP_GECKO_NONE)
		return OP_NO_ID;
	if (id >= 0 && (uint64_t)id < t->nr_rows)
		return (uint32_t)id;
	out_of_table(r, t, "prefix", id, t->nr_rows);
	return OP_NO_ID;
}

static bool is_inlined_into(const struct frame *f, const struct frame *up)
{
	return f->depth > 0 && up->depth == f->depth - 1 && f->has_address &&
	       up->has_address && f->address == up->address &&
	       f->mapping == up->mapping;
}

/* The location that begins with a row, and the row behind it. */
static uint32_t location_of(struct op_gecko *r, struct op_gecko_tables *t,
			    uint32_t row, bool is_call, uint32_t *next)
{
	struct frame f = frame_of(r, t, row), up;
	struct op_location at = { 0 };

	r->lines.n = 0;
	line_add(r, &f);
	*next = prefix_of(r, t, row);
	while (f.depth && *next != OP_NO_ID && r->lines.n < MAX_LINES) {
		up = frame_of(r, t, *next);
		if (!is_inlined_into(&f, &up))
			break;
		line_add(r, &up);
		f = up;
		*next = prefix_of(r, t, *next);
	}
	nudge(t, &f, is_call);
	at.address = f.address;
	at.mapping = f.mapping;
	at.attrs = frame_set(r, &f);
	return op_build_location(&r->b, &at, r->lines.p, (uint32_t)r->lines.n);
}

/* --- stacks --- */

/* Finds how deep a row is, and all above it. */
static void depth_find(struct op_gecko *r, struct op_gecko_tables *t,
		       uint32_t row)
{
	const uint32_t open = UINT32_MAX;
	struct op_gecko_row *rows = t->rows;
	uint32_t depth, whole;

	r->ways.n = 0;
	for (; row != OP_NO_ID && !rows[row].depth;
	     row = prefix_of(r, t, row)) {
		(void)op_vec_push(&r->mem, &r->ways, row);
		if (r->err->code)
			return;
		rows[row].depth = open;
	}
	depth = row == OP_NO_ID ? 0 : rows[row].depth;
	whole = row;
	if (depth == open) {
		op_fail_at(r->err, OP_EFORMAT, t->at,
			   "row %u of the stack table is its own ancestor",
			   row);
		return;
	}
	if (depth)
		whole = rows[row].whole;
	for (size_t i = r->ways.n; i--;) {
		row = r->ways.p[i];
		if (depth < OP_TREE_DEPTH)
			whole = row;
		else
			r->is_cut = true;
		depth += depth < OP_TREE_DEPTH;
		rows[row].depth = depth;
		rows[row].whole = whole;
	}
}

static uint32_t stack_make(struct op_gecko *r, struct op_gecko_tables *t,
			   uint32_t row, bool is_call)
{
	bool is_leaf = !is_call && t->has_return_addresses;
	uint32_t location, next;

	r->path.n = 0;
	for (; row != OP_NO_ID && !r->err->code; row = next, is_leaf = false) {
		struct op_gecko_row *it = &t->rows[row];

		if (is_leaf) {
			location = location_of(r, t, row, false, &next);
		} else {
			if (it->location == OP_NO_ID)
				it->location = location_of(r, t, row, true,
							   &it->next);
			location = it->location;
			next = it->next;
		}
		(void)op_vec_push(&r->mem, &r->path, location);
	}
	return op_build_stack(&r->b, r->path.p, (uint32_t)r->path.n);
}

uint32_t op_gecko_stack(struct op_gecko *r, struct op_gecko_tables *t,
			int64_t row, bool is_call)
{
	struct op_gecko_row *it;
	uint32_t *stack;

	if (row == OP_GECKO_NONE || r->err->code)
		return 0;
	if ((uint64_t)row >= t->nr_rows) {
		out_of_table(r, t, "stack", row, t->nr_rows);
		return 0;
	}
	it = &t->rows[row];
	if (!it->depth)
		depth_find(r, t, (uint32_t)row);
	if (r->err->code)
		return 0;
	it = &t->rows[it->whole];
	stack = &it->stacks[is_call && t->has_return_addresses];
	if (*stack == OP_NO_ID)
		*stack = stack_make(r, t, it->whole, is_call);
	return *stack;
}
