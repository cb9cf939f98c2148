// SPDX-License-Identifier: Apache-2.0
/* fmt/native.h: what readers of native stacks share. */
#ifndef OP_FMT_NATIVE_H
#define OP_FMT_NATIVE_H

#include "model/builder.h"

/* Whether a file that has code is the kernel's: "[kernel.kallsyms]",
 * "[nf_tables]" and "/lib/modules/x.ko" are; "[vdso]", "[anon:x]" and the like
 * are not. */
bool op_is_kernel_file(struct op_view name);

/* The set of the attribute that says what kind of code a location is:
 * "native", "kernel", "jvm". */
uint32_t op_frame_type_set(struct op_builder *b, const char *type);

op_inline uint32_t op_native_frame_set(struct op_builder *b, bool in_kernel)
{
	return op_frame_type_set(b, in_kernel ? "kernel" : "native");
}

#endif
