// SPDX-License-Identifier: Apache-2.0
/* The same as tls_model.c, but by a TLS descriptor, which not every compiler
 * can. */
#define EXPORTED __attribute__((visibility("default")))
#define TEXT(name) TEXT_(name)
#define TEXT_(name) #name

EXPORTED __thread char tls_padding[PADDING] = { 1 };
EXPORTED __thread void *otel_thread_ctx_v1;
extern __thread void *tls_alias
	__attribute__((alias("otel_thread_ctx_v1"), visibility("hidden")));

__asm__(".globl tls_address\n"
	".type tls_address, @function\n"
	"tls_address:\n"
	"sub $8, %rsp\n"
	"lea " TEXT(NAME) "@tlsdesc(%rip), %rax\n"
			  "call *" TEXT(
				  NAME) "@tlscall(%rax)\n"
					"add %fs:0, %rax\n"
					"add $8, %rsp\n"
					"ret\n"
					".size tls_address, . - tls_address\n");
