// SPDX-License-Identifier: Apache-2.0
/* rpc/spool_file.h: one message in one file.
 *
 *	 0  8  "OTPSPOOL"
 *	 8  4  version, 1
 *	12  4  signal: 0 profiles, 1 logs
 *	16  8  bytes of the message
 *	24  8  XXH3 of the message, with that of the 24 bytes before as seed
 *	32     the message
 *
 * Numbers are little-endian. */
#ifndef OP_RPC_SPOOL_FILE_H
#define OP_RPC_SPOOL_FILE_H

#include "rpc/config.h"

enum { OP_SPOOL_HEADER = 32 };

struct stat;

/* Whether a file is one that this user's processes made: regular, owned by us,
 * not writable by others, with one name. Anything else was put there by
 * somebody else, and to send it would be to speak for him. NULL: it is; or
 * what it is, "another user's" say. */
const char *op_spool_foreign(const struct stat *st);

/* Opens a file of the spool, never through a link and never waiting for the
 * other end of a pipe. -1: it cannot be opened, or is foreign: OP_EFORMAT. */
int op_spool_file_open(int dir, const char *name, int flags,
		       struct op_err *err);

/* Writes a file that appears under its name whole or not at all: first under
 * that name with .tmp behind it, which is locked (flock) as long as it is being
 * written. Nothing is synced. OP_EIO with EWOULDBLOCK or ENOENT in err->sys:
 * somebody took the file, which was not locked yet, for one that is left over;
 * try another name. */
int op_spool_file_write(int dir, const char *name, enum op_signal signal,
			struct op_view message, struct op_err *err);

/* Reads a file into memory of *out, which op_heap_free() ends. OP_EFORMAT: it
 * is damaged. OP_EIO with ENOENT in err->sys: it is gone. */
int op_spool_file_read(int dir, const char *name, enum op_signal signal,
		       uint8_t **out, struct op_view *message,
		       struct op_err *err);

/* Has the system write the file to the disk. */
int op_spool_file_sync(int dir, const char *name, struct op_err *err);

#endif
