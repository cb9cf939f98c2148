// SPDX-License-Identifier: Apache-2.0
/* What the reader refuses, each with one sentence and its place. */
#include "jfr_fixture.h"

struct row {
	const char *name, *text, *want;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct jfr j;

		jfr_begin(&j, JFR_JDK17);
		play(&j, rows[i].text);
		says_with(&j, EVERY, rows[i].name, rows[i].want);
	}
}

#define RECOVER ": --recover reads the intact part at "
#define UNFINISHED "error: the chunk is not complete" RECOVER
#define EVENT "jdk.ExecutionSample 5 0 `A.f` 5\n"
#define MY "type my.E #70 event | stackTrace:StackTrace* "

static const struct row headers[] = {
	{ "a chunk of size 0", EVENT "header 8 0", UNFINISHED "0\n" },
	{ "a chunk smaller than its header", EVENT "header 8 67",
	  UNFINISHED "0\n" },
	{ "a chunk past the end", EVENT "header 8 1000000",
	  "error: the chunk declares 1000000 bytes, but only 1767 are "
	  "left" RECOVER "0\n" },
	{ "a chunk far past the end", EVENT "header 8 -1",
	  "error: the chunk declares 18446744073709551615 bytes, but only "
	  "1767 are left" RECOVER "0\n" },
	{ "no checkpoint", EVENT "header 16 0", UNFINISHED "0\n" },
	{ "a checkpoint past the end", EVENT "header 16 1000000",
	  UNFINISHED "0\n" },
	{ "a checkpoint that is another event", EVENT "header 16 68",
	  "error: expected constants at 68\n" },
	{ "no metadata", EVENT "header 24 0", UNFINISHED "0\n" },
	{ "metadata that is another event", EVENT "header 24 68",
	  "error: expected type metadata at 68\n" },
	{ "metadata inside of the header", EVENT "header 24 12",
	  UNFINISHED "0\n" },
	{ "no ticks", EVENT "header 56 0",
	  "error: the clock frequency is 0 at 56\n" },
	{ "version 0.9", EVENT "header 4 0\nheader 6 9",
	  "error: a recording of version 0.9, written by Oracle's JDK 7 or 8: "
	  "only 1.0 and 2.x are supported at 0\n" },
	{ "version 3.1", EVENT "header 4 3",
	  "error: a recording of version 3.1: only 1.0 and 2.x are supported "
	  "at 0\n" },
	{ "another magic", EVENT "header 0 1",
	  "error: expected the start of a chunk at 0\n" },
	{ "the second chunk", EVENT "next\n" EVENT "header 24 0",
	  UNFINISHED "1767\n" },
};

TEST(header)
{
	check_rows(headers, op_countof(headers));
}

static const struct row events[] = {
	{ "an event of size 0", EVENT "raw 0i",
	  "error: invalid event size: 0 bytes, 1692 are left at 76\n" },
	{ "an event of size 1", EVENT "raw 1i 70",
	  "error: invalid event size: 1 bytes, 1693 are left at 76\n" },
	{ "smaller than its head, of a type that is read",
	  MY "\nmy.E 0\nraw 1i 70 0",
	  "error: invalid event size: 1 bytes, 1024 are left at 71\n" },
	{ "an event past the end", EVENT "raw 1000000i 70",
	  "error: invalid event size: 1000000 bytes, 1695 are left at 76\n" },
	{ "fields that are missing", MY "x:long y:long\nmy.E 0 1 .",
	  "error: truncated number at 72\n" },
	{ "a text past the event", MY "s:String\nmy.E 0 =0305",
	  "error: 5 bytes declared, but only 0 are left at 73\n" },
	{ "a text of UTF-16 past the event", MY "s:String\nmy.E 0 =0405",
	  "error: a string declares 5 characters, but only 0 bytes are left at "
	  "73\n" },
	{ "the same where it is passed over", MY "message:String\nmy.E 0 =0405",
	  "error: truncated number at 73\n" },
	{ "a text of an unknown kind", MY "s:String\nmy.E 0 =09",
	  "error: a string of unknown encoding at 71\n" },
	{ "the same where it is passed over", MY "message:String\nmy.E 0 =09",
	  "error: a string of unknown encoding at 71\n" },
	{ "an array past the event", MY "a:int[]\nmy.E 0 [!1000000000 1]",
	  "error: 1000000000 elements declared, but only 0 bytes are left at "
	  "76\n" },
	{ "an array of texts past the event", MY "a:String[]\nmy.E 0 [!3 'a']",
	  "error: 1 bytes declared, but only 0 are left at 75\n" },
	{ "a field of a type that is not described", MY "x:#999\nmy.E 0 =00",
	  "error: a value of unknown type at 71\n" },
	{ "a number that is cut off", MY "x:long\nmy.E 0 =ff",
	  "error: truncated number at 71\n" },
};

TEST(event)
{
	check_rows(events, op_countof(events));
}

static const struct row constants[] = {
	{ "of a type that is not described",
	  EVENT "#1 0 0 0 =00 1i 999 1i 5 'x'\n",
	  "error: constants of unknown type 999 at 83\n" },
	{ "of such a type, but none", EVENT "#1 0 0 0 =00 1i 999 0i\n",
	  "samples/count jdk.ExecutionSample\n"
	  "\t- @5\n" },
	{ "1e9 pools", EVENT "#1 0 0 0 =00 1000000000i",
	  "error: truncated number at 87\n" },
	{ "1e9 constants", MY "\nmy.E 0\n#1 0 0 0 =00 1i 70 1000000000i 5",
	  "error: truncated number at 85\n" },
	{ "more constants than are there",
	  "type my.T #71 | s:String\n#1 0 0 0 =00 1i 71 2i 5 'x'",
	  "error: truncated number at 81\n" },
	{ "behind the chunk", EVENT "#1 0 0 100000 =00 0i",
	  "error: the offset of the next constants is outside the chunk "
	  "at 76\n" },
	{ "before the chunk", EVENT "#1 0 0 -100000 =00 0i",
	  "error: the offset of the next constants is outside the chunk "
	  "at 76\n" },
	{ "in the middle of another event", EVENT "#1 0 0 -3 =00 0i",
	  "error: expected constants at 73\n" },
};

/* The header points to the last line. */
TEST(constant)
{
	for (size_t i = 0; i < op_countof(constants); i++) {
		const char *line = strrchr(constants[i].text, '#');
		char head[300];
		struct jfr j;

		while (line[1] != '1')
			line--;
		snprintf(head, sizeof(head), "%.*s",
			 (int)(line - constants[i].text), constants[i].text);
		jfr_begin(&j, JFR_JDK17);
		play(&j, head);
		jfr_header(&j, JFR_CHECKPOINT, jfr_here(&j));
		play(&j, line);
		says(&j, constants[i].name, constants[i].want);
	}
}

/* Two checkpoints that point to each other. */
TEST(circle)
{
	struct jfr j;

	jfr_begin(&j, JFR_JDK17);
	jfr_event(&j, "jdk.ExecutionSample", "5");
	jfr_header(&j, JFR_CHECKPOINT, jfr_here(&j));
	jfr_event(&j, "#1", "0 0 7 =00 0i");
	jfr_event(&j, "#1", "0 0 -7 =00 0i");
	says(&j, "a circle",
	     "error: the list of constants is circular at 82\n");
}

static const struct row types[] = {
	{ "a type that holds itself",
	  "type A | a:A\ntype my.E event | "
	  "stackTrace:StackTrace* a:A\nmy.E 0 =00",
	  "error: values nested more than 16 deep at 72\n" },
	{ "types that hold each other",
	  "type A | b:B\ntype B | a:A\n"
	  "type my.E event | stackTrace:StackTrace* a:A\nmy.E 0 =00",
	  "error: values nested more than 16 deep at 72\n" },
	{ "an id that is huge", "type A #2000000 | x:int\n" EVENT,
	  "error: type id 2000000 is too large at 1315\n" },
	{ "stacks whose frames are a number",
	  "type jdk.types.StackTrace | truncated:boolean frames:long\n" MY
	  "\nmy.E 5\npool StackTrace 5 false 0x7fffffffffff",
	  "e/count my.E\n"
	  "\t- @0\n" },
	{ "stacks whose frames are one frame",
	  "type jdk.types.StackTrace | truncated:boolean frames:StackFrame\n" MY
	  "\nmy.E 5\npool StackTrace 5",
	  "e/count my.E\n"
	  "\t- @0\n" },
	{ "frames of nothing",
	  "type jdk.types.StackFrame |\n" MY "\nmy.E 5\npool StackTrace 5 "
	  "false [!1]\npool StackTrace 6 false []",
	  "e/count my.E\n"
	  "\t- @0\n" },
	{ "threads whose names are numbers",
	  "type java.lang.Thread | osName:long javaName:long\n" MY
	  "eventThread:Thread*\nmy.E 0 5\npool Thread 5 0x7fffffffffff 1",
	  "e/count my.E\n"
	  "\t- @0 thread.id=0\n" },
	{ "symbols that are numbers",
	  "type jdk.types.Symbol | string:long\n" MY "objectClass:Class*\n"
	  "my.E 0 5\npool Class 5 0 6\npool Symbol 6 0x7fffffffffff",
	  "e/count my.E\n"
	  "\t- @0\n" },
	{ "events with names of others",
	  "type jdk.ExecutionSample event | startTime:String "
	  "stackTrace:int sampledThread:boolean state:StackTrace*\n"
	  "jdk.ExecutionSample 'x' 5 true 0",
	  "samples/count -stackTrace jdk.ExecutionSample\n"
	  "\t- @0 jfr.sampledThread=true jfr.startTime=x\n" },
	{ "settings of all kinds",
	  "type jdk.ActiveSetting event | id:String name:int value:float\n"
	  "jdk.ActiveSetting 'x' 1 1.5\n" EVENT,
	  "samples/count jdk.ExecutionSample\n"
	  "\tA.f @5 thread.state=running\n" },
};

TEST(type)
{
	check_rows(types, op_countof(types));
}

/* Sixteen types, each of ten of the next, the last of nothing. */
TEST(many_nothings)
{
	struct jfr j;
	char head[20], fields[400];

	jfr_begin(&j, JFR_JDK17);
	for (int i = 14; i >= 0; i--) {
		size_t n = 0;

		fields[0] = 0;
		for (int k = 0; k < 10 && i < 14; k++)
			n += (size_t)snprintf(fields + n, sizeof(fields) - n,
					      "f%d:T%d ", k, i + 1);
		snprintf(head, sizeof(head), "T%d", i);
		jfr_type(&j, head, fields);
	}
	jfr_type(&j, "my.E event", "stackTrace:StackTrace* t:T0 a:T0[]");
	jfr_event(&j, "my.E", "0 =02aaaa");
	says_with(&j, EVERY, "nothings", "e/count -t,a my.E\n\t- @0\n");
}

/* Metadata that is no list of types. */
TEST(metadata)
{
	static const struct row rows[] = {
		{ "1e9 strings", "0 0 1 1000000000i 'x'",
		  "error: 1000000000 strings declared, but only 0 bytes are "
		  "left at 81\n" },
		{ "a string of unknown encoding", "0 0 1 1i =07",
		  "error: a string of unknown encoding at 77\n" },
		{ "a string past the end", "0 0 1 1i =03ffffff7f",
		  "error: 268435455 bytes declared, but only 10 are left at "
		  "82\n" },
		{ "the name of an element that is no string",
		  "0 0 1 1i 'root' 5i 0i 0i",
		  "error: string index 5 is out of "
		  "range for a table of 1 at 83\n" },
		{ "1e9 attributes", "0 0 1 1i 'root' 0i 1000000000i 0i 0i",
		  "error: string index 10 is out of range for a table of 1 at "
		  "91\n" },
		{ "1e9 children", "0 0 1 1i 'root' 0i 0i 1000000000i",
		  "error: string index 10 is out of range for a table of 1 at "
		  "90\n" },
		{ "too deep", "0 0 1 1i 'x' {0i 0i 1i}*1000 0i 0i 0i",
		  "error: types nested more than 32 deep at 176\n" },
		{ "too many fields of a type",
		  "0 0 1 2i 'class' 'field' 0i 0i 5000i {1i 0i 0i}*5000 0i",
		  "error: a type has more than 4096 fields at 12386\n" },
		{ "fields without a type", "0 0 1 1i 'field' 0i 0i 1i 0i 0i 0i",
		  "error: none of the selected events in the recording; it has "
		  "none\n" },
		{ "nothing", "0 0 1 0i",
		  "error: string index 10 is out of "
		  "range for a table of 0 at 77\n" },
	};

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct jfr j;

		jfr_begin(&j, JFR_JDK17);
		jfr_metadata_raw(&j, rows[i].text);
		says_with(&j, EVERY, rows[i].name, rows[i].want);
	}
}

TEST_MAIN(header, event, constant, circle, type, many_nothings, metadata)
