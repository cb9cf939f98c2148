// SPDX-License-Identifier: Apache-2.0
/* fmt/firefox/lib.c: libraries, and the mappings they become.
 *
 * Addresses are relative to where a library is loaded, in processed profiles
 * as they stand, in raw ones less the start. That is what ELF files of shared
 * libraries and of position-independent programs have in their tables, so that
 * a mapping begins at 0.
 */
#include "fmt/firefox/firefox_int.h"

#include <stdlib.h>

#include "base/hex.h"
#include "model/semconv.h"
#include "pb/json_value.h"

/* --- reading --- */

/* Addresses use all 64 bits. */
static uint64_t address_take(struct op_json_in *in)
{
	struct op_json_int v;
	struct op_view text = op_json_extract_id(in);

	if (op_json_integer(text, &v) != OP_JSON_FINE || v.negative)
		return 0;
	return v.v;
}

static void member_take(struct op_json_in *in, struct op_arena *mem,
			struct op_gecko_lib *lib)
{
	struct op_json_text key = op_json_extract_key(in);

	if (op_json_is(key, "path"))
		lib->path = op_json_extract_text(in, mem);
	else if (op_json_is(key, "name"))
		lib->name = op_json_extract_text(in, mem);
	else if (op_json_is(key, "breakpadId"))
		lib->breakpad_id = op_json_extract_text(in, mem);
	else if (op_json_is(key, "codeId"))
		lib->code_id = op_json_extract_text(in, mem);
	else if (op_json_is(key, "start"))
		lib->start = address_take(in);
	else if (op_json_is(key, "end"))
		lib->end = address_take(in);
	else if (op_json_is(key, "offset"))
		lib->offset = address_take(in);
	else
		op_json_skip(in);
}

void op_gecko_libs_take(struct op_json_in *in, struct op_arena *mem,
			struct op_gecko_libs *out)
{
	bool first = true, first_member;

	*out = (struct op_gecko_libs){ .mem = mem };
	if (!op_json_enter(in, '['))
		return;
	while (op_json_more(in, ']', &first)) {
		struct op_gecko_lib lib = { .mapping = OP_NO_ID };

		first_member = true;
		op_json_take(in, '{', "expected a library");
		while (op_json_more(in, '}', &first_member))
			member_take(in, mem, &lib);
		if (!in->err->code && !op_vec_push(mem, &out->rows, lib))
			in->p = in->end;
	}
}

/* --- finding --- */

static int start_cmp(const void *a, const void *b, void *ctx)
{
	const struct op_gecko_lib *rows = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (rows[x].start != rows[y].start)
		return rows[x].start < rows[y].start ? -1 : 1;
	return x < y ? -1 : 1;
}

static bool sort(struct op_gecko_libs *libs)
{
	libs->by_start = op_new_raw(libs->mem, uint32_t, libs->rows.n);
	if (!libs->by_start)
		return false;
	for (uint32_t i = 0; i < libs->rows.n; i++)
		libs->by_start[i] = i;
	qsort_r(libs->by_start, libs->rows.n, sizeof(*libs->by_start),
		start_cmp, libs->rows.p);
	return true;
}

struct op_gecko_lib *op_gecko_lib_at(struct op_gecko_libs *libs,
				     uint64_t address)
{
	size_t low = 0, high = libs->rows.n;
	struct op_gecko_lib *lib;

	if (!libs->rows.n)
		return NULL;
	if (!libs->by_start && !sort(libs))
		return NULL;
	/* The last that starts at the address or before. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (libs->rows.p[libs->by_start[mid]].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	lib = &libs->rows.p[libs->by_start[low - 1]];
	return address < lib->end ? lib : NULL;
}

/* --- mappings --- */

/* A breakpad id is a GUID and an age. Of an ELF file it is made of the first
 * 16 bytes of the build ID, which then is the code id; a GUID has its first
 * three numbers in the other byte order. */
static bool is_elf(const struct op_gecko_lib *lib)
{
	static const uint8_t order[16] = { 3, 2, 1,  0,	 5,  4,	 7,  6,
					   8, 9, 10, 11, 12, 13, 14, 15 };
	struct op_view id = lib->code_id, guid = lib->breakpad_id;
	uint8_t bytes[16] = { 0 }, from[16];
	size_t n = id.n / 2 < 16 ? id.n / 2 : 16;

	if (!n || id.n % 2 || !op_is_hex(id) || guid.n != 33 ||
	    !op_unhex(op_view(guid.p, 32), from, 16))
		return false;
	op_unhex(op_view(id.p, 2 * n), bytes, n);
	for (size_t i = 0; i < 16; i++)
		if (from[i] != bytes[order[i]])
			return false;
	return true;
}

/* An id that is nothing but zeros is none. */
static bool is_zero(struct op_view id)
{
	for (size_t i = 0; i < id.n; i++)
		if (id.p[i] != '0')
			return false;
	return true;
}

static uint32_t set_with(struct op_builder *b, uint32_t set, const char *key,
			 struct op_view text)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = text };

	if (is_zero(text))
		return set;
	return op_build_set_with(b, set,
				 op_build_attr(b, op_view_z(key), &v,
					       (struct op_view){ 0 }, NULL));
}

static uint32_t ids_of(struct op_builder *b, const struct op_gecko_lib *lib)
{
	uint8_t lower[128];
	uint32_t set;

	if (is_elf(lib) && lib->code_id.n <= sizeof(lower)) {
		for (size_t i = 0; i < lib->code_id.n; i++)
			lower[i] = lib->code_id.p[i] | 0x20;
		return set_with(b, 0, OP_ATTR_BUILD_ID_GNU,
				op_view(lower, lib->code_id.n));
	}
	set = set_with(b, 0, OP_ATTR_BREAKPAD_ID, lib->breakpad_id);
	return set_with(b, set, OP_ATTR_CODE_ID, lib->code_id);
}

uint32_t op_gecko_mapping(struct op_builder *b, struct op_gecko_lib *lib)
{
	struct op_mapping row = { 0 };

	if (lib->mapping != OP_NO_ID)
		return lib->mapping;
	row.filename = op_build_string(b, lib->path.n ? lib->path : lib->name);
	row.attrs = ids_of(b, lib);
	if (lib->end > lib->start)
		row.limit = lib->end - lib->start + lib->offset;
	lib->mapping = op_build_mapping(b, &row);
	return lib->mapping;
}
