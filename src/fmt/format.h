// SPDX-License-Identifier: Apache-2.0
/* fmt/format.h: a format is a row in one table (OP_FORMATS below).
 *
 * Commands never test for a specific format: they find a row and call it.
 * docs/ARCHITECTURE.md says how to add one. */
#ifndef OP_FMT_FORMAT_H
#define OP_FMT_FORMAT_H

#include "base/arena.h"
#include "base/buf.h"
#include "fmt/signal.h"
#include "fmt/source.h"
#include "model/model.h"

struct op_read_opts {
	/* Keep references past their tables, for op_check(). */
	bool unchecked;
	size_t mem_quota;     /* of each model; 0: none */
	unsigned int threads; /* at most; 0 means 1 */
	/* Allows opening binaries that the input names, inside this directory;
	 * NULL or empty: no file is opened because an input names it.
	 */
	const char *root;
	const char *const *settings; /* see op_setting(); may be NULL */
	/* Receives one diagnostic message about the input, without a period;
	 * may be NULL. Readers call op_note() and op_note_skipped(). */
	void (*note)(void *ctx, const char *text);
	void *note_ctx;
	bool strict; /* skipped input is an error */
	/* The form that the caller prefers; a reader that does not support it
	 * returns arrays. */
	enum op_timed timed;
};

/* A note about input of which nothing was skipped. */
void op_note(const struct op_read_opts *opts, const char *fmt, ...)
	op_printf(2, 3);

/* A note that input was skipped, which is an error with opts->strict. Returns
 * err->code, and does nothing if that is already set. */
int op_note_skipped(const struct op_read_opts *opts, struct op_err *err,
		    const char *fmt, ...) op_printf(3, 4);

struct op_write_opts {
	const char *const *settings; /* see op_setting(); may be NULL */
	/* Receives one diagnostic message, without a period, about what the
	 * format cannot hold of this model; may be NULL. */
	void (*note)(void *ctx, const char *text);
	void *ctx;
	const char *path; /* of the file; NULL: none */
};

/* The value of the last "name=value" with this name in a NULL-terminated list;
 * NULL if there is none. Names are those of op_format.opts; each format looks
 * for its own. */
const char *op_setting(const char *const *settings, const char *name);

/* Iterates over the words of all comma-separated lists given for a name:
 *	struct op_setting_words w = { settings };
 *	while (op_setting_word(&w, "event", &word))
 */
struct op_setting_words {
	const char *const *settings; /* may be NULL */
	const char *rest;
};
bool op_setting_word(struct op_setting_words *w, const char *name,
		     struct op_view *word);

/* Whether a setting is on: "1" and "yes" are, "0", "no" and an absent one are
 * not; any other value is OP_EUSAGE. */
bool op_setting_is_on(const char *const *settings, const char *name,
		      struct op_err *err);

/* A setting of a format, for the options and help of commands. */
struct op_format_opt {
	const char *name;
	/* Name of the value in the help; "yes|no" lists all values. */
	const char *arg;
	const char *help;
	bool writes; /* otherwise for reading */
};

/* Receives a model from a reader. The model has views of the input. The callee
 * owns the model, even if it fails. */
typedef int op_model_fn(void *ctx, struct op_model *m, struct op_err *err);

/* The end of a reader: passes the model on, or frees it after an error. */
op_inline int op_model_deliver(struct op_model *m, op_model_fn *fn, void *ctx,
			       struct op_err *err)
{
	if (!err->code)
		return fn(ctx, m, err);
	op_model_free(m);
	return err->code;
}

/* The destination of the bytes of a writer. */
struct op_sink {
	int (*write)(struct op_sink *sink, struct op_view v,
		     struct op_err *err);
};

/* Receives a kind of record that a file contains, for `otprof show`. */
typedef void op_info_fn(void *ctx, struct op_view kind, uint64_t count,
			uint64_t bytes);

enum { OP_SNIFF_HEAD = 16, OP_SNIFF_TEXT = 256 << 10 };

struct op_format {
	const char *name;
	const char *summary;
	const char *endings[4]; /* of file names, preferred first */
	bool gzip;		/* files are usually gzipped */
	bool copies;		/* models have no views of the input */
	bool is_otlp;		/* in another encoding */
	bool writes_packed;	/* packed observations (model/obs.h) */
	bool shows_names;	/* people look at it: addresses do not help */
	bool is_sent;		/* messages of a signal can be written in it */
	enum op_signal signal;	/* if so, which one */
	/* Its name in OTLP as an original payload; NULL: the format name. */
	const char *payload_format;
	const struct op_format_opt *opts; /* a NULL name ends it; or NULL */

	/* How likely the input is in this format: 0 no, 100 certainly. NULL for
	 * formats that are only written. Sniffers that look for lines of text
	 * look at OP_SNIFF_TEXT bytes: a large file may be one line. */
	int (*sniff)(struct op_view in);

	/* Calls fn for each message of the input, in order. NULL: the format is
	 * only written. */
	int (*read)(struct op_view in, const struct op_read_opts *opts,
		    op_model_fn *fn, void *ctx, struct op_err *err);

	/* The same from a file that is read in parts, one after the other.
	 * NULL: the whole input must be in memory. Requires copies, and a sniff
	 * that is certain about the first OP_SNIFF_HEAD bytes. */
	int (*read_parts)(const struct op_source *in,
			  const struct op_read_opts *opts, op_model_fn *fn,
			  void *ctx, struct op_err *err);

	/* Calls fn for each message of the input, which is not empty, as is.
	 * NULL: its messages cannot be sent as is. */
	int (*each)(struct op_view in, op_message_fn *fn, void *ctx,
		    struct op_err *err);

	/* Counts the records in the input; NULL: the format has none. */
	int (*info)(struct op_view in, op_info_fn *fn, void *ctx,
		    struct op_err *err);

	/* NULL: the format is only read. opts may be NULL. */
	int (*write)(const struct op_model *m, const struct op_write_opts *opts,
		     struct op_sink *out, struct op_err *err);
};

/* The table of formats, the default first. If a file looks equally like two
 * formats, the first is used. */
#define OP_FORMATS(X)       \
	X(otlp)             \
	X(otlp_json)        \
	X(pprof)            \
	X(folded)           \
	X(jfr)              \
	X(perf)             \
	X(perf_script)      \
	X(simpleperf)       \
	X(gperftools)       \
	X(html)             \
	X(svg)              \
	X(chrome_trace)     \
	X(cpuprofile)       \
	X(heapprofile)      \
	X(speedscope)       \
	X(firefox)          \
	X(otep239)          \
	X(otep_arrays)      \
	X(otlp_events)      \
	X(otlp_events_text) \
	X(splunk_text)      \
	X(splunk_pprof)

#define OP_FORMAT_DECLARE(name) extern const struct op_format op_format_##name;
OP_FORMATS(OP_FORMAT_DECLARE)
#undef OP_FORMAT_DECLARE

/* All formats in that order, NULL-terminated. */
extern const struct op_format *const op_formats[];

/* By name; NULL if there is none. */
const struct op_format *op_format_named(const char *name);

/* The same; OP_EUSAGE, with the closest name, if there is none. */
const struct op_format *op_format_wanted(const char *name, struct op_err *err);

/* The format whose extension the file name has, the longest first; an extension
 * for compression (pack.h) may follow. NULL if there is none. */
const struct op_format *op_format_by_ending(const char *file);

/* The format that the input looks like most; NULL if none. */
const struct op_format *op_format_sniff(struct op_view in);

#endif
