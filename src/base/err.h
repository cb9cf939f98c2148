// SPDX-License-Identifier: Apache-2.0
/* base/err.h: one caller-owned error; the first failure wins. */
#ifndef OP_BASE_ERR_H
#define OP_BASE_ERR_H

#include "base/port.h"

enum op_code {
	OP_OK = 0,
	OP_EFORMAT = -1, /* the input is not what it claims to be */
	OP_ENOMEM = -2,	 /* the system or a quota has no more memory */
	OP_ELIMIT = -3,	 /* larger or deeper than a limit allows */
	OP_EIO = -4,	 /* the system refused; sys holds errno */
	OP_EUSAGE = -5,	 /* the caller asked for something that cannot be */
};

/* text is one line, lower case, without a period, and names the thing; at is
 * the byte of the input it is about, if has_at. */
struct op_err {
	int code;
	int sys;
	bool has_at;
	uint64_t at;
	char text[232];
};

/* Records a failure unless there is one already. Returns err->code. */
int op_fail(struct op_err *err, int code, const char *fmt, ...) op_printf(3, 4);

/* The same, about byte at of the input. */
int op_fail_at(struct op_err *err, int code, uint64_t at, const char *fmt, ...)
	op_printf(4, 5);

/* The same with errno, which is read first. */
int op_fail_sys(struct op_err *err, const char *fmt, ...) op_printf(2, 3);

/* The same when there is no memory for so many bytes: the text says that, or
 * which limit of the run was reached. */
op_cold int op_fail_memory(struct op_err *err, size_t bytes);

/* An error for whoever can do without the memory: as it holds one already,
 * nothing is recorded in it. */
extern struct op_err op_err_ignored;
#define OP_IGNORED (&op_err_ignored)

/* Names the file that a failure is about: "cannot open 'x'", or "x: text". Of a
 * long path its end is kept, which says more. Returns err->code. */
int op_err_about(struct op_err *err, const char *path);

#endif
