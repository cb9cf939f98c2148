# SPDX-License-Identifier: Apache-2.0
#
# Spans of a program that includes otprof_span.h, as otprof record sees them.
. "$TOP/tests/cli/aid.bash"

server=$BUILD/examples/span_server

if [ ! -x "$server" ]; then
	skip spans/all "this build has no examples"
	exit 0
fi
expect_exit 2 spans/usage -- "$server"
expect_exit 2 spans/no-time -- "$server" demo 0
expect_exit 0 spans/without-a-profiler -- "$server" demo 0.2
check spans/requests grep -qxE '[1-9][0-9]* requests, 0 failed' out

# Of all processes: that works only with BPF, which reads the contexts.
if ! "$OTPROF" record -a -d 0.1 >out 2>err; then
	skip spans/recorded "$(sed -n '1s/^otprof record: //p' err)"
	exit 0
fi

expect_exit 0 spans/recorded -- \
	"$OTPROF" record -F 997 -o demo.otlp -- "$server" demo 2
expect_exit 0 spans/conforms -- "$OTPROF" check --strict demo.otlp

# Client N asks for the Nth function, in trace ab...N and span N.
for n in 1 2 3; do
	expect_exit 0 "spans/span-$n" -- "$OTPROF" top --by trace,service \
		--where "span=000000000000000$n" -n 0 demo.otlp
	check "spans/trace-of-span-$n" \
		grep -qE " ab0{29}$n +span-server\$" out
done

# What a span contains is the function of its request, and no other.
function_of() # SPAN
{
	"$OTPROF" tree --where "span=000000000000000$1" demo.otlp |
		grep -oE '\b(price|stock|search)\b' | sort -u
}

check spans/function-of-span-1 test "$(function_of 1)" = price
check spans/function-of-span-2 test "$(function_of 2)" = stock
check spans/function-of-span-3 test "$(function_of 3)" = search

# Nothing but the first few samples of these functions is without a span.
"$OTPROF" top --by span --focus '^(price|stock|search)$' -n 0 demo.otlp >out
cat out >&2
check spans/all-have-a-span awk '
	/ \(no span\)$/ { none = $2 + 0 }
	END { exit !(NR >= 4 && none < 10) }' out
