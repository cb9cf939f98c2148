// SPDX-License-Identifier: Apache-2.0
/* base/port.h: compiler dependencies; the only place with #if. */
#ifndef OP_BASE_PORT_H
#define OP_BASE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define op_likely(x) __builtin_expect(!!(x), 1)
#define op_unlikely(x) __builtin_expect(!!(x), 0)
#define op_inline static inline __attribute__((always_inline))
#define op_cold __attribute__((cold, noinline))
#define op_printf(fmt, args) __attribute__((format(printf, fmt, args)))

/* A number in the input, which may be unaligned. */
typedef uint64_t op_unaligned_u64 __attribute__((aligned(1), may_alias));

/* A name of this line, for macros that declare something. */
#define op_paste_(a, b) a##b
#define op_paste(a, b) op_paste_(a, b)
#define op_line_name(name) op_paste(name, __LINE__)

#define op_countof(a) (sizeof(a) / sizeof((a)[0]))

#if defined(__SANITIZE_ADDRESS__)
#define OP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OP_ASAN 1
#endif
#endif

/* Under ASan the arena keeps poisoned gaps between its objects, so that an
 * access one element past an array is reported. */
#ifdef OP_ASAN
#include <sanitizer/asan_interface.h>
#define op_poison(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define op_unpoison(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
enum { OP_GAP = 16 };
#else
#define op_poison(p, n) ((void)(p), (void)(n))
#define op_unpoison(p, n) ((void)(p), (void)(n))
enum { OP_GAP = 0 };
#endif

/* Whether the build has a memory or thread sanitizer, which makes it slow. */
#if defined(OP_ASAN) || defined(__SANITIZE_THREAD__)
enum { OP_SLOW = 1 };
#else
enum { OP_SLOW = 0 };
#endif

/* Instructions that every machine of an architecture has; OP_PORTABLE disables
 * them, to test what other machines run. */
#if defined(__SSE2__) && !defined(OP_PORTABLE)
#include <emmintrin.h>
#define OP_SSE2 1
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the fixed-width readers and writers want a little-endian machine"
#endif

#endif
