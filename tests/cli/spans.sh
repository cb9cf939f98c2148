# SPDX-License-Identifier: Apache-2.0
#
# Spans of a program that includes otprof_span.h, as otprof record sees them.
. "$TOP/tests/cli/record.bash"

server=$BUILD/examples/span_server

if [ ! -x "$server" ]; then
	skip spans/all "this build has no examples"
	exit 0
fi
expect_exit 2 spans/usage -- "$server"
expect_exit 2 spans/no-time -- "$server" demo 0
expect_exit 0 spans/without-a-profiler -- "$server" demo 0.2
check spans/requests grep -qxE '[1-9][0-9]* requests, 0 failed' out

# What each of three spans contains is the function of its request, and nothing
# else. Client N asks for the Nth function, in trace ab...N and span N.
spans_of() # FILE
{
	"$OTPROF" top --by trace,span --where 'process=~"span_server.*"' \
		-n 0 "$1" | grep -oE 'ab[0-9a-f]{30} +[0-9a-f]{16}' | sort
}

functions_of() # FILE
{
	local n

	for n in 1 2 3; do
		"$OTPROF" tree --where "span=000000000000000$n" "$1" |
			grep -oE '\b(price|stock|search)\b' | sort -u
	done
}

functions=$'price\nstock\nsearch'

# From inside: with the agent linked, and preloaded into what is not.
agent_server=$BUILD/examples/span_server_agent
has_agent=
if env LD_PRELOAD="$BUILD/libotprof-agent.so" true 2>/dev/null; then
	has_agent=1
	expect_exit 0 spans/linked -- env OTPROF_PROGRAM="$OTPROF" \
		OTPROF_AGENT_OUTPUT=file:linked.otlp "$agent_server" demo 2
	check spans/linked-silent test ! -s err
	for ((i = 0; i < 500; i++)); do # its helper writes after its end
		[ ! -e linked.otlp ] || break
		sleep 0.02
	done
	expect_exit 0 spans/preloaded -- \
		"$OTPROF" run -o inside.otlp -- "$server" demo 2
	for file in linked inside; do
		check spans/$file-spans test "$(spans_of $file.otlp | wc -l)" = 3
		check spans/$file-functions \
			test "$(functions_of $file.otlp)" = "$functions"
	done
else
	skip spans/linked 'this build has no agent that can be preloaded'
fi

# A program that says who it is when it has run for a while.
cat >late.c <<'C'
#include <time.h>

#include "otprof_context.h"

static volatile long sink;

static void work(double seconds)
{
	while (clock() < seconds * CLOCKS_PER_SEC)
		sink++;
}

int main(void)
{
	const struct otprof_process_context who = { .service_name = "late" };

	work(0.1);
	otprof_context_publish(&who);
	work(1);
	return 0;
}
C
late=
if ${CC:-gcc} -O2 -I "$TOP/include" -o late late.c 2>log; then
	late=1
else
	skip spans/late 'no compiler that makes programs'
fi

# The service of all samples is what the program has published.
is_late() # NAME FILE
{
	"$OTPROF" top --by service --csv -n 0 "$2" >out
	check "$1" test "$(cut -d , -f 2 out | tail -n +2)" = late
}

if [ -n "$late" ] && [ -n "$has_agent" ]; then
	expect_exit 0 spans/late-inside -- "$OTPROF" run -o late.otlp -- ./late
	is_late spans/late-inside-service late.otlp
fi

# Of all processes: that works only with BPF, which reads the contexts.
can_record spans/recorded || exit 0

if [ -n "$late" ]; then
	expect_exit 0 spans/late-outside -- \
		"$OTPROF" record -F 997 -o late.otlp -- ./late
	is_late spans/late-outside-service late.otlp
fi

expect_exit 0 spans/recorded -- \
	"$OTPROF" record -F 997 -o demo.otlp -- "$server" demo 2
expect_exit 0 spans/conforms -- "$OTPROF" check --strict demo.otlp

for n in 1 2 3; do
	expect_exit 0 "spans/span-$n" -- "$OTPROF" top --by trace,service \
		--where "span=000000000000000$n" -n 0 demo.otlp
	check "spans/trace-of-span-$n" \
		grep -qE " ab0{29}$n +span-server\$" out
done

check spans/functions-of-spans test "$(functions_of demo.otlp)" = "$functions"

# Nothing but the first samples of these functions is without a span: if the
# context was looked for too early, it is again after a quarter of a second.
"$OTPROF" top --by span --focus '^(price|stock|search)$' -n 0 demo.otlp >out
cat out >&2
check spans/all-have-a-span awk '
	/ \(no span\)$/ { none = $2 + 0 }
	END { exit !(NR >= 4 && none < 25) }' out

# The agent inside of the program and otprof record see the same spans.
[ -n "$has_agent" ] || exit 0
expect_exit 0 spans/both -- "$OTPROF" record -F 499 -o outside.otlp -- \
	"$OTPROF" run -o inside.otlp -- "$server" demo 2
check spans/three-inside test "$(spans_of inside.otlp | wc -l)" = 3
check spans/same-inside-and-outside \
	test "$(spans_of inside.otlp)" = "$(spans_of outside.otlp)"
