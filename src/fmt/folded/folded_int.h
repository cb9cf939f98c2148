// SPDX-License-Identifier: Apache-2.0
/* fmt/folded/folded_int.h: between the files of the folded format.
 *
 *	plain     a;b;c 12               names as they are
 *	          a;b;c 12 k=v,k=v TIME  with annotations, if it parses so
 *	pairs     a;b;c 10 12            before and after, on every line
 *	escaped   below a first line "# otprof ...": names, keys and values
 *	          have %XX for what would be read as something else
 */
#ifndef OP_FMT_FOLDED_INT_H
#define OP_FMT_FOLDED_INT_H

#include "fmt/format.h"
#include "model/builder.h"

enum op_folded_form {
	OP_FOLDED_PLAIN,
	OP_FOLDED_PAIRS,
	OP_FOLDED_ESCAPED,
};

/* Keys that are no attributes but the link, where both are hex of the right
 * length. */
#define OP_FOLDED_TRACE "trace_id"
#define OP_FOLDED_SPAN "span_id"

/* A frame that has no name, and no address either. */
#define OP_FOLDED_UNKNOWN "[unknown]"

/* What a line says. Views are of the input, escapes still in them. */
struct op_folded_line {
	struct op_view stack; /* root first; empty: a stack without frames */
	struct op_view attrs; /* key=value,...; empty: none */
	int64_t value;
	uint64_t time_ns;
	bool has_time;
};

/* --- line.c --- */

/* The line at *at without its end; moves *at behind it. False at the end of
 * the input. */
bool op_folded_next(struct op_view in, size_t *at, struct op_view *line);

/* Blank or, by its first byte, a comment. */
bool op_folded_skips(struct op_view line);

/* Whether a line is "# otprof", alone or with facts behind it. */
bool op_folded_is_head(struct op_view line);

/* Why a line is no stack at all. */
extern const char op_folded_no_count[];

/* Reads a line of a form. On failure the reason, and *at is where; NULL if it
 * could be read. */
const char *op_folded_parse(enum op_folded_form form, struct op_view line,
			    struct op_folded_line *out, const uint8_t **at);

/* Whether it is a line of the plain form, be its count too large. */
bool op_folded_looks(struct op_view line, struct op_folded_line *out);

/* What the lines are, told from all that the decision needs. */
enum op_folded_form op_folded_form_of(struct op_view in);

/* Whether a line that ends in name and a count would not be read so. */
bool op_folded_misread(struct op_view name);

/* Decimal numbers that fill the whole word; false if it is none or does not
 * fit. The signed one must be written the only way there is: without a plus
 * and needless zeros. */
bool op_folded_i64(struct op_view word, int64_t *out);
bool op_folded_u64(struct op_view word, uint64_t *out);

/* Bytes from exactly 2 * n hex digits, with or without 0x before them. */
bool op_folded_hex(struct op_view word, uint8_t *out, size_t n);

/* --- escape.c --- */

/* v with its escapes undone, in the arena if there are any. On failure *at is
 * the broken escape, or NULL if there was no memory. */
bool op_folded_decode(struct op_arena *mem, struct op_view v,
		      struct op_view *out, const uint8_t **at);

/* Appends v with escapes: of the first byte if that is asked for, of '%',
 * blanks, control characters and the bytes in also. */
void op_folded_encode(struct op_buf *out, struct op_view v, bool first,
		      const char *also);

/* Appends key=value of an attribute. Kinds other than text and whole numbers
 * become text. */
void op_folded_put_attr(struct op_buf *out, const struct op_model *m,
			struct op_view key, const struct op_any *value);

/* --- read.c --- */

struct op_folded_memo_row {
	struct op_view text;
	uint32_t id, link;
};

/* What a text of the input, as it stands there, was found to be. */
struct op_folded_memo {
	struct op_intern index;
	OP_VEC(struct op_folded_memo_row) rows;
};

struct op_folded_reader {
	struct op_view in;
	enum op_folded_form form;
	struct op_builder b;
	struct op_err *err;
	struct op_arena mem; /* freed when the file is read */
	struct op_folded_memo frames;
	struct op_folded_memo notes;

	/* The stack before this one: it often begins alike. Its ids are at
	 * the end of path, leaf first. */
	struct op_view stack;
	uint32_t stack_id;
	uint32_t *path;
	size_t *ends; /* root first: offset behind each frame */
	size_t depth, most;

	struct op_value_type as; /* where the file does not say */
	struct op_profile head;
	struct op_build_pair pair;
	/* Those of the section before. */
	struct op_resource resource;
	struct op_scope scope;
	uint32_t resource_id;
	bool has_section;

	bool strict;		   /* a bad line is an error */
	uint64_t nr_lines, nr_bad; /* bad ones are skipped */
	const uint8_t *first_bad;
};

/* Fails with the number of the line that at is in. */
op_cold int op_folded_bad(struct op_folded_reader *r, int code,
			  const uint8_t *at, const char *why);

/* Text of the input in the form of the file. */
struct op_view op_folded_text(struct op_folded_reader *r, struct op_view raw);

/* A value: a whole number, or else text. */
struct op_any op_folded_value(struct op_folded_reader *r, struct op_view raw);

/* Attributes on their way to a set. */
enum { OP_FOLDED_MAX_ATTRS = 128 };

struct op_folded_set {
	uint32_t keys[OP_FOLDED_MAX_ATTRS];
	uint32_t ids[OP_FOLDED_MAX_ATTRS];
	uint32_t n;
};

/* Adds an attribute; one of the same key gives way. */
void op_folded_set_put(struct op_folded_reader *r, struct op_folded_set *set,
		       struct op_view key, struct op_view value);

int op_folded_read(struct op_view in, const struct op_read_opts *opts,
		   op_model_fn *fn, void *ctx, struct op_err *err);

/* --- head.c --- */

/* Begins a profile by its "# otprof" line; an empty line is none. */
void op_folded_section(struct op_folded_reader *r, struct op_view line);

/* Appends the line that op_folded_section() reads. */
void op_folded_put_head(struct op_buf *out, const struct op_model *m,
			const struct op_walk *w);

/* --- frame.c --- */

struct op_folded_style {
	bool lines;   /* their numbers behind the names */
	bool simple;  /* Java: no packages */
	bool norm;    /* Java: hidden classes are not told apart */
	bool threads; /* are the roots of stacks */
};

/* Appends the name of a function or, where there is none, the place. */
void op_folded_put_frame(struct op_buf *out, const struct op_model *m,
			 const struct op_location *l,
			 const struct op_line *line,
			 const struct op_folded_style *style);

/* Appends the thread of a sample; false if it has none. */
bool op_folded_put_thread(struct op_buf *out, const struct op_model *m,
			  uint32_t set);

/* --- write.c --- */

int op_folded_write(const struct op_model *m, const struct op_write_opts *opts,
		    struct op_sink *sink, struct op_err *err);

#endif
