// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/jfr_int.h: a recording, as the files of the folder share it.
 *
 *	jfr.c            the format: its row, sniff, options
 *	options.c        what the options ask for
 *	read.c           a recording, chunk by chunk
 *	parallel.c       chunks in several threads, and what they found joined
 *	recover.c        chunks that are broken or were never finished
 *
 * Bytes:
 *	cursor.c         integers
 *	chunk_header.c   headers of chunks, and their clock
 *	chunk.c          a chunk that is being read
 *	metadata.c       a chunk's own description of its types
 *	value.c          values of any type: read, skipped, as text
 *	constant_pool.c  where the value of an id is
 *
 * Identities, found by their bytes:
 *	key_cache.c      what became of packed numbers that came before
 *	packed_event.h   events of a few packed numbers
 *	carry.c          what was made of the constants of the chunk before
 *
 * Events:
 *	event_types.c    the table: which profiles event types become
 *	event_filter.c   which of them the options select
 *	plan.c           what each field of an event type is for, in a chunk
 *	walk.c           all events of a chunk into the profiles
 *	event_context.c  what events say of other events
 *	engine.c         samples of CPU time and of wall time told apart
 *
 * What is built:
 *	target.c         the profiles
 *	identity.c       stack, attributes and link of a sample
 *	rows.c           frames, threads and classes as rows of the model
 *	link.c           ids of traces and spans
 *	native_leaks.c   native memory that was not given back
 *	alloc_objects.c  alloc_objects without times
 *	spans.c          intervals that say what a thread was doing, endpoints
 *	facts.c          what the recording says of the machine, its settings
 *	redact.c         passwords and the like, taken out
 *	info.c           events counted by type */
#ifndef OP_FMT_JFR_JFR_INT_H
#define OP_FMT_JFR_JFR_INT_H

#include "base/buf.h"
#include "base/vec.h"
#include "model/builder.h"
#include "fmt/jfr/chunk.h"
#include "fmt/jfr/engine.h"
#include "fmt/jfr/facts.h"
#include "fmt/jfr/native_leaks.h"
#include "fmt/jfr/options.h"
#include "fmt/jfr/spans.h"
#include "fmt/jfr/target.h"

struct op_jfr {
	struct op_builder b;
	struct op_err *err;
	struct op_arena mem;
	struct op_jfr_opts opts;
	uint32_t resource, scope;
	OP_VEC(struct op_jfr_target) targets;
	OP_VEC(struct op_kv) facts; /* attributes of the resource */
	OP_VEC(struct op_jfr_period) periods;
	OP_VEC(struct op_view) seen; /* names of event types */
	struct op_jfr_mallocs mallocs;
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
	struct op_arena spare_mem;	  /* and memory */
};

/* A copy that outlives the chunk. */
struct op_view op_jfr_kept(struct op_jfr *j, struct op_view v);

#endif
