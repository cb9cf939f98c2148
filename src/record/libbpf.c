// SPDX-License-Identifier: Apache-2.0
/* record/libbpf.c: finds libbpf and its functions. */
#include "record/libbpf.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libbpf.so.1"

static const struct {
	const char *name;
	size_t at;
} functions[] = {
#define X(name) { #name, offsetof(struct op_libbpf, name) },
	OP_LIBBPF_FUNCTIONS(X)
#undef X
};

int op_libbpf_load(struct op_libbpf *l, struct op_err *err)
{
	/* RTLD_NOW: a missing symbol must fail here. */
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	void *function;

	if (!library)
		return op_fail(err, OP_EIO,
			       LIBRARY " (package libbpf1) cannot be loaded: "
				       "%s",
			       dlerror());
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		function = dlsym(library, functions[i].name);
		if (!function)
			op_fail(err, OP_EIO, "libbpf is too old: it has no %s",
				functions[i].name);
		/* ISO C has no cast from an object to a function. */
		memcpy((char *)l + functions[i].at, &function,
		       sizeof(function));
	}
	dlclose(library); /* only the handle, because of RTLD_NODELETE */
	return err->code;
}
