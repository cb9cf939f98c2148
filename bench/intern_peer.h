// SPDX-License-Identifier: Apache-2.0
/* bench/intern_peer.h: the keys of bench/intern.c, and the peer that finds
 * them with std::unordered_map. */
#ifndef BENCH_INTERN_PEER_H
#define BENCH_INTERN_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KEY_STRING_BYTES = 30, KEY_STACK_FRAMES = 30 };

enum key_kind { KEY_STRING, KEY_FUNCTION, KEY_STACK, NR_KEY_KINDS };

struct key_function {
	int64_t start_line;
	uint32_t name, system_name, filename;
};

/* Key i of a kind is the i-th element of its array. */
struct keys {
	uint32_t nr;
	char (*strings)[KEY_STRING_BYTES];
	struct key_function *functions;
	uint32_t (*stacks)[KEY_STACK_FRAMES];
};

struct peer;

/* Copies the keys into what the maps take, so that a lookup need not. */
struct peer *peer_new(const struct keys *keys);
void peer_free(struct peer *p);

/* Empties the map of a kind. */
void peer_clear(struct peer *p, enum key_kind kind);

/* Interns the keys of a stream one by one; returns the sum of the ids. */
uint64_t peer_put(struct peer *p, enum key_kind kind, const uint32_t *stream,
		  uint32_t n);

#ifdef __cplusplus
}
#endif

#endif
