# SPDX-License-Identifier: Apache-2.0
#
# merge: what becomes one profile and what stays apart.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
small_file small.otlp

expect_exit 0 merge/with-itself -- \
	"$OTPROF" merge small.otlp small.otlp -o twice.otlp
check merge/with-itself-is-quiet test ! -s out -a ! -s err
prints merge/sums-double $'0.0.0\tcpu/nanoseconds\t10\t-\t-\t-\t"main"' \
	-- "$OTPROF" show --raw twice.otlp
expect_exit 0 merge/conforms -- "$OTPROF" check --strict twice.otlp

expect_exit 0 merge/of-one -- "$OTPROF" merge example.otlp -o one.otlp
"$OTPROF" convert example.otlp -o converted.otlp
same merge/of-one-is-convert one.otlp converted.otlp

expect_exit 0 merge/different-kinds -- \
	"$OTPROF" merge example.otlp small.otlp -o both.otlp
check merge/different-kinds-stay-apart test \
	"$("$OTPROF" show --raw both.otlp | cut -f1 | sort -u | wc -l)" = 3
expect_exit 0 merge/different-kinds-conform -- \
	"$OTPROF" check --strict both.otlp

# The heap is a gauge: the last counts. Times are all kept.
"$OTPROF" merge example.otlp example.otlp >twice.otlp
"$OTPROF" show --json twice.otlp >twice.json
check merge/gauges-do-not-add grep -q '"total": 5120' twice.json
check merge/observations-are-kept grep -q '"total": 6' twice.json

expect_exit 0 merge/of-a-part -- \
	"$OTPROF" merge --type cpu example.otlp small.otlp small.otlp -o part.otlp
prints merge/of-a-part-is-joined \
	$'0.0.0\tcpu/nanoseconds\t10\t-\t-\t-\t"main"' \
	-- "$OTPROF" show --raw part.otlp
expect_exit 0 merge/aggregate -- \
	"$OTPROF" merge --aggregate example.otlp example.otlp -o sums.otlp
check merge/aggregate-drops-times bash -c \
	"'$OTPROF' show --raw sums.otlp | cut -f4 | grep -qx -"
fails 1 merge/missing-file "cannot open 'gone.otlp'" \
	-- "$OTPROF" merge small.otlp gone.otlp -o gone.otlp
check merge/missing-file-writes-nothing test ! -e gone.otlp
