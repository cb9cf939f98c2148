// SPDX-License-Identifier: Apache-2.0
/* server/api_int.h: what the answers of the API share.
 *
 *	api.c           the table of requests, errors
 *	api_select.c    what of the profiles a request is about
 *	api_overview.c  overview, values
 *	api_calls.c     flame, top, peek, lines
 *	api_time.c      series, heatmap, lanes
 *	api_chart.c     chart
 *	api_where.c     conditions in answers
 *	api_spans.c     traces, spans
 *	api_download.c  download, source
 */
#ifndef OP_SERVER_API_INT_H
#define OP_SERVER_API_INT_H

#include "base/regex.h"
#include "base/text_table.h"
#include "pb/json_write.h"
#include "query/difference.h"
#include "query/group_by.h"
#include "server/api.h"

/* A request while it is answered: functions write into w, or set err. */
struct op_request {
	const struct op_api *api;
	const struct op_params *params;
	struct op_response *reply;
	struct op_json w;
	struct op_err *err;
};

/* --- members of objects --- */

op_inline void op_api_text(struct op_json *w, const char *key, struct op_view v)
{
	op_json_key(w, key);
	op_json_string(w, v);
}

op_inline void op_api_int(struct op_json *w, const char *key, int64_t v)
{
	op_json_key(w, key);
	op_json_int(w, v);
}

op_inline void op_api_uint(struct op_json *w, const char *key, uint64_t v)
{
	op_json_key(w, key);
	op_json_uint(w, v);
}

op_inline void op_api_bool(struct op_json *w, const char *key, bool v)
{
	op_json_key(w, key);
	op_json_bool(w, v);
}

op_inline void op_api_open(struct op_json *w, const char *key, char bracket)
{
	op_json_key(w, key);
	op_json_open(w, bracket);
}

/* A time from the origin, which may be before it: alone, and as a member. */
void op_api_time_put(struct op_request *r, uint64_t ns);
void op_api_time(struct op_request *r, const char *key, uint64_t ns);

/* --- parameters --- */

/* Fails as a part did, and names the parameter that is at fault. */
void op_api_fail(struct op_request *r, const char *name,
		 const struct op_err *why);

/* A whole number of 1 to most. */
uint32_t op_api_number(struct op_request *r, const char *name,
		       uint32_t fallback, uint32_t most);

/* Whether it is "1"; "0" or nothing is no. */
bool op_api_flag(struct op_request *r, const char *name);

/* The pattern of a parameter; NULL: there is none, or it is not valid. */
struct op_regex *op_api_pattern(struct op_request *r, const char *name);

/* One of several words, by its number; the first if nothing is given. */
uint32_t op_api_choice(struct op_request *r, const char *name,
		       const char *const *words, uint32_t nr);

/* --- selections (api_select.c) --- */

/* A model in which the one profile that is left has no sample. */
struct op_selected_none {
	struct op_model m;
	struct op_resource resource;
	struct op_scope scope;
	struct op_profile profile;
};

struct op_selection {
	const char *types; /* as the request has it; NULL: the default */
	struct op_scan scan;
	struct op_range range;	 /* as asked for; to 0: all times */
	struct op_scanned whole; /* of the file, or of all files */
	struct op_scanned found;
	struct op_buf lasting; /* a list of types */
	struct op_selected_none none;
	const struct op_model *m;
	const struct op_profile *like; /* has the type that was chosen */
};

/* How what is selected is used. */
enum op_select_for {
	OP_FOR_TIMES,
	OP_FOR_SUMS, /* times do not count */
	/* Only the types that are selected are to be in the model: it is copied
	 * or written. Of several types all are. */
	OP_FOR_COPY,
	OP_FOR_SUMS_COPY,
	OP_FOR_ALL_TYPES, /* what lasts in other types too */
	OP_FOR_RANGE,	  /* times too, of which the caller cuts a range */
};

/* Finds what the parameters select that have this prefix, "" or "before.". If
 * no sample is left, m has a profile of the type without samples. s is all
 * zero; on failure it is to be closed too. */
int op_selection_open(struct op_selection *s, struct op_request *r,
		      const char *prefix, enum op_select_for use);
void op_selection_close(struct op_selection *s);

/* What flame and top are about: a selection, or the difference of two. */
struct op_subject {
	struct op_selection side[2]; /* [0] before */
	bool is_diff;
	struct op_difference d;
	const struct op_model *m;
	const struct op_profile *like;
	int64_t total[2]; /* of a difference */
};

/* Whether there is a second selection. */
bool op_has_before(const struct op_params *p);

int op_subject_open(struct op_subject *s, struct op_request *r);
void op_subject_close(struct op_subject *s);

/* Writes type, unit and event. */
void op_api_type(struct op_request *r, const struct op_model *m,
		 const struct op_profile *like);

/* Reads labels; fails if no sample of m[0] has one, nor of m[1], unless that is
 * NULL. */
int op_api_by(struct op_request *r, const char *name,
	      const struct op_model *const m[2], struct op_group_by *out);

/* Reads "by". */
int op_subject_by(struct op_request *r, const struct op_subject *s,
		  struct op_group_by *out);

/* Writes "rest", with the number of rows that are left out and what they add up
 * to; key is NULL if they overlap. */
void op_api_rest(struct op_request *r, uint64_t nr, const char *key,
		 int64_t sum);

/* --- conditions in answers (api_where.c) --- */

/* What is known of the texts of one label. All zero is nothing. */
struct op_api_where {
	struct op_text_table parts; /* of texts: "main" and "7" of "main (7)" */
};

/* Notes a text, which must live as long as w. */
void op_api_where_note(struct op_api_where *w, struct op_view text,
		       struct op_err *err);

/* Appends the condition that selects the samples whose label is shown as this
 * text, where all texts were noted; "(no thread)" is none. */
void op_api_where_put(const struct op_api_where *w, struct op_view label,
		      struct op_view text, struct op_buf *out);
void op_api_where_free(struct op_api_where *w);

/* --- the requests --- */

typedef void op_api_fn(struct op_request *r);

op_api_fn op_api_overview, op_api_values;
op_api_fn op_api_flame, op_api_top, op_api_peek, op_api_lines;
op_api_fn op_api_series, op_api_heatmap, op_api_lanes;
op_api_fn op_api_chart;
op_api_fn op_api_traces, op_api_spans;
op_api_fn op_api_download, op_api_source;

#endif
