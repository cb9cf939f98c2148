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
	"$OTPROF" send --endpoint "$ENDPOINT" "$@" >out 2>err &
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
# What was read is sent.
check send/file-shrinks test "$rc" = 0

# --- an interim answer is none ---

for raw in 'raw=HTTP/1.1%20100%20Continue%0d%0a%0d%0a' \
	'raw=HTTP/1.1%20103%20Early%0d%0a%0d%0a'; do
	serve_start "$raw"
	expect_exit 1 send/interim -- send --retry-for 10ms --spool interim \
		a.folded
	serve_stop
	check_not send/interim-is-not-refused grep -q refused err
	check send/interim-is-kept \
		test "$(find interim -name '*.profiles' | wc -l)" = 1
	serve_start status=200
	expect_exit 0 send/interim-is-sent-later -- send --spool interim
	serve_stop
	nr_requests send/interim-is-sent-once 1
done

# --- signals end a program that a server keeps busy ---

# Headers of HTTP/2 on stream 1, then empty DATA frames without end.
serve_start 'raw=%00%00%01%01%04%00%00%00%01%88 '\
'again=%00%00%00%00%00%00%00%00%01 pause=1'
start=$SECONDS
send_begin --protocol grpc --timeout 0 --spool busy a.folded
kill "$sender"
send_end
check send/busy-server-ends test "$rc" = 1
check send/busy-server-ends-soon test $((SECONDS - start)) -lt 20
check send/busy-server-loses-nothing \
	test "$(find busy -name '*.profiles' | wc -l)" = 1
serve_stop

# --- a spool in which somebody else put something ---

# A spool with one message of ours that waits.
spool_make() # DIR
{
	serve_nobody
	send --retry-for 10ms --spool "$1" a.folded >out 2>err
}

# forge NAME: the message of $PWD/forged, under another name.
spool_make forged
forge()
{
	cp forged/*.profiles "$1/18a3f2c1d4e5b6a7-1c0ffee5.profiles"
}

spool_make planted
forge planted
chmod 666 planted/18a3f2c1d4e5b6a7-1c0ffee5.profiles
mkfifo planted/28a3f2c1d4e5b6a7-1c0ffee5.profiles.tmp
serve_start status=200
expect_exit 0 send/planted -- send --spool planted
serve_stop
nr_requests send/planted-sends-only-ours 1
check send/planted-is-said \
	grep -q 'foreign files, which are not sent: 2' err

spool_make locked
rm locked/lock
ln -s "$PWD/created" locked/lock
serve_start status=200
expect_exit 1 send/lock-link -- send --retry-for 10ms --spool locked
serve_stop
nr_requests send/lock-link-sends-nothing 0
check send/lock-link-is-said grep -q "'lock' cannot be used: it is a symb" err
check send/lock-link-makes-nothing test ! -e created

spool_make shared
forge shared
chmod 777 shared
serve_start status=200
expect_exit 0 send/shared-spool -- send --spool shared a.folded
serve_stop
nr_requests send/shared-spool-sends-only-the-file 1
check send/shared-spool-is-said grep -q 'other users can write to' err

# --- a spool that holds only some of the messages ---

# The system takes no file of more than 8 KiB: two messages fit.
"$OTPROF" convert large.folded -o large.otlp
serve_start status=503
rc=0
(
	trap '' XFSZ
	ulimit -f 8
	exec "$OTPROF" send --endpoint "$ENDPOINT" --retry-for 10ms \
		--spool small a.folded a.folded large.otlp large.otlp large.otlp
) >out 2>err || rc=$?
serve_stop
check send/small-spool-fails test "$rc" = 1
check send/small-spool-says-why grep -q 'to the spool: File too large;' err
check send/small-spool-keeps \
	test "$(find small -name '*.profiles' | wc -l)" = 2
check send/small-spool-says-what-it-keeps \
	grep -q '2 messages left in small to be sent later' err
lost=$(sed -n 's/^otprof send: \([0-9]*\) messages* .* lost$/\1/p' err)
check send/small-spool-says-what-is-lost test "$((${lost/$'\n'/+}))" = 3
