// SPDX-License-Identifier: Apache-2.0
/* tests/write/jfr.h: Java Flight Recorder files from a few lines.
 *
 *	struct jfr j;
 *	jfr_begin(&j, JFR_JDK17);
 *	jfr_event(&j, "jdk.ExecutionSample", "100 `worker` `main;A.f:12` 5");
 *	struct op_view file = jfr_end(&j);
 *	...
 *	jfr_free(&j);
 *
 * Types, constant pools and metadata come by themselves: an event or type that
 * jfr_table.c knows is declared when it is used first, with the layout of the
 * flavour. What goes wrong in a text stops the program.
 *
 * A type is a head, and fields as text (see jfr_type). The value of a field:
 *
 *	5 -3 0x10     a number; 1.5 where the field is a float or double
 *	5~4           the same as a varint padded to 4 bytes
 *	true false    a boolean
 *	'abc'         a string in UTF-8; \' is a quote. '' is the empty string
 *	u'abc' l'abc' in UTF-16, in Latin-1 (a byte that is no UTF-8 is itself)
 *	&5            a string by reference to the pool
 *	null          no string, id 0
 *	`text`        what the text tells, put into the pool: a class, a method,
 *	              a thread by its name, a state; a stack as jfr_stack() has
 *	[1 2 3]       an array; [!9 1 2] announces nine elements
 *	(1 2 3)       a struct, its fields inline
 *	name=VALUE    of the field of that name; zeros for those left out
 *	=00ff         bytes as they are
 *	.             the end, without the fields that are left
 *	^             marks the place where the next byte will stand, at .mark
 *
 * Fields without a value are zero. Behind the last field, and where there is
 * no type, values are bare: 5 is a long, 5i an int, 5s a short, 5c a char,
 * 5b a byte, and {1 2}*9 is written nine times.
 *
 * Lies, where nothing above tells one:
 *
 *	jfr_raw(&j, "0i");                           an event of size 0
 *	jfr_header(&j, JFR_CHECKPOINT, jfr_here(&j));
 *	jfr_event(&j, "#1", "0 0 0 =00 1000000000i") a checkpoint of 1e9 pools
 *	jfr_type(&j, "A", "b:B"); jfr_type(&j, "B", "a:A[] x:#99");
 *	jfr_metadata_raw(&j, "0 0 1 1i 'x' {0i 0i 1i}*100000 0i 0i 0i");
 */
#ifndef OP_TESTS_WRITE_JFR_H
#define OP_TESTS_WRITE_JFR_H

#include "base/view.h"

/* Who writes: layouts of types, tables of enums, encoding of metadata. */
enum jfr_flavour { JFR_JDK17, JFR_JDK25, JFR_ASYNC, JFR_DATADOG };

/* Fields of the chunk header, by their offsets. */
enum jfr_header {
	JFR_MAGIC = 0,
	JFR_MAJOR = 4,
	JFR_MINOR = 6,
	JFR_SIZE = 8,
	JFR_CHECKPOINT = 16,
	JFR_METADATA = 24,
	JFR_START_NS = 32,
	JFR_DURATION_NS = 40,
	JFR_START_TICKS = 48,
	JFR_TICKS_PER_SECOND = 56,
	JFR_STATE = 64,
	JFR_PAD = 65,
	JFR_FLAGS = 66,
	JFR_HEADER = 68
};

struct jfr_bytes {
	uint8_t *p;
	size_t n, cap;
};

struct jfr_type;
struct jfr_pool;
struct jfr_name;

struct jfr {
	struct jfr_bytes out;
	size_t mark; /* offset in the file of the last ^ of an event */

	/* To be changed at will; jfr_next() leaves them as they are. */
	bool is_fixed;	   /* integers of fixed width; set before events */
	bool is_forward;   /* a checkpoint tells of the next, not the last */
	bool has_no_enums; /* FrameType and ThreadState are not filled */
	bool is_jdk9;	   /* version 1.0, where types have other names */
	int size_bytes;	   /* of the size of an event; 0: few */
	int meta_encoding; /* of the strings of metadata: 3, 4 or 5 */

	/* The rest is for the writer. */
	enum jfr_flavour flavour;
	size_t chunk;	   /* where it begins */
	size_t metadata;   /* offsets in it; 0: none yet */
	size_t checkpoint; /* the one the header tells of */
	size_t newest;	   /* checkpoint */
	size_t delta_at;   /* its delta, to be filled in if is_forward */
	bool has_enums[2];
	bool is_marked, is_declared; /* metadata knows all types */
	uint64_t next_type, next_id, nr_metadata;
	struct jfr_type *types; /* newest first */
	struct jfr_pool *pools; /* of the next checkpoint, newest first */
	struct jfr_name *names; /* what has an id already */
	struct jfr_override {
		bool is_set;
		uint64_t v;
	} header[JFR_HEADER];
};

/* Begins a file and its first chunk: start 1.7e18 ns and tick 0, a tick is a
 * nanosecond, duration a second. */
void jfr_begin(struct jfr *j, enum jfr_flavour flavour);

/* Ends the chunk and begins another. Nothing in it is known of before. */
void jfr_next(struct jfr *j, enum jfr_flavour flavour);

/* Ends the file; the bytes are good until jfr_free(). */
struct op_view jfr_end(struct jfr *j);
void jfr_free(struct jfr *j);

/* What the header of this chunk will say in place of the truth. */
void jfr_header(struct jfr *j, enum jfr_header field, uint64_t v);

/* Offset of the next byte from the begin of the chunk. */
size_t jfr_here(const struct jfr *j);

/* Declares a type. The head is its name and words:
 *
 *	#77 its id   event simple annotation   super=X   @Label('Java Class')
 *
 * Fields are "name:TYPE": TYPE* is in a constant pool, TYPE[] an array. TYPE
 * is a name, or its part behind the last dot, or #99 an id, or one of
 *
 *	ticks epochms      long @Timestamp
 *	span ns ms         long @Timespan, in ticks and so on
 *	bytes address      long @DataAmount(BYTES), @MemoryAddress
 *	unsigned uint      long and int @Unsigned
 *	percent            float @Percentage
 *
 * Annotations may follow: size:long@DataAmount(BITS)@Unsigned. A field with
 * "25|" before its name is only in that flavour (17, 25, ap, dd, jdk: both
 * JDKs), one with "!25|" in the others. The newest of a name counts; all
 * of them are in the metadata. */
void jfr_type(struct jfr *j, const char *head, const char *fields);

/* Declares one that jfr_table.c knows before it is used. */
void jfr_declare(struct jfr *j, const char *name);

/* Metadata of the types so far, now. jfr_end() writes what is still missing;
 * the header tells of the newest. */
void jfr_metadata(struct jfr *j);

/* Metadata of your own. An element is NAME(key=value ...){ elements }, either
 * part may be absent, a value with spaces is quoted; !9 behind a part is the
 * number that is announced in place of the true one:
 *
 *	root{ metadata{ class(id=10 name=int) }!1000000000 region(locale=en) }
 */
void jfr_metadata_text(struct jfr *j, const char *text);

/* The same from bare values: what stands behind size and type. */
void jfr_metadata_raw(struct jfr *j, const char *values);

/* An event of a type by its name, or "#99" by its id with bare values. The
 * values are a format for printf; " " is none. */
void jfr_event(struct jfr *j, const char *type, const char *values, ...)
	op_printf(3, 4);

/* Bare values between events: "0i" is an event of size 0. */
void jfr_raw(struct jfr *j, const char *values, ...) op_printf(2, 3);

/* An entry of the pool of a type: its value as the type's fields. */
void jfr_pool(struct jfr *j, const char *type, uint64_t id, const char *values,
	      ...) op_printf(4, 5);

/* Entries from now on are in another pool of that type. */
void jfr_pool_split(struct jfr *j, const char *type);

/* A checkpoint of the pools so far, now. jfr_end() writes one of what is left.
 * The second form has its own type byte, and delta in place of the true. */
void jfr_checkpoint(struct jfr *j);
void jfr_checkpoint_to(struct jfr *j, int mask, int64_t delta);

/* A stack from its root: "main;java/lang/A.f(I)V:12@3+inlined". A frame is
 * CLASS.METHOD, or METHOD with the class null; then descriptor (default ()V),
 * line, bytecode index and type, each if wanted. Types are interpreted jit
 * inlined native cpp kernel c1; default jit. Frames of native code have no
 * descriptor. "...;f" is truncated, "" has no frames. */
void jfr_stack(struct jfr *j, uint64_t id, const char *frames);

void jfr_thread(struct jfr *j, uint64_t id, const char *name, uint64_t os_id,
		uint64_t java_id);

/* The id of what the text tells in the pool of a type, as in `text`. */
uint64_t jfr_id(struct jfr *j, const char *type, const char *text);

#endif
