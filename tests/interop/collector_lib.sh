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

# collector_keep clear|tls|mtls: profiles go to $T/profiles, logs to $T/logs.json, as lines. With TLS the certificates of
# send_certs are used. Again in a test, it has the same addresses.
collector_keep() {
	local tls=''
	[ -n "${HTTP:-}" ] || collector_ports
	case $1 in
	tls) tls=", tls: {cert_file: $T/server.pem, key_file: $T/server.key}" ;;
	mtls) tls=", tls: {cert_file: $T/server.pem, key_file: $T/server.key, client_ca_file: $T/ca.pem}" ;;
	esac
	cat >"$T/config.yaml" <<-END
	receivers:
	  otlp:
	    protocols:
	      http: {endpoint: "$HTTP"$tls}
	      grpc: {endpoint: "$GRPC"$tls, max_recv_msg_size_mib: 64}
	exporters:
	  file/profiles: {path: "$T/profiles", format: proto, flush_interval: 100ms, append: true}
	  file/logs: {path: "$T/logs.json", format: json, flush_interval: 100ms, append: true}
	service:
	  telemetry: {metrics: {level: none}, logs: {level: warn}}
	  pipelines:
	    profiles: {receivers: [otlp], exporters: [file/profiles]}
	    logs: {receivers: [otlp], exporters: [file/logs]}
	END
	collector_run service.profilesSupport
}

# What it has is in the file when it has ended.
collector_stop() {
	kill -INT $COLLECTOR
	wait $COLLECTOR || fail "the Collector ended with status $?: $(tail -n 2 "$T/log")"
	trap - EXIT
}
