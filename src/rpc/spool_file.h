// SPDX-License-Identifier: Apache-2.0
/* rpc/spool_file.h: one message in one file.
 *
 *	offset  bytes
 *	     0      8  "OTPSPOOL"
 *	     8      4  version, 1
 *	    12      4  signal: 0 profiles, 1 logs
 *	    16      8  bytes of the message
 *	    24      8  XXH3 of the message, seed: XXH3 of the 24 bytes before
 *	    32         the message
 *
 * Numbers are little-endian. */
#ifndef OP_RPC_SPOOL_FILE_H
#define OP_RPC_SPOOL_FILE_H

#include "rpc/config.h"

enum { OP_SPOOL_HEADER = 32 };

struct stat;

/* Whether a file was created by processes of this user: regular, owned by us,
 * not writable by others, with a single hard link. Anything else was put there
 * by another user, and must not be sent in our name. Returns NULL if it is
 * ours, else a description such as "another user's". */
const char *op_spool_foreign(const struct stat *st);

/* Opens a file of the spool, never through a link and without blocking on a
 * pipe. -1: it cannot be opened, or is foreign: OP_EFORMAT. */
int op_spool_file_open(int dir, const char *name, int flags,
		       struct op_err *err);

/* Writes a file atomically: first under its name with .tmp appended, locked
 * (flock) while it is written. Nothing is synced. OP_EIO with EWOULDBLOCK or
 * ENOENT in err->sys: another process mistook the file, which was not locked
 * yet, for a leftover; try another name. */
int op_spool_file_write(int dir, const char *name, enum op_signal signal,
			struct op_view message, struct op_err *err);

/* Reads a file into *out, which op_heap_free() frees. OP_EFORMAT: it is
 * damaged. OP_EIO with ENOENT in err->sys: it is gone. */
int op_spool_file_read(int dir, const char *name, enum op_signal signal,
		       uint8_t **out, struct op_view *message,
		       struct op_err *err);

/* Syncs the file to disk. */
int op_spool_file_sync(int dir, const char *name, struct op_err *err);

#endif
