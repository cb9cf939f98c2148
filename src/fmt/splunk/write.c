// SPDX-License-Identifier: Apache-2.0
/* fmt/splunk/write.c: a model as log records.
 *
 * Records are written in messages of about a megabyte, one behind the other:
 * of protobuf they are one message, of JSON lines. So memory does not grow with
 * what is written, and each is small enough to be sent. */
#include "fmt/splunk/write_int.h"

#include <stdio.h>

#include "fmt/pack.h"
#include "model/semconv.h"

/* Records are written when they have about so many bytes. */
enum { MESSAGE = 1 << 20 };

/* --- attributes --- */

struct op_kv op_splunk_kv_text(const char *key, struct op_view v)
{
	struct op_kv kv = { .key = op_view_z(key),
			    .value.kind = OP_ANY_STRING };

	kv.value.bytes = v;
	return kv;
}

struct op_kv op_splunk_kv_int(const char *key, int64_t v)
{
	struct op_kv kv = { .key = op_view_z(key), .value.kind = OP_ANY_INT };

	kv.value.num = v;
	return kv;
}

struct op_kv op_splunk_kv_bool(const char *key, bool v)
{
	struct op_kv kv = { .key = op_view_z(key), .value.kind = OP_ANY_BOOL };

	kv.value.flag = v;
	return kv;
}

bool op_splunk_is_reserved(struct op_view key)
{
	static const char *const keys[] = {
		SPLUNK_SOURCETYPE,  SPLUNK_DATA_TYPE, SPLUNK_DATA_FORMAT,
		SPLUNK_FRAME_COUNT, SPLUNK_SOURCE,    SPLUNK_PERIOD,
		SPLUNK_EVENT,	    SPLUNK_ALLOCATED, SPLUNK_TIME,
		SPLUNK_VALUE,	    SPLUNK_UNTIMED,
	};

	for (size_t i = 0; i < op_countof(keys); i++)
		if (op_view_is(key, keys[i]))
			return true;
	return false;
}

/* --- which kind of data a profile is --- */

static bool is_type(const struct op_splunk_writer *w,
		    const struct op_profile *p, const char *type,
		    const char *unit)
{
	return op_view_is(op_string(w->m, p->sample_type.type), type) &&
	       (!unit ||
		op_view_is(op_string(w->m, p->sample_type.unit), unit));
}

/* 0: looks at threads, which the convention counts; then time. */
static unsigned int cpu_rank(const struct op_splunk_writer *w,
			     const struct op_profile *p)
{
	if (is_type(w, p, SPLUNK_CPU_SAMPLE, SPLUNK_CPU_UNIT))
		return 0;
	if (is_type(w, p, "cpu", NULL))
		return 1;
	return is_type(w, p, "wall", NULL) ? 2 : UINT32_MAX;
}

/* The lowest of the resource at hand. */
static unsigned int best_rank(struct op_splunk_writer *w)
{
	const struct op_resource *r = w->walk.resource;

	if (w->ranked == r)
		return w->best_rank;
	w->ranked = r;
	w->best_rank = UINT32_MAX;
	for (uint32_t s = 0; s < r->nr_scopes; s++)
		for (uint32_t i = 0; i < r->scopes[s].nr_profiles; i++) {
			unsigned int rank = cpu_rank(w,
						     &r->scopes[s].profiles[i]);

			if (rank < w->best_rank)
				w->best_rank = rank;
		}
	return w->best_rank;
}

/* Where a resource has the same in several units, only one of them is CPU
 * data: receivers would count it twice. */
static enum op_splunk_data data_of(struct op_splunk_writer *w)
{
	unsigned int rank = cpu_rank(w, w->walk.profile);

	if (is_type(w, w->walk.profile, SPLUNK_ALLOC_SAMPLE, SPLUNK_ALLOC_UNIT))
		return OP_SPLUNK_DATA_ALLOCATION;
	if (rank == UINT32_MAX || rank > best_rank(w))
		return OP_SPLUNK_DATA_OTHER;
	return OP_SPLUNK_DATA_CPU;
}

/* "contentions/count", which is no kind of data that receivers know. */
static struct op_view other_data(struct op_splunk_writer *w)
{
	const struct op_value_type *t = &w->walk.profile->sample_type;
	struct op_view type = op_string(w->m, t->type);
	struct op_view unit = op_string(w->m, t->unit);
	uint8_t *p = op_arena_alloc(&w->mem, type.n + 1 + unit.n);

	w->told |= OP_SPLUNK_TOLD_TYPE;
	if (!p)
		return (struct op_view){ 0 };
	if (type.n)
		memcpy(p, type.p, type.n);
	p[type.n] = '/';
	if (unit.n)
		memcpy(p + type.n + 1, unit.p, unit.n);
	return op_view(p, type.n + 1 + unit.n);
}

static int64_t period_ms(struct op_splunk_writer *w)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "nanoseconds", 1 },	     { "ns", 1 },
		{ "microseconds", 1000 },    { "us", 1000 },
		{ "milliseconds", 1000000 }, { "ms", 1000000 },
		{ "seconds", 1000000000 },   { "s", 1000000000 },
	};
	const struct op_profile *p = w->walk.profile;
	struct op_view unit = op_string(w->m, p->period_type.unit);
	int64_t ns;

	for (size_t i = 0; p->period > 0 && i < op_countof(units); i++) {
		if (!op_view_is(unit, units[i].name) ||
		    __builtin_mul_overflow(p->period, units[i].ns, &ns))
			continue;
		if (ns % SPLUNK_MS)
			w->told |= OP_SPLUNK_TOLD_PERIOD;
		/* Never 0, which would be no period. */
		return ns < SPLUNK_MS ? 1 :
					ns / SPLUNK_MS + (ns % SPLUNK_MS >=
							  SPLUNK_MS / 2);
	}
	return 0;
}

static struct op_view text_attr(const struct op_splunk_writer *w,
				const char *key)
{
	const struct op_attr *a = op_set_find(w->m, w->walk.profile->attrs,
					      key);

	return a ? op_any_text(w->m, &a->value) : (struct op_view){ 0 };
}

static void common_make(struct op_splunk_writer *w)
{
	static const char *const types[] = { SPLUNK_CPU, SPLUNK_ALLOCATION };
	struct op_kv *kv = w->common;
	struct op_view source = text_attr(w, SPLUNK_SOURCE);

	w->data = data_of(w);
	w->event = text_attr(w, OP_ATTR_EVENT);
	w->period_ms = period_ms(w);
	*kv++ = op_splunk_kv_text(SPLUNK_SOURCETYPE, op_view_z(SPLUNK_SCOPE));
	*kv++ = op_splunk_kv_text(SPLUNK_DATA_TYPE,
				  w->data == OP_SPLUNK_DATA_OTHER ?
					  other_data(w) :
					  op_view_z(types[w->data]));
	*kv++ = op_splunk_kv_text(SPLUNK_DATA_FORMAT,
				  op_view_z(w->is_pprof ? SPLUNK_PPROF :
							  SPLUNK_TEXT));
	if (w->is_pprof)
		*kv++ = op_splunk_kv_text(
			SPLUNK_SOURCE,
			source.n ? source : op_view_z(SPLUNK_CONTINUOUS));
	if (w->period_ms && !w->is_pprof)
		*kv++ = op_splunk_kv_int(SPLUNK_PERIOD, w->period_ms);
	if (w->event.n && !w->is_pprof)
		*kv++ = op_splunk_kv_text(SPLUNK_EVENT, w->event);
	w->nr_common = (uint32_t)(kv - w->common);
}

/* --- messages --- */

static int json_put(struct op_splunk_writer *w, const struct op_logs *l)
{
	struct op_buf buf = { .err = w->err };
	struct op_json json = { .out = &buf };

	op_logs_json(l, w->m, &json);
	op_buf_byte(&buf, '\n');
	if (!w->err->code)
		w->out->write(w->out, op_view(buf.p, buf.n), w->err);
	op_buf_free(&buf);
	return w->err->code;
}

static int wire_put(struct op_splunk_writer *w, const struct op_logs *l)
{
	struct op_pbw out = { .err = w->err };

	if (!op_logs_encode(l, w->m, &out))
		w->out->write(w->out, op_pbw_result(&out), w->err);
	op_pbw_free(&out);
	return w->err->code;
}

static struct op_resource resource_head(const struct op_resource *r)
{
	return (struct op_resource){ .attrs = r->attrs,
				     .dropped_attrs = r->dropped_attrs,
				     .entities = r->entities,
				     .nr_entities = r->nr_entities,
				     .schema_url = r->schema_url };
}

/* Makes the records so far a scope of the message, in the resource that the
 * one before is in if that is theirs. */
static void scope_end(struct op_splunk_writer *w)
{
	const struct op_scope *from = w->walk.scope;
	struct op_log_scope scope = {
		.head = { .name = op_view_z(SPLUNK_SCOPE),
			  .version = op_view_z(SPLUNK_VERSION),
			  .schema_url = from->schema_url,
			  .dropped_attrs = from->dropped_attrs,
			  .attrs = w->scope_attrs },
		.records = w->records.p,
		.nr_records = (uint32_t)w->records.n,
	};
	struct op_log_resource resource = {
		.head = resource_head(w->walk.resource),
	};
	bool is_new = !w->resources.n || w->last_r != w->walk.r;

	memset(&w->records, 0, sizeof(w->records));
	if ((is_new && !op_vec_push(&w->mem, &w->resources, resource)) ||
	    !op_vec_push(&w->mem, &w->scopes, scope))
		return;
	w->resources.p[w->resources.n - 1].nr_scopes++;
	w->last_r = w->walk.r;
}

/* Writes what there is as a message, which ends. */
static void flush(struct op_splunk_writer *w)
{
	const struct op_logs l = { .resources = w->resources.p,
				   .nr_resources = (uint32_t)w->resources.n };
	struct op_log_scope *next = w->scopes.p;

	for (uint32_t i = 0; i < l.nr_resources && !w->err->code; i++) {
		l.resources[i].scopes = next;
		next += l.resources[i].nr_scopes;
	}
	if (!w->err->code) {
		if (w->is_json)
			json_put(w, &l);
		else
			wire_put(w, &l);
	}
	w->nr_messages++;
	op_arena_reset(&w->mem);
	memset(&w->resources, 0, sizeof(w->resources));
	memset(&w->scopes, 0, sizeof(w->scopes));
	w->bytes = 0;
}

static struct op_view id_of(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return op_view(p, n);
	return (struct op_view){ 0 };
}

/* The head of the profile, and what the scope had. */
static void scope_attrs_make(struct op_splunk_writer *w)
{
	struct op_kvs from = w->walk.scope->attrs, *to = &w->scope_attrs;
	uint32_t frames = w->is_pprof ? OP_NO_ID : w->frames;

	to->p = op_new(&w->mem, struct op_kv, (size_t)from.n + 1);
	to->n = 1;
	if (!to->p ||
	    !op_splunk_head_write(w->m, &w->walk, frames, &w->mem, &to->p[0]))
		return;
	for (uint32_t i = 0; i < from.n; i++) {
		if (op_view_is(op_kv_key(w->m, &from.p[i]), SPLUNK_HEAD))
			w->lost |= OP_SPLUNK_LOSS_KEY;
		else
			to->p[to->n++] = from.p[i];
	}
}

/* What all records of the profile at hand share; due again in each message. */
static void profile_begin(struct op_splunk_writer *w)
{
	common_make(w);
	scope_attrs_make(w);
}

/* Attributes of a record, end to end. */
static struct op_kvs attrs_of(struct op_splunk_writer *w,
			      const struct op_splunk_new *rec)
{
	const struct op_kvs parts[] = {
		{ w->common, w->nr_common },
		{ (struct op_kv *)rec->more, rec->nr_more },
		rec->attrs,
	};
	struct op_kvs out = { 0 };
	uint32_t n = w->nr_common + rec->nr_more + rec->attrs.n;

	out.p = op_new_raw(&w->mem, struct op_kv, n);
	if (!out.p)
		return out;
	for (size_t i = 0; i < op_countof(parts); i++) {
		if (parts[i].n)
			memcpy(out.p + out.n, parts[i].p,
			       parts[i].n * sizeof(*out.p));
		out.n += parts[i].n;
	}
	return out;
}

void op_splunk_record_add(struct op_splunk_writer *w,
			  const struct op_splunk_new *rec)
{
	enum { AROUND = 400 }; /* bytes, more or less */
	const struct op_link *link = &w->m->dict.links[rec->link];
	struct op_log log = {
		.time_ns = rec->time_ns,
		.name = op_view_z(SPLUNK_SCOPE),
		.event_name = op_view_z(SPLUNK_SCOPE),
		.trace_id = id_of(link->trace_id, sizeof(link->trace_id)),
		.span_id = id_of(link->span_id, sizeof(link->span_id)),
		.attrs = attrs_of(w, rec),
	};

	log.body.kind = OP_ANY_STRING;
	log.body.bytes = rec->body;
	(void)op_vec_push(&w->mem, &w->records, log);
	w->bytes += rec->body.n + AROUND;
	if (w->bytes < MESSAGE || w->err->code)
		return;
	scope_end(w);
	flush(w);
	profile_begin(w);
}

/* --- profiles --- */

static void profile_write(struct op_splunk_writer *w)
{
	struct op_ids attrs = op_list(&w->m->dict.sets, w->walk.profile->attrs);

	for (uint32_t i = 0; i < attrs.n; i++)
		if (w->m->dict.attrs[attrs.p[i]].unit)
			w->lost |= OP_SPLUNK_LOSS_UNIT;
	if (w->walk.profile->payload.n)
		w->lost |= OP_SPLUNK_LOSS_PAYLOAD;
	profile_begin(w);
	if (w->err->code)
		return;
	if (w->is_pprof)
		op_splunk_pprof_write(w);
	else
		op_splunk_text_write(w);
	/* One without samples is a scope without records. */
	if (w->records.n || !w->walk.profile->nr_samples)
		scope_end(w);
}

/* --- what is lost, and what only we read --- */

static void say(const struct op_write_opts *opts, struct op_buf *text)
{
	op_buf_byte(text, 0);
	if (!text->err->code)
		opts->note(opts->ctx, (const char *)text->p);
	text->n = 0;
}

static void say_lost(struct op_splunk_writer *w,
		     const struct op_write_opts *opts, struct op_buf *text)
{
	static const char *const names[] = {
		"addresses, mappings and attributes of frames",
		"which calls were inlined",
		"system names and start lines of functions",
		"some characters of names",
		"units of attributes",
		"attributes with reserved names",
		"original payloads",
		"attributes of frames and mappings",
	};

	if (!w->lost)
		return;
	op_buf_printf(text, "splunk-%s cannot hold",
		      w->is_pprof ? "pprof" : "text");
	for (size_t i = 0, n = 0; i < op_countof(names); i++)
		if (w->lost & 1u << i)
			op_buf_printf(text, "%s %s", n++ ? "," : "", names[i]);
	say(opts, text);
}

static void say_told(struct op_splunk_writer *w,
		     const struct op_write_opts *opts, struct op_buf *text)
{
	static const char *const names[] = {
		"types other than samples and allocated bytes",
		"values of stacks other than 1",
		"periods of less than a millisecond",
	};

	if (!w->told)
		return;
	op_buf_z(text, "receivers other than otprof will not see");
	for (size_t i = 0, n = 0; i < op_countof(names); i++)
		if (w->told & 1u << i)
			op_buf_printf(text, "%s %s", n++ ? "," : "", names[i]);
	say(opts, text);
}

static void notes(struct op_splunk_writer *w, const struct op_write_opts *opts)
{
	struct op_buf text = { .err = w->err };

	if (!opts || !opts->note || w->err->code)
		return;
	say_lost(w, opts, &text);
	say_told(w, opts, &text);
	op_buf_free(&text);
}

/* --- the whole --- */

/* By the setting, else by the name of the file. */
static bool wants_json(const struct op_write_opts *opts, struct op_err *err)
{
	const char *v = op_setting(opts ? opts->settings : NULL,
				   SPLUNK_SETTING_LOGS);
	struct op_view stem = { 0 };

	if (v && strcmp(v, SPLUNK_LOGS_JSON) && strcmp(v, SPLUNK_LOGS_PROTOBUF))
		op_fail(err, OP_EUSAGE,
			"--" SPLUNK_SETTING_LOGS
			" takes protobuf or json, not '%s'",
			v);
	if (v)
		return !strcmp(v, SPLUNK_LOGS_JSON);
	if (opts && opts->path)
		op_pack_by_ending(opts->path, &stem);
	return op_view_ends(stem, ".json");
}

int op_splunk_write(const struct op_model *m, const struct op_write_opts *opts,
		    bool is_pprof, struct op_sink *out, struct op_err *err)
{
	struct op_splunk_writer w = { .m = m,
				      .err = err,
				      .mem.err = err,
				      .lines_mem.err = err,
				      .out = out,
				      .is_json = wants_json(opts, err),
				      .is_pprof = is_pprof };

	op_splunk_frames_of(opts ? opts->settings : NULL, &w.frames, err);
	while (!err->code && op_walk_next(m, &w.walk))
		profile_write(&w);
	if (!err->code && (w.resources.n || !w.nr_messages))
		flush(&w);
	notes(&w, opts);
	op_arena_free(&w.mem);
	op_arena_free(&w.lines_mem);
	return err->code;
}
