# Shared by the groups with a running Collector.

# collector_ports: sets HTTP and GRPC, two addresses that are free.
collector_ports() {
	local ports
	ports=$("$PYTHON" -c 'import socket
s = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(x.getsockname()[1] for x in s))')
	HTTP=127.0.0.1:${ports% *} GRPC=127.0.0.1:${ports#* }
}

# collector_run GATES: starts it with $T/config.yaml and waits until it listens on HTTP and GRPC. In the foreground, since
# timeout else passes a signal on twice, and the second ends the Collector at once.
collector_run() {
	local tries
	timeout --foreground -k 5 120 "$GOPEERS/collector" --feature-gates="$1" --config "$T/config.yaml" >>"$T/log" 2>&1 &
	COLLECTOR=$!
	# shellcheck disable=SC2064
	trap "kill $COLLECTOR 2>/dev/null || :" EXIT
	for tries in $(seq 100); do
		(exec 3<>"/dev/tcp/127.0.0.1/${HTTP#*:}" 4<>"/dev/tcp/127.0.0.1/${GRPC#*:}") 2>/dev/null && return 0
		kill -0 $COLLECTOR 2>/dev/null || break
		sleep 0.1
	done
	fail "the Collector does not start: $(tail -n 2 "$T/log")"
}

# What it has is in the file when it has ended.
collector_stop() {
	kill -INT $COLLECTOR
	wait $COLLECTOR || fail "the Collector ended with status $?: $(tail -n 2 "$T/log")"
	trap - EXIT
}
