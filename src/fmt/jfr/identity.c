// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/identity.c: what the words of an event mean: the stack, attributes
 * and link of its sample. */
#include "fmt/jfr/identity.h"

#include <string.h>

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/constant_pool.h"
#include "fmt/jfr/event_filter.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/link.h"
#include "fmt/jfr/plan.h"
#include "fmt/jfr/rows.h"
#include "model/semconv.h"

static const char *state_of(struct op_view s)
{
	static const struct {
		const char *name, *state;
	} rows[] = {
		{ "STATE_RUNNABLE", "running" },
		{ "STATE_DEFAULT", "running" },
		{ "STATE_SLEEPING", "sleeping" },
		{ "STATE_IN_OBJECT_WAIT", "sleeping" },
		{ "STATE_IN_OBJECT_WAIT_TIMED", "sleeping" },
		{ "STATE_PARKED", "sleeping" },
		{ "STATE_PARKED_TIMED", "sleeping" },
		{ "STATE_BLOCKED_ON_MONITOR_ENTER", "mutex" },
	};

	for (size_t i = 0; i < op_countof(rows); i++)
		if (op_view_is(s, rows[i].name))
			return rows[i].state;
	return s.n ? "blocked" : "";
}

static void set_join(struct op_jfr_chunk *c, uint32_t set)
{
	const struct op_builder *b = &c->j->b;

	if (c->err->code || b->err->code)
		return;
	for (uint32_t i = b->set_at.p[set]; i < b->set_at.p[set + 1]; i++)
		(void)op_vec_push(&c->mem, &c->rows->ids, b->members.p[i]);
}

static bool contains(struct op_view text, const char *part)
{
	return !*part || (text.n && memmem(text.p, text.n, part, strlen(part)));
}

static void word_thread(struct op_jfr_chunk *c, uint64_t v,
			struct op_jfr_identity *m)
{
	const char *part = c->j->opts.thread;

	if (part && !contains(op_jfr_thread_name(c, v), part))
		m->unwanted = true;
	set_join(c, op_jfr_thread(c, v));
}

static void word_state(struct op_jfr_chunk *c, const struct op_jfr_word *w,
		       uint64_t v, struct op_jfr_identity *m)
{
	struct op_view text = op_jfr_pool_text(c, w->type, v);
	const char *state = state_of(text);

	if (!op_jfr_state_wanted(&c->j->opts, state, text))
		m->unwanted = true;
	op_jfr_attr_text(c, OP_ATTR_THREAD_STATE, op_view_z(state));
}

/* A part of the link, unless it is a text of some other kind. */
static void word_id(struct op_jfr_chunk *c, const struct op_jfr_word *w,
		    uint64_t v)
{
	struct op_view text = op_jfr_word_text(c, w, v);

	if (!op_jfr_is_id(text, w->role == OP_JFR_TRACE))
		op_jfr_attr_text(c, w->key, text);
}

static void word_make(struct op_jfr_chunk *c, const struct op_jfr_word *w,
		      uint64_t v, struct op_jfr_identity *m)
{
	switch (w->role) {
	case OP_JFR_STACK: /* made before all others */
	case OP_JFR_TIMED:
		break;
	case OP_JFR_THREAD:
		word_thread(c, v, m);
		break;
	case OP_JFR_STATE:
		word_state(c, w, v, m);
		break;
	case OP_JFR_CLASS:
		op_jfr_attr_text(c, w->key, op_jfr_class_name(c, v));
		break;
	case OP_JFR_OTHER_THREAD:
		op_jfr_attr_text(c, w->key, op_jfr_thread_name(c, v));
		break;
	case OP_JFR_METHOD:
		op_jfr_attr_text(c, w->key, op_jfr_method_name(c, v));
		break;
	case OP_JFR_ENUM:
	case OP_JFR_TEXT:
		op_jfr_attr_text(c, w->key, op_jfr_word_text(c, w, v));
		break;
	case OP_JFR_TRUTH:
		if (v)
			op_jfr_attr_true(c, w->key);
		break;
	case OP_JFR_SMALL:
		if (v)
			op_jfr_attr_int(c, w->key, (int64_t)v);
		break;
	case OP_JFR_SPAN:
	case OP_JFR_TRACE:
		word_id(c, w, v);
		break;
	case OP_JFR_ROOT_SPAN: /* parts of the link */
	case OP_JFR_CONTEXT:
	case OP_JFR_TRACE_HIGH:
		break;
	}
}

static void stack_make(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
		       const uint64_t *words, struct op_jfr_identity *m)
{
	bool truncated = false;

	for (uint32_t i = 0; i < p->nr_words; i++)
		if (p->words[i].role == OP_JFR_STACK)
			m->id.stack = op_jfr_stack(c, words[i], &truncated);
	c->rows->ids.n = 0;
	if (truncated)
		op_jfr_attr_true(c, "jfr.stack.truncated");
}

void op_jfr_identity_make(struct op_jfr_chunk *c, const struct op_jfr_plan *p,
			  uint32_t first, const uint64_t *words,
			  struct op_jfr_identity *m)
{
	struct op_id_vec *ids = &c->rows->ids;
	const char *preset = p->preset;
	struct op_link link;

	stack_make(c, p, words, m);
	if (preset && p->by_engine)
		preset = p->profiles[first].type;
	if (preset)
		op_jfr_attr_text(c, "profile.type", op_view_z(preset));
	for (uint32_t i = 0; i < p->nr_words && !c->err->code; i++)
		word_make(c, &p->words[i], words[i], m);
	m->id.set = op_build_set(&c->j->b, ids->p, (uint32_t)ids->n);
	if (p->has_link && op_jfr_link(c, p, words, &link))
		m->id.link = op_build_link(&c->j->b, &link);
}
