// SPDX-License-Identifier: Apache-2.0
/* fmt/viewer/json_sink.h: JSON into a sink, through a buffer of fixed size,
 * with the numbers and flame charts that viewers want. */
#ifndef OP_FMT_VIEWER_JSON_SINK_H
#define OP_FMT_VIEWER_JSON_SINK_H

#include "fmt/format.h"
#include "fmt/viewer/frames.h"
#include "fmt/viewer/tracks.h"
#include "pb/json_write.h"

struct op_json_sink {
	struct op_json json; /* first: see json_sink.c */
	struct op_buf buf;
	struct op_sink *sink;
};

int op_json_sink_open(struct op_json_sink *s, struct op_sink *sink,
		      struct op_err *err);

/* Writes what is left, and a line feed. */
int op_json_sink_close(struct op_json_sink *s);

/* v / 10^digits (at most 9), exactly. */
void op_json_decimal(struct op_json *w, uint64_t v, unsigned int digits);

/* A key and the bracket behind it; a key with a value. */
void op_json_key_open(struct op_json *w, const char *key, char bracket);
void op_json_key_uint(struct op_json *w, const char *key, uint64_t v);
void op_json_key_z(struct op_json *w, const char *key, const char *v);
void op_json_key_text(struct op_json *w, const char *key, struct op_view v);

/* --- flame charts --- */

/* Told when a frame begins or ends. */
typedef void op_chart_fn(void *ctx, bool begins, uint32_t frame, uint64_t at);

/* Goes through the spans of a track: frames that one span has in common with
 * the next, without a gap between them, stay open. Spans of no length are
 * passed over. */
void op_chart(struct op_frames *f, const struct op_track *t, op_chart_fn *fn,
	      void *ctx);

/* What of a process is best to call it by; empty: nothing. */
struct op_view op_process_name(const struct op_model *m,
			       const struct op_resource *r);

/* Its id, where the model has it as a number or a text that is one. */
bool op_process_id(const struct op_model *m, const struct op_resource *r,
		   int64_t *out);

/* "cpu/nanoseconds", for people: only what can be printed, not too long. */
struct op_type_text {
	char s[128];
};
struct op_type_text op_type_text(const struct op_model *m,
				 const struct op_profile *p);

/* A note about observations that a viewer has no way to show. */
void op_note_lost(const struct op_write_opts *opts, uint64_t nr);

#endif
