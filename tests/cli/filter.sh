# SPDX-License-Identifier: Apache-2.0
#
# filter, and the options it shares with convert, merge, diff and show.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
small_file small.otlp
"$OTPROF" convert example.otlp -o all.otlp

raw() # ARGS...: the samples that are left, to the file raw
{
	"$OTPROF" filter "$@" >filtered.otlp 2>err &&
		"$OTPROF" show --raw filtered.otlp >raw
}

left() # NAME NUMBER ARGS...: so many samples are left, and they conform
{
	local name=$1 n=$2

	shift 2
	check "filter/$name" raw "$@" example.otlp
	check "filter/$name-leaves-$n" test "$(wc -l <raw)" = "$n"
	expect_exit 0 "filter/$name-conforms" -- \
		"$OTPROF" check filtered.otlp
	check "filter/$name-has-no-orphans" bash -c '! grep -q orphan out'
}

# --- nothing asked for ---

expect_exit 0 filter/all -- "$OTPROF" filter example.otlp -o f.otlp
check filter/all-is-quiet test ! -s out -a ! -s err
same filter/all-is-convert all.otlp f.otlp

# --- types ---

left type 2 --type inuse_space
left type-and-unit 2 --type samples/count
left types 4 --type samples,inuse_space/bytes
fails 2 filter/no-such-type \
	"no profile of type 'cpu,wall': there is samples/count, inuse_space/bytes" \
	-- "$OTPROF" filter --type cpu,wall example.otlp -o none.otlp
check filter/no-such-type-writes-nothing test ! -e none.otlp

# --- frames ---

left focus 3 --focus inner
left focus-file 4 --focus app.c
left focus-mapping 4 --focus /bin/app
left focus-none 0 --focus nowhere
left ignore 1 --ignore work
left both 0 --focus work --ignore inner
if "$OTPROF" filter --focus 'a(' small.otlp >/dev/null 2>err; then
	skip filter/regular-expressions "this build has none"
else
	fails 2 filter/bad-pattern \
		"bad pattern 'a\(': .* \(at byte 2\); see" \
		-- "$OTPROF" filter --focus 'a(' small.otlp
	left regex 1 --focus '^main$' --ignore '^work$'
fi

# --- time ---

# The observations are 5, 10 and 20 ns behind the start.
left time 1 --type samples --from +7ns --to +15ns
check filter/time-cuts-observations grep -q "$((START + 10))	" raw
check filter/time-drops-the-others bash -c \
	"! grep -q '$((START + 20))' raw"
"$OTPROF" show --json filtered.otlp >filtered.json
check filter/time-narrows-the-profile grep -q '"duration_nano": 8' filtered.json
left time-by-seconds 2 --type samples --from 1700000000 --to 1700000001
left time-by-name 2 --type samples --from 2023-11-14T22:13:20Z
left time-by-zone 2 --type samples --from 2023-11-15T00:13:20+02:00
left time-from-the-end 0 --type samples --from -1ms
check filter/sums-that-overlap raw --from +7ns example.otlp
check filter/sums-that-overlap-are-named grep -q \
	'otprof filter: warning: profile 0.0.1: values without times cannot' err
check filter/time-of-nothing raw --to 5 example.otlp
check filter/time-of-nothing-says-so grep -q 'no profile lies in the time' err
expect_exit 0 filter/show-time -- \
	"$OTPROF" show --raw --type samples --from +7ns --to +15ns example.otlp
check filter/show-time-is-cut test "$(wc -l <out)" = 1

# --- sums ---

left aggregate 4 --aggregate
check filter/aggregate-has-no-times test "$(cut -f4 raw | sort -u)" = -
check filter/aggregate-keeps-totals test "$(awk '{ n += $3 } END { print n }' raw)" = \
	5123

# --- the same options of the others ---

for cmd in convert merge; do
	expect_exit 0 "filter/$cmd-focus" -- \
		"$OTPROF" "$cmd" --focus inner example.otlp -o other.otlp
	"$OTPROF" filter --focus inner example.otlp >filtered.otlp
	same "filter/$cmd-focus-is-the-same" filtered.otlp other.otlp
done
expect_exit 0 filter/show-focus -- \
	"$OTPROF" show --raw --focus inner example.otlp
"$OTPROF" show --raw filtered.otlp >filtered.raw
same filter/show-focus-is-the-same filtered.raw out

# --- check ---

# A mapping that ends before it begins.
bytes "$(resource_profiles '' "$(cpu_profile "$(uint 1 1)$(packed 4 5)")")$(
	len 2 "$(zeros)$(strings cpu nanoseconds main)$(
		len 1 "$(uint 1 9)$(uint 2 5)")$(len 3 "$(uint 1 3)")$(
		len 2 "$(uint 1 1)$(len 3 "$(uint 1 1)")")$(
		len 7 "$(packed 1 1)")")" >bad.otlp
for cmd in convert merge filter; do
	expect_exit 1 "filter/$cmd-check" -- \
		"$OTPROF" "$cmd" --check bad.otlp -o checked.otlp
	check "filter/$cmd-check-names-the-rule" grep -q \
		"^otprof $cmd: checked.otlp: error: .*\[mapping-range\]" err
	check "filter/$cmd-check-says-it" grep -q \
		'checked.otlp: not written, it would not conform: 1 errors' err
	check "filter/$cmd-check-writes-nothing" test ! -e checked.otlp
	expect_exit 0 "filter/$cmd-without-check" -- \
		"$OTPROF" "$cmd" bad.otlp -o unchecked.otlp
	expect_exit 0 "filter/$cmd-check-of-good" -- \
		"$OTPROF" "$cmd" --check example.otlp -o checked.otlp
	check "filter/$cmd-check-of-good-writes" test -s checked.otlp
	rm checked.otlp
done

# --- payloads ---

bytes "$(resource_profiles '' "$(cpu_profile "$(uint 1 1)$(packed 4 5)")$(
	text 9 jfr)$(text 10 'FLR bytes')")$(small_dictionary)" >paid.otlp
expect_exit 0 filter/show-payload -- "$OTPROF" show --payload paid.otlp
check filter/show-payload-is-raw test "$(cat out)" = 'FLR bytes'
"$OTPROF" filter paid.otlp >kept.otlp
expect_exit 0 filter/payload-is-kept -- "$OTPROF" show --payload kept.otlp
"$OTPROF" filter --focus nothing paid.otlp >lost.otlp
expect_exit 1 filter/payload-of-a-part-goes -- \
	"$OTPROF" show --payload lost.otlp
check filter/payload-of-a-part-says-so \
	grep -q 'lost.otlp: no profile has an original payload' err
check filter/nothing-left-is-noted grep -q 'warning: no samples' err
"$OTPROF" merge paid.otlp paid.otlp >lost.otlp
fails 1 filter/payload-of-two-goes \
	'lost.otlp: no profile has an original payload' \
	-- "$OTPROF" show --payload lost.otlp
expect_exit 0 filter/payload-of-otlp -- \
	"$OTPROF" convert --original-payload small.otlp -o same.otlp
check filter/payload-of-otlp-is-ignored grep -q \
	'small.otlp: warning: is already OTLP' err
expect_exit 1 filter/payload-of-otlp-is-none -- \
	"$OTPROF" show --payload same.otlp

# --- stopped ---

# Whenever the signal comes, no temporary file is left.
large_file large.otlp 300
mkdir stopped
for signal in INT TERM HUP XCPU; do
	for wait in 0 0.002 0.005 0.01 0.02 0.03; do
		"$OTPROF" convert large.otlp -o stopped/out.otlp &
		pid=$!
		sleep "$wait"
		kill -"$signal" $pid 2>/dev/null || :
		wait $pid 2>/dev/null || :
	done
	check "filter/stopped-by-$signal-leaves-nothing" bash -c \
		'[ -z "$(ls -A stopped | grep -vx out.otlp)" ]'
done
