# SPDX-License-Identifier: Apache-2.0
#
# otprof record --view: a page of a recording while it runs, served by a process
# without privileges, whose end does not end the recording.
. "$TOP/tests/cli/aid.bash"

if ! "$OTPROF" record -- true >out 2>err; then
	skip record-view/all "$(sed -n '1s/^otprof record: //p' err)"
	exit 0
fi

# until_true SECONDS CMD...: waits until CMD succeeds.
until_true()
{
	local i n=$(($1 * 20))

	shift
	for ((i = 0; i < n; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.05
	done
	return 1
}

# overview: what the page knows.
overview()
{
	exec 4<>"/dev/tcp/127.0.0.1/$port" || return
	printf 'GET /%s/api/overview HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n%s\r\n\r\n' \
		"$token" "$port" 'Connection: close' >&4
	timeout 30 cat <&4
	exec 4>&-
}

knows()
{
	overview | grep -q "$1"
}

# The child of the recorder that has not become another program.
page_pid()
{
	local p

	for p in $(cat "/proc/$pid/task/$pid/children"); do
		if [ "$(readlink "/proc/$p/exe")" = \
			"$(readlink "/proc/$pid/exe")" ]; then
			echo "$p"
			return
		fi
	done
}

# start ARGUMENT...: sets pid, port and token.
start()
{
	SUDO_UID=12345 SUDO_GID=12345 "$OTPROF" record --view "$@" \
		>out 2>err &
	pid=$!
	until_true 30 grep -qE 'in a browser|built without' err
	port=$(sed -n 's|^open http://127.0.0.1:\([0-9]*\)/.*|\1|p' err)
	token=$(sed -n 's|.*:[0-9]*/\([0-9a-f]*\)/ in a browser.*|\1|p' err)
}

cat >busy.sh <<'END'
end=$((SECONDS + $1))
while [ $SECONDS -lt $end ]; do :; done
exit 3
END

start -o live.otlp --interval 60 -- bash busy.sh 4
if grep -q 'built without libevent' err; then
	skip record-view/all "this build has no local server"
	exit 0
fi
check record-view/live until_true 30 knows '"live":true.*"total":[1-9]'
page=$(page_pid)
check record-view/page-process test -n "$page"
if [ "$(id -u)" = 0 ]; then
	check record-view/user grep -qP '^Uid:\t12345\t12345\t12345' \
		"/proc/$page/status"
	check record-view/groups grep -qP '^Groups:\s*$' "/proc/$page/status"
	check record-view/capabilities grep -qP '^CapPrm:\t0+$' \
		"/proc/$page/status"
fi
check record-view/over until_true 30 knows '"live":false'
check record-view/stays until_true 30 grep -q 'the page stays' err
check record-view/still-there kill -0 "$pid"
check record-view/file "$OTPROF" check live.otlp
total=$(overview | sed -n 's/.*"total":\([0-9]*\),"observations".*/\1/p')
check record-view/same-total grep -q "\"total\": $total," <("$OTPROF" top \
	--json live.otlp)
kill "$pid"
rc=0
wait "$pid" || rc=$?
check record-view/status test "$rc" = 3
check record-view/page-ends until_true 30 test ! -e "/proc/$page"

start -o second.otlp -- bash busy.sh 3
until_true 30 knows '"total":[1-9]'
kill "$(page_pid)"
rc=0
wait "$pid" || rc=$?
check record-view/goes-on test "$rc" = 3
check record-view/goes-on-file "$OTPROF" check second.otlp
