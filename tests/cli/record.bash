# SPDX-License-Identifier: Apache-2.0
#
# What tests of otprof record share: whether it works here, and programs in the
# background that do not outlive the test.

. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

# can_record NAME: whether all processes can be recorded, which needs BPF;
# otherwise NAME is skipped.
can_record()
{
	"$OTPROF" record -a -d 0.1 >out 2>err && return 0
	skip "$1" "$(sed -n '1s/^otprof record: //p' err)"
	return 1
}

# Processes that are killed, and files that are removed, at the end.
started=
left_files=
trap 'rc=$?; kill -9 $started 2>/dev/null; rm -f $left_files
	[ "$nr_failed" = 0 ] || rc=1; exit "$rc"' EXIT

start() # COMMAND...: runs it in the background as $pid
{
	"$@" >/dev/null 2>&1 &
	pid=$!
	started="$started $pid"
}

# Whether a process runs this program.
runs() # PID NAME
{
	[ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ]
}
