// SPDX-License-Identifier: Apache-2.0
/* host/record.h: records of the kernel's perf_event_open(), decoded.
 *
 * A file of perf and the ring buffer of a live event have the same records. A
 * file may come from a machine of the other byte order; what is decoded here
 * is in this machine's. Names are views of the record. */
#ifndef OP_HOST_RECORD_H
#define OP_HOST_RECORD_H

#include "base/view.h"

enum op_record_type {
	OP_RECORD_MMAP = 1,
	OP_RECORD_LOST = 2,
	OP_RECORD_COMM = 3,
	OP_RECORD_EXIT = 4,
	OP_RECORD_FORK = 7,
	OP_RECORD_SAMPLE = 9,
	OP_RECORD_MMAP2 = 10,
	OP_RECORD_LOST_SAMPLES = 13,
	OP_RECORD_SWITCH = 14,
	OP_RECORD_SWITCH_CPU_WIDE = 15,
	OP_RECORD_KSYMBOL = 17,
	OP_RECORD_CGROUP = 19,
};

/* Bits of a record's misc. */
enum {
	OP_MISC_MODE = 7, /* what the processor did: */
	OP_MISC_KERNEL = 1,
	OP_MISC_USER = 2,
	OP_MISC_HYPERVISOR = 3,
	OP_MISC_GUEST_KERNEL = 4,
	OP_MISC_GUEST_USER = 5,
	OP_MISC_EXEC = 1 << 13,	    /* of COMM */
	OP_MISC_DATA = 1 << 13,	    /* of MMAP: nothing to execute */
	OP_MISC_OUT = 1 << 13,	    /* of SWITCH: the thread leaves */
	OP_MISC_PREEMPT = 1 << 14,  /* of SWITCH: but could run on */
	OP_MISC_BUILD_ID = 1 << 14, /* of MMAP2: a build id for the inode */
};

/* Bytes of a build id that a record has room for. */
enum { OP_HOST_ID_BYTES = 20 };

/* A record: p has size bytes, at least the eight of its head. */
struct op_record {
	const uint8_t *p;
	uint32_t type;
	uint16_t misc, size;
	bool is_swapped;
};

op_inline uint16_t op_load_u16(const uint8_t *p, bool is_swapped)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return is_swapped ? __builtin_bswap16(v) : v;
}

op_inline uint32_t op_load_u32(const uint8_t *p, bool is_swapped)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return is_swapped ? __builtin_bswap32(v) : v;
}

op_inline uint64_t op_load_u64(const uint8_t *p, bool is_swapped)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return is_swapped ? __builtin_bswap64(v) : v;
}

/* The record at p, of which eight bytes are there. */
op_inline struct op_record op_record(const uint8_t *p, bool is_swapped)
{
	return (struct op_record){ p, op_load_u32(p, is_swapped),
				   op_load_u16(p + 4, is_swapped),
				   op_load_u16(p + 6, is_swapped), is_swapped };
}

/* MMAP and MMAP2; also a line of /proc/PID/maps. */
struct op_host_mmap {
	uint32_t pid, tid;
	uint64_t start, len;
	uint64_t offset;   /* in the file */
	uint32_t maj, min; /* of the device; 0 if not known */
	uint64_t inode;	   /* 0: not known */
	uint32_t prot;	   /* as of mmap() */
	uint32_t flags;	   /* as of mmap() */
	bool is_kernel;	   /* the pid means nothing */
	uint8_t id_len;	   /* 0: no build id */
	uint8_t id[OP_HOST_ID_BYTES];
	struct op_view name;
};

struct op_host_comm {
	uint32_t pid, tid;
	bool is_exec; /* the process has a new program */
	struct op_view name;
};

/* FORK and EXIT. */
struct op_host_task {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};

struct op_host_ksymbol {
	uint64_t start;
	uint32_t len;
	bool is_gone;
	struct op_view name;
};

struct op_host_cgroup {
	uint64_t id;
	struct op_view path;
};

/* What an event with sample_id_all puts behind each record. */
struct op_record_id {
	uint32_t pid, tid, cpu;
	uint64_t time, id;
};

/* Each is false if the record ends too early. */
bool op_record_mmap(const struct op_record *r, struct op_host_mmap *out);
bool op_record_comm(const struct op_record *r, struct op_host_comm *out);
bool op_record_task(const struct op_record *r, struct op_host_task *out);
bool op_record_ksymbol(const struct op_record *r, struct op_host_ksymbol *out);
bool op_record_cgroup(const struct op_record *r, struct op_host_cgroup *out);
/* By the sample_type of the event; what it does not have is 0. */
bool op_record_id(const struct op_record *r, uint64_t sample_type,
		  struct op_record_id *out);

#endif
