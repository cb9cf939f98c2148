// SPDX-License-Identifier: Apache-2.0
/* What a fuzz target gives to libFuzzer, and to replay.c in its absence. */
#ifndef OP_TESTS_FUZZ_H
#define OP_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
