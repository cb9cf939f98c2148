// SPDX-License-Identifier: Apache-2.0
/* A library that accesses the variable of another. */
extern __thread void *otel_thread_ctx_v1
	__attribute__((tls_model("initial-exec")));

__attribute__((visibility("default"))) void *tls_address(void);

void *tls_address(void)
{
	return &otel_thread_ctx_v1;
}
