// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/perf.h: between the files of the reader of perf.data.
 *
 *	header.c   the head of a file: events, features; the same from a pipe
 *	event.c    what a perf_event_attr says: names, layout of its samples
 *	tracing.c  names of tracepoints
 *	sample.c   the fields of a sample
 *	walk.c     record by record, through the compression
 *	order.c    records in the order of their times
 *	task.c     processes and threads, what they map
 *	map.c      a sorted set of mappings; files that are mapped
 *	binary.c   files that were mapped, if they are at hand
 *	unwind.c   callers from a copy of the stack
 *	rows.c     addresses, stacks and threads as rows of the model
 *	batch.c    samples into profiles, many at a time
 *	switch.c   when threads had a CPU
 *	handle.c   what each record means
 *	facts.c    what the file says of the machine; heads of the profiles
 *	read.c     the format
 *
 * A record is looked at twice: where it stands, for its time, and when its
 * turn comes. Between the two only its place is kept. */
#ifndef OP_FMT_PERF_PERF_H
#define OP_FMT_PERF_PERF_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/vec.h"
#include "model/builder.h"
#include "sym/elf.h"
#include "sym/unwind_table.h"

enum op_perf_type {
	OP_PERF_MMAP = 1,
	OP_PERF_LOST = 2,
	OP_PERF_COMM = 3,
	OP_PERF_EXIT = 4,
	OP_PERF_FORK = 7,
	OP_PERF_SAMPLE = 9,
	OP_PERF_MMAP2 = 10,
	OP_PERF_LOST_SAMPLES = 13,
	OP_PERF_SWITCH = 14,
	OP_PERF_SWITCH_CPU_WIDE = 15,
	OP_PERF_KSYMBOL = 17,
	OP_PERF_CGROUP = 19,
	/* From here on records are perf's own, not the kernel's. */
	OP_PERF_USER = 64,
	OP_PERF_HEADER_ATTR = 64,
	OP_PERF_TRACING_DATA = 66,
	OP_PERF_BUILD_ID = 67,
	OP_PERF_FINISHED_ROUND = 68,
	OP_PERF_AUXTRACE = 71,
	OP_PERF_EVENT_UPDATE = 78,
	OP_PERF_FEATURE = 80,
	OP_PERF_COMPRESSED = 81,
	OP_PERF_COMPRESSED2 = 83,
	OP_PERF_NR_TYPES = 85,
};

/* Bits of a record's misc. */
enum {
	OP_PERF_MODE = 7, /* what the processor did: */
	OP_PERF_KERNEL = 1,
	OP_PERF_IN_USER = 2,
	OP_PERF_HYPERVISOR = 3,
	OP_PERF_GUEST_KERNEL = 4,
	OP_PERF_GUEST_USER = 5,
	OP_PERF_EXEC = 1 << 13,	   /* of COMM */
	OP_PERF_DATA = 1 << 13,	   /* of MMAP: nothing to execute */
	OP_PERF_OUT = 1 << 13,	   /* of SWITCH: the thread leaves */
	OP_PERF_PREEMPT = 1 << 14, /* of SWITCH: but could run on */
	OP_PERF_HAS_ID = 1 << 14,  /* of MMAP2: a build id for the inode */
	OP_PERF_ID_SIZE = 1 << 15, /* of BUILD_ID: its size is there too */
};

/* Types of events, those that matter outside of event.c. */
enum { OP_PERF_TRACEPOINT = 2 };

/* Bits of sample_type. */
#define OP_PERF_HAS_IP ((uint64_t)1 << 0)
#define OP_PERF_HAS_TID ((uint64_t)1 << 1)
#define OP_PERF_HAS_TIME ((uint64_t)1 << 2)
#define OP_PERF_HAS_ADDR ((uint64_t)1 << 3)
#define OP_PERF_HAS_READ ((uint64_t)1 << 4)
#define OP_PERF_HAS_CHAIN ((uint64_t)1 << 5)
#define OP_PERF_HAS_SAMPLE_ID ((uint64_t)1 << 6)
#define OP_PERF_HAS_CPU ((uint64_t)1 << 7)
#define OP_PERF_HAS_PERIOD ((uint64_t)1 << 8)
#define OP_PERF_HAS_STREAM ((uint64_t)1 << 9)
#define OP_PERF_HAS_RAW ((uint64_t)1 << 10)
#define OP_PERF_HAS_BRANCHES ((uint64_t)1 << 11)
#define OP_PERF_HAS_REGS ((uint64_t)1 << 12)
#define OP_PERF_HAS_STACK ((uint64_t)1 << 13)
#define OP_PERF_HAS_WEIGHT ((uint64_t)1 << 14)
#define OP_PERF_HAS_SOURCE ((uint64_t)1 << 15)
#define OP_PERF_HAS_IDENTIFIER ((uint64_t)1 << 16)
#define OP_PERF_HAS_TRANSACTION ((uint64_t)1 << 17)
#define OP_PERF_HAS_REGS_INTR ((uint64_t)1 << 18)
#define OP_PERF_HAS_PHYS ((uint64_t)1 << 19)
#define OP_PERF_HAS_CGROUP ((uint64_t)1 << 21)
#define OP_PERF_HAS_WEIGHTS ((uint64_t)1 << 24)

/* Where a field is that a record does not have. */
enum { OP_PERF_NOWHERE = -1 };

/* --- events --- */

/* What is sampled: a perf_event_attr, and what becomes of its samples. */
struct op_perf_event {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags, branch_type,
		regs_user, regs_intr;
	int32_t clock;
	struct op_view name;

	/* Offsets from the begin of a sample, and of other records, whose
	 * fields of this kind are their last, from their end. */
	int id_at, time_at;
	int end_id_at, end_time_at, end_tid_at;

	bool is_from_feature; /* its own record did not come yet */
	bool is_wanted;
	bool is_clock;	  /* it counts nanoseconds */
	bool is_switch;	  /* its samples are of threads that leave a CPU */
	bool is_sched;	  /* sched:sched_switch */
	uint32_t profile; /* OP_NO_ID: none yet */
	uint32_t weights; /* profile of periods, where they differ */
	uint64_t first_period;
	uint64_t nr_records, nr_bytes; /* for show */
	uint64_t lost_records, lost_samples;
};

struct op_perf_sample {
	uint64_t id, ip, time, period, cgroup;
	uint32_t pid, tid, cpu;
	unsigned int mode;
	bool has_cpu, has_cgroup;
	const uint8_t *chain;
	uint64_t nr_chain;
	struct op_view raw;
	uint64_t abi;	      /* of the registers; 0: none */
	const uint8_t *regs;  /* those of regs_user */
	struct op_view stack; /* the user's, as far as it was copied */
};

/* --- what is mapped --- */

enum op_perf_kind {
	OP_PERF_FILE,
	OP_PERF_CODE, /* made at run time; addresses are the process's own */
	OP_PERF_OF_KERNEL,
};

/* A file that was mapped, or what stands for one. */
struct op_perf_dso {
	struct op_view name;
	enum op_perf_kind kind;
	uint64_t inode; /* 0: not known */
	uint8_t id_len;
	uint8_t id[20];
	struct op_perf_binary *binary; /* NULL: not looked for yet */
};

/* A file that is at hand, under any name. */
struct op_perf_file {
	uint64_t dev, ino;
	struct op_elf elf;
	struct op_unwind_table table;
	bool is_elf;
	bool is_vdso;
	bool is_tried, has_table;
	struct op_perf_file *next;
};

struct op_perf_binary {
	struct op_perf_file *file; /* NULL: none is at hand */
	bool is_there;		   /* and is what was recorded */
};

struct op_perf_map {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint64_t base;	 /* the address, in the file's own terms, of start */
	uint32_t dso;
	uint32_t mapping; /* of the model; OP_NO_ID: not asked for yet */
	bool is_placed;	  /* the file was asked for base */
};

/* Mappings by address, none over another. Shared by processes until one of
 * them changes. */
struct op_perf_space {
	OP_VEC(struct op_perf_map) maps;
	uint32_t nr_users;
	uint32_t version;	    /* no other content had this number */
	uint32_t last;		    /* index of the map found last */
	struct op_perf_space *next; /* that nobody uses */
};

struct op_perf_process {
	uint32_t pid;
	struct op_perf_space *space;
	struct op_view program;
	bool is_fresh; /* the next file mapped is its program */
	bool is_born;  /* its start was seen: all threads are known */
	uint32_t nr_threads;
	uint32_t version; /* counts changes of the program */
};

/* What a thread does, as far as is known. */
enum op_perf_state {
	OP_PERF_UNKNOWN,
	OP_PERF_GONE,
	OP_PERF_RUNNING,
	OP_PERF_UNSCHEDULED,
	OP_PERF_SLEEPING,
	OP_PERF_UNINTERRUPTIBLE,
	OP_PERF_BLOCKED,
};

/* How many processes are remembered after their end. */
enum { OP_PERF_ENDED = 256 };

struct op_perf_thread {
	uint32_t tid, pid;
	struct op_view name;
	uint32_t set;	     /* of attributes; OP_NO_ID: to be made */
	uint32_t of_version; /* of the process, that the set is of */
	/* The last set of it with a CPU and cgroup. */
	uint32_t more_set;
	uint32_t cpu;
	uint64_t cgroup;
	enum op_perf_state state;
	uint64_t since;
	uint32_t *frames; /* where it left its CPU */
	uint32_t nr_frames, most_frames;
};

struct op_perf_cgroup {
	uint64_t id;
	struct op_view path;
};

/* --- order --- */

struct op_perf_block;

struct op_perf_place {
	uint64_t time;
	const uint8_t *p;
	struct op_perf_block *block; /* NULL: in the file */
};

struct op_perf_places {
	struct op_perf_place *p;
	size_t n, cap;
};

/* What a compressed record unpacks to; kept until all of its records had
 * their turn. */
struct op_perf_block {
	struct op_perf_block *next;
	uint64_t at; /* of the compressed record */
	uint64_t nr_users;
	size_t n, cap;
	uint8_t bytes[];
};

/* --- rows --- */

/* Small cache: which location an address became. */
struct op_perf_spot {
	uint64_t ip;
	uint32_t version; /* of the space */
	uint32_t location;
};

enum { OP_PERF_SPOT_BITS = 13, OP_PERF_SPOTS = 1 << OP_PERF_SPOT_BITS };

/* A sample that was read, and waits to be found. */
struct op_perf_wait {
	uint64_t time, period;
	uint32_t event; /* index */
	uint32_t set;
	uint32_t frames_at, nr_frames; /* of op_perf.frames */
};

enum { OP_PERF_BATCH = 64 }; /* at most the bits of a word */

struct op_perf_id {
	uint64_t id;
	uint32_t event;
};

/* A build id that the file knows by the name of what has it. */
struct op_perf_named_id {
	struct op_view name;
	uint8_t id_len;
	uint8_t id[20];
};

struct op_perf_opts {
	const char *const *settings;
	const char *thread; /* part of a thread's name */
	const char *states;
	const char *root; /* of binaries; NULL or "": none may be opened */
	bool recover;
};

struct op_perf {
	struct op_builder b;
	struct op_err *err;
	struct op_arena mem;
	struct op_perf_opts opts;

	/* the file */
	struct op_view file;
	bool is_swapped; /* written by a machine of the other byte order */
	bool is_pipe;
	bool is_counting; /* records are only counted */
	uint64_t data_at, data_end;
	uint64_t walk_at; /* the record in the file that is being read */
	OP_VEC(struct op_perf_event) events;
	size_t told_at; /* no event before it is only from a feature */
	struct op_intern id_index;
	OP_VEC(struct op_perf_id) ids;
	struct op_intern named_index;
	OP_VEC(struct op_perf_named_id) named;
	struct op_view tracing;
	struct op_view arch;
	OP_VEC(struct op_kv) facts; /* attributes of the resource */
	bool has_clock;		    /* the next two say what time it is */
	uint64_t clock_ns, wall_ns;
	uint64_t nr_of[OP_PERF_NR_TYPES], bytes_of[OP_PERF_NR_TYPES];

	/* compression */
	void *zstd;
	struct op_perf_block *blocks; /* newest first */
	uint64_t unpacked_bytes;
	size_t rest; /* bytes of the newest block that begin a record */

	/* order */
	struct op_perf_places queue, sorted;
	struct op_id_vec runs;
	uint64_t last_time, round_time;

	/* what is going on */
	struct op_intern thread_index, process_index, dso_index, cgroup_index;
	OP_VEC(struct op_perf_thread) threads;
	OP_VEC(struct op_perf_process) processes;
	uint32_t ended[OP_PERF_ENDED];
	uint64_t nr_ended;
	OP_VEC(struct op_perf_dso) dsos;
	OP_VEC(struct op_perf_cgroup) cgroups;
	struct op_perf_space kernel;
	struct op_arena map_mem; /* of spaces; with a quota */
	struct op_perf_space *free_spaces;
	uint32_t nr_versions;

	/* rows */
	uint32_t resource, scope;
	uint32_t frame_sets[2]; /* of native and kernel frames */
	uint32_t intervals[2];	/* profiles of times off and on a CPU */
	bool wants_intervals;
	bool has_unused; /* rows were made that may be of no sample */
	uint32_t state_at, next_at; /* in raw data of sched:sched_switch */
	struct op_perf_spot *spots;
	struct op_perf_unwind *unwind;
	struct op_perf_file *files;
	uint64_t binary_bytes;	 /* read so far */
	uint64_t table_bytes;	 /* of unwind tables */
	uint64_t nr_not_unwound; /* stacks, for want of permission */
	struct op_id_vec frames; /* of the samples at hand */
	struct op_perf_wait waiting[OP_PERF_BATCH];
	uint32_t nr_waiting;
	struct op_id_vec attrs;
	uint64_t first_ns, last_ns; /* of what is in profiles */
	uint64_t lost_records, lost_samples;
	uint64_t skipped_records, skipped_bytes; /* by --recover */
	uint64_t unknown_records;		 /* of types not known */
	uint64_t nr_samples;
	uint64_t unknown_samples, unknown_at; /* of events not known */
	uint64_t text_bytes;		      /* behind the records */
	uint64_t trace_bytes;		      /* of hardware traces */
};

op_inline uint16_t op_perf_u16(const struct op_perf *f, const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return f->is_swapped ? __builtin_bswap16(v) : v;
}

op_inline uint32_t op_perf_u32(const struct op_perf *f, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return f->is_swapped ? __builtin_bswap32(v) : v;
}

op_inline uint64_t op_perf_u64(const struct op_perf *f, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return f->is_swapped ? __builtin_bswap64(v) : v;
}

/* A record: p has size bytes, at least the eight of its head. */
struct op_perf_record {
	const uint8_t *p;
	struct op_perf_block *block; /* NULL: in the file */
	uint32_t type;
	uint16_t misc, size;
};

op_inline struct op_perf_record op_perf_record(const struct op_perf *f,
					       const uint8_t *p,
					       struct op_perf_block *block)
{
	return (struct op_perf_record){ p, block, op_perf_u32(f, p),
					op_perf_u16(f, p + 4),
					op_perf_u16(f, p + 6) };
}

/* --- read.c --- */
void op_perf_init(struct op_perf *f, struct op_view in, struct op_err *err);
void op_perf_fini(struct op_perf *f);
int op_perf_nomem(struct op_perf *f);
/* Where a record is in the file, or the one that it is packed in. */
uint64_t op_perf_at(const struct op_perf *f, const struct op_perf_record *r);
/* Fails about a record. */
int op_perf_bad(struct op_perf *f, const struct op_perf_record *r,
		const char *what);
struct op_view op_perf_kept(struct op_perf *f, struct op_view v);
/* Up to the first NUL. */
struct op_view op_perf_text(const uint8_t *p, size_t n);

/* --- header.c --- */
/* Whether it begins as a file or a pipe of perf does. */
bool op_perf_is(struct op_view in);
int op_perf_header_read(struct op_perf *f);
struct op_view op_perf_string(const struct op_perf *f, struct op_view v,
			      size_t *at);
void op_perf_feature(struct op_perf *f, unsigned int bit, struct op_view v);
void op_perf_update(struct op_perf *f, const struct op_perf_record *r);
void op_perf_build_ids(struct op_perf *f, struct op_view v);
/* Gives a file its build id, if the recording knows one by that name. */
bool op_perf_build_id_named(const struct op_perf *f, struct op_view name,
			    struct op_perf_dso *out);
/* How many bytes follow a record that are not in its size. */
uint64_t op_perf_behind(const struct op_perf *f,
			const struct op_perf_record *r);

/* --- event.c --- */
/* Adds an event; ids are nr numbers of eight bytes. */
int op_perf_event_add(struct op_perf *f, struct op_view attr,
		      struct op_view ids);
/* The same for an event that a feature may have described already. */
int op_perf_event_meet(struct op_perf *f, struct op_view attr,
		       struct op_view ids);
/* The event of an id; NULL: none. */
struct op_perf_event *op_perf_event_of(struct op_perf *f, uint64_t id);
/* The event that a record is about; NULL: nobody knows. */
struct op_perf_event *op_perf_event_by(struct op_perf *f,
				       const struct op_perf_record *r);
/* The time of a record; 0: it has none. */
uint64_t op_perf_time(struct op_perf *f, const struct op_perf_record *r);
/* Gives names to events that have none, and finds which are wanted. */
void op_perf_events_end(struct op_perf *f);
/* Fails if --event names one that is not there. */
int op_perf_asked_check(struct op_perf *f);
/* Fails if no sample is of those that --event names. */
int op_perf_asked_end(struct op_perf *f);

/* --- tracing.c --- */
/* Names the tracepoints that have no name yet. */
void op_perf_tracing_names(struct op_perf *f);

/* --- sample.c --- */
/* False, with an error, if a field is cut off. */
bool op_perf_sample_read(struct op_perf *f, const struct op_perf_record *r,
			 const struct op_perf_event *e,
			 struct op_perf_sample *s);

/* --- walk.c --- */
int op_perf_walk(struct op_perf *f);
void op_perf_walk_end(struct op_perf *f);
void op_perf_block_drop(struct op_perf *f, struct op_perf_block *b);

/* --- order.c --- */
void op_perf_order_add(struct op_perf *f, const struct op_perf_record *r,
		       uint64_t time);
/* A round of reading all buffers is over. */
void op_perf_order_round(struct op_perf *f);
/* Everything that still waits. */
void op_perf_order_end(struct op_perf *f);

/* --- handle.c --- */
void op_perf_handle(struct op_perf *f, const struct op_perf_record *r);

/* --- map.c --- */
uint32_t op_perf_dso(struct op_perf *f, const struct op_perf_dso *key);
/* Puts a mapping over what was there. */
void op_perf_map_add(struct op_perf *f, struct op_perf_space *s,
		     const struct op_perf_map *map);
void op_perf_map_cut(struct op_perf *f, struct op_perf_space *s, uint64_t start,
		     uint64_t end);
/* The mapping of an address; NULL: none. Good until the next change. */
struct op_perf_map *op_perf_map_find(struct op_perf_space *s, uint64_t address);

struct op_perf_space *op_perf_space_new(struct op_perf *f);
void op_perf_space_drop(struct op_perf *f, struct op_perf_space *s);
/* Makes it one that nobody else uses. */
bool op_perf_space_own(struct op_perf *f, struct op_perf_space **s);

/* Where the first mapping begins that is not before an address. */
uint64_t op_perf_map_next(const struct op_perf_space *s, uint64_t address);
/* Finds the address that a file has for the start of a mapping; ip is in it. */
void op_perf_map_place(struct op_perf *f, struct op_perf_map *m, uint64_t ip);

/* --- binary.c --- */
/* NULL if it is not at hand. */
struct op_perf_binary *op_perf_binary(struct op_perf *f, uint32_t dso);
/* Whether the files that the recording names may be opened at all. */
bool op_perf_may_open(const struct op_perf *f);
/* Reads all of one that is at hand, into mem. */
bool op_perf_binary_whole(struct op_perf *f, uint32_t dso, struct op_arena *mem,
			  struct op_elf *out);

/* --- unwind.c --- */
/* Adds frames; why there are no more, or NULL if that was the last caller, or
 * if nothing can be unwound. */
const char *op_perf_unwind(struct op_perf *f, struct op_perf_space *space,
			   const struct op_perf_event *e,
			   const struct op_perf_sample *s);

/* --- task.c --- */
/* Made if they are new. */
uint32_t op_perf_thread(struct op_perf *f, uint32_t pid, uint32_t tid);
uint32_t op_perf_process(struct op_perf *f, uint32_t pid);
/* OP_NO_ID if it is not known. */
uint32_t op_perf_thread_known(const struct op_perf *f, uint32_t tid);
void op_perf_comm(struct op_perf *f, const struct op_perf_record *r);
void op_perf_fork(struct op_perf *f, const struct op_perf_record *r);
void op_perf_exit(struct op_perf *f, const struct op_perf_record *r);
void op_perf_mmap(struct op_perf *f, const struct op_perf_record *r);
void op_perf_ksymbol(struct op_perf *f, const struct op_perf_record *r);
void op_perf_cgroup_add(struct op_perf *f, const struct op_perf_record *r);
struct op_view op_perf_cgroup(const struct op_perf *f, uint64_t id);

/* --- rows.c --- */
int op_perf_rows_begin(struct op_perf *f);
/* Adds the frames of a sample to op_perf.frames, leaf first. Gives why the
 * last is not the outermost, if that is known. */
const char *op_perf_frames(struct op_perf *f, const struct op_perf_event *e,
			   const struct op_perf_sample *s);
/* One of a user. */
void op_perf_frame_add(struct op_perf *f, struct op_perf_space *space,
		       uint64_t ip);
/* The attributes of a thread, and of where it ran. */
uint32_t op_perf_set(struct op_perf *f, const struct op_perf_sample *s);
/* And one more. */
uint32_t op_perf_set_with(struct op_perf *f, uint32_t set, const char *key,
			  const char *text);
bool op_perf_is_wanted(const struct op_perf *f, const struct op_perf_thread *t);

/* --- batch.c --- */
void op_perf_batch_add(struct op_perf *f, const struct op_perf_wait *w);
/* Puts all that wait into their profiles. */
void op_perf_batch_end(struct op_perf *f);

/* --- switch.c --- */
void op_perf_switch_begin(struct op_perf *f);
void op_perf_switch(struct op_perf *f, const struct op_perf_record *r);
void op_perf_switch_sample(struct op_perf *f, const struct op_perf_event *e,
			   const struct op_perf_sample *s, size_t frames_at);

/* --- facts.c --- */
/* Takes a time into that of the profiles. */
void op_perf_widen(struct op_perf *f, uint64_t ns);
void op_perf_fact(struct op_perf *f, const char *key, const struct op_any *v);
/* Makes the profile of an event, if it has none. */
void op_perf_profile(struct op_perf *f, struct op_perf_event *e,
		     uint64_t period);
void op_perf_observe(struct op_perf *f, struct op_perf_event *e,
		     const struct op_perf_wait *w, uint32_t sample);
void op_perf_facts_end(struct op_perf *f);
/* A time of the recording as one since 1970, if it says how. */
uint64_t op_perf_wall(const struct op_perf *f, uint64_t time);

#endif
