// SPDX-License-Identifier: Apache-2.0
/* sym/cfi.c: call frame information: CIEs and FDEs. */
#include "sym/cfi.h"

enum {
	WIDE_LENGTH = 0xfffffff0, /* larger lengths are escapes */
	WORD = 8,		  /* size of an address */
};

static bool broken(struct op_cfi_bytes *b)
{
	b->p = b->end;
	b->is_broken = true;
	return false;
}

uint64_t op_cfi_uleb_long(struct op_cfi_bytes *b)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; b->p < b->end; shift += 7) {
		uint8_t c = *b->p++;

		/* Bits above 64 are padding, or invalid. */
		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return v;
	}
	broken(b);
	return 0;
}

int64_t op_cfi_sleb(struct op_cfi_bytes *b)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; b->p < b->end;) {
		uint8_t c = *b->p++;

		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		shift += 7;
		if (c & 0x80)
			continue;
		if (shift < 64 && (c & 0x40))
			v |= UINT64_MAX << shift;
		return (int64_t)v;
	}
	broken(b);
	return 0;
}

uint64_t op_cfi_fixed(struct op_cfi_bytes *b, unsigned int n)
{
	uint64_t v = 0;

	if ((size_t)(b->end - b->p) < n) {
		broken(b);
		return 0;
	}
	memcpy(&v, b->p, n);
	b->p += n;
	return v;
}

struct op_view op_cfi_take(struct op_cfi_bytes *b, uint64_t n)
{
	struct op_view v = { b->p, (size_t)n };

	if (n > (size_t)(b->end - b->p)) {
		broken(b);
		return (struct op_view){ 0 };
	}
	b->p += n;
	return v;
}

static uint64_t pointer_value(struct op_cfi_bytes *b, uint8_t format)
{
	switch (format) {
	case OP_PE_ABSPTR:
	case OP_PE_UDATA8:
	case OP_PE_SDATA8:
		return op_cfi_fixed(b, 8);
	case OP_PE_ULEB:
		return op_cfi_uleb(b);
	case OP_PE_UDATA2:
		return op_cfi_fixed(b, 2);
	case OP_PE_UDATA4:
		return op_cfi_fixed(b, 4);
	case OP_PE_SLEB:
		return (uint64_t)op_cfi_sleb(b);
	case OP_PE_SDATA2:
		return (uint64_t)(int16_t)op_cfi_fixed(b, 2);
	case OP_PE_SDATA4:
		return (uint64_t)(int32_t)op_cfi_fixed(b, 4);
	default:
		broken(b);
		return 0;
	}
}

uint64_t op_cfi_pointer(struct op_cfi_bytes *b, uint8_t encoding,
			const struct op_cfi_bases *bases)
{
	const struct op_cfi_section *s = bases->s;
	uint64_t here = s->vaddr + (uint64_t)(b->p - s->bytes.p);

	switch (encoding & 0xf0) {
	case OP_PE_ABSPTR:
		return pointer_value(b, encoding & 0x0f);
	case OP_PE_PCREL:
		return here + pointer_value(b, encoding & 0x0f);
	case OP_PE_TEXTREL:
		return bases->text + pointer_value(b, encoding & 0x0f);
	case OP_PE_DATAREL:
		return bases->data + pointer_value(b, encoding & 0x0f);
	case OP_PE_FUNCREL:
		return bases->func + pointer_value(b, encoding & 0x0f);
	case OP_PE_ALIGNED:
		if ((encoding & 0x0f) == OP_PE_ABSPTR) {
			op_cfi_take(b, -here & (WORD - 1));
			return op_cfi_fixed(b, WORD);
		}
		break;
	}
	broken(b); /* by reference, omitted or unknown */
	return 0;
}

/* Length and ID; the CIE offset in an FDE is relative to the position of the
 * ID. */
static struct op_cfi_entry entry_parts(const struct op_cfi_section *s,
				       struct op_cfi_bytes *b,
				       struct op_cfi_entry e)
{
	uint64_t n = op_cfi_fixed(b, 4), id, self;
	bool is_wide = n == UINT32_MAX;
	size_t id_at;

	if (is_wide)
		n = op_cfi_fixed(b, 8);
	else if (n >= WIDE_LENGTH)
		return e;
	e.body = op_cfi_take(b, n);
	if (b->is_broken)
		return e;
	e.next = (size_t)(b->p - s->bytes.p);
	e.kind = OP_CFI_BROKEN;
	*b = (struct op_cfi_bytes){ e.body.p, e.body.p + n, false };
	id_at = (size_t)(b->p - s->bytes.p);
	/* In .eh_frame the ID has four bytes, whatever the size of the length.
	 */
	is_wide = is_wide && s->is_debug;
	id = op_cfi_fixed(b, is_wide ? 8 : 4);
	if (b->is_broken)
		return e;
	e.body = op_view(b->p, (size_t)(b->end - b->p));
	self = !s->is_debug ? 0 : is_wide ? UINT64_MAX : UINT32_MAX;
	if (id == self) {
		e.kind = OP_CFI_CIE;
		return e;
	}
	if (!s->is_debug && id > id_at)
		return e;
	e.cie_at = s->is_debug ? (size_t)id : id_at - (size_t)id;
	e.kind = OP_CFI_FDE;
	return e;
}

struct op_cfi_entry op_cfi_entry(const struct op_cfi_section *s, size_t at)
{
	static const uint8_t zeros[4];
	struct op_cfi_entry e = { .kind = OP_CFI_END };
	const uint8_t *start = s->bytes.p;
	struct op_cfi_bytes b;

	while (at <= s->bytes.n && s->bytes.n - at >= sizeof(zeros) &&
	       !memcmp(start + at, zeros, sizeof(zeros)))
		at += sizeof(zeros);
	e.at = at;
	if (at >= s->bytes.n)
		return e;
	b = (struct op_cfi_bytes){ start + at, start + s->bytes.n, false };
	return entry_parts(s, &b, e);
}

/* The letters of the augmentation after its z. Those after an unknown one are
 * skipped: the length says where the instructions begin. */
static void cie_letters(const struct op_cfi_section *s, const char *letters,
			struct op_view data, struct op_cfi_cie *cie)
{
	struct op_cfi_bytes b = { data.p, data.p + data.n, false };
	struct op_cfi_bases bases = { .s = s };

	for (; *letters; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'R':
			cie->encoding = (uint8_t)op_cfi_fixed(&b, 1);
			break;
		case 'P':
			encoding = (uint8_t)op_cfi_fixed(&b, 1);
			/* Only its size is needed. */
			op_cfi_pointer(&b, encoding & 0x7f, &bases);
			break;
		case 'L':
			op_cfi_fixed(&b, 1);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		default:
			return;
		}
	}
}

static bool cie_augmentation(const struct op_cfi_section *s,
			     struct op_cfi_bytes *b, const char *letters,
			     struct op_cfi_cie *cie)
{
	if (*letters == 'z') {
		struct op_view data = op_cfi_take(b, op_cfi_uleb(b));

		cie->has_data = true;
		if (!b->is_broken)
			cie_letters(s, letters + 1, data, cie);
		return !b->is_broken;
	}
	/* Without a z an unknown letter could mean anything. */
	for (; *letters; letters++) {
		if (*letters != 'S')
			return false;
		cie->is_signal = true;
	}
	return true;
}

bool op_cfi_cie_read(const struct op_cfi_section *s,
		     const struct op_cfi_entry *e, struct op_cfi_cie *out)
{
	struct op_cfi_bytes b = { e->body.p, e->body.p + e->body.n, false };
	struct op_cfi_cie cie = { .at = e->at, .is_debug = s->is_debug };
	uint64_t version = op_cfi_fixed(&b, 1);
	const char *letters = (const char *)b.p;
	const uint8_t *nul = memchr(b.p, 0, (size_t)(b.end - b.p));

	if ((version != 1 && version != 3 && version != 4) || !nul)
		return false;
	b.p = nul + 1;
	if (version == 4) {
		uint64_t word = op_cfi_fixed(&b, 1);

		if (op_cfi_fixed(&b, 1) || word != WORD)
			return false; /* segments, or another machine */
	}
	if (letters[0] == 'e' && letters[1] == 'h') {
		op_cfi_fixed(&b, WORD); /* of GCC 2 */
		letters += 2;
	}
	cie.code_align = op_cfi_uleb(&b);
	cie.data_align = op_cfi_sleb(&b);
	cie.ra_reg = version == 1 ? op_cfi_fixed(&b, 1) : op_cfi_uleb(&b);
	if (b.is_broken || !cie_augmentation(s, &b, letters, &cie))
		return false;
	cie.program = op_view(b.p, (size_t)(b.end - b.p));
	*out = cie;
	return true;
}

/* The address and size of an FDE as every linker writes them. */
static bool usual_range(const struct op_cfi_section *s, struct op_cfi_bytes *b,
			struct op_cfi_fde *fde)
{
	uint64_t here = s->vaddr + (uint64_t)(b->p - s->bytes.p);
	int32_t v[2];

	if (b->end - b->p < (ptrdiff_t)sizeof(v))
		return false;
	memcpy(v, b->p, sizeof(v));
	b->p += sizeof(v);
	fde->start = here + (uint64_t)(int64_t)v[0];
	fde->size = (uint64_t)(int64_t)v[1];
	return true;
}

bool op_cfi_fde_read(const struct op_cfi *cfi, const struct op_cfi_section *s,
		     const struct op_cfi_entry *e, const struct op_cfi_cie *cie,
		     struct op_cfi_fde *out)
{
	struct op_cfi_bytes b = { e->body.p, e->body.p + e->body.n, false };
	struct op_cfi_fde fde = { .at = e->at, .cie_at = e->cie_at };
	struct op_cfi_bases bases = { s, cfi->text, cfi->got, 0 };

	if (cie->encoding != (OP_PE_PCREL | OP_PE_SDATA4) ||
	    !usual_range(s, &b, &fde)) {
		fde.start = op_cfi_pointer(&b, cie->encoding, &bases);
		fde.size = pointer_value(&b, cie->encoding & 0x0f);
	}
	if (cie->has_data)
		op_cfi_take(&b, op_cfi_uleb(&b));
	if (b.is_broken || fde.start + fde.size < fde.start)
		return false;
	fde.program = op_view(b.p, (size_t)(b.end - b.p));
	*out = fde;
	return true;
}

bool op_cfi_cie_at(const struct op_cfi_section *s, size_t at,
		   struct op_cfi_cie *out)
{
	struct op_cfi_entry e = op_cfi_entry(s, at);

	return e.kind == OP_CFI_CIE && e.at == at &&
	       op_cfi_cie_read(s, &e, out);
}

/* The search table of .eh_frame_hdr as every linker writes it: sorted pairs of
 * 32 bits, relative to the section. */
struct hdr_table {
	struct op_view pairs;
	uint64_t vaddr, nr;
};

static bool hdr_open(const struct op_cfi *cfi, struct hdr_table *t)
{
	enum { PAIRS = OP_PE_DATAREL | OP_PE_SDATA4 };
	const struct op_cfi_section *s = &cfi->hdr;
	struct op_cfi_bases bases = { s, cfi->text, s->vaddr, 0 };
	struct op_cfi_bytes b = { s->bytes.p, s->bytes.p + s->bytes.n, false };
	uint64_t version = op_cfi_fixed(&b, 1);
	uint8_t frame = (uint8_t)op_cfi_fixed(&b, 1);
	uint8_t count = (uint8_t)op_cfi_fixed(&b, 1);
	uint64_t pairs = op_cfi_fixed(&b, 1);

	if (version != 1 || pairs != PAIRS)
		return false;
	op_cfi_pointer(&b, frame, &bases);
	t->nr = op_cfi_pointer(&b, count, &bases);
	t->vaddr = s->vaddr;
	if (b.is_broken || t->nr > (size_t)(b.end - b.p) / 8)
		return false;
	t->pairs = op_view(b.p, (size_t)t->nr * 8);
	return t->nr > 0;
}

static uint64_t hdr_value(const struct hdr_table *t, uint64_t i, size_t half)
{
	int32_t v;

	memcpy(&v, t->pairs.p + i * 8 + half * 4, sizeof(v));
	return t->vaddr + (uint64_t)(int64_t)v;
}

bool op_cfi_find(const struct op_cfi *cfi, uint64_t vaddr,
		 struct op_cfi_cie *cie, struct op_cfi_fde *fde)
{
	const struct op_cfi_section *s = &cfi->eh;
	struct hdr_table t = { 0 };
	struct op_cfi_entry e;
	uint64_t at = 0, nr, offset;

	if (!hdr_open(cfi, &t))
		return false;
	for (nr = t.nr; nr > 1;) {
		uint64_t half = nr / 2;

		at = hdr_value(&t, at + half, 0) <= vaddr ? at + half : at;
		nr -= half;
	}
	offset = hdr_value(&t, at, 1) - s->vaddr;
	if (offset >= s->bytes.n)
		return false;
	e = op_cfi_entry(s, (size_t)offset);
	return e.kind == OP_CFI_FDE && op_cfi_cie_at(s, e.cie_at, cie) &&
	       op_cfi_fde_read(cfi, s, &e, cie, fde) &&
	       vaddr - fde->start < fde->size;
}
