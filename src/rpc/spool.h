// SPDX-License-Identifier: Apache-2.0
/* rpc/spool.h: a directory of messages that outlive the process.
 *
 * There is one file per message (spool_file.h). Its name is the time and a
 * number of the process, so that names sort by age; its extension is the
 * signal:
 *
 *	18a3f2c1d4e5b6a7-1c0ffee5.profiles
 *
 * Any number of processes may add to a directory. The process that sends from
 * it holds the lock (flock on the file "lock"). Once op_spool_add() has
 * returned, the file survives the process; after op_spool_sync() it is on disk
 * and survives a crash of the machine.
 *
 * The limit applies to all files. When it is reached the oldest is dropped,
 * damaged ones first. A damaged file is renamed with the extension .bad; files
 * left by a process that died while writing are removed.
 *
 * Messages are sent with our credentials, so everything must be ours: the
 * directory and its files belong to this user, and no other can write to them.
 * Any other directory is unusable; any other files stay where they are and are
 * not opened.
 *
 * All functions may be called from several threads. */
#ifndef OP_RPC_SPOOL_H
#define OP_RPC_SPOOL_H

#include "rpc/queue.h"

struct op_spool;

/* Creates the directory if it does not exist. max: bytes. */
int op_spool_open(const char *dir, uint64_t max, struct op_spool **out,
		  struct op_err *err);
void op_spool_close(struct op_spool *s);

/* wall_ns: the time, since 1970. Returns how many messages were dropped for it.
 * On failure the message is not stored. */
int op_spool_add(struct op_spool *s, enum op_signal signal,
		 struct op_view message, uint64_t wall_ns, uint64_t *nr_gone,
		 struct op_err *err);

/* Tries to get the lock; true also if it is already held. Rescans the
 * directory. False without an error: another process holds it. */
bool op_spool_lock(struct op_spool *s, struct op_err *err);
void op_spool_unlock(struct op_spool *s);

/* A message that is being sent. */
struct op_spooled {
	char name[40];
	enum op_signal signal;
	struct op_view bytes;
	uint8_t *mem;
};

/* Takes the next message of a signal after the one taken last, wrapping around.
 * False without an error: there is none. OP_EFORMAT: one was damaged and set
 * aside; any other error: it could not be read. In both cases more may follow.
 * Requires the lock. */
bool op_spool_take(struct op_spool *s, enum op_signal signal,
		   struct op_spooled *out, struct op_err *err);

/* Ends the sending: the message is removed, or stays for later. */
void op_spool_done(struct op_spool *s, struct op_spooled *m,
		   struct op_err *err);
void op_spool_return(struct op_spool *s, struct op_spooled *m);

/* Syncs what this process added and has not synced yet. */
int op_spool_sync(struct op_spool *s, struct op_err *err);

struct op_spool_size {
	uint64_t nr, bytes; /* of messages; bytes is of files */
	uint64_t nr_signal[OP_NR_SIGNALS];
};

/* As far as known: other processes may have added and taken messages. */
struct op_spool_size op_spool_size(struct op_spool *s);

/* Whether foreign files were found since the last call: their number, and the
 * name and kind of one of them, at most n bytes. */
bool op_spool_found_foreign(struct op_spool *s, char *text, size_t n,
			    uint64_t *nr);

/* Rescans the directory. */
void op_spool_look(struct op_spool *s);

#endif
