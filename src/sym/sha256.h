// SPDX-License-Identifier: Apache-2.0
/* sym/sha256.h: SHA-256 (FIPS 180-4), for build IDs and for the content
 * security policy of pages. */
#ifndef OP_SYM_SHA256_H
#define OP_SYM_SHA256_H

#include "base/view.h"

enum { OP_SHA256_BYTES = 32, OP_SHA256_BLOCK = 64 };

struct op_sha256 {
	uint32_t h[8];
	uint64_t n; /* bytes so far */
	uint8_t block[OP_SHA256_BLOCK];
};

void op_sha256_init(struct op_sha256 *s);
void op_sha256_add(struct op_sha256 *s, struct op_view v);
void op_sha256_end(struct op_sha256 *s, uint8_t out[OP_SHA256_BYTES]);

#endif
