// SPDX-License-Identifier: Apache-2.0
/* record/bpf.c: the BPF programs of a recording, loaded and attached. */
#include "record/bpf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/embed.h"
#include "base/vec.h"
#include "record/libbpf.h"

OP_EMBED(op_bpf_object, OP_BPF_OBJECT);

/* Of the initial PID namespace: PROC_PID_INIT_INO. */
static const uint64_t first_pid_ns = 0xeffffffc;

struct op_bpf {
	struct op_libbpf l;
	struct op_bpf_opts opts;
	struct op_arena mem;
	struct bpf_object *object;
	struct bpf_link *execs;
	struct bpf_link *forks; /* NULL: all processes are sampled */
	int program, procs, slabs, counts, targets;
	int stats; /* keeps the kernel counting run times; -1: it does not */
	struct op_bpf_range *ranges;
	struct op_bpf_table *tables;
	struct ring_buffer *ring;
	struct op_slab_maps slab_maps;
	OP_VEC(int) events;
	int nr_cpus; /* for which there are counters */
	bool has_namespace;
	uint64_t nr_broken; /* samples that are shorter than they say */
	op_bpf_fn *fn;
	void *ctx;
};

/* --- slabs ---------------------------------------------------------------- */

static bool slab_map(void *ctx, uint32_t nr, void *at)
{
	struct op_bpf *b = ctx;
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = BPF_F_MMAPABLE);
	int fd = b->l.bpf_map_create(BPF_MAP_TYPE_ARRAY, "otprof_slab",
				     sizeof(uint32_t), OP_BPF_SLAB, 1, &o);
	bool ok = fd >= 0 &&
		  mmap(at, OP_BPF_SLAB, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED &&
		  !b->l.bpf_map_update_elem(b->slabs, &nr, &fd, BPF_ANY);

	if (fd >= 0)
		close(fd);
	return ok;
}

static void slab_drop(void *ctx, uint32_t nr)
{
	struct op_bpf *b = ctx;

	b->l.bpf_map_delete_elem(b->slabs, &nr);
}

/* --- load ----------------------------------------------------------------- */

/* What the kernel says of a program goes nowhere: users get one sentence. */
static int quiet(enum libbpf_print_level level, const char *format,
		 va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static int load_failed(int error, struct op_err *err)
{
	if (error == EPERM || error == EACCES)
		return op_fail(err, OP_EIO,
			       "BPF programs cannot be loaded: %s; this needs "
			       "root, or the capabilities BPF and PERFMON",
			       strerror(error));
	return op_fail(err, OP_EIO, "BPF programs cannot be loaded: %s",
		       strerror(error));
}

static int map_fd(struct op_bpf *b, const char *name)
{
	return b->l.bpf_map__fd(
		b->l.bpf_object__find_map_by_name(b->object, name));
}

static void *map_memory(struct op_bpf *b, const char *name, size_t bytes,
			struct op_err *err)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		       map_fd(b, name), 0);

	if (p != MAP_FAILED)
		return p;
	op_fail(err, OP_EIO, "a BPF map cannot be mapped: %s", strerror(errno));
	return NULL;
}

static void configure(struct op_bpf *b)
{
	struct op_bpf_config c = { .cgroup = b->opts.cgroup,
				   .has_targets = b->opts.has_targets,
				   .has_kernel = !b->opts.user_only };
	struct stat st;

	if (!stat("/proc/self/ns/pid", &st) && st.st_ino != first_pid_ns) {
		c.pid_ns_dev = st.st_dev;
		c.pid_ns_ino = st.st_ino;
		b->has_namespace = true;
	}
	b->l.bpf_map__set_initial_value(
		b->l.bpf_object__find_map_by_name(b->object, ".rodata"), &c,
		sizeof(c));
	b->l.bpf_map__set_max_entries(
		b->l.bpf_object__find_map_by_name(b->object, "scratches"),
		(uint32_t)b->nr_cpus);
}

static int sample_of(void *ctx, void *data, size_t n)
{
	const struct op_bpf_sample *s = data;
	struct op_bpf *b = ctx;
	size_t need = sizeof(*s);

	if (n < need) {
		b->nr_broken++;
		return 0;
	}
	need += 8 * ((size_t)s->nr_kernel + s->nr_user);
	if (s->end >= OP_BPF_NEW_PROCESS)
		need += offsetof(struct op_bpf_rest, stack) + s->nr_stack;
	if (n >= need)
		b->fn(b->ctx, s);
	else
		b->nr_broken++;
	return 0;
}

static int load(struct op_bpf *b, struct op_err *err)
{
	struct op_view o = op_embedded(op_bpf_object);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "otprof");
	struct bpf_program *forked;
	int rc;

	b->l.libbpf_set_print(quiet);
	b->object = b->l.bpf_object__open_mem(o.p, o.n, &opts);
	if (!b->object)
		return load_failed(errno, err);
	configure(b);
	forked = b->l.bpf_object__find_program_by_name(b->object, "forked");
	b->l.bpf_program__set_autoload(forked, b->opts.has_targets);
	rc = b->l.bpf_object__load(b->object);
	if (rc)
		return load_failed(-rc, err);
	b->program = b->l.bpf_program__fd(
		b->l.bpf_object__find_program_by_name(b->object, "sample"));
	b->procs = map_fd(b, "procs");
	b->slabs = map_fd(b, "slabs");
	b->counts = map_fd(b, "counts");
	b->targets = map_fd(b, "targets");
	b->ranges = map_memory(b, "ranges",
			       OP_BPF_MAX_RANGES * sizeof(*b->ranges), err);
	b->tables = map_memory(b, "tables",
			       OP_BPF_MAX_TABLES * sizeof(*b->tables), err);
	if (err->code)
		return err->code;
	b->ring = b->l.ring_buffer__new(map_fd(b, "events"), sample_of, b,
					NULL);
	if (!b->ring)
		return load_failed(errno, err);
	b->stats = b->l.bpf_enable_stats(BPF_STATS_RUN_TIME);
	b->execs = b->l.bpf_program__attach(
		b->l.bpf_object__find_program_by_name(b->object, "execed"));
	if (b->execs && b->opts.has_targets)
		b->forks = b->l.bpf_program__attach(forked);
	if (!b->execs || (b->opts.has_targets && !b->forks))
		return load_failed(errno, err);
	return OP_OK;
}

int op_bpf_open(struct op_bpf **out, const struct op_bpf_opts *opts,
		struct op_err *err)
{
	struct op_bpf *b = op_heap_resize(NULL, sizeof(*b), err);

	*out = NULL;
	if (!b)
		return err->code;
	*b = (struct op_bpf){ .opts = *opts, .stats = -1 };
	b->slab_maps = (struct op_slab_maps){ slab_map, slab_drop, b };
	if (op_libbpf_load(&b->l, err)) {
		op_heap_free(b);
		return err->code;
	}
	b->nr_cpus = b->l.libbpf_num_possible_cpus();
	if (load(b, err)) {
		op_bpf_close(b);
		return err->code;
	}
	*out = b;
	return OP_OK;
}

void op_bpf_stop(struct op_bpf *b)
{
	for (size_t i = 0; i < b->events.n; i++)
		close(b->events.p[i]);
	b->events.n = 0;
}

void op_bpf_close(struct op_bpf *b)
{
	if (!b)
		return;
	op_bpf_stop(b);
	if (b->ring)
		b->l.ring_buffer__free(b->ring);
	if (b->ranges)
		munmap(b->ranges, OP_BPF_MAX_RANGES * sizeof(*b->ranges));
	if (b->tables)
		munmap(b->tables, OP_BPF_MAX_TABLES * sizeof(*b->tables));
	if (b->stats >= 0)
		close(b->stats);
	if (b->execs)
		b->l.bpf_link__destroy(b->execs);
	if (b->forks)
		b->l.bpf_link__destroy(b->forks);
	if (b->object)
		b->l.bpf_object__close(b->object);
	op_arena_free(&b->mem);
	op_heap_free(b);
}

/* --- attach --------------------------------------------------------------- */

static int event_failed(int error, struct op_err *err)
{
	if (error == EACCES || error == EPERM)
		return op_fail(err, OP_EIO,
			       "the kernel does not allow sampling: %s; this "
			       "needs root, the capability PERFMON, or a lower "
			       "kernel.perf_event_paranoid",
			       strerror(error));
	return op_fail(err, OP_EIO, "perf_event_open failed: %s",
		       strerror(error));
}

static int attach(struct op_bpf *b, int cpu, struct op_err *err)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / b->opts.hertz,
		.exclude_idle = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == ENODEV ? OP_OK : event_failed(errno, err);
	op_arena_tells(&b->mem, err);
	if (!op_vec_push(&b->mem, &b->events, fd)) {
		close(fd);
		return err->code;
	}
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, b->program))
		return op_fail(err, OP_EIO,
			       "a BPF program cannot be attached: %s",
			       strerror(errno));
	return OP_OK;
}

int op_bpf_start(struct op_bpf *b, struct op_err *err)
{
	int nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < nr_cpus; cpu++)
		if (attach(b, cpu, err))
			return err->code;
	return OP_OK;
}

bool op_bpf_has_namespace(const struct op_bpf *b)
{
	return b->has_namespace;
}

void op_bpf_target_add(struct op_bpf *b, uint32_t pid)
{
	uint32_t one = 1;

	b->l.bpf_map_update_elem(b->targets, &pid, &one, BPF_ANY);
}

void op_bpf_target_drop(struct op_bpf *b, uint32_t pid)
{
	b->l.bpf_map_delete_elem(b->targets, &pid);
}

/* --- samples -------------------------------------------------------------- */

uint64_t op_bpf_drain(struct op_bpf *b, op_bpf_fn *fn, void *ctx)
{
	int n;

	b->fn = fn;
	b->ctx = ctx;
	n = b->l.ring_buffer__consume(b->ring);
	return n > 0 ? (uint64_t)n : 0;
}

int op_bpf_fd(const struct op_bpf *b)
{
	return b->l.ring_buffer__epoll_fd(b->ring);
}

/* --- what BPF unwinds with ------------------------------------------------ */

const struct op_slab_maps *op_bpf_slab_maps(struct op_bpf *b)
{
	return &b->slab_maps;
}

struct op_bpf_range *op_bpf_ranges(struct op_bpf *b)
{
	return b->ranges;
}

struct op_bpf_table *op_bpf_tables(struct op_bpf *b)
{
	return b->tables;
}

bool op_bpf_proc_set(struct op_bpf *b, uint32_t pid,
		     const struct op_bpf_proc *p)
{
	return !b->l.bpf_map_update_elem(b->procs, &pid, p, BPF_ANY);
}

void op_bpf_proc_drop(struct op_bpf *b, uint32_t pid)
{
	b->l.bpf_map_delete_elem(b->procs, &pid);
}

/* --- what it did ---------------------------------------------------------- */

struct op_bpf_counts op_bpf_counts(const struct op_bpf *b)
{
	struct op_bpf_counts sum = { 0 }, per_cpu[b->nr_cpus];
	uint32_t zero = 0;

	if (b->l.bpf_map_lookup_elem(b->counts, &zero, per_cpu))
		return sum;
	for (int i = 0; i < b->nr_cpus; i++) {
		sum.samples += per_cpu[i].samples;
		sum.lost += per_cpu[i].lost;
		sum.foreign += per_cpu[i].foreign;
	}
	sum.lost += b->nr_broken;
	return sum;
}

uint64_t op_bpf_run_ns(const struct op_bpf *b, uint64_t *nr_runs)
{
	struct bpf_prog_info info = { 0 };
	uint32_t n = sizeof(info);

	*nr_runs = 0;
	if (b->stats < 0 || b->l.bpf_obj_get_info_by_fd(b->program, &info, &n))
		return 0;
	*nr_runs = info.run_cnt;
	return info.run_time_ns;
}
