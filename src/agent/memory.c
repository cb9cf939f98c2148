// SPDX-License-Identifier: Apache-2.0
/* agent/memory.c: reads memory of this process that may not be there. */
#include "agent/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void op_memory_reset(struct op_memory *m)
{
	memset(m->page, 0, sizeof(m->page));
}

bool op_memory_copy(uint64_t at, void *out, size_t n)
{
	struct iovec to = { out, n }, from = { (void *)at, n };

	/* Not by the C library's function, which is no more than this. getpid()
	 * is right after fork(), too. */
	return syscall(SYS_process_vm_readv, (long)getpid(), &to, 1L, &from, 1L,
		       0L) == (long)n;
}

static const uint8_t *page_of(struct op_memory *m, uint64_t page)
{
	unsigned int i = (unsigned int)(page / OP_MEMORY_PAGE) %
			 OP_MEMORY_PAGES;

	if (m->page[i] == page + 1)
		return m->bytes[i];
	m->page[i] = 0;
	if (!op_memory_copy(page, m->bytes[i], OP_MEMORY_PAGE))
		return NULL;
	m->page[i] = page + 1;
	return m->bytes[i];
}

/* What may cross pages, or has an odd size. */
static bool read_parts(struct op_memory *m, uint64_t at, unsigned int n,
		       uint64_t *out)
{
	uint8_t *to = (uint8_t *)out;

	*out = 0;
	while (n) {
		uint64_t in = at % OP_MEMORY_PAGE;
		const uint8_t *page = page_of(m, at - in);
		unsigned int k = n;

		if (!page)
			return false;
		if (k > OP_MEMORY_PAGE - in)
			k = (unsigned int)(OP_MEMORY_PAGE - in);
		memcpy(to, page + in, k);
		to += k;
		at += k;
		n -= k;
	}
	return true;
}

/* Nearly all that is read are registers, on a stack that is aligned. */
bool op_memory_read(struct op_memory *m, uint64_t at, unsigned int n,
		    uint64_t *out)
{
	const uint8_t *page;

	if (n != sizeof(*out) || at % sizeof(*out))
		return read_parts(m, at, n, out);
	*out = 0;
	page = page_of(m, at - at % OP_MEMORY_PAGE);
	if (!page)
		return false;
	memcpy(out, page + at % OP_MEMORY_PAGE, sizeof(*out));
	return true;
}

/* How much address space the process has; 0: not known. */
static uint64_t size_now(void)
{
	char text[32];
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool op_memory_has_room(uint64_t bytes)
{
	enum { SHARE = 8 };
	struct rlimit limit;
	uint64_t now;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return true;
	now = size_now();
	return limit.rlim_cur > now && (limit.rlim_cur - now) / SHARE >= bytes;
}
