// SPDX-License-Identifier: Apache-2.0
/* sym/file.c: opens and maps binaries. */
#include "sym/file.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/open.h"

bool op_file_open(struct op_file *f, const char *root, const char *path,
		  size_t max)
{
	struct stat st;
	int fd = op_open_in(root, path, &st);

	return fd >= 0 && op_file_take(f, fd, max);
}

static bool map(struct op_file *f, int fd, size_t max)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st))
		return false;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0) {
		errno = EINVAL;
		return false;
	}
	if ((uint64_t)st.st_size > max) {
		errno = EFBIG;
		return false;
	}
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return false;
	f->bytes = op_view(p, (size_t)st.st_size);
	f->fd = fd;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
		      (uint64_t)st.st_mtim.tv_nsec;
	return true;
}

bool op_file_take(struct op_file *f, int fd, size_t max)
{
	int why;

	if (map(f, fd, max))
		return true;
	why = errno;
	close(fd);
	errno = why;
	return false;
}

void op_file_close(struct op_file *f)
{
	if (f->bytes.p) {
		munmap((void *)f->bytes.p, f->bytes.n);
		close(f->fd);
	}
	*f = (struct op_file){ 0 };
}
