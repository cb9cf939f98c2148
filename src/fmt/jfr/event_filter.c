// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/event_filter.c: which events and states the options select, and
 * whether the recording has them. */
#include "fmt/jfr/event_filter.h"

#include "fmt/format.h"
#include "fmt/jfr/chunk.h"
#include "fmt/jfr/constant_pool.h"
#include "fmt/jfr/engine.h"
#include "fmt/jfr/event_types.h"
#include "fmt/jfr/info.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/options.h"
#include "fmt/name_list.h"

/* The next word of a list; an empty one at its end. */
static struct op_view next_word(const char **list)
{
	size_t n = strcspn(*list, ",");
	struct op_view word = op_view(*list, n);

	*list += n + ((*list)[n] == ',');
	return word;
}

/* --- which events --- */

/* Kinds that have an option of their own. */
static const char *const flags[] = {
	"cpu",	"wall",	      "alloc",	   "live",
	"lock", "nativelock", "nativemem", "trace",
};

/* What a setting says of events: a list, or NULL. */
static const char *events_of(const char *setting)
{
	static const char option[] = "event=";
	size_t n = strcspn(setting, "=");

	if (!strncmp(setting, option, sizeof(option) - 1))
		return setting + sizeof(option) - 1;
	for (size_t i = 0; i < op_countof(flags); i++)
		if (strlen(flags[i]) == n && !memcmp(setting, flags[i], n))
			return flags[i];
	return NULL;
}

static bool in_list(const char *list, struct op_view word)
{
	while (*list)
		if (op_view_eq(next_word(&list), word))
			return true;
	return false;
}

/* Options may come more than once. */
bool op_jfr_has_event_filter(const struct op_jfr_opts *o)
{
	for (const char *const *s = o->settings; s && *s; s++)
		if (events_of(*s))
			return true;
	return false;
}

bool op_jfr_event_wanted(const struct op_jfr_opts *o, struct op_view name,
			 const char *kind)
{
	for (const char *const *s = o->settings; s && *s; s++) {
		const char *list = events_of(*s);

		if (list && (in_list(list, name) ||
			     in_list(list, op_jfr_current_name(name)) ||
			     in_list(list, op_view_z(kind))))
			return true;
	}
	return !op_jfr_has_event_filter(o);
}

void op_jfr_event_seen(struct op_jfr *j, struct op_view name)
{
	for (size_t i = 0; i < j->seen.n; i++)
		if (op_view_eq(j->seen.p[i], name))
			return;
	(void)op_vec_push(&j->mem, &j->seen, op_jfr_kept(j, name));
}

/* Types that are known may be missing: not every recording has all. */
static bool is_missing(const struct op_jfr *j, struct op_view word)
{
	for (size_t i = 0; i < j->seen.n; i++)
		if (op_view_eq(j->seen.p[i], word) ||
		    op_view_eq(op_jfr_current_name(j->seen.p[i]), word))
			return false;
	return !op_jfr_is_kind(word) && !op_jfr_event_row(word);
}

/* --- states --- */

enum { MAX_STATES = 64 };

static const char *const vocabulary[] = { "running", "sleeping", "mutex",
					  "blocked" };

static bool is_ours(struct op_view word)
{
	for (size_t i = 0; i < op_countof(vocabulary); i++)
		if (op_view_is(word, vocabulary[i]))
			return true;
	return false;
}

/* "parked" begins STATE_PARKED_TIMED. */
static bool begins(struct op_view state, struct op_view word)
{
	static const char head[] = "STATE_";
	size_t n = sizeof(head) - 1;

	if (state.n >= n && !memcmp(state.p, head, n))
		state = op_view(state.p + n, state.n - n);
	return word.n && word.n <= state.n &&
	       op_view_eq_nocase(word, op_view_first(state, word.n));
}

bool op_jfr_state_wanted(const struct op_jfr_opts *o, const char *ours,
			 struct op_view theirs)
{
	const char *list = o->states;

	while (list && *list) {
		struct op_view word = next_word(&list);

		if (is_ours(word) ? op_view_is(word, ours) :
				    begins(theirs, word))
			return true;
	}
	return !o->states;
}

void op_jfr_states_seen(struct op_jfr_chunk *c)
{
	const char *list = c->j->opts.states;
	const struct op_jfr_pool *p;

	if (!list || c->t_state == OP_NO_ID)
		return;
	p = &c->types.p[c->t_state].pool;
	for (int i = 0; *list && i < MAX_STATES; i++) {
		struct op_view word = next_word(&list);

		for (size_t k = 0; k < p->ids.n && !c->err->code; k++)
			if (begins(op_jfr_pool_text(c, c->t_state, p->ids.p[k]),
				   word))
				c->j->states_seen |= (uint64_t)1 << i;
	}
}

static void states_check(struct op_jfr *j)
{
	const char *list = j->opts.states;

	for (int i = 0; list && *list; i++) {
		struct op_view word = next_word(&list);

		if (i < MAX_STATES && j->states_seen >> i & 1)
			continue;
		if (!is_ours(word))
			op_fail(j->err, OP_EUSAGE,
				"--state %.*s: the recording has no such state",
				(int)word.n, (const char *)word.p);
	}
}

/* --- at the end --- */

struct listing {
	const struct op_jfr *j;
	struct op_name_list names;
};

/* Which kind of samples async-profiler took is known from them, or from its
 * settings. */
static const char *kind_of(const struct op_jfr *j,
			   const struct op_jfr_event_row *row)
{
	const unsigned int cpu = 1u << OP_JFR_CPU, wall = 1u << OP_JFR_WALL;

	if (!op_jfr_is_by_engine(row))
		return row->kind;
	if ((j->engines_met & (cpu | wall)) == (cpu | wall))
		return "cpu and wall";
	return op_jfr_engine_kind(j->engines_met & wall ? OP_JFR_WALL :
							  j->engine);
}

static void list_event(void *ctx, struct op_view name, uint64_t count,
		       uint64_t bytes)
{
	struct listing *l = ctx;
	const struct op_jfr_event_row *row = op_jfr_event_row(name);

	(void)count;
	(void)bytes;
	if (row)
		op_name_list_add(&l->names, name, kind_of(l->j, row));
}

/* The file was read without an error before. An empty word: none of several. */
static int filter_fail(struct op_jfr *j, const struct op_source *file,
		       struct op_view word)
{
	struct listing l = { .j = j };
	struct op_err ignored = { 0 };

	op_jfr_info(file, list_event, &l, &ignored);
	if (!word.n)
		return op_fail(j->err, OP_EUSAGE,
			       "none of the selected events in the recording; "
			       "it has %s",
			       op_name_list_text(&l.names));
	return op_fail(j->err, OP_EUSAGE,
		       "no events '%.*s' in the recording; it has %s",
		       (int)(word.n < 40 ? word.n : 40), (const char *)word.p,
		       op_name_list_text(&l.names));
}

int op_jfr_filter_check(struct op_jfr *j, const struct op_source *file)
{
	struct op_view word = { 0 };
	uint32_t nr = 0;

	for (const char *const *s = j->opts.settings; s && *s; s++) {
		const char *list = events_of(*s);

		for (; list && *list; nr++) {
			word = next_word(&list);
			if (is_missing(j, word))
				return filter_fail(j, file, word);
		}
	}
	/* With other filters the note that there are no samples has to do. */
	if (nr && !j->has_met && !j->opts.thread && !j->opts.states)
		return filter_fail(j, file,
				   nr == 1 ? word : (struct op_view){ 0 });
	states_check(j);
	return j->err->code;
}
