// SPDX-License-Identifier: Apache-2.0
/* bench/span_calls.h: calls to measure, in the program and in a library. */
#ifndef BENCH_SPAN_CALLS_H
#define BENCH_SPAN_CALLS_H

enum { SPAN_CALLS = 64 * 256 };

/* Attaches and detaches SPAN_CALLS spans, 64 inside each other. arg is not
 * used. */
__attribute__((visibility("default"))) void span_pairs(void *arg);

/* Attaches as many, and then forgets them. */
__attribute__((visibility("default"))) void span_attaches(void *arg);

#endif
