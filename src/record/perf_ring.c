// SPDX-License-Identifier: Apache-2.0
/* record/perf_ring.c: the ring buffer of a perf event. */
#include "record/perf_ring.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_RECORD = 1 << 16 };

static bool open_event(struct op_perf_ring *r, struct perf_event_attr *attr,
		       pid_t tid, int cpu)
{
	*r = (struct op_perf_ring){ .cpu = cpu };
	attr->size = sizeof(*attr);
	r->fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1,
			     PERF_FLAG_FD_CLOEXEC);
	return r->fd >= 0;
}

static bool give_up(struct op_perf_ring *r)
{
	int why = errno;

	close(r->fd);
	r->fd = -1;
	errno = why;
	return false;
}

bool op_perf_ring_open(struct op_perf_ring *r, struct perf_event_attr *attr,
		       pid_t tid, int cpu, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	if (!open_event(r, attr, tid, cpu))
		return false;
	p = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		 0);
	if (p == MAP_FAILED)
		return give_up(r);
	r->memory = p;
	r->bytes = bytes;
	return true;
}

bool op_perf_ring_share(struct op_perf_ring *r, struct perf_event_attr *attr,
			pid_t tid, const struct op_perf_ring *to)
{
	if (!open_event(r, attr, tid, to->cpu))
		return false;
	return !ioctl(r->fd, PERF_EVENT_IOC_SET_OUTPUT, to->fd) || give_up(r);
}

void op_perf_ring_close(struct op_perf_ring *r)
{
	if (r->fd < 0)
		return;
	if (r->memory)
		munmap(r->memory, (size_t)sysconf(_SC_PAGESIZE) + r->bytes);
	close(r->fd);
	r->fd = -1;
}

/* The kernel adds how many records were lost to the next one that finds room:
 * there may be none. */
void op_perf_ring_stop(struct op_perf_ring *r)
{
	struct {
		uint64_t value, nr_lost;
	} now;

	ioctl(r->fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(r->fd, &now, sizeof(now)) != sizeof(now))
		return;
	r->nr_lost = now.nr_lost;
	r->is_counted = true;
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

static void add_lost(struct op_perf_ring *r, const struct op_record *record)
{
	if (!r->is_counted && record->size >= 24)
		r->nr_lost += op_load_u64(record->p + 16, false);
}

void op_perf_ring_read(struct op_perf_ring *r, op_perf_ring_fn *fn, void *ctx)
{
	struct perf_event_mmap_page *head = (void *)r->memory;
	const uint8_t *data;
	uint64_t to, from;
	uint8_t room[MAX_RECORD];

	if (!head)
		return;
	data = r->memory + sysconf(_SC_PAGESIZE);
	to = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);
	from = head->data_tail;
	while (to - from >= 8) {
		size_t at = (size_t)from & (r->bytes - 1);
		const uint8_t *p = whole(data, r->bytes, at, 8, room);
		struct op_record record = op_record(p, false);

		if (record.size < 8 || record.size > to - from)
			break;
		record.p = whole(data, r->bytes, at, record.size, room);
		if (record.type == OP_RECORD_LOST)
			add_lost(r, &record);
		else
			fn(ctx, &record);
		from += record.size;
	}
	__atomic_store_n(&head->data_tail, to, __ATOMIC_RELEASE);
}
