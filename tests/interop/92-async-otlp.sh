# OTLP as async-profiler writes it, each release in another wire version and packing: by its agent and by its converter.
# Judged by the collapsed stacks that the same release writes of the same data: every stack and its sum.
. "$HERE/jfr_lib.sh"

AP_AGENTS="4.1:5535baa56133628cfffe2f05ca9bfef1fae3d5abe49835447262b1c6da4a9582
4.2:445b7bdc6a3ed03d45a9d4b61b5a5fc072b3e9952d7f2b63722312f48ea9ee18
4.3:d24119d121e397d9a4dc1441689fbbc5cd197d9612ab1212606dfbe8cdffdbfb
4.4:47f321b8cdbadda2c281a612f6ac245254c81a02ce578abf782a53170ea40b37
4.5:d0184907de67ca63363f1a6333c75eb7414fb3e13c564641304fe0fdca97363e"
# Maven has no others.
AP_CONVERTERS="4.1:8e60f9faba893993a99cac524981074095a928cad0ffa9dfddf9ff6de9747e4c
4.2:16093ca59bd3cafb02a7548b513531ce576f1a6c643533390cbe53855b50ef6d
4.5:d8a5452b26adb11a2a0abf0c53799a6fd60dbccb0647efa5a734e3c46ced3df4"

# What a release calls its counts, and its totals.
AP_COUNTS=cpu/count,itimer/count,wall/count,noop/count,object_sampler/count
AP_TOTALS=noop/total,lock_tracer/ns

# stack_sums FILE: lines of collapsed stacks, each once, without threads and without what the converter adds to frames.
stack_sums() {
	sed -E 's/^\[[^];]*tid=[0-9]+\];//; s/_\[[0ijk1]\](;| [0-9]+$)/\1/g' "$1" |
		awk '{ n = $NF; sub(/ [^ ]*$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | sort
}

# same_stacks OTLP COLLAPSED TYPES
same_stacks() {
	"$OTPROF" convert --type "$3" "$1" -o "$T/ours.folded" || fail "convert $1: status $?"
	stack_sums "$2" >"$T/want"
	stack_sums "$T/ours.folded" >"$T/got"
	[ -s "$T/want" ] || fail "nothing was sampled"
	same_lines "$T/want" "$T/got"
}

agent() { # VERSION ARGUMENTS
	local types=$AP_COUNTS
	case $2 in *total*) types=$AP_TOTALS ;; esac
	"$JAVA_FIRST/bin/java" -cp "$CACHE/java/async-profiler-$1.jar" "$HERE/java/AgentDump.java" \
		"$CACHE/java/libasyncProfiler-$1.so" "$2" "$T/dump" >"$T/log" 2>&1 || fail "$(tail -n 2 "$T/log")"
	same_stacks "$T/dump.otlp" "$T/dump.collapsed" "$types"
}

# A release does not read what later ones record.
converter() { # VERSION ARGUMENT...
	local jar=$CACHE/java/jfr-converter-$1.jar AP_LIB=$CACHE/java/libasyncProfiler-$1.so
	shift
	jfr_profile "$T/dump.jfr" "$JAVA_FIRST" 1000 event=itimer
	"$JAVA_FIRST/bin/java" -jar "$jar" "$@" -o otlp "$T/dump.jfr" "$T/dump.otlp"
	"$JAVA_FIRST/bin/java" -jar "$jar" "$@" -o collapsed "$T/dump.jfr" "$T/dump.collapsed"
	same_stacks "$T/dump.otlp" "$T/dump.collapsed" $AP_COUNTS
}

if ! why=$(java_find && async_profiler 2>&1); then
	skip async-otlp "$why"
else
	java_find
	for release in $AP_AGENTS; do
		version=${release%%:*}
		if ! why=$(jar_get async-profiler "$version" "${release#*:}" &&
			ap_library "$version" "$CACHE/java/libasyncProfiler-$version.so"); then
			skip "async-otlp/agent-$version" "$why"
			continue
		fi
		try "async-otlp-agent-$version-itimer" agent "$version" event=itimer
		try "async-otlp-agent-$version-wall-threads" agent "$version" event=wall,threads
		try "async-otlp-agent-$version-lock" agent "$version" event=lock,total
	done
	for release in $AP_CONVERTERS; do
		version=${release%%:*}
		if ! why=$(jar_get jfr-converter "$version" "${release#*:}"); then
			skip "async-otlp/converter-$version" "$why"
			continue
		fi
		try "async-otlp-converter-$version" converter "$version"
		try "async-otlp-converter-$version-threads" converter "$version" --threads
	done
fi
