// SPDX-License-Identifier: Apache-2.0
/* bench/ours.h: our codec as the C++ benchmark sees it. */
#ifndef BENCH_OURS_H
#define BENCH_OURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ours;

struct ours *ours_new(void);
void ours_free(struct ours *o);

/* Decodes into the model of o, whose arena is used again. */
bool ours_decode(struct ours *o, const uint8_t *p, size_t n);

/* Encodes what was decoded last, into a buffer that is used again; NULL on
 * failure. */
const uint8_t *ours_encode(struct ours *o, size_t *n);

/* Bytes that the decoded model takes from the system. */
size_t ours_arena_bytes(const struct ours *o);

uint64_t ours_samples(const struct ours *o);
const char *ours_dialect(const struct ours *o);
const char *ours_error(const struct ours *o);

#ifdef __cplusplus
}
#endif

#endif
