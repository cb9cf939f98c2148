// SPDX-License-Identifier: Apache-2.0
/* fmt/otep239/otep239.c: files of OTEP 239: one message. */
#include "fmt/otep239/otep239_int.h"

#include "fmt/draft/read.h"
#include "fmt/draft/write.h"

const struct op_draft_layout op_otep239_layout = {
	.attrs = OP_DRAFT_PAIRS,
	.table = {
		[OP_MAPPINGS] = 3,
		[OP_LOCATIONS] = 4,
		[OP_FUNCTIONS] = 5,
		[OP_STRINGS] = 6,
		[OP_ATTRS] = 16,
		[OP_LINKS] = 18,
	},
	.units = 17,
	.max_types = 1024,
	.head = {
		.type = EXT_SAMPLE_TYPE,
		.drop_frames = EXT_DROP_FRAMES,
		.keep_frames = EXT_KEEP_FRAMES,
		.time = EXT_TIME,
		.duration = EXT_DURATION,
		.period_type = EXT_PERIOD_TYPE,
		.period = EXT_PERIOD,
		.comments = EXT_COMMENT,
		.default_name = EXT_DEFAULT_TYPE,
		.locations = EXT_LOCATION_INDICES,
	},
	.sample = {
		.locations = EXT_SAMPLE_LOCATION,
		.values = EXT_SAMPLE_VALUE,
		.label = EXT_SAMPLE_LABEL,
		.first = EXT_SAMPLE_START,
		.nr = EXT_SAMPLE_LENGTH,
		.attrs = EXT_SAMPLE_ATTRIBUTES,
		.link = EXT_SAMPLE_LINK,
		.times = EXT_SAMPLE_TIMES,
	},
	.function = { .name = 2, .system_name = 3, .filename = 4,
		      .start_line = 5 },
	.location = { .mapping = 2, .address = 3, .line = 4, .is_folded = 5,
		      .type = 6, .attrs = 7 },
	.mapping = { .start = 2, .limit = 3, .offset = 4, .filename = 5,
		     .build_id = 6, .first_flag = 7, .id_kind = 11,
		     .attrs = 12 },
};

static int otep239_sniff(struct op_view in);

static int otep239_read(struct op_view in, const struct op_read_opts *opts,
			op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_model m = { .mem.quota = opts ? opts->mem_quota : 0 };

	if (!op_otep239_decode(&m, in, err))
		op_draft_empty_check(&m, otep239_sniff(in), err);
	return op_model_deliver(&m, fn, ctx, err);
}

static int otep239_write(const struct op_model *m,
			 const struct op_write_opts *opts, struct op_sink *out,
			 struct op_err *err)
{
	struct op_pbw w = { .err = err };

	op_otep239_encode(m, opts, &w);
	return op_draft_file_end(&w, out);
}

/* --- telling it from the bytes --- */

/* Whether a message is shaped as the profile in a container. */
static bool is_profile(struct op_view msg)
{
	struct op_err err = { 0 };
	struct op_cur c = op_cur(msg, &err);
	struct op_pb_field f;
	bool strings = false;

	while (op_pb_next(&c, &f)) {
		switch (f.num) {
		case EXT_SAMPLE_TYPE:
		case EXT_SAMPLE:
		case 3: /* tables */
		case 4:
		case 5:
		case EXT_PERIOD_TYPE:
		case 16:
		case 17:
		case 18:
			if (f.wire != OP_PB_LEN)
				return false;
			break;
		case 6:
			if (f.wire != OP_PB_LEN || (!strings && f.bytes.n))
				return false;
			strings = true;
			break;
		case EXT_COMMENT:
		case EXT_LOCATION_INDICES:
			if (f.wire != OP_PB_LEN && f.wire != OP_PB_VARINT)
				return false;
			break;
		default:
			if (f.num > 18 || f.wire != OP_PB_VARINT)
				return false;
		}
	}
	return strings;
}

static int otep239_sniff(struct op_view in)
{
	struct op_err err = { 0 };
	struct op_view container;
	struct op_pb_field f;
	struct op_cur c;
	bool profile = false;

	if (!op_draft_first_profile(in, &container))
		return 0;
	c = op_cur(container, &err);
	while (op_pb_next(&c, &f)) {
		if (f.num > CONTAINER_PROFILE)
			return 0;
		if (f.num == CONTAINER_ID && f.bytes.n != 16)
			return 0;
		if ((f.num == CONTAINER_START || f.num == CONTAINER_END) !=
		    (f.wire == OP_PB_I64))
			return 0;
		if (f.num == CONTAINER_PROFILE)
			profile |= f.wire == OP_PB_LEN && is_profile(f.bytes);
	}
	return profile ? 85 : 0;
}

const struct op_format op_format_otep239 = {
	.name = "otep239",
	.summary = "OTEP 239's pprofextended, v1experimental; reads pprof too",
	.endings = { ".otep239" },
	.copies = true,
	.sniff = otep239_sniff,
	.read = otep239_read,
	.write = otep239_write,
};
