# SPDX-License-Identifier: Apache-2.0
#
# otprof view: a page of files that is served to this machine, to who has its
# address. Connections are bash's own.
. "$TOP/tests/cli/aid.bash"

printf 'main;a 10\nmain;b 30\n' >app.folded
printf 'main;c 5\n' >more.folded
mkdir folder
cp app.folded more.folded folder

# --- a server and its clients ---

# start NAME ARGUMENT...: sets pid, port and token. Reads the file input.
start()
{
	local name=$1 i

	shift
	: >url
	"$OTPROF" view --no-browser "$@" <"${input:-/dev/null}" >url 2>err &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		! grep -q Ctrl-C url || break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
	done
	if grep -q 'built without libevent' err; then
		skip view/all "this build has no local server"
		exit 0
	fi
	address=$(sed -n 's|^open \(http://127.0.0.1:[0-9]*/[0-9a-f]\{32\}/\) in a browser; Ctrl-C ends$|\1|p' url)
	check "view/$name-address" test -n "$address"
	port=${address#http://127.0.0.1:}
	token=${port#*/}
	token=${token%/}
	port=${port%%/*}
}

# ends NAME STATUS: the server has ended, or does within half a minute.
ends()
{
	local rc=0 i

	for ((i = 0; i < 600; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
	done
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null || rc=$?
	check "view/$1" test "$rc" = "$2"
}

# ask METHOD PATH [HEADER]...: leaves the reply in the file reply.
ask()
{
	local method=$1 path=$2 line host="Host: 127.0.0.1:$port"

	shift 2
	for line; do
		case $line in
		Host:*) host=$line ;;
		esac
	done
	{
		printf '%s %s HTTP/1.1\r\n%s\r\nConnection: close\r\n' \
			"$method" "$path" "$host"
		for line; do
			case $line in
			Host:*) ;;
			*) printf '%s\r\n' "$line" ;;
			esac
		done
		printf '\r\n%s' "${body-}"
	} >request
	exec 4<>"/dev/tcp/127.0.0.1/$port" || return
	cat request >&4
	timeout 30 cat <&4 >reply
	exec 4>&-
}

# status NAME STATUS METHOD PATH [HEADER]...
status()
{
	local name=$1 want=$2

	shift 2
	ask "$@"
	check "view/$name" grep -q "^HTTP/1.1 $want " reply
}

# --- what is refused ---

start file app.folded
status page 200 GET "/$token/"
check view/policy grep -q "^Content-Security-Policy: default-src 'none'; " reply
check view/html grep -q '<!DOCTYPE html>' reply
status no-token 403 GET /
status wrong-token 403 GET "/0${token#?}x/"
status short-token 403 GET "/${token%?}/"
status foreign-host 403 GET "/$token/" "Host: evil.example:$port"
status foreign-host-api 403 GET "/$token/api/overview" 'Host: evil.example'
status foreign-origin 403 GET "/$token/api/overview" \
	'Origin: http://evil.example'
status null-origin 403 POST "/$token/api/open" 'Origin: null'
status own-origin 200 GET "/$token/api/overview" \
	"Origin: http://127.0.0.1:$port" 'Sec-Fetch-Site: same-origin'
status cross-site 403 GET "/$token/api/overview" 'Sec-Fetch-Site: cross-site'
status localhost 200 GET "/$token/" "Host: localhost:$port"
status bad-method 405 DELETE "/$token/"
status post-elsewhere 405 POST "/$token/api/overview"
status no-file 404 GET "/$token/../../etc/passwd"
status huge-header 431 GET "/$token/" "X: $(printf '%020000d' 0)"
status bad-parameter 400 GET "/$token/api/top?limit=%zz"

# --- answers ---

ask GET "/$token/api/overview"
check view/title grep -q '"title":"app.folded"' reply
check view/total grep -q '"total":40' reply
ask GET "/$token/api/top"
check view/top grep -q '"name":"b","flat":30' reply
body='main;dropped 7' ask POST "/$token/api/open?name=drop.folded" \
	'Content-Length: 14'
check view/open grep -q '{"file":1}' reply
ask GET "/$token/api/overview"
check view/opened grep -q '"name":"drop.folded","format":"folded"' reply
body='hello' ask POST "/$token/api/open?name=bad" 'Content-Length: 5'
check view/open-bad grep -q '^HTTP/1.1 400 ' reply
check view/open-bad-text grep -q '{"error":"bad: ' reply

# Two requests on one connection.
exec 4<>"/dev/tcp/127.0.0.1/$port"
for i in 1 2; do
	printf 'HEAD /%s/ HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' \
		"$token" "$port" >&4
	while read -t 30 -r line <&4 && [ "$line" != $'\r' ]; do
		echo "$line"
	done >"reply$i"
done
exec 4>&-
check view/keep-alive grep -q '^HTTP/1.1 200 ' reply2

# --- the end ---

kill "$pid"
ends term-ends 0

# Ctrl-C; the shell has it ignored for what runs in the background.
if env --default-signal=INT true 2>/dev/null; then
	real=$OTPROF
	printf '#!/bin/sh\nexec env --default-signal=INT %s "$@"\n' "$real" \
		>with-int
	chmod +x with-int
	OTPROF=./with-int
	start interrupt app.folded
	OTPROF=$real
	kill -INT "$pid"
	ends interrupt-ends 0
fi

# With the last tab, ten seconds later; a tab that is loaded anew does not count.
start tabs folder
exec 5<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /%s/api/events HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' \
	"$token" "$port" >&5
read -t 30 -r line <&5
check view/events test "${line%$'\r'}" = 'HTTP/1.1 200 OK'
body='main;dropped 7' ask POST "/$token/api/open?name=x" 'Content-Length: 14'
timeout 30 sed '/^data: /q' <&5 >told
check view/change grep -q '^event: change' told
check view/change-data grep -q '"observations":' told
ask GET "/$token/api/overview"
check view/folder grep -q '"title":"app.folded and 2 more"' reply
exec 5>&-
sleep 3
check view/waits kill -0 "$pid"
ends last-tab 0

# --- options and failures ---

# One has times since 1970, the other since the start of a machine.
for at in 1767225600000000 5000000; do
	printf '[{"name":"f","ph":"X","ts":%d,"dur":9,"pid":1,"tid":1}]' $at \
		>$at.json
done
start clocks 1767225600000000.json 5000000.json
check view/clocks grep -q "'1767225600000000.json' and '5000000.json' have "\
'times of different clocks' err
ask GET "/$token/api/overview"
check view/clocks-note grep -q '"notes":\["[^]"]*different clocks[^]"]*"\]' reply
check view/clocks-files grep -q '"from":[0-9]*,"to":[0-9]*,"types"' reply
kill -TERM $pid
ends clocks-end 0

# More notes than a page shows are not left out without a word.
mkdir many
for i in {1..30}; do
	printf 'main;a 10\nno count\n' >many/$i.folded
done
start notes many
ask GET "/$token/api/overview"
check view/notes-first grep -q '"notes":\["many/1.folded: ' reply
check view/notes-more grep -q ',"there are more notes: see the terminal of '\
'otprof view"\]' reply
check view/notes-all test "$(grep -c folded err)" = 30
kill -TERM $pid
ends notes-end 0

start options --title 'My <title>' --where 'function=~"b"' app.folded
ask GET "/$token/api/overview"
check view/own-title grep -q '"title":"My <title>"' reply
check view/filtered grep -q '"total":30' reply
fails 1 view/busy-port 'cannot listen on port' -- \
	"$OTPROF" view --no-browser --port "$port" app.folded
kill "$pid"
ends options-end 0

input=app.folded start input
ask GET "/$token/api/overview"
check view/stdin grep -q '"name":"standard input"' reply
kill "$pid"
ends input-end 0

fails 2 view/bad-port 'port' -- "$OTPROF" view --no-browser --port 70000 \
	app.folded
fails 1 view/no-such-file 'cannot open' -- "$OTPROF" view --no-browser none
fails 1 view/no-source-path "cannot open 'nowhere'" -- "$OTPROF" view \
	--no-browser --source-path nowhere app.folded
fails 1 view/no-sample 'no sample matches' -- "$OTPROF" view --no-browser \
	--focus nothing app.folded
echo hello >text
fails 1 view/no-profile 'not a profile' -- "$OTPROF" view --no-browser text
