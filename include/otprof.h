// SPDX-License-Identifier: Apache-2.0
/* otprof.h: read, build, convert and send OpenTelemetry profiles.
 *
 *	struct otprof_err err = { 0 };
 *	struct otprof *p;
 *
 *	if (otprof_open_file("app.otlp", NULL, &p, &err)) {
 *		fprintf(stderr, "%s\n", err.text);
 *		return 1;
 *	}
 *	for (size_t i = 0; i < otprof_nr_profiles(p); i++)
 *		...
 *	otprof_free(p);
 *
 * A struct otprof holds any number of profiles and the tables they share:
 * stacks, locations, functions, mappings, attribute sets, links. It is created
 * by reading (otprof_open_*, otprof_reader_*), by building (otprof_builder_*)
 * or from other objects (otprof_merge, otprof_filter, ...), and is immutable.
 *
 * Rules that hold everywhere:
 *  - A call that can fail returns OTPROF_OK or a negative code and fills the
 *    caller's struct otprof_err, which must not be NULL. The first failure is
 *    kept: zero the struct before you use it again.
 *  - Out parameters are written only on success.
 *  - Structs with a member sz are initialized with OTPROF_INIT(&s). Later
 *    versions may append members. Members that this version does not know are
 *    rejected with OTPROF_EUSAGE unless they are zero. In an array of such
 *    structs all have the same sz, which is the distance between them.
 *    Structs without sz never change.
 *  - Strings are a pointer and a length, without a terminating NUL. They and
 *    all other memory belong to the object they came from.
 *  - Ids are valid only in the object or builder that returned them. 0 is none.
 *  - Any number of threads may use the same struct otprof at the same time.
 *    A builder or reader belongs to one thread at a time. There is no global
 *    state.
 *  - The library prints nothing, unless a broken invariant makes it abort, and
 *    does not touch the locale, umask, environment, working directory, signal
 *    handlers or signal masks of the process. Input files are read into
 *    memory, not mapped, so one that shrinks does not raise SIGBUS; only
 *    otprof_symbolize() maps binaries. Writing a file can raise SIGXFSZ.
 */
#ifndef OTPROF_H
#define OTPROF_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; otprof_version() is that of the library. */
#define OTPROF_VERSION_MAJOR 1
#define OTPROF_VERSION_MINOR 0
#define OTPROF_VERSION_PATCH 0
#define OTPROF_VERSION_NUMBER                                        \
	(OTPROF_VERSION_MAJOR * 10000 + OTPROF_VERSION_MINOR * 100 + \
	 OTPROF_VERSION_PATCH)

/* C++ warns about { 0 } unless the members after the first have a default. */
#if defined(__cplusplus) && __cplusplus >= 201402L
#define OTPROF_ZERO_ = {}
#else
#define OTPROF_ZERO_
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define OTPROF_API __attribute__((visibility("default")))

/* Zeroes a struct and sets its size: OTPROF_INIT(&opts). */
#define OTPROF_INIT(s) otprof_init_(s, sizeof(*(s)))

static inline void otprof_init_(void *s, size_t n)
{
	unsigned char *p = (unsigned char *)s;

	for (size_t i = 0; i < n; i++)
		p[i] = 0;
	*(size_t *)s = n;
}

/* "1.0.0" */
OTPROF_API const char *otprof_version(void);

/* --- errors --- */

enum otprof_code {
	OTPROF_OK = 0,
	OTPROF_EFORMAT = -1, /* the input is not what it claims to be */
	OTPROF_ENOMEM = -2,  /* out of memory, or over a quota */
	OTPROF_ELIMIT = -3,  /* larger or deeper than a limit allows */
	OTPROF_EIO = -4,     /* a system call failed; sys holds errno */
	OTPROF_EUSAGE = -5   /* invalid argument or call order */
};

struct otprof_err {
	int code;
	int sys OTPROF_ZERO_;	  /* errno, or 0 */
	int has_at OTPROF_ZERO_;  /* at is set */
	uint64_t at OTPROF_ZERO_; /* offset in the input, in bytes */
	/* The complete message on one line, with path, offset and the text of
	 * errno: "cannot open 'x': No such file or directory". */
	char text[384] OTPROF_ZERO_;
};

struct otprof_str {
	const char *p;
	size_t n OTPROF_ZERO_;
};

/* A C string as a struct otprof_str; NULL is empty. */
OTPROF_API struct otprof_str otprof_str(const char *s);

/* Receives one diagnostic message, without a period. */
typedef void otprof_note_fn(void *ctx, const char *text);

/* --- reading --- */

struct otprof;

struct otprof_open_opts {
	size_t sz;
	uint64_t max_bytes; /* of the file, and decompressed; 0: 4 GiB */
	uint64_t mem_quota; /* bytes the object may take; 0: no limit */
	const char *format; /* by name; NULL: auto-detected */
	/* "name=value" strings, ended by NULL: options of the format, as listed
	 * on its page in docs/formats. Unknown names are ignored. */
	const char *const *settings;
	int strict; /* reject input if any part has to be skipped */
	/* Limit on memory and work, here and in later calls on the object, as a
	 * multiple of the usual limit for the size of the input
	 * (docs/budget.md). 0: once. OTPROF_NO_BUDGET: no limit. */
	uint32_t budget;
	/* Open binaries that the input names, below this directory ("/":
	 * anywhere); perf needs them to unwind stack dumps. NULL: no file is
	 * opened because an input names it. */
	const char *root;
	uint32_t threads; /* number of threads that may read; 0: 1 */
	/* Called with ctx for each diagnostic about the input; may be NULL. */
	otprof_note_fn *on_note;
	void *ctx;
};

#define OTPROF_NO_BUDGET UINT32_MAX

/* Reads a file in any format that `otprof help formats` lists, optionally
 * compressed with gzip, zstd or lz4. "-" is standard input. opts may be NULL.
 * The caller frees *out with otprof_free(). */
OTPROF_API int otprof_open_file(const char *path,
				const struct otprof_open_opts *opts,
				struct otprof **out, struct otprof_err *err);

/* The same from memory, which must not change before otprof_free(). */
OTPROF_API int otprof_open_memory(const void *bytes, size_t n,
				  const struct otprof_open_opts *opts,
				  struct otprof **out, struct otprof_err *err);

/* NULL is allowed. */
OTPROF_API void otprof_free(struct otprof *p);

/* Reads a stream message by message: OTLP messages that are each preceded by
 * their length (four bytes, big-endian), or OTLP/JSON objects one after the
 * other, as the Collector's file exporter writes both. Only one message is in
 * memory at a time. Any other input is read to its end and is one message. */
struct otprof_reader;

/* The caller owns fd and what opts points to; they must outlive the reader. */
OTPROF_API int otprof_reader_new(int fd, const struct otprof_open_opts *opts,
				 struct otprof_reader **out,
				 struct otprof_err *err);

/* Waits for the next message. 1: *out is the message; free it with
 * otprof_free(), at any time. 0: the stream has ended. A negative code:
 * failure; the reader can then only be freed. */
OTPROF_API int otprof_reader_next(struct otprof_reader *r, struct otprof **out,
				  struct otprof_err *err);

/* NULL is allowed. */
OTPROF_API void otprof_reader_free(struct otprof_reader *r);

/* --- profiles and samples --- */

struct otprof_profile {
	size_t sz;
	struct otprof_str type, unit; /* of the values */
	struct otprof_str period_type, period_unit;
	int64_t period;
	uint64_t time_unix_nano;
	uint64_t duration_nano;
	const uint8_t *id; /* 16 bytes, or NULL */
	uint32_t nr_samples;
	uint32_t attrs; /* set */
	uint32_t resource;
	uint32_t scope;
	struct otprof_str scope_name, scope_version;
	int64_t total; /* of all values; saturates */
	/* The original payload and its format ("pprof", "jfr", ...); empty if
	 * there is none. */
	struct otprof_str payload, payload_format;
};

OTPROF_API size_t otprof_nr_profiles(const struct otprof *p);

/* Profile i, counted over all resources and scopes. */
OTPROF_API int otprof_profile(const struct otprof *p, size_t i,
			      struct otprof_profile *out,
			      struct otprof_err *err);

/* All samples of a profile as arrays, without copying. The values of sample i
 * are values[value_at[i]] to values[value_at[i + 1] - 1]; times likewise.
 * Without times (time_at is NULL) a sample has one value, its total; without
 * values (value_at is NULL) each time counts 1. */
struct otprof_columns {
	size_t sz;
	uint32_t nr;
	const uint32_t *stacks, *attrs, *links; /* ids */
	const uint32_t *value_at;
	const int64_t *values;
	const uint32_t *time_at;
	const uint64_t *times; /* nanoseconds since 1970 */
};

OTPROF_API int otprof_columns(const struct otprof *p, size_t profile,
			      struct otprof_columns *out,
			      struct otprof_err *err);

struct otprof_sample {
	size_t sz;
	uint32_t stack;
	uint32_t attrs;		 /* set */
	const uint8_t *trace_id; /* 16 bytes, or NULL */
	const uint8_t *span_id;	 /* 8 bytes, or NULL */
	const int64_t *values;
	uint32_t nr_values;
	const uint64_t *times;
	uint32_t nr_times;
	uint32_t link;
};

OTPROF_API int otprof_sample(const struct otprof *p, size_t profile, uint32_t i,
			     struct otprof_sample *out, struct otprof_err *err);

/* --- tables --- */

enum otprof_table {
	OTPROF_MAPPINGS,
	OTPROF_LOCATIONS,
	OTPROF_FUNCTIONS,
	OTPROF_LINKS,
	OTPROF_STACKS,
	OTPROF_ATTRS /* sets */
};

/* Number of rows; ids are below it. Row 0 means none. */
OTPROF_API uint32_t otprof_nr_rows(const struct otprof *p,
				   enum otprof_table table);

struct otprof_ids {
	const uint32_t *p;
	uint32_t n OTPROF_ZERO_;
};

/* The locations of a stack, leaf first; empty if the id is out of range. */
OTPROF_API struct otprof_ids otprof_stack(const struct otprof *p,
					  uint32_t stack);

/* One frame of a stack. An inlined call is a separate frame. */
struct otprof_frame {
	size_t sz;
	struct otprof_str function;    /* as in the source */
	struct otprof_str system_name; /* as in the binary */
	struct otprof_str file;
	int64_t line, column; /* from 1; 0: unknown */
	uint64_t address;
	struct otprof_str mapping; /* file name of the binary */
	uint32_t attrs;		   /* set, of the location */
	int is_inlined;		   /* into the next frame */
	uint32_t location_id, function_id, mapping_id;
};

/* The state of an iteration over frames; its members are private. */
struct otprof_frames {
	const struct otprof *p;
	struct otprof_ids locations OTPROF_ZERO_;
	uint32_t at OTPROF_ZERO_, line OTPROF_ZERO_, one OTPROF_ZERO_;
};

/* Starts an iteration over the frames of a stack, leaf first, or of one
 * location, innermost first. It is empty if the id is out of range. */
OTPROF_API struct otprof_frames otprof_frames(const struct otprof *p,
					      uint32_t stack);
OTPROF_API struct otprof_frames otprof_location_frames(const struct otprof *p,
						       uint32_t location);

/* Gets the next frame; 0 at the end. out->sz must be set. */
OTPROF_API int otprof_frame_next(struct otprof_frames *walk,
				 struct otprof_frame *out);

/* A binary or library, or a part of one, in memory. */
struct otprof_mapping {
	size_t sz;
	struct otprof_str file;
	uint64_t start, limit, offset;
	struct otprof_str build_id; /* GNU, hexadecimal; may be empty */
	uint32_t attrs;		    /* set; the build ID is one of them */
};

OTPROF_API int otprof_mapping(const struct otprof *p, uint32_t mapping,
			      struct otprof_mapping *out,
			      struct otprof_err *err);

enum otprof_kind {
	OTPROF_NONE,
	OTPROF_STRING,
	OTPROF_BOOL,
	OTPROF_INT,
	OTPROF_DOUBLE,
	OTPROF_ARRAY,
	OTPROF_MAP,
	OTPROF_BYTES
};

struct otprof_value {
	enum otprof_kind kind;
	uint32_t nr OTPROF_ZERO_;	  /* elements of an array or map */
	struct otprof_str s OTPROF_ZERO_; /* string or bytes */
	int64_t i OTPROF_ZERO_;		  /* integer, or boolean */
	double d OTPROF_ZERO_;
	/* Elements of an array or map: of the object that the value was read
	 * from (see otprof_value_elements), or the caller's own if from is
	 * NULL: an array of struct otprof_value, or of struct otprof_attr. */
	const void *list OTPROF_ZERO_;
	const struct otprof *from OTPROF_ZERO_;
};

struct otprof_attr {
	struct otprof_str key;
	struct otprof_str unit OTPROF_ZERO_;
	struct otprof_value value OTPROF_ZERO_;
};

/* The state of an iteration over attributes; its members are private. */
struct otprof_attrs {
	const struct otprof *p;
	const void *list OTPROF_ZERO_;
	uint32_t i OTPROF_ZERO_, n OTPROF_ZERO_;
	int kind OTPROF_ZERO_;
};

/* Starts an iteration over an attribute set, over the attributes of a resource
 * or scope (as numbered in struct otprof_profile), or over the elements of a
 * value, whose keys are empty if it is an array. */
OTPROF_API struct otprof_attrs otprof_attrs(const struct otprof *p,
					    uint32_t set);
OTPROF_API struct otprof_attrs otprof_resource_attrs(const struct otprof *p,
						     uint32_t resource);
OTPROF_API struct otprof_attrs
otprof_scope_attrs(const struct otprof *p, uint32_t resource, uint32_t scope);
OTPROF_API struct otprof_attrs
otprof_value_elements(const struct otprof_value *v);

/* Gets the next attribute; 0 at the end. */
OTPROF_API int otprof_attr_next(struct otprof_attrs *walk,
				struct otprof_attr *out);

/* --- building --- */

/* A builder collects profiles and the tables they share. A profiler keeps one
 * for as long as it runs:
 *
 *	every sample:	otprof_build_observe(b, profile, id, value, now);
 *	every 10 s:	otprof_builder_take(b, &p, &err), send p, free p,
 *			begin new profiles
 *	now and then:	otprof_builder_compact(b, &err)
 *
 * Calls that add something return its id. After a failure they return 0 and do
 * nothing, and the next call that takes an err reports the failure. All
 * arguments are copied. */
struct otprof_builder;

/* mem_quota 0: no limit. The caller frees it with otprof_builder_free(). */
OTPROF_API int otprof_builder_new(uint64_t mem_quota,
				  struct otprof_builder **out,
				  struct otprof_err *err);

/* NULL is allowed. */
OTPROF_API void otprof_builder_free(struct otprof_builder *b);

/* Returns what was built since the last call, as an object that contains only
 * the rows it uses. The builder continues without resources, scopes and
 * profiles; the ids of all other rows stay valid, and adding an equal row again
 * returns the same id. On failure the builder can only be freed. */
OTPROF_API int otprof_builder_take(struct otprof_builder *b,
				   struct otprof **out, struct otprof_err *err);

/* Drops the rows that the object last taken does not use. All ids returned
 * before become invalid; using one is OTPROF_EUSAGE. So is calling this while
 * profiles are being built: call it right after otprof_builder_take(). */
OTPROF_API int otprof_builder_compact(struct otprof_builder *b,
				      struct otprof_err *err);

/* Memory used by the builder, to decide when to compact it. */
OTPROF_API uint64_t otprof_builder_bytes(const struct otprof_builder *b);

/* Values for attributes. Elements of arrays and maps are copied when the
 * attribute is built, not before. */
OTPROF_API struct otprof_value otprof_string(const char *s);
OTPROF_API struct otprof_value otprof_bool(int truth);
OTPROF_API struct otprof_value otprof_int(int64_t i);
OTPROF_API struct otprof_value otprof_double(double d);
OTPROF_API struct otprof_value otprof_bytes(const void *p, size_t n);
OTPROF_API struct otprof_value otprof_array(const struct otprof_value *elements,
					    uint32_t nr);
OTPROF_API struct otprof_value otprof_map(const struct otprof_attr *elements,
					  uint32_t nr);

/* A resource, a scope of a resource, a profile of a scope. Units of resource
 * and scope attributes are ignored. The members type, unit, period, times,
 * attrs, id and payload of the profile are used. */
OTPROF_API uint32_t otprof_build_resource(struct otprof_builder *b,
					  const struct otprof_attr *attrs,
					  size_t nr);
OTPROF_API uint32_t otprof_build_scope(struct otprof_builder *b,
				       uint32_t resource, const char *name,
				       const char *version,
				       const struct otprof_attr *attrs,
				       size_t nr);
OTPROF_API uint32_t otprof_build_profile(struct otprof_builder *b,
					 uint32_t scope,
					 const struct otprof_profile *head);

OTPROF_API uint32_t otprof_build_mapping(struct otprof_builder *b,
					 const struct otprof_mapping *m);

/* A code location in a mapping, or in none (0). The frames are the calls
 * inlined there, innermost first; usually there is one. Address and attrs are
 * those of the last frame; the name of the mapping and the ids in the frames
 * are ignored. */
OTPROF_API uint32_t otprof_build_location(struct otprof_builder *b,
					  uint32_t mapping,
					  const struct otprof_frame *frames,
					  size_t nr);

/* Leaf first. */
OTPROF_API uint32_t otprof_build_stack(struct otprof_builder *b,
				       const uint32_t *locations, size_t nr);

OTPROF_API uint32_t otprof_build_attrs(struct otprof_builder *b,
				       const struct otprof_attr *attrs,
				       size_t nr);

/* 16 and 8 bytes. */
OTPROF_API uint32_t otprof_build_link(struct otprof_builder *b,
				      const uint8_t *trace_id,
				      const uint8_t *span_id);

/* The identity of a sample. */
struct otprof_identity {
	uint32_t stack;
	uint32_t attrs OTPROF_ZERO_, link OTPROF_ZERO_;
};

/* Adds a value to the total of a sample, or an observation at a time. All
 * samples of a profile must be of the same kind. */
OTPROF_API void otprof_build_add(struct otprof_builder *b, uint32_t profile,
				 struct otprof_identity id, int64_t value);
OTPROF_API void otprof_build_observe(struct otprof_builder *b, uint32_t profile,
				     struct otprof_identity id, int64_t value,
				     uint64_t time_unix_nano);

/* --- from profiles to profiles --- */

/* Removes duplicate and unused rows, and merges samples with equal stack,
 * attributes and link. */
OTPROF_API int otprof_normalize(const struct otprof *p, struct otprof **out,
				struct otprof_err *err);

/* Merges profiles with equal resource, scope, type, period and attributes;
 * others stay separate. Attributes of profiles that begin with otprof.window.
 * are left out: they are of one window of a recording. */
OTPROF_API int otprof_merge(const struct otprof *const *list, size_t nr,
			    struct otprof **out, struct otprof_err *err);

struct otprof_filter_opts {
	size_t sz;
	/* Select profiles of these types, "cpu,alloc_space/bytes", or of the
	 * event types that an attribute of the profile names, or of both:
	 * "alloc_space/bytes/jdk.ObjectAllocationSample". NULL: all. */
	const char *types;
	/* Regular expressions for names of functions, files and mappings
	 * (plain text in a build without PCRE2): keep samples with a frame
	 * that matches, and drop samples with one. May be NULL. */
	const char *focus;
	const char *ignore;
	/* Keep observations from this time up to, but not including, that time.
	 * Intervals, such as waits, are cut. 0: no limit. */
	uint64_t from_unix_nano;
	uint64_t to_unix_nano;
	/* Replace timestamps by one value per sample: the sum; for a gauge the
	 * last value; for a counter the last value minus the first. */
	int aggregate;
	int drop_payloads;
	/* Called with ctx if values without timestamps could not be cut. */
	otprof_note_fn *on_note;
	void *ctx;
	/* Keep samples whose labels meet these conditions, as the option
	 * --where of otprof(1) takes them:
	 * "service.name=\"api\", thread=~\"worker.*\"". Profiles without
	 * such a sample are dropped. May be NULL. */
	const char *where;
	/* Regular expressions: remove frames that match; keep samples with a
	 * frame that matches, without the callers of the outermost one. May be
	 * NULL. */
	const char *hide;
	const char *show_from;
	/* Make one frame of a function that calls itself directly. */
	int collapse_recursion;
};

/* The selected part of p; opts may be NULL. A changed profile has no id and no
 * payload. OTPROF_EUSAGE: no profile has these types, or a regular expression
 * or a condition is invalid. */
OTPROF_API int otprof_filter(const struct otprof *p,
			     const struct otprof_filter_opts *opts,
			     struct otprof **out, struct otprof_err *err);

struct otprof_diff_opts {
	size_t sz;
	int exact;     /* compare entire frames, not only function names */
	int normalize; /* scale the values to equal totals first */
};

/* The difference: one profile per type and unit, over all resources and times,
 * with the values of after minus those of before. opts may be NULL. */
OTPROF_API int otprof_diff(const struct otprof *before,
			   const struct otprof *after,
			   const struct otprof_diff_opts *opts,
			   struct otprof **out, struct otprof_err *err);

struct otprof_symbolize_opts {
	size_t sz;
	/* Root directory of the binaries that the profile names; NULL: "/". */
	const char *root;
	/* More directories with binaries and debug files, separated by ':', in
	 * addition to those of the distribution; NULL: none. */
	const char *path;
	/* The otprof program, to read binaries in a separate process with
	 * limits on time and memory; NULL: they are read in this process. */
	const char *program;
	/* Called with ctx for each binary without symbols; may be NULL. */
	otprof_note_fn *on_note;
	void *ctx;
};

/* Adds function names, files and lines to addresses that have none, from
 * binaries of the same build on this host (docs/symbols.md). Locations that
 * cannot be resolved get the attribute otprof.location.unresolved with the
 * reason. opts may be NULL. */
OTPROF_API int otprof_symbolize(const struct otprof *p,
				const struct otprof_symbolize_opts *opts,
				struct otprof **out, struct otprof_err *err);

/* --- ranking --- */

struct otprof_top_opts {
	size_t sz;
	/* Types as in otprof_filter_opts; NULL: CPU time if there is any, else
	 * the type that people most likely mean. */
	const char *type;
	/* What to have a row for, as the option --by of otprof-top(1) takes it:
	 * "function", "line", "module", "thread", "thread,function",
	 * "http.route"; NULL: "function". */
	const char *by;
	int by_cum; /* sort by cum, not by flat */
};

/* Values of samples whose stack ends in this frame (flat), or has it anywhere
 * (cum). Without a part of frames in by, name is empty and both are equal. */
struct otprof_top_row {
	struct otprof_str name;
	const struct otprof_str *labels; /* of samples, in the order of by */
	int64_t flat;
	int64_t cum;
};

/* A ranked list of functions, threads or other labels. */
struct otprof_top;

/* Sums all profiles of one type. p must outlive the list. */
OTPROF_API int otprof_top_new(const struct otprof *p,
			      const struct otprof_top_opts *opts,
			      struct otprof_top **out, struct otprof_err *err);
OTPROF_API void otprof_top_free(struct otprof_top *t);

struct otprof_top_info {
	size_t sz;
	struct otprof_str type, unit;
	int64_t total;
	size_t nr_labels;
	size_t nr_rows;
	const struct otprof_top_row *rows; /* the largest first */
};

OTPROF_API int otprof_top_info(const struct otprof_top *t,
			       struct otprof_top_info *out,
			       struct otprof_err *err);

/* --- call trees and callers --- */

/* What a view is of. Select samples with otprof_filter() before. */
struct otprof_view_opts {
	size_t sz;
	const char *type; /* as in otprof_top_opts */
	/* As in otprof_top_opts. Trees take labels of samples and parts of
	 * frames, peek only parts of frames, totals and series only labels
	 * of samples; lines, heat maps and lanes have none. */
	const char *by;
	/* For peek and lines: a regular expression for names of functions;
	 * NULL: all. */
	const char *match;
	int inverted; /* trees: callers are the children */
	/* For series and heat maps: the range, its end excluded; to 0: that of
	 * the observations. */
	uint64_t from_unix_nano;
	uint64_t to_unix_nano;
	/* For series: the length of a bucket, or how many there are if that is
	 * 0; both 0: 60. Lanes have nr_steps. Heat maps have columns of
	 * step_nano (0: a second) with nr_steps rows (0: 50). */
	uint64_t step_nano;
	uint32_t nr_steps;
	/* For series: those of all other groups are joined; 0: no limit. */
	uint32_t max_rows;
};

/* Element i of an array of structs that begin with their size. */
#define OTPROF_AT(array, i) \
	((__typeof__(array))((const char *)(array) + (i) * (array)->sz))

/* A call tree. Node 0 is the root, which has no name and is its own parent. A
 * node is followed by those below it, the largest first:
 *
 *	for (size_t i = 1; i < info.nr_nodes; i++) {
 *		const struct otprof_tree_node *n = OTPROF_AT(info.nodes, i);
 *
 *		printf("%*s%.*s %lld\n", (int)n->depth, "", (int)n->name.n,
 *		       n->name.p, (long long)n->cum);
 *	}
 *
 * Labels of samples are the outermost nodes. In an inverted tree, flat is that
 * of the function in which the stack ends. */
struct otprof_tree;

struct otprof_tree_node {
	size_t sz;
	struct otprof_str name;
	size_t parent;
	size_t depth; /* of the root: 0 */
	int64_t flat; /* of stacks that end here */
	int64_t cum;  /* of this and all nodes below */
};

struct otprof_tree_info {
	size_t sz;
	struct otprof_str type, unit;
	int64_t total;
	size_t nr_nodes;
	const struct otprof_tree_node *nodes;
};

/* opts may be NULL, here and below. p must outlive the result. */
OTPROF_API int otprof_tree_new(const struct otprof *p,
			       const struct otprof_view_opts *opts,
			       struct otprof_tree **out,
			       struct otprof_err *err);
OTPROF_API int otprof_tree_info(const struct otprof_tree *t,
				struct otprof_tree_info *out,
				struct otprof_err *err);
OTPROF_API void otprof_tree_free(struct otprof_tree *t);

/* Functions that match, with their callers and callees. A stack counts once
 * for each pair; a function that calls itself is no pair. */
struct otprof_peek;

struct otprof_peek_call {
	size_t sz;
	struct otprof_str name; /* of the caller or callee */
	int64_t value;
};

struct otprof_peek_row {
	size_t sz;
	struct otprof_str name;
	int64_t flat;
	int64_t cum;
	size_t nr_callers;
	const struct otprof_peek_call *callers; /* the largest first */
	size_t nr_callees;
	const struct otprof_peek_call *callees;
};

struct otprof_peek_info {
	size_t sz;
	struct otprof_str type, unit;
	int64_t total;
	size_t nr_rows;			    /* 0: nothing matches */
	const struct otprof_peek_row *rows; /* the largest cum first */
};

OTPROF_API int otprof_peek_new(const struct otprof *p,
			       const struct otprof_view_opts *opts,
			       struct otprof_peek **out,
			       struct otprof_err *err);
OTPROF_API int otprof_peek_info(const struct otprof_peek *k,
				struct otprof_peek_info *out,
				struct otprof_err *err);
OTPROF_API void otprof_peek_free(struct otprof_peek *k);

/* The source lines of functions that match. Functions of one name in two files
 * are two. */
struct otprof_lines;

struct otprof_line {
	size_t sz;
	int64_t line; /* 0: unknown */
	int64_t flat;
	int64_t cum;
};

struct otprof_lines_row {
	size_t sz;
	struct otprof_str function;
	struct otprof_str file; /* may be empty */
	int64_t flat;
	int64_t cum;
	size_t nr_lines;
	const struct otprof_line *lines; /* in order */
};

struct otprof_lines_info {
	size_t sz;
	struct otprof_str type, unit;
	int64_t total;
	size_t nr_rows;			     /* 0: nothing matches */
	const struct otprof_lines_row *rows; /* the largest cum first */
};

OTPROF_API int otprof_lines_new(const struct otprof *p,
				const struct otprof_view_opts *opts,
				struct otprof_lines **out,
				struct otprof_err *err);
OTPROF_API int otprof_lines_info(const struct otprof_lines *l,
				 struct otprof_lines_info *out,
				 struct otprof_err *err);
OTPROF_API void otprof_lines_free(struct otprof_lines *l);

/* --- totals and times --- */

/* Totals by label:
 *
 *	struct otprof_view_opts o;
 *	struct otprof_totals_info info;
 *	struct otprof_totals *totals;
 *
 *	OTPROF_INIT(&o);
 *	OTPROF_INIT(&info);
 *	o.by = "thread";
 *	if (otprof_totals_new(p, &o, &totals, &err) ||
 *	    otprof_totals_info(totals, &info, &err))
 *		...
 *	for (size_t i = 0; i < info.nr_rows; i++) {
 *		const struct otprof_total *t = OTPROF_AT(info.rows, i);
 *
 *		printf("%.*s %lld\n", (int)t->labels[0].n, t->labels[0].p,
 *		       (long long)t->value);
 *	}
 *	otprof_totals_free(totals);
 */
struct otprof_totals;

struct otprof_total {
	size_t sz;
	const struct otprof_str *labels; /* in the order of by */
	int64_t value;
	uint64_t nr_samples;
	uint64_t nr_observations;
	uint64_t from_unix_nano; /* of the first; to 0: there are no times */
	uint64_t to_unix_nano;	 /* the end of the last */
};

struct otprof_totals_info {
	size_t sz;
	struct otprof_str type, unit;
	int64_t total;
	size_t nr_labels;
	size_t nr_rows;
	const struct otprof_total *rows; /* the largest first */
};

/* Without by, there is one row. */
OTPROF_API int otprof_totals_new(const struct otprof *p,
				 const struct otprof_view_opts *opts,
				 struct otprof_totals **out,
				 struct otprof_err *err);
OTPROF_API int otprof_totals_info(const struct otprof_totals *t,
				  struct otprof_totals_info *out,
				  struct otprof_err *err);
OTPROF_API void otprof_totals_free(struct otprof_totals *t);

/* What is in one bucket of time. What lasts is spread over the buckets that it
 * overlaps, and counted in the first. */
struct otprof_cell {
	int64_t value;
	uint64_t nr_observations;
};

/* Values over time. Bucket i begins at from_unix_nano + i * step_nano. */
struct otprof_series;

struct otprof_series_row {
	size_t sz;
	const struct otprof_str *labels; /* NULL: of all other groups */
	int64_t value; /* in all, also outside the range and without a time */
	const struct otprof_cell *cells; /* one per bucket */
};

struct otprof_series_info {
	size_t sz;
	struct otprof_str type, unit;
	int64_t total;
	uint64_t from_unix_nano;
	uint64_t to_unix_nano;
	uint64_t step_nano;
	size_t nr_buckets;
	size_t nr_labels;
	size_t nr_rows;			      /* 0: there are no times */
	const struct otprof_series_row *rows; /* the largest first */
	uint64_t nr_untimed; /* observations without a time, in no bucket */
	uint64_t nr_outside; /* observations that are not in the range */
};

OTPROF_API int otprof_series_new(const struct otprof *p,
				 const struct otprof_view_opts *opts,
				 struct otprof_series **out,
				 struct otprof_err *err);
OTPROF_API int otprof_series_info(const struct otprof_series *s,
				  struct otprof_series_info *out,
				  struct otprof_err *err);
OTPROF_API void otprof_series_free(struct otprof_series *s);

/* A heat map: when within each second something happened. */
struct otprof_heatmap;

struct otprof_heatmap_info {
	size_t sz;
	struct otprof_str type, unit;
	int64_t total;
	uint64_t from_unix_nano;
	uint64_t to_unix_nano;
	uint64_t step_nano; /* of a column */
	size_t nr_columns;  /* 0: there are no times */
	size_t nr_rows;	    /* of a column */
	/* The rows of the first column, from its beginning on, then those of
	 * the second, ... */
	const struct otprof_cell *cells;
	int64_t max_value; /* of all cells */
	uint64_t nr_untimed;
	uint64_t nr_outside;
};

OTPROF_API int otprof_heatmap_new(const struct otprof *p,
				  const struct otprof_view_opts *opts,
				  struct otprof_heatmap **out,
				  struct otprof_err *err);
OTPROF_API int otprof_heatmap_info(const struct otprof_heatmap *h,
				   struct otprof_heatmap_info *out,
				   struct otprof_err *err);
OTPROF_API void otprof_heatmap_free(struct otprof_heatmap *h);

/* Threads over time. Observations that last, of all types unless opts selects
 * some, are intervals in a state: that of the label "state", else their type.
 * Others, of one type, are counted by bucket. */
struct otprof_lanes;

struct otprof_interval {
	uint64_t from_unix_nano;
	uint64_t to_unix_nano;
};

struct otprof_lane_state {
	size_t sz;
	struct otprof_str state;
	int waits;		/* nothing is done in it */
	uint64_t time_nano;	/* 0: unknown */
	uint64_t nr_points;	/* observations that do not last */
	const uint64_t *points; /* per bucket; NULL: there are none */
	size_t nr_intervals;
	const struct otprof_interval *intervals; /* by their start */
};

struct otprof_lane {
	size_t sz;
	struct otprof_str process;
	struct otprof_str thread;
	uint64_t from_unix_nano;
	uint64_t to_unix_nano;
	uint64_t busy_nano;
	uint64_t waiting_nano;
	size_t nr_states;
	const struct otprof_lane_state *states; /* the longest first */
};

struct otprof_lanes_info {
	size_t sz;
	uint64_t from_unix_nano;
	uint64_t to_unix_nano;
	uint64_t step_nano;
	size_t nr_buckets;
	size_t nr_rows;			/* 0: there are no times */
	const struct otprof_lane *rows; /* the busiest first */
	uint64_t nr_untimed;
};

OTPROF_API int otprof_lanes_new(const struct otprof *p,
				const struct otprof_view_opts *opts,
				struct otprof_lanes **out,
				struct otprof_err *err);
OTPROF_API int otprof_lanes_info(const struct otprof_lanes *l,
				 struct otprof_lanes_info *out,
				 struct otprof_err *err);
OTPROF_API void otprof_lanes_free(struct otprof_lanes *l);

/* --- checking --- */

struct otprof_finding {
	const char *rule; /* as in docs/check.md */
	const char *path; /* into the message */
	const char *text;
	int is_error; /* otherwise a warning */
};

typedef void otprof_finding_fn(void *ctx, const struct otprof_finding *f);

struct otprof_check_opts {
	size_t sz;
	int strict;	    /* warnings are errors */
	uint64_t max_bytes; /* as in otprof_open_opts */
	/* Called with ctx for each finding; may be NULL. */
	otprof_finding_fn *on_finding;
	void *ctx;
};

struct otprof_check_result {
	size_t sz;
	uint64_t nr_errors, nr_warnings;
};

/* Validates a file against the OTLP profiles specification. A file that
 * violates rules is not a failure of the call; one that cannot be read is. */
OTPROF_API int otprof_check_file(const char *path,
				 const struct otprof_check_opts *opts,
				 struct otprof_check_result *out,
				 struct otprof_err *err);
OTPROF_API int otprof_check_memory(const void *bytes, size_t n,
				   const struct otprof_check_opts *opts,
				   struct otprof_check_result *out,
				   struct otprof_err *err);

/* --- writing --- */

struct otprof_write_opts {
	size_t sz;
	const char *format; /* by name; NULL: by the file name, else otlp */
	const char *const *settings; /* as in otprof_open_opts */
	/* Called with ctx for what the format cannot hold; may be NULL. */
	otprof_note_fn *on_note;
	void *ctx;
	/* "none", "gzip", "zstd" or "lz4"; NULL: by the file name, else the
	 * default of the format. */
	const char *pack;
};

/* Writes a file atomically. opts may be NULL. Profiles without an id are
 * written with a hash of their content as id. A new file has mode 0666 minus
 * the umask; a replaced file keeps its owner, mode and access control list, or
 * the call fails. A dangling symbolic link is an error. So is a file that
 * exceeds RLIMIT_FSIZE (EFBIG), if the process ignores or handles SIGXFSZ. */
OTPROF_API int otprof_write_file(const struct otprof *p, const char *path,
				 const struct otprof_write_opts *opts,
				 struct otprof_err *err);

/* The same to memory, which the caller frees with otprof_bytes_free(). */
OTPROF_API int otprof_write_memory(const struct otprof *p,
				   const struct otprof_write_opts *opts,
				   uint8_t **out, size_t *n_out,
				   struct otprof_err *err);
OTPROF_API void otprof_bytes_free(uint8_t *bytes);

/* --- sending --- */

/* Sends profiles to an OpenTelemetry Collector or another OTLP server, from its
 * own thread:
 *
 *	struct otprof_exporter_opts opts;
 *	struct otprof_exporter *e;
 *
 *	OTPROF_INIT(&opts);
 *	opts.spool = "/var/spool/shop-profiles";
 *	if (otprof_exporter_new(&opts, &e, &err))
 *		...
 *	otprof_exporter_send(e, p, &err);
 *	...
 *	otprof_exporter_free(e, 5000);
 *
 * Failed requests are retried. Dropped messages are counted and reported. A
 * message may arrive twice, with the same profile ids. See docs/spool.md.
 *
 * All functions may be called from any thread, but otprof_exporter_free() must
 * be the last. A child process must not use or free the exporter of its parent;
 * it creates its own. */
struct otprof_exporter;

enum otprof_signal {
	OTPROF_PROFILES,
	OTPROF_LOGS /* any logs, with or without profiles in them */
};

/* Members that are NULL or 0 are taken from the environment variables
 * OTEL_EXPORTER_OTLP_PROFILES_* and OTEL_EXPORTER_OTLP_*, then the defaults
 * given here. Strings are copied. */
struct otprof_exporter_opts {
	size_t sz;
	const char *endpoint;	 /* URL; http://localhost:4318 */
	const char *protocol;	 /* "http/protobuf", "grpc", "http/json" */
	const char *compression; /* "none", "gzip", "zstd" */
	const char *headers;	 /* "name=value,...", percent-encoded */
	const char *ca_file, *cert_file, *key_file; /* PEM */
	uint64_t timeout_ms;  /* of a request; 10 seconds */
	uint64_t max_request; /* bytes; 64 MiB. Larger messages are split */
	uint64_t queue_bytes; /* queued in memory at most; 64 MiB */
	const char *spool;    /* directory for queued messages; none */
	uint64_t spool_bytes; /* queued there at most; 1 GiB */
	uint64_t retry_ms;    /* retries without a spool end; 5 minutes */
	/* Not 0: send logs, too, configured by OTEL_EXPORTER_OTLP_LOGS_*. They
	 * share the connection if the server is the same. Without a
	 * logs_endpoint they go to endpoint, unless that has a path. */
	int logs;
	const char *logs_endpoint;
	/* Called with ctx, from any thread, for each diagnostic: what failed
	 * and what happens to the data. It must not call otprof. May be NULL.
	 */
	otprof_note_fn *on_log;
	void *ctx;
};

/* opts may be NULL. Messages left in the spool are sent, too. An unreachable
 * server or an unusable spool is reported to on_log and is not a failure. */
OTPROF_API int otprof_exporter_new(const struct otprof_exporter_opts *opts,
				   struct otprof_exporter **out,
				   struct otprof_err *err);

/* Queues profiles; p may be freed afterwards. Profiles without an id are sent
 * with a hash of their content as id, and resources with the attributes of
 * OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES that they lack. Does not wait
 * for the server. With a spool, the profiles are stored in it on return and
 * survive the process. */
OTPROF_API int otprof_exporter_send(struct otprof_exporter *e,
				    const struct otprof *p,
				    struct otprof_err *err);

/* A message in protobuf, ProfilesData or LogsData, without compression. */
struct otprof_message {
	size_t sz;
	enum otprof_signal signal;
	const void *bytes;
	size_t n;
	/* NULL: the bytes are copied. Else they must stay valid until release
	 * is called with ctx, from any thread, possibly before
	 * otprof_exporter_send_bytes() returns. Not called on failure. */
	void (*release)(void *ctx);
	void *ctx;
};

/* Queues an encoded message. Profiles of the current wire version that have ids
 * are sent unchanged. */
OTPROF_API int otprof_exporter_send_bytes(struct otprof_exporter *e,
					  const struct otprof_message *m,
					  struct otprof_err *err);

/* Waits until the queue is empty, at most timeout_ms (UINT64_MAX: without a
 * limit). Returns 0 on timeout. */
OTPROF_API int otprof_exporter_flush(struct otprof_exporter *e,
				     uint64_t timeout_ms);

/* Counts of messages unless noted. Messages left in the spool by an earlier
 * exporter count as sent but not as put. */
struct otprof_exporter_stats {
	size_t sz;
	uint64_t put, put_bytes;
	uint64_t sent, sent_bytes;
	uint64_t refused;  /* rejected by the server as a whole */
	uint64_t rejected; /* profiles or records, of accepted messages */
	uint64_t dropped;  /* at a limit, or after retry_ms */
	uint64_t tries;
	uint64_t waiting, waiting_bytes; /* in memory and in the spool */
	uint64_t spooled, spooled_bytes; /* of these, in the spool; the others
					  * are lost with the exporter */
};

OTPROF_API void otprof_exporter_stats(struct otprof_exporter *e,
				      struct otprof_exporter_stats *out);

/* Flushes for at most timeout_ms and frees the exporter. What is left stays in
 * the spool, or is lost and reported without one. NULL is allowed. */
OTPROF_API void otprof_exporter_free(struct otprof_exporter *e,
				     uint64_t timeout_ms);

/* --- the agent ---
 *
 * A profiler inside of a program: it takes the stacks of all threads at a fixed
 * interval, with the span that each is in, and sends them from a process of its
 * own. These two functions are in libotprof-agent.so, not in the library. A
 * program that is not linked with it can preload it. The environment takes
 * precedence over these options. See otprof-run(1).
 */
struct otprof_agent_opts {
	size_t sz;
	uint64_t interval_ms; /* between two stacks of a thread; 0: 1000 */
	int has_memory;	      /* sample allocations, too */
	/* Where the samples go, separated by commas; NULL: splunk-text.
	 *	splunk-text, splunk-pprof	as OTLP logs
	 *	otlp				as OTLP profiles
	 *	file:PATH			into a file of OTLP profiles */
	const char *output;
};

/* Starts the agent; opts may be NULL. A thread does the rest, and reports on
 * stderr if it cannot. It is started once in the life of a process; a forked
 * child has none. OTPROF_EUSAGE if SPLUNK_PROFILER_ENABLED is false. */
OTPROF_API int otprof_agent_start(const struct otprof_agent_opts *opts,
				  struct otprof_err *err);

/* Stops it, for good; what was sampled is still sent. */
OTPROF_API void otprof_agent_stop(void);

#ifdef __cplusplus
}
#endif

#endif
