// SPDX-License-Identifier: Apache-2.0
/* host/record.c: records of the kernel, decoded. Offsets are from the begin of
 * a record, the head of which has eight bytes. */
#include "host/record.h"

#include <sys/mman.h>

static uint32_t u32(const struct op_record *r, unsigned int at)
{
	return op_load_u32(r->p + at, r->is_swapped);
}

static uint64_t u64(const struct op_record *r, unsigned int at)
{
	return op_load_u64(r->p + at, r->is_swapped);
}

/* The text from an offset on, which ends with a NUL or the record. */
static struct op_view text(const struct op_record *r, unsigned int at)
{
	const char *p = (const char *)r->p + at;

	return op_view(p, strnlen(p, (size_t)r->size - at));
}

/* 40 u32 major, minor; u64 inode, generation. Or 40 u8 n; 44 u8 id[n]. 64 u32
 * protection, flags. */
static void mmap2(const struct op_record *r, struct op_host_mmap *out)
{
	if (r->misc & OP_MISC_BUILD_ID) {
		out->id_len = r->p[40] < sizeof(out->id) ? r->p[40] :
							   sizeof(out->id);
		memcpy(out->id, r->p + 44, out->id_len);
	} else {
		out->maj = u32(r, 40);
		out->min = u32(r, 44);
		out->inode = u64(r, 48);
	}
	out->prot = u32(r, 64);
	out->flags = u32(r, 68);
}

/* 8 u32 pid, tid; 16 u64 start, bytes, offset; then MMAP: 40 name; MMAP2: 40 as
 * above, 72 name. */
bool op_record_mmap(const struct op_record *r, struct op_host_mmap *out)
{
	bool is_new = r->type == OP_RECORD_MMAP2;
	unsigned int name_at = is_new ? 72 : 40;

	if (r->size <= name_at)
		return false;
	out->pid = u32(r, 8);
	out->tid = u32(r, 12);
	out->start = u64(r, 16);
	out->len = u64(r, 24);
	out->offset = u64(r, 32);
	out->is_kernel = (r->misc & OP_MISC_MODE) == OP_MISC_KERNEL;
	out->name = text(r, name_at);
	out->maj = out->min = 0;
	out->inode = 0;
	out->id_len = 0;
	memset(out->id, 0, sizeof(out->id));
	if (is_new) {
		mmap2(r, out);
		return true;
	}
	out->prot = r->misc & OP_MISC_DATA ? PROT_READ : PROT_EXEC;
	out->flags = 0;
	return true;
}

/* 8 u32 pid, tid; 16 name. */
bool op_record_comm(const struct op_record *r, struct op_host_comm *out)
{
	if (r->size <= 16)
		return false;
	*out = (struct op_host_comm){ .pid = u32(r, 8),
				      .tid = u32(r, 12),
				      .is_exec = r->misc & OP_MISC_EXEC,
				      .name = text(r, 16) };
	return true;
}

/* 8 u32 pid, parent's pid, tid, parent's tid; 24 u64 time. */
bool op_record_task(const struct op_record *r, struct op_host_task *out)
{
	if (r->size < 32)
		return false;
	*out = (struct op_host_task){ .pid = u32(r, 8),
				      .parent_pid = u32(r, 12),
				      .tid = u32(r, 16),
				      .parent_tid = u32(r, 20),
				      .time = u64(r, 24) };
	return true;
}

/* 8 u64 start; 16 u32 bytes; 20 u16 kind, flags; 24 name. */
bool op_record_ksymbol(const struct op_record *r, struct op_host_ksymbol *out)
{
	enum { GONE = 1 };

	if (r->size <= 24)
		return false;
	*out = (struct op_host_ksymbol){
		.start = u64(r, 8),
		.len = u32(r, 16),
		.is_gone = op_load_u16(r->p + 22, r->is_swapped) & GONE,
		.name = text(r, 24),
	};
	return true;
}

/* 8 u64 id; 16 path. */
bool op_record_cgroup(const struct op_record *r, struct op_host_cgroup *out)
{
	if (r->size <= 16)
		return false;
	*out = (struct op_host_cgroup){ u64(r, 8), text(r, 16) };
	return true;
}

/* Fields in this order, eight bytes each, as far as sample_type has them: TID
 * TIME ID STREAM CPU IDENTIFIER. They are the last of the record. */
bool op_record_id(const struct op_record *r, uint64_t sample_type,
		  struct op_record_id *out)
{
	enum {
		TID = 1 << 1,
		TIME = 1 << 2,
		ID = 1 << 6,
		CPU = 1 << 7,
		STREAM = 1 << 9,
		IDENTIFIER = 1 << 16,
		ALL = TID | TIME | ID | CPU | STREAM | IDENTIFIER
	};
	unsigned int n = 8u *
			 (unsigned int)__builtin_popcountll(sample_type & ALL);
	unsigned int at = r->size - n;

	if (r->size < n + 8)
		return false;
	*out = (struct op_record_id){ 0 };
	if (sample_type & TID) {
		out->pid = u32(r, at);
		out->tid = u32(r, at + 4);
		at += 8;
	}
	if (sample_type & TIME) {
		out->time = u64(r, at);
		at += 8;
	}
	if (sample_type & ID) {
		out->id = u64(r, at);
		at += 8;
	}
	if (sample_type & STREAM)
		at += 8;
	if (sample_type & CPU) {
		out->cpu = u32(r, at);
		at += 8;
	}
	if (sample_type & IDENTIFIER)
		out->id = u64(r, at);
	return true;
}
