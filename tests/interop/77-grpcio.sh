# otprof send against Python's grpcio: what a server answers, and what is done about it.

# grpcio_start ANSWER...: a server that gives the answers one after the other, then OK (see grpcio_server.py).
grpcio_start() {
	local tries
	"$PYTHON" "$HERE/grpcio_server.py" "$T" "$@" >"$T/server.log" 2>&1 &
	SERVER=$!
	# shellcheck disable=SC2064
	trap "kill $SERVER 2>/dev/null || :" EXIT
	for tries in $(seq 100); do
		[ ! -s "$T/port" ] || break
		kill -0 $SERVER 2>/dev/null || fail "no server: $(tail -n 1 "$T/server.log")"
		sleep 0.1
	done
	PORT=$(cat "$T/port")
}

grpcio_stop() {
	kill $SERVER
	wait $SERVER || :
	trap - EXIT
}

# grpcio_case WANT TRIES ANSWER...: ends with status 0 (WANT sent) or another (refused) after so many tries.
grpcio_case() {
	local want=$1 tries=$2 rc=0 got
	shift 2
	oracle gen --seed 501 --size 20 -o "$T/raw.otlp"
	convert "$T/raw.otlp" "$T/in.otlp"
	grpcio_start "$@"
	timeout 60 "$OTPROF" send --endpoint "http://127.0.0.1:$PORT" --protocol grpc --retry-for 30s "$T/in.otlp" \
		2>"$T/err" || rc=$?
	grpcio_stop
	got=$(find "$T" -name 'message-*' | wc -l)
	[ "$got" = "$tries" ] || fail "$got tries, not $tries: $(tail -n 1 "$T/err")"
	cmp "$T/in.otlp" "$T/message-1"
	cmp "$T/message-1" "$T/message-$tries"
	case $want in
	sent) [ $rc -eq 0 ] || fail "status $rc: $(tail -n 1 "$T/err")" ;;
	*) [ $rc -ne 0 ] && [ $rc -lt 124 ] || fail "status $rc"
		grep -q "$want" "$T/err" || fail "it says $(tail -n 1 "$T/err")" ;;
	esac
}

# The wait that a server asks for is kept.
grpcio_waits() {
	grpcio_case sent 2 UNAVAILABLE+1.5
	"$PYTHON" - "$T"/times <<-'END'
	import sys
	a, b = (float(x) for x in open(sys.argv[1]).read().split())
	assert 1.4 < b - a < 5, b - a
	END
}

grpcio_gzip() {
	oracle gen --seed 502 --size 20 -o "$T/raw.otlp"
	convert "$T/raw.otlp" "$T/in.otlp"
	grpcio_start
	"$OTPROF" send --endpoint "http://127.0.0.1:$PORT" --protocol grpc --compression gzip "$T/in.otlp"
	grpcio_stop
	cmp "$T/in.otlp" "$T/message-1"
}

grpcio_tls() { # none|client
	oracle gen --seed 503 --size 20 -o "$T/raw.otlp"
	convert "$T/raw.otlp" "$T/in.otlp"
	send_certs
	[ "$1" = none ] || set -- --cert "$T/client.pem" --key "$T/client.key"
	[ "$1" != none ] || shift
	GRPCIO_TLS=$([ $# -gt 0 ] && echo both || echo server) grpcio_start
	"$OTPROF" send --endpoint "https://127.0.0.1:$PORT" --protocol grpc --ca "$T/ca.pem" "$@" "$T/in.otlp"
	grpcio_stop
	cmp "$T/in.otlp" "$T/message-1"
}

if ! "$OTPROF" send --help >/dev/null 2>&1; then
	skip grpcio "the program cannot send"
else
	try grpcio-sent grpcio_case sent 1
	try grpcio-gzip grpcio_gzip
	try grpcio-tls grpcio_tls none
	try grpcio-mtls grpcio_tls client
	for code in CANCELLED DEADLINE_EXCEEDED ABORTED OUT_OF_RANGE UNAVAILABLE DATA_LOSS; do
		try "grpcio-$code" grpcio_case sent 2 $code
	done
	for code in UNKNOWN INVALID_ARGUMENT NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED \
		FAILED_PRECONDITION UNIMPLEMENTED INTERNAL UNAUTHENTICATED; do
		try "grpcio-$code" grpcio_case $code 1 $code
	done
	try grpcio-exhausted-retry-info grpcio_case sent 2 RESOURCE_EXHAUSTED+0.2
	try grpcio-partial grpcio_case "not today" 1 PARTIAL
	try grpcio-warning grpcio_case sent 1 WARNING
	try grpcio-waits grpcio_waits
fi
