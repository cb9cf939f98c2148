// SPDX-License-Identifier: Apache-2.0
/* sym/build_id.h: identifies the build of a binary.
 *
 *	gnu	bytes of a note that the linker writes; in hex
 *	go	text of a note that Go's linker writes
 *	htlhash	a hash of the file's head, tail and length: every file has one
 */
#ifndef OP_SYM_BUILD_ID_H
#define OP_SYM_BUILD_ID_H

#include "sym/elf.h"

enum { OP_HTLHASH_BYTES = 16, OP_HTLHASH_PART = 4096, OP_BUILD_ID_MAX = 64 };

/* Views of the file; false if it has none, or one that is longer than
 * OP_BUILD_ID_MAX (gnu) or not text (go). */
bool op_build_id_gnu(const struct op_elf *e, struct op_view *id);
bool op_build_id_go(const struct op_elf *e, struct op_view *id);

/* The first half of the SHA-256 of the first 4096 bytes, the last 4096 bytes
 * and the length in eight bytes big-endian. For a shorter file, both parts are
 * the whole file. */
void op_htlhash(struct op_view file, uint8_t out[OP_HTLHASH_BYTES]);

/* Build IDs as in a profile: text, empty if absent. Hex is compared
 * case-insensitively. */
struct op_build_ids {
	struct op_view gnu, go, htlhash;
};

/* Whether there is any. */
op_inline bool op_build_ids_known(const struct op_build_ids *i)
{
	return i->gnu.n || i->go.n || i->htlhash.n;
}

enum op_id_match {
	OP_ID_UNKNOWN, /* nothing to compare */
	OP_ID_SAME,
	OP_ID_OTHER,
};

/* Whether a file matches the IDs. Those of the linkers take precedence: htlhash
 * is that of a file as it was, and a file that was stripped since is still the
 * same build. */
enum op_id_match op_build_ids_match(const struct op_build_ids *ids,
				    const struct op_elf *e);

/* Whether hex digits of either case encode these bytes. */
bool op_hex_is(struct op_view hex, struct op_view bytes);

#endif
