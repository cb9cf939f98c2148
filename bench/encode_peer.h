// SPDX-License-Identifier: Apache-2.0
/* bench/encode_peer.h: the works of bench/encode_primitives.c, and the peer
 * that does them with protobuf's CodedOutputStream. */
#ifndef BENCH_ENCODE_PEER_H
#define BENCH_ENCODE_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FIELD = 4, NR_RUN = 32 };

/* A field each, NR_RUN numbers where it is a run. */
enum work_kind {
	WORK_VARINT,
	WORK_FIXED64,
	WORK_STRING,
	WORK_NESTED,
	WORK_PACKED_VARINT,
	WORK_PACKED_FIXED64,
};

struct work {
	const char *name;
	enum work_kind kind;
	uint64_t v;	  /* the number of WORK_VARINT */
	const char *text; /* of WORK_STRING */
	size_t text_bytes;
	size_t nr_run; /* NR_RUN, but not as a constant */
	uint32_t run[NR_RUN];
	uint64_t wide[NR_RUN];
	unsigned int times; /* how often in a message */
	uint8_t *out;	    /* for the peer */
	size_t out_cap;
};

/* Writes the message; returns how many bytes it is. */
size_t peer_write(struct work *w);

#ifdef __cplusplus
}
#endif

#endif
