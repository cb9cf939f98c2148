#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Recordings of the Java Flight Recorder by way of the commands. What each event
# becomes is told by the unit tests.
set -u
. "$TOP/tests/cli/aid.bash"

corpus=$TOP/tests/fuzz/corpus/jfr
cp "$corpus/mix" mix.jfr

# --- show and convert ---

prints jfr/show 'mix.jfr: jfr, 2,335 bytes' -- "$OTPROF" show mix.jfr
prints jfr/show-resource '  os.description="Linux"' -- "$OTPROF" show mix.jfr
prints jfr/show-event '      otprof.event.type="jdk.ExecutionSample"' -- \
	"$OTPROF" show mix.jfr
expect_exit 0 jfr/conforms -- "$OTPROF" check --strict mix.jfr
expect_exit 0 jfr/to-otlp -- "$OTPROF" convert mix.jfr -o mix.otlp
"$OTPROF" show --raw mix.jfr >want
expect_exit 0 jfr/otlp-raw -- "$OTPROF" show --raw mix.otlp
same jfr/otlp-has-all want out
expect_exit 0 jfr/otlp-conforms -- "$OTPROF" check --strict mix.otlp
expect_exit 0 jfr/to-pprof -- "$OTPROF" convert mix.jfr -o mix.pprof
check jfr/pprof-says-what-is-lost grep -q 'warning: pprof cannot hold' err
expect_exit 0 jfr/pprof-reads -- "$OTPROF" convert mix.pprof -t folded
expect_exit 0 jfr/to-folded -- "$OTPROF" convert mix.jfr -t folded
printf 'main;A.f 2\nmain;A.g 1\n' >want
same jfr/folded-is-cpu want out
check jfr/folded-says-what-is-lost grep -q 'sleep/nanoseconds (jdk.ThreadSleep) are left out' err

# By content, whatever the name, joined and packed.
expect_exit 0 jfr/from-a-pipe -- "$OTPROF" show - <mix.jfr
check jfr/from-a-pipe-is-jfr grep -q ': jfr, 2,335 bytes' out
cat mix.jfr mix.jfr >twice.jfr
expect_exit 0 jfr/joined -- "$OTPROF" convert twice.jfr -t folded
printf 'main;A.f 4\nmain;A.g 2\n' >want
same jfr/joined-is-the-sum want out
for tool in gzip zstd lz4; do
	has_tool jfr/packed-$tool $tool || continue
	$tool -c <twice.jfr >packed.jfr
	expect_exit 0 jfr/packed-$tool -- "$OTPROF" convert packed.jfr -t folded
	same jfr/packed-$tool-is-the-same want out
done
fails 2 jfr/not-written 'can only be read' -- \
	"$OTPROF" convert mix.jfr -o out.jfr

# --- options ---

# rows NAME WANT OPTION...: how many lines of raw text there are.
rows()
{
	local name=$1 want=$2

	shift 2
	expect_exit 0 "$name" -- "$OTPROF" show --raw "$@" mix.jfr
	check "$name-rows" test "$(wc -l <out)" = "$want"
}

rows jfr/all 6
rows jfr/event-kind 3 --event cpu
rows jfr/event-kinds 4 --event cpu,lock
rows jfr/event-name 2 --event jdk.ObjectAllocationSample
fails 2 jfr/event-unknown \
	"mix.jfr: no events 'nothing' in the recording; it has jdk" \
	-- "$OTPROF" show --raw --event nothing mix.jfr
fails 2 jfr/event-none "mix.jfr: no events 'live' in the recording" -- \
	"$OTPROF" convert --live mix.jfr -o none.otlp
check jfr/event-none-file test ! -e none.otlp
rows jfr/thread 2 --event cpu --thread http
expect_exit 1 jfr/thread-unknown -- "$OTPROF" show --raw --event cpu --thread nobody mix.jfr
check jfr/thread-unknown-is-said grep -q "no sample matches .*--thread 'nobody'$" err
rows jfr/state 1 --event cpu --state running
rows jfr/states 3 --event cpu --state running,sleeping
rows jfr/state-of-the-recording 1 --state runnable
fails 2 jfr/state-unknown \
	'mix.jfr: --state walking: the recording has no such state' \
	-- "$OTPROF" show --raw --state walking mix.jfr
rows jfr/kind-as-option 3 --cpu
rows jfr/kinds-as-options 4 --cpu --lock

# --- spans, endpoints and names ---

cp "$corpus/spans" spans.jfr
cp "$corpus/endpoints" endpoints.jfr

# finds NAME TEXT OPTION... FILE: a line of raw text has it.
finds()
{
	local name=$1 text=$2

	shift 2
	expect_exit 0 "$name" -- "$OTPROF" show --raw "$@"
	check "$name-found" grep -q -- "$text" out
}

for file in spans endpoints; do
	expect_exit 0 jfr/$file-conform -- "$OTPROF" check --strict $file.jfr
	expect_exit 0 jfr/$file-convert -- \
		"$OTPROF" convert --preset datadog --properties yes $file.jfr \
		-o $file.otlp
	expect_exit 0 jfr/$file-otlp-conforms -- \
		"$OTPROF" check --strict $file.otlp
done
finds jfr/tag 'samples/count.*jfr.tag="pay"' spans.jfr
finds jfr/scope 'samples/count.*0123456789abcdef0123456789abcdef:' spans.jfr
finds jfr/endpoint 'samples/count.*jfr.endpoint="/shop"' endpoints.jfr
finds jfr/context 'jfr.customer="acme"' endpoints.jfr
finds jfr/preset 'cpu/samples.*profile.type="cpu"' --preset datadog \
	endpoints.jfr
expect_exit 0 jfr/only-in-a-tag -- \
	"$OTPROF" convert --cpu --tag pay spans.jfr -t folded
printf 'main;p.A.f 1\n' >want
same jfr/only-in-a-tag-text want out
expect_exit 0 jfr/only-if-it-lasts -- \
	"$OTPROF" convert --cpu --latency 1.5 spans.jfr -t folded \
	--threads --lines --simple --norm
printf '[web-2 tid=2];main;B$$Lambda.g:8 1\n' >want
same jfr/only-if-it-lasts-text want out
expect_exit 0 jfr/leak-by-all-events -- \
	"$OTPROF" convert --event profiler.Malloc --type leak_space spans.jfr \
	-t folded
printf 'main;p.A.f 6\n' >want
same jfr/leak-by-all-events-text want out
fails 2 jfr/no-preset "--preset takes otel or datadog, not 'mine'" -- \
	"$OTPROF" show --preset mine spans.jfr
fails 2 jfr/no-latency "--latency takes milliseconds, not 'long'" -- \
	"$OTPROF" show --latency long spans.jfr
fails 2 jfr/no-tail "--tail takes a percentage, not 'dog'" -- \
	"$OTPROF" show --tail dog spans.jfr
fails 2 jfr/options-of-others '--tag does not apply to these formats' -- \
	"$OTPROF" convert --tag pay spans.otlp -t folded

# Secrets are never shown, properties if asked for.
expect_exit 0 jfr/no-properties -- "$OTPROF" show endpoints.jfr
check jfr/no-password grep -qF -- '-Dx.password=[redacted] -Xmx1g' out
check jfr/no-environment test "$(grep -c API_KEY out)" = 0
expect_exit 0 jfr/properties -- "$OTPROF" show --properties yes endpoints.jfr
check jfr/property grep -qF 'jfr.system_property.user.name="me"' out
check jfr/variable grep -qF \
	'process.environment_variable.API_KEY="[redacted]"' out

# --- broken recordings ---

cat mix.jfr "$corpus/two-chunks" >three.jfr
size=$(wc -c <three.jfr)
head -c $((size - 700)) three.jfr >cut.jfr
fails 1 jfr/cut 'cut.jfr: the chunk declares 1511 bytes, but only 811 are left.*\(at byte 3846\)' \
	-- "$OTPROF" show cut.jfr
expect_exit 0 jfr/recover -- "$OTPROF" show --recover cut.jfr
check jfr/recover-says-so grep -q 'cut.jfr: warning: damaged chunks: 1' err
check jfr/recover-has-the-rest grep -q 'total 4$' out
head -c 100 cut.jfr >lost.jfr
expect_exit 1 jfr/recover-nothing -- \
	"$OTPROF" convert --recover lost.jfr -o lost.otlp
check jfr/recover-nothing-counts grep -q 'lost.jfr: warning: .* bytes skipped' err
check jfr/recover-nothing-says-so grep -q 'no sample could be recovered$' err
check jfr/recover-nothing-writes-nothing test ! -e lost.otlp
fails 1 jfr/recover-strict 'damaged chunks: 1.*--strict' -- \
	"$OTPROF" show --recover --strict cut.jfr
fails 2 jfr/recover-is-a-flag 'takes no value' -- \
	"$OTPROF" show --recover=no cut.jfr
fails 1 jfr/unfinished 'not complete: --recover' -- \
	"$OTPROF" show "$corpus/unfinished"
expect_exit 0 jfr/recover-unfinished -- \
	"$OTPROF" convert --recover "$corpus/unfinished" -t folded
printf 'A.f 1\n' >want
same jfr/recover-unfinished-text want out
{ cat mix.jfr; echo rubbish; } >tail.jfr
fails 1 jfr/rubbish 'truncated chunk header \(at byte 2335\)' -- \
	"$OTPROF" show tail.jfr
expect_exit 0 jfr/recover-rubbish -- "$OTPROF" show --recover tail.jfr
check jfr/recover-rubbish-bytes grep -q ' 8 bytes skipped' err
printf 'FLR\0\0\0\0\11%060d' 0 >old.jfr
fails 1 jfr/old "a recording of version 0\\.9, written by Oracle's JDK 7 or 8" -- \
	"$OTPROF" show old.jfr
fails 1 jfr/old-recover 'a recording of version 0\.9' -- \
	"$OTPROF" show --recover old.jfr
fails 1 jfr/short 'truncated chunk header \(at byte 0\)' -- \
	"$OTPROF" show -f jfr - <<<FLR

# --- pprof has a name for each type ---

expect_exit 0 jfr/pprof-types -- \
	"$OTPROF" convert "$TOP/tests/fuzz/corpus/jfr/async" -o types.pprof
"$OTPROF" show types.pprof 2>err | sed -n 's/^ *profile [^ ]* \([^ ]*\) .*/\1/p' >types
check jfr/pprof-types-wall grep -qx 'samples:profiler.WallClockSample/count' types
check jfr/pprof-types-cpu grep -qx 'samples:jdk.ExecutionSample/count' types
check jfr/pprof-types-once test -z "$(sort types | uniq -d)"
