// SPDX-License-Identifier: Apache-2.0
/* fmt/perf/rows.c: addresses, stacks and threads as rows of the model. */
#include "fmt/perf/rows.h"

#include "fmt/perf/event.h"
#include "fmt/perf/header.h"
#include "fmt/perf/binary.h"
#include "fmt/perf/perf_int.h"
#include "fmt/perf/record.h"
#include "fmt/perf/sample.h"
#include "fmt/perf/thread.h"
#include "fmt/perf/unwind.h"
#include "model/semconv.h"

int op_perf_rows_begin(struct op_perf *f)
{
	f->rows.ip_cache = op_new(&f->mem, struct op_perf_ip_slot,
				  OP_PERF_IP_CACHE_SLOTS);
	f->rows.frame_sets[0] = f->rows.frame_sets[1] = OP_NO_ID;
	return f->err->code;
}

static void attr_add(struct op_perf *f, const char *key, const struct op_any *v)
{
	uint32_t id = op_build_attr(&f->b, op_view_z(key), v,
				    (struct op_view){ 0 }, NULL);

	(void)op_vec_push(&f->mem, &f->rows.attrs, id);
}

static void attr_text(struct op_perf *f, const char *key, struct op_view text)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = text };

	if (text.n)
		attr_add(f, key, &v);
}

static void attr_int(struct op_perf *f, const char *key, int64_t num)
{
	struct op_any v = { .kind = OP_ANY_INT, .num = num };

	attr_add(f, key, &v);
}

/* The set of what was added. */
static uint32_t attrs_end(struct op_perf *f)
{
	uint32_t set = op_build_set(&f->b, f->rows.attrs.p,
				    (uint32_t)f->rows.attrs.n);

	f->rows.attrs.n = 0;
	return set;
}

/* --- mappings --- */

static uint32_t build_id_set(struct op_perf *f, struct op_host_binary *d)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t text[2 * sizeof(d->id)];

	if (!d->id_len)
		op_perf_build_id_named(f, d->name, d);
	for (size_t i = 0; i < d->id_len; i++) {
		text[2 * i] = (uint8_t)digits[d->id[i] >> 4];
		text[2 * i + 1] = (uint8_t)digits[d->id[i] & 15];
	}
	attr_text(f, OP_ATTR_BUILD_ID_GNU, op_view(text, 2u * d->id_len));
	return attrs_end(f);
}

/* As if it were loaded where the file wants to be: the same in every process.
 * The offset is that of the start. */
static uint32_t mapping_make(struct op_perf *f, struct op_host_map *m)
{
	struct op_host_binary d = f->host.maps.binaries.p[m->binary];
	struct op_mapping row = {
		.start = m->base,
		.limit = m->base + (m->end - m->start),
		.offset = d.kind == OP_BINARY_FILE ? m->offset : 0,
		.filename = op_build_string(&f->b, d.name),
	};

	if (row.limit < row.start)
		row.limit = UINT64_MAX;
	row.attrs = build_id_set(f, &d);
	return op_build_mapping(&f->b, &row);
}

/* --- locations --- */

static uint32_t frame_set(struct op_perf *f, bool in_kernel)
{
	if (f->rows.frame_sets[in_kernel] == OP_NO_ID) {
		attr_text(f, OP_ATTR_FRAME_TYPE,
			  op_view_z(in_kernel ? "kernel" : "native"));
		f->rows.frame_sets[in_kernel] = attrs_end(f);
	}
	return f->rows.frame_sets[in_kernel];
}

static op_cold uint32_t location_make(struct op_perf *f,
				      struct op_host_space *s, uint64_t ip,
				      bool in_kernel)
{
	struct op_location row = { .address = ip };
	struct op_host_map *m = s ? op_host_map_find(s, ip) : NULL;

	row.attrs = frame_set(f, in_kernel);
	if (m) {
		op_perf_locate(f, m, ip);
		if (m->user == OP_NO_ID)
			m->user = mapping_make(f, m);
		row.mapping = m->user;
		row.address = ip - m->start + m->base;
	}
	return op_build_location(&f->b, &row, NULL, 0);
}

/* The version of no space, which no space has. */
enum { NO_VERSION = 0 };

/* Where addresses are meant: a space, or none, in the kernel or not. */
struct place {
	struct op_host_space *space;
	bool in_kernel;
	uint32_t version; /* bit 31 tells places without a space apart */
};

static struct place place_of(struct op_host_space *s, bool in_kernel)
{
	return (struct place){ s, in_kernel,
			       (s ? (uint32_t)s->version : NO_VERSION) |
				       (uint32_t)in_kernel << 31 };
}

op_inline uint32_t location_of(struct op_perf *f, const struct place *in,
			       uint64_t ip)
{
	uint64_t key = (ip ^ (uint64_t)in->version << 40) * 0x9e3779b97f4a7c15u;
	struct op_perf_ip_slot *spot =
		&f->rows.ip_cache[key >> (64 - OP_PERF_IP_CACHE_BITS)];

	if (op_likely(spot->ip == ip && spot->version == in->version &&
		      spot->location))
		return spot->location;
	*spot = (struct op_perf_ip_slot){
		ip, in->version, location_make(f, in->space, ip, in->in_kernel)
	};
	return spot->location;
}

/* --- stacks --- */

/* The space that addresses of a mode are in; NULL: none that is known. */
static struct op_host_space *
space_of(struct op_perf *f, struct op_host_space *user, unsigned int mode)
{
	if (mode == OP_MISC_KERNEL)
		return &f->host.maps.kernel;
	return mode == OP_MISC_USER ? user : NULL;
}

static bool is_kernel(unsigned int mode)
{
	return mode == OP_MISC_KERNEL || mode == OP_MISC_GUEST_KERNEL;
}

/* Marks between addresses that say whose the next ones are. */
#define FIRST_MARK ((uint64_t)-4095)

static unsigned int mode_of(uint64_t mark)
{
	switch ((int64_t)mark) {
	case -32:
		return OP_MISC_HYPERVISOR;
	case -128:
		return OP_MISC_KERNEL;
	case -512:
		return OP_MISC_USER;
	case -2048:
	case -2176:
		return OP_MISC_GUEST_KERNEL;
	case -2560:
		return OP_MISC_GUEST_USER;
	}
	return 0;
}

/* A caller's address is the one it returns to: the call is before that. Frames
 * of the user come last and are words of its memory: what looks like the mark
 * of another mode there is not one. */
static void chain_add(struct op_perf *f, struct op_host_space *user,
		      const struct op_perf_sample *s)
{
	struct place in = place_of(space_of(f, user, s->mode),
				   is_kernel(s->mode));
	bool is_last = false;
	uint64_t before = 0;
	uint32_t *to;

	if (!op_vec_reserve(&f->mem, &f->rows.frames, s->nr_chain))
		return;
	to = f->rows.frames.p + f->rows.frames.n;
	for (uint64_t i = 0; i < s->nr_chain; i++) {
		uint64_t ip = op_perf_u64(f, s->chain + 8 * i);

		if (op_likely(ip < FIRST_MARK)) {
			*to++ = location_of(f, &in, ip - (ip ? before : 0));
			before = 1;
			continue;
		}
		/* What is behind an unknown mark means nothing. */
		if (!mode_of(ip))
			break;
		if (is_last)
			continue;
		is_last = mode_of(ip) == OP_MISC_USER;
		in = place_of(space_of(f, user, mode_of(ip)),
			      is_kernel(mode_of(ip)));
		before = 0;
	}
	f->rows.frames.n = (size_t)(to - f->rows.frames.p);
}

void op_perf_frame_add(struct op_perf *f, struct op_host_space *space,
		       uint64_t ip)
{
	struct place in = place_of(space, false);
	uint32_t id = location_of(f, &in, ip);

	(void)op_vec_push(&f->mem, &f->rows.frames, id);
}

/* Callers in the user's part are in the chain, or they are to be found. */
const char *op_perf_frames(struct op_perf *f, const struct op_perf_event *e,
			   const struct op_perf_sample *s)
{
	size_t from = f->rows.frames.n;
	struct op_host_space *user;
	const char *end = NULL;
	struct place in;
	uint32_t id;

	user = f->host.tasks.processes.p[s->process].space;
	if (s->chain)
		chain_add(f, user, s);
	if (s->stack.n)
		end = op_perf_unwind(f, user, e, s);
	if (f->rows.frames.n > from || !(e->sample_type & OP_PERF_HAS_IP))
		return end;
	in = place_of(space_of(f, user, s->mode), is_kernel(s->mode));
	id = location_of(f, &in, s->ip);
	(void)op_vec_push(&f->mem, &f->rows.frames, id);
	return end;
}

/* --- threads --- */

static uint32_t thread_set(struct op_perf *f, const struct op_host_thread *t,
			   struct op_view name)
{
	const uint8_t *slash = name.n ? memrchr(name.p, '/', name.n) : NULL;

	if (slash)
		name = op_view(slash + 1,
			       name.n - (size_t)(slash + 1 - name.p));
	attr_int(f, OP_ATTR_THREAD_ID, (int32_t)t->tid);
	attr_text(f, OP_ATTR_THREAD_NAME, t->name);
	attr_int(f, "process.pid", (int32_t)t->pid);
	attr_text(f, "process.executable.name", name);
	return attrs_end(f);
}

static uint32_t more_set(struct op_perf *f, uint32_t set,
			 const struct op_perf_sample *s)
{
	struct op_view path = { 0 };

	if (s->has_cpu)
		attr_int(f, "cpu.logical_number", s->cpu);
	if (s->has_cgroup)
		path = op_host_cgroup(&f->host, s->cgroup);
	attr_text(f, "process.linux.cgroup", path);
	for (size_t i = 0; i < f->rows.attrs.n; i++)
		set = op_build_set_with(&f->b, set, f->rows.attrs.p[i]);
	f->rows.attrs.n = 0;
	return set;
}

uint32_t op_perf_set(struct op_perf *f, const struct op_perf_sample *s)
{
	const struct op_host_thread *from = &f->host.tasks.threads.p[s->thread];
	uint64_t version = f->host.tasks.processes.p[s->process].version;
	struct op_perf_thread *t = op_perf_thread(f, s->thread);

	if (!t)
		return 0;
	if (op_unlikely(t->thread_version != from->version ||
			t->process_version != version)) {
		t->set = thread_set(f, from,
				    op_host_program(&f->host, s->process));
		t->thread_version = from->version;
		t->process_version = version;
		t->more_set = OP_NO_ID;
	}
	if (!s->has_cpu && !s->has_cgroup)
		return t->set;
	if (t->more_set == OP_NO_ID || t->cpu != s->cpu ||
	    t->cgroup != s->cgroup) {
		t->more_set = more_set(f, t->set, s);
		t->cpu = s->cpu;
		t->cgroup = s->cgroup;
	}
	return t->more_set;
}

uint32_t op_perf_set_with(struct op_perf *f, uint32_t set, const char *key,
			  const char *text)
{
	struct op_any v = { .kind = OP_ANY_STRING, .bytes = op_view_z(text) };

	return op_build_set_with(&f->b, set,
				 op_build_attr(&f->b, op_view_z(key), &v,
					       (struct op_view){ 0 }, NULL));
}

/* Whether a text holds another. */
static bool holds(struct op_view v, const char *part)
{
	size_t n = strlen(part);

	return !n || (v.n >= n && memmem(v.p, v.n, part, n));
}

bool op_perf_is_wanted(const struct op_perf *f, const struct op_host_thread *t)
{
	return !f->opts.thread || !t->name.n || holds(t->name, f->opts.thread);
}
