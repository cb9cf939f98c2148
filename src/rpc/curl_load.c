// SPDX-License-Identifier: Apache-2.0
/* rpc/curl_load.c: finds libcurl and its functions. */
#include "rpc/curl_load.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* Debian has two builds, with OpenSSL and with GnuTLS. Both have the interface
 * of the header that this file is compiled with. */
#define LIBRARY "libcurl.so.4"
#define LIBRARY_GNUTLS "libcurl-gnutls.so.4"

static const struct {
	const char *name;
	size_t at;
} functions[] = {
#define X(name) { "curl_" #name, offsetof(struct op_curl, name) },
	OP_CURL_FUNCTIONS(X)
#undef X
};

static int library_open(void **library, struct op_err *err)
{
	/* RTLD_NOW: a missing symbol must fail here, not end the process when
	 * it is first called. */
	const int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
	struct op_err first = { 0 };

	*library = dlopen(LIBRARY, flags);
	if (*library)
		return OP_OK;
	op_fail(&first, OP_EIO,
		LIBRARY " (package libcurl4) cannot be loaded: %s", dlerror());
	*library = dlopen(LIBRARY_GNUTLS, flags);
	if (*library)
		return OP_OK;
	return op_fail(err, first.code, "%s", first.text);
}

int op_curl_load(struct op_curl *curl, struct op_err *err)
{
	const size_t nr = sizeof(functions) / sizeof(*functions);
	void *library, *function;

	if (library_open(&library, err))
		return err->code;
	for (size_t i = 0; i < nr && !err->code; i++) {
		function = dlsym(library, functions[i].name);
		if (!function)
			op_fail(err, OP_EIO, "libcurl is too old: it has no %s",
				functions[i].name);
		/* ISO C does not allow a cast from an object to a function
		 * pointer. */
		memcpy((char *)curl + functions[i].at, &function,
		       sizeof(function));
	}
	dlclose(library); /* only the handle: RTLD_NODELETE keeps the library */
	return err->code;
}
