// SPDX-License-Identifier: Apache-2.0
/* Recordings by tests/write/jfr.h. What a reader must see in them is in
 * jfr_files.txt, in the lines of jfr_lines.py.
 *
 *	jfr_files             names of the files
 *	jfr_files NAME FILE   writes one
 *	jfr_files types       events of the files all-*, as "TYPE startTime=N"
 */
#include <stdio.h>
#include <stdlib.h>

#include "write/jfr_int.h"

struct file {
	const char *name;
	enum jfr_flavour flavour;
	void (*build)(struct jfr *j);
};

static void stacks(struct jfr *j)
{
	jfr_thread(j, 7, "it's", 123, 45);
	jfr_event(j, "jdk.ExecutionSample",
		  "100 7 `main;java/lang/A.f:12;A$B.<init>(Ljava/lang/String;"
		  "I)V:7@3+inlined` `STATE_RUNNABLE`");
	jfr_event(j, "jdk.ExecutionSample", "200 `b` `...;c.D.e+native` null");
	jfr_event(j, "jdk.ExecutionSample", "300 0 0");
	jfr_event(j, "jdk.ExecutionSample", "400 7 `` 12345");
}

static void agent(struct jfr *j)
{
	jfr_event(j, "jdk.ExecutionSample",
		  "100 `t` `A.f:1+c1;libc.so.6.f(int)+cpp;[kernel].g+kernel` "
		  "`STATE_DEFAULT`");
	jfr_event(j, "profiler.WallClockSample",
		  "200 0 0 `STATE_SLEEPING` 7 timeSpan=90");
	jfr_event(j, "profiler.Malloc", "300 0 0 0x7f0000001000 4096");
	jfr_event(j, "profiler.Span", "400 5 0 `tag`");
	jfr_event(j, "profiler.UserEvent", "500 0 `kind` l'\xc3\xa9'");
	jfr_event(j, "datadog.ObjectSample",
		  "600 0 0 `[B` 64 1.5 localRootSpanId=-1");
	jfr_event(j, "datadog.Endpoint", "700 8 0 0 `GET /` `web` 3");
}

static void strings(struct jfr *j)
{
	jfr_type(j, "my.S event", "startTime:ticks s:String t:String[]");
	jfr_pool(j, "java.lang.String", 5, "u'pooled'");
	jfr_event(j, "my.S", "1 null");
	jfr_event(j, "my.S", "2 '' ['']");
	jfr_event(j, "my.S", "3 'a\xc3\xa9\\'' ['a' null &5]");
	jfr_event(j, "my.S", "4 u'a\xc3\xa9\xf0\x9f\x98\x80'");
	jfr_event(j, "my.S", "5 l'a\xc3\xa9'");
	jfr_event(j, "my.S", "6 &5");
	jfr_event(j, "my.S", "7 =0300");
}

static void numbers(struct jfr *j)
{
	jfr_type(j, "my.N event",
		 "startTime:ticks l:long i:int s:short c:char b:byte "
		 "z:boolean f:float d:double a:int[] v:VirtualSpace");
	jfr_event(j, "my.N", "1 -1 -1 -1 65 -1 true -1.5 0.1 [-1 2] (1 2 3 4)");
	jfr_event(j, "my.N",
		  "2 0x7fffffffffffffff 0x7fffffff 0x7fff 66 127 false");
	jfr_event(j, "my.N", "3~9 5~9 6~5 7~4 67~2");
	jfr_event(j, "my.N", "4 l=8 b=9 v=(committedSize=10)");
	j->size_bytes = 4;
	jfr_event(j, "my.N", "5 0x0080000000000000 =8101");
}

static void units(struct jfr *j)
{
	jfr_header(j, JFR_START_TICKS, 1000);
	jfr_header(j, JFR_TICKS_PER_SECOND, 2000000000);
	jfr_event(j, "jdk.ThreadPark",
		  "1200 50 0 0 `java/lang/Object` 70 until=1700000000123 8");
	jfr_event(j, "jdk.JavaMonitorWait", "1400 50 timeout=2 timedOut=true");
	jfr_event(j, "jdk.GCHeapSummary", "1600 1 `Before GC` (1 2 3 4 5) 77");
	jfr_event(j, "jdk.CPULoad", "1800 0.5 0.25 1");
}

static void pools(struct jfr *j)
{
	jfr_stack(j, 1, "a.A.a:1");
	jfr_pool_split(j, "StackTrace");
	jfr_stack(j, 2, "a.A.a:2");
	jfr_checkpoint(j);
	jfr_event(j, "jdk.ExecutionSample", "1 0 1");
	jfr_event(j, "jdk.ExecutionSample", "2 0 2");
	jfr_event(j, "jdk.ExecutionSample", "3 0 3");
	jfr_event(j, "#9999", "1 2 3 'of no type'");
	jfr_stack(j, 3, "a.A.a:3");
	jfr_metadata(j);
	jfr_checkpoint_to(j, 1, (int64_t)j->newest - (int64_t)jfr_here(j));
	jfr_pool(j, "ChunkHeader", 1, "[!4 =464c5200]");
	jfr_pool(j, "ThreadGroup", 4, "0 'outer'");
	jfr_pool(j, "ThreadGroup", 5, "4 'inner'");
	jfr_pool(j, "Thread", 6, "'os' 60 'java' 61 5");
	jfr_event(j, "jdk.ThreadEnd", "4 6");
}

static void forward(struct jfr *j)
{
	j->is_forward = true;
	pools(j);
}

/* Another chunk, so many seconds behind the first. */
static void chunk(struct jfr *j, enum jfr_flavour flavour, uint64_t seconds)
{
	uint64_t ns = seconds * 1000000000;

	jfr_next(j, flavour);
	jfr_header(j, JFR_START_NS, 1700000000000000000 + ns);
	jfr_header(j, JFR_START_TICKS, ns);
}

static void chunks(struct jfr *j)
{
	jfr_event(j, "jdk.ExecutionSample", "1 `a` `A.a`");
	chunk(j, JFR_ASYNC, 1);
	jfr_event(j, "jdk.ExecutionSample", "1000000002 `b` `B.b`");
	chunk(j, JFR_JDK25, 2);
	jfr_event(j, "jdk.ExecutionSample", "2000000003 `c` `C.c`");
}

/* The n-th type of the table if it is an event's, to be freed. A JDK wants
 * the duration second and cannot print the one that has it elsewhere. */
static char *event_name(size_t n)
{
	const char *head = jfr_table[n][0];

	if (!strstr(head, " event") || strstr(head, "NativeSocketEvent"))
		return NULL;
	return jfr_text(head, strcspn(head, " "));
}

/* One of each that the table has, zero but for the time. */
static void all(struct jfr *j)
{
	for (size_t i = 0; jfr_table[i][0]; i++) {
		char *name = event_name(i);

		if (name)
			jfr_event(j, name, "%zu", i);
		free(name);
	}
}

static void list_events(void)
{
	for (size_t i = 0; jfr_table[i][0]; i++) {
		char *name = event_name(i);

		if (name)
			printf("%s startTime=%zu\n", name, i);
		free(name);
	}
}

static const struct file files[] = {
	{ "stacks-17", JFR_JDK17, stacks }, { "stacks-25", JFR_JDK25, stacks },
	{ "agent-ap", JFR_ASYNC, agent },   { "agent-dd", JFR_DATADOG, agent },
	{ "strings", JFR_JDK17, strings },  { "numbers", JFR_JDK17, numbers },
	{ "units", JFR_JDK17, units },	    { "pools", JFR_JDK17, pools },
	{ "forward", JFR_JDK17, forward },  { "chunks", JFR_JDK17, chunks },
	{ "all-17", JFR_JDK17, all },	    { "all-25", JFR_JDK25, all },
	{ "all-ap", JFR_ASYNC, all },	    { "all-dd", JFR_DATADOG, all },
};

static int write_file(const struct file *f, const char *path)
{
	FILE *out = fopen(path, "wb");
	struct op_view v;
	struct jfr j;
	bool is_bad;

	if (!out)
		return 1;
	jfr_begin(&j, f->flavour);
	f->build(&j);
	v = jfr_end(&j);
	is_bad = fwrite(v.p, 1, v.n, out) != v.n;
	jfr_free(&j);
	return fclose(out) || is_bad;
}

int main(int argc, char **argv)
{
	if (argc == 2)
		list_events();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (argc == 1)
			puts(files[i].name);
		else if (argc == 3 && !strcmp(files[i].name, argv[1]))
			return write_file(&files[i], argv[2]);
	return argc == 3;
}
