// SPDX-License-Identifier: Apache-2.0
/* What samples and the records around them become. */
#include "perf_fixture.h"

#define EVENT "event cpu-clock period=4 has=ip+tid+time\n"
#define CHAIN "event cpu-clock period=4 has=ip+tid+time+chain\n"
#define MAP "mmap 10 0x1000+0x1000@0x400 /bin/x @1\n"
#define HEAD "samples/count period 4 5+1 cpu-clock since boot\n"

static const struct row samples[] = {
	{ "a sample", EVENT MAP "sample 10/11 @5 ip=0x1010\n",
	  HEAD "\tx+0x410 @5 10/11 process.executable.name=x\n" },
	{ "of nothing that is mapped", EVENT "sample 10/11 @5 ip=0x10\n",
	  HEAD "\t?+0x10 @5 10/11\n" },
	{ "twice the same",
	  EVENT "sample 10/11 @5 ip=0x10\nsample 10/11 @7 ip=0x10\n",
	  "samples/count period 4 5+3 cpu-clock since boot\n"
	  "\t?+0x10 @5 @7 10/11\n" },
	{ "without times",
	  "event cpu-clock period=4 has=ip+tid\n"
	  "sample 10/11 ip=0x10\nsample 10/11 ip=0x10\n",
	  "samples/count period 4 0+0 cpu-clock\n"
	  "\t?+0x10 2 10/11\n" },
	{ "without threads", "event cpu-clock has=ip+time\nsample 0 @5 ip=1\n",
	  "samples/count period 1 5+1 cpu-clock since boot\n\t?+0x1 @5\n" },
	{ "nothing but a time", "event cpu-clock has=time\nsample 0 @5\n",
	  "samples/count period 1 5+1 cpu-clock since boot\n\t- @5\n" },
	{ "none", EVENT "round\n", "" },
	{ "all fields",
	  "event cpu-clock period=4 read=0x1f regs=0x101 branch=0x20000 "
	  "has=identifier+ip+tid+time+addr+id+stream+cpu+period+read+chain+raw+"
	  "branch+regs+stack+weight+source+trans+phys+cgroup\n"
	  "cgroup 77 /a/b\n"
	  "sample 10/11 @5 ip=1 cpu=3 period=4 read=2,1,1,9,9,9,9,9,9 "
	  "chain=u,0x20 raw=01020304 branch=2 regs=1,2 stack=0102 cgroup=77\n",
	  HEAD "\t?+0x20 @5 10/11 cpu.logical_number=3 "
	       "process.linux.cgroup=/a/b\n" },
	{ "counters one by one",
	  "event cpu-clock period=4 read=0x17 has=ip+time+read+chain\n"
	  "sample 0 @5 read=1,2,3,4,5 chain=0x30\n",
	  HEAD "\t?+0x30 @5\n" },
};

TEST(sample)
{
	CHECK_ROWS(samples);
}

static const struct row chains[] = {
	{ "callers are inside of the call",
	  CHAIN MAP "sample 10/11 @5 ip=1 chain=u,0x1010,0x1020,0x1030\n",
	  HEAD "\tx+0x410;x+0x41f;x+0x42f @5 10/11 "
	       "process.executable.name=x\n" },
	{ "from the kernel into a user",
	  CHAIN
	  "kmmap 0xffffffff81000000+0x1000 [kernel.kallsyms]_text\n" MAP
	  "sample 10/11 @5 mode=1 "
	  "chain=k,0xffffffff81000010,0xffffffff81000020,u,0x1010,0x1020\n",
	  HEAD "\t![kernel.kallsyms]+0xffffffff81000010;"
	       "![kernel.kallsyms]+0xffffffff8100001f;x+0x410;x+0x41f @5 10/11 "
	       "process.executable.name=x\n" },
	{ "the kernel goes on behind what is recorded",
	  CHAIN "kmmap 0xffffffff81000000+0x1000 [kernel.kallsyms]_text\n"
		"sample 10/11 @5 mode=1 chain=k,0xffffffff82000010\n",
	  HEAD "\t![kernel.kallsyms]+0xffffffff82000010 @5 10/11\n" },
	{ "without a mark it is as the sample says",
	  CHAIN MAP "sample 10/11 @5 chain=0x1010\n",
	  HEAD "\tx+0x410 @5 10/11 process.executable.name=x\n" },
	{ "a guest", CHAIN MAP "sample 10/11 @5 chain=g,0x1010\n",
	  HEAD "\t!?+0x1010 @5 10/11 process.executable.name=x\n" },
	{ "an unknown mark ends it",
	  CHAIN MAP
	  "sample 10/11 @5 chain=u,0x1010,0xfffffffffffffff0,0x1020\n",
	  HEAD "\tx+0x410 @5 10/11 process.executable.name=x\n" },
	{ "a word of the user that looks like the kernel's mark",
	  CHAIN MAP "sample 10/11 @5 chain=u,0x1010,k,0x1020,g,0x1030\n",
	  HEAD "\tx+0x410;x+0x41f;x+0x42f @5 10/11 "
	       "process.executable.name=x\n" },
	{ "nobody calls from 0", CHAIN "sample 10/11 @5 chain=u,0x10,0\n",
	  HEAD "\t?+0x10;?+0x0 @5 10/11\n" },
	{ "an empty one", CHAIN "sample 10/11 @5 ip=0x77\n",
	  HEAD "\t?+0x77 @5 10/11\n" },
	{ "only marks", CHAIN "sample 10/11 @5 ip=0x77 chain=k,u\n",
	  HEAD "\t?+0x77 @5 10/11\n" },
};

TEST(chain)
{
	CHECK_ROWS(chains);
}

static const struct row maps[] = {
	{ "a newer one hides an older",
	  EVENT MAP "mmap 10 0x1800+0x100@0 /bin/y @2\n"
		    "sample 10/10 @5 ip=0x17ff\nsample 10/10 @5 ip=0x1800\n"
		    "sample 10/10 @5 ip=0x1900\n",
	  HEAD "\tx+0xbff @5 10/10 process.executable.name=x\n"
	       "\ty+0x0 @5 10/10 process.executable.name=x\n"
	       "\tx+0xd00 @5 10/10 process.executable.name=x\n" },
	{ "all of it",
	  EVENT MAP "mmap 10 0x800+0x2000@0 /bin/y @2\n"
		    "sample 10/10 @5 ip=0x1800\n",
	  HEAD "\ty+0x1000 @5 10/10 process.executable.name=x\n" },
	{ "only after it was mapped",
	  EVENT "sample 10/10 @5 ip=0x1010\nmmap 10 0x1000+0x10@0 /bin/x @6\n",
	  HEAD "\t?+0x1010 @5 10/10\n" },
	{ "data is nobody's code",
	  EVENT "mmap 10 0x1000+0x1000@0 /bin/x noexec @1\n"
		"mmap1 10 0x1000+0x1000@0 /bin/x data @1\n"
		"sample 10/10 @5 ip=0x1010\n",
	  HEAD "\t?+0x1010 @5 10/10\n" },
	{ "the older kind",
	  EVENT "mmap1 10 0x1000+0x1000@0x10 /bin/x @1\n"
		"sample 10/10 @5 ip=0x1010\n",
	  HEAD "\tx+0x20 @5 10/10 process.executable.name=x\n" },
	{ "code made at run time keeps its addresses",
	  EVENT "mmap 10 0x7000+0x1000@0x7000 //anon @1\n"
		"sample 10/10 @5 ip=0x7010\n",
	  HEAD "\tperf-10.map+0x7010 @5 10/10\n" },
	{ "what the kernel gives to processes",
	  EVENT
	  "mmap 10 0x7000+0x1000@0 [vdso] @1\nsample 10/10 @5 ip=0x7010\n",
	  HEAD "\t[vdso]+0x10 @5 10/10\n" },
	{ "the same in two processes is the same",
	  EVENT "mmap 10 0x1000+0x1000@0x400 /bin/x id=0102 @1\n"
		"mmap 20 0x5000+0x1000@0x400 /bin/x id=0102 @1\n"
		"sample 10/10 @5 ip=0x1010\nsample 20/20 @5 ip=0x5010\n",
	  HEAD "\tx+0x410 @5 10/10 process.executable.name=x\n"
	       "\tx+0x410 @5 20/20 process.executable.name=x\n" },
	{ "symbols of the kernel",
	  EVENT "ksym 0xf000+0x10 bpf_prog_1\n"
		"sample 10/10 @5 mode=1 ip=0xf001\n"
		"ksym 0xf000+0x10 bpf_prog_1 gone @6\n"
		"sample 10/10 @7 mode=1 ip=0xf001\n",
	  "samples/count period 4 5+3 cpu-clock since boot\n"
	  "\t!bpf_prog_1+0xf001 @5 10/10\n\t!?+0xf001 @7 10/10\n" },
	{ "a mapping past the end of memory",
	  EVENT "mmap 10 0xffffffffffff0000+0xffffffff@0 /bin/x @1\n"
		"sample 10/10 @5 ip=0xfffffffffffff000\n",
	  HEAD "\tx+0xf000 @5 10/10 process.executable.name=x\n" },
};

TEST(map)
{
	CHECK_ROWS(maps);
}

static const struct row tasks[] = {
	{ "names",
	  EVENT "comm 10/11 work @1\nsample 10/11 @5 ip=1\n"
		"comm 10/11 rest @6\nsample 10/11 @7 ip=1\n",
	  "samples/count period 4 5+3 cpu-clock since boot\n"
	  "\t?+0x1 @5 work 10/11\n\t?+0x1 @7 rest 10/11\n" },
	{ "a thread has its parent's name",
	  EVENT
	  "comm 10/10 work @1\nfork 10/11 10/10 @2\nsample 10/11 @5 ip=1\n",
	  HEAD "\t?+0x1 @5 work 10/11\n" },
	{ "a process has what its parent has",
	  EVENT MAP "comm 10/10 work @1\nfork 20/20 10/10 @2\n"
		    "mmap 20 0x9000+0x1000@0 /lib/y @3\n"
		    "sample 20/20 @5 ip=0x1010\nsample 10/10 @5 ip=0x9010\n",
	  HEAD "\tx+0x410 @5 work 20/20 process.executable.name=x\n"
	       "\t?+0x9010 @5 work 10/10 process.executable.name=x\n" },
	{ "a new program",
	  EVENT MAP
	  "comm 10/10 new exec @2\nmmap 10 0x3000+0x1000@0 /bin/y @3\n"
	  "sample 10/10 @5 ip=0x3010\n",
	  HEAD "\ty+0x10 @5 new 10/10 process.executable.name=y\n" },
	{ "what has ended is still there for a while",
	  EVENT MAP "fork 20/20 10/10 @2\nexit 20/20 10/10 @3\n"
		    "sample 20/20 @5 ip=0x1010\n",
	  HEAD "\tx+0x410 @5 20/20 process.executable.name=x\n" },
	{ "the more so while a thread lives",
	  EVENT MAP
	  "fork 20/20 10/10 @2\nfork 20/21 20/20 @2\nexit 20/20 10/10 @3\n"
	  "sample 20/21 @5 ip=0x1010\n",
	  HEAD "\tx+0x410 @5 20/21 process.executable.name=x\n" },
	{ "nothing runs", EVENT "sample 0/0 @5 ip=1\n",
	  HEAD "\t?+0x1 @5 swapper 0/0\n" },
	{ "nobody knows who", EVENT "sample 0xffffffff/0xffffffff @5 ip=1\n",
	  HEAD "\t?+0x1 @5 -1/-1\n" },
};

TEST(task)
{
	CHECK_ROWS(tasks);
}

/* The first of many that end is forgotten, and the parent is not. */
TEST(end)
{
	const char *got;
	struct perf p;

	perf_begin(&p, "file");
	perf_lines(&p, EVENT MAP);
	for (int i = 100; i < 400; i++) {
		char line[100];

		snprintf(line, sizeof(line),
			 "fork %d/%d 10/10 @2\nexit %d/%d 10/10 @3\n", i, i, i,
			 i);
		perf_lines(&p, line);
	}
	perf_lines(&p, "sample 100/100 @5 ip=0x1010\n"
		       "sample 399/399 @5 ip=0x1010\n"
		       "sample 10/10 @5 ip=0x1010\n");
	got = told(perf_end(&p), NULL);
	CHECK_STR(got, HEAD "\t?+0x1010 @5 100/100 process.executable.name=x\n"
			    "\tx+0x410 @5 399/399 process.executable.name=x\n"
			    "\tx+0x410 @5 10/10 process.executable.name=x\n");
	perf_free(&p);
}

#define TWO                                             \
	"event cycles type=0 period=9 has=ip+time+id\n" \
	"event page-faults config=2 has=ip+time+id\n"

static const struct row events[] = {
	{ "several", TWO "sample 0 #1 @5 ip=1\nsample 0 #2 @6 ip=2\n",
	  "samples/count period 9 5+2 cycles since boot\n\t?+0x1 @5\n"
	  "samples/count period 1 5+2 page-faults since boot\n\t?+0x2 @6\n" },
	{ "told apart at a fixed place",
	  "event a has=identifier+ip+time\n"
	  "event b has=identifier+ip+tid+time+cpu\n"
	  "sample 7/8 #2 @6 ip=2 cpu=1\nsample 0 #1 @5 ip=1\n",
	  "samples/count period 1 5+2 a since boot\n\t?+0x1 @5\n"
	  "samples/count period 1 5+2 b since boot\n"
	  "\t?+0x2 @6 7/8 cpu.logical_number=1\n" },
	{ "periods that differ are values, also without times",
	  "event cycles type=0 freq=99 has=ip+period\n"
	  "sample 0 ip=1 period=10\nsample 0 ip=2 period=10\n"
	  "sample 0 ip=1 period=30\n",
	  "samples/count 0+0 cycles\n\t?+0x1 2\n\t?+0x2 1\n"
	  "cycles/count 0+0 cycles\n\t?+0x1 40\n\t?+0x2 10\n" },
	{ "periods that differ are values",
	  "event cycles type=0 freq=99 has=ip+time+period\n"
	  "sample 0 @5 ip=1 period=10\nsample 0 @6 ip=1 period=10\n"
	  "sample 0 @7 ip=2 period=30\nsample 0 @8 ip=1 period=40\n",
	  "samples/count 5+4 cycles since boot\n"
	  "\t?+0x1 @5 @6 @8\n\t?+0x2 @7\n"
	  "cycles/count 5+4 cycles since boot\n"
	  "\t?+0x1 10@5 10@6 40@8\n\t?+0x2 30@7\n" },
	{ "a clock counts nanoseconds",
	  "event task-clock config=1 freq=99 has=ip+time+period\n"
	  "sample 0 @5 ip=1 period=10\nsample 0 @6 ip=1 period=20\n",
	  "samples/count 5+2 task-clock since boot\n\t?+0x1 @5 @6\n"
	  "cpu/nanoseconds 5+2 task-clock since boot\n\t?+0x1 10@5 20@6\n" },
	{ "how often a clock was asked for",
	  "event cpu-clock freq=1000 has=ip+time\nsample 0 @5 ip=1\n",
	  "samples/count period 1000000 5+1 cpu-clock since boot\n"
	  "\t?+0x1 @5\n" },
	{ "without a name", "event - has=ip+time\nsample 0 @5 ip=1\n",
	  "samples/count period 1 5+1 cpu-clock since boot\n\t?+0x1 @5\n" },
	{ "of hardware", "event - type=0 config=3 has=ip+time\nsample 0 @5\n",
	  "samples/count period 1 5+1 cache-misses since boot\n"
	  "\t?+0x0 @5\n" },
	{ "a tracepoint", "event - type=2 config=77 has=ip+time\nsample 0 @5\n",
	  "samples/count period 1 5+1 tracepoint:77 since boot\n"
	  "\t?+0x0 @5\n" },
	{ "raw", "event - type=4 config=0x1c2 has=ip+time\nsample 0 @5\n",
	  "samples/count period 1 5+1 r1c2 since boot\n\t?+0x0 @5\n" },
	{ "a small description",
	  "event cpu-clock bytes=64 has=ip+time\n"
	  "sample 0 @5 ip=1\n",
	  "samples/count period 1 5+1 cpu-clock since boot\n\t?+0x1 @5\n" },
	{ "only one",
	  "with event=page-faults\n" TWO
	  "sample 0 #1 @5 ip=1\nsample 0 #2 @6 ip=2\n",
	  "samples/count period 1 6+1 page-faults since boot\n\t?+0x2 @6\n" },
	{ "by kind",
	  "with event=cpu\n" TWO "sample 0 #1 @5 ip=1\nsample 0 #2 @6 ip=2\n",
	  "samples/count period 9 5+1 cycles since boot\n\t?+0x1 @5\n" },
	{ "without what follows its name",
	  "with event=cycles\n"
	  "event cycles:u type=0 has=ip+time\nsample 0 @5 ip=1\n",
	  "samples/count period 1 5+1 cycles:u since boot\n\t?+0x1 @5\n" },
	{ "none of that name",
	  "with event=cpu,foo\n" TWO "sample 0 #1 @5 ip=1\n",
	  "error: no event 'foo' in the recording; it has cycles, "
	  "page-faults\n" },
	{ "none of that kind",
	  "with event=off_cpu\n" TWO "sample 0 #1 @5 ip=1\n",
	  "error: no samples of the selected events; the recording has cycles, "
	  "page-faults\n" },
	{ "none of that event",
	  "with event=page-faults\n" TWO "sample 0 #1 @5 ip=1\n",
	  "error: no samples of the selected events; the recording has cycles, "
	  "page-faults\n" },
	{ "threads by name",
	  "with thread=work\n" EVENT
	  "comm 10/11 worker @1\ncomm 10/12 main @1\n"
	  "sample 10/11 @5 ip=1\n"
	  "sample 10/12 @5 ip=1\n",
	  HEAD "\t?+0x1 @5 worker 10/11\n" },
};

TEST(event)
{
	CHECK_ROWS(events);
}

static const struct row facts[] = {
	{ "of the machine",
	  EVENT "round\nfeature 3 text\"host\"\n"
		"feature 4 text\"6.1\"\n"
		"feature 5 text\"6.2\"\n"
		"feature 6 text\"x86_64\"\n"
		"feature 8 text\"cpu\"\n"
		"feature 11 2i text\"perf\" text\"record\"\n",
	  "host.name=host\nos.version=6.1\nperf.version=6.2\n"
	  "perf.arch=x86_64\nhost.cpu.model.name=cpu\n"
	  "perf.command_args=perf,record\n" },
	{ "wall time", EVENT "feature 29 1i 1i 1000 3\nsample 0/0 @5 ip=1\n",
	  "samples/count period 4 1002+1 cpu-clock\n"
	  "\t?+0x1 @1002 swapper 0/0\n" },
	{ "another clock",
	  "event cpu-clock clock=1 has=ip+time\nsample 0 @5 ip=1\n",
	  "samples/count period 1 5+1 cpu-clock since monotonic\n"
	  "\t?+0x1 @5\n" },
	{ "the wall's clock",
	  "event cpu-clock clock=0 has=ip+time\nsample 0 @5 ip=1\n",
	  "samples/count period 1 5+1 cpu-clock\n\t?+0x1 @5\n" },
	{ "what was lost",
	  EVENT "sample 0/0 @5 ip=1\nlost 1 7\n"
		"lostsamples 3\n",
	  "samples/count period 4 5+1 cpu-clock since boot "
	  "perf.lost_records=7 perf.lost_samples=3\n"
	  "\t?+0x1 @5 swapper 0/0\n" },
};

TEST(fact)
{
	CHECK_ROWS(facts);
	CHECK_STR(perf_note, "7 records were lost while perf recorded; "
			     "3 samples were lost while perf recorded");
}

/* Build ids are those of mappings, or are known by name. */
TEST(build_id)
{
	static const char *const rows[] = {
		EVENT "mmap 10 0x1000+0x10@0 /bin/x id=0a0b @1\n"
		      "sample 10/10 @5 ip=0x1000\n",
		EVENT "mmap 10 0x1000+0x10@0 /bin/x @1\nbuildid /bin/x 0a0b\n"
		      "sample 10/10 @5 ip=0x1000\n",
	};

	for (size_t i = 0; i < 2 * op_countof(rows); i++) {
		const struct op_attr *a;
		struct op_model m;
		struct op_err err;
		struct perf p;

		perf_begin(&p, i % 2 ? "pipe" : "file");
		perf_lines(&p, rows[i / 2]);
		CHECK_EQ(read_with(&m, perf_end(&p), NULL, &err), 0);
		a = op_set_find(&m, m.dict.mappings[1].attrs,
				OP_ATTR_BUILD_ID_GNU);
		CHECK(a && op_view_is(op_any_text(&m, &a->value), "0a0b"));
		op_model_free(&m);
		perf_free(&p);
	}
}

/* The same from a pipe, from a machine of the other byte order, packed. */
TEST(ways)
{
	static const struct {
		const struct row *rows;
		size_t n;
	} all[] = {
		{ samples, op_countof(samples) },
		{ chains, op_countof(chains) },
		{ maps, op_countof(maps) },
		{ tasks, op_countof(tasks) },
		{ facts, op_countof(facts) },
	};

	for (size_t i = 0; i < op_countof(all); i++) {
		for (size_t k = 0; k < all[i].n; k++) {
			struct row row = all[i].rows[k];

			check_row(&row, "file big");
			/* A pipe has no names here: they are made. */
			check_row(&row, "pipe");
			check_row(&row, "pipe big");
		}
	}
}

TEST(oom)
{
	struct perf p;

	perf_begin(&p, "file");
	perf_lines(&p, CHAIN MAP
		   "feature 3 text\"host\"\nfeature 11 1i text\"perf\"\n"
		   "buildid /bin/x 0102\ncomm 10/11 work @1\n"
		   "fork 20/20 10/11 @2\nmmap 20 0x9000+0x10@0 /bin/y @3\n"
		   "sample 10/11 @9 chain=u,0x1010,0x1020\nround\n"
		   "sample 20/20 @5 chain=u,0x9001,0x1020\nround\n"
		   "switch out 10/11 @10\nswitch in 10/11 @12\n"
		   "pack\nsample 10/11 @11 chain=u,0x1010,0x1030\nflush\n");
	EACH_ALLOC_FAILS(k) {
		struct op_model m;
		struct op_err err;

		read_with(&m, perf_end(&p), NULL, &err);
		CHECK(!err.code || err.code == OP_ENOMEM);
		if (err.code)
			CHECK(op_alloc_failed());
		op_model_free(&m);
		p.out.n = 0;
		p.features[2].n = 0;
	}
	perf_free(&p);
}

TEST_MAIN(sample, chain, map, task, end, event, fact, build_id, ways, oom)
