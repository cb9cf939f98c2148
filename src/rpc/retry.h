// SPDX-License-Identifier: Apache-2.0
/* rpc/retry.h: which answers are worth another try, and when. */
#ifndef OP_RPC_RETRY_H
#define OP_RPC_RETRY_H

#include "base/err.h"
#include "base/view.h"

enum op_verdict {
	OP_VERDICT_DONE,    /* taken, if only in part */
	OP_VERDICT_RETRY,   /* later it may be */
	OP_VERDICT_REFUSED, /* it never will */
};

/* What a status line of HTTP means; 0: there was no answer at all. */
enum op_verdict op_http_verdict(int status);

/* What grpc-status means; RESOURCE_EXHAUSTED may be tried again if the server
 * says when. */
enum op_verdict op_grpc_verdict(int code, bool has_delay);

/* "UNAVAILABLE"; NULL for a number that gRPC does not have. */
const char *op_grpc_name(int code);

/* Retry-After: seconds, or a date of HTTP in one of its three forms. False if
 * it is neither. now_s: seconds since 1970. */
bool op_retry_after(struct op_view text, int64_t now_s, uint64_t *delay_ns);

/* The delay in a google.rpc.Status that has a RetryInfo; false without. */
bool op_retry_info(struct op_view status, uint64_t *delay_ns);

/* Exponential backoff: 1 s, then half as much again each time up to 30 s, each
 * between a half and three halves of that; at most five minutes in all. */
struct op_backoff {
	uint64_t next_ns; /* 0: the first is due */
	uint64_t spent_ns;
	uint64_t random;  /* seed, changed by each call */
	uint64_t most_ns; /* in all; 0: the default */
};

/* How long to wait before the next try. asked_ns is what the server asks for, 0
 * if nothing; it counts up to 30 s and, after the first, down to a hundredth of
 * what the wait would be otherwise. False if there is no time left. */
bool op_backoff_next(struct op_backoff *b, uint64_t asked_ns,
		     uint64_t *wait_ns);

#endif
