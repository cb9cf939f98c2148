// SPDX-License-Identifier: Apache-2.0
/* record/perf_ring.c: the ring buffer of a perf event. */
#include "record/perf_ring.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_RECORD = 1 << 16 };

static int open_event(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

bool op_perf_ring_open(struct op_perf_ring *r, struct perf_event_attr *attr,
		       pid_t tid, int cpu, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;
	int why;

	*r = (struct op_perf_ring){ .cpu = cpu };
	r->fd = open_event(attr, tid, cpu);
	if (r->fd < 0)
		return false;
	p = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		 0);
	if (p == MAP_FAILED) {
		why = errno;
		close(r->fd);
		r->fd = -1;
		errno = why;
		return false;
	}
	r->memory = p;
	r->bytes = bytes;
	return true;
}

int op_perf_ring_share(const struct op_perf_ring *r,
		       struct perf_event_attr *attr, pid_t tid)
{
	int fd = open_event(attr, tid, r->cpu), why;

	if (fd < 0 || !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd))
		return fd;
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

void op_perf_ring_close(struct op_perf_ring *r)
{
	if (r->fd < 0)
		return;
	munmap(r->memory, (size_t)sysconf(_SC_PAGESIZE) + r->bytes);
	close(r->fd);
	r->fd = -1;
}

/* A record that begins at the end of the buffer and ends at its start is put
 * together. */
static const uint8_t *whole(const uint8_t *data, size_t bytes, size_t at,
			    size_t n, uint8_t *room)
{
	size_t first = bytes - at;

	if (n <= first)
		return data + at;
	memcpy(room, data + at, first);
	memcpy(room + first, data, n - first);
	return room;
}

void op_perf_ring_read(struct op_perf_ring *r, op_perf_ring_fn *fn, void *ctx)
{
	struct perf_event_mmap_page *head = (void *)r->memory;
	const uint8_t *data = r->memory + sysconf(_SC_PAGESIZE);
	uint64_t to = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);
	uint64_t from = head->data_tail;
	uint8_t room[MAX_RECORD];

	while (to - from >= 8) {
		size_t at = (size_t)from & (r->bytes - 1);
		const uint8_t *p = whole(data, r->bytes, at, 8, room);
		struct op_record record = op_record(p, false);

		if (record.size < 8 || record.size > to - from)
			break;
		record.p = whole(data, r->bytes, at, record.size, room);
		if (record.type == OP_RECORD_LOST && record.size >= 24)
			r->nr_lost += op_load_u64(record.p + 16, false);
		else
			fn(ctx, &record);
		from += record.size;
	}
	__atomic_store_n(&head->data_tail, to, __ATOMIC_RELEASE);
}
