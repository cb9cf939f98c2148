// SPDX-License-Identifier: Apache-2.0
/* A program with the variable of thread contexts. It writes its thread pointer
 * and the address of the variable, and waits for the end of its input. */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* So that sizes are no multiples of alignments. */
static __thread char tls_first[3] = "ab";
static __thread char tls_aligned[80] __attribute__((aligned(64)));
__attribute__((visibility("default"))) __thread void *otel_thread_ctx_v1;
static __thread char tls_last[5];

int main(void)
{
	int fd = memfd_create("OTEL_CTX", 0);
	uintptr_t where[2];
	char end;

	if (fd < 0 || ftruncate(fd, 4096) ||
	    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 1;
	tls_aligned[0] = tls_last[0] = tls_first[0];
	__asm__("mov %%fs:0, %0" : "=r"(where[0]));
	where[1] = (uintptr_t)&otel_thread_ctx_v1;
	if (write(STDOUT_FILENO, where, sizeof(where)) < 0)
		return 1;
	while (read(STDIN_FILENO, &end, 1) > 0)
		;
	return tls_aligned[1] + tls_last[1];
}
