// SPDX-License-Identifier: Apache-2.0
/* sym/kallsyms.c: symbols of the running kernel. */
#include "sym/kallsyms.h"

#include "sym/text.h"

struct line {
	uint64_t address;
	uint8_t kind;
	struct op_view name;
};

static bool parse(struct op_view v, struct line *out)
{
	const uint8_t *tab;

	if (!op_text_hex(&v, &out->address) || v.n < 3 || v.p[1] != ' ')
		return false;
	out->kind = v.p[0];
	out->name = op_view(v.p + 2, v.n - 2);
	tab = memchr(out->name.p, '\t', out->name.n);
	if (tab)
		out->name.n = (size_t)(tab - out->name.p);
	return out->name.n > 0;
}

/* Code, with the letters of nm; lower case is local. */
static bool is_code(uint8_t kind)
{
	return kind == 'T' || kind == 't' || kind == 'W' || kind == 'w' ||
	       kind == 'i';
}

static uint32_t rank(uint8_t kind)
{
	if (kind == 'T')
		return OP_SYM_GLOBAL;
	return kind == 'W' || kind == 'w' ? OP_SYM_WEAK : OP_SYM_LOCAL;
}

static void landmark(struct op_kallsyms *k, const struct line *l)
{
	if (op_view_is(l->name, "_text"))
		k->text = l->address;
	else if (op_view_is(l->name, "_stext"))
		k->stext = l->address;
}

/* Symbols have no sizes here and so extend to the next one; the last one of a
 * region must not extend over a hole. */
enum { MAX_BYTES = 1 << 20 };

static uint64_t reach(uint64_t address)
{
	uint64_t end;

	if (__builtin_add_overflow(address, MAX_BYTES, &end))
		return UINT64_MAX;
	return end;
}

int op_kallsyms_read(struct op_kallsyms *k, struct op_view text,
		     struct op_err *err)
{
	const uint8_t *start = text.p;
	bool any = false;
	struct op_view v;

	k->text = k->stext = 0;
	while (op_text_line(&text, &v)) {
		struct line l = { 0 };

		if (text.p == v.p + v.n)
			break; /* incomplete */
		if (!parse(v, &l))
			return op_fail_at(err, OP_EFORMAT,
					  (uint64_t)(v.p - start),
					  "is not a line of kallsyms");
		any |= l.address != 0;
		landmark(k, &l);
		if (l.address && is_code(l.kind) &&
		    !op_symtab_add(&k->symbols, l.name, l.address, 0,
				   reach(l.address), rank(l.kind)))
			return err->code;
	}
	if (!any)
		return op_fail(err, OP_EUSAGE,
			       "the kernel hides its addresses");
	op_symtab_finish(&k->symbols);
	return OP_OK;
}
