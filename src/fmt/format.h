// SPDX-License-Identifier: Apache-2.0
/* fmt/format.h: a format is a row in one table (OP_FORMATS below).
 *
 * Commands never ask which format they deal with: they find a row and call
 * it. docs/ARCHITECTURE.md says how to add one. */
#ifndef OP_FMT_FORMAT_H
#define OP_FMT_FORMAT_H

#include "base/arena.h"
#include "base/buf.h"
#include "fmt/signal.h"
#include "fmt/source.h"
#include "model/model.h"

struct op_read_opts {
	/* Keep references that point nowhere, for op_check(). */
	bool unchecked;
	size_t mem_quota;     /* of each model; 0: none */
	unsigned int threads; /* at most; 0 is 1 */
	/* Allows to open the binaries that the input names, inside of this
	 * folder; NULL or empty: no file is opened because an input names it.
	 */
	const char *root;
	const char *const *settings; /* see op_setting(); may be NULL */
	/* Receives remarks about the input, each a sentence without a period;
	 * may be NULL. Readers call op_note() and op_note_skipped(). */
	void (*note)(void *ctx, const char *text);
	void *note_ctx;
	bool strict; /* skipped input is an error */
	/* What the caller can take best; a reader that cannot give it gives
	 * arrays. */
	enum op_timed timed;
};

/* A remark about input of which nothing was skipped. */
void op_note(const struct op_read_opts *opts, const char *fmt, ...)
	op_printf(2, 3);

/* A remark that input was skipped, which is an error with opts->strict.
 * Returns err->code, and does nothing if that is set already. */
int op_note_skipped(const struct op_read_opts *opts, struct op_err *err,
		    const char *fmt, ...) op_printf(3, 4);

struct op_write_opts {
	const char *const *settings; /* see op_setting(); may be NULL */
	/* Told in a sentence without a period what the format cannot hold of
	 * this model; NULL: nobody listens. */
	void (*note)(void *ctx, const char *text);
	void *ctx;
	const char *path; /* of the file; NULL: it has none */
};

/* Of a list of "name=value" that NULL ends, the value of the last such name;
 * NULL if there is none. Names are those of op_format.opts; each format looks
 * for its own. */
const char *op_setting(const char *const *settings, const char *name);

/* The words of the lists, "a,b,c", that the settings of a name hold:
 *	struct op_setting_words w = { settings };
 *	while (op_setting_word(&w, "event", &word))
 */
struct op_setting_words {
	const char *const *settings; /* may be NULL */
	const char *rest;
};
bool op_setting_word(struct op_setting_words *w, const char *name,
		     struct op_view *word);

/* Whether a setting is on: "1" or "yes" is, "0", "no" or none is not, any
 * other value is OP_EUSAGE. */
bool op_setting_is_on(const char *const *settings, const char *name,
		      struct op_err *err);

/* A setting that a format knows, for the commands' options and help. */
struct op_format_opt {
	const char *name;
	/* What the help calls the value; "yes|no" lists all there are. */
	const char *arg;
	const char *help;
	bool writes; /* else it is for reading */
};

/* Takes a model that a reader made. The model has views of the input. It is
 * the callee's from here on, also when it fails. */
typedef int op_model_fn(void *ctx, struct op_model *m, struct op_err *err);

/* Where a writer's bytes go. */
struct op_sink {
	int (*write)(struct op_sink *sink, struct op_view v,
		     struct op_err *err);
};

/* Takes a kind of record that a file holds, for `otprof show`. */
typedef void op_info_fn(void *ctx, struct op_view kind, uint64_t count,
			uint64_t bytes);

enum { OP_SNIFF_HEAD = 16, OP_SNIFF_TEXT = 256 << 10 };

struct op_format {
	const char *name;
	const char *summary;
	const char *endings[4]; /* of file names, the preferred first */
	bool gzip;		/* by custom its files are packed */
	bool copies;		/* its models have no views of the input */
	bool is_otlp;		/* in another encoding */
	bool writes_packed;	/* observations that are (model/obs.h) */
	bool is_sent;		/* messages of a signal may be written in it */
	enum op_signal signal;	/* then that one */
	/* How OTLP calls it as an original payload; NULL: by its name. */
	const char *payload_format;
	const struct op_format_opt *opts; /* ended by a NULL name; or NULL */

	/* How well the input looks like this format: 0 no, 100 surely. NULL
	 * where the format is only written. Those that look for lines of text
	 * look at OP_SNIFF_TEXT bytes: a large file may be one line. */
	int (*sniff)(struct op_view in);

	/* Calls fn for each message of the input, in order. NULL: the format
	 * is only written. */
	int (*read)(struct op_view in, const struct op_read_opts *opts,
		    op_model_fn *fn, void *ctx, struct op_err *err);

	/* The same from a file of which parts are in memory, one after the
	 * other. NULL: all of it must be. Wants copies, and a sniff that is
	 * sure of its first OP_SNIFF_HEAD bytes. */
	int (*read_parts)(const struct op_source *in,
			  const struct op_read_opts *opts, op_model_fn *fn,
			  void *ctx, struct op_err *err);

	/* Calls fn for each message of the input, which is not empty, as it is.
	 * NULL: its messages cannot be sent as they are. */
	int (*each)(struct op_view in, op_message_fn *fn, void *ctx,
		    struct op_err *err);

	/* Counts what records the input holds; NULL: it has no such. */
	int (*info)(struct op_view in, op_info_fn *fn, void *ctx,
		    struct op_err *err);

	/* NULL: the format is only read. opts may be NULL. */
	int (*write)(const struct op_model *m, const struct op_write_opts *opts,
		     struct op_sink *out, struct op_err *err);
};

/* The table of formats, the default first. Of two that a file looks like as
 * much, the first is taken. */
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

/* All of them in that order, ended by NULL. */
extern const struct op_format *const op_formats[];

/* By name; NULL if there is none. */
const struct op_format *op_format_named(const char *name);

/* The one whose ending the file name has, the longest ending first; one that
 * says how the file is packed (pack.h) may follow. NULL if there is none. */
const struct op_format *op_format_by_ending(const char *file);

/* The one the input looks like most; NULL if like none. */
const struct op_format *op_format_sniff(struct op_view in);

#endif
