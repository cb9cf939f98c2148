// SPDX-License-Identifier: Apache-2.0
/* sym/build_id.c: build IDs of ELF files and in attributes. */
#include "sym/build_id.h"

#include <elf.h>

#include "base/hex.h"
#include "sym/sha256.h"

enum { NOTE_GO = 4, GO_MAX = 512 };

bool op_build_id_gnu(const struct op_elf *e, struct op_view *id)
{
	struct op_view v;

	if (!op_elf_note(e, "GNU", NT_GNU_BUILD_ID, &v) || !v.n ||
	    v.n > OP_BUILD_ID_MAX)
		return false;
	*id = v;
	return true;
}

bool op_build_id_go(const struct op_elf *e, struct op_view *id)
{
	struct op_view v;

	if (!op_elf_note(e, "Go", NOTE_GO, &v) || !v.n || v.n > GO_MAX)
		return false;
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] < ' ' || v.p[i] > '~')
			return false;
	*id = v;
	return true;
}

void op_htlhash(struct op_view file, uint8_t out[OP_HTLHASH_BYTES])
{
	size_t n = file.n < OP_HTLHASH_PART ? file.n : OP_HTLHASH_PART;
	uint8_t length[8], sum[OP_SHA256_BYTES];
	struct op_sha256 s;

	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)((uint64_t)file.n >> (56 - 8 * i));
	op_sha256_init(&s);
	op_sha256_add(&s, op_view(file.p, n));
	op_sha256_add(&s, op_view(n ? file.p + file.n - n : NULL, n));
	op_sha256_add(&s, op_view(length, sizeof(length)));
	op_sha256_end(&s, sum);
	memcpy(out, sum, OP_HTLHASH_BYTES);
}

bool op_hex_is(struct op_view hex, struct op_view bytes)
{
	if (hex.n != 2 * bytes.n)
		return false;
	for (size_t i = 0; i < bytes.n; i++) {
		int hi = op_hex_digit(hex.p[2 * i]);
		int lo = op_hex_digit(hex.p[2 * i + 1]);

		if (hi < 0 || lo < 0 || (hi << 4 | lo) != bytes.p[i])
			return false;
	}
	return true;
}

enum op_id_match op_build_ids_match(const struct op_build_ids *ids,
				    const struct op_elf *e)
{
	uint8_t hash[OP_HTLHASH_BYTES];
	bool same;
	struct op_view v;

	if (ids->gnu.n && op_build_id_gnu(e, &v))
		same = op_hex_is(ids->gnu, v);
	else if (ids->go.n && op_build_id_go(e, &v))
		same = op_view_eq(ids->go, v);
	else if (ids->htlhash.n) {
		op_htlhash(e->file, hash);
		same = op_hex_is(ids->htlhash, op_view(hash, sizeof(hash)));
	} else if (ids->gnu.n || ids->go.n)
		same = false; /* only the profile has a build ID */
	else
		return OP_ID_UNKNOWN;
	return same ? OP_ID_SAME : OP_ID_OTHER;
}
