// SPDX-License-Identifier: Apache-2.0
/* tests/write/perf.h: files of perf record from a few lines.
 *
 *	struct perf p;
 *	perf_begin(&p, "file");
 *	perf_lines(&p, "event cpu-clock has=ip+tid+time\n"
 *		       "comm 10/11 work @5\n"
 *		       "sample 10/11 @7 ip=0x1000\n");
 *	struct op_view file = perf_end(&p);
 *	...
 *	perf_free(&p);
 *
 * The first word is "file" or "pipe"; "big" behind it means big-endian. What
 * goes wrong in a text stops the program. A line is a word and what belongs to
 * it, numbers are as strtoull() takes them:
 *
 *	event NAME [type=1] [config=0] [period=1 | freq=99] [ids=1+2] [read=0]
 *	      [branch=0] [regs=0] [clock=1] [flags=0] [bytes=128] has=ip+tid
 *	      events come first; NAME - has none. has: identifier ip tid time
 *	      addr id stream cpu period read chain raw branch regs stack weight
 *	      source trans intr phys cgroup. Without ids: 1, 2, ... by number.
 *	sample PID/TID [@TIME] [#ID] [ip=0] [cpu=0] [period=1] [cgroup=0]
 *	      [chain=k,0xff10,u,0x20 (k, u, g: marks)] [raw=HEX] [stack=HEX]
 *	      [regs=1,2,3] [mode=2] [read=1,2] [branch=2 (entries)]
 *	comm PID/TID NAME [exec]
 *	fork PID/TID PARENT/PARENT    exit PID/TID PARENT/PARENT
 *	mmap PID START+BYTES@OFFSET NAME [id=HEX] [inode=5] [noexec]
 *	mmap1 PID START+BYTES@OFFSET NAME [data]      the older kind
 *	kmmap START+BYTES NAME        ksym START+BYTES NAME [gone]
 *	lost ID N    lostsamples N    cgroup ID PATH
 *	switch in|out|preempt PID/TID
 *	round
 *	record TYPE MISC VALUES       values: 5 of eight bytes, 5i four, 5s two,
 *	      5b one, 'text' with its NUL (\n in it is a new line)
 *	bytes VALUES                  between records
 *	feature BIT VALUES            text"..." has its length before it
 *	buildid NAME HEX              of the feature, or as records of a pipe
 *	pack                          records from here on are packed
 *	flush [N]                     the first N bytes of them, or all
 *	flush2                        the same as the other kind of record
 *	plain                         records from here on are not
 *	head OFFSET VALUE             of the file's head, in place of the truth
 *	cut N                         the last bytes of the file are missing
 *
 * Any record but sample may have @TIME and #ID; they are in its trailer, as are
 * pid and tid. */
#ifndef OP_TESTS_WRITE_PERF_H
#define OP_TESTS_WRITE_PERF_H

#include "base/view.h"

enum { PERF_MAX_EVENTS = 8, PERF_MAX_IDS = 4 };

struct perf_bytes {
	uint8_t *p;
	size_t n, cap;
};

struct perf_event {
	char name[64];
	uint64_t has, ids[PERF_MAX_IDS], read, branch, regs;
	uint32_t nr_ids, bytes;
	uint8_t attr[160];
};

struct perf {
	bool is_pipe, is_big;
	bool is_packed;
	struct perf_event events[PERF_MAX_EVENTS];
	uint32_t nr_events;
	struct perf_bytes data, pending, out, build_ids;
	struct perf_bytes features[256];
	struct {
		bool is_set;
		uint64_t v;
	} head[104];
	size_t cut;
	void *zstd;
};

void perf_begin(struct perf *p, const char *how);
void perf_lines(struct perf *p, const char *text);

/* Ends the file; the bytes are good until perf_free(). */
struct op_view perf_end(struct perf *p);
void perf_free(struct perf *p);

#endif
