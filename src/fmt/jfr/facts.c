// SPDX-License-Identifier: Apache-2.0
/* fmt/jfr/facts.c: what a recording says of the process, the machine and its
 * own settings, as attributes of the resource and periods of profiles. */
#include "fmt/jfr/facts.h"

#include <stdio.h>
#include <time.h>

#include "fmt/jfr/chunk.h"
#include "fmt/jfr/cursor.h"
#include "fmt/jfr/engine.h"
#include "fmt/jfr/event_types.h"
#include "fmt/jfr/jfr_int.h"
#include "fmt/jfr/metadata.h"
#include "fmt/jfr/redact.h"
#include "fmt/jfr/rows.h"
#include "fmt/jfr/target.h"
#include "fmt/jfr/value.h"
#include "model/semconv.h"

/* Properties included. */
enum { MAX_FACTS = 1024 };

static const struct {
	const char *event, *field, *key;
} rows[] = {
	{ "jdk.JVMInformation", "pid", "process.pid" },
	{ "jdk.JVMInformation", "jvmName", "process.runtime.name" },
	{ "jdk.JVMInformation", "jvmVersion", "process.runtime.description" },
	{ "jdk.JVMInformation", "jvmStartTime", "process.creation.time" },
	{ "jdk.JVMInformation", "jvmArguments", "jfr.jvm.arguments" },
	{ "jdk.JVMInformation", "javaArguments", "jfr.java.arguments" },
	{ "jdk.OSInformation", "osVersion", "os.description" },
	{ "jdk.CPUInformation", "cpu", "host.cpu.model.name" },
};

static bool is_property(struct op_view event)
{
	return op_view_is(event, "jdk.InitialSystemProperty") ||
	       op_view_is(event, "jdk.InitialEnvironmentVariable");
}

static const char *key_of(struct op_view event, struct op_view field)
{
	for (size_t i = 0; i < op_countof(rows); i++)
		if (op_view_is(event, rows[i].event) &&
		    op_view_is(field, rows[i].field))
			return rows[i].key;
	return NULL;
}

void op_jfr_fact_put(struct op_jfr *j, const struct op_kv *kv)
{
	struct op_kv copy = *kv;

	for (size_t i = 0; i < j->facts.n; i++)
		if (op_view_eq(j->facts.p[i].key, kv->key))
			return;
	if (j->facts.n == MAX_FACTS)
		return;
	copy.key = op_jfr_kept(j, kv->key);
	if (kv->value.kind == OP_ANY_STRING)
		copy.value.bytes = op_jfr_kept(j, kv->value.bytes);
	(void)op_vec_push(&j->mem, &j->facts, copy);
}

static void fact_add(struct op_jfr_chunk *c, struct op_view key,
		     struct op_any v)
{
	struct op_kv kv = { .key = key, .value = v };

	if (v.kind == OP_ANY_STRING)
		kv.value.bytes = op_jfr_redact(&c->mem, v.bytes, c->err);
	if (!c->err->code)
		op_jfr_fact_put(c->j, &kv);
}

/* A property or variable; of those with a secret name only that they exist. */
static void property_add(struct op_jfr_chunk *c, struct op_view event,
			 struct op_view name, struct op_view value)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = value };
	struct op_buf *key = &c->rows->text;

	if (!name.n || !value.n)
		return;
	if (op_jfr_is_secret(name))
		v.bytes = op_view_z("[redacted]");
	key->n = 0;
	op_buf_z(key, op_view_is(event, "jdk.InitialSystemProperty") ?
			      "jfr.system_property." :
			      "process.environment_variable.");
	op_buf_view(key, name);
	if (!c->err->code)
		fact_add(c, op_view(key->p, key->n), v);
}

/* "20 ms" and the like, as nanoseconds; a bare number is that many. */
static int64_t period_of(struct op_view v)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = { { "ns", 1 },
		      { "us", 1000 },
		      { "ms", 1000000 },
		      { "s", 1000000000 },
		      { "", 1 } };
	int64_t n = 0;
	size_t i = 0;

	for (; i < v.n && v.p[i] >= '0' && v.p[i] <= '9' && n < 1000000000; i++)
		n = n * 10 + (v.p[i] - '0');
	if (!i)
		return 0;
	while (i < v.n && v.p[i] == ' ')
		i++;
	for (size_t k = 0; k < op_countof(units); k++)
		if (op_view_is(op_view(v.p + i, v.n - i), units[k].unit))
			return __builtin_mul_overflow(n, units[k].ns, &n) ? 0 :
									    n;
	return 0;
}

/* A setting of an event type: only periods of sampling matter, and which engine
 * async-profiler ran. */
static void setting_add(struct op_jfr_chunk *c, uint64_t type_id,
			struct op_view name, struct op_view value)
{
	uint32_t type = op_jfr_type_of(c, type_id);
	struct op_jfr_period p = { .ns = period_of(value) };

	if (op_view_is(name, "event"))
		c->j->engine = op_view_is(value, "wall") ? OP_JFR_WALL :
							   OP_JFR_CPU;
	if (type == OP_NO_ID || p.ns <= 0)
		return;
	if (op_view_is(name, "period"))
		p.event = op_jfr_kept(c->j, c->types.p[type].name);
	else if (op_view_is(name, "interval")) /* async-profiler's names */
		p.event = op_view_z("jdk.ExecutionSample");
	else if (op_view_is(name, "wall"))
		p.event = op_view_z("profiler.WallClockSample");
	else
		return;
	(void)op_vec_push(&c->j->mem, &c->j->periods, p);
}

/* Milliseconds since 1970 as RFC 3339 has them. */
static struct op_any date_of(struct op_jfr_chunk *c, int64_t ms)
{
	struct op_any v = { .kind = OP_ANY_STRING };
	char *text = op_new(&c->mem, char, 40);
	time_t s = ms / 1000;
	struct tm tm;
	size_t n;

	if (!text || ms <= 0 || !gmtime_r(&s, &tm))
		return v;
	n = strftime(text, 30, "%Y-%m-%dT%H:%M:%S", &tm);
	n += (size_t)snprintf(text + n, 40 - n, ".%03dZ", (int)(ms % 1000));
	v.bytes = op_view(text, n);
	return v;
}

void op_jfr_fact(struct op_jfr_chunk *c, uint32_t type, struct op_jfr_cur *in)
{
	const struct op_jfr_type *t = &c->types.p[type];
	const struct op_jfr_field *f = &c->fields.p[t->first_field];
	struct op_view event = op_jfr_current_name(t->name);
	struct op_view name = { 0 }, value = { 0 };
	uint64_t id = 0;

	for (uint32_t i = 0; i < t->nr_fields && !c->err->code; i++, f++) {
		const char *key = key_of(event, f->name);
		struct op_any v = { .kind = OP_ANY_INT };

		if (f->kind == OP_JFR_STRING && !f->is_array) {
			v.kind = OP_ANY_STRING;
			v.bytes = op_jfr_text(c, in);
			if (op_view_is(f->name, "name") ||
			    op_view_is(f->name, "key"))
				name = v.bytes;
			else if (op_view_is(f->name, "value"))
				value = v.bytes;
		} else if (!f->is_array && f->kind != OP_JFR_STRUCT) {
			v.num = (int64_t)op_jfr_number(in, f->kind);
			if (op_view_is(f->name, "id"))
				id = (uint64_t)v.num;
		} else {
			op_jfr_skip(c, in, f);
			continue;
		}
		if (key && f->unit == OP_JFR_MILLIS)
			v = date_of(c, v.num);
		if (key && (v.kind == OP_ANY_INT || v.bytes.n))
			fact_add(c, op_view_z(key), v);
	}
	if (c->err->code)
		return;
	if (op_view_is(event, "jdk.ActiveSetting"))
		setting_add(c, id, name, value);
	else if (is_property(event))
		property_add(c, event, name, value);
}

static int64_t period_named(const struct op_jfr *j, struct op_view event)
{
	for (size_t i = 0; i < j->periods.n; i++)
		if (op_view_eq(j->periods.p[i].event, event))
			return j->periods.p[i].ns;
	return 0;
}

/* The interval of async-profiler is that of its engine. */
static int64_t period_of_target(const struct op_jfr *j,
				const struct op_jfr_target *t)
{
	static const char wall[] = "profiler.WallClockSample";
	static const char engine[] = "jdk.ExecutionSample";
	bool is_wall = op_view_is(t->event, wall) ||
		       (op_view_is(t->event, engine) &&
			op_view_is(t->period, "wall"));
	int64_t ns;

	if (!is_wall)
		return period_named(j, t->event);
	ns = period_named(j, op_view_z(wall));
	if (!ns && j->engine == OP_JFR_WALL)
		ns = period_named(j, op_view_z(engine));
	return ns;
}

void op_jfr_facts_end(struct op_jfr *j)
{
	struct op_resource head = { .attrs = { j->facts.p,
					       (uint32_t)j->facts.n } };

	op_build_resource_head(&j->b, j->resource, &head);
	for (size_t i = 0; i < j->targets.n; i++) {
		const struct op_jfr_target *t = &j->targets.p[i];
		struct op_profile *p = op_build_profile_head(&j->b, t->profile);

		p->time_ns = j->first_ns;
		p->duration_ns = j->last_ns - j->first_ns;
		if (p->period_type.type)
			p->period = period_of_target(j, t);
	}
}
