// SPDX-License-Identifier: Apache-2.0
/* base/embed.h: embeds files into the library.
 *
 *	OP_EMBED(op_page_style, "ui/lib/style.css");
 *	struct op_view v = op_embedded(op_page_style);
 *
 * The path is relative to the directory where make runs, the top of the
 * repository. The Makefile must list the file as a dependency of the object,
 * because the compiler does not report it. */
#ifndef OP_BASE_EMBED_H
#define OP_BASE_EMBED_H

#include "base/view.h"

#define OP_EMBEDDED(name)                                                    \
	extern const uint8_t name[] __attribute__((visibility("hidden")));   \
	extern const uint8_t name##_end[] __attribute__((visibility("hidden" \
								    "")))

#define OP_EMBED(name, path)                              \
	OP_EMBEDDED(name);                                \
	__asm__(".pushsection .rodata\n"                  \
		".globl " #name "\n"                      \
		".hidden " #name "\n" #name ":\n"         \
		".incbin \"" path "\"\n"                  \
		".globl " #name "_end\n"                  \
		".hidden " #name "_end\n" #name "_end:\n" \
		".byte 0\n"                               \
		".popsection\n")

#define op_embedded(name) op_view(name, (size_t)(name##_end - name))

#endif
