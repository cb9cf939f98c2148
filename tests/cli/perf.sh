#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Recordings of perf, and what perf script prints, by way of the commands. What
# each record becomes is told by the unit tests.
set -u
. "$TOP/tests/cli/aid.bash"

corpus=$TOP/tests/fuzz/corpus/perf
cp "$corpus/fp" fp.data
cp "$corpus/events" events.data

# --- show and convert ---

prints perf/show 'fp.data: perf, 1,187 bytes' -- "$OTPROF" show fp.data
prints perf/show-records '                 2            144  cpu-clock' -- \
	"$OTPROF" show fp.data
prints perf/show-resource '  host.name="host"' -- "$OTPROF" show fp.data
prints perf/show-event '      otprof.event.type="cpu-clock"' -- \
	"$OTPROF" show fp.data
expect_exit 0 perf/lost -- "$OTPROF" show "$corpus/lost"
check perf/lost-is-there grep -q '      perf.lost_records=3$' out
check perf/lost-is-said grep -q 'warning: 3 records were lost' err
expect_exit 0 perf/to-otlp -- "$OTPROF" convert fp.data -o fp.otlp
"$OTPROF" show --raw fp.data >want
expect_exit 0 perf/otlp-raw -- "$OTPROF" show --raw fp.otlp
same perf/otlp-has-all want out
expect_exit 0 perf/conforms -- "$OTPROF" check fp.otlp
expect_exit 0 perf/to-pprof -- "$OTPROF" convert fp.data -o fp.pprof
expect_exit 0 perf/from-a-pipe -- "$OTPROF" show - <"$corpus/pipe"
check perf/from-a-pipe-is-perf grep -q ': perf, ' out
if has_tool perf/packed zstd; then
	zstd -qc fp.data >packed.data
	expect_exit 0 perf/packed -- "$OTPROF" show --raw packed.data
	same perf/packed-is-the-same want out
fi
fails 2 perf/not-written 'can only be read' -- \
	"$OTPROF" convert fp.data -o out.data

# --- options ---

# rows NAME WANT OPTION...: how many lines of raw text there are.
rows()
{
	local name=$1 want=$2

	shift 2
	expect_exit 0 "$name" -- "$OTPROF" show --raw "$@"
	check "$name-rows" test "$(wc -l <out)" = "$want"
}

rows perf/all 5 events.data
rows perf/event 1 --event faults events.data
rows perf/event-kind 4 --event cpu events.data
fails 2 perf/event-unknown \
	'events.data: no event .nothing. in the recording; it has cycles, faults' \
	-- "$OTPROF" show --raw --event nothing events.data
rows perf/thread 2 --thread work fp.data
expect_exit 1 perf/thread-unknown -- "$OTPROF" show --raw --thread nobody fp.data
check perf/thread-unknown-is-said grep -q "no sample matches .*--thread 'nobody'$" err
rows perf/intervals 4 "$corpus/switch"
rows perf/state 1 --state unscheduled --event off_cpu "$corpus/switch"

# --- broken recordings ---

fails 1 perf/unfinished 'not complete: --recover.* \(at byte 48\)' -- \
	"$OTPROF" show "$corpus/cut"
expect_exit 0 perf/recover -- "$OTPROF" show --recover "$corpus/cut"
check perf/recover-says-so grep -q 'warning: damaged places: 2' err
head -c 400 fp.data >cut.data
fails 1 perf/cut 'cut.data: the recording is not complete' -- \
	"$OTPROF" show cut.data
printf 'PERFILE2\x07\0\0\0\0\0\0\0' >odd.data
fails 1 perf/odd 'a header of 7 bytes, expected 104 or 16 \(at byte 8\)' -- \
	"$OTPROF" show odd.data

# --- text ---

cp "$TOP/tests/fuzz/corpus/perf_script/frames" text
prints perf-script/show 'text: perf-script, 115 bytes' -- "$OTPROF" show text
expect_exit 0 perf-script/folded -- "$OTPROF" convert text -t folded
printf 'f;g;i 1\n' >want
same perf-script/folded-text want out
fails 2 perf-script/event-unknown "no event 'nothing' in the text; it has cycles" -- \
	"$OTPROF" show --event nothing text
fails 1 perf-script/none 'no samples as printed by perf script' -- \
	"$OTPROF" show -f perf-script - <<<'what is this'
printf ' 0x1/0x2/P/-/-/4/  0x3/0x4/P/-/-/4/\n' >branches
fails 1 perf-script/branches 'no samples as printed by perf script' -- \
	"$OTPROF" show branches
printf '          spin-0 14095 \n          spin-1 14096 \n' >ids
prints perf-script/ids 'ids: perf-script, 48 bytes' -- "$OTPROF" show ids
