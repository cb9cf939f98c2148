# SPDX-License-Identifier: Apache-2.0
#
# otprof record and what is broken: the frames concerned have their module and
# a reason, and nothing else suffers. Each recording has a process that is well.
. "$TOP/tests/cli/record.bash"

can_record record-bad/all || exit 0

cat >good.c <<'C'
#include <stdlib.h>
#include <time.h>

volatile long sink;

__attribute__((noinline)) void leaf(long ms)
{
	while (clock() < ms * (CLOCKS_PER_SEC / 1000))
		for (int i = 0; i < 100000; i++)
			sink++;
}

__attribute__((noinline)) void caller(long ms)
{
	leaf(ms);
	sink++;
}

int main(int argc, char **argv)
{
	caller(argc > 1 ? atol(argv[1]) : 30000);
	return 0;
}
C
if ! ${CC:-gcc} -g -O2 -fomit-frame-pointer -Wl,--build-id=sha1 -o good \
	good.c 2>log; then
	skip record-bad/all "no compiler that makes programs"
	exit 0
fi

start ./good
good=$pid
wait_for runs "$good" good

# Sets OFFSET and SIZE, in decimal, of a section of good.
section() # NAME
{
	set -- $(readelf -SW good | sed 's/^ *\[ *[0-9]*\] *//' |
		awk -v name="$1" '$1 == name { print $4, $5 }')
	OFFSET=$((0x$1))
	SIZE=$((0x$2))
}

# Bytes to overwrite a section with.
ones()
{
	head -c "$1" /dev/zero | tr '\0' '\377'
}

code()
{
	cat /proc/self/exe "$OTPROF" | tail -c +100001 | head -c "$1"
}

# top FILE SERVICE ARGUMENT...: what a recording has of a process, in out.
top()
{
	local file=$1 service=$2

	shift 2
	"$OTPROF" top --no-symbols --where "service=$service" "$@" "$file" \
		>out 2>err
}

# The process that is well has whole stacks with names and lines.
good_is_well() # NAME FILE
{
	top "$2" good --by line -n 100
	check "record-bad/$1-leaves-lines" grep -qE ' leaf .*good\.c:9$' out
	check "record-bad/$1-leaves-callers" grep -qE ' caller .*good\.c:1' out
	top "$2" good --by quality
	check "record-bad/$1-leaves-stacks" \
		grep -qE ' (9[5-9]\.[0-9]+|100\.00)%  \(no quality\)$' out
	expect_exit 0 "record-bad/$1-conforms" -- \
		"$OTPROF" check --strict "$2"
}

# bad SECTION BYTES: records good, and itself with another section, into
# bad.otlp.
bad()
{
	section "$1"
	cp good bad
	"$2" "$SIZE" | dd of=bad bs=1 seek="$OFFSET" conv=notrunc 2>log
	start ./bad
	wait_for runs "$pid" bad
	expect_exit 0 "record-bad/$1-$2" -- "$OTPROF" record -F 997 -d 0.4 \
		-p "$pid,$good" -o bad.otlp
	kill "$pid"
	rm bad
	good_is_well "$1-$2" bad.otlp
}

for how in ones code; do
	# No unwind table: the leaf is all there is, and it is said why.
	bad .eh_frame $how
	top bad.otlp bad
	check "record-bad/.eh_frame-$how-has-the-name" grep -qE ' leaf$' out
	top bad.otlp bad --by quality
	check "record-bad/.eh_frame-$how-says-why" \
		grep -qE ' (9[0-9]\.[0-9]+|100\.00)%  no unwind table$' out
	# Names come from symbols, lines from nowhere.
	bad .debug_line $how
	top bad.otlp bad
	check "record-bad/.debug_line-$how-has-names" eval \
		'grep -qE " leaf$" out && grep -qE " caller$" out'
	top bad.otlp bad --by line
	check_not "record-bad/.debug_line-$how-has-no-lines" \
		grep -qE 'good\.c:' out
	bad .debug_info $how
	top bad.otlp bad
	check "record-bad/.debug_info-$how-has-names" eval \
		'grep -qE " leaf$" out && grep -qE " caller$" out'
done

# --- processes that cannot be looked at ---

cp good hidden
start ./hidden
wait_for runs "$pid" hidden
if unshare -m mount -t tmpfs none "/proc/$pid" 2>log; then
	expect_exit 0 record-bad/hidden -- unshare -m sh -c \
		'mount -t tmpfs none "/proc/$1" &&
		exec "$2" record -F 997 -d 0.4 -a --comm "^(hidden|good)$" \
			-o hidden.otlp' sh "$pid" "$OTPROF"
	top hidden.otlp hidden --by quality
	check record-bad/hidden-says-why \
		grep -qE '%  (no unwind table|return address outside of code)$' \
		out
	check_not record-bad/hidden-is-not-complete grep -q 'no quality' out
	check record-bad/hidden-has-reasons eval \
		'"$OTPROF" show --raw hidden.otlp | grep -q unresolved'
	good_is_well hidden hidden.otlp
else
	skip record-bad/hidden "$(head -n 1 log)"
fi
kill "$pid"

# Processes that end at any time. Only in the middle of execve() a process has
# no mappings.
without_mappings() # FILE: how many stacks
{
	"$OTPROF" convert --no-symbols -t folded "$1" -o - 2>err |
		grep -v execve | grep -c '^0x'
}

start sh -c 'while :; do ./good 5 & ./good 1; done'
expect_exit 0 record-bad/ending -- \
	"$OTPROF" record -F 997 -d 1 -a --comm '^good$' -o ending.otlp
kill "$pid"
check record-bad/ending-has-mappings \
	test "$(without_mappings ending.otlp)" -le 2
top ending.otlp good -n 1000
check record-bad/ending-has-names eval \
	'grep -qE " leaf$" out && grep -qE " caller$" out'
start sleep 1
expect_exit 0 record-bad/ended -- "$OTPROF" record -F 997 -d 1.3 -p "$pid"
check record-bad/ended-says-so grep -qE ': [0-9]+ samples' err
