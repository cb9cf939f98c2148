// SPDX-License-Identifier: Apache-2.0
/* What the tests of src/record share: binaries that are there for sure. */
#ifndef OP_TESTS_UNIT_RECORD_BINARY_FIXTURE_H
#define OP_TESTS_UNIT_RECORD_BINARY_FIXTURE_H

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/elf.h"
#include "test.h"

/* The C library this program runs with. */
static inline const char *libc_path(void)
{
	Dl_info info;

	return dladdr((void *)(uintptr_t)getpid, &info) ? info.dli_fname : "";
}

/* A whole file in memory that may be changed; the caller frees it. */
static inline uint8_t *file_read(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = { 0 };
	uint8_t *p;

	CHECK(fd >= 0 && !fstat(fd, &st));
	*n = (size_t)st.st_size;
	p = malloc(*n + 1);
	CHECK_EQ(read(fd, p, *n), *n);
	close(fd);
	return p;
}

/* A file with these bytes, which has no name. */
static inline int file_of(const void *p, size_t n)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, p, n), n);
	return fd;
}

#endif
