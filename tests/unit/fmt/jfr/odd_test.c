// SPDX-License-Identifier: Apache-2.0
/* Frames, links, times and chunks: what the words of sketch.h do not say, and
 * the same recording written in other ways. */
#include "jfr_fixture.h"

/* --- frames --- */

static void put(char *out, size_t cap, const struct op_model *m, uint32_t id,
		const char *before)
{
	struct op_view v = op_string(m, id);
	size_t n = strlen(out);

	if (v.n)
		snprintf(out + n, cap - n, "%s%.*s", before, (int)v.n, v.p);
}

/* The location of a stack's leaf: function, system name, line, mapping,
 * attributes. */
static const char *leaf_text(const struct op_model *m)
{
	static char out[1000];
	const struct op_dict *d = &m->dict;
	struct op_ids stack = op_list(&d->stacks, 1);
	const struct op_location *l = &d->locations[stack.p[0]];
	const struct op_line *line = &d->lines[l->first_line];
	struct op_ids attrs = op_list(&d->sets, l->attrs);
	size_t n;

	out[0] = 0;
	put(out, sizeof(out), m, d->functions[line->function].name, "");
	put(out, sizeof(out), m, d->functions[line->function].system_name, " ");
	n = strlen(out);
	snprintf(out + n, sizeof(out) - n, " :%lld", (long long)line->line);
	put(out, sizeof(out), m, d->mappings[l->mapping].filename, " @");
	for (uint32_t i = 0; i < attrs.n; i++) {
		const struct op_attr *a = &d->attrs[attrs.p[i]];

		put(out, sizeof(out), m, a->key, " ");
		n = strlen(out);
		if (a->value.kind == OP_ANY_INT)
			snprintf(out + n, sizeof(out) - n, "=%lld",
				 (long long)a->value.num);
		else
			snprintf(out + n, sizeof(out) - n, "=%.*s",
				 (int)op_any_text(m, &a->value).n,
				 op_any_text(m, &a->value).p);
	}
	return out;
}

#define JVM "profile.frame.type=jvm jfr.frame.kind="

TEST(frames)
{
	static const struct {
		enum jfr_flavour flavour;
		const char *frame, *want;
	} rows[] = {
		{ JFR_JDK17, "java/lang/String.hashCode()I:12",
		  "java.lang.String.hashCode "
		  "java/lang/String.hashCode()I :12 " JVM "JIT compiled" },
		{ JFR_JDK17, "A.f:12@3+inlined",
		  "A.f A.f()V :12 " JVM "Inlined" },
		{ JFR_JDK17, "A.f@3+interpreted",
		  "A.f A.f()V :0 " JVM "Interpreted jfr.frame.bci=3" },
		{ JFR_JDK17, "A.f:0@0", "A.f A.f()V :0 " JVM "JIT compiled" },
		{ JFR_JDK17, "A.f:-1@-1", "A.f A.f()V :0 " JVM "JIT compiled" },
		{ JFR_JDK17, "java/lang/Thread.sleep(J)V+native",
		  "java.lang.Thread.sleep java/lang/Thread.sleep(J)V :0 " JVM
		  "Native" },
		{ JFR_ASYNC, "A.f+c1", "A.f A.f()V :0 " JVM "C1 compiled" },
		{ JFR_ASYNC, "libc.so.6.malloc+native",
		  "malloc :0 @libc.so.6 "
		  "profile.frame.type=native jfr.frame.kind=Native" },
		{ JFR_ASYNC, "libjvm.so.JVM_Sleep+cpp",
		  "JVM_Sleep :0 @libjvm.so "
		  "profile.frame.type=native jfr.frame.kind=C++" },
		{ JFR_ASYNC, "do_syscall_64_[k]+kernel",
		  "do_syscall_64_[k] :0 "
		  "profile.frame.type=kernel jfr.frame.kind=Kernel" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err;
		struct op_model m;
		struct jfr j;

		jfr_begin(&j, rows[i].flavour);
		jfr_event(&j, "jdk.ExecutionSample", "1 0 `%s`", rows[i].frame);
		CHECK_EQ(read_with(&m, jfr_end(&j), NULL, &err), OP_OK);
		if (strcmp(leaf_text(&m), rows[i].want)) {
			fprintf(stderr, "--- \n%s\n", leaf_text(&m));
			TEST_FAIL("%s is %s", rows[i].frame, leaf_text(&m));
		}
		op_model_free(&m);
		jfr_free(&j);
	}
}

/* --- links --- */

static uint64_t be64(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

static const char *link_text(const struct op_model *m)
{
	static char out[64];
	const struct op_link *l = &m->dict.links[1];

	if (m->dict.nr[OP_LINKS] < 2)
		return "none";
	snprintf(out, sizeof(out), "%016llx%016llx:%016llx",
		 (unsigned long long)be64(l->trace_id),
		 (unsigned long long)be64(l->trace_id + 8),
		 (unsigned long long)be64(l->span_id));
	return out;
}

TEST(links)
{
	static const struct {
		const char *fields, *values, *want;
	} rows[] = {
		{ "spanId:long localRootSpanId:long", "0x11 0x1234567890abcdef",
		  "00000000000000001234567890abcdef:0000000000000011" },
		{ "localRootSpanId:long spanId:long", "-1 1",
		  "0000000000000000ffffffffffffffff:0000000000000001" },
		{ "contextId:long", "7",
		  "00000000000000000000000000000007:0000000000000007" },
		{ "traceId:long spanId:long", "7 8",
		  "00000000000000000000000000000007:0000000000000008" },
		{ "traceId:long traceIdHigh:long spanId:long", "7 9 8",
		  "00000000000000090000000000000007:0000000000000008" },
		{ "traceIdHigh:long traceId:long spanId:long localRootSpanId:"
		  "long",
		  "9 7 8 5",
		  "00000000000000090000000000000007:0000000000000008" },
		{ "traceId:String spanId:String",
		  "'0123456789abcdef0123456789ABCDEF' '00000000000000ab'",
		  "0123456789abcdef0123456789abcdef:00000000000000ab" },
		{ "trace_id:String* span_id:AttributeValue*",
		  "`0123456789abcdef` `00000000000000ab`",
		  "00000000000000000123456789abcdef:00000000000000ab" },
		{ "traceId:String spanId:String", "'12' '00000000000000ab'",
		  "none" },
		{ "traceId:String spanId:String",
		  "'0123456789abcdef' '0123456789abcdef0123456789abcdef'",
		  "none" },
		{ "traceId:String spanId:String",
		  "'0000000000000000' '00000000000000ab'", "none" },
		{ "traceId:String", "'0123456789abcdef'", "none" },
		{ "spanId:long localRootSpanId:long", "5 0", "none" },
		{ "spanId:long localRootSpanId:long", "0 5", "none" },
		{ "spanId:long", "5", "none" },
		{ "contextId:long", "0", "none" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		char fields[200];
		struct op_err err;
		struct op_model m;
		struct jfr j;

		snprintf(fields, sizeof(fields), "stackTrace:StackTrace* %s",
			 rows[i].fields);
		jfr_begin(&j, JFR_DATADOG);
		jfr_type(&j, "my.E event", fields);
		jfr_event(&j, "my.E", "0 %s", rows[i].values);
		CHECK_EQ(read_with(&m, jfr_end(&j), EVERY, &err), OP_OK);
		CHECK_STR(link_text(&m), rows[i].want);
		op_model_free(&m);
		jfr_free(&j);
	}
}

/* --- values, times, facts --- */

struct row {
	const char *name, *text, *want;
};

static void check_rows(const struct row *rows, size_t n, const char *setting)
{
	for (size_t i = 0; i < n; i++) {
		struct jfr j;

		jfr_begin(&j, JFR_JDK17);
		play(&j, rows[i].text);
		says_with(&j, setting, rows[i].name, rows[i].want);
	}
}

#define E "type my.E event | startTime:ticks stackTrace:StackTrace* "
#define OBJECT "type datadog.ObjectSample event | startTime:ticks "
#define RATE "\nheader 56 "
#define SET "jdk.ActiveSetting id="

static const struct row values[] = {
	{ "weights that are whole",
	  OBJECT "size:long weight:long\n"
		 "datadog.ObjectSample 1 10 3",
	  "alloc_objects/count datadog.ObjectSample\n"
	  "\t- 3@1\n"
	  "alloc_space/bytes datadog.ObjectSample\n"
	  "\t- 30@1\n" },
	{ "weights that are float",
	  OBJECT "size:long weight:float\n"
		 "datadog.ObjectSample 1 10 0.5",
	  "alloc_objects/count datadog.ObjectSample\n"
	  "\t- @1\n"
	  "alloc_space/bytes datadog.ObjectSample\n"
	  "\t- 5@1\n" },
	{ "weights that are double",
	  OBJECT "size:long weight:double\n"
		 "datadog.ObjectSample 1 10 2.5",
	  "alloc_objects/count datadog.ObjectSample\n"
	  "\t- 3@1\n"
	  "alloc_space/bytes datadog.ObjectSample\n"
	  "\t- 25@1\n" },
	{ "sizes that are float",
	  OBJECT "size:float\n"
		 "datadog.ObjectSample 1 2.5",
	  "alloc_objects/count datadog.ObjectSample\n"
	  "\t- @1\n"
	  "alloc_space/bytes datadog.ObjectSample\n"
	  "\t- 3@1\n" },
	{ "no field for a measure", OBJECT "\ndatadog.ObjectSample 1",
	  "alloc_objects/count datadog.ObjectSample\n"
	  "\t- @1\n" },
	{ "no field for any measure",
	  "type jdk.CPUTimeSample event | startTime:ticks\n"
	  "jdk.CPUTimeSample 1",
	  "error: none of the selected events in the recording; it has "
	  "jdk.CPUTimeSample (cpu)\n" },
	{ "weights of nothing and beyond",
	  OBJECT "size:long weight:float\n"
		 "datadog.ObjectSample 1 10 =7fc00000\n"
		 "datadog.ObjectSample 2 10 =7f800000\n"
		 "datadog.ObjectSample 3 10 =ff800000",
	  "alloc_objects/count datadog.ObjectSample\n"
	  "\t- 0@1 9223372036854775807@2 0@3\n"
	  "alloc_space/bytes datadog.ObjectSample\n"
	  "\t- 0@1 9223372036854775807@2 0@3\n" },
	{ "durations in units",
	  "type a.N event | stackTrace:StackTrace* "
	  "duration:ns\ntype a.M event | stackTrace:StackTrace* duration:ms\n"
	  "type a.T event | stackTrace:StackTrace* duration:span\n"
	  "a.N 0 5\na.M 0 5\na.T 0 5" RATE "500000000",
	  "n/nanoseconds a.N\n"
	  "\t- 5@0\n"
	  "m/nanoseconds a.M\n"
	  "\t- 5000000@0\n"
	  "t/nanoseconds a.T\n"
	  "\t- 10@0\n" },
	{ "a duration in milliseconds beyond",
	  "type a.M event | stackTrace:StackTrace* duration:ms\n"
	  "a.M 0 0x7fffffffffffffff",
	  "m/nanoseconds a.M\n"
	  "\t- 9223372036854775807@0\n" },
	{ "several events, one sample",
	  "jdk.ExecutionSample 5 0 `A.f` 1\njdk.ExecutionSample 3 0 `A.f` 1\n"
	  "jdk.ExecutionSample 4 0 `A.g` 1",
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @5 @3\n"
	  "\tA.g @4\n" },
	{ "parks of both kinds",
	  "jdk.ThreadPark 1 10\njdk.ThreadPark 2 20 timeout=5\n"
	  "jdk.ThreadPark 3 30",
	  "park/nanoseconds -timeout,until,address jdk.ThreadPark\n"
	  "\t- 10@1 30@3\n"
	  "park_timed/nanoseconds -timeout,until,address jdk.ThreadPark\n"
	  "\t- 20@2\n" },
};

TEST(measures)
{
	check_rows(values, op_countof(values), EVERY);
}

static const struct row times[] = {
	{ "a clock that is slower", E "\nmy.E 3" RATE "1000",
	  "e/count my.E\n"
	  "\t- @3000000\n" },
	{ "a clock that is faster", E "\nmy.E 10" RATE "3000000000",
	  "e/count my.E\n"
	  "\t- @3\n" },
	{ "ticks that do not begin at 0", E "\nmy.E 1005\nheader 48 1000",
	  "e/count my.E\n"
	  "\t- @5\n" },
	{ "an event before the chunk", E "\nmy.E 995\nheader 48 1000",
	  "e/count 1699999999999999995+1000000006 my.E\n"
	  "\t- @-5\n" },
	{ "an event behind the chunk", E "\nmy.E 2000000000",
	  "e/count 1700000000000000000+2000000001 my.E\n"
	  "\t- @2000000000\n" },
	{ "two chunks: the time of both",
	  E "\nmy.E 1\nnext\n" E "\nmy.E 1\nheader 32 1700000005000000000",
	  "e/count 1700000000000000000+6000000001 my.E\n"
	  "\t- @1 @5000000001\n" },
};

TEST(time)
{
	check_rows(times, op_countof(times), EVERY);
}

#define DECLARE "type jdk.ExecutionSample #77 event | startTime:ticks\n"

static const struct row facts[] = {
	{ "of the machine",
	  "jdk.JVMInformation 1 'VM' '17.0' '-Xmx1g' '' 'Main' 0 42\n"
	  "jdk.OSInformation 1 'Linux'\njdk.CPUInformation 1 'x86'",
	  "resource process.runtime.name=VM process.runtime.description=17.0 "
	  "jfr.jvm.arguments=-Xmx1g jfr.java.arguments=Main process.pid=42 "
	  "os.description=Linux host.cpu.model.name=x86\n" },
	{ "once of several chunks",
	  "jdk.OSInformation 1 'Linux'\nnext\njdk.OSInformation 1 'Linux'",
	  "resource os.description=Linux\n" },
	{ "no environment",
	  "jdk.InitialSystemProperty 1 'user' 'me'\n"
	  "jdk.OSInformation 1 'Linux'",
	  "resource os.description=Linux\n" },
	{ "a period", DECLARE SET "77 'period' '20 ms'\njdk.ExecutionSample 1",
	  "samples/count period 20000000 jdk.ExecutionSample\n"
	  "\t- @1\n" },
	{ "of an interval",
	  DECLARE SET "77 'interval' '5000000'\njdk.ExecutionSample 1",
	  "samples/count period 5000000 jdk.ExecutionSample\n"
	  "\t- @1\n" },
	{ "in microseconds",
	  DECLARE SET "77 'period' '7 us'\njdk.ExecutionSample 1",
	  "samples/count period 7000 jdk.ExecutionSample\n"
	  "\t- @1\n" },
	{ "in seconds, behind the event",
	  DECLARE "jdk.ExecutionSample 1\n" SET "77 'period' '2 s'",
	  "samples/count period 2000000000 jdk.ExecutionSample\n"
	  "\t- @1\n" },
	{ "everyChunk is none",
	  DECLARE SET "77 'period' 'everyChunk'\njdk.ExecutionSample 1",
	  "samples/count jdk.ExecutionSample\n"
	  "\t- @1\n" },
	{ "too long",
	  DECLARE SET "77 'period' '9999999999 s'\njdk.ExecutionSample 1",
	  "samples/count jdk.ExecutionSample\n"
	  "\t- @1\n" },
	{ "of another event",
	  DECLARE SET "78 'period' '20 ms'\njdk.ExecutionSample 1",
	  "samples/count jdk.ExecutionSample\n"
	  "\t- @1\n" },
	{ "another setting",
	  DECLARE SET "77 'threshold' '20 ms'\njdk.ExecutionSample 1",
	  "samples/count jdk.ExecutionSample\n"
	  "\t- @1\n" },
};

TEST(fact)
{
	check_rows(facts, op_countof(facts), NULL);
}

TEST_MAIN(frames, links, measures, time, fact)
