// SPDX-License-Identifier: Apache-2.0
/* rpc/retry.h: which responses are retried, and when. */
#ifndef OP_RPC_RETRY_H
#define OP_RPC_RETRY_H

#include "base/err.h"
#include "base/view.h"

enum op_verdict {
	OP_VERDICT_DONE,    /* accepted, perhaps in part */
	OP_VERDICT_RETRY,   /* may be accepted later */
	OP_VERDICT_REFUSED, /* will never be accepted */
};

/* The meaning of an HTTP status; 0: no response at all. */
enum op_verdict op_http_verdict(int status);

/* The meaning of grpc-status; RESOURCE_EXHAUSTED may be retried if the server
 * says when. */
enum op_verdict op_grpc_verdict(int code, bool has_delay);

/* "UNAVAILABLE"; NULL for a number that gRPC does not define. */
const char *op_grpc_name(int code);

/* Retry-After: seconds, or an HTTP date in one of its three forms. False if it
 * is neither. now_s: seconds since 1970. */
bool op_retry_after(struct op_view text, int64_t now_s, uint64_t *delay_ns);

/* The delay in a google.rpc.Status with a RetryInfo; false without. */
bool op_retry_info(struct op_view status, uint64_t *delay_ns);

/* Exponential backoff: 1 s, growing by half each time up to 30 s, with a random
 * factor between 0.5 and 1.5; at most five minutes in total. */
struct op_backoff {
	uint64_t next_ns; /* 0: the first delay is next */
	uint64_t spent_ns;
	uint64_t random;  /* seed, updated by each call */
	uint64_t most_ns; /* in total; 0: the default */
};

/* The delay before the next attempt. asked_ns is what the server asks for, 0 if
 * nothing; it is limited to 30 s and, after the first, to at least a hundredth
 * of the delay otherwise used. False if there is no time left. */
bool op_backoff_next(struct op_backoff *b, uint64_t asked_ns,
		     uint64_t *wait_ns);

#endif
