// SPDX-License-Identifier: Apache-2.0
/* agent/channel.h: the memory that a profiled program shares with its helper.
 *
 * There are two memory files. The channel is written by both:
 *
 *	head	who has written and read how much; counts
 *	maps	the code of the program, by address, in a few versions
 *	ring	records from the program to the helper
 *
 * The tables are written by the helper only: unwind tables (sym/unwind_table.h)
 * at the places that maps refer to.
 *
 * A map never changes while it is used: the helper writes the next version into
 * the oldest place if the program says that no sample is taken with it. A place
 * of a table is used again under the same condition. */
#ifndef OP_AGENT_CHANNEL_H
#define OP_AGENT_CHANNEL_H

#include "base/port.h"

enum {
	OP_CHANNEL_VERSION = 5,
	OP_CHANNEL_RING = 4 << 20, /* bytes; a power of 2 */
	OP_CHANNEL_MAPS = 4,
	OP_CHANNEL_MAX_RANGES = 16 << 10,
	OP_CHANNEL_TABLES = 128 << 20, /* address space, not memory */
	OP_AGENT_MAX_FRAMES = 1000,
};

/* In the address of a frame: it is where the frame is; otherwise it is a return
 * address, and the call is just before. */
#define OP_AGENT_EXACT ((uint64_t)1 << 63)

struct op_channel_range {
	uint64_t start, end;
	uint64_t bias;	/* memory address - vaddr */
	uint32_t table; /* place of its table; 0: follow the frame pointer */
	uint32_t unused;
};

struct op_channel_map {
	uint64_t version;
	uint32_t nr;
	uint32_t unused;
	struct op_channel_range ranges[OP_CHANNEL_MAX_RANGES];
};

enum op_channel_state {
	OP_CHANNEL_STARTING,
	OP_CHANNEL_READY,  /* there is a map */
	OP_CHANNEL_FAILED, /* message says why */
};

struct op_channel {
	uint32_t version, bytes; /* of this struct */

	/* Written by the program. */
	_Alignas(64) uint64_t head; /* bytes written to the ring, ever */
	uint64_t oldest;    /* version of the map that a sample still uses */
	uint64_t lost;	    /* samples without room in the ring */
	uint64_t late;	    /* samples that a thread could not give */
	uint64_t unheard;   /* requests whose signal did not arrive */
	uint64_t owed;	    /* samples that threads may still give */
	uint64_t skipped;   /* rounds for which there was no time */
	uint64_t changes;   /* counts changes of what is mapped */
	uint64_t unloads;   /* libraries that were unloaded, ever */
	uint32_t has_ended; /* there will be no more records */
	uint32_t wake;	    /* a futex that the helper waits for */

	/* Written by the helper. */
	_Alignas(64) uint64_t tail; /* bytes read, ever */
	uint64_t current;	    /* version of the newest map; 0: none */
	uint64_t seen;		    /* changes that this map has */
	uint32_t state;		    /* enum op_channel_state */
	char message[192];

	_Alignas(64) struct op_channel_map maps[OP_CHANNEL_MAPS];
	_Alignas(64) uint8_t ring[OP_CHANNEL_RING];
};

/* Records have a multiple of 8 bytes. */
enum op_channel_type {
	OP_CHANNEL_PAD, /* up to the end of the ring */
	OP_CHANNEL_THREAD,
	OP_CHANNEL_SAMPLE,
	OP_CHANNEL_REPEAT,
	OP_CHANNEL_GONE, /* the thread has ended */
	OP_CHANNEL_ROUND,
	OP_CHANNEL_ALLOC,
	OP_CHANNEL_FREE,
};

struct op_channel_record {
	uint32_t bytes; /* with this */
	uint32_t type;
};

/* A thread that is new or has another name. */
struct op_channel_thread {
	struct op_channel_record r;
	uint32_t tid;
	uint32_t index;	   /* counts threads, from 1 */
	int32_t prio;	   /* 20 - nice */
	int32_t os_prio;   /* as the kernel has it */
	uint64_t start_ns; /* CLOCK_BOOTTIME */
	char name[16];
};

/* When a sample was wanted, and of what. */
struct op_channel_when {
	uint64_t time_ns; /* since 1970 */
	uint64_t boot_ns; /* CLOCK_BOOTTIME */
	uint32_t tid;
	uint32_t is_snapshot;
};

struct op_channel_sample {
	struct op_channel_record r;
	struct op_channel_when when;
	uint64_t cpu_ns; /* that the thread has used */
	uint8_t trace[16], span[8];
	uint32_t nr;   /* frames, the innermost first */
	uint8_t state; /* enum op_thread_state */
	uint8_t end;   /* enum op_unwind_end, or OP_AGENT_END_ */
	uint8_t has_trace;
	uint8_t unused;
	/* uint64_t frames[nr] */
};

/* The thread has not run since its last sample: all else is as it was. */
struct op_channel_repeat {
	struct op_channel_record r;
	struct op_channel_when when;
};

/* Further reasons why a stack has ended. */
enum {
	OP_AGENT_END_BLOCKED = 64, /* the thread blocks the signal */
	OP_AGENT_END_MOVED,	   /* code was loaded or unloaded meanwhile */
	OP_AGENT_END_HIDDEN,	   /* the kernel does not say where it waits */
};

/* The end of a round: all threads were asked. */
struct op_channel_round {
	struct op_channel_record r;
	uint64_t time_ns;   /* since 1970: when the first was asked */
	uint64_t spread_ns; /* from the first to the last */
	uint32_t nr_threads, nr_signals;
	uint32_t is_snapshot, unused;
};

/* A sampled allocation. */
struct op_channel_alloc {
	struct op_channel_record r;
	uint64_t time_ns; /* since 1970 */
	uint64_t size;
	uint64_t id; /* from 1 on */
	uint32_t tid;
	uint8_t end, has_trace;
	uint16_t nr; /* frames */
	uint8_t trace[16], span[8];
	/* uint64_t frames[nr] */
};

/* Sampled allocations that were freed. */
struct op_channel_free {
	struct op_channel_record r;
	/* uint64_t ids[] */
};

enum op_thread_state {
	OP_STATE_RUNNING,
	OP_STATE_SLEEPING, /* until a time */
	OP_STATE_IO,
	OP_STATE_BLOCKED, /* for another thread or process */
	OP_STATE_UNINTERRUPTIBLE,
};

#endif
