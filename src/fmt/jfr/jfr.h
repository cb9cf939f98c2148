// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/jfr.h: between the files of the JFR reader.
 *
 *	chunk.c    the file as chunks, their headers
 *	metadata.c a chunk's own description of its types
 *	value.c    values of any type: read, skipped, as text
 *	constant_pool.c constant pools: where the value of an id is
 *	key_cache.c what became of packed numbers that came before, by bytes
 *	packed_event.h events of a few packed numbers
 *	carry.c    what was made of the constants of the chunk before
 *	rows.c     frames, threads and classes as rows of the model
 *	event_types.c the table of event types: which profiles they become
 *	event_filter.c what the options ask for
 *	plan.c     what each field of an event type is for, in this chunk
 *	walk.c     all events of a chunk into the profiles
 *	engine.c   samples of CPU time and of wall time told apart
 *	event_context.c what events say of others
 *	link.c     ids of traces and spans
 *	native_leaks.c native memory that was not given back
 *	spans.c    intervals that say what a thread was doing, and endpoints
 *	redact.c   passwords and the like, taken out
 *	facts.c    what the recording says of the machine, and its settings
 *	parallel.c chunks in several threads, and what they found joined
 *	read.c     the format
 *
 * Ids of types, fields and layouts are those of a chunk and mean nothing in
 * the next: everything in struct op_jfr_chunk dies with the chunk, what is
 * built stays. The last chunk lives until the next one took from it what is
 * the same. */
#ifndef OP_FMT_JFR_JFR_H
#define OP_FMT_JFR_JFR_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/vec.h"
#include "fmt/source.h"
#include "model/builder.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/key_cache.h"
#include "fmt/jfr/packed_event.h"

/* --- types --- */

enum op_jfr_kind {
	OP_JFR_BYTE,  /* boolean, byte */
	OP_JFR_SHORT, /* short, char */
	OP_JFR_INT,
	OP_JFR_LONG,
	OP_JFR_FLOAT,
	OP_JFR_DOUBLE,
	OP_JFR_STRING,
	OP_JFR_STRUCT,
	OP_JFR_REF, /* an id of a pool */
};

enum op_jfr_unit {
	OP_JFR_PLAIN,
	OP_JFR_TICKS,
	OP_JFR_NANOS,
	OP_JFR_MILLIS,
};

struct op_jfr_field {
	struct op_view name;
	uint64_t type_id;
	uint32_t type;	       /* index; OP_NO_ID: not described */
	enum op_jfr_kind kind; /* how it is written */
	enum op_jfr_unit unit;
	bool is_array;
	bool is_ref;
	bool is_bool;
};

struct op_jfr_pool {
	/* Most writers number values one after the other: so many are found
	 * by the distance of their id from the first, all others here. */
	uint32_t nr_in_row;
	struct op_intern index;
	OP_VEC(uint64_t) ids;
	OP_VEC(uint64_t) at;	/* byte of the chunk where the value begins */
	OP_VEC(uint64_t) bytes; /* that the value takes */
	OP_VEC(uint32_t) made;	/* what became of it; OP_NO_ID: nothing yet */
};

struct op_jfr_plan;

struct op_jfr_type {
	uint64_t id;
	struct op_view name;
	enum op_jfr_kind kind;
	bool is_event, is_simple;
	bool is_numbers; /* its values are nr_fields packed numbers */
	bool is_empty;	 /* its values were seen to take no bytes */
	uint32_t first_field, nr_fields;
	struct op_jfr_pool pool;
	struct op_jfr_plan *plan;     /* of an event that is wanted */
	uint64_t nr_events, nr_bytes; /* where they are counted */
};

/* --- a chunk --- */

struct op_jfr_header {
	uint64_t at; /* where it begins in the file */
	uint64_t size;
	uint64_t pools_at, meta_at; /* from its beginning */
	uint64_t start_ns, duration_ns;
	uint64_t start_ticks, ticks_per_s;
	uint16_t major, minor;
	bool packed; /* integers are of varying length */
};

struct op_jfr;

struct op_jfr_chunk {
	struct op_jfr *j;
	struct op_err *err;
	struct op_arena mem;
	struct op_jfr_header h;
	struct op_view bytes; /* offsets are from where it begins */
	struct op_buf room;   /* for them */
	OP_VEC(struct op_jfr_type) types;
	OP_VEC(struct op_jfr_field) fields;
	OP_VEC(struct op_view) names; /* strings of the metadata */
	uint32_t *by_id;	      /* type of an id, or OP_NO_ID */
	uint32_t nr_by_id;
	uint64_t pool_bytes; /* of checkpoints read so far */
	bool counts;	     /* the events of each type */

	/* Types that the reader knows by name; OP_NO_ID: not in this chunk. */
	uint32_t t_string, t_symbol, t_class, t_method, t_stack, t_frame,
		t_frame_type, t_thread, t_group, t_state;
	struct op_jfr_rows *rows;
	/* Texts of events, numbered. */
	struct op_intern text_index;
	OP_VEC(struct op_view) texts;
};

/* --- a recording --- */

/* A profile that events of a type become, over all chunks. */
struct op_jfr_target {
	struct op_view event; /* name of the event type */
	struct op_view type, unit;
	struct op_view period; /* type of the period; empty: none */
	uint32_t profile;
	uint32_t like; /* the profile that it is like, or OP_NO_ID */
};

/* How async-profiler took a sample; the numbers of profiles of a plan. */
enum op_jfr_engine { OP_JFR_CPU, OP_JFR_WALL, OP_JFR_OPEN };

/* What a setting said of the sampling of an event type. */
struct op_jfr_period {
	struct op_view event;
	int64_t ns;
};

/* A block of native memory. */
struct op_jfr_block {
	uint64_t address;
	uint64_t malloc_ns, free_ns; /* last; 0: never */
	int64_t size;
	uint32_t sample; /* of the profile of mallocs */
};

struct op_jfr_opts {
	const char *const *settings;
	const char *thread; /* part of a thread's name */
	const char *states;
	const char *tag; /* of intervals */
	int64_t latency_ns;
	bool has_latency;
	double tail; /* of the time: what is taken in it is no leak */
	bool is_datadog;
	bool properties;
	bool recover;
	bool sums; /* observations are added up while they are read */
	bool sums_objects;
};

/* --- intervals and endpoints --- */

/* What a thread was doing: a tag, a span, or what was asked for. */
struct op_jfr_activity {
	struct op_view tag;
	struct op_link link;
};

enum op_jfr_interval_kind { OP_JFR_TAGGED, OP_JFR_LINKED, OP_JFR_SELECTED };

struct op_jfr_interval {
	int64_t thread[2]; /* thread.id, and the system's */
	uint64_t from_ns, to_ns;
	uint32_t activity;
	enum op_jfr_interval_kind kind;
};

/* What a request was, by the span that began it. */
struct op_jfr_endpoint {
	uint64_t root;
	struct op_view endpoint, operation;
};

/* Of all chunks; views are of the recording's memory. */
struct op_jfr_spans {
	struct op_intern activity_index, endpoint_index;
	OP_VEC(struct op_jfr_activity) activity;
	OP_VEC(struct op_jfr_interval) intervals;
	OP_VEC(struct op_jfr_endpoint) endpoints;
};

struct op_jfr {
	struct op_builder b;
	struct op_err *err;
	struct op_arena mem;
	struct op_jfr_opts opts;
	uint32_t resource, scope;
	OP_VEC(struct op_jfr_target) targets;
	OP_VEC(struct op_kv) facts; /* attributes of the resource */
	OP_VEC(struct op_jfr_period) periods;
	OP_VEC(struct op_view) seen;  /* names of event types */
	struct op_intern block_index; /* by address */
	OP_VEC(struct op_jfr_block) blocks;
	uint32_t malloc_profile;
	struct op_jfr_spans spans;
	/* Of the recording at hand; open: of a chunk that was not read. */
	enum op_jfr_engine engine;
	unsigned int engines_met;	  /* a bit for each */
	bool has_met;			  /* an event that is asked for */
	uint64_t states_seen;		  /* which words of --state */
	bool has_walked;		  /* events of the chunk were read */
	uint64_t lost_bytes, lost_chunks; /* of broken chunks */
	uint64_t lost_events;		  /* of chunks that are whole */
	bool has_moved;			  /* samples lost their observations */
	uint64_t first_ns, last_ns;	  /* of all chunks and events */
	struct op_jfr_chunk last;	  /* the one before; all zero: none */
	struct op_buf spare;		  /* room for the next */
};

int op_jfr_nomem(struct op_err *err);

/* --- time --- */

op_inline uint64_t op_jfr_ticks_ns(const struct op_jfr_header *h,
				   uint64_t ticks)
{
	if (op_likely(h->ticks_per_s == 1000000000))
		return ticks;
	return (uint64_t)((unsigned __int128)ticks * 1000000000 /
			  h->ticks_per_s);
}

/* The moment of an event; those before the chunk began count backwards. */
op_inline uint64_t op_jfr_time_ns(const struct op_jfr_header *h, uint64_t ticks)
{
	if (ticks >= h->start_ticks)
		return h->start_ns + op_jfr_ticks_ns(h, ticks - h->start_ticks);
	return h->start_ns - op_jfr_ticks_ns(h, h->start_ticks - ticks);
}

op_inline int64_t op_jfr_span_ns(const struct op_jfr_header *h,
				 enum op_jfr_unit unit, uint64_t v)
{
	switch (unit) {
	case OP_JFR_TICKS:
		return (int64_t)op_jfr_ticks_ns(h, v);
	case OP_JFR_MILLIS:
		return v > INT64_MAX / 1000000 ? INT64_MAX :
						 (int64_t)v * 1000000;
	default:
		return (int64_t)v;
	}
}

/* --- rows of the model --- */

/* Which fields of a type are wanted, as slots by the order of its fields. */
enum { OP_JFR_MAX_FIELDS = 64, OP_JFR_NO_SLOT = 255 };

struct op_jfr_layout {
	uint32_t type;
	uint32_t nr;
	uint32_t nr_wanted; /* fields up to the last that is wanted */
	uint32_t refs;	    /* a bit for each slot of a text in the pool */
	uint8_t slot[OP_JFR_MAX_FIELDS];
};

struct op_jfr_frame_type {
	bool is_known;
	struct op_view text;
	unsigned int kind;
	uint32_t attrs; /* of a location without a bytecode index */
};

struct op_jfr_rows {
	struct op_jfr_layout method, class, group, stack, frame, thread;
	struct op_jfr_key_cache locations; /* by frame */
	struct op_jfr_recent recent;	   /* some of them */
	bool has_others;		   /* frames that are not among them */
	struct op_id_vec ids;		   /* of the stack or set at hand */
	struct op_buf text;
	bool has_kernel; /* the writer tells kernel frames apart */
	struct op_jfr_frame_type frame_types[16]; /* by id */
};

#define OP_JFR_ATTR_OS_ID "jfr.thread.os_id"

/* As the recording has them. */
struct op_jfr_method {
	struct op_view class, name, descriptor;
};

struct op_jfr_thread {
	int64_t ids[2]; /* thread.id, and the system's; 0: none */
	struct op_view name, group;
	bool is_virtual;
};

/* The constants that a frame refers to. */
struct op_jfr_frame_refs {
	uint64_t method, type;
};

/* rows.c */
int op_jfr_rows_begin(struct op_jfr_chunk *c);
void op_jfr_rows_end(struct op_jfr_chunk *c);
/* The stack of an id; *truncated says whether it was cut. */
uint32_t op_jfr_stack(struct op_jfr_chunk *c, uint64_t id, bool *truncated);
/* Whether the locations of all frames of the stack at a byte of the chunk are
 * in the cache. */
bool op_jfr_stack_is_cached(struct op_jfr_chunk *c, uint64_t at);
/* The set of a thread's attributes. */
uint32_t op_jfr_thread(struct op_jfr_chunk *c, uint64_t id);
/* Names as they are in the source, in the chunk's memory. */
struct op_view op_jfr_class_name(struct op_jfr_chunk *c, uint64_t id);
struct op_view op_jfr_method_name(struct op_jfr_chunk *c, uint64_t id);
struct op_view op_jfr_thread_name(struct op_jfr_chunk *c, uint64_t id);
/* These are false if it is missing. */
bool op_jfr_method_read(struct op_jfr_chunk *c, uint64_t id,
			struct op_jfr_method *m);
bool op_jfr_thread_read(struct op_jfr_chunk *c, uint64_t id,
			struct op_jfr_thread *t);
struct op_view op_jfr_class_symbol(struct op_jfr_chunk *c, uint64_t id);
/* Of a frame that is packed numbers, by their bytes. */
struct op_jfr_frame_refs op_jfr_frame_refs(const struct op_jfr_chunk *c,
					   const struct op_jfr_key *key);
/* Its thread.id and the system's; false if it is missing. */
bool op_jfr_thread_ids(struct op_jfr_chunk *c, uint64_t id, int64_t ids[2]);
/* An attribute of a text, a number, a truth; added to the ids at hand. */
void op_jfr_attr_text(struct op_jfr_chunk *c, const char *key,
		      struct op_view text);
void op_jfr_attr_int(struct op_jfr_chunk *c, const char *key, int64_t v);
void op_jfr_attr_true(struct op_jfr_chunk *c, const char *key);

/* --- events --- */

enum op_jfr_measure {
	OP_JFR_ONE, /* each event counts 1, or its weight */
	OP_JFR_DURATION,
	OP_JFR_FIELD,
	OP_JFR_FIELD_IF, /* not every recording has it */
};

/* A profile that an event type becomes. */
struct op_jfr_profile_row {
	const char *type, *unit;
	const char *period; /* type of the period; NULL: none */
	enum op_jfr_measure measure;
	const char *field; /* of OP_JFR_FIELD, times the weight if any */
};

struct op_jfr_event_row {
	const char *name;   /* NULL: of any other with a stack */
	const char *kind;   /* for --event */
	const char *weight; /* field; NULL: none */
	struct op_jfr_profile_row profiles[3];
};

/* Whether its profiles are one for each enum op_jfr_engine. */
op_inline bool op_jfr_is_by_engine(const struct op_jfr_event_row *r)
{
	return r->profiles[1].period;
}

/* What Datadog's own writer calls a profile. */
struct op_jfr_preset {
	const char *event, *type; /* type: ours */
	const char *name, *unit;
};

/* The kind of events that are not in the table. */
#define OP_JFR_OTHER "other"

/* event_types.c: what an event type of JDK 9 and 10 has been called since: their
 * "com.oracle.jdk.X" is "jdk.X". */
struct op_view op_jfr_current_name(struct op_view name);
/* The row of an event type; NULL: it becomes no profile. */
const struct op_jfr_event_row *op_jfr_event_row(struct op_view name);
bool op_jfr_is_kind(struct op_view word);
/* NULL: it keeps its names. */
const struct op_jfr_preset *op_jfr_preset(struct op_view event,
					  const char *type);
/* Profiles of events that are not in the table, and never had a stack, go. */
void op_jfr_stackless_drop(struct op_model *m);

/* alloc_objects.c: gives alloc_objects sums where alloc_space has the times. */
int op_jfr_objects_sum(struct op_model *m, struct op_err *err);

/* What a field of an event gives to its sample's identity: a word. */
enum op_jfr_role {
	OP_JFR_STACK,
	OP_JFR_THREAD,
	OP_JFR_STATE,
	OP_JFR_CLASS,
	OP_JFR_OTHER_THREAD,
	OP_JFR_METHOD,
	OP_JFR_ENUM,
	OP_JFR_TRUTH,
	OP_JFR_TEXT,
	OP_JFR_SMALL, /* a number of few values */
	OP_JFR_SPAN,  /* from here on they are parts of a link */
	OP_JFR_ROOT_SPAN,
	OP_JFR_CONTEXT,
	OP_JFR_TRACE,
	OP_JFR_TRACE_HIGH,
	OP_JFR_TIMED, /* no field: whether it waited with a timeout */
};

/* Datadog's agent adds ten fields of the user's to those it has. */
enum { OP_JFR_MAX_WORDS = 24 };

/* How a word is to be read. */
enum op_jfr_form { OP_JFR_NUMBER, OP_JFR_IN_TEXTS, OP_JFR_IN_POOL };

struct op_jfr_word {
	enum op_jfr_role role;
	enum op_jfr_form form;
	uint32_t type;	 /* of the pool */
	const char *key; /* of the attribute */
};

/* Numbers that are no part of an identity. */
enum op_jfr_num {
	OP_JFR_N_TIME,
	OP_JFR_N_DURATION,
	OP_JFR_N_WEIGHT,
	OP_JFR_N_TIMEOUT,
	OP_JFR_N_UNTIL,
	OP_JFR_N_ADDRESS,
	OP_JFR_N_ONE,	/* of no field: 1 */
	OP_JFR_N_VALUE, /* of the first profile, and so on */
	OP_JFR_NR_NUMS = OP_JFR_N_VALUE + 3,
};

/* What is read of an event: numbers, the words of its identity, and one that
 * nobody wants. */
enum {
	OP_JFR_WORDS = OP_JFR_NR_NUMS,
	OP_JFR_UNWANTED = OP_JFR_WORDS + OP_JFR_MAX_WORDS,
	OP_JFR_NR_SLOTS,
};

enum op_jfr_op {
	OP_JFR_DO_PACKED, /* a number of varying length */
	OP_JFR_DO_NUMBER, /* any other */
	OP_JFR_DO_TEXT,
	OP_JFR_DO_SKIP,
};

struct op_jfr_step {
	enum op_jfr_op op;
	uint32_t slot;
	const struct op_jfr_field *field;
};

/* Events of a plan that the builder was not given yet. */
enum { OP_JFR_RUN = 256 };

struct op_jfr_run {
	uint64_t slots[OP_JFR_NR_SLOTS]; /* of the event at hand */
	/* The slot that is the value of a profile as it is; else it is
	 * OP_JFR_UNWANTED. */
	uint32_t value_slot[3];
	size_t n;
	uint32_t samples[OP_JFR_RUN];
	uint64_t times[OP_JFR_RUN];
	uint64_t values[3][OP_JFR_RUN];
};

struct op_jfr_plan {
	const struct op_jfr_event_row *row; /* NULL: it is a fact */
	struct op_view event;
	OP_VEC(struct op_jfr_step) steps;
	struct op_jfr_word words[OP_JFR_MAX_WORDS];
	uint32_t nr_words;
	enum op_jfr_unit units[OP_JFR_NR_NUMS];
	bool is_real[OP_JFR_NR_NUMS]; /* float: the number is its bits */
	bool is_wide[OP_JFR_NR_NUMS]; /* double */
	bool has[OP_JFR_NR_NUMS];
	/* What an event says of other events, besides its profiles. */
	enum op_jfr_context {
		OP_JFR_NO_CONTEXT,
		OP_JFR_MALLOC,
		OP_JFR_FREE,
		OP_JFR_INTERVAL,
		OP_JFR_ENDPOINT,
	} context;
	uint32_t context_words[3]; /* thread, and texts; OP_NO_ID: none */
	bool apart;  /* profiles do not have the same observations */
	bool splits; /* the second profile is of those with a timeout */
	/* Samples have the engine in their highest bits, which is the profile
	 * that they are of. Not all need to be wanted. */
	bool by_engine;
	bool wants[3];
	bool needs_stack; /* without one an event is left out */
	bool is_odd;	  /* has context, or needs a stack, or no profile */
	bool has_link;
	const char *preset; /* value of profile.type; NULL: none */
	struct op_jfr_profile_row profiles[3];
	uint32_t nr_profiles;
	uint32_t ids[3]; /* the builder's; OP_NO_ID: none yet */

	/* Steps of packed numbers that are all words of the identity: their
	 * bytes tell the sample. None if others have a say. */
	uint32_t key_from, nr_key;
	struct op_jfr_packed_event
		packed; /* if all steps are of packed numbers */
	struct op_jfr_key_cache cache;
	struct op_jfr_run *run; /* if so */
	/* Samples by the words of their events. */
	struct op_intern index;
	OP_VEC(uint64_t) keys;
	OP_VEC(uint32_t) samples; /* OP_NO_ID: not wanted */
};

enum { OP_JFR_ENGINE_SHIFT = 30 };
#define OP_JFR_SAMPLE_MASK (((uint32_t)1 << OP_JFR_ENGINE_SHIFT) - 1)

/* engine.c: whether samples of a chunk can be of several. */
bool op_jfr_has_engines(struct op_jfr_chunk *c);
enum op_jfr_engine op_jfr_engine_of(struct op_jfr_chunk *c,
				    const struct op_jfr_plan *p,
				    const uint64_t *words);
/* Whether the state of a sample alone tells its engine. */
bool op_jfr_tells_engine(struct op_jfr_chunk *c);
/* Kind of its events, and type of its period; that of an open one is cpu. */
const char *op_jfr_engine_kind(enum op_jfr_engine e);

/* plan.c: plans for all event types of the chunk. */
int op_jfr_plans_make(struct op_jfr_chunk *c);

/* event_filter.c */
void op_jfr_opts_read(struct op_jfr_opts *o, const char *const *set,
		      struct op_err *err);
/* Whether some event types were asked for; and this one, or all. */
bool op_jfr_has_event_filter(const struct op_jfr_opts *o);
bool op_jfr_event_wanted(const struct op_jfr_opts *o, struct op_view name,
			 const char *kind);
bool op_jfr_state_wanted(const struct op_jfr_opts *o, const char *ours,
			 struct op_view theirs);
/* Notes the name of an event type, the states of a chunk; and at the end fails
 * if an option names one that was never met, or if no event is of those that
 * were asked for. */
void op_jfr_event_seen(struct op_jfr *j, struct op_view name);
void op_jfr_states_seen(struct op_jfr_chunk *c);
int op_jfr_filter_check(struct op_jfr *j, const struct op_source *file);

/* link.c */
/* The text that a word stands for; none if it is a number. */
struct op_view op_jfr_word_text(struct op_jfr_chunk *c,
				const struct op_jfr_word *w, uint64_t v);
/* The trace and span of an event; false if it has none. */
bool op_jfr_link(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
		 const uint64_t *words, struct op_link *link);
/* Whether a text is an id in hex digits: of a span, or of a trace. */
bool op_jfr_is_id(struct op_view text, bool is_trace);

/* walk.c */
/* The target of the same event, type and unit; NULL if there is none yet. */
const struct op_jfr_target *op_jfr_target_find(const struct op_jfr *j,
					       const struct op_jfr_target *t);
int op_jfr_walk(struct op_jfr_chunk *c);
/* A copy that outlives the chunk. */
struct op_view op_jfr_kept(struct op_jfr *j, struct op_view v);

/* native_leaks.c: memory taken and given back, and what is left at the end. */
void op_jfr_malloc_add(struct op_jfr *j, const struct op_jfr_block *block);
void op_jfr_free_add(struct op_jfr *j, uint64_t address, uint64_t time_ns);
void op_jfr_leaks_end(struct op_jfr *j);

/* parallel.c: reads chunks up to the end of the file with as many threads. Only
 * what is whole is read so: nothing is recovered. */
void op_jfr_parallel_read(struct op_jfr *j, const struct op_source *file,
			  unsigned int nr);

/* read.c */
void op_jfr_begin(struct op_jfr *j, struct op_model *m, struct op_err *err);
/* The chunks that begin from one byte to before another. */
void op_jfr_chunks_read(struct op_jfr *j, const struct op_source *file,
			uint64_t from, uint64_t to);

/* event_context.c */
void op_jfr_event_malloc(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			 const uint64_t *nums, uint32_t sample);
void op_jfr_event_context(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			  const uint64_t *nums, const uint64_t *words);

/* spans.c */
void op_jfr_interval_add(struct op_jfr *j, struct op_jfr_interval *row,
			 const struct op_jfr_activity *activity);
void op_jfr_endpoint_add(struct op_jfr *j, const struct op_jfr_endpoint *row);
/* Adds what another part of the recording had. */
void op_jfr_spans_join(struct op_jfr *to, const struct op_jfr *from);
/* Whether there is anything of the kind, or it was asked for. */
bool op_jfr_has_spans(const struct op_jfr *j);
/* Gives samples the tags, links and endpoints, and drops what was not in an
 * interval that was asked for. Samples get other ids: what remembers some, as
 * the heap does, must end before. Puts the intervals in order. */
void op_jfr_spans_end(struct op_jfr *j);

/* redact.c */
bool op_jfr_is_secret(struct op_view name);
/* A text without the secrets in it; itself if there are none. */
struct op_view op_jfr_redact(struct op_arena *mem, struct op_view text,
			     struct op_err *err);

/* facts.c */
/* Unless there is one of the same name: each chunk says it again. */
void op_jfr_fact_put(struct op_jfr *j, const struct op_kv *kv);
void op_jfr_fact(struct op_jfr_chunk *c, uint32_t type, struct op_jfr_cur *in);
void op_jfr_facts_end(struct op_jfr *j);

enum { OP_JFR_HEADER = 68 };

/* What is found by going through a chunk that was not finished. */
struct op_jfr_found {
	OP_VEC(uint64_t) pools_at;
	uint64_t next; /* where the next chunk begins; 0: to be found */
};

/* chunk.c */
/* Reads the bytes of a chunk whose header was checked; to be ended also when
 * that fails. Offsets in errors are those of the chunk. */
int op_jfr_chunk_begin(struct op_jfr_chunk *c, struct op_jfr *j,
		       const struct op_source *file,
		       const struct op_jfr_header *h, struct op_err *err);
/* All zero then; nothing happens to one that is so already. */
void op_jfr_chunk_end(struct op_jfr_chunk *c);
/* The header at a byte of the file. */
int op_jfr_header_read(const struct op_source *file, uint64_t at,
		       struct op_jfr_header *h, struct op_err *err);
/* Fails if its sizes lead nowhere. */
int op_jfr_header_check(const struct op_source *file,
			const struct op_jfr_header *h, struct op_err *err);
/* Where the next chunk begins, or the end of the file, which is in memory as a
 * whole. */
uint64_t op_jfr_next_chunk(const struct op_source *whole,
			   const struct op_jfr_header *h);
int op_jfr_salvage(const struct op_source *whole, struct op_jfr_header *h,
		   struct op_jfr_found *found, struct op_arena *mem,
		   struct op_err *err);
struct op_jfr_cur op_jfr_cursor(const struct op_jfr_chunk *c, uint64_t at);

/* metadata.c */
int op_jfr_metadata_read(struct op_jfr_chunk *c, uint64_t at);
uint32_t op_jfr_type_of(const struct op_jfr_chunk *c, uint64_t id);
uint32_t op_jfr_type_named(const struct op_jfr_chunk *c, const char *name);
/* A field of a type by name; NULL if it has none. */
const struct op_jfr_field *op_jfr_field_named(const struct op_jfr_chunk *c,
					      const struct op_jfr_type *t,
					      const char *name);

/* value.c */
/* Whether a field is one number of varying length. */
op_inline bool op_jfr_is_packed(const struct op_jfr_chunk *c,
				const struct op_jfr_field *f)
{
	return c->h.packed && !f->is_array &&
	       (f->kind == OP_JFR_SHORT || f->kind == OP_JFR_INT ||
		f->kind == OP_JFR_LONG || f->kind == OP_JFR_REF);
}
void op_jfr_skip(struct op_jfr_chunk *c, struct op_jfr_cur *in,
		 const struct op_jfr_field *f);
/* A number, whatever its width; of a float its bits. */
uint64_t op_jfr_number(struct op_jfr_cur *in, enum op_jfr_kind kind);
/* A string as text in UTF-8, in the chunk's memory or its bytes. */
struct op_view op_jfr_text(struct op_jfr_chunk *c, struct op_jfr_cur *in);

/* constant_pool.c */
int op_jfr_pools_read(struct op_jfr_chunk *c, uint64_t at);
/* Those of one checkpoint; gives how far from it the next is. */
int64_t op_jfr_checkpoint_read(struct op_jfr_chunk *c, uint64_t at);
/* Where the value of an id begins, and its slot; false if it is missing. */
bool op_jfr_pool_find(const struct op_jfr_chunk *c, uint32_t type, uint64_t id,
		      uint64_t *at, uint32_t *slot);
/* carry.c: gives a chunk that was not walked yet what the one before it made
 * of the same constants. */
void op_jfr_carry(struct op_jfr_chunk *to, struct op_jfr_chunk *from);

/* The text of a value that holds one: a symbol, a string, an enum. */
struct op_view op_jfr_pool_text(struct op_jfr_chunk *c, uint32_t type,
				uint64_t id);

#endif
