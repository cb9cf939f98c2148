// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.h"

#include <link.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/hex.h"
#include "binary_fixture.h"
#include "model/semconv.h"
#include "record/elf_part.h"
#include "sym/build_id.h"

/* --- what is recorded ---
 *
 * Each function has a section of its own, so that it is known where it ends.
 * Children call them and never return. */

#define IN(name) __attribute__((noinline, section(#name "_code")))
#define CODE(name) \
	extern const char __start_##name##_code[], __stop_##name##_code[]

CODE(spin);
CODE(recurse);
CODE(outer);
CODE(handler);
CODE(raiser);
CODE(jit_caller);
CODE(other);

static volatile uint64_t sink;
static volatile int depth;
static volatile bool is_over; /* it never is, but nobody knows */

static IN(spin) void spin(void)
{
	while (!is_over)
		sink++;
}

static IN(recurse) void recurse(int n)
{
	if (n > 1)
		recurse(n - 1);
	else
		spin();
	sink++;
}

static IN(outer) void outer(void)
{
	recurse(depth);
	sink++;
}

static IN(handler) void handler(int sig)
{
	(void)sig;
	spin();
	sink++;
}

static IN(raiser) void raiser(void)
{
	kill(getpid(), SIGUSR1);
	sink++;
}

static void in_handler(void)
{
	struct sigaction a = { .sa_handler = handler };

	sigaction(SIGUSR1, &a, NULL);
	raiser();
}

/* Calls what it is given, with a frame pointer and without any table. */
static const uint8_t code[] = { 0x55,		  /* push rbp */
				0x48, 0x89, 0xe5, /* mov rbp, rsp */
				0xff, 0xd7,	  /* call rdi */
				0x5d,		  /* pop rbp */
				0xc3 };		  /* ret */

static IN(jit_caller) void jit_caller(void (*made)(void (*)(void)))
{
	made(spin);
	sink++;
}

static void in_made_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(p, code, sizeof(code));
	mprotect(p, 4096, PROT_READ | PROT_EXEC);
	jit_caller((void (*)(void (*)(void)))(uintptr_t)p);
}

static IN(other) void other(void)
{
	spin();
	sink++;
}

static void in_two_processes(void)
{
	if (fork())
		outer();
	else
		other();
}

/* --- recording --- */

enum { HERTZ = 997, WANTED = 500 };

static struct op_err err;
static struct op_model model;
static struct op_recorder_counts counts;
static pid_t child;

static pid_t child_start(void (*work)(void), int *go)
{
	int ends[2];
	char byte;
	pid_t pid;

	CHECK_EQ(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			work();
		_exit(0);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

/* Until there are enough samples; a busy machine takes its time. */
static void take_samples(struct op_recorder *r)
{
	time_t end = time(NULL) + 60;

	do {
		struct pollfd p = { .fd = op_recorder_fd(r), .events = POLLIN };

		poll(&p, 1, op_recorder_wait_ms(r));
		CHECK_EQ(op_recorder_tick(r), OP_OK);
	} while (op_recorder_counts(r).samples < WANTED && !err.code &&
		 time(NULL) < end);
	op_recorder_stop(r);
	counts = op_recorder_counts(r);
	CHECK_EQ(op_recorder_take(r, &model), OP_OK);
	CHECK_EQ(op_model_unpack(&model, &err), OP_OK);
}

/* Records a child that does this work; false: that cannot be done here, and why
 * is in err. */
static bool record(void (*work)(void))
{
	struct op_recorder_opts o = {
		.hertz = HERTZ, .pids = &child, .nr_pids = 1, .uid = -1
	};
	struct op_recorder *r;
	bool can;
	int go;

	err = (struct op_err){ 0 };
	model = (struct op_model){ 0 };
	child = child_start(work, &go);
	can = !op_recorder_open(&r, &o, &err) && !op_recorder_start(r);
	if (can) {
		CHECK_EQ(write(go, "", 1), 1);
		take_samples(r);
	}
	op_recorder_close(r);
	/* With what it started. */
	kill(-child, SIGKILL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(go);
	return can;
}

#define RECORD(work)                         \
	do {                                 \
		if (!record(work))           \
			TEST_SKIP(err.text); \
	} while (0)

/* --- what is expected --- */

/* Code of this program, as addresses of its file. */
struct piece {
	const char *start, *stop;
	uint32_t times;
};

#define PIECE(name, times)                                         \
	{                                                          \
		__start_##name##_code, __stop_##name##_code, times \
	}

static int take_bias(struct dl_phdr_info *info, size_t n, void *ctx)
{
	(void)n;
	*(uint64_t *)ctx = info->dlpi_addr;
	return 1;
}

static bool is_in(const struct piece *p, const struct op_location *l)
{
	uint64_t bias = 0;

	dl_iterate_phdr(take_bias, &bias);
	return l->mapping && l->address >= (uintptr_t)p->start - bias &&
	       l->address < (uintptr_t)p->stop - bias;
}

static bool is_kernel(const struct op_location *l)
{
	const struct op_attr *a = op_set_find(&model, l->attrs,
					      OP_ATTR_FRAME_TYPE);

	return a && op_view_is(op_any_text(&model, &a->value), "kernel");
}

static const struct op_location *frame(struct op_ids s, uint32_t i)
{
	return &model.dict.locations[s.p[i]];
}

/* The first that is not of the kernel. */
static uint32_t first_of_user(struct op_ids s)
{
	uint32_t at = 0;

	while (at < s.n && is_kernel(frame(s, at)))
		at++;
	return at;
}

/* Whether a stack is made of these pieces in order, the innermost first, up to
 * the callers. A piece without code is any number of frames elsewhere. */
static bool is_stack(struct op_ids s, const struct piece *pieces, uint32_t nr)
{
	uint32_t at = first_of_user(s);

	for (uint32_t i = 0; i < nr; i++) {
		if (!pieces[i].start) {
			while (at < s.n && !is_in(&pieces[i + 1], frame(s, at)))
				at++;
			continue;
		}
		for (uint32_t k = 0; k < pieces[i].times; k++)
			if (at == s.n || !is_in(&pieces[i], frame(s, at++)))
				return false;
	}
	return at < s.n;
}

/* 99 % of the samples of a process have complete stacks, and those in the first
 * piece, which is what it does once it has started, are of these pieces. */
static void stacks_are(const struct op_profile *p, const struct piece *pieces,
		       uint32_t nr)
{
	uint64_t all = 0, complete = 0, begun = 0, right = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint64_t n = op_sample_times(p, i).n;
		struct op_ids s = op_list(&model.dict.stacks, p->stack[i]);
		uint32_t at = first_of_user(s);

		all += n;
		if (!op_set_find(&model, p->set[i], "otprof.stack.end"))
			complete += n;
		if (at < s.n && is_in(&pieces[0], frame(s, at)))
			begun += n;
		if (is_stack(s, pieces, nr))
			right += n;
	}
	fprintf(stderr,
		"%llu samples, %llu complete; %llu of the function, %llu "
		"right\n",
		(unsigned long long)all, (unsigned long long)complete,
		(unsigned long long)begun, (unsigned long long)right);
	CHECK(begun > 100);
	CHECK(complete * 100 >= all * 99);
	CHECK(right * 100 >= begun * 99);
}

static const struct op_profile *only_profile(void)
{
	static const struct op_profile none;

	CHECK_EQ(model.nr_resources, 1);
	return model.nr_resources ? model.resources[0].scopes[0].profiles :
				    &none;
}

/* --- */

static void recursion(int n)
{
	const struct piece want[] = { PIECE(spin, 1),
				      PIECE(recurse, (uint32_t)n),
				      PIECE(outer, 1) };

	stacks_are(only_profile(), want, op_countof(want));
	CHECK(counts.samples >= WANTED);
	CHECK_EQ(counts.processes, 1);
}

TEST(recursion_50)
{
	depth = 50;
	RECORD(outer);
	recursion(50);
	op_model_free(&model);
}

TEST(recursion_200)
{
	depth = 200;
	RECORD(outer);
	recursion(200);
	op_model_free(&model);
}

/* The binary has its name and build id, the process its number. */
TEST(names)
{
	char path[4096], want[200] = "", text[200] = "";
	struct op_elf_part part;
	const struct op_mapping *m;
	const struct op_profile *p;
	const struct op_attr *a;
	struct op_view id, v;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	depth = 1;
	RECORD(outer);
	p = only_profile();
	CHECK_EQ(model.resources[0].attrs.p[0].value.num, child);
	m = &model.dict.mappings[0];
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct op_ids s = op_list(&model.dict.stacks, p->stack[i]);
		const struct piece want_spin = PIECE(spin, 1);

		for (uint32_t k = 0; k < s.n; k++)
			if (is_in(&want_spin, frame(s, k)))
				m = &model.dict.mappings[frame(s, k)->mapping];
	}
	path[n] = 0;
	v = op_string(&model, m->filename);
	CHECK(op_view_is(v, path));
	CHECK(op_elf_part_open(&part, fd, false));
	if (op_build_id_gnu(&part.elf, &id))
		op_hex_text(want, id);
	a = op_set_find(&model, m->attrs, OP_ATTR_BUILD_ID_GNU);
	if (a) {
		v = op_any_text(&model, &a->value);
		snprintf(text, sizeof(text), "%.*s", (int)v.n,
			 (const char *)v.p);
	}
	CHECK_STR(text, want);
	CHECK(op_set_find(&model, m->attrs, OP_ATTR_BUILD_ID_HTLHASH) != NULL);
	op_elf_part_close(&part);
	close(fd);
	op_model_free(&model);
}

TEST(signal_handler)
{
	/* Between them, the C library and what the kernel put there. */
	const struct piece want[] = {
		PIECE(spin, 1), PIECE(handler, 1), { 0 }, PIECE(raiser, 1)
	};

	RECORD(in_handler);
	stacks_are(only_profile(), want, op_countof(want));
	op_model_free(&model);
}

TEST(made_code)
{
	const struct piece want[] = { PIECE(spin, 1),
				      { 0 },
				      PIECE(jit_caller, 1) };

	RECORD(in_made_code);
	stacks_are(only_profile(), want, op_countof(want));
	op_model_free(&model);
}

TEST(child_is_followed)
{
	const struct piece own[] = { PIECE(spin, 1), PIECE(recurse, 1),
				     PIECE(outer, 1) };
	const struct piece started[] = { PIECE(spin, 1), PIECE(other, 1) };

	depth = 1;
	RECORD(in_two_processes);
	CHECK_EQ(counts.processes, 2);
	CHECK_EQ(model.nr_resources, 2);
	for (uint32_t i = 0; i < model.nr_resources; i++) {
		const struct op_resource *r = &model.resources[i];

		if (r->attrs.p[0].value.num == child)
			stacks_are(r->scopes[0].profiles, own, 3);
		else
			stacks_are(r->scopes[0].profiles, started, 2);
	}
	op_model_free(&model);
}

/* --- without BPF --- */

static double cpu_s(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

/* Each sample is a copy of the stack of 32 KiB: what finds no room is counted,
 * so that samples and lost ones are the CPU time of the process. */
TEST(copies_are_all_counted)
{
	struct op_recorder_opts o = { .hertz = HERTZ,
				      .pids = &child,
				      .nr_pids = 1,
				      .uid = -1,
				      .no_bpf = true };
	struct op_recorder *r = NULL;
	struct rusage used;
	double wanted;
	int go;

	err = (struct op_err){ 0 };
	child = child_start(outer, &go);
	if (op_recorder_open(&r, &o, &err) || op_recorder_start(r)) {
		kill(child, SIGKILL);
		op_recorder_close(r);
		TEST_SKIP(err.text);
	}
	CHECK_EQ(write(go, "", 1), 1);
	/* Longer than any buffer lasts. */
	nanosleep(&(struct timespec){ 1, 0 }, NULL);
	CHECK(op_recorder_fd(r) >= 0);
	CHECK_EQ(op_recorder_tick(r), OP_OK);
	nanosleep(&(struct timespec){ 1, 0 }, NULL);
	kill(child, SIGKILL);
	wait4(child, NULL, 0, &used);
	op_recorder_stop(r);
	counts = op_recorder_counts(r);
	wanted = cpu_s(&used) * HERTZ;
	fprintf(stderr, "%llu samples, %llu lost, %.0f expected\n",
		(unsigned long long)counts.samples,
		(unsigned long long)counts.lost, wanted);
	CHECK((double)(counts.samples + counts.lost) > 0.95 * wanted - 5);
	CHECK((double)(counts.samples + counts.lost) < 1.05 * wanted + 5);
	op_recorder_close(r);
	close(go);
}

TEST_MAIN(recursion_50, recursion_200, names, signal_handler, made_code,
	  child_is_followed, copies_are_all_counted)
