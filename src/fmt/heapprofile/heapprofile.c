// SPDX-License-Identifier: Apache-2.0
/* fmt/heapprofile/heapprofile.c: files of V8's sampling heap profiler, as
 * Node.js and Chromium's tools write them.
 *
 *	head     a node with all others inside of it: callFrame, selfSize, id
 *	samples  of each allocation that was seen its size and node
 *
 * What a node holds is its selfSize. The list of samples is in newer files
 * only, and adds up to other sums. */
#include "fmt/cpuprofile/v8.h"
#include "fmt/format.h"
#include "pb/json_extract.h"

static void parse(struct op_v8_file *f, struct op_view text)
{
	struct op_json_in in = op_json_start(text, f->err);
	bool first = true;

	op_json_peek(&in);
	op_json_take(&in, '{', "expected an object");
	while (op_json_more(&in, '}', &first)) {
		if (op_json_is(op_json_extract_key(&in), "head"))
			op_v8_nested_take(&f->v8, &in);
		else
			op_json_skip(&in);
	}
	if (!f->err->code)
		op_json_finish(&in);
	if (!f->err->code && !f->v8.has_self[OP_V8_SIZE])
		op_fail_at(f->err, OP_EFORMAT, 0, "no head with a selfSize");
}

static void build(struct op_v8_file *f)
{
	struct op_builder *b = &f->b;
	struct op_resource resource = { 0 };
	struct op_scope scope = { 0 };
	struct op_profile head = { 0 };
	uint32_t profile;

	head.sample_type.type = op_build_string(b, op_view_z("space"));
	head.sample_type.unit = op_build_string(b, op_view_z("bytes"));
	profile = op_build_scope(b, op_build_resource(b, &resource, NULL),
				 &scope, NULL);
	profile = op_build_profile(b, profile, &head);
	op_v8_nested_end(&f->v8);
	for (size_t i = 0; i < f->v8.nested.n && !f->err->code; i++) {
		const struct op_v8_nested *n = &f->v8.nested.p[i];
		struct op_identity id = { 0 };

		if (!n->self[OP_V8_SIZE])
			continue;
		id.stack = op_tree_stack(&f->v8.tree, n->node);
		op_build_add(b, profile, op_build_sample(b, profile, id),
			     n->self[OP_V8_SIZE]);
	}
}

static int heapprofile_read(struct op_view in, const struct op_read_opts *opts,
			    op_model_fn *fn, void *ctx, struct op_err *err)
{
	struct op_v8_file f;

	op_v8_open(&f, opts, err);
	if (!err->code)
		parse(&f, in);
	if (!err->code)
		build(&f);
	return op_v8_close(&f, opts, fn, ctx);
}

static int heapprofile_sniff(struct op_view v)
{
	static const char key[] = "\"selfSize\"";
	struct op_view head;

	return op_json_sniff_key(v, "head", &head) && head.n &&
			       *head.p == '{' &&
			       memmem(head.p, head.n, key, sizeof(key) - 1) ?
		       90 :
		       0;
}

const struct op_format op_format_heapprofile = {
	.name = "heapprofile",
	.summary = "V8's heap profiles, JSON: Node.js, Chromium's tools",
	.endings = { ".heapprofile" },
	.copies = true,
	.sniff = heapprofile_sniff,
	.read = heapprofile_read,
};
