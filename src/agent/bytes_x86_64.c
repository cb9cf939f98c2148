// SPDX-License-Identifier: Apache-2.0
/* agent/bytes_x86_64.c: memcpy(), memmove() and memset() of the agent alone.
 *
 * A program may have its own in place of the C library's. ThreadSanitizer's
 * would report races of memory that atomics of the agent guard, as it does not
 * see those. Only libotprof-agent.so has this file, and exports none of it. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	void *at = to;

	__asm__ volatile("rep movsb"
			 : "+D"(at), "+S"(from), "+c"(n)
			 :
			 : "memory");
	return to;
}

/* From the end, if the beginning of from would be overwritten first. */
void *memmove(void *to, const void *from, size_t n)
{
	char *last = (char *)to + n - 1;
	const char *last_from = (const char *)from + n - 1;

	if ((size_t)to - (size_t)from >= n)
		return memcpy(to, from, n);
	__asm__ volatile("std\n\trep movsb\n\tcld"
			 : "+D"(last), "+S"(last_from), "+c"(n)
			 :
			 : "memory");
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	void *at = to;

	__asm__ volatile("rep stosb"
			 : "+D"(at), "+c"(n)
			 : "a"(byte)
			 : "memory");
	return to;
}
