// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/plan.c: what each field of an event type is for.
 *
 * Fields are known by their name and type, never by their place. What tells
 * samples apart becomes a word of the identity: references, truths, texts that
 * name something. Sizes, addresses, ids and messages would make every event a
 * sample of its own: they are left out, and a profile attribute names them. */
#include "fmt/jfr/plan.h"

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/engine.h"
#include "fmt/jfr/event_filter.h"
#include "fmt/jfr/event_types.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/metadata.h"
#include "fmt/jfr/options.h"
#include "fmt/jfr/packed_event.h"
#include "fmt/jfr/value.h"
#include "model/semconv.h"

/* --- which events --- */

static bool is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

/* "jdk.ThreadStart" is thread_start, "jdk.GCHeap" gc_heap. */
static const char *snake_case(struct op_jfr *j, struct op_view name)
{
	size_t from = name.n, n = 0;
	char *out = op_new(&j->mem, char, 2 * name.n + 1);

	if (!out)
		return "";
	while (from && name.p[from - 1] != '.')
		from--;
	for (size_t i = from; i < name.n; i++) {
		uint8_t ch = name.p[i];
		bool upper = is_upper(ch);

		if (upper && i > from &&
		    (!is_upper(name.p[i - 1]) ||
		     (i + 1 < name.n && !is_upper(name.p[i + 1]))))
			out[n++] = '_';
		out[n++] = (char)(upper ? ch + 32 : ch);
	}
	return out;
}

/* JDK 17 gives these a field for a stack, but never a stack. Other profiles
 * without any go when all is read; to leave these out at once is cheaper. */
static bool never_has_stack(struct op_view name)
{
	static const char *const names[] = {
		"jdk.ActiveRecording",	       "jdk.ContainerConfiguration",
		"jdk.ContainerCPUUsage",       "jdk.ContainerCPUThrottling",
		"jdk.ContainerIOUsage",	       "jdk.ContainerMemoryUsage",
		"jdk.DirectBufferStatistics",  "jdk.ExceptionStatistics",
		"jdk.InitialSecurityProperty",
	};

	name = op_jfr_current_name(name);
	for (size_t i = 0; i < op_countof(names); i++)
		if (op_view_is(name, names[i]))
			return true;
	return false;
}

/* The general rule for event types with a stack. */
static const struct op_jfr_event_row *general_row(struct op_jfr_chunk *c,
						  const struct op_jfr_type *t)
{
	const struct op_jfr_field *stack = op_jfr_field_named(c, t,
							      "stackTrace");
	struct op_jfr_event_row *row;

	if (!stack || stack->type != c->t_stack ||
	    (!op_jfr_has_event_filter(&c->j->opts) && never_has_stack(t->name)))
		return NULL;
	row = op_new(&c->j->mem, struct op_jfr_event_row, 1);
	if (!row)
		return NULL;
	row->kind = OP_JFR_OTHER;
	row->profiles[0] = (struct op_jfr_profile_row){
		.type = snake_case(c->j, t->name),
		.unit = "count",
	};
	if (op_jfr_field_named(c, t, "duration")) {
		row->profiles[0].unit = "nanoseconds";
		row->profiles[0].measure = OP_JFR_DURATION;
	}
	return row;
}

static bool is_fact(const struct op_jfr *j, struct op_view name)
{
	name = op_jfr_current_name(name);
	if (op_view_is(name, "jdk.InitialSystemProperty") ||
	    op_view_is(name, "jdk.InitialEnvironmentVariable"))
		return j->opts.properties;
	return op_view_is(name, "jdk.JVMInformation") ||
	       op_view_is(name, "jdk.OSInformation") ||
	       op_view_is(name, "jdk.CPUInformation") ||
	       op_view_is(name, "jdk.ActiveSetting");
}

/* --- fields --- */

static enum op_jfr_form form_of(const struct op_jfr_field *f)
{
	if (f->kind == OP_JFR_STRING)
		return OP_JFR_IN_TEXTS;
	return f->kind == OP_JFR_REF ? OP_JFR_IN_POOL : OP_JFR_NUMBER;
}

static void word_add(struct op_jfr_plan *p, struct op_jfr_step *step,
		     enum op_jfr_role role, const char *key)
{
	const struct op_jfr_field *f = step->field;

	if (p->nr_words == OP_JFR_MAX_WORDS)
		return;
	step->op = f->kind == OP_JFR_STRING ? OP_JFR_DO_TEXT : OP_JFR_DO_NUMBER;
	step->slot = OP_JFR_WORDS + p->nr_words;
	p->words[p->nr_words++] = (struct op_jfr_word){
		.role = role, .form = form_of(f), .type = f->type, .key = key
	};
}

static void num_add(struct op_jfr_plan *p, struct op_jfr_step *step,
		    enum op_jfr_num num, const struct op_jfr_field *f)
{
	step->op = OP_JFR_DO_NUMBER;
	step->slot = num;
	p->units[num] = f->unit;
	p->is_real[num] = f->kind == OP_JFR_FLOAT || f->kind == OP_JFR_DOUBLE;
	p->is_wide[num] = f->kind == OP_JFR_DOUBLE;
	p->has[num] = true;
}

/* "jfr." and the name of the field. */
static const char *key_of(struct op_jfr_chunk *c, struct op_view name)
{
	char *key = op_new(&c->mem, char, name.n + 5);

	if (!key)
		return "";
	memcpy(key, "jfr.", 4);
	if (name.n)
		memcpy(key + 4, name.p, name.n);
	return key;
}

/* Numbers by name. */
static bool number_field(struct op_jfr_plan *p, struct op_jfr_step *step,
			 const struct op_jfr_field *f)
{
	static const struct {
		const char *name;
		enum op_jfr_num num;
	} names[] = {
		{ "startTime", OP_JFR_N_TIME },
		{ "duration", OP_JFR_N_DURATION },
	};

	for (size_t i = 0; i < op_countof(names); i++) {
		if (op_view_is(f->name, names[i].name)) {
			num_add(p, step, names[i].num, f);
			return true;
		}
	}
	if (p->splits && op_view_is(f->name, "timeout")) {
		num_add(p, step, OP_JFR_N_TIMEOUT, f);
		return true;
	}
	if (p->splits && op_view_is(f->name, "until")) {
		num_add(p, step, OP_JFR_N_UNTIL, f);
		return true;
	}
	if ((p->context == OP_JFR_MALLOC || p->context == OP_JFR_FREE) &&
	    op_view_is(f->name, "address")) {
		num_add(p, step, OP_JFR_N_ADDRESS, f);
		return true;
	}
	if (p->row->weight && op_view_is(f->name, p->row->weight)) {
		num_add(p, step, OP_JFR_N_WEIGHT, f);
		return true;
	}
	for (uint32_t i = 0; i < p->nr_profiles; i++) {
		if (p->profiles[i].measure >= OP_JFR_FIELD &&
		    op_view_is(f->name, p->profiles[i].field)) {
			num_add(p, step, OP_JFR_N_VALUE + i, f);
			return true;
		}
	}
	return false;
}

/* Whether a field can hold a text: in the event or in a pool. */
static bool is_text(const struct op_jfr_chunk *c, const struct op_jfr_field *f)
{
	if (f->kind == OP_JFR_STRING)
		return true;
	return f->kind == OP_JFR_REF && f->type != OP_NO_ID &&
	       (f->type == c->t_string || c->types.p[f->type].is_simple);
}

static bool link_field(struct op_jfr_chunk *c, struct op_jfr_plan *p,
		       struct op_jfr_step *step, const struct op_jfr_field *f)
{
	static const struct {
		const char *name;
		enum op_jfr_role role;
		bool is_text; /* or a number */
	} names[] = {
		{ "spanId", OP_JFR_SPAN, true },
		{ "span_id", OP_JFR_SPAN, true },
		{ "localRootSpanId", OP_JFR_ROOT_SPAN, false },
		{ "contextId", OP_JFR_CONTEXT, false },
		{ "traceId", OP_JFR_TRACE, true },
		{ "trace_id", OP_JFR_TRACE, true },
		{ "traceIdHigh", OP_JFR_TRACE_HIGH, false },
	};

	for (size_t i = 0; i < op_countof(names); i++) {
		if (!op_view_is(f->name, names[i].name) ||
		    !(f->kind == OP_JFR_LONG ||
		      (names[i].is_text && is_text(c, f))))
			continue;
		word_add(p, step, names[i].role, key_of(c, f->name));
		p->has_link |= names[i].role == OP_JFR_SPAN ||
			       names[i].role == OP_JFR_CONTEXT;
		return step->op != OP_JFR_DO_SKIP;
	}
	return false;
}

/* The class that an event is about; others go by their own names. */
static bool is_main_class(struct op_view name)
{
	return op_view_is(name, "objectClass") ||
	       op_view_is(name, "monitorClass") ||
	       op_view_is(name, "parkedClass") ||
	       op_view_is(name, "thrownClass");
}

static bool has_role(const struct op_jfr_plan *p, enum op_jfr_role role)
{
	for (uint32_t i = 0; i < p->nr_words; i++)
		if (p->words[i].role == role)
			return true;
	return false;
}

/* A sample has one stack: the first. */
static bool ref_field(struct op_jfr_chunk *c, struct op_jfr_plan *p,
		      struct op_jfr_step *step, const struct op_jfr_field *f)
{
	bool own = op_view_is(f->name, "eventThread") ||
		   op_view_is(f->name, "sampledThread");

	if (f->type == c->t_stack && !has_role(p, OP_JFR_STACK))
		word_add(p, step, OP_JFR_STACK, NULL);
	else if (f->type == c->t_thread)
		word_add(p, step, own ? OP_JFR_THREAD : OP_JFR_OTHER_THREAD,
			 own ? NULL : key_of(c, f->name));
	else if (f->type == c->t_state)
		word_add(p, step, OP_JFR_STATE, NULL);
	else if (f->type == c->t_class)
		word_add(p, step, OP_JFR_CLASS,
			 is_main_class(f->name) ? "jfr.class" :
						  key_of(c, f->name));
	else if (f->type == c->t_method)
		word_add(p, step, OP_JFR_METHOD, key_of(c, f->name));
	else if (is_text(c, f))
		word_add(p, step, OP_JFR_ENUM, key_of(c, f->name));
	else
		return false;
	return step->op != OP_JFR_DO_SKIP;
}

/* Texts that differ from event to event. */
static bool is_message(struct op_view name)
{
	return op_view_is(name, "message") || op_view_is(name, "address") ||
	       op_view_is(name, "value") || op_view_is(name, "data") ||
	       op_view_is(name, "parentId");
}

static bool plain_field(struct op_jfr_chunk *c, struct op_jfr_plan *p,
			struct op_jfr_step *step, const struct op_jfr_field *f)
{
	if (f->is_bool)
		word_add(p, step, OP_JFR_TRUTH, key_of(c, f->name));
	else if (f->kind == OP_JFR_STRING && !is_message(f->name))
		word_add(p, step, OP_JFR_TEXT, key_of(c, f->name));
	else if (f->kind == OP_JFR_INT && op_view_is(f->name, "port"))
		word_add(p, step, OP_JFR_SMALL, key_of(c, f->name));
	return step->op != OP_JFR_DO_SKIP;
}

static void step_add(struct op_jfr_chunk *c, struct op_jfr_plan *p,
		     const struct op_jfr_field *f)
{
	struct op_jfr_step step = {
		.op = OP_JFR_DO_SKIP,
		.slot = OP_JFR_UNWANTED,
		.field = f,
	};
	bool done = false;

	if (!f->is_array && f->kind < OP_JFR_STRING)
		done = number_field(p, &step, f);
	if (!f->is_array && !done)
		done = link_field(c, p, &step, f);
	if (!f->is_array && !done)
		done = f->is_ref ? ref_field(c, p, &step, f) :
				   plain_field(c, p, &step, f);
	if (step.op != OP_JFR_DO_TEXT && f->is_packed)
		step.op = OP_JFR_DO_PACKED;
	(void)op_vec_push(&c->mem, &p->steps, step);
}

/* --- plans --- */

static void profiles_choose(struct op_jfr_chunk *c, struct op_jfr_plan *p,
			    const struct op_jfr_type *t)
{
	for (size_t i = 0; i < op_countof(p->row->profiles); i++) {
		const struct op_jfr_profile_row *r = &p->row->profiles[i];

		if (r->measure == OP_JFR_FIELD_IF)
			p->apart = true;
		if (!r->type || (r->measure >= OP_JFR_FIELD &&
				 !op_jfr_field_named(c, t, r->field)))
			continue;
		p->ids[p->nr_profiles] = OP_NO_ID;
		p->profiles[p->nr_profiles++] = *r;
	}
	if (op_jfr_is_by_engine(p->row)) {
		p->nr_profiles = 1;
		p->by_engine = op_jfr_has_engines(c);
		for (int e = 0; e <= OP_JFR_OPEN; e++)
			p->wants[e] = op_jfr_event_wanted(
				&c->j->opts, t->name,
				op_jfr_engine_kind((enum op_jfr_engine)e));
		/* It is not known yet which it will be. */
		p->wants[OP_JFR_OPEN] |= p->wants[OP_JFR_WALL];
	}
	p->splits = p->nr_profiles == 2 &&
		    p->profiles[0].measure == OP_JFR_DURATION &&
		    p->profiles[1].measure == OP_JFR_DURATION;
}

/* Datadog's names, where it has any. */
static void preset_take(struct op_jfr_plan *p)
{
	for (uint32_t i = 0; i < p->nr_profiles; i++) {
		const struct op_jfr_preset *r = op_jfr_preset(
			p->event, p->profiles[i].type);

		if (!r)
			continue;
		p->profiles[i].type = p->preset = r->name;
		p->profiles[i].unit = r->unit;
	}
	if (p->by_engine) {
		p->profiles[OP_JFR_WALL].type = "wall";
		p->profiles[OP_JFR_WALL].unit = p->profiles[OP_JFR_CPU].unit;
	}
}

/* --- what is noted besides --- */

static bool is_scope(struct op_view name)
{
	return op_view_ends(name, "Scope") || op_view_ends(name, "ScopeEvent");
}

/* Events that say more than their own profile: even if that is not wanted. */
static enum op_jfr_context aside_of(struct op_jfr_chunk *c,
				    const struct op_jfr_type *t)
{
	static const char malloc_name[] = "profiler.Malloc";
	const struct op_jfr_opts *o = &c->j->opts;

	if (op_view_is(t->name, malloc_name) ||
	    op_view_is(t->name, "profiler.Free")) {
		if (!op_jfr_event_wanted(o, op_view_z(malloc_name),
					 "nativemem"))
			return OP_JFR_NO_CONTEXT;
		return op_view_is(t->name, malloc_name) ? OP_JFR_MALLOC :
							  OP_JFR_FREE;
	}
	if (op_view_is(t->name, "datadog.Endpoint"))
		return OP_JFR_ENDPOINT;
	if (op_view_is(t->name, "profiler.Span") ||
	    (o->has_latency && op_view_is(t->name, "jdk.MethodTrace")))
		return OP_JFR_INTERVAL;
	if (is_scope(t->name) && op_jfr_field_named(c, t, "traceId") &&
	    op_jfr_field_named(c, t, "spanId"))
		return OP_JFR_INTERVAL;
	return OP_JFR_NO_CONTEXT;
}

static uint32_t word_keyed(const struct op_jfr_plan *p, const char *key)
{
	for (uint32_t i = 0; i < p->nr_words; i++)
		if (p->words[i].form != OP_JFR_NUMBER && p->words[i].key &&
		    !strcmp(p->words[i].key, key))
			return i;
	return OP_NO_ID;
}

static void context_words(struct op_jfr_plan *p)
{
	static const char *const keys[][2] = {
		[OP_JFR_INTERVAL] = { "jfr.tag", "" },
		[OP_JFR_ENDPOINT] = { "jfr.endpoint", "jfr.operation" },
	};

	p->context_words[0] = OP_NO_ID;
	for (uint32_t i = 0; i < p->nr_words; i++)
		if (p->words[i].role == (p->context == OP_JFR_ENDPOINT ?
						 OP_JFR_ROOT_SPAN :
						 OP_JFR_THREAD))
			p->context_words[0] = i;
	for (int i = 0; i < 2 && p->context >= OP_JFR_INTERVAL; i++)
		p->context_words[i + 1] = word_keyed(p, keys[p->context][i]);
	if (p->context >= OP_JFR_INTERVAL && p->context_words[0] == OP_NO_ID)
		p->context = OP_JFR_NO_CONTEXT;
}

/* The slot whose number is the value of profile i, if no other counts. */
static uint32_t value_slot(const struct op_jfr_chunk *c,
			   const struct op_jfr_plan *p, uint32_t i)
{
	static const enum op_jfr_num nums[] = {
		[OP_JFR_ONE] = OP_JFR_N_ONE,
		[OP_JFR_DURATION] = OP_JFR_N_DURATION,
		[OP_JFR_FIELD] = OP_JFR_N_VALUE,
		[OP_JFR_FIELD_IF] = OP_JFR_N_VALUE,
	};
	uint32_t at = nums[p->profiles[i].measure];

	if (at == OP_JFR_N_VALUE)
		at += i;
	if (p->has[OP_JFR_N_WEIGHT] && at != OP_JFR_N_DURATION)
		at = at == OP_JFR_N_ONE ? OP_JFR_N_WEIGHT : OP_JFR_UNWANTED;
	if (at == OP_JFR_UNWANTED || p->is_real[at] ||
	    p->units[at] == OP_JFR_MILLIS ||
	    (p->units[at] == OP_JFR_TICKS && c->h.ticks_per_s != 1000000000))
		return OP_JFR_UNWANTED;
	return at;
}

/* Whether all steps are of packed numbers, and few. */
static void packed_find(struct op_jfr_plan *p)
{
	struct op_jfr_packed_event l = { .nr = (uint32_t)p->steps.n,
					 .key_from = p->key_from,
					 .key_to = p->key_from + p->nr_key };

	if (p->steps.n > OP_JFR_PACKED_NUMBERS)
		return;
	for (uint32_t i = 0; i < l.nr; i++) {
		const struct op_jfr_step *s = &p->steps.p[i];

		if (s->op != OP_JFR_DO_PACKED)
			return;
		l.slots[i] = (uint8_t)s->slot;
		if (s->slot != OP_JFR_UNWANTED)
			l.nr_wanted = i + 1;
	}
	p->packed = l;
}

/* The run of steps that gives all words, if it is one. */
static void key_find(struct op_jfr_chunk *c, struct op_jfr_plan *p)
{
	const struct op_jfr_step *s = p->steps.p;
	size_t from = 0, to, n = p->steps.n;

	while (from < n && s[from].slot < OP_JFR_WORDS)
		from++;
	for (to = from; to < n && s[to].op == OP_JFR_DO_PACKED &&
			s[to].slot - OP_JFR_WORDS < p->nr_words;)
		to++;
	if (to - from != p->nr_words)
		return;
	p->run = op_new(&c->mem, struct op_jfr_run, 1);
	if (!p->run)
		return;
	p->key_from = (uint32_t)from;
	p->nr_key = (uint32_t)(to - from);
	packed_find(p);
	p->run->slots[OP_JFR_N_ONE] = 1;
	for (uint32_t i = 0; i < p->nr_profiles; i++)
		p->run->value_slot[i] = value_slot(c, p, i);
}

static void plan_make(struct op_jfr_chunk *c, struct op_jfr_type *t,
		      const struct op_jfr_event_row *row)
{
	struct op_jfr_plan *p = op_new(&c->mem, struct op_jfr_plan, 1);

	if (!p)
		return;
	p->row = row;
	p->event = t->name;
	t->plan = p;
	if (!row)
		return;
	p->context = aside_of(c, t);
	profiles_choose(c, p, t);
	if (p->splits)
		p->words[p->nr_words++].role = OP_JFR_TIMED;
	for (uint32_t i = 0; i < t->nr_fields && !c->err->code; i++)
		step_add(c, p, &c->fields.p[t->first_field + i]);
	if (c->j->opts.is_datadog)
		preset_take(p);
	/* What does not say has none that is asked for. */
	if ((c->j->opts.thread && !has_role(p, OP_JFR_THREAD)) ||
	    (c->j->opts.states && !has_role(p, OP_JFR_STATE)))
		p->nr_profiles = 0;
	context_words(p);
	if (!p->nr_profiles &&
	    (p->context == OP_JFR_NO_CONTEXT || p->context == OP_JFR_MALLOC))
		t->plan = NULL;
	/* Nearly every recording of the JDK has one, and most have no stack. */
	p->needs_stack = op_view_is(op_jfr_current_name(t->name),
				    "jdk.Shutdown") &&
			 !op_jfr_has_event_filter(&c->j->opts);
	p->is_odd = p->context != OP_JFR_NO_CONTEXT || p->needs_stack ||
		    !p->nr_profiles;
	if (!p->is_odd && !p->splits && !p->apart && p->nr_words)
		key_find(c, p);
}

/* --- all of them --- */

/* Of events that only say something of others. */
static const struct op_jfr_event_row no_profile = { .kind = OP_JFR_OTHER };

static bool is_wanted(struct op_jfr_chunk *c, const struct op_jfr_type *t,
		      const struct op_jfr_event_row *row)
{
	const struct op_jfr_opts *o = &c->j->opts;

	return op_jfr_event_wanted(o, t->name, row->kind) ||
	       (op_jfr_is_by_engine(row) && op_jfr_has_engines(c) &&
		op_jfr_event_wanted(o, t->name,
				    op_jfr_engine_kind(OP_JFR_WALL)));
}

int op_jfr_plans_make(struct op_jfr_chunk *c)
{
	op_jfr_states_seen(c);
	for (size_t i = 0; i < c->types.n && !c->err->code; i++) {
		struct op_jfr_type *t = &c->types.p[i];
		const struct op_jfr_event_row *row;

		if (!t->is_event)
			continue;
		op_jfr_event_seen(c->j, t->name);
		if (is_fact(c->j, t->name)) {
			plan_make(c, t, NULL);
			continue;
		}
		row = op_jfr_event_row(t->name);
		if (!row)
			row = general_row(c, t);
		if (row && !is_wanted(c, t, row))
			row = NULL;
		if (row || aside_of(c, t) != OP_JFR_NO_CONTEXT)
			plan_make(c, t, row ? row : &no_profile);
	}
	return c->err->code;
}
