// SPDX-License-Identifier: Apache-2.0
/* A library with the variable of thread contexts, which it accesses by MODEL
 * and as NAME: tls_alias is known to it alone. With much PADDING it does not
 * fit into static TLS. */
#define EXPORTED __attribute__((visibility("default")))

EXPORTED __thread char tls_padding[PADDING] = { 1 };
EXPORTED __thread void *otel_thread_ctx_v1 __attribute__((tls_model(MODEL)));
extern __thread void *tls_alias __attribute__((
	alias("otel_thread_ctx_v1"), visibility("hidden"), tls_model(MODEL)));

EXPORTED void *tls_address(void);

void *tls_address(void)
{
	tls_padding[0] = 1;
	return &NAME;
}
