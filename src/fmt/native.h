// SPDX-License-Identifier: Apache-2.0
/* fmt/native.h: what readers of native stacks share. */
#ifndef OP_FMT_NATIVE_H
#define OP_FMT_NATIVE_H

#include "model/builder.h"

/* Whether a file that has code is the kernel's: "[kernel.kallsyms]",
 * "[nf_tables]" and "/lib/modules/x.ko" are; "[vdso]" and the like are not. */
bool op_is_kernel_file(struct op_view name);

/* The set of the attribute that says of a location whether it is the
 * kernel's. */
uint32_t op_native_frame_set(struct op_builder *b, bool in_kernel);

#endif
