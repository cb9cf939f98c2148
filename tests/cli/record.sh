# SPDX-License-Identifier: Apache-2.0
#
# otprof record: what it refuses, whose exit status it has, where the recording
# goes. What is in it is the matter of tests/unit/record.
. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

record()
{
	"$OTPROF" record "$@"
}

# --- usage ---

usage() # NAME PATTERN ARGUMENT...
{
	local name=$1 pattern=$2

	shift 2
	fails 2 "record/$name" "$pattern" -- record "$@"
}

usage no-target 'expected -a, -p PID or -- COMMAND'
usage two-targets 'mutually exclusive' -a -p $$
usage target-and-command 'mutually exclusive' -a -- true
usage no-such-pid 'there is no process 999999999' -p 999999999
usage bad-pid "takes process IDs, not 'x'" -p x
usage bad-second-pid 'takes process IDs' -p "$$,"
usage offcpu 'offcpu is not supported yet' -e offcpu -a
usage bad-event "takes cpu, not 'magic'" -e magic -a
usage frequency-0 'between 1 and 10000' -F 0 -a
usage frequency-high 'between 1 and 10000' -F 10001 -- true
usage frequency-text 'frequency' -F fast -a
usage bad-duration "takes a time .* not 'soon'" -d soon -a
usage bad-interval 'takes a time' --interval 0 -a
usage bad-user "there is no user 'nobody-here'" -u nobody-here -a
usage bad-cgroup 'there is no control group' --cgroup none/such -a
usage bad-format 'format' -a -o x -t magic
usage read-only-format 'only read' -a -o x -t jfr
usage to-without-output 'needs --output' -a -t pprof

# --- our own failures, and whether anything can be recorded here ---

fails 125 record/no-folder "cannot create 'none/x.otlp'" -- \
	record -o none/x.otlp -- touch was-run
check record/no-folder-does-not-run test ! -e was-run

if ! record -- true >out 2>err; then
	skip record/all "$(sed -n '1s/^otprof record: //p' err)"
	exit 0
fi

# --- exit status ---

expect_exit 0 record/status-0 -- record -- true
expect_exit 7 record/status-7 -- record -- sh -c 'exit 7'
expect_exit 137 record/status-of-a-signal -- record -- sh -c 'kill -9 $$'
fails 127 record/no-command "cannot run './none': No such file" -- \
	record -- ./none
fails 127 record/no-command-in-path "cannot run 'no-such-command-here'" -- \
	record -- no-such-command-here
: >text
fails 126 record/not-executable "cannot run './text': Permission" -- \
	record -- ./text
expect_exit 3 record/status-after-duration -- \
	record -d 0.1 -- sh -c 'sleep 0.5; exit 3'
check record/short-has-no-cost eval \
	'record -- true 2>&1 | grep -q "0 lost" &&
	! record -- true 2>&1 | grep -q "of the CPUs"'

# The command ends at a closed pipe, as it does without this program.
grep SigIgn /proc/self/status >want
record -- grep SigIgn /proc/self/status >out 2>err
same record/signals want out

# --- a program of which is known what it does ---

cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

volatile long sink;

__attribute__((noinline)) void work(long ms)
{
	while (clock() < ms * (CLOCKS_PER_SEC / 1000))
		for (int i = 0; i < 100000; i++)
			sink++;
}

int main(int argc, char **argv)
{
	puts("hello");
	work(argc > 1 ? atol(argv[1]) : 300);
	return 5;
}
C
if ! ${CC:-gcc} -g -O2 -Wl,--build-id=sha1 -o prog prog.c 2>log; then
	skip record/output "no compiler that makes programs"
	exit 0
fi

expect_exit 5 record/answer -- record -F 997 -- ./prog
echo hello >want
same record/stdout-is-the-commands want out
check record/answer-on-stderr grep -qE '[0-9]% .* work$' err
check record/counts grep -qE \
	'^otprof record: [0-9]+ samples, [0-9.]+% of stacks complete, 0 lost' err

# to FILE ARGUMENT...: records the program into it.
to()
{
	local file=$1

	shift
	expect_exit 5 "record/to-$file" -- record -F 997 -o "$file" "$@" -- \
		./prog
	same "record/to-$file-stdout" want out
	check "record/to-$file-says-counts" grep -qE '^otprof record: ' err
}

has_work() # FILE
{
	expect_exit 0 "record/$1-can-be-read" -- "$OTPROF" top "$1"
	check "record/$1-has-work" grep -qE ' work$' out
}

to a.otlp
has_work a.otlp
expect_exit 0 record/otlp-conforms -- "$OTPROF" check --strict a.otlp
to b.pb.gz
has_work b.pb.gz
check record/pprof-is-packed gzip -t b.pb.gz
to c.folded
has_work c.folded
to d.json -t otlp-json
has_work d.json
expect_exit 0 record/json-conforms -- "$OTPROF" check --strict d.json
to e.html
check record/html-is-a-page grep -qi '<html' e.html
to f.otlp --aggregate
has_work f.otlp
expect_exit 0 record/aggregate-conforms -- "$OTPROF" check --strict f.otlp
to g.otlp --no-symbols
expect_exit 0 record/no-symbols-can-be-read -- \
	"$OTPROF" top --no-symbols g.otlp
check_not record/no-symbols-has-no-name grep -qE ' work$' out

# --- windows ---

# How many messages are in a file, each behind its length.
nr_messages() # FILE
{
	local size at=0 n=0 length

	size=$(stat -c %s "$1")
	while [ "$at" -lt "$size" ]; do
		length=$(od -An -tx1 -j "$at" -N 4 "$1" | tr -d ' ')
		at=$((at + 4 + 0x$length))
		n=$((n + 1))
	done
	[ "$at" = "$size" ] && echo "$n"
}

expect_exit 5 record/windows -- \
	record -F 499 --interval 1 -o windows.otlp -- ./prog 2500
check record/windows-are-messages test "$(nr_messages windows.otlp)" -ge 2
expect_exit 0 record/windows-conform -- \
	"$OTPROF" check --strict windows.otlp
has_work windows.otlp

# --- a failure ends the command ---

start=$SECONDS
expect_exit 125 record/full-disk -- \
	record -F 499 --interval 0.2 -o /dev/full -- ./prog 100000
check record/full-disk-says-so grep -q 'No space left' err
check record/full-disk-ends-the-command test $((SECONDS - start)) -lt 30

# --- processes ---

./prog 100000 >/dev/null &
prog=$!
expect_exit 0 record/pid -- record -F 997 -d 0.5 -p "$prog"
check record/pid-answer-on-stdout grep -qE ' work$' out
expect_exit 0 record/all-processes -- record -F 499 -d 1 -a -o all.otlp
has_work all.otlp
expect_exit 0 record/all-conforms -- "$OTPROF" check --strict all.otlp
expect_exit 0 record/comm -- record -F 499 -d 0.5 --comm '^prog$' -n 100 -a
check record/comm-only grep -qE ' work$' out
expect_exit 0 record/comm-none -- record -F 499 -d 0.2 --comm '^none$' -a
check record/comm-none-says-so grep -q '^otprof record: 0 samples' err

# --- control groups ---

for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ "$(stat -f -c %T "$root" 2>/dev/null)" = cgroup2fs ] || continue
	group=otprof-test-$$
	mkdir -p "$root/$group/inner" 2>/dev/null || break
	mkdir "$root/$group-other"
	if echo "$prog" >"$root/$group/inner/cgroup.procs" 2>/dev/null; then
		expect_exit 0 record/cgroup -- \
			record -F 499 -d 0.5 --cgroup "$group"
		check record/cgroup-includes-groups grep -qE ' work$' out
		expect_exit 0 record/other-cgroup -- \
			record -F 499 -d 0.2 --cgroup "$group-other"
		check record/other-cgroup-has-none \
			grep -q '^otprof record: 0 samples' err
		echo "$prog" >"$root/cgroup.procs"
	fi
	rmdir "$root/$group/inner" "$root/$group" "$root/$group-other"
	break
done

# --- signals ---

# Whether a recorder has opened its events, or there is no point in waiting.
has_begun() # PID
{
	! kill -0 "$1" || ls -l "/proc/$1/fd" 2>/dev/null | grep -q perf_event
}

# A background process of a script ignores SIGINT unless env says otherwise.
env --default-signal=INT "$OTPROF" record -F 997 -o int.otlp -p "$prog" \
	2>err &
recorder=$!
wait_for has_begun $recorder
sleep 1
rc=0
kill -INT $recorder
wait $recorder || rc=$?
check record/interrupt-ends test "$rc" = 0
has_work int.otlp
kill $prog
wait $prog 2>/dev/null

# The command gets the signal too, and its end is what is told.
env --default-signal=INT "$OTPROF" record -F 997 -o term.otlp -- \
	sh -c './prog 300; : >begun; exec ./prog 100000' >/dev/null 2>err &
recorder=$!
wait_for test -e begun
rc=0
kill -INT $recorder
wait $recorder || rc=$?
check record/interrupt-of-a-command test "$rc" = 130
has_work term.otlp

# --- to a server ---

can_send || exit 0
serve_start status=200
expect_exit 5 record/export -- record -F 997 --export "$ENDPOINT" -- ./prog
serve_stop
nr_requests record/export-once 1
check record/export-path grep -qx 'POST /v1development/profiles' \
	"$SERVED/1.head"
cp "$SERVED/1.body" sent.otlp
has_work sent.otlp
expect_exit 0 record/export-conforms -- "$OTPROF" check --strict sent.otlp

serve_start status=400
expect_exit 125 record/export-refused -- \
	record -F 997 --export "$ENDPOINT" -- ./prog
serve_stop
check record/export-refused-says-so \
	grep -q '1 of 1 messages were not accepted' err
