# SPDX-License-Identifier: Apache-2.0
#
# otprof run and otprof agent: what they refuse, whose exit status they have,
# and that programs of usual kinds do what they do without the agent. The harder
# ones are the matter of tests/agent.
. "$TOP/tests/cli/aid.bash"

run()
{
	"$OTPROF" run "$@"
}

# --- usage ---

fails 2 run/no-command 'expected a command' -- run
fails 2 run/interval-0 'between 1 and 3600000' -- run --interval 0 -- true
fails 2 run/interval-long 'between 1 and 3600000' -- \
	run --interval 3600001 -- true
fails 2 run/read-only-format 'only read' -- run -o x -t jfr -- true
fails 2 agent/by-hand 'started by the agent in a program' -- "$OTPROF" agent

if [ ! -e "$BUILD/libotprof-agent.so" ] ||
	! env LD_PRELOAD="$BUILD/libotprof-agent.so" true 2>/dev/null; then
	skip run/all 'this build has no agent that can be preloaded'
	exit 0
fi

# --- a program of which is known what it does ---

cat >prog.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile long sink;

__attribute__((noinline)) void work(long ms)
{
	while (clock() < ms * (CLOCKS_PER_SEC / 1000))
		for (int i = 0; i < 100000; i++)
			sink++;
}

__attribute__((noinline)) void *rest(void *arg)
{
	for (;;)
		sleep(100);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	puts("hello");
	pthread_create(&t, NULL, rest, NULL);
	work(argc > 1 ? atol(argv[1]) : 400);
	return 5;
}
C
if ! ${CC:-gcc} -g -O2 -pthread -o prog prog.c 2>log; then
	skip run/output 'no compiler that makes programs'
	exit 0
fi

echo hello >want
expect_exit 5 run/answer -- run -- ./prog
same run/stdout-is-the-commands want out
check run/has-work grep -qE ' work$' err
check run/counts grep -qE \
	'^otprof agent: [0-9]+ samples in [0-9]+ rounds' err
expect_exit 5 run/to-a-file -- run -o a.otlp -- ./prog
expect_exit 0 run/conforms -- "$OTPROF" check --strict a.otlp
expect_exit 0 run/can-be-read -- "$OTPROF" top --by state,function a.otlp
check run/has-running-work grep -qE ' running +work$' out
expect_exit 0 run/callers -- "$OTPROF" tree a.otlp
check run/has-the-resting-thread grep -qE ' rest$' out
expect_exit 137 run/status-of-a-signal -- \
	run -o b.otlp -- sh -c './prog >/dev/null; kill -9 $$'
fails 127 run/not-found 'cannot run' -- run -o c.otlp -- ./none

# --- the agent by itself ---

agent() # VARIABLE=VALUE... COMMAND
{
	env LD_PRELOAD="$BUILD/libotprof-agent.so" OTPROF_PROGRAM="$OTPROF" \
		SPLUNK_PROFILER_CALL_STACK_INTERVAL=10 \
		OTPROF_AGENT_OUTPUT=file:agent.otlp "$@"
}

expect_exit 5 agent/off -- agent ./prog
check agent/off-says-nothing test ! -s err
check agent/off-writes-nothing test ! -e agent.otlp
expect_exit 5 agent/false -- agent SPLUNK_PROFILER_ENABLED=false ./prog
check agent/false-says-nothing test ! -s err
expect_exit 5 agent/unknown -- agent SPLUNK_PROFILER_ENABLED=yes ./prog
echo "otprof agent: SPLUNK_PROFILER_ENABLED=yes is read as false: expected true" \
	or false >want
same agent/unknown-says-so want err
check agent/unknown-writes-nothing test ! -e agent.otlp
expect_exit 5 agent/unknown-with-full-stderr -- sh -c "ulimit -f 0 &&
	exec 2>full && LD_PRELOAD=$BUILD/libotprof-agent.so \
	SPLUNK_PROFILER_ENABLED=yes exec ./prog 1 >/dev/null"
mkfifo pipe
(sleep 1 <pipe) &
expect_exit 5 agent/unknown-with-closed-stderr -- sh -c "exec 2>pipe; wait_pid=$!
	while kill -0 \$wait_pid; do sleep 0.1; done 2>/dev/null
	LD_PRELOAD=$BUILD/libotprof-agent.so \
	SPLUNK_PROFILER_ENABLED=yes exec ./prog 1 >/dev/null"
expect_exit 5 agent/unknown-snapshot -- \
	agent SPLUNK_SNAPSHOT_PROFILER_ENABLED=yes ./prog
check agent/unknown-snapshot-says-so \
	grep -q "SPLUNK_SNAPSHOT_PROFILER_ENABLED=yes is read as" err
expect_exit 5 agent/unknown-memory -- agent SPLUNK_PROFILER_ENABLED=true \
	SPLUNK_PROFILER_MEMORY_ENABLED=yes OTPROF_AGENT_OUTPUT=file:no.otlp \
	./prog
check agent/unknown-memory-says-so \
	grep -q "SPLUNK_PROFILER_MEMORY_ENABLED=yes is read as" err
expect_exit 5 agent/no-helper -- \
	agent SPLUNK_PROFILER_ENABLED=true OTPROF_PROGRAM=/none ./prog
check agent/no-helper-says-so grep -qx \
	"otprof agent: cannot run '/none': No such file or directory" err
expect_exit 5 agent/bad-helper -- \
	agent SPLUNK_PROFILER_ENABLED=true OTPROF_PROGRAM=/bin/false ./prog
check agent/bad-helper-says-so grep -qx \
	"otprof agent: the helper '/bin/false' has ended" err
expect_exit 5 agent/bad-interval -- agent SPLUNK_PROFILER_ENABLED=true \
	SPLUNK_PROFILER_CALL_STACK_INTERVAL=soon ./prog
check agent/bad-interval-says-so grep -q "=soon is ignored: expected a number" err
expect_exit 5 agent/address-space -- sh -c "ulimit -v 500000 &&
	LD_PRELOAD=$BUILD/libotprof-agent.so SPLUNK_PROFILER_ENABLED=true ./prog"
check agent/address-space-says-so grep -q \
	'the limit of address space (ulimit -v) is too low for a profiler' err
expect_exit 5 agent/on -- agent SPLUNK_PROFILER_ENABLED=true ./prog

# Launchers that must have one thread: it starts in what they execute.
if [ "$(id -u)" = 0 ] && has_tool agent/launcher setpriv; then
	rm -f agent.otlp
	# Until the helper has ended, which has the same stderr.
	agent SPLUNK_PROFILER_ENABLED=true setpriv --regid 65534 \
		--clear-groups --inh-caps=-all ./prog 2>&1 >out | cat >err
	check agent/launcher test "${PIPESTATUS[0]}" = 5
	check agent/launcher-says-nothing test ! -s err
	check agent/launcher-starts-it test -s agent.otlp
fi

# A shell uses any descriptor, and children of all kinds.
cat >script.sh <<'SH'
exec 3>three 4>four 5>five 6>six 7>seven 8>eight 9>nine
for i in 1 2 3 4 5 6 7 8 9 10; do
	echo $i >&3; echo $i >&5; (echo $i >&7); ./prog 30 | cat >&9
done
wait
SH
expect_exit 0 run/shell -- run -o shell.otlp -- bash script.sh
seq 10 >want
same run/shell-descriptor-3 want three
same run/shell-descriptor-5 want five
same run/shell-descriptor-7 want seven
check run/shell-descriptor-4 test ! -s four
check run/shell-descriptor-6 test ! -s six
