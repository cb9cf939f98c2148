# The agent into a real Collector: logs and profiles arrive, equal what was sampled, and say what the convention of 2021
# wants, field by field.

. "$HERE/collector_lib.sh"

agent_collector() {
	collector_ports
	cat >"$T/config.yaml" <<-END
	receivers:
	  otlp:
	    protocols:
	      http: {endpoint: "$HTTP"}
	      grpc: {endpoint: "$GRPC"}
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

# agent_run OUTPUT: a program with three threads, one of them in a span; until its helper has ended.
agent_run() {
	gcc -std=gnu11 -g -O2 -pthread -rdynamic -I "$HERE/../../include" -o "$T/prog" "$HERE/../cli/agent_prog.c" -ldl
	env PROG_AWAITS=1 LD_PRELOAD="$BUILD/libotprof-agent.so" OTPROF_PROGRAM="$OTPROF" SPLUNK_PROFILER_ENABLED=true \
		SPLUNK_PROFILER_CALL_STACK_INTERVAL=50 OTEL_SERVICE_NAME=shop OTPROF_AGENT_OUTPUT="$1" \
		OTEL_EXPORTER_OTLP_ENDPOINT="http://$GRPC" "$T/prog" run 1 2>&1 | cat >"$T/said"
	[ ! -s "$T/said" ] || fail "the agent says: $(head -n 1 "$T/said")"
}

# Times, spans and stacks, without what only one of the two forms has.
agent_samples() {
	"$OTPROF" convert --symbolize "$1" -t splunk-text --logs-encoding json -o "$T/samples.json" 2>/dev/null
	"$PYTHON" - "$T/samples.json" <<-'END'
	import json, sys
	for line in open(sys.argv[1]):
	    for r in json.loads(line)["resourceLogs"]:
	        for s in r["scopeLogs"]:
	            for x in s["logRecords"]:
	                body = x["body"]["stringValue"].split("\n")
	                print(x["timeUnixNano"], x.get("traceId"), x.get("spanId"), body[0].split('"')[1], body[2:])
	END
}

agent_fields() {
	"$PYTHON" - "$T/logs.json" <<-'END'
	import json, re, sys
	HEAD = re.compile(r'"(prog|busy|idle)" #[1-3] prio=20 os_prio=20 cpu=[\d.]+ms elapsed=[\d.]+s '
	                  r'tid=0x[0-9a-f]+ nid=0x[0-9a-f]+ (running|waiting)$')
	FRAME = re.compile(r'\tat (global|unknown)\.\w+\((unknown|[^:]+:\d+( \d+)?)\)$')
	n = 0
	def attrs(x):
	    return {a["key"]: next(iter(a["value"].values())) for a in x.get("attributes", [])}
	for line in open(sys.argv[1]):
	    for r in json.loads(line)["resourceLogs"]:
	        of = attrs(r["resource"])
	        assert of["service.name"] == "shop" and int(of["process.pid"]) and of["process.executable.name"] == "prog"
	        for s in r["scopeLogs"]:
	            assert (s["scope"]["name"], s["scope"]["version"]) == ("otel.profiling", "0.1.0"), s["scope"]
	            for x in s["logRecords"]:
	                a = attrs(x)
	                assert a["com.splunk.sourcetype"] == "otel.profiling" and a["source.event.period"] == "50", a
	                assert a["profiling.data.type"] == "cpu" and a["profiling.data.format"] == "text", a
	                assert int(x["timeUnixNano"]) and x["eventName"] == "otel.profiling"
	                head, state, *frames = x["body"]["stringValue"].rstrip("\n").split("\n")
	                assert HEAD.match(head), head
	                assert re.match(r"   \w+$", state), state
	                assert frames and all(FRAME.match(f) for f in frames), frames
	                ids = (x.get("traceId", ""), x.get("spanId", ""))
	                assert ids == (("ab" * 16, "cd" * 8) if '"busy"' in head else ("", "")), (head, ids)
	                n += 1
	print(n, "records")
	assert n >= 30
	END
}

agent_arrives() { # OUTPUT
	agent_collector
	agent_run "$1,file:$T/file.otlp"
	collector_stop
	agent_samples "$T/file.otlp" | sort >"$T/want"
	[ -s "$T/want" ] || fail "no samples"
	case $1 in
	otlp) agent_samples "$T/profiles" ;;
	*) agent_samples "$T/logs.json" ;;
	esac | sort >"$T/got"
	same_lines "$T/want" "$T/got"
	[ "$1" != splunk-text ] || agent_fields
}

if go_group agent ./collector; then
	for output in splunk-text splunk-pprof otlp; do
		try "agent-$output" agent_arrives $output
	done
fi
