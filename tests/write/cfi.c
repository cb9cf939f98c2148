// SPDX-License-Identifier: Apache-2.0
#include "write/cfi.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORD = 64 };

static _Noreturn void refuse(const char *what)
{
	fprintf(stderr, "cfi: %s\n", what);
	abort();
}

static void put(struct cfi_bytes *b, const void *p, size_t n)
{
	if (b->cap - b->n < n) {
		b->cap = (b->n + n) * 2;
		b->p = realloc(b->p, b->cap);
	}
	if (!b->p)
		refuse("no memory");
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void fixed(struct cfi_bytes *b, uint64_t v, size_t n)
{
	put(b, &v, n);
}

static void uleb(struct cfi_bytes *b, uint64_t v)
{
	do {
		fixed(b, (v & 0x7f) | (v > 0x7f ? 0x80u : 0), 1);
		v >>= 7;
	} while (v);
}

static void sleb(struct cfi_bytes *b, int64_t v)
{
	bool more;

	do {
		uint64_t low = (uint64_t)v & 0x7f;

		v >>= 7;
		more = !((v == 0 && !(low & 0x40)) || (v == -1 && low & 0x40));
		fixed(b, low | (uint64_t)more << 7, 1);
	} while (more);
}

static unsigned int hex_digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *d = strchr(digits, c);

	if (!c || !d)
		refuse("not a hex digit");
	return (unsigned int)(d - digits);
}

static void hex(struct cfi_bytes *b, const char *s)
{
	for (; s[0] && s[0] != ' '; s += 2)
		fixed(b, hex_digit(s[0]) << 4 | hex_digit(s[1]), 1);
}

/* An address as the encoding has it; of a size only the format counts. */
static void address(struct cfi_bytes *b, uint64_t v, uint8_t encoding,
		    bool is_size)
{
	static const uint8_t bytes[16] = { 8, 0, 2, 4, 8, [10] = 2, 4, 8 };
	uint8_t n = bytes[encoding & 15];

	if (!is_size) {
		switch (encoding & 0xf0) {
		case OP_PE_PCREL:
			v -= b->vaddr + b->n;
			break;
		case OP_PE_TEXTREL:
			v -= b->textrel;
			break;
		case OP_PE_DATAREL:
			v -= b->datarel;
			break;
		case OP_PE_ALIGNED:
			while ((b->vaddr + b->n) % 8)
				fixed(b, 0, 1);
			break;
		}
	}
	if (n)
		fixed(b, v, n);
	else if ((encoding & 15) == OP_PE_ULEB)
		uleb(b, v);
	else
		sleb(b, (int64_t)v);
}

/* --- programs ------------------------------------------------------------- */

/* Operands: r register, u uleb, s sleb, 1 2 4 so many bytes, x expression, a
 * address. */
static const struct {
	const char *word;
	uint8_t op;
	const char *operands;
} words[] = {
	{ "nop", 0x00, "" },
	{ "set_loc", 0x01, "a" },
	{ "loc1", 0x02, "1" },
	{ "loc2", 0x03, "2" },
	{ "loc4", 0x04, "4" },
	{ "offset_extended", 0x05, "ru" },
	{ "restore_extended", 0x06, "r" },
	{ "undefined", 0x07, "r" },
	{ "same", 0x08, "r" },
	{ "register", 0x09, "rr" },
	{ "remember", 0x0a, "" },
	{ "recall", 0x0b, "" },
	{ "cfa", 0x0c, "ru" },
	{ "cfa_register", 0x0d, "r" },
	{ "cfa_offset", 0x0e, "u" },
	{ "cfa_expr", 0x0f, "x" },
	{ "expr", 0x10, "rx" },
	{ "offset_sf", 0x11, "rs" },
	{ "cfa_sf", 0x12, "rs" },
	{ "cfa_offset_sf", 0x13, "s" },
	{ "val_offset", 0x14, "ru" },
	{ "val_offset_sf", 0x15, "rs" },
	{ "val_expr", 0x16, "rx" },
	{ "args_size", 0x2e, "u" },
	{ "negative", 0x2f, "ru" },
};

static bool take_word(const char **s, char *word)
{
	size_t n;

	*s += strspn(*s, " ");
	n = strcspn(*s, " ");
	if (!n)
		return false;
	/* An expression may be long: only its place is wanted. */
	snprintf(word, WORD, "%.*s", (int)n, *s);
	*s += n;
	return true;
}

static uint64_t register_number(const char *name)
{
	static const char *const names[] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
		"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra",
	};

	for (size_t i = 0; i < op_countof(names); i++)
		if (!strcmp(name, names[i]))
			return i;
	return strtoull(name, NULL, 0);
}

static void operand(struct cfi_bytes *b, char kind, const char **s)
{
	const char *at = *s + strspn(*s, " ");
	char word[WORD];

	if (!take_word(s, word))
		refuse("an operand is missing");
	switch (kind) {
	case 'r':
		uleb(b, register_number(word));
		break;
	case 'u':
		uleb(b, strtoull(word, NULL, 0));
		break;
	case 's':
		sleb(b, strtoll(word, NULL, 0));
		break;
	case 'a':
		address(b, strtoull(word, NULL, 0), b->encoding, false);
		break;
	case 'x':
		uleb(b, strcspn(at, " ") / 2);
		hex(b, at);
		break;
	default:
		fixed(b, strtoull(word, NULL, 0), (size_t)(kind - '0'));
	}
}

static void advance(struct cfi_bytes *b, uint64_t n)
{
	if (n < 0x40) {
		fixed(b, 0x40 | n, 1);
		return;
	}
	fixed(b, n <= UINT8_MAX ? 2 : n <= UINT16_MAX ? 3 : 4, 1);
	fixed(b, n, n <= UINT8_MAX ? 1 : n <= UINT16_MAX ? 2 : 4);
}

/* offset and restore, with the register in the instruction. */
static bool short_form(struct cfi_bytes *b, const char *word, const char **s)
{
	bool is_offset = !strcmp(word, "offset");
	char reg[WORD];

	if (!is_offset && strcmp(word, "restore"))
		return false;
	if (!take_word(s, reg))
		refuse("a register is missing");
	fixed(b, (is_offset ? 0x80 : 0xc0) | register_number(reg), 1);
	if (is_offset)
		operand(b, 'u', s);
	return true;
}

static void program(struct cfi_bytes *b, const char *s)
{
	char word[WORD];

	while (take_word(&s, word)) {
		size_t i = 0;

		if (word[0] == '+') {
			advance(b, strtoull(word + 1, NULL, 0));
			continue;
		}
		if (word[0] == '=') {
			hex(b, word + 1);
			continue;
		}
		if (short_form(b, word, &s))
			continue;
		while (i < op_countof(words) && strcmp(word, words[i].word))
			i++;
		if (i == op_countof(words))
			refuse(word);
		fixed(b, words[i].op, 1);
		for (const char *k = words[i].operands; *k; k++)
			operand(b, *k, &s);
	}
}

/* --- entries -------------------------------------------------------------- */

static size_t length_begin(struct cfi_bytes *b)
{
	if (b->is_wide)
		fixed(b, UINT32_MAX, 4);
	fixed(b, 0, b->is_wide ? 8 : 4);
	return b->n;
}

static void length_end(struct cfi_bytes *b, size_t body)
{
	uint64_t n;

	while ((b->n - body + 4) % 8)
		fixed(b, 0, 1);
	n = b->n - body;
	memcpy(b->p + body - (b->is_wide ? 8 : 4), &n, b->is_wide ? 8 : 4);
}

static size_t id_bytes(const struct cfi_bytes *b)
{
	return b->is_wide && b->is_debug ? 8 : 4;
}

void cfi_cie(struct cfi_bytes *b, const char *letters, const char *text)
{
	uint8_t version = b->version ? b->version : b->is_debug ? 4 : 1;
	size_t at = b->n, body = length_begin(b), data;

	b->cie = at;
	b->letters = letters;
	fixed(b, b->is_debug ? UINT64_MAX : 0, id_bytes(b));
	fixed(b, version, 1);
	put(b, letters, strlen(letters) + 1);
	if (version == 4)
		fixed(b, 8, 2); /* bytes of an address, of a segment */
	uleb(b, b->code_align ? b->code_align : 1);
	sleb(b, b->data_align ? b->data_align : -8);
	fixed(b, 16, 1);
	data = b->n;
	for (const char *c = letters; *c; c++) {
		if (*c == 'z')
			fixed(b, 0, 1);
		else if (*c == 'R')
			fixed(b, b->encoding, 1);
		else if (*c == 'L')
			fixed(b, OP_PE_OMIT, 1);
		else if (*c == 'P')
			put(b, "\x9b\1\2\3\4", 5); /* by reference, 4 bytes */
	}
	if (letters[0] == 'z')
		b->p[data] = (uint8_t)(b->n - data - 1);
	program(b, text);
	length_end(b, body);
}

void cfi_fde(struct cfi_bytes *b, uint64_t start, uint64_t size,
	     const char *text)
{
	uint8_t encoding = strchr(b->letters, 'R') ? b->encoding : 0;
	size_t body = length_begin(b);

	fixed(b, b->is_debug ? b->cie : b->n - b->cie, id_bytes(b));
	address(b, start, encoding, false);
	address(b, size, encoding, true);
	if (b->letters[0] == 'z')
		uleb(b, 0);
	program(b, text);
	length_end(b, body);
}

void cfi_raw(struct cfi_bytes *b, const char *digits)
{
	hex(b, digits);
}

struct op_cfi_section cfi_section(const struct cfi_bytes *b)
{
	return (struct op_cfi_section){ op_view(b->p, b->n), b->vaddr,
					b->is_debug };
}

void cfi_hdr(struct cfi_bytes *hdr, const struct cfi_bytes *eh,
	     const uint64_t (*pairs)[2], size_t nr)
{
	put(hdr, "\1\x1b\3\x3b", 4);
	fixed(hdr, eh->vaddr - (hdr->vaddr + hdr->n), 4);
	fixed(hdr, nr, 4);
	for (size_t i = 0; i < nr; i++) {
		fixed(hdr, pairs[i][0] - hdr->vaddr, 4);
		fixed(hdr, eh->vaddr + pairs[i][1] - hdr->vaddr, 4);
	}
}

void cfi_free(struct cfi_bytes *b)
{
	free(b->p);
	*b = (struct cfi_bytes){ 0 };
}
