# The agent into a real Collector: logs and profiles arrive, equal what was sampled, and say what the convention of 2021
# wants, field by field.

. "$HERE/collector_lib.sh"

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
	collector_keep clear
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

# What Splunk's library and the agent with pprof bodies have, or one of them; what only text bodies have.
agent_fields_of_both() {
	cat <<-'END'
	both attribute com.splunk.sourcetype
	both attribute profiling.data.format
	both attribute profiling.data.total.frame.count
	both attribute profiling.data.type
	both attribute profiling.instrumentation.source
	both field timeUnixNano
	both format pprof-gzip-base64
	both label source.event.period
	both label source.event.time
	both label span_id
	both label thread.id
	both label trace_id
	both resource service.name
	both resource telemetry.sdk.language
	both resource telemetry.sdk.name
	both resource telemetry.sdk.version
	ours field eventName
	ours first string ''
	ours label otprof.thread.cpu_time
	ours label otprof.thread.elapsed
	ours label otprof.thread.os_prio
	ours label otprof.thread.prio
	ours label otprof.thread.status
	ours label otprof.thread.tid
	ours label otprof.time_unix_nano
	ours label thread.name
	ours label thread.os.id
	ours label thread.state
	ours many in a record
	ours scope attribute otprof.profile
	ours scope otel.profiling 0.1.0
	text attribute source.event.period
	text field spanId
	text field traceId
	text format text
	theirs field observedTimeUnixNano
	theirs first string 'source.event.time'
	theirs one round in a record
	theirs resource splunk.distro.version
	theirs resource telemetry.distro.name
	theirs resource telemetry.distro.version
	theirs scope otel.profiling 0.2.0
	END
}

# Splunk's own library for Python and the agent send to the same Collector. We read all of it; what they have in common,
# and what not, is the table in docs/agent.md.
agent_beside_splunk() {
	local ids
	collector_keep clear
	export PYTHONPATH=$CACHE/splunk-$SPLUNK_OTEL
	ids=$(env SPLUNK_PROFILER_ENABLED=true SPLUNK_PROFILER_CALL_STACK_INTERVAL=50 OTEL_SERVICE_NAME=shop-python \
		OTEL_EXPORTER_OTLP_ENDPOINT="http://$GRPC" OTEL_METRICS_EXPORTER=none OTEL_TRACES_EXPORTER=none \
		"$PYTHON" "$HERE/splunk_prog.py")
	agent_run splunk-text,splunk-pprof
	collector_stop
	agent_fields_of_both >"$T/want"
	"$PYTHON" "$HERE/splunk_oracle.py" fields "$T/logs.json" shop-python | LC_ALL=C sort >"$T/got"
	same_lines "$T/want" "$T/got"
	"$PYTHON" "$HERE/splunk_oracle.py" samples "$T/logs.json" shop-python | LC_ALL=C sort >"$T/want"
	"$OTPROF" filter --where service=shop-python "$T/logs.json" -o "$T/theirs.otlp"
	"$OTPROF" show --raw "$T/theirs.otlp" | awk -F'\t' -v OFS='\t' '{ n = split($4, t, ",")
		for (i = 1; i <= n; i++) print t[i], $5, $6, $7 }' | LC_ALL=C sort >"$T/got"
	same_lines "$T/want" "$T/got"
	[ "$(grep "	$ids	" "$T/got" | grep -c '"burn"')" -ge 10 ] || fail "no samples in the span $ids"
}

if go_group agent ./collector; then
	try agent-beside-splunk agent_beside_splunk
	for output in splunk-text splunk-pprof otlp; do
		try "agent-$output" agent_arrives $output
	done
fi
