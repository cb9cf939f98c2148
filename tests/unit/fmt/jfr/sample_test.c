// SPDX-License-Identifier: Apache-2.0
/* What the fields of an event become: the second table of
 * docs/formats/jfr.md. */
#include "jfr_fixture.h"

/* An event type with nothing but what a row needs. */
#define FREE "type my.E event | stackTrace:StackTrace* "
#define E "\nmy.E "
#define ONE "e/count my.E\n\t- @0"

struct row {
	const char *name;
	enum jfr_flavour flavour;
	const char *text, *want;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct jfr j;

		jfr_begin(&j, rows[i].flavour);
		play(&j, rows[i].text);
		says_with(&j, EVERY, rows[i].name, rows[i].want);
	}
}

/* --- threads and states --- */

#define THREAD FREE "eventThread:Thread*\npool Thread 9 "

static const struct row threads[] = {
	{ "the id is Java's", JFR_JDK17, THREAD "'os' 77 'java' 5" E "0 9",
	  ONE " jfr.thread.os_id=77 thread.id=5 thread.name=java\n" },
	{ "or the system's", JFR_JDK17, THREAD "'os' 77 'java' 0" E "0 9",
	  ONE " jfr.thread.os_id=77 thread.id=77 thread.name=java\n" },
	{ "no name of Java's", JFR_JDK17, THREAD "'os' 77 null 0" E "0 9",
	  ONE " jfr.thread.os_id=77 thread.id=77 thread.name=os\n" },
	{ "no id of the system", JFR_JDK17, THREAD "'os' 0 'java' 5" E "0 9",
	  ONE " thread.id=5 thread.name=java\n" },
	{ "group", JFR_JDK17,
	  THREAD "'os' 77 'java' 5 3\npool ThreadGroup 3 0 'main'" E "0 9",
	  ONE " jfr.thread.group=main jfr.thread.os_id=77 thread.id=5 "
	      "thread.name=java\n" },
	{ "a group that is missing", JFR_JDK17,
	  THREAD "'os' 77 'java' 5 3" E "0 9",
	  ONE " jfr.thread.os_id=77 thread.id=5 thread.name=java\n" },
	{ "virtual", JFR_JDK25, THREAD "'os' 77 'java' 5 0 true" E "0 9",
	  ONE " jfr.thread.os_id=77 jfr.thread.virtual=true thread.id=5 "
	      "thread.name=java\n" },
	{ "names in the pool", JFR_JDK17,
	  "type java.lang.Thread | osName:String* osThreadId:long "
	  "javaName:String* javaThreadId:long group:ThreadGroup*\n"
	  "type jdk.types.ThreadGroup | name:String*\n"
	  "pool String 4 'java'\npool String 5 'main'\n"
	  "pool ThreadGroup 3 5\n" THREAD "0 77 4 5 3" E "0 9",
	  ONE " jfr.thread.group=main jfr.thread.os_id=77 thread.id=5 "
	      "thread.name=java\n" },
	{ "one that is missing", JFR_JDK17, THREAD "'os' 77 'java' 5" E "0 8",
	  ONE "\n" },
	{ "none", JFR_JDK17, THREAD "'os' 77 'java' 5" E "0 0", ONE "\n" },
	{ "others go by name", JFR_JDK17,
	  FREE "notifier:Thread*\npool Thread 9 'os' 77 'java' 5" E "0 9",
	  ONE " jfr.notifier=java\n" },
	{ "sampledThread", JFR_ASYNC,
	  FREE "sampledThread:Thread*\npool Thread 9 'os' 77 'java' 5" E "0 9",
	  ONE " jfr.thread.os_id=77 thread.id=5 thread.name=java\n" },
};

TEST(thread)
{
	check_rows(threads, op_countof(threads));
}

#define STATE FREE "state:ThreadState*" E "0 "

static const struct row states[] = {
	{ "runnable", JFR_JDK17, STATE "`STATE_RUNNABLE`",
	  ONE " thread.state=running\n" },
	{ "default", JFR_ASYNC, STATE "`STATE_DEFAULT`",
	  ONE " thread.state=running\n" },
	{ "sleeping", JFR_JDK17, STATE "`STATE_SLEEPING`",
	  ONE " thread.state=sleeping\n" },
	{ "wait", JFR_JDK17, STATE "`STATE_IN_OBJECT_WAIT`",
	  ONE " thread.state=sleeping\n" },
	{ "timed wait", JFR_JDK17, STATE "`STATE_IN_OBJECT_WAIT_TIMED`",
	  ONE " thread.state=sleeping\n" },
	{ "parked", JFR_JDK17, STATE "`STATE_PARKED`",
	  ONE " thread.state=sleeping\n" },
	{ "timed park", JFR_JDK17, STATE "`STATE_PARKED_TIMED`",
	  ONE " thread.state=sleeping\n" },
	{ "monitor", JFR_JDK17, STATE "`STATE_BLOCKED_ON_MONITOR_ENTER`",
	  ONE " thread.state=mutex\n" },
	{ "another", JFR_JDK17, STATE "`STATE_NEW`",
	  ONE " thread.state=blocked\n" },
	{ "one that is missing", JFR_JDK17, STATE "9999", ONE "\n" },
};

TEST(state)
{
	check_rows(states, op_countof(states));
}

/* --- classes, texts, numbers --- */

#define CLASS FREE "objectClass:Class*" E "0 "
#define TEXT FREE "path:String" E "0 "

static const struct row fields[] = {
	{ "class", JFR_JDK17, CLASS "`java/lang/String`",
	  ONE " jfr.class=java.lang.String\n" },
	{ "array of bytes", JFR_JDK17, CLASS "`[B`",
	  ONE " jfr.class=byte[]\n" },
	{ "array of arrays of long", JFR_JDK17, CLASS "`[[J`",
	  ONE " jfr.class=long[][]\n" },
	{ "array of objects", JFR_JDK17, CLASS "`[Ljava/lang/String;`",
	  ONE " jfr.class=java.lang.String[]\n" },
	{ "array of what is no type", JFR_JDK17, CLASS "`[X`",
	  ONE " jfr.class=X[]\n" },
	{ "array of nothing", JFR_JDK17, CLASS "`[`", ONE " jfr.class=[]\n" },
	{ "class that is missing", JFR_JDK17, CLASS "77", ONE "\n" },
	{ "class of another role", JFR_JDK17,
	  FREE "objectClass:Class* task:Class*" E "0 `A` `B`",
	  ONE " jfr.class=A jfr.task=B\n" },
	{ "method", JFR_JDK17, FREE "method:Method*" E "0 `java/lang/A.f`",
	  ONE " jfr.method=java.lang.A.f\n" },
	{ "text of a constant", JFR_JDK17,
	  FREE "name:GCName*\npool GCName 3 'G1New'" E "0 3",
	  ONE " jfr.name=G1New\n" },
	{ "string of the pool", JFR_JDK17,
	  FREE "endpoint:String*\npool String 3 '/shop'" E "0 3",
	  ONE " jfr.endpoint=/shop\n" },
	{ "other constants", JFR_JDK17,
	  FREE "object:OldObject*\npool OldObject 3 1" E "0 3",
	  "e/count -object my.E\n"
	  "\t- @0\n" },
	{ "truths", JFR_JDK17, FREE "a:boolean b:boolean" E "0 true false",
	  ONE " jfr.a=true\n" },
	{ "numbers, addresses, messages", JFR_JDK17,
	  FREE "gcId:int x:long s:short c:char y:byte f:float d:double "
	       "at:address message:String address:String" E
	       "0 1 2 3 4 5 6 7 8 'm' 'a'",
	  "e/count -gcId,x,s,c,y,f,d,at,message,address my.E\n"
	  "\t- @0\n" },
	{ "port", JFR_JDK17, FREE "port:int" E "0 443", ONE " jfr.port=443\n" },
	{ "no port", JFR_JDK17, FREE "port:int" E "0 0", ONE "\n" },
	{ "arrays and structs", JFR_JDK17,
	  "type my.P | x:int y:String\n" FREE "a:int[] s:String[] p:P q:P[] "
	  "k:Thread*[] ok:boolean" E
	  "0 [1 2] ['a' 'b'] (1 'x') [(2 'y') (3 'z')] [1 2] true",
	  "e/count -a,s,p,q,k my.E\n"
	  "\t- @0 jfr.ok=true\n" },
	{ "text in UTF-8", JFR_JDK17, TEXT "'a\xc3\xa9'",
	  ONE " jfr.path=aé\n" },
	{ "text in UTF-16", JFR_JDK17, TEXT "u'a\xc3\xa9\xe2\x82\xac'",
	  ONE " jfr.path=aé€\n" },
	{ "a pair of UTF-16", JFR_JDK17, TEXT "u'\xf0\x9f\x98\x80'",
	  ONE " jfr.path=😀\n" },
	{ "halves of pairs", JFR_JDK17, TEXT "=04 4i 55357c 65c 56832c 55357c",
	  ONE " jfr.path=�A��\n" },
	{ "text in Latin-1", JFR_JDK17, TEXT "l'a\xc3\xa9'",
	  ONE " jfr.path=aé\n" },
	{ "text of the pool", JFR_JDK17, "pool String 5 'pooled'\n" TEXT "&5",
	  ONE " jfr.path=pooled\n" },
	{ "text of the pool by another", JFR_JDK17,
	  "pool String 5 &6\npool String 6 'pooled'\n" TEXT "&5",
	  ONE " jfr.path=pooled\n" },
	{ "text that leads to itself", JFR_JDK17,
	  "pool String 5 &5\n" TEXT "&5", ONE "\n" },
	{ "text that is missing", JFR_JDK17, TEXT "&7", ONE "\n" },
	{ "empty text", JFR_JDK17, TEXT "''", ONE "\n" },
	{ "no text", JFR_JDK17, TEXT "null", ONE "\n" },
	{ "equal texts are one sample", JFR_JDK17,
	  TEXT "'a'\nmy.E 0 l'a'\nmy.E 0 u'a'\nmy.E 0 'b'",
	  ONE " @0 @0 jfr.path=a\n"
	      "\t- @0 jfr.path=b\n" },
};

TEST(field)
{
	check_rows(fields, op_countof(fields));
}

/* --- stacks --- */

static const struct row stacks[] = {
	{ "none", JFR_JDK17, FREE E "0", ONE "\n" },
	{ "missing", JFR_JDK17, FREE E "99", ONE "\n" },
	{ "of no frames", JFR_JDK17, FREE "\nstack 5 " E "5", ONE "\n" },
	{ "cut off", JFR_JDK17, FREE E "`...;A.f;B.g`",
	  "e/count my.E\n"
	  "\tA.f;B.g @0 jfr.stack.truncated=true\n" },
	{ "cut off and whole", JFR_JDK17, FREE E "`...;A.f`" E "`A.f`",
	  "e/count my.E\n"
	  "\tA.f @0\n"
	  "\tA.f @0 jfr.stack.truncated=true\n" },
	{ "the same of two ids", JFR_JDK17,
	  FREE "\nstack 5 A.f\nstack 6 A.f" E "5" E "6",
	  "e/count my.E\n"
	  "\tA.f @0 @0\n" },
	{ "the same twice in the pool: the newest counts", JFR_JDK17,
	  FREE "\nstack 5 A.f" E "5\ncheckpoint\nstack 5 B.g" E "5",
	  "e/count my.E\n"
	  "\tB.g @0 @0\n" },
};

TEST(stack)
{
	check_rows(stacks, op_countof(stacks));
}

TEST_MAIN(thread, state, field, stack)
