// SPDX-License-Identifier: Apache-2.0
/* rpc/spool.h: a directory in which messages wait and outlive the process.
 *
 * One file a message (spool_file.h). Its name is the time and a number that is
 * the process's own, so that names sort by age; its ending is the signal:
 *
 *	18a3f2c1d4e5b6a7-1c0ffee5.profiles
 *
 * Any number of processes may add to a directory. Who sends from it holds the
 * lock (flock on the file "lock") as long as it does. A file is there once
 * op_spool_add() has returned, also if the process is killed then; it is on the
 * disk, so that it outlives the machine, after op_spool_sync().
 *
 * The bound is on all files. When it is hit the oldest goes, damaged ones
 * before the others. A file that is damaged is renamed, with .bad behind its
 * name; what a process left behind that died while it wrote is removed.
 *
 * What is sent goes out with our credentials, so everything must be ours: the
 * directory and its files belong to this user, and no other can write to them.
 * A directory that is not so cannot be used; files that are not so stay where
 * they are and are not looked at.
 *
 * All functions may be called by several threads. */
#ifndef OP_RPC_SPOOL_H
#define OP_RPC_SPOOL_H

#include "rpc/queue.h"

struct op_spool;

/* Makes the directory if it is not there. max: bytes. */
int op_spool_open(const char *dir, uint64_t max, struct op_spool **out,
		  struct op_err *err);
void op_spool_close(struct op_spool *s);

/* wall_ns: the time, since 1970. Gives how many had to go for it. On failure
 * the message is not there. */
int op_spool_add(struct op_spool *s, enum op_signal signal,
		 struct op_view message, uint64_t wall_ns, uint64_t *nr_gone,
		 struct op_err *err);

/* Tries to become the one who sends; true also if it is already. Looks at what
 * is there. False without an error: another one is. */
bool op_spool_lock(struct op_spool *s, struct op_err *err);
void op_spool_unlock(struct op_spool *s);

/* A message that is being sent. */
struct op_spooled {
	char name[40];
	enum op_signal signal;
	struct op_view bytes;
	uint8_t *mem;
};

/* Takes the message of a signal that comes after the one taken last; behind the
 * last comes the first. False without an error: there is none. With OP_EFORMAT
 * one was damaged and put aside, and with any other error it could not be read:
 * more may follow. Only with the lock. */
bool op_spool_take(struct op_spool *s, enum op_signal signal,
		   struct op_spooled *out, struct op_err *err);

/* Ends it: it is removed, or stays for later. */
void op_spool_done(struct op_spool *s, struct op_spooled *m,
		   struct op_err *err);
void op_spool_return(struct op_spool *s, struct op_spooled *m);

/* What this process added and has not been synced yet. */
int op_spool_sync(struct op_spool *s, struct op_err *err);

struct op_spool_size {
	uint64_t nr, bytes; /* of messages; bytes is of files */
	uint64_t nr_signal[OP_NR_SIGNALS];
};

/* As far as it is known: others may have added and taken. */
struct op_spool_size op_spool_size(struct op_spool *s);

/* Whether foreign files were found since the last call: how many there are, and
 * the name of one with what it is, at most n bytes. */
bool op_spool_found_foreign(struct op_spool *s, char *text, size_t n,
			    uint64_t *nr);

/* Looks again at what is there. */
void op_spool_look(struct op_spool *s);

#endif
