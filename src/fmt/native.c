// SPDX-License-Identifier: Apache-2.0
/* fmt/native.c: kinds of code, for readers of native stacks. */
#include "fmt/native.h"

#include "model/semconv.h"

bool op_is_kernel_file(struct op_view name)
{
	static const char *const users[] = { "[vdso]", "[vsyscall]", "[heap]",
					     "[stack]", "[uprobes]" };

	if (op_view_ends(name, ".ko"))
		return true;
	if (!name.n || name.p[0] != '[' ||
	    (name.n > 5 && !memcmp(name.p, "[anon", 5)))
		return false;
	for (size_t i = 0; i < op_countof(users); i++)
		if (op_view_is(name, users[i]))
			return false;
	return true;
}

uint32_t op_frame_type_set(struct op_builder *b, const char *type)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = op_view_z(type) };
	uint32_t attr = op_build_attr(b, op_view_z(OP_ATTR_FRAME_TYPE), &v,
				      (struct op_view){ 0 }, NULL);

	return op_build_set(b, &attr, 1);
}
