# Profiles of Firefox and reports of simpleperf: the Firefox Profiler's own code loads what we read and what we write, and
# each function weighs the same.

PROFILER_CLI=0.10.0

# The release of its command line, pinned; sets CLI.
profiler_setup() {
	local to=$CACHE/profiler-cli-$PROFILER_CLI
	needs node
	needs npm
	CLI=$to/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js
	[ -f "$CLI" ] || {
		mkdir -p "$to"
		npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$to" \
			"@firefox-devtools/profiler-cli@$PROFILER_CLI" >"$to.log" 2>&1
	} || {
		echo "npm cannot install profiler-cli $PROFILER_CLI"
		exit 77
	}
	node "$CLI" --version >/dev/null 2>&1 || {
		echo "profiler-cli does not run with this node: $(node --version)"
		exit 77
	}
}

# weighs FILE SOURCE [OPTION...]: what the Profiler says of FILE is what we say of SOURCE.
weighs() {
	local file=$1 source=$2
	shift 2
	"$PYTHON" "$HERE/firefox_oracle.py" profiler "$CLI" "$file" >"$T/want"
	"$OTPROF" show --json --top 1000000 "$@" "$source" >"$T/top.json" 2>"$T/notes"
	"$PYTHON" "$HERE/firefox_oracle.py" ours "$T/top.json" >"$T/got"
	[ -s "$T/want" ] || fail "the Profiler finds nothing"
	same_lines "$T/want" "$T/got"
}

# A profile of any version; and what we make of it, written as we write it.
gecko() { # SEED KIND
	profiler_setup
	"$PYTHON" "$HERE/gecko_gen.py" "$1" "$2" >"$T/in.json"
	weighs "$T/in.json" "$T/in.json"
	check_passes "$T/in.json"
	"$OTPROF" convert "$T/in.json" -o "$T/in.otlp"
	"$OTPROF" convert "$T/in.otlp" -o "$T/out.firefox.json"
	weighs "$T/out.firefox.json" "$T/out.firefox.json"
	check_passes "$T/out.firefox.json"
	"$OTPROF" show --json "$T/in.json" | grep -E '"(type|unit|total)"' >"$T/want"
	"$OTPROF" show --json "$T/out.firefox.json" | grep -E '"(type|unit|total)"' >"$T/got"
	same_lines "$T/want" "$T/got"
}

# Of each event the samples and periods, by a plain reader; of functions, by the Profiler.
simpleperf() { # SEED
	"$PYTHON" "$HERE/simpleperf_gen.py" gen "$1" >"$T/in.trace"
	"$PYTHON" "$HERE/simpleperf_gen.py" read "$T/in.trace" >"$T/want"
	"$OTPROF" convert "$T/in.trace" -o "$T/in.otlp" 2>"$T/notes"
	"$OTPROF" show --json "$T/in.otlp" >"$T/all.json"
	"$PYTHON" "$HERE/firefox_oracle.py" events "$T/all.json" >"$T/got"
	same_lines "$T/want" "$T/got"
	check_passes "$T/in.trace"
	profiler_setup
	# It weighs cpu-clock in milliseconds, and other events not at all.
	"$PYTHON" "$HERE/firefox_oracle.py" profiler "$CLI" "$T/in.trace" | awk -F '\t' '{ print $1 "\t" $2 * 4 }' >"$T/want"
	"$OTPROF" show --json --top 1000000 --event cpu-clock "$T/in.trace" >"$T/top.json" 2>>"$T/notes"
	"$PYTHON" "$HERE/firefox_oracle.py" ours "$T/top.json" >"$T/got"
	same_lines "$T/want" "$T/got"
}

for kind in raw old-raw tools 29 38 41 48 50 56 58 60 64 66 70; do
	try "firefox-$kind" gecko 1 $kind
done
for seed in 1 2 3; do
	try "simpleperf-$seed" simpleperf $seed
done
