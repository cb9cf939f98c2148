# SPDX-License-Identifier: Apache-2.0
#
# otprof run: what it refuses, whose exit status it has, where the profile goes.
. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

unset ${!OTPROF_@}
OTPROF=$BUILD/otprof
mkdir temporary
export TMPDIR=$PWD/temporary

run()
{
	"$OTPROF" run "$@"
}

# --- usage ---

usage() # NAME PATTERN ARGUMENT...
{
	local name=$1 pattern=$2

	shift 2
	fails 2 "run/$name" "$pattern" -- run "$@"
}

usage no-command 'expected a command'
usage interval-0 'between 1 and 3600000' --interval 0 -- true
usage interval-high 'between 1 and 3600000' --interval 3600001 -- true
usage interval-text 'expects a number' --interval fast -- true
usage bad-format 'format' -o x -t magic -- true
usage read-only-format 'only read' -o x -t jfr -- true
usage to-without-output 'needs --output' -t pprof -- true
usage bad-option 'nothing-like-it' --nothing-like-it -- true

fails 125 run/no-folder "cannot create 'missing/x.otlp'" -- \
	run -o missing/x.otlp -- touch was-run
check run/no-folder-does-not-run test ! -e was-run

# --- no agent ---

mkdir bin
cp "$OTPROF" bin/otprof
if [ ! -e /usr/local/lib/libotprof-agent.so ]; then
	fails 125 run/no-agent 'there is no libotprof-agent.so' -- \
		bin/otprof run -- touch was-run
	check run/no-agent-does-not-run test ! -e was-run
fi

# --- exit status ---

# A sanitizer must be loaded first, and programs have none.
if ! env LD_PRELOAD="$BUILD/libotprof-agent.so" true 2>log; then
	skip run/status "$(head -n 1 log)"
	exit 0
fi

# A command that ends at once has no samples, and that is all that is said.
fails 0 run/status-0 'ended before its first sample' -- run -- true
fails 7 run/status-7 'ended before its first' -- run -- sh -c 'exit 7'
fails 137 run/status-of-a-signal 'ended' -- run -- sh -c 'kill -9 $$'
fails 127 run/not-found "cannot run './missing': No such file" -- \
	run -- ./missing
fails 127 run/not-in-path "cannot run 'no-such-command-here'" -- \
	run -- no-such-command-here
: >text
fails 126 run/not-executable "cannot run './text': Permission" -- run -- ./text
fails 0 run/nothing-is-not-written 'ended before' -- run -o no.otlp -- true
check run/nothing-leaves-no-file test ! -e no.otlp

# The command has the signals that this program was started with: it ends at a
# closed pipe, and nohup stays nohup.
grep SigIgn /proc/self/status >want
run -- grep SigIgn /proc/self/status >out 2>err
same run/signals want out
(
	trap '' HUP INT PIPE
	grep SigIgn /proc/self/status >want
	run -- grep SigIgn /proc/self/status >out 2>err
)
same run/ignored-signals want out

# --- a program of which is known what it does ---

cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

volatile long sink;

__attribute__((noinline)) void work(double seconds)
{
	struct timespec t;
	double end;

	clock_gettime(CLOCK_MONOTONIC, &t);
	end = t.tv_sec + t.tv_nsec / 1e9 + seconds;
	do {
		for (int i = 0; i < 100000; i++)
			sink++;
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (t.tv_sec + t.tv_nsec / 1e9 < end);
}

int main(int argc, char **argv)
{
	puts("hello");
	fflush(stdout);
	work(argc > 1 ? atof(argv[1]) : 1);
	return 5;
}
C
if ! ${CC:-gcc} -g -O2 -o prog prog.c 2>log; then
	skip run/output "no compiler that makes programs"
	exit 0
fi

echo hello >want
expect_exit 5 run/answer -- run -n 3 -- ./prog
same run/stdout-is-the-commands want out
check run/answer-on-stderr grep -qE '[0-9]% .* work$' err
check run/counts grep -qE \
	'^otprof agent: [0-9]+ samples in [0-9]+ rounds, [0-9]+ skipped, [0-9.]+%' err
check run/rows grep -q '^and [0-9]* more' err

# to FILE ARGUMENT...: profiles the program into it.
to()
{
	local file=$1

	shift
	expect_exit 5 "run/to-$file" -- run -o "$file" "$@" -- ./prog
	same "run/to-$file-stdout" want out
}

has_work() # FILE
{
	expect_exit 0 "run/$1-can-be-read" -- "$OTPROF" top "$1"
	check "run/$1-has-work" grep -qE ' work$' out
}

to a.otlp --interval 5
has_work a.otlp
expect_exit 0 run/otlp-conforms -- "$OTPROF" check --strict a.otlp
"$OTPROF" show a.otlp >out
check run/interval grep -q 'every 5000000 wall/nanoseconds' out
check run/rounds-of-a-window grep -qE 'otprof.window.rounds=[1-9]' out
check run/spread-of-a-window grep -qE 'otprof.window.spread.max_ns=[1-9]' out
to b.pb.gz
has_work b.pb.gz
to c.folded
has_work c.folded
to d.json -t otlp-json
has_work d.json
expect_exit 0 run/json-conforms -- "$OTPROF" check --strict d.json
to e.html
check run/html-is-a-page grep -qi '<html' e.html

# The helper and what it starts have stacks of their own.
expect_exit 5 run/limit-of-the-stack -- \
	sh -c "ulimit -s 64 && exec $OTPROF run -o low.otlp -- ./prog"
has_work low.otlp

# Programs that the command executes and starts.
expect_exit 5 run/exec -- run -o exec.otlp -- sh -c './prog & wait; exec ./prog'
check run/exec-has-both test "$("$OTPROF" show --raw exec.otlp |
	cut -d . -f 1 | sort -u | wc -l)" -ge 2

# --- signals ---

env --default-signal=INT "$OTPROF" run -o int.otlp -- \
	sh -c 'echo $$; exec ./prog 100' >begun 2>err &
runner=$!
wait_for test -s begun
sleep 1
rc=0
kill -INT "$(head -n 1 begun)"
wait $runner || rc=$?
check run/interrupt test "$rc" = 130
has_work int.otlp

# begin ARGUMENT...: runs the program in the background; its ID is in begun.
begin()
{
	rm -f begun
	env --default-signal=INT "$OTPROF" run "$@" -- \
		sh -c 'echo $$; exec ./prog 100' >begun 2>err &
	runner=$!
	wait_for test -s begun
	sleep 1
}

# One that ends otprof ends the command, and what was sampled is shown.
for signal in INT TERM HUP; do
	begin -o "$signal.otlp"
	rc=0
	kill -"$signal" "$runner"
	wait "$runner" || rc=$?
	check "run/passes-$signal-on" test "$rc" = $((128 + $(kill -l "$signal")))
	check "run/ends-with-$signal" test ! -e "/proc/$(cat begun)"
	has_work "$signal.otlp"
done

# --- a helper that does not finish ---

helper_of() # PID
{
	local f

	for f in /proc/[0-9]*; do
		tr '\0' ' ' <"$f/cmdline" 2>log | grep -q "agent --pid $1 " &&
			echo "${f#/proc/}"
	done
}

begin
kill -KILL "$(helper_of "$(cat begun)")"
kill -TERM "$runner"
wait "$runner" || true
check run/helper-killed grep -q \
	"the helper of process $(cat begun) has not finished" err
check run/helper-killed-no-samples grep -q 'there are no samples' err

# A file that ends within a message does not take the others with it.
expect_exit 5 run/helper-killed-while-writing -- run -o half.otlp -- sh -c '
	name=${OTPROF_AGENT_OUTPUT#file:}
	printf "\12\377\377" >"${name%/*}/7-7.otlp.XXXXXX"
	exec ./prog'
check run/helper-killed-while-writing-says-so grep -q \
	'the helper of process 7 has not finished' err
has_work half.otlp

# --- what cannot be profiled so ---

if ${CC:-gcc} -static -O2 -o static prog.c 2>log; then
	fails 5 run/static 'linked statically: nothing can be preloaded' -- \
		run -- ./static 0.2
else
	skip run/static "there is no static libc"
fi
if has_tool run/musl musl-gcc; then
	musl-gcc -O2 -o musl prog.c
	run -- ./musl 0.2 2>log
	check run/musl grep -q 'uses musl, and the agent needs glibc' log
fi

# A directory that others can look into, and that set-user-ID works in.
if [ "$(id -u)" = 0 ] && has_tool run/setuid setpriv; then
	open=$(mktemp -d /tmp/otprof-test-XXXXXX)
	cp prog "$(command -v id)" "$open"
	chmod 755 "$open"
	chmod 4755 "$open"/*
	other=(setpriv --reuid 65534 --clear-groups env TMPDIR="$open/t")
	mkdir -m 1777 "$open/t"
	if [ "$("${other[@]}" "$open/id" -u)" = 0 ] &&
		"${other[@]}" "$OTPROF" version >out; then
		fails 5 run/setuid 'set-user-ID .* nothing can be preloaded' \
			-- "${other[@]}" "$OTPROF" run -- "$open/prog" 0.2
	else
		skip run/setuid "set-user-ID does not work here"
	fi
	rm -r "$open"
fi
check run/leaves-no-directory rmdir temporary
