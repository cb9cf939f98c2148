# SPDX-License-Identifier: Apache-2.0
#
# stat: totals by type and label, values over time, each compared with what
# awk counts in `show --raw`.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
small_file small.otlp

# Stacks that are all complete have no quality to tell of.
expect_exit 0 stat/quality -- "$OTPROF" stat --by quality example.otlp
check stat/quality-is-none grep -qE ' 100.00% .*\(no quality\)$' out

# 300 points of time on the CPU and 60 waits, of three threads, in 3 seconds.
timed_json()
{
	awk -v start="${START:0:8}" '
	function random(n) {
		seed = (seed * 16807) % 2147483647
		return seed % n
	}
	function sample(i, n, most,    k, times, values) {
		for (k = 0; k < n; k++) {
			times = times (k ? "," : "") sprintf("\"%s%011d\"",
				start, random(3000000000))
			values = values (k ? "," : "") "\"" 1 + random(most) "\""
		}
		return "{\"stackIndex\":1,\"attributeIndices\":[" i \
			"],\"values\":[" values "],\"timestampsUnixNano\":[" \
			times "]}"
	}
	function profile(type, n, most,    i, s) {
		for (i = 1; i <= 3; i++)
			s = s (i > 1 ? "," : "") sample(i, n, most)
		return "{\"sampleType\":{\"typeStrindex\":" type \
			",\"unitStrindex\":2},\"timeUnixNano\":\"" start \
			"00000000000\",\"durationNano\":\"3000000000\"," \
			"\"samples\":[" s "]}"
	}
	BEGIN {
		seed = 1
		for (i = 1; i <= 3; i++)
			attrs = attrs ",{\"keyStrindex\":4,\"value\":" \
				"{\"stringValue\":\"worker " i "\"}}"
		print "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":["
		print profile(1, 100, 9000000) "," profile(3, 20, 700000000)
		print "]}]}],\"dictionary\":{\"mappingTable\":[{}]," \
			"\"stringTable\":[\"\",\"cpu\",\"nanoseconds\"," \
			"\"off_cpu\",\"thread.name\",\"main\"]," \
			"\"locationTable\":[{},{\"lines\":[{\"functionIndex\":1}]}]," \
			"\"functionTable\":[{},{\"nameStrindex\":5}]," \
			"\"linkTable\":[{}],\"attributeTable\":[{}" attrs "]," \
			"\"stackTable\":[{},{\"locationIndices\":[1]}]}}"
	}'
}

timed_json >timed.json
expect_exit 0 stat/timed-is-valid -- "$OTPROF" check timed.json

# Lines "thread offset value" of the observations of a type.
"$OTPROF" show --raw timed.json >raw.txt
observations() # TYPE
{
	awk -F'\t' -v type="$1/nanoseconds" '$2 == type {
		thread = $6
		sub(/.*worker /, "worker_", thread)
		sub(/".*/, "", thread)
		n = split($3, values, ",")
		split($4, times, ",")
		for (i = 1; i <= n; i++)
			printf "%s %.0f %s\n", thread, substr(times[i], 9),
				values[i]
	}' raw.txt
}
observations cpu >cpu.txt
observations off_cpu >off_cpu.txt
check stat/observations-are-there bash -c '(($(wc -l <cpu.txt) == 300))'

# --- totals ---

expect_exit 0 stat/text -- "$OTPROF" stat timed.json
check stat/text-is-quiet test ! -s err
golden stat/text.txt out
expect_exit 0 stat/example -- "$OTPROF" stat example.otlp
golden stat/example.txt out
expect_exit 0 stat/by -- "$OTPROF" stat --by thread --csv timed.json
awk '{ sum[$1] += $3; n[$1]++ }
	END { for (t in sum) printf "%.0f,1,%d,%s\n", sum[t], n[t], t }' cpu.txt |
	sort >want.txt
tail -n +2 out | tr ' ' '_' | sort >got.txt
same stat/by-adds-up want.txt got.txt
expect_exit 0 stat/rows -- "$OTPROF" stat --by thread -n 1 timed.json
check stat/rows-says-what-is-left grep -q '^and 2 more, ' out
expect_exit 0 stat/json -- "$OTPROF" stat --json -n 1 timed.json
golden stat/text.json out
expect_exit 0 stat/csv -- "$OTPROF" stat --csv timed.json
golden stat/text.csv out
expect_exit 0 stat/stdin -- "$OTPROF" stat --type off_cpu - <timed.json
check stat/type-selects bash -c '! grep -q " cpu$" out'
expect_exit 0 stat/merged -- "$OTPROF" stat --by thread --csv timed.json \
	timed.json
check stat/merged-doubles cmp -s <(awk -F, 'NR > 1 { print $1 }' out | sort) \
	<(awk -F, '{ printf "%.0f\n", 2 * $1 }' want.txt | sort)

# --- values over time ---

# The first time, the width of N buckets, and what is in each by thread.
count_points() # N
{
	sort -n -k2,2 cpu.txt | awk -v n="$1" '
	NR == 1 { from = $2 }
	{ thread[NR] = $1; time[NR] = $2; value[NR] = $3; last = $2 }
	END {
		width = int((last - from) / n) + 1
		for (i = 1; i <= NR; i++) {
			cell = thread[i] " " int((time[i] - from) / width)
			sum[cell] += value[i]
			count[cell]++
		}
		for (cell in sum)
			printf "%s %.0f %d\n", cell, sum[cell], count[cell]
	}' | sort
}

# The same of a table "thread,time,value,count"; empty buckets left out.
buckets_of()
{
	awk -F, 'NR > 1 {
		gsub(/ /, "_", $1)
		if (!($1 in nr))
			nr[$1] = 0
		if ($3)
			print $1, nr[$1], $3, $4
		nr[$1]++
	}' "$1" | sort
}

for n in 1 7 37 1000; do
	expect_exit 0 "stat/series-$n" -- "$OTPROF" stat --series --by thread \
		--buckets "$n" --csv timed.json
	count_points "$n" >want.txt
	buckets_of out >got.txt
	same "stat/series-$n-is-a-plain-count" want.txt got.txt
done

# What lasts is spread: each part is in its bucket, and the sum is the whole.
expect_exit 0 stat/series-waits -- "$OTPROF" stat --series --type off_cpu \
	--buckets 50 --csv timed.json
awk '{ from[NR] = $2; to[NR] = $2 + $3 }
	NR == 1 || $2 < first { first = $2 }
	$2 + $3 > last { last = $2 + $3 }
	END {
		width = int((last - 1 - first) / 50) + 1
		for (b = 0; first + b * width < last; b++) {
			sum = 0
			for (i = 1; i <= NR; i++) {
				x = first + b * width
				y = x + width
				x = from[i] > x ? from[i] : x
				y = to[i] < y ? to[i] : y
				sum += y > x ? y - x : 0
			}
			printf "%.0f\n", sum
		}
	}' off_cpu.txt >want.txt
awk -F, 'NR > 1 { print $2 }' out >got.txt
same stat/series-waits-are-spread want.txt got.txt
sum_of() # COLUMN FILE
{
	awk -v c="$1" '{ s += $c } END { printf "%.0f\n", s }' "$2"
}
check stat/series-waits-add-up test "$(sum_of 1 got.txt)" = \
	"$(sum_of 3 off_cpu.txt)"

expect_exit 0 stat/series-text -- "$OTPROF" stat --series --by thread timed.json
golden stat/series.txt out
expect_exit 0 stat/series-json -- "$OTPROF" stat --series --buckets 3 --json \
	timed.json
golden stat/series.json out
expect_exit 0 stat/series-others -- "$OTPROF" stat --series --by thread -n 1 \
	--buckets 2 --csv timed.json
check stat/series-others-are-one grep -q '^(2 others),' out

# --- the heat map ---

expect_exit 0 stat/heatmap -- "$OTPROF" stat --heatmap --column 100ms \
	--fractions 7 --csv timed.json
sort -n -k2,2 cpu.txt | awk 'NR == 1 { from = $2 }
	{
		column = int(($2 - from) / 100000000)
		row = int(($2 - from - column * 100000000) * 7 / 100000000)
		sum[column " " row] += $3
		count[column " " row]++
	}
	END { for (c in sum) printf "%s %.0f %d\n", c, sum[c], count[c] }' |
	sort >want.txt
awk -F, 'NR > 1 && $4 { print $1, $2, $4, $5 }' out | sort >got.txt
same stat/heatmap-is-a-plain-count want.txt got.txt
check stat/heatmap-has-all-cells bash -c '(($(wc -l <out) % 7 == 1))'
expect_exit 0 stat/heatmap-text -- "$OTPROF" stat --heatmap --column 100ms \
	--fractions 10 timed.json
golden stat/heatmap.txt out
expect_exit 0 stat/heatmap-default -- "$OTPROF" stat --heatmap --csv timed.json
check stat/heatmap-has-50-rows bash -c '(($(wc -l <out) == 151))'

# --- threads ---

expect_exit 0 stat/threads -- "$OTPROF" stat --threads --csv timed.json
for type in cpu off_cpu; do
	awk -v state=$type '{ sum[$1] += $3; n[$1]++ }
		END { for (t in sum)
			printf "%s %s %.0f %d\n", t, state, sum[t], n[t] }' $type.txt
done | sort >want.txt
awk -F, 'NR > 1 { gsub(/ /, "_", $2); print $2, $3, $4, $5 + $6 }' out |
	sort >got.txt
same stat/threads-is-a-plain-count want.txt got.txt
expect_exit 0 stat/threads-text -- "$OTPROF" stat --threads timed.json
golden stat/threads.txt out
expect_exit 0 stat/threads-type -- "$OTPROF" stat --threads --type cpu \
	--csv timed.json
check stat/threads-type-selects bash -c '! grep -q off_cpu out'

# --- times that are since some start ---

sed "s/${START:0:8}/00000000/g; s/\"0*\([0-9]\)/\"\1/g" timed.json >clock.json
expect_exit 0 stat/clock -- "$OTPROF" stat --series --buckets 3 --csv clock.json
check stat/clock-is-relative bash -c \
	'head -1 out | grep -qx "offset_nano,value,observations" &&
	sed -n 2p out | grep -q "^0,"'
expect_exit 0 stat/clock-text -- "$OTPROF" stat --series clock.json
check stat/clock-has-no-date bash -c '! grep -q 1970 out'

# --- hostile names ---

sed 's/worker [12]/\\u001b]0;x\\u0007\\n&/g' timed.json >hostile.json
for view in '' '--by thread' '--series --by thread' --threads --heatmap; do
	for form in '' --json --csv; do
		# shellcheck disable=SC2086
		"$OTPROF" stat $view $form hostile.json >out
		check "stat/hostile${view// /}$form" bash -c \
			'test -s out && ! LC_ALL=C grep -q "[^ -~]" out'
	done
done
"$OTPROF" stat --by thread -n 0 --csv hostile.json >out
check stat/hostile-is-one-line-each bash -c '(($(wc -l <out) == 4))'

# --- a terminal ---

if has_tool stat/terminal script; then
	on_terminal() # COLUMNS SETTING... -- OPTION...
	{
		local columns=$1 words

		shift
		printf -v words '%q ' env "$@"
		SHELL=/bin/bash script -qec "stty cols $columns; $words" \
			typescript </dev/null 2>&1 | tr -d '\r' >seen
	}
	for view in series heatmap threads; do
		on_terminal 80 TERM=xterm LC_ALL=C.UTF-8 NO_COLOR=1 \
			"$OTPROF" stat --$view timed.json
		check "stat/terminal-$view-has-blocks" grep -qa '[░▁█]' seen
		check_not "stat/terminal-$view-no-colour" grep -qaF $'\e[' seen
		check "stat/terminal-$view-fits" bash -c \
			'(($(grep -a "[░▁█]" seen | LC_ALL=C.UTF-8 wc -L) <= 80))'
		on_terminal 80 TERM=dumb LC_ALL=C.UTF-8 \
			"$OTPROF" stat --$view timed.json
		check "stat/terminal-$view-dumb-is-ascii" bash -c \
			'! LC_ALL=C grep -qa "[^ -~]" seen'
	done
	on_terminal 80 TERM=xterm-256color LC_ALL=C.UTF-8 \
		"$OTPROF" stat --heatmap timed.json
	check stat/terminal-heatmap-has-colours grep -qaF $'\e[38;5;' seen
	on_terminal 200 TERM=xterm LC_ALL=C "$OTPROF" stat timed.json
	check stat/terminal-without-utf8-is-ascii bash -c \
		'! LC_ALL=C grep -qa "[^[:print:][:cntrl:]]" seen'
	check stat/terminal-bars grep -qa '####' seen
fi

# --- wrong usage ---

for view in series heatmap threads; do
	fails 1 "stat/$view-without-times" \
		"no observation has a time, which --$view needs" \
		-- "$OTPROF" stat --$view small.otlp
done
fails 2 stat/two-views 'mutually exclusive' \
	-- "$OTPROF" stat --series --heatmap timed.json
fails 2 stat/by-frames "for frames see 'otprof top --by'" \
	-- "$OTPROF" stat --by function timed.json
fails 2 stat/heatmap-by '--heatmap has no --by' \
	-- "$OTPROF" stat --heatmap --by thread timed.json
fails 2 stat/column-is-none '--column expects a time, as in 1s or 500ms' \
	-- "$OTPROF" stat --heatmap --column soon timed.json
fails 2 stat/column-too-short 'the times span more than 4194304 buckets' \
	-- "$OTPROF" stat --heatmap --column 1us timed.json
fails 2 stat/too-many-buckets 'at most 4194304 buckets' \
	-- "$OTPROF" stat --series --buckets 5000000 timed.json
fails 2 stat/no-such-label "no sample has the label 'threed' \(did you mean" \
	-- "$OTPROF" stat --by threed timed.json
