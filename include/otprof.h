// SPDX-License-Identifier: Apache-2.0
/* otprof.h: OpenTelemetry profiles from C and C++.
 *
 *	struct otprof_err err = { 0 };
 *	struct otprof *p;
 *
 *	if (otprof_open_file("app.otlp", NULL, &p, &err))
 *		return fprintf(stderr, "%s\n", err.text);
 *	for (size_t i = 0; i < otprof_nr_profiles(p); i++)
 *		...
 *	otprof_free(p);
 *
 * A struct otprof holds any number of profiles with the tables they share. It
 * is made by reading (otprof_open_*), by building (otprof_builder_*) or from
 * others (otprof_merge, otprof_filter, otprof_diff), and does not change
 * afterwards, except by otprof_normalise().
 *
 * Rules that hold everywhere:
 *  - What can fail returns OTPROF_OK or a negative code and takes the caller's
 *    struct otprof_err, which says what and where. The first failure is kept:
 *    zero the struct before using it again. err must not be NULL.
 *  - Out parameters are written only on success.
 *  - Option structs and result structs begin with their size, which the caller
 *    sets (OTPROF_INIT): they grow at the end in later versions.
 *  - Strings are pointer and length, not ended by NUL, and belong to the
 *    object they came from.
 *  - Ids (stacks, attribute sets, ...) are only valid for the object that gave
 *    them; 0 means none.
 *  - An object may be used by one thread at a time. There is no global state.
 *  - The process is left alone: no call prints, or changes the locale, umask,
 *    environment, working directory, a signal handler or the caller's signal
 *    mask. Numbers in files do not depend on the locale. A file to read is read
 *    into memory, not mapped, so that one that shrinks raises no SIGBUS; one
 *    that is written can raise SIGXFSZ. Threads of exporters block signals.
 */
#ifndef OTPROF_H
#define OTPROF_H

#include <stddef.h>
#include <stdint.h>

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

/* "0.1.0" */
OTPROF_API const char *otprof_version(void);

/* --- errors --- */

enum otprof_code {
	OTPROF_OK = 0,
	OTPROF_EFORMAT = -1, /* the input is not what it claims to be */
	OTPROF_ENOMEM = -2,  /* the system or a quota has no more memory */
	OTPROF_ELIMIT = -3,  /* larger or deeper than a limit allows */
	OTPROF_EIO = -4,     /* the system refused; sys holds errno */
	OTPROF_EUSAGE = -5   /* the call cannot be meant so */
};

struct otprof_err {
	int code;
	int sys;	/* errno, or 0 */
	int has_at;	/* at is set */
	uint64_t at;	/* byte of the input */
	char text[256]; /* one sentence, without a period */
};

struct otprof_str {
	const char *p;
	size_t n;
};

/* --- reading --- */

struct otprof;

struct otprof_open_opts {
	size_t sz;
	uint64_t max_bytes; /* of the file, and unpacked; 0: 4 GiB */
	uint64_t mem_quota; /* bytes the object may take; 0: no limit */
	const char *format; /* by name; NULL: told from the bytes */
	/* "name=value", ended by NULL: what the format's page in docs/formats
	 * calls its options; others are ignored. May be NULL. */
	const char *const *settings;
	int strict; /* input that has to be skipped is OTPROF_EFORMAT */
	/* How much memory and work the input may take, here and in calls on
	 * what comes of it: this many times what is usual for its size
	 * (docs/budget.md). 0: once, OTPROF_NO_BUDGET: no limit. */
	uint32_t budget;
	/* Allows to open binaries that the input names, inside of this folder
	 * ("/": wherever they are): perf's stack dumps need them for callers,
	 * and its addresses to be those of the files. NULL: no file is opened
	 * because an input names it. */
	const char *root;
};

#define OTPROF_NO_BUDGET UINT32_MAX

/* Reads a file in any format that `otprof help formats` lists; gzip, zstd and
 * lz4 around it are unpacked, "-" is standard input. opts may be NULL. The
 * caller ends *out with otprof_free(). */
OTPROF_API int otprof_open_file(const char *path,
				const struct otprof_open_opts *opts,
				struct otprof **out, struct otprof_err *err);

/* The same from memory, which must stay as it is until otprof_free(). */
OTPROF_API int otprof_open_memory(const void *bytes, size_t n,
				  const struct otprof_open_opts *opts,
				  struct otprof **out, struct otprof_err *err);

/* NULL is allowed. */
OTPROF_API void otprof_free(struct otprof *p);

/* --- walking --- */

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
	int64_t total; /* of all values, held at the ends of int64_t */
	/* The bytes that the profile was made of, and what they are ("pprof",
	 * "jfr", ...); empty where it has none. */
	struct otprof_str payload, payload_format;
};

OTPROF_API size_t otprof_nr_profiles(const struct otprof *p);

/* Profile i, counted over all resources and scopes. */
OTPROF_API int otprof_profile(const struct otprof *p, size_t i,
			      struct otprof_profile *out,
			      struct otprof_err *err);

/* Either nr_values or nr_times may be 0: without times there is one value, a
 * total; without values each time counts 1. */
struct otprof_sample {
	size_t sz;
	uint32_t stack;
	uint32_t attrs;		 /* set */
	const uint8_t *trace_id; /* 16 bytes, or NULL */
	const uint8_t *span_id;	 /* 8 bytes, or NULL */
	const int64_t *values;
	uint32_t nr_values;
	const uint64_t *times; /* ns since 1970 */
	uint32_t nr_times;
};

OTPROF_API int otprof_sample(const struct otprof *p, size_t profile, uint32_t i,
			     struct otprof_sample *out, struct otprof_err *err);

/* One frame of a stack; an inlined call is a frame of its own. */
struct otprof_frame {
	size_t sz;
	struct otprof_str function;    /* as written in the source */
	struct otprof_str system_name; /* as in the binary */
	struct otprof_str file;
	int64_t line, column; /* from 1; 0: unknown */
	uint64_t address;
	struct otprof_str mapping; /* file name of the binary */
	uint32_t attrs;		   /* set, of the location */
	int is_inlined;		   /* into the frame that comes next */
};

/* Where a walk over frames stands; the fields are the library's. */
struct otprof_frames {
	const struct otprof *p;
	uint32_t stack, location, line;
};

/* Begins a walk over the frames of a stack, the leaf first. An unknown stack
 * has none. */
OTPROF_API struct otprof_frames otprof_frames(const struct otprof *p,
					      uint32_t stack);

/* The next frame; 0 at the end. out->sz must be set. */
OTPROF_API int otprof_frame_next(struct otprof_frames *walk,
				 struct otprof_frame *out);

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
	struct otprof_str s; /* of OTPROF_STRING and OTPROF_BYTES */
	int64_t i;	     /* of OTPROF_INT and OTPROF_BOOL */
	double d;	     /* of OTPROF_DOUBLE */
	const void *list;    /* of OTPROF_ARRAY and OTPROF_MAP: see below */
	uint32_t nr;	     /* elements of the list */
};

struct otprof_attr {
	struct otprof_str key;
	struct otprof_str unit;
	struct otprof_value value;
};

/* Where a walk over attributes stands; the fields are the library's. */
struct otprof_attrs {
	const struct otprof *p;
	const void *list;
	uint32_t i, n;
	int kind;
};

/* Begins a walk over a set, over the attributes of a resource or scope (as
 * numbered in otprof_profile), or over the elements of a list, whose keys are
 * empty if it is an array. */
OTPROF_API struct otprof_attrs otprof_attrs(const struct otprof *p,
					    uint32_t set);
OTPROF_API struct otprof_attrs otprof_resource_attrs(const struct otprof *p,
						     uint32_t resource);
OTPROF_API struct otprof_attrs
otprof_scope_attrs(const struct otprof *p, uint32_t resource, uint32_t scope);
OTPROF_API struct otprof_attrs
otprof_value_elements(const struct otprof *p, const struct otprof_value *v);

/* The next attribute; 0 at the end. */
OTPROF_API int otprof_attr_next(struct otprof_attrs *walk,
				struct otprof_attr *out);

/* --- building --- */

struct otprof_builder;

/* mem_quota 0: no limit. The caller ends it with otprof_builder_finish() or
 * otprof_builder_free(). Calls that add something give its id; after a failure
 * they give 0 and otprof_builder_finish() says what went wrong. What is given
 * is copied. */
OTPROF_API int otprof_builder_new(uint64_t mem_quota,
				  struct otprof_builder **out,
				  struct otprof_err *err);
OTPROF_API void otprof_builder_free(struct otprof_builder *b);

/* Ends the builder, also on failure. */
OTPROF_API int otprof_builder_finish(struct otprof_builder *b,
				     struct otprof **out,
				     struct otprof_err *err);

/* A string of C as one of ours. */
OTPROF_API struct otprof_str otprof_str(const char *s);

/* Values for attributes. */
OTPROF_API struct otprof_value otprof_string(const char *s);
OTPROF_API struct otprof_value otprof_int(int64_t i);

/* A resource, a scope in a resource, a profile in a scope. Of the profile,
 * type, unit, period and times, attrs, id and payload are taken. Units of the
 * attributes of a resource are ignored. */
OTPROF_API uint32_t otprof_build_resource(struct otprof_builder *b,
					  const struct otprof_attr *attrs,
					  size_t nr);
OTPROF_API uint32_t otprof_build_scope(struct otprof_builder *b,
				       uint32_t resource, const char *name,
				       const char *version);
OTPROF_API uint32_t otprof_build_profile(struct otprof_builder *b,
					 uint32_t scope,
					 const struct otprof_profile *head);

struct otprof_mapping {
	size_t sz;
	struct otprof_str file;
	uint64_t start, limit, offset;
	struct otprof_str build_id; /* GNU, hex; may be empty */
};

OTPROF_API uint32_t otprof_build_mapping(struct otprof_builder *b,
					 const struct otprof_mapping *m);

/* A place in the code, in a mapping or in none (0). The frames are those
 * inlined there, innermost first, usually one. The address and attrs of the
 * last count for all; the mapping's name in them is ignored. */
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

/* Which sample: 0 where there is none. */
struct otprof_identity {
	uint32_t stack, attrs, link;
};

/* Adds a value to a sample's total, or an observation at a time. A profile
 * takes only one of the two. */
OTPROF_API void otprof_build_add(struct otprof_builder *b, uint32_t profile,
				 struct otprof_identity id, int64_t value);
OTPROF_API void otprof_build_observe(struct otprof_builder *b, uint32_t profile,
				     struct otprof_identity id, int64_t value,
				     uint64_t time_unix_nano);

/* --- from profiles to profiles --- */

/* Removes what occurs twice or is not used; samples of one stack, attributes
 * and link become one. On failure p is as it was. */
OTPROF_API int otprof_normalise(struct otprof *p, struct otprof_err *err);

/* All of them in one: profiles of equal resource, scope, type, period and
 * attributes are joined, others stay apart. The originals stay. */
OTPROF_API int otprof_merge(struct otprof *const *list, size_t nr,
			    struct otprof **out, struct otprof_err *err);

/* Told in one sentence, without a period, what could not be done as asked. */
typedef void otprof_note_fn(void *ctx, const char *text);

struct otprof_filter_opts {
	size_t sz;
	/* Only these types, "cpu,alloc_space/bytes", or types of events that
	 * an attribute of a profile names; NULL: all. */
	const char *types;
	/* Regular expressions on function names and files and on mappings
	 * (plain text in a build without PCRE2): only samples with a frame
	 * that matches, and without one. May be NULL. */
	const char *focus;
	const char *ignore;
	/* Observations from this time on and before the other; those that
	 * last, as waits do, are cut. 0: no limit. */
	uint64_t from_unix_nano;
	uint64_t to_unix_nano;
	/* One value a sample in place of times: the sum, of a state the last,
	 * of a running counter the last less the first. */
	int aggregate;
	int drop_payloads;
	/* Called with ctx where values without times could not be cut. */
	otprof_note_fn *on_note;
	void *ctx;
};

/* The part of p that is asked for; opts may be NULL. A profile that lost or
 * changed something has no id and no payload. OTPROF_EUSAGE: no profile has
 * these types, or a pattern is none. */
OTPROF_API int otprof_filter(const struct otprof *p,
			     const struct otprof_filter_opts *opts,
			     struct otprof **out, struct otprof_err *err);

struct otprof_diff_opts {
	size_t sz;
	int exact;     /* compare all content, not only function names */
	int normalize; /* scale before so that the totals are equal */
};

/* What changed: one profile for each type and unit, over all resources and
 * times, with the values after less those before. opts may be NULL. */
OTPROF_API int otprof_diff(const struct otprof *before,
			   const struct otprof *after,
			   const struct otprof_diff_opts *opts,
			   struct otprof **out, struct otprof_err *err);

/* --- checking --- */

struct otprof_finding {
	const char *rule; /* as in docs/check.md */
	const char *path; /* into the message */
	const char *text;
	int is_error; /* else a warning */
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

/* Says how a file breaks the rules of OTLP profiles, if it does. A file that
 * cannot be read at all is a failure; one that breaks rules is not. */
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
	const char *format; /* by name; NULL: by the ending, else otlp */
	const char *const *settings; /* as in otprof_open_opts */
	/* Called with ctx for what the format cannot hold; may be NULL. */
	otprof_note_fn *on_note;
	void *ctx;
	/* "none", "gzip", "zstd" or "lz4"; NULL: by a further ending .gz, .zst
	 * or .lz4, else as is the custom of the format. */
	const char *pack;
};

/* Writes a file, which appears whole or not at all. opts may be NULL. Profiles
 * without an id are written with the hash of their content as one. A new file
 * has the mode 0666 less the umask; one that is replaced keeps its owner,
 * permissions and access control list, or the call fails. A link to a file
 * that does not exist is an error. A file that grows past RLIMIT_FSIZE is one
 * too (EFBIG) if the program ignores or handles SIGXFSZ. */
OTPROF_API int otprof_write_file(struct otprof *p, const char *path,
				 const struct otprof_write_opts *opts,
				 struct otprof_err *err);

/* The same into memory, which the caller ends with otprof_bytes_free(). */
OTPROF_API int otprof_write_memory(struct otprof *p,
				   const struct otprof_write_opts *opts,
				   uint8_t **out, size_t *n_out,
				   struct otprof_err *err);
OTPROF_API void otprof_bytes_free(uint8_t *bytes);

/* --- sending --- */

/* Sends profiles to an OpenTelemetry Collector or any other server of OTLP,
 * from a thread of its own:
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
 * What cannot be sent waits and is tried again. Nothing is lost without being
 * counted and told of. A message may arrive twice; it has the same profile ids
 * then. docs/spool.md says more.
 *
 * All functions may be called from any thread, but otprof_exporter_free() is
 * the last. After fork() the child must not use it, not even to free it; it
 * makes its own. */
struct otprof_exporter;

enum otprof_signal {
	OTPROF_PROFILES,
	OTPROF_LOGS /* that carry profiles, or any others */
};

/* Where something is NULL or 0, the variables OTEL_EXPORTER_OTLP_PROFILES_* and
 * OTEL_EXPORTER_OTLP_* say, and then the default does. Strings are copied. */
struct otprof_exporter_opts {
	size_t sz;
	const char *endpoint;	 /* URL; http://localhost:4318 */
	const char *protocol;	 /* "http/protobuf", "grpc", "http/json" */
	const char *compression; /* "none", "gzip", "zstd" */
	const char *headers;	 /* "name=value,...", percent-encoded */
	const char *ca_file, *cert_file, *key_file; /* PEM */
	uint64_t timeout_ms;			    /* of one try; 10 seconds */
	uint64_t max_request; /* bytes; 64 MiB. What is larger is split */
	uint64_t queue_bytes; /* that may wait in memory; 64 MiB */
	const char *spool;    /* directory in which messages wait; none */
	uint64_t spool_bytes; /* that may wait there; 1 GiB */
	uint64_t retry_ms; /* to try a message that is in no spool; 5 minutes */
	/* Not 0: sends logs too, over the same connection where it is the same
	 * server. OTEL_EXPORTER_OTLP_LOGS_* count then. Without an endpoint of
	 * their own they go to the one above, unless that has a path. */
	int logs;
	const char *logs_endpoint;
	/* Called with ctx, from any thread, with a sentence that says what went
	 * wrong and what becomes of the data. It must not call back. May be
	 * NULL. */
	otprof_note_fn *on_log;
	void *ctx;
};

/* opts may be NULL. What the spool still has from before is sent too. A server
 * or a spool that cannot be reached is not a failure here: it is told of. */
OTPROF_API int otprof_exporter_new(const struct otprof_exporter_opts *opts,
				   struct otprof_exporter **out,
				   struct otprof_err *err);

/* Takes profiles, to be sent soon; p may be freed afterwards. Profiles without
 * an id are sent with the hash of their content as one, and resources with the
 * attributes that OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES name and they
 * lack. Does not wait for the server. With a spool the profiles are in it, and
 * outlive the process, when this returns. */
OTPROF_API int otprof_exporter_send(struct otprof_exporter *e,
				    const struct otprof *p,
				    struct otprof_err *err);

/* A message in protobuf, ProfilesData or LogsData, without compression. */
struct otprof_message {
	size_t sz;
	enum otprof_signal signal;
	const void *bytes;
	size_t n;
	/* If it is set, the bytes are not copied but stay the caller's until
	 * it is called with ctx, from any thread, perhaps before
	 * otprof_exporter_send_bytes() returns; on failure it is not called. */
	void (*release)(void *ctx);
	void *ctx;
};

/* The same for a message. Profiles of today's layout that have ids are passed
 * on as they are. */
OTPROF_API int otprof_exporter_send_bytes(struct otprof_exporter *e,
					  const struct otprof_message *m,
					  struct otprof_err *err);

/* Waits until nothing waits any more, for at most so long; 0 if it still does.
 * UINT64_MAX: as long as it takes. */
OTPROF_API int otprof_exporter_flush(struct otprof_exporter *e,
				     uint64_t timeout_ms);

/* In messages, unless it says otherwise. What was in the spool before counts
 * as sent but not as put. */
struct otprof_exporter_stats {
	size_t sz;
	uint64_t put, put_bytes;
	uint64_t sent, sent_bytes;
	uint64_t refused;  /* the server will never take them */
	uint64_t rejected; /* profiles or records of messages that it took */
	uint64_t dropped;  /* at a bound, or after retry_ms */
	uint64_t tries;
	uint64_t waiting, waiting_bytes; /* in memory and in the spool */
	uint64_t spooled, spooled_bytes; /* of these, in the spool; the others
					  * are lost when the exporter ends */
};

OTPROF_API void otprof_exporter_stats(struct otprof_exporter *e,
				      struct otprof_exporter_stats *out);

/* Flushes for at most so long, then ends it. What is left stays in the spool;
 * without one it is lost, and told of. NULL is allowed. */
OTPROF_API void otprof_exporter_free(struct otprof_exporter *e,
				     uint64_t timeout_ms);

#ifdef __cplusplus
}
#endif

#endif
