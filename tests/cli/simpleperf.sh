#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Reports of simpleperf by way of the commands. What each record becomes is
# told by the unit tests.
set -u
. "$TOP/tests/cli/aid.bash"

corpus=$TOP/tests/fuzz/corpus/simpleperf
cp "$corpus/whole" app.trace
cp "$corpus/cut" cut.trace

expect_exit 0 simpleperf/show -- "$OTPROF" show app.trace
check simpleperf/show-format grep -q '^app.trace: simpleperf, ' out
check simpleperf/show-records grep -q '  4  .*  Sample$' out
expect_exit 0 simpleperf/raw -- "$OTPROF" show --raw app.trace
check simpleperf/reports-switches grep -q 'warning: 1 context switches skipped' err
check simpleperf/reports-lost grep -q 'warning: 1 records were lost' err
check simpleperf/has-threads grep -q 'process.pid=6 thread.id=8 thread.name="RenderThread"' out
mv out want
expect_exit 0 simpleperf/to-otlp -- "$OTPROF" convert app.trace -o app.otlp
expect_exit 0 simpleperf/otlp-raw -- "$OTPROF" show --raw app.otlp
same simpleperf/otlp-has-all want out
expect_exit 0 simpleperf/conforms -- "$OTPROF" check app.trace
fails 3 simpleperf/strict 'context switches skipped .*--strict' -- "$OTPROF" check --strict app.trace
gzip -c app.trace >app.trace.gz
expect_exit 0 simpleperf/packed -- "$OTPROF" show --raw app.trace.gz
same simpleperf/packed-has-all want out
expect_exit 0 simpleperf/event -- "$OTPROF" convert --event sched:sched_switch app.trace -t folded
printf 'g 2\n' >want
same simpleperf/event-text want out
fails 2 simpleperf/no-such-event '--event x: the report has no such event' -- \
	"$OTPROF" show --event x app.trace
fails 2 simpleperf/not-written 'can only be read' -- "$OTPROF" convert app.trace -o out.trace

fails 1 simpleperf/cut 'cut.trace: the report is truncated: --recover reads the intact part \(at byte 167\)' -- \
	"$OTPROF" show cut.trace
expect_exit 0 simpleperf/recover -- "$OTPROF" show --raw --recover cut.trace
check simpleperf/recover-rows test "$(wc -l <out)" = 2
check simpleperf/recover-says grep -q 'recovered: 1 records, 9 bytes skipped' err
fails 1 simpleperf/recover-strict 'recovered: .*--strict' -- "$OTPROF" show --recover --strict cut.trace
