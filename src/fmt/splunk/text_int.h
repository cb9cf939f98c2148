// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/text_int.h: the call stack of a log record as text, line by line.
 *
 *	"worker 1" #49 prio=5 os_prio=31 cpu=0.12ms elapsed=8.50s tid=0x7f ...
 *	   java.lang.Thread.State: RUNNABLE
 *		at shop.Cart.add(Cart.java:12)
 *
 * The thread, its state, and the frames, the innermost first. Two grammars of
 * frames are about:
 *
 *	2021  [at ]<namespace>.<function>(<file>[:<line>[:<to>]][ <col>[:<to>]])
 *	1.4   at <function>(<file>:<line>[:<col>])
 *
 * They differ in what a second number says, in where columns stand, and in
 * that the first wants a namespace: "global" where there is none, "unknown"
 * where that is not known. One of C++ is written as "shop::Cart" or "::Cart".
 */
#ifndef OP_FMT_SPLUNK_TEXT_INT_H
#define OP_FMT_SPLUNK_TEXT_INT_H

#include "base/buf.h"
#include "base/view.h"

enum op_splunk_frames {
	OP_SPLUNK_2021,
	OP_SPLUNK_1_4,
};

/* What a text has in place of a name that is not known. */
#define OP_SPLUNK_UNKNOWN "unknown"

/* 0 and empty: not known. */
struct op_splunk_thread {
	struct op_view name;
	int64_t id; /* #<n> */
	int64_t prio, os_prio;
	uint64_t cpu_ns, elapsed_ns;
	uint64_t tid, nid;
	bool is_daemon; /* a word that Java puts there */
	struct op_view status;
};

/* Any line: what is not understood is the status. Views are of the line. */
struct op_splunk_thread op_splunk_thread_parse(struct op_view line);

/* Writes the line, without its end. False if the line would not be read as
 * what it was written from: of the name and status then only what can be
 * is written. */
bool op_splunk_thread_write(const struct op_splunk_thread *t,
			    struct op_buf *out);

/* What a line says of the state of a thread; Java's prefix is no part of it. */
struct op_view op_splunk_state_parse(struct op_view line);

/* The same as above. A state that Java has gets its prefix. */
bool op_splunk_state_write(struct op_view state, struct op_buf *out);

struct op_splunk_frame {
	struct op_view function; /* with its namespace, if that is another */
	struct op_view file;	 /* empty: not known */
	int64_t line, column;	 /* 0: not known */
	bool is_range;		 /* a last line or column was left out */
	/* The namespace of C++ and Rust, which they divide from the function by
	 * "::"; "shop::Cart". */
	struct op_view scope;
	bool is_address; /* to write: it has no name */
};

/* Takes the scope from a function. False if more than that is gone: the type
 * that it returns. */
bool op_splunk_scope_split(struct op_splunk_frame *f);

/* False if the line is none: empty, or a remark ("- locked <0x1>"). */
bool op_splunk_frame_parse(struct op_view line, enum op_splunk_frames how,
			   struct op_splunk_frame *out);

/* Writes the line, without its end. False if it would not be read as what it
 * was written from: characters that stand in the way are then replaced. */
bool op_splunk_frame_write(const struct op_splunk_frame *f,
			   enum op_splunk_frames how, struct op_buf *out);

/* Whether a line can only be a frame, wherever it stands. */
bool op_splunk_is_frame(struct op_view line);

/* Takes the next line of a text, without its end; false behind the last. */
bool op_splunk_line_next(struct op_view *text, struct op_view *line);

#endif
