# A real Collector: OTLP in over HTTP and gRPC, files out.

. "$HERE/collector_lib.sh"

# collector_start FORMAT COMPRESSION GATES: writes $T/out, listens on $HTTP and $GRPC.
collector_start() {
	collector_ports
	cat >"$T/config.yaml" <<-END
	receivers:
	  otlp:
	    protocols:
	      http: {endpoint: "$HTTP"}
	      grpc: {endpoint: "$GRPC"}
	exporters:
	  file: {path: "$T/out", format: $1, flush_interval: 100ms${2:+, compression: $2}}
	service:
	  telemetry: {metrics: {level: none}, logs: {level: warn}}
	  pipelines:
	    profiles: {receivers: [otlp], exporters: [file]}
	END
	collector_run "service.profilesSupport${3:+,$3}"
}

# Three messages by HTTP and gRPC; the file has the three of them in their order.
through() { # FORMAT COMPRESSION GATES WAY...
	local format=$1 compression=$2 gates=$3 i=0 way
	shift 3
	collector_start "$format" "$compression" "$gates"
	for way in "$@"; do
		i=$((i + 1))
		oracle gen --seed $((300 + i)) --size 20 -o "$T/in-$i.otlp"
		convert "$T/in-$i.otlp" "$T/sent-$i.otlp"
		if [ "$way" = json ]; then
			"$OTPROF" convert "$T/sent-$i.otlp" -o "$T/sent-$i.json"
			"$GOPEERS/otlpsend" json "$HTTP" "$T/sent-$i.json"
		elif [ "$way" = http ]; then
			"$GOPEERS/otlpsend" http "$HTTP" "$T/sent-$i.otlp"
		else
			"$GOPEERS/otlpsend" grpc "$GRPC" "$T/sent-$i.otlp"
		fi
	done
	collector_stop
	"$OTPROF" convert "$T"/sent-*.otlp -o "$T/want.otlp"
	"$OTPROF" convert "$T/out" -o "$T/got.otlp"
	oracle equal "$T/want.otlp" "$T/got.otlp"
	case "$format $*" in
	*json*) ;; # Go reads NaN as one with another last bit
	*) cmp "$T/want.otlp" "$T/got.otlp" ;;
	esac
}

if go_group fileexporter ./collector ./otlpsend; then
	native=exporter.file.nativeCompression
	try file-proto through proto '' '' http grpc http
	try file-proto-zstd through proto zstd '' http grpc http
	try file-proto-native-zstd through proto zstd $native grpc http
	if group_needs file-json otlp-json; then
		try file-json through json '' '' http json grpc json
		try file-json-zstd through json zstd '' json grpc
		try file-json-native-zstd through json zstd $native json grpc
	fi
fi
