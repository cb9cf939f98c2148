# SPDX-License-Identifier: Apache-2.0
#
# otprof send, where the server, the file or the spool is not what it should be.
. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

can_send || exit 0
for i in {1..2000}; do
	echo "main;work_$i;deeper_$i $i"
done >large.folded
"$OTPROF" convert large.folded -o large.otlp
printf 'main;work 3\nmain 4\n' >a.folded

send()
{
	"$OTPROF" send --endpoint "$ENDPOINT" "$@"
}

# send_begin ARGS...: the same in the background, until a request came.
send_begin()
{
	send "$@" >out 2>err &
	sender=$!
	wait_for test -e "$SERVED/1.head"
}

# send_end: sets rc.
send_end()
{
	rc=0
	wait "$sender" || rc=$?
}

# --- a file that shrinks between two tries ---

serve_start 'status=503 header=retry-after:2' status=200
send_begin large.otlp
: >large.otlp
send_end
serve_stop
# A build that keeps a copy of the file sends it.
check send/file-shrinks-is-no-crash test "$rc" -le 1
[ "$rc" = 0 ] || check send/file-shrinks-is-said \
	grep -q 'large.otlp: the file shrank while it was read' err
