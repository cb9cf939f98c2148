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

none() # NAME TEXT ARGS...: no sample is left, which is said; nothing is written
{
	local name=$1 text=$2

	shift 2
	fails 1 "filter/$name" "^otprof filter: no sample matches $text$" -- \
		"$OTPROF" filter "$@" example.otlp -o none.otlp
	check "filter/$name-writes-nothing" test ! -e none.otlp
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
none focus-none "--focus 'nowhere' \\(5 looked at\\)" --focus nowhere
left ignore 1 --ignore work
none both "--focus 'work' --ignore 'inner' \\(5 looked at\\)" \
	--focus work --ignore inner
if "$OTPROF" filter --focus 'a(' small.otlp >/dev/null 2>err; then
	skip filter/regular-expressions "this build has none"
else
	fails 2 filter/bad-pattern \
		"bad pattern 'a\(': .* \(at byte 2\); see" \
		-- "$OTPROF" filter --focus 'a(' small.otlp
	left regex 1 --focus '^main$' --ignore '^work$'
fi

left hide 4 --hide inner
check filter/hide-leaves-no-frame bash -c "! grep -q inner raw"
left show-from 3 --show-from work
check filter/show-from-has-no-callers bash -c "! grep -q main raw"
left collapse 4 --collapse-recursion

# --- labels ---

left where 4 --where 'function=main'
left where-module 4 --where 'module=app'
left where-and 3 --where 'function=main, function=inner' --where 'file=~app'
left where-none-of-frames 1 --where 'function!=inner'
left where-type 2 --where 'type="samples/count"'
left where-line 4 --where 'line>0'
left where-missing-is-empty 4 --where 'no.such=""'
raw --where 'no.such=""' example.otlp
check filter/where-missing-is-said grep -q \
	"warning: no sample has the label 'no.such'" err
none where-nothing "--where 'thread=nobody' .5 looked at." --where thread=nobody
fails 2 filter/where-syntax \
	"--where: expected =, .* here, at character 7: 'thread' >>> '' *;" -- \
	"$OTPROF" filter --where thread example.otlp
fails 2 filter/where-number \
	"--where: expected a number here, at character 6: 'line>' >>> 'x'" -- \
	"$OTPROF" filter --where 'line>x' example.otlp
fails 2 filter/where-quote \
	'--where: this quote is not closed, at character 3' -- \
	"$OTPROF" filter --where 'a="b' example.otlp

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
none time-from-the-end "--type 'samples' --from '-1ms' \\(5 looked at\\)" \
	--type samples --from -1ms
check filter/sums-that-overlap raw --from +7ns example.otlp
check filter/sums-that-overlap-are-named grep -q \
	'otprof filter: warning: profile 0.0.1: values without timestamps cannot' err
expect_exit 1 filter/time-of-nothing -- "$OTPROF" filter --to 5 example.otlp
check filter/time-of-nothing-says-so grep -q 'no profile is in the requested time' err
check filter/time-of-nothing-finds-nothing grep -q "no sample matches --to '5'" err
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
"$OTPROF" filter --aggregate --hide . paid.otlp >lost.otlp
fails 1 filter/payload-of-a-part-goes \
	'lost.otlp: no profile has an original payload' -- \
	"$OTPROF" show --payload lost.otlp
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

has_bytes() # FILE...: whether one of them is there and not empty
{
	local file

	for file; do
		[ -s "$file" ] && return
	done
	return 1
}

is_at() # MOMENT: whether a program that writes stopped/out.otlp is there
{
	case $1 in
	begun) return 0 ;;
	opened) compgen -G 'stopped/out.otlp.*' >/dev/null ;;
	written) has_bytes stopped/out.otlp.* ;;
	finished) [ -e stopped/out.otlp ] ;;
	esac
}

# Whenever the signal comes, no temporary file is left. A program that has
# ended has passed every moment.
large_file large.otlp 300
mkdir stopped
for signal in INT TERM HUP XCPU; do
	for moment in begun opened written finished; do
		rm -f stopped/out.otlp
		"$OTPROF" convert large.otlp -o stopped/out.otlp &
		pid=$!
		until is_at $moment || ! kill -0 $pid 2>/dev/null; do :; done
		kill -"$signal" $pid 2>/dev/null || :
		wait $pid 2>/dev/null || :
	done
	check "filter/stopped-by-$signal-leaves-nothing" bash -c \
		'[ -z "$(ls -A stopped | grep -vx out.otlp)" ]'
done
