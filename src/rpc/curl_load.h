// SPDX-License-Identifier: Apache-2.0
/* rpc/curl_load.h: libcurl, loaded when something is sent.
 *
 * libcurl needs about thirty other libraries. If it were linked, every command
 * would load and relocate them all, which takes four times as long as the rest
 * of a short run, although most commands send nothing. */
#ifndef OP_RPC_CURL_LOAD_H
#define OP_RPC_CURL_LOAD_H

#include <curl/curl.h>

#include "base/err.h"

/* The functions that are used, without their prefix "curl_". */
#define OP_CURL_FUNCTIONS(X)   \
	X(easy_cleanup)        \
	X(easy_getinfo)        \
	X(easy_init)           \
	X(easy_option_by_name) \
	X(easy_perform)        \
	X(easy_reset)          \
	X(easy_setopt)         \
	X(easy_strerror)       \
	X(global_cleanup)      \
	X(global_init)         \
	X(slist_append)        \
	X(slist_free_all)      \
	X(version_info)

struct op_curl {
#define X(name) __typeof__(&curl_##name) name;
	OP_CURL_FUNCTIONS(X)
#undef X
};

/* Fills in curl. The library is found by the rules of the loader and is never
 * unloaded: it may have threads, and code that runs when one ends. */
int op_curl_load(struct op_curl *curl, struct op_err *err);

#endif
