// SPDX-License-Identifier: Apache-2.0
/* What the tests of the JFR reader share: reading a recording that
 * tests/write/jfr.h wrote, and what it says in the words of sketch.h. */
#ifndef OP_TESTS_JFR_FIXTURE_H
#define OP_TESTS_JFR_FIXTURE_H

#include <stdlib.h>

#include "fmt/format.h"
#include "model/filter.h"
#include "test.h"
#include "write/jfr.h"
#include "write/sketch.h"

/* When chunks begin, unless they say otherwise. */
#define START 1700000000000000000u

/* Asked for by name, events that never have a stack are kept. */
#define EVERY                                                               \
	"event=cpu,wall,alloc,live,nativemem,lock,nativelock,io,exception," \
	"gc,vm,trace,span,other"

static char jfr_note[200]; /* what the reader told last */

static inline void note(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(jfr_note, sizeof(jfr_note), "%s", text);
}

static inline int keep(void *ctx, struct op_model *m, struct op_err *err)
{
	(void)err;
	*(struct op_model *)ctx = *m;
	return OP_OK;
}

/* How a recording is read. */
struct jfr_way {
	unsigned int threads;
	enum op_timed timed;
	bool aggregates; /* in the end */
};

/* Reads a copy that ends where the file ends, and is gone when the model is
 * looked at. Settings are words; NULL: none. */
static inline int read_by(struct op_model *m, struct op_view file,
			  const char *words, const struct jfr_way *way,
			  struct op_err *err)
{
	const char *settings[6] = { NULL };
	struct op_read_opts opts = { .settings = settings,
				     .note = note,
				     .threads = way->threads,
				     .timed = way->timed };
	char *list = strdup(words ? words : ""), *rest = list;
	uint8_t *copy = malloc(file.n + !file.n);

	for (int i = 0; i < 5 && (settings[i] = strtok_r(rest, " ", &rest));)
		i++;
	if (file.n)
		memcpy(copy, file.p, file.n);
	*m = (struct op_model){ 0 };
	*err = (struct op_err){ 0 };
	jfr_note[0] = 0;
	op_format_jfr.read(op_view(copy, file.n), &opts, keep, m, err);
	free(copy);
	free(list);
	return err->code;
}

static inline int read_with(struct op_model *m, struct op_view file,
			    const char *words, struct op_err *err)
{
	static const struct jfr_way plain = { .threads = 1 };

	return read_by(m, file, words, &plain, err);
}

/* What nearly all texts have in common, and what is written for it. */
static const struct {
	const char *text, *brief;
} jfr_common[] = {
	{ "resource\nscope jfr\n", "" },
	{ "scope jfr\n", "" },
	{ "profile ", "" },
	{ " 1700000000000000000+1000000001", "" },
	{ " otprof.event.type=", " " },
	{ " otprof.event.fields_left_out=(kind 5, ", " -" },
};

/* A text without that. Fields that were left out stand behind a minus, times
 * count from START. Good until the next call. */
static inline const char *brief(const char *s)
{
	static char out[16384];
	size_t n = 0, i;
	char *end;

	while (*s && n + 64 < sizeof(out)) {
		for (i = 0; i < op_countof(jfr_common); i++)
			if (!strncmp(s, jfr_common[i].text,
				     strlen(jfr_common[i].text)))
				break;
		if (i < op_countof(jfr_common)) {
			s += strlen(jfr_common[i].text);
			n += (size_t)snprintf(out + n, 64, "%s",
					      jfr_common[i].brief);
			if (jfr_common[i].brief[0] && jfr_common[i].brief[1])
				s = strchr(s, ':') + 1;
		} else if (*s == '@') {
			n += (size_t)snprintf(
				out + n, 64, "@%lld",
				(long long)(strtoull(s + 1, &end, 10) - START));
			s = end;
		} else {
			out[n++] = *s++;
		}
	}
	out[n] = 0;
	return out;
}

static inline void aggregate(struct op_model *m, struct op_err *err)
{
	static const struct op_filter_opts opts = { .aggregate = true };
	struct op_model out = { 0 };

	if (!err->code)
		op_filter(m, &opts, &out, err);
	op_model_free(m);
	*m = out;
}

/* What the file says if it is read in this way, or its error. */
static inline void tell(char *text, size_t n, struct op_view file,
			const char *setting, struct jfr_way way)
{
	struct op_err err;
	struct op_model m;

	if (!read_by(&m, file, setting, &way, &err))
		op_model_unpack(&m, &err);
	if (way.aggregates)
		aggregate(&m, &err);
	if (err.code && err.has_at)
		snprintf(text, n, "error: %.180s at %llu\n", err.text,
			 (unsigned long long)err.at);
	else if (err.code)
		snprintf(text, n, "error: %.180s\n", err.text);
	else
		snprintf(text, n, "%s", brief(sketch_text(&m)));
	op_model_free(&m);
}

/* Sums know how many observations each sample has. */
static inline void counts_agree(struct op_view file, const char *setting,
				unsigned int threads)
{
	struct jfr_way arrays = { threads, OP_TIMED_ARRAYS, false };
	struct jfr_way counted = { threads, OP_TIMED_COUNTED, false };
	struct op_walk a = { 0 }, b = { 0 };
	struct op_model timed, sums;
	struct op_err err;

	if (!read_by(&timed, file, setting, &arrays, &err)) {
		CHECK_EQ(read_by(&sums, file, setting, &counted, &err), OP_OK);
		while (op_walk_next(&timed, &a) && op_walk_next(&sums, &b)) {
			CHECK_EQ(a.profile->nr_samples, b.profile->nr_samples);
			CHECK_EQ(op_profile_observations(a.profile),
				 op_profile_observations(b.profile));
			for (uint32_t i = 0; i < a.profile->nr_samples; i++)
				CHECK_EQ(op_sample_times(a.profile, i).n,
					 op_sample_observed(b.profile, i));
		}
		op_model_free(&sums);
	}
	op_model_free(&timed);
}

/* The same, which must not depend on how many threads read it, nor on whether
 * observations are packed or added up meanwhile; good until the next call. */
static inline const char *told(struct op_view file, const char *setting)
{
	static const struct jfr_way ways[] = {
		{ 3, OP_TIMED_ARRAYS, false }, { 2, OP_TIMED_PACKED, false },
		{ 1, OP_TIMED_ARRAYS, true },  { 1, OP_TIMED_SUMS, true },
		{ 3, OP_TIMED_SUMS, true },    { 2, OP_TIMED_COUNTED, true },
	};
	static char text[16384], again[op_countof(ways)][16384];

	for (size_t i = 0; i < op_countof(ways); i++)
		tell(again[i], sizeof(again[i]), file, setting, ways[i]);
	tell(text, sizeof(text), file, setting,
	     (struct jfr_way){ .threads = 1 });
	CHECK_STR(again[0], text);
	CHECK_STR(again[1], text);
	CHECK_STR(again[3], again[2]);
	CHECK_STR(again[4], again[2]);
	CHECK_STR(again[5], again[2]);
	counts_agree(file, setting, 1);
	counts_agree(file, setting, 3);
	return text;
}

/* Ends the recording; it must say exactly this. */
static inline void says_with(struct jfr *j, const char *setting,
			     const char *name, const char *want)
{
	const char *got = told(jfr_end(j), setting);

	if (strcmp(got, want)) {
		fprintf(stderr, "--- %s\n%s\n", name, got);
		TEST_FAIL("%s says %.100s", name, got);
	}
	jfr_free(j);
}

static inline void says(struct jfr *j, const char *name, const char *want)
{
	says_with(j, NULL, name, want);
}

/* --- recordings as text --- */

/* Splits off the next word of a text. */
static inline char *word(char **s)
{
	char *w = *s + strspn(*s, " ");
	size_t n = strcspn(w, " ");

	*s = w + n + (w[n] != 0);
	w[n] = 0;
	return w;
}

static inline void play_line(struct jfr *j, char *s)
{
	char *what = word(&s), *name, *id;

	if (!strcmp(what, "next")) {
		jfr_next(j, JFR_JDK17);
	} else if (!strcmp(what, "checkpoint")) {
		jfr_checkpoint(j);
	} else if (!strcmp(what, "metadata")) {
		jfr_metadata(j);
	} else if (!strcmp(what, "header")) {
		id = word(&s);
		jfr_header(j, (enum jfr_header)strtoul(id, NULL, 10),
			   strtoull(s, NULL, 0));
	} else if (!strcmp(what, "raw")) {
		jfr_raw(j, "%s", s);
	} else if (!strcmp(what, "type")) {
		name = s;
		s = strchr(s, '|');
		*s++ = 0;
		jfr_type(j, name, s);
	} else if (!strcmp(what, "pool")) {
		name = word(&s);
		id = word(&s);
		jfr_pool(j, name, strtoull(id, NULL, 0), "%s", s);
	} else if (!strcmp(what, "stack")) {
		id = word(&s);
		jfr_stack(j, strtoull(id, NULL, 0), s);
	} else {
		jfr_event(j, what, "%s", *s ? s : " ");
	}
}

/* Writes what the lines say: an event as "TYPE VALUES", else
 *
 *	next, checkpoint, metadata        the calls of jfr.h
 *	header OFFSET VALUE               of the chunk
 *	type HEAD | FIELDS
 *	pool TYPE ID VALUES
 *	stack ID FRAMES
 *	raw VALUES
 */
static inline void play(struct jfr *j, const char *text)
{
	char *copy = strdup(text), *line = copy, *end;

	for (; line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = 0;
		if (*line)
			play_line(j, line);
	}
	free(copy);
}

#endif
