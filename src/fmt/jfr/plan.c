// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/plan.c: what each field of an event type is for.
 *
 * Fields are known by their name and type, never by their place. What tells
 * samples apart becomes a word of the identity: references, truths, texts that
 * name something. Sizes, addresses, ids and messages would make every event a
 * sample of its own: they are left out, and a profile attribute names them. */
#include "fmt/jfr/jfr.h"

#include "model/semconv.h"

/* --- which events --- */

static bool in_list(const char *list, struct op_view word)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (op_view_eq(op_view(list, n), word))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/* The option may come more than once. */
static bool is_wanted(const struct op_jfr *j, struct op_view name,
		      const struct op_jfr_event_row *row)
{
	static const char option[] = "event=";
	size_t n = sizeof(option) - 1;
	bool asked = false;

	for (const char *const *s = j->opts.settings; s && *s; s++) {
		if (strncmp(*s, option, n))
			continue;
		asked = true;
		if (in_list(*s + n, name) ||
		    in_list(*s + n, op_view_z(row->kind)))
			return true;
	}
	return !asked;
}

static bool is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

/* "jdk.ThreadStart" is thread_start, "jdk.GCHeap" gc_heap. */
static const char *snake_case(struct op_jfr *j, struct op_view name)
{
	size_t from = name.n, n = 0;
	char *out = op_new(&j->mem, char, 2 * name.n + 1);

	if (!out) {
		op_jfr_nomem(j->err);
		return "";
	}
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

/* The general rule for event types with a stack. */
static const struct op_jfr_event_row *general_row(struct op_jfr_chunk *c,
						  const struct op_jfr_type *t)
{
	const struct op_jfr_field *stack = op_jfr_field_named(c, t,
							      "stackTrace");
	struct op_jfr_event_row *row;

	if (!stack || stack->type != c->t_stack)
		return NULL;
	row = op_new(&c->j->mem, struct op_jfr_event_row, 1);
	if (!row) {
		op_jfr_nomem(c->err);
		return NULL;
	}
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

static bool is_fact(struct op_view name)
{
	return op_view_is(name, "jdk.JVMInformation") ||
	       op_view_is(name, "jdk.OSInformation") ||
	       op_view_is(name, "jdk.CPUInformation") ||
	       op_view_is(name, "jdk.ActiveSetting");
}

/* --- fields --- */

static void word_add(struct op_jfr_plan *p, struct op_jfr_step *step,
		     enum op_jfr_role role, uint32_t type, const char *key)
{
	if (p->nr_words == OP_JFR_MOST_WORDS)
		return;
	step->op = role == OP_JFR_TEXT ? OP_JFR_DO_TEXT : OP_JFR_DO_NUMBER;
	step->slot = OP_JFR_WORDS + p->nr_words;
	p->words[p->nr_words++] = (struct op_jfr_word){ role, type, key };
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

	if (!key) {
		op_jfr_nomem(c->err);
		return "";
	}
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
	if (p->heap && op_view_is(f->name, "address")) {
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

static bool span_field(struct op_jfr_plan *p, struct op_jfr_step *step,
		       const struct op_jfr_field *f)
{
	static const struct {
		const char *name;
		enum op_jfr_role role;
	} names[] = {
		{ "spanId", OP_JFR_SPAN },
		{ "localRootSpanId", OP_JFR_ROOT_SPAN },
		{ "contextId", OP_JFR_CONTEXT },
	};

	for (size_t i = 0; i < op_countof(names); i++) {
		if (op_view_is(f->name, names[i].name) &&
		    f->kind == OP_JFR_LONG) {
			word_add(p, step, names[i].role, 0, NULL);
			return true;
		}
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
		word_add(p, step, OP_JFR_STACK, f->type, NULL);
	else if (f->type == c->t_thread)
		word_add(p, step, own ? OP_JFR_THREAD : OP_JFR_OTHER_THREAD,
			 f->type, own ? NULL : key_of(c, f->name));
	else if (f->type == c->t_state)
		word_add(p, step, OP_JFR_STATE, f->type, NULL);
	else if (f->type == c->t_class)
		word_add(p, step, OP_JFR_CLASS, f->type,
			 is_main_class(f->name) ? "jfr.class" :
						  key_of(c, f->name));
	else if (f->type == c->t_method)
		word_add(p, step, OP_JFR_METHOD, f->type, key_of(c, f->name));
	else if (f->type != OP_NO_ID &&
		 (f->type == c->t_string || c->types.p[f->type].is_simple))
		word_add(p, step, OP_JFR_ENUM, f->type, key_of(c, f->name));
	else
		return false;
	return step->op != OP_JFR_DO_SKIP;
}

/* Texts that differ from event to event. */
static bool is_message(struct op_view name)
{
	return op_view_is(name, "message") || op_view_is(name, "address") ||
	       op_view_is(name, "value") || op_view_is(name, "data");
}

static bool plain_field(struct op_jfr_chunk *c, struct op_jfr_plan *p,
			struct op_jfr_step *step, const struct op_jfr_field *f)
{
	if (f->is_bool)
		word_add(p, step, OP_JFR_TRUTH, 0, key_of(c, f->name));
	else if (f->kind == OP_JFR_STRING && !is_message(f->name))
		word_add(p, step, OP_JFR_TEXT, 0, key_of(c, f->name));
	else if (f->kind == OP_JFR_INT && op_view_is(f->name, "port"))
		word_add(p, step, OP_JFR_SMALL, 0, key_of(c, f->name));
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
		done = number_field(p, &step, f) || span_field(p, &step, f);
	if (!f->is_array && !done)
		done = f->is_ref ? ref_field(c, p, &step, f) :
				   plain_field(c, p, &step, f);
	if (step.op != OP_JFR_DO_TEXT && op_jfr_is_packed(c, f))
		step.op = OP_JFR_DO_PACKED;
	if (!op_vec_push(&c->mem, &p->steps, step))
		op_jfr_nomem(c->err);
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
	p->splits = p->nr_profiles == 2 &&
		    p->profiles[0].measure == OP_JFR_DURATION &&
		    p->profiles[1].measure == OP_JFR_DURATION;
}

static void plan_make(struct op_jfr_chunk *c, struct op_jfr_type *t,
		      const struct op_jfr_event_row *row)
{
	struct op_jfr_plan *p = op_new(&c->mem, struct op_jfr_plan, 1);

	if (!p) {
		op_jfr_nomem(c->err);
		return;
	}
	p->row = row;
	p->event = t->name;
	t->plan = p;
	if (!row)
		return;
	profiles_choose(c, p, t);
	if (!p->nr_profiles) {
		t->plan = NULL;
		return;
	}
	if (op_view_is(t->name, "profiler.Malloc"))
		p->heap = OP_JFR_TAKES;
	else if (op_view_is(t->name, "profiler.Free"))
		p->heap = OP_JFR_GIVES;
	if (p->splits)
		p->words[p->nr_words++].role = OP_JFR_TIMED;
	for (uint32_t i = 0; i < t->nr_fields && !c->err->code; i++)
		step_add(c, p, &c->fields.p[t->first_field + i]);
}

/* --- what was asked for and is not there --- */

/* Calls fn for each word of the option, until it says true. */
static struct op_view asked_find(const struct op_jfr *j,
				 bool (*fn)(const struct op_jfr *j,
					    struct op_view word))
{
	static const char option[] = "event=";

	for (const char *const *s = j->opts.settings; s && *s; s++) {
		const char *list = *s + sizeof(option) - 1;

		if (strncmp(*s, option, sizeof(option) - 1))
			continue;
		while (*list) {
			size_t n = strcspn(list, ",");

			if (fn(j, op_view(list, n)))
				return op_view(list, n);
			list += n + (list[n] == ',');
		}
	}
	return (struct op_view){ 0 };
}

void op_jfr_asked_seen(struct op_jfr *j, struct op_view name)
{
	for (size_t i = 0; i < j->seen.n; i++)
		if (op_view_eq(j->seen.p[i], name))
			return;
	if (!op_vec_push(&j->mem, &j->seen, op_jfr_kept(j, name)))
		op_jfr_nomem(j->err);
}

/* Types that are known may be missing: not every recording has all. */
static bool is_missing(const struct op_jfr *j, struct op_view word)
{
	for (size_t i = 0; i < j->seen.n; i++)
		if (op_view_eq(j->seen.p[i], word))
			return false;
	return !op_jfr_is_kind(word) && !op_jfr_event_row(word);
}

int op_jfr_asked_check(struct op_jfr *j)
{
	struct op_view word = asked_find(j, is_missing);

	if (!word.n)
		return OP_OK;
	return op_fail(j->err, OP_EUSAGE,
		       "--event %.*s: the recording has no such event type",
		       (int)word.n, (const char *)word.p);
}

int op_jfr_plans_make(struct op_jfr_chunk *c)
{
	for (size_t i = 0; i < c->types.n && !c->err->code; i++) {
		struct op_jfr_type *t = &c->types.p[i];
		const struct op_jfr_event_row *row;

		if (!t->is_event)
			continue;
		op_jfr_asked_seen(c->j, t->name);
		if (is_fact(t->name)) {
			plan_make(c, t, NULL);
			continue;
		}
		row = op_jfr_event_row(t->name);
		if (!row)
			row = general_row(c, t);
		if (row && is_wanted(c->j, t->name, row))
			plan_make(c, t, row);
	}
	return c->err->code;
}
