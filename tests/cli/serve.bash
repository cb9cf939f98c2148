# SPDX-License-Identifier: Apache-2.0
#
# A server for command line tests that answers as a script says
# (tests/serve/serve.h) and writes what it gets into files.
#
#   serve_start 'status=503' 'status=200'
#   "$OTPROF" send --endpoint "$ENDPOINT" ...
#   serve_stop
#   same name/body file "$SERVED/1.body"

# None of the outside is to change what is sent, or where to.
unset ${!OTEL_@} ${!SPLUNK_@} http_proxy https_proxy all_proxy HTTP_PROXY \
	HTTPS_PROXY ALL_PROXY no_proxy NO_PROXY

nr_servers=0

# Whether the program can send and the server can answer.
can_send()
{
	if "$OTPROF" send --endpoint http://127.0.0.1:1 --retry-for 1ns \
		--spool none 2>&1 | grep -q 'without libcurl'; then
		skip send "built without libcurl"
		return 1
	fi
	"$BUILD/tests/serve/serve" --http2 && return 0
	skip send "there is no libnghttp2"
	return 1
}

# Whether there is no point in waiting for the server.
server_is_up()
{
	[ -e "$SERVED/port" ] || ! kill -0 "$SERVER"
}

serve_start() # LINE...
{
	nr_servers=$((nr_servers + 1))
	SERVED=$PWD/served.$nr_servers
	mkdir "$SERVED"
	printf '%s\n' "$@" >"$SERVED/script"
	"$BUILD/tests/serve/serve" "$SERVED" "$SERVED/script" &
	SERVER=$!
	wait_for server_is_up && [ -e "$SERVED/port" ] || return 1
	ENDPOINT=http://127.0.0.1:$(cat "$SERVED/port")
}

serve_stop()
{
	kill "$SERVER"
	wait "$SERVER" 2>/dev/null
}

# How many requests came.
nr_served()
{
	find "$SERVED" -name '*.head' | wc -l
}

# nr_requests NAME N: so many requests came.
nr_requests()
{
	local n

	n=$(nr_served)
	if [ "$n" = "$2" ]; then
		ok "$1"
	else
		not_ok "$1" "$n requests, not $2"
	fi
}

# Makes ENDPOINT one where nobody listens any more.
serve_nobody()
{
	serve_start close
	serve_stop
}

wait_for() # CMD...: until it succeeds, at most two minutes
{
	local end=$((SECONDS + 120))

	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.02
	done
}
