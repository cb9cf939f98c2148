// SPDX-License-Identifier: Apache-2.0
#include "ours.h"

#include "fmt/otlp/otlp.h"
#include "pb/write.h"

struct ours {
	struct op_model m;
	struct op_pbw w;
	struct op_err err;
};

struct ours *ours_new(void)
{
	struct ours *o = op_heap_resize(NULL, sizeof(*o), OP_IGNORED);

	if (!o)
		return NULL;
	memset(o, 0, sizeof(*o));
	o->w.err = &o->err;
	return o;
}

void ours_free(struct ours *o)
{
	if (!o)
		return;
	op_model_free(&o->m);
	op_pbw_free(&o->w);
	op_heap_free(o);
}

bool ours_decode(struct ours *o, const uint8_t *p, size_t n)
{
	if (o->m.mem.nr_blocks)
		op_arena_recycle(&o->m.mem);
	o->m = (struct op_model){ .mem = o->m.mem };
	return !op_otlp_decode(&o->m, op_view(p, n), NULL, &o->err);
}

const uint8_t *ours_encode(struct ours *o, size_t *n)
{
	struct op_view v;

	o->w.p = o->w.end;
	if (op_otlp_encode(&o->m, &o->w))
		return NULL;
	v = op_pbw_result(&o->w);
	*n = v.n;
	return v.p;
}

size_t ours_arena_bytes(const struct ours *o)
{
	return o->m.mem.used;
}

uint64_t ours_samples(const struct ours *o)
{
	struct op_walk w = { 0 };
	uint64_t n = 0;

	while (op_walk_next(&o->m, &w))
		n += w.profile->nr_samples;
	return n;
}

const char *ours_dialect(const struct ours *o)
{
	return o->m.dialect;
}

const char *ours_error(const struct ours *o)
{
	return o->err.text;
}
