// SPDX-License-Identifier: Apache-2.0
/* fmt/otep_arrays/otep_arrays.c: files of the "arrays" draft: one message. */
#include "fmt/otep_arrays/otep_arrays_int.h"

#include "fmt/draft/read.h"
#include "fmt/draft/write.h"

const struct op_draft_layout op_otep_arrays_layout = {
	.attrs = OP_DRAFT_SETS,
	.table = {
		[OP_STACKS] = 7,
		[OP_MAPPINGS] = 8,
		[OP_LOCATIONS] = 9,
		[OP_FUNCTIONS] = 10,
		[OP_LINKS] = 11,
		[OP_ATTRS] = 12,
		[OP_STRINGS] = 13,
	},
	.head = {
		.id = ARRAYS_ID,
		.start = ARRAYS_START,
		.end = ARRAYS_END,
		.attrs = ARRAYS_ATTRIBUTES,
		.dropped = ARRAYS_DROPPED,
		.payload = ARRAYS_PAYLOAD,
	},
	.short_lines = true,
	.root_first = true,
	.function = { .name = 1, .system_name = 2, .filename = 3,
		      .start_line = 4 },
	.location = { .mapping = 1, .address = 2, .line = 3, .attrs = 5 },
	.mapping = { .start = 1, .limit = 2, .offset = 3, .filename = 4,
		     .build_id = 5, .fidelity = 6, .attrs = 7 },
};

static int arrays_sniff(struct op_view in);

static int arrays_read(struct op_view in, const struct op_read_opts *opts,
		       op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };

	if (!op_otep_arrays_decode(&m, in, err))
		op_draft_empty_check(&m, arrays_sniff(in), err);
	return op_model_deliver(&m, fn, ctx, err);
}

static int arrays_write(const struct op_model *m,
			const struct op_write_opts *opts, struct op_sink *out,
			struct op_err *err)
{
	struct op_pbw w = { .err = err };

	op_otep_arrays_encode(m, opts, &w);
	return op_draft_file_end(&w, out);
}

/* --- telling it from the bytes --- */

/* A type begins with numbers and goes on with lists. */
static bool is_type(struct op_view msg)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f;

	while (op_pb_next(&c, &f)) {
		if (f.num <= ARRAYS_TYPE_UNIT && f.wire != OP_PB_VARINT)
			return false;
		if (f.num > ARRAYS_TYPE_UNIT &&
		    (f.num < ARRAYS_TYPE_STACKS || f.num > ARRAYS_TYPE_TIMES))
			return false;
	}
	return !err.code;
}

static int arrays_sniff(struct op_view in)
{
	uint32_t strings_num = op_otep_arrays_layout.table[OP_STRINGS];
	bool strings = false, types = false;
	struct op_err err = { 0 };
	struct op_view profile;
	struct op_pb_field f;
	struct op_cur c;

	if (!op_draft_first_profile(in, &profile))
		return 0;
	c = op_cur(profile, &err);
	while (op_pb_next(&c, &f)) {
		bool is_time = f.num == ARRAYS_START || f.num == ARRAYS_END;

		if (f.num > ARRAYS_TYPES ||
		    (f.num == ARRAYS_ID && f.bytes.n != 16) ||
		    is_time != (f.wire == OP_PB_I64))
			return 0;
		if (f.num == ARRAYS_DROPPED ? f.wire != OP_PB_VARINT :
					      !is_time && f.wire != OP_PB_LEN)
			return 0;
		if (f.num == strings_num && !strings && f.bytes.n)
			return 0;
		strings |= f.num == strings_num;
		if (f.num == ARRAYS_TYPES && !is_type(f.bytes))
			return 0;
		types |= f.num == ARRAYS_TYPES;
	}
	return strings && types ? 85 : 0;
}

const struct op_format op_format_otep_arrays = {
	.name = "otep-arrays",
	.summary = "OTLP profiles draft with parallel arrays",
	.endings = { ".otep-arrays" },
	.copies = true,
	.sniff = arrays_sniff,
	.read = arrays_read,
	.write = arrays_write,
};
