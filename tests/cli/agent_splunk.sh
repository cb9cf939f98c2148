# SPDX-License-Identifier: Apache-2.0
#
# The agent: what arrives is what the convention of 2021 wants, which is a list
# of 16 rows (docs/agent.md); a test of a row names it. What it does inside of a
# program is the matter of tests/unit/agent.
. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

unset ${!OTPROF_@}
agent=$BUILD/libotprof-agent.so

if ! ${CC:-gcc} -std=gnu11 -g -O2 -pthread -rdynamic -I "$TOP/include" \
	-o prog "$TOP/tests/cli/agent_prog.c" -ldl 2>log; then
	skip agent "no compiler that makes programs"
	exit 0
fi
# A sanitizer must be loaded first, and the program has none.
if ! LD_PRELOAD=$agent ./prog status >off 2>log; then
	skip agent "$(head -n 1 log)"
	exit 0
fi

# with NAME VARIABLE=VALUE... -- ARGUMENT...: runs the program with the agent
# until its helper, which has the same stderr, has ended, too.
with()
{
	local name=$1 vars=()

	shift
	while [ "$1" != -- ]; do
		vars+=("$1")
		shift
	done
	shift
	env "${vars[@]}" LD_PRELOAD="$agent" OTPROF_PROGRAM="$OTPROF" \
		./prog "$@" 2>&1 >"$name.out" | cat >"$name.err"
}

on="SPLUNK_PROFILER_ENABLED=true PROG_AWAITS=1"
fast=SPLUNK_PROFILER_CALL_STACK_INTERVAL=20

# --- when it is off ---

./prog status >never
same 'agent/row 5: off, it has no thread, handler or file' never off

calls() # COMMAND...: how many it makes of those that the agent would make
{
	strace -f -E LD_PRELOAD="$1" -o calls ./prog status >/dev/null 2>&1
	grep -cE 'clone|socket|memfd|rt_sig|eventfd|brk' calls
}
if has_tool 'agent/row 5: off, it makes no calls' strace; then
	check 'agent/row 5: off, it makes no calls' \
		test "$(calls '')" = "$(calls "$agent")"
fi
check 'agent/row 3: the default is documented' \
	grep -qF '| `SPLUNK_PROFILER_ENABLED` | `false`' "$TOP/docs/agent.md"

can_send || exit 0

# Nobody listens there; it takes until the helper gives up.
with nobody $on $fast -- run 0.3 &
nobody=$!

serve_start grpc=0
to=OTEL_EXPORTER_OTLP_ENDPOINT=$ENDPOINT
with unset $to $fast -- run 0.3
nr_requests 'agent/row 1: off by default' 0
with false $to $fast SPLUNK_PROFILER_ENABLED=false -- run 0.3
nr_requests 'agent/row 2: off if SPLUNK_PROFILER_ENABLED is false' 0
with late $to $fast -- late 0.3
nr_requests 'agent/row 4: it is not turned on at run time' 0
with off-api $to SPLUNK_PROFILER_ENABLED=false -- api splunk-text
nr_requests 'agent/row 4: the environment beats the API' 0
check 'agent/row 4: the API says so' \
	grep -q '^start: [^0].*SPLUNK_PROFILER_ENABLED' off-api.out
check 'agent/row 5: off, it says nothing' test ! -s unset.err -a ! -s false.err

# --- the defaults ---

begin=$(date +%s%N)
with one $to $on OTEL_SERVICE_NAME=shop OTEL_RESOURCE_ATTRIBUTES=a=b%20c \
	-- run 2.5
end=$(date +%s%N)
serve_stop
nr_requests 'agent/row 2: on if SPLUNK_PROFILER_ENABLED is true' 1
check agent/says-nothing test ! -s one.err
check 'agent/row 10: OTLP logs by gRPC' grep -qx 'POST /opentelemetry.proto.'\
'collector.logs.v1.LogsService/Export' "$SERVED/1.head"
check 'agent/row 10: gRPC' grep -q '^content-type: application/grpc' \
	"$SERVED/1.head"

# The message of a request, and its bytes in hex.
message() # NUMBER
{
	tail -c +6 "$SERVED/$1.body" >"$1.logs"
	od -An -v -tx1 "$1.logs" | tr -d ' \n' >"$1.hex"
}

# has NAME FILE HEX: the bytes are in it.
has()
{
	check "$1" grep -qF "${3//[[:space:]]/}" "$2.hex"
}

# Fields of a record.
attr_text() # KEY TEXT
{
	len 6 "$(text 1 "$1")$(len 2 "$(text 1 "$2")")"
}
attr_int() # KEY NUMBER
{
	len 6 "$(text 1 "$1")$(len 2 "$(uint 3 "$2")")"
}

message 1
expect_exit 0 agent/can-be-read -- "$OTPROF" show --raw 1.logs
sort -nk 4,4 -t '	' out >raw
has 'agent/row 6: every second by default' 1 \
	"$(attr_int source.event.period 1000)"

# Columns of the raw form: 4 is the time, 5 the link, 6 attributes, 7 frames.
# Each round has three threads.
nr=$(($(wc -l <raw) / 3))
check 'agent/row 6: rounds' test "$nr" -ge 3 -a $((nr * 3)) = "$(wc -l <raw)"
threads=$(cut -f 6 raw | grep -o 'thread.name="[^"]*"' | cut -d '"' -f 2)
check 'agent/row 6: at a fixed interval' \
	test "$(cut -f 4 raw | awk 'NR % 3 == 1 { if (last &&
	($1 - last < 0.9e9 || $1 - last > 1.1e9)) bad = 1; last = $1; n++ }
	END { print n, bad + 0 }')" = "$nr 0"
check 'agent/row 7: all threads, in one order' test "$(echo "$threads" |
	paste -d ' ' - - - | sort | uniq -c | tr -s ' ')" = \
	" $nr prog busy idle"
check 'agent/row 7: as close together as possible' \
	test "$(cut -f 4 raw | awk 'NR % 3 == 1 { first = $1 }
	$1 - first > 0.2e9 { bad = 1 } END { print bad + 0 }')" = 0
check_not 'agent/row 8: not its own thread' grep -q otprof-agent raw
check 'agent/row 9: the span of each sample' test "$(cut -f 5 raw |
	sort | uniq -c | tr -s ' \n' ' ')" = \
	" $((2 * nr)) - $nr $(printf 'ab%.0s' {1..16}):$(printf 'cd%.0s' {1..8}) "
check 'agent/row 9: in the thread that has it' \
	test "$(grep -c 'abab:.*thread.name="busy"' raw)" = "$nr"
has 'agent/row 9: TraceId and SpanId of the record' 1 \
	"$(len 9 "$(printf 'ab%.0s' {1..16})")$(
		len 10 "$(printf 'cd%.0s' {1..8})")"

resource() # KEY TEXT
{
	len 1 "$(text 1 "$1")$(len 2 "$(text 1 "$2")")"
}
has 'agent/row 13: the name of the service' 1 "$(resource service.name shop)"
has 'agent/row 13: OTEL_RESOURCE_ATTRIBUTES' 1 "$(resource a 'b c')"
has 'agent/row 13: the process' 1 "$(resource process.executable.name prog)"
check 'agent/row 13: its ID, the host and the SDK' \
	test "$(grep -aoE 'process.pid|host.name|telemetry.sdk.name' 1.logs |
	wc -l)" = 3
has 'agent/row 14: the scope' 1 \
	"$(text 1 otel.profiling)$(text 2 0.1.0)"
has 'agent/row 15: the source type' 1 \
	"$(attr_text com.splunk.sourcetype otel.profiling)"
has 'agent/row 15: the period, in ms' 1 "$(attr_int source.event.period 1000)"
has 'agent/row 16: the name' 1 "$(text 4 otel.profiling)"
check 'agent/row 16: the time of each sample' test "$(cut -f 4 raw |
	awk -v a="$begin" -v b="$end" '$1 < a || $1 > b { bad = 1 } { n[$1] = 1 }
	END { print length(n), bad + 0 }')" = "$((3 * nr)) 0"

# Lines of bodies; what is before the quote is the length of the body.
grep -ao '"[a-z]*" #[0-9].*' 1.logs >heads
grep -a '^	at ' 1.logs >frames
number='[0-9]+(\.[0-9]+)?'
prio="prio=$((20 - $(nice))) os_prio=$((20 + $(nice)))"
check 'agent/row 16: the line of a thread' test "$(grep -cE \
"^\"[a-z]+\" #[1-9] $prio cpu=${number}ms elapsed=${number}s \
tid=0x[0-9a-f]+ nid=0x[0-9a-f]+ (running|waiting)\$" heads)" = $((3 * nr))
check 'agent/row 16: the number of a thread' \
	test "$(grep -c '"busy" #2 ' heads)" = "$nr"
check 'agent/row 16: its status' \
	test "$(grep -c '"busy" .* running$' heads)" = "$nr" -a \
	"$(grep -c '"idle" .* waiting$' heads)" = "$nr"
check 'agent/row 16: the line of its state' test "$(grep -aA 1 '"idle" #' \
	1.logs | grep -acx '   blocked')" = "$nr"
check 'agent/row 16: frames' grep -qE \
	'^	at global\.burn\(.*/agent_prog\.c:[0-9]+ [0-9]+\)$' frames
check_not 'agent/row 16: all by the grammar' grep -qvE \
	'^	at (global\.[^.]+\(([^:]+:[0-9]+( [0-9]+)?|unknown)\)|'\
'unknown\.0x[0-9a-f]+\([^:]+\))$' frames
check 'agent/row 16: the innermost first' test "$(grep -aA 5 '"busy"' 1.logs |
	sed -n 's/^	at global\.\([a-z]*\)(.*/\1/p' | head -n 2 |
	tr '\n' ' ')" = 'burn busy '

# --- where to ---

serve_start grpc=0
with other $on $fast SPLUNK_PROFILER_LOGS_ENDPOINT="$ENDPOINT" \
	OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 -- run 0.3
nr_requests 'agent/row 11: SPLUNK_PROFILER_LOGS_ENDPOINT overrides' 1
serve_stop

# --- several outputs ---

serve_start grpc=0
with all "OTEL_EXPORTER_OTLP_ENDPOINT=$ENDPOINT" $on $fast \
	OTPROF_AGENT_OUTPUT=splunk-text,splunk-pprof,otlp,file:%p.otlp -- \
	run 0.5
serve_stop
nr_requests agent/outputs 3
check 'agent/row 12: one connection for all' \
	test "$(sort -u "$SERVED"/*.connection | wc -l)" = 1
for i in 1 2 3; do
	message $i
	"$OTPROF" top -n 0 $i.logs >top.$i
	expect_exit 0 agent/output-$i-conforms -- \
		"$OTPROF" check --strict $i.logs
done
cp ./*.otlp file.otlp
expect_exit 0 agent/file-conforms -- "$OTPROF" check --strict file.otlp
# Of functions without a name, text has no binary.
fold() # FILE
{
	"$OTPROF" convert -t folded "$1" |
		sed -E 's/(^|;)[^; ]+\+0x/\10x/g' | sort
}

fold file.otlp >want
for i in 1 2 3; do
	fold $i.logs >got
	same agent/output-$i-is-the-same want got
done
check agent/pprof-source grep -qF \
	"$(attr_text profiling.instrumentation.source continuous)" \
	1.hex 2.hex 3.hex
check agent/profiles-path grep -qx 'POST /opentelemetry.proto.collector.'\
'profiles.v1development.ProfilesService/Export' "$SERVED"/*.head

# --- by the API ---

serve_start grpc=0
to=OTEL_EXPORTER_OTLP_ENDPOINT=$ENDPOINT
with api $to PROG_AWAITS=1 -- api splunk-text
nr_requests agent/api 1
check agent/api-other-options grep -q '^other size: [^0]' api.out
check agent/api-start grep -q '^start: 0 $' api.out
check agent/api-again grep -q '^again: 0$' api.out
check 'agent/row 4: stopped, it is not started again' \
	grep -q '^after stop: [^0].*stopped' api.out
message 1
has agent/api-interval 1 "$(attr_int source.event.period 20)"
with api-slow $to PROG_AWAITS=1 SPLUNK_PROFILER_CALL_STACK_INTERVAL=40 -- \
	api splunk-text
message 2
has 'agent/row 4: the interval of the environment beats that of the API' 2 \
	"$(attr_int source.event.period 40)"

# --- stacks that are cut, settings that are wrong ---

with deep $to $on $fast -- deep 0.3
serve_stop
message 3
has agent/truncated 3 \
	"$(len 6 "$(text 1 thread.stack.truncated)$(len 2 "$(uint 2 1)")")"
check_not agent/truncated-only-then grep -q \
	"$(hex thread.stack.truncated)" 1.hex
with wrong SPLUNK_PROFILER_ENABLED=true OTPROF_AGENT_OUTPUT=none \
	SPLUNK_PROFILER_CALL_STACK_INTERVAL=0 -- run 1
check agent/bad-interval grep -q \
	'is ignored: expected a number from 1 to 3600000' wrong.err
check agent/bad-output grep -q "unknown output 'none'" wrong.err
with twice SPLUNK_PROFILER_ENABLED=true \
	OTPROF_AGENT_OUTPUT=file:one,file:two -- run 0.3
check agent/two-files grep -q 'more than one file in the list' twice.err

# --- snapshots ---

# The trace of the program ends in bababab, which is 0.73 of fffffff.
serve_start grpc=0
snap="SPLUNK_SNAPSHOT_PROFILER_ENABLED=true
	OTEL_EXPORTER_OTLP_ENDPOINT=$ENDPOINT"
chance=SPLUNK_SNAPSHOT_SELECTION_PROBABILITY
with snapshot $snap $chance=0.74 PROG_AWAITS=1 \
	OTPROF_AGENT_OUTPUT=splunk-pprof -- run 0.5
message 1
"$OTPROF" show --raw 1.logs >raw
check agent/snapshot-has-samples test "$(cut -f 4 raw | tr ',' '\n' |
	wc -l)" -gt 5
check_not agent/snapshot-only-in-spans grep -qv 'abab:cdcd' raw
has agent/snapshot-source 1 \
	"$(attr_text profiling.instrumentation.source snapshot)"
"$OTPROF" show 1.logs >out
check agent/snapshot-interval grep -q 'every 10000000 wall/nanoseconds' out
expect_exit 0 agent/snapshot-conforms -- "$OTPROF" check --strict 1.logs
with both $snap $on $chance=1 SPLUNK_SNAPSHOT_SAMPLING_INTERVAL=20 \
	SPLUNK_PROFILER_CALL_STACK_INTERVAL=200 PROG_AWAITS=1 \
	OTPROF_AGENT_OUTPUT=splunk-text -- run 1
serve_stop
message 2
has agent/snapshot-and-all 2 "$(attr_int source.event.period 20)"
has agent/all-and-snapshot 2 "$(attr_int source.event.period 200)"
with not-selected $snap $chance=0.72 OTPROF_AGENT_OUTPUT=file:none.otlp \
	-- run 1
check agent/snapshot-of-no-trace test ! -s none.otlp
with bad-chance $snap $chance=2 OTPROF_AGENT_OUTPUT=file:bad.otlp -- status
check agent/snapshot-bad-probability grep -q 'above 0 and up to 1' \
	bad-chance.err

wait $nobody
check 'agent/row 11: else to localhost:4317' \
	grep -q 'localhost port 4317' nobody.err
check agent/leaves-the-pipe grep -qx 'otprof agent: the server does not accept'\
' messages; retrying silently for 10 s' nobody.err
