// SPDX-License-Identifier: Apache-2.0
/* host/proc_memory.c: the memory of a running process. */
#include "host/proc_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

static bool by_call(uint32_t pid, uint64_t address, void *out, size_t n)
{
	struct iovec here = { out, n };
	struct iovec there = { (void *)(uintptr_t)address, n };

	return process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) ==
	       (ssize_t)n;
}

static bool by_file(const struct op_proc *p, uint32_t pid, uint64_t address,
		    void *out, size_t n)
{
	char path[PATH_MAX];
	ssize_t got;
	int fd, len = snprintf(path, sizeof(path), "%s/%u/mem",
			       p->root ? p->root : "/proc", pid);

	if (len < 0 || len >= PATH_MAX || address > INT64_MAX - n)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = pread(fd, out, n, (off_t)address);
	close(fd);
	return got == (ssize_t)n;
}

bool op_proc_memory(const struct op_proc *p, uint32_t pid, uint64_t address,
		    void *out, size_t n)
{
	/* Another /proc may count its processes in another way. */
	if (p->root)
		return by_file(p, pid, address, out, n);
	/* The call is unknown to some containers. Where it is known, the file
	 * cannot read more. */
	if (by_call(pid, address, out, n))
		return true;
	return (errno == ENOSYS || errno == EPERM) &&
	       by_file(p, pid, address, out, n);
}
