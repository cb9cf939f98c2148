// SPDX-License-Identifier: Apache-2.0
/* A library with the variable of thread contexts, which others access. It has
 * code, but none that refers to the variable. */
__attribute__((visibility("default"))) __thread void *otel_thread_ctx_v1;

__attribute__((visibility("default"))) int tls_nothing(void);

int tls_nothing(void)
{
	return 0;
}
