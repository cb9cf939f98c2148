// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a perf map, as a jitdump file and as kallsyms: a name is found
 * where a search of all lines finds one, and it is a part of the input. */
#include "fuzz/prop.h"
#include "sym/jit.h"
#include "sym/kallsyms.h"

static struct op_view slow_find(const struct op_jit *j, uint64_t at,
				uint64_t time)
{
	const struct op_jit_code *best = NULL;

	for (size_t i = j->codes.n; i--;) {
		const struct op_jit_code *c = &j->codes.p[i];

		if (c->start <= at && at < c->end && c->since <= time &&
		    (!best || c->since > best->since))
			best = c;
	}
	return best ? best->name : (struct op_view){ 0 };
}

static void prop_name(struct op_view in, struct op_view name)
{
	PROP(!name.n || (name.p >= in.p && name.p + name.n <= in.p + in.n));
}

static void prop_place(const struct op_jit *j, struct op_view in, uint64_t at,
		       uint64_t time)
{
	struct op_view name = op_jit_find(j, at, time);

	prop_name(in, name);
	/* More code at one place need not be looked through. */
	if (j->codes.n <= 4096)
		PROP(op_view_eq(name, slow_find(j, at, time)));
}

static void jit(struct op_view in,
		int (*read)(struct op_jit *, struct op_view, struct op_err *))
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err, .quota = PROP_QUOTA };
	struct op_jit j = { .mem = &mem };

	if (read(&j, in, &err))
		prop_error(&err, in.n);
	op_jit_finish(&j);
	for (size_t i = 0; i < j.codes.n && i < 20; i++) {
		const struct op_jit_code *c = &j.codes.p[i];

		PROP(c->start < c->end && c->name.n <= OP_JIT_NAME);
		prop_place(&j, in, c->start, OP_JIT_NOW);
		prop_place(&j, in, c->end - 1, c->since);
		prop_place(&j, in, c->end, c->since - 1);
	}
	op_arena_free(&mem);
}

static void kallsyms(struct op_view in)
{
	struct op_err err = { 0 };
	struct op_arena mem = { .err = &err, .quota = PROP_QUOTA };
	struct op_kallsyms k = { .symbols.mem = &mem };

	if (!op_kallsyms_read(&k, in, &err))
		for (size_t i = 0; i < k.symbols.rows.n; i++) {
			const struct op_symbol *s = &k.symbols.rows.p[i];

			prop_name(in, op_symbol_name(s));
			PROP(s->start == s->end ||
			     op_symtab_find(&k.symbols, s->start) == s);
		}
	else
		PROP(err.code == OP_EUSAGE || err.code == OP_EFORMAT ||
		     err.code == OP_ENOMEM);
	op_arena_free(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	jit(op_view(p, n), op_jit_perf_map);
	jit(op_view(p, n), op_jit_dump);
	kallsyms(op_view(p, n));
	return 0;
}
