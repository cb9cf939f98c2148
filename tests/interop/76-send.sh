# otprof send against a real Collector: by gRPC and HTTP, in the clear, with TLS, with certificates on both sides.

. "$HERE/collector_lib.sh"

# send_to PROTOCOL [SCHEME]: the variables that say where it is.
send_to() {
	local scheme=${2:-http}
	export OTEL_EXPORTER_OTLP_PROTOCOL=$1 OTEL_EXPORTER_OTLP_ENDPOINT=$scheme://$HTTP
	[ "$1" != grpc ] || OTEL_EXPORTER_OTLP_ENDPOINT=$scheme://$GRPC
}

# send_files N: as many random files, $T/in-1.otlp and so on, as we write them; up to four: the Collector drops what has
# no sample, as the fifth.
send_files() {
	local i
	for i in $(seq "$1"); do
		oracle gen --seed $((400 + i)) --size 30 -o "$T/raw.otlp"
		convert "$T/raw.otlp" "$T/in-$i.otlp"
	done
}

# What came, whatever the messages were, holds what was sent.
send_arrived() { # exactly|equal
	"$OTPROF" convert "$T"/in-*.otlp -o "$T/want.otlp"
	"$OTPROF" convert "$T/profiles" -o "$T/got.otlp"
	oracle equal "$T/want.otlp" "$T/got.otlp"
	[ "$1" = equal ] || cmp "$T/want.otlp" "$T/got.otlp" # JSON: Go reads NaN as one with another last bit
}

# The messages came in some order, each exactly, none twice.
send_arrived_somehow() {
	local i
	"$PYTHON" - "$T/profiles" "$T/came" <<-'END'
	import struct, sys
	data, i = open(sys.argv[1], "rb").read(), 0
	while data:
	    n = struct.unpack(">I", data[:4])[0]
	    open("%s-%d.otlp" % (sys.argv[2], i), "wb").write(data[4:4 + n])
	    data, i = data[4 + n:], i + 1
	END
	for i in "$T"/came-*.otlp; do
		convert "$i" "$i.ours.otlp"
	done
	sha256sum "$T"/in-*.otlp | cut -d' ' -f1 | sort >"$T/want"
	sha256sum "$T"/came-*.ours.otlp | cut -d' ' -f1 | sort >"$T/got"
	same_lines "$T/want" "$T/got"
}

send_one() { # clear|tls|mtls PROTOCOL [OPTION...]
	local how=$1 protocol=$2 scheme=https
	shift 2
	[ "$how" = clear ] && scheme=http || send_certs
	send_files 3
	collector_keep "$how"
	send_to "$protocol" $scheme
	case $how in
	tls) set -- "$@" --ca "$T/ca.pem" ;;
	mtls) set -- "$@" --ca "$T/ca.pem" --cert "$T/client.pem" --key "$T/client.key" ;;
	esac
	"$OTPROF" send "$@" "$T"/in-*.otlp 2>"$T/err" || fail "send: status $?: $(head -n 1 "$T/err")"
	! grep -v '^sent 3 messages' "$T/err" || fail "it has something to say"
	collector_stop
	case $protocol in http/json) send_arrived equal ;; *) send_arrived exactly ;; esac
}

# A message larger than the limit arrives in parts that hold the whole of it.
send_split() { # PROTOCOL
	local i
	"$PYTHON" - >"$T/raw.folded" <<-'END'
	import random
	random.seed(450)
	for i in range(3000):
	    frames = ["f%d" % (random.random() ** 2 * 900) for _ in range(random.randrange(5, 30))]
	    print(";".join(frames), random.randrange(1, 1000))
	END
	convert "$T/raw.folded" "$T/in-1.otlp"
	collector_keep clear
	send_to "$1"
	"$OTPROF" send --max-size 32768 "$T/in-1.otlp"
	collector_stop
	"$PYTHON" - "$T/profiles" 32768 <<-'END'
	import struct, sys
	data, sizes = open(sys.argv[1], "rb").read(), []
	while data:
	    n = struct.unpack(">I", data[:4])[0]
	    sizes.append(n)
	    data = data[4 + n:]
	assert len(sizes) > 4, sizes
	assert max(sizes) <= int(sys.argv[2]) * 1.1, sizes # the Collector writes empty fields that we leave out
	END
	for i in in-1.otlp profiles; do
		"$OTPROF" merge "$T/$i" -t folded -o "$T/$i.folded"
		LC_ALL=C sort "$T/$i.folded" -o "$T/$i.folded"
	done
	same_lines "$T/in-1.otlp.folded" "$T/profiles.folded"
}

# The CA that signed the server's certificate is not known: refused or kept, but never sent.
send_wrong_ca() { # PROTOCOL
	local rc=0
	send_certs
	send_files 1
	collector_keep tls
	send_to "$1" https
	timeout 60 "$OTPROF" send --retry-for 2s "$T/in-1.otlp" 2>"$T/err" || rc=$?
	[ $rc -ne 0 ] && [ $rc -lt 124 ] || fail "status $rc"
	grep -qi certificate "$T/err" || fail "it says $(head -n 1 "$T/err")"
	collector_stop
	[ ! -s "$T/profiles" ] || fail "it was sent"
}

# The Collector is not there at first, then it is, then it is gone for a while: everything arrives.
send_restart() { # PROTOCOL
	local sender tries
	send_files 4
	collector_keep clear
	collector_stop
	rm -f "$T/profiles"
	send_to "$1"
	"$OTPROF" send --retry-for 60s "$T"/in-*.otlp 2>"$T/err" &
	sender=$!
	# Until the first try has failed.
	for tries in $(seq 300); do
		! grep -q 'no response' "$T/err" || break
		sleep 0.1
	done
	collector_keep clear
	wait $sender || fail "send: status $? $(tail -n 1 "$T/err")"
	collector_stop
	send_arrived_somehow
}

# What could not be sent is in the spool, and goes with the next call.
send_spool() { # PROTOCOL
	local rc=0
	send_files 3
	collector_keep clear
	collector_stop
	rm -f "$T/profiles"
	send_to "$1"
	timeout 60 "$OTPROF" send --spool "$T/spool" --retry-for 1s "$T"/in-*.otlp 2>"$T/err" || rc=$?
	[ $rc -ne 0 ] && [ $rc -lt 124 ] || fail "status $rc"
	collector_keep clear
	"$OTPROF" send --spool "$T/spool" || fail "send of the spool: status $?"
	collector_stop
	send_arrived exactly
}

# A spool on a disk that is full, or that nobody may write: one line says so, the rest goes on from memory.
send_no_room() { # full|read-only
	local options=size=8k
	unshare -m true 2>/dev/null || { echo "no mounts here"; exit 77; }
	[ "$1" = full ] || options=size=1m,ro
	send_files 4
	collector_keep clear
	send_to grpc
	mkdir "$T/spool"
	unshare -m sh -c 'mount -t tmpfs -o "$1" none "$2/spool" && shift 2 && exec "$@"' - $options "$T" \
		"$OTPROF" send --spool "$T/spool" "$T"/in-*.otlp 2>"$T/err" || fail "send: status $?: $(cat "$T/err")"
	collector_stop
	[ "$(grep -c 'spool cannot be used' "$T/err")" = 1 ] || fail "it says $(cat "$T/err")"
	send_arrived_somehow
}

# Splunk's logs: what the Collector's file exporter has of them reads as what was sent.
send_logs() { # FORMAT PROTOCOL
	send_files 1
	"$OTPROF" convert "$T/in-1.otlp" -t "$1" -o "$T/sent.logs.otlp" 2>/dev/null
	collector_keep clear
	send_to "$2"
	"$OTPROF" send --as "$1" "$T/in-1.otlp" 2>"$T/err" || fail "send: status $?"
	collector_stop
	"$PYTHON" - "$T/logs.json" >"$T/got.logs.json" <<-'END'
	import json, sys
	all = [x for line in open(sys.argv[1]) for x in json.loads(line)["resourceLogs"]]
	json.dump({"resourceLogs": all}, sys.stdout)
	END
	"$OTPROF" convert "$T/sent.logs.otlp" -o "$T/want.otlp"
	"$OTPROF" convert "$T/got.logs.json" -o "$T/got.otlp"
	cmp "$T/want.otlp" "$T/got.otlp"
}

if ! "$OTPROF" send --help >/dev/null 2>&1; then
	skip send "the program cannot send"
elif go_group send ./collector; then
	for protocol in grpc http/protobuf http/json; do
		for how in clear tls mtls; do
			try "send-$how-${protocol#*/}" send_one $how $protocol
		done
		try "send-gzip-${protocol#*/}" send_one clear $protocol --compression gzip
		try "send-spool-${protocol#*/}" send_spool $protocol
	done
	for how in full read-only; do
		try "send-spool-$how" send_no_room $how
	done
	try send-zstd-protobuf send_one clear http/protobuf --compression zstd
	try send-zstd-grpc send_one clear grpc --compression zstd
	for protocol in grpc http/protobuf; do
		try "send-restart-${protocol#*/}" send_restart $protocol
		try "send-split-${protocol#*/}" send_split $protocol
		try "send-wrong-ca-${protocol#*/}" send_wrong_ca $protocol
	done
	for format in splunk-text splunk-pprof; do
		for protocol in grpc http/protobuf http/json; do
			try "send-$format-${protocol#*/}" send_logs $format $protocol
		done
	done
fi
