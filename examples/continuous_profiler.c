// SPDX-License-Identifier: Apache-2.0
/* examples/continuous_profiler.c: profiles its own CPU time for as long as it
 * runs, with one builder.
 *
 *	continuous_profiler SECONDS INTERVAL [DIRECTORY]
 *
 * Every INTERVAL seconds it exports what it has sampled: into DIRECTORY, one
 * file per export, or to the OTLP server that the OTEL_EXPORTER_OTLP_*
 * variables name. The builder lives on: functions and stacks that were seen
 * before are not built again, and stale ones are dropped now and then. Names
 * come from the binaries when a message is exported. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <otprof.h>

#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { HZ = 99, MAX_FRAMES = 64, RING = 1024, COMPACT_BYTES = 16 << 20 };

/* --- sampling --- */

struct raw_sample {
	uint64_t time_ns;
	int first, nr; /* frames before first are the handler's */
	void *pcs[MAX_FRAMES];
};

static struct raw_sample ring[RING];
static unsigned int head; /* written by the signal handler */
static unsigned int tail; /* read by the main loop */
static unsigned int lost;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Only copies: to build a profile is not safe here. The handler returns to what
 * the kernel put below it; the frames after that are the program's. */
static void on_sigprof(int sig)
{
	unsigned int i = __atomic_load_n(&head, __ATOMIC_RELAXED);
	struct raw_sample *s = &ring[i % RING];

	(void)sig;
	if (i - __atomic_load_n(&tail, __ATOMIC_ACQUIRE) >= RING) {
		__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
		return;
	}
	s->nr = backtrace(s->pcs, MAX_FRAMES);
	for (s->first = 0; s->first < s->nr;)
		if (s->pcs[s->first++] == __builtin_return_address(0))
			break;
	s->time_ns = now_ns();
	__atomic_store_n(&head, i + 1, __ATOMIC_RELEASE);
}

static void sampling_start(void)
{
	struct sigaction act;
	struct itimerval every;
	void *first[1];

	backtrace(first, 1); /* loads what it needs, outside of the handler */
	memset(&act, 0, sizeof(act));
	act.sa_handler = on_sigprof;
	act.sa_flags = SA_RESTART;
	sigaction(SIGPROF, &act, NULL);
	memset(&every, 0, sizeof(every));
	every.it_interval.tv_usec = every.it_value.tv_usec = 1000000 / HZ;
	setitimer(ITIMER_PROF, &every, NULL);
}

static void sampling_stop(void)
{
	struct itimerval never;

	memset(&never, 0, sizeof(never));
	setitimer(ITIMER_PROF, &never, NULL);
}

/* --- binaries --- */

enum { MAX_BINARIES = 256, MAX_BUILD_ID = 20 };

/* The code of a binary in memory. */
struct binary {
	char path[4096];
	char build_id[2 * MAX_BUILD_ID + 1];
	uint64_t start, limit, offset;
};

static struct binary binaries[MAX_BINARIES];
static size_t nr_binaries;

/* Notes are a header, a name and a value, each padded to four bytes. */
static void build_id_read(struct binary *b, const char *p, size_t n)
{
	ElfW(Nhdr) h;

	while (n >= sizeof(h)) {
		size_t name, value;

		memcpy(&h, p, sizeof(h));
		name = (h.n_namesz + 3u) & ~3u;
		value = (h.n_descsz + 3u) & ~3u;
		if (n < sizeof(h) + name + value)
			return;
		p += sizeof(h) + name;
		n -= sizeof(h) + name;
		for (size_t i = 0; h.n_type == NT_GNU_BUILD_ID &&
				   i < h.n_descsz && i < MAX_BUILD_ID;
		     i++)
			snprintf(&b->build_id[2 * i], 3, "%02x",
				 (unsigned char)p[i]);
		p += value;
		n -= value;
	}
}

static int binary_add(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct binary *b = &binaries[nr_binaries];

	(void)size;
	(void)ctx;
	if (nr_binaries == MAX_BINARIES)
		return 1;
	memset(b, 0, sizeof(*b));
	snprintf(b->path, sizeof(b->path), "%s", info->dlpi_name);
	if (!b->path[0] &&
	    readlink("/proc/self/exe", b->path, sizeof(b->path) - 1) < 0)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_NOTE)
			build_id_read(
				b, (const char *)(info->dlpi_addr + h->p_vaddr),
				h->p_memsz);
		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
			continue;
		b->start = info->dlpi_addr + h->p_vaddr;
		b->limit = b->start + h->p_memsz;
		b->offset = h->p_offset;
	}
	nr_binaries += b->limit > b->start;
	return 0;
}

/* Again for each export: libraries come and go. */
static void binaries_find(void)
{
	nr_binaries = 0;
	dl_iterate_phdr(binary_add, NULL);
}

/* --- building --- */

static uint32_t build_mapping(struct otprof_builder *b, uint64_t address)
{
	struct otprof_mapping mapping;

	OTPROF_INIT(&mapping);
	for (size_t i = 0; i < nr_binaries; i++) {
		const struct binary *binary = &binaries[i];

		if (address < binary->start || address >= binary->limit)
			continue;
		mapping.file = otprof_str(binary->path);
		mapping.build_id = otprof_str(binary->build_id);
		mapping.start = binary->start;
		mapping.limit = binary->limit;
		mapping.offset = binary->offset;
		return otprof_build_mapping(b, &mapping);
	}
	return 0;
}

/* A caller's address is where it goes on, which is behind its call. */
static uint32_t build_location(struct otprof_builder *b, void *pc, int is_leaf)
{
	struct otprof_frame frame;

	OTPROF_INIT(&frame);
	frame.address = (uint64_t)(uintptr_t)pc - !is_leaf;
	return otprof_build_location(b, build_mapping(b, frame.address), &frame,
				     1);
}

static void build_sample(struct otprof_builder *b, uint32_t profile,
			 const struct raw_sample *s)
{
	struct otprof_identity id = { 0 };
	uint32_t locations[MAX_FRAMES];
	size_t nr = 0;

	for (int i = s->first; i < s->nr; i++)
		locations[nr++] = build_location(b, s->pcs[i], i == s->first);
	id.stack = otprof_build_stack(b, locations, nr);
	otprof_build_observe(b, profile, id, 1, s->time_ns);
}

static uint32_t build_profile(struct otprof_builder *b, uint64_t from_ns)
{
	struct otprof_attr service = { 0 };
	struct otprof_profile head_of;
	uint32_t scope;

	service.key = otprof_str("service.name");
	service.value = otprof_string("continuous-profiler");
	scope = otprof_build_scope(b, otprof_build_resource(b, &service, 1),
				   "example", "1.0", NULL, 0);
	OTPROF_INIT(&head_of);
	head_of.type = otprof_str("samples");
	head_of.unit = otprof_str("count");
	head_of.period_type = otprof_str("cpu");
	head_of.period_unit = otprof_str("nanoseconds");
	head_of.period = 1000000000 / HZ;
	head_of.time_unix_nano = from_ns;
	head_of.duration_nano = now_ns() - from_ns;
	return otprof_build_profile(b, scope, &head_of);
}

/* --- exporting --- */

struct target {
	const char *dir;
	struct otprof_exporter *exporter; /* NULL: into files */
	unsigned int nr;
};

static int export_one(struct target *t, const struct otprof *p,
		      struct otprof_err *err)
{
	char path[4096];

	t->nr++;
	if (t->exporter)
		return otprof_exporter_send(t->exporter, p, err);
	snprintf(path, sizeof(path), "%s/%u.otlp", t->dir, t->nr);
	return otprof_write_file(p, path, NULL, err);
}

static int export_window(struct otprof_builder *b, struct target *t,
			 uint64_t from_ns, struct otprof_err *err)
{
	uint32_t profile = build_profile(b, from_ns);
	struct otprof *p = NULL, *named = NULL;

	binaries_find();
	while (tail != __atomic_load_n(&head, __ATOMIC_ACQUIRE)) {
		build_sample(b, profile, &ring[tail % RING]);
		__atomic_store_n(&tail, tail + 1, __ATOMIC_RELEASE);
	}
	if (otprof_builder_take(b, &p, err))
		return err->code;
	if (!otprof_symbolize(p, NULL, &named, err))
		export_one(t, named, err);
	otprof_free(named);
	otprof_free(p);
	if (!err->code && otprof_builder_bytes(b) > COMPACT_BYTES)
		otprof_builder_compact(b, err);
	return err->code;
}

/* --- what is profiled --- */

static volatile double result;

static void work_until(uint64_t end_ns)
{
	while (now_ns() < end_ns)
		for (int i = 1; i < 100000; i++)
			result += 1.0 / i;
}

static int profile(struct otprof_builder *b, struct target *t, double seconds,
		   double interval, struct otprof_err *err)
{
	uint64_t from = now_ns(), end = from + (uint64_t)(seconds * 1e9);

	sampling_start();
	while (!err->code && from < end) {
		work_until(from + (uint64_t)(interval * 1e9));
		export_window(b, t, from, err);
		from = now_ns();
	}
	sampling_stop();
	return err->code;
}

int main(int argc, char **argv)
{
	struct otprof_builder *b = NULL;
	struct otprof_err err = { 0 };
	struct target t = { NULL, NULL, 0 };

	if (argc < 3 || atof(argv[2]) <= 0) {
		fprintf(stderr, "usage: continuous_profiler SECONDS INTERVAL "
				"[DIRECTORY]\n");
		return 2;
	}
	t.dir = argc > 3 ? argv[3] : NULL;
	if ((t.dir || !otprof_exporter_new(NULL, &t.exporter, &err)) &&
	    !otprof_builder_new(0, &b, &err))
		profile(b, &t, atof(argv[1]), atof(argv[2]), &err);
	otprof_exporter_free(t.exporter, 5000);
	otprof_builder_free(b);
	if (err.code) {
		fprintf(stderr, "continuous_profiler: %s\n", err.text);
		return 1;
	}
	printf("%u exports, %u samples lost\n", t.nr, lost);
	return 0;
}
