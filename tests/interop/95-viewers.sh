# Formats of viewers: speedscope's own code imports what we write and what we read, with the same totals.

SPEEDSCOPE=1.25.0

viewers_oracle() { "$PYTHON" "$HERE/viewers_oracle.py" "$@"; }

# The release of speedscope, pinned; sets RELEASE.
speedscope_setup() {
	local to=$CACHE/speedscope-$SPEEDSCOPE
	needs node
	needs npm
	RELEASE=$to/node_modules/speedscope/dist/release
	[ -d "$RELEASE" ] && return 0
	mkdir -p "$to"
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$to" "speedscope@$SPEEDSCOPE" >"$to.log" 2>&1 || {
		echo "npm cannot install speedscope $SPEEDSCOPE"
		exit 77
	}
}

# import_sums KIND FILE: what speedscope makes of it.
import_sums() { node "$HERE/speedscope_import.js" "$RELEASE" "$2" >"$T/import" && viewers_oracle sums "$1" <"$T/import"; }

# The totals of a file that is written for a viewer are those of the model.
imports() { # FILE
	speedscope_setup
	"$OTPROF" show --json "$1" >"$T/all.json" 2>"$T/notes"
	viewers_oracle totals "$T/all.json" "" >"$T/want"
	"$OTPROF" convert "$1" -o "$T/x.speedscope.json" 2>>"$T/notes"
	import_sums "" "$T/x.speedscope.json" >"$T/got"
	same_lines "$T/want" "$T/got"
	"$OTPROF" convert "$1" -o "$T/x.firefox.json" 2>>"$T/notes"
	viewers_oracle firefox "$T/x.firefox.json" >"$T/got"
	same_lines "$T/want" "$T/got"
	"$OTPROF" show --json "$T/x.firefox.json" >"$T/back.json" 2>>"$T/notes"
	viewers_oracle totals "$T/all.json" values >"$T/want"
	viewers_oracle totals "$T/back.json" values >"$T/got"
	same_lines "$T/want" "$T/got"
	check_passes "$T/x.firefox.json"
	viewers_oracle totals "$T/all.json" trace >"$T/want"
	"$OTPROF" convert "$1" -o "$T/x.trace.json" 2>>"$T/notes"
	import_sums trace "$T/x.trace.json" >"$T/got"
	same_lines "$T/want" "$T/got"
	"$OTPROF" convert "$1" -o "$T/x.cpuprofile" 2>>"$T/notes"
	# speedscope leaves out when nothing ran.
	"$OTPROF" show --json --ignore '^\(idle\)$' "$T/x.cpuprofile" >"$T/one.json"
	viewers_oracle totals "$T/one.json" trace >"$T/want"
	import_sums trace "$T/x.cpuprofile" >"$T/got"
	same_lines "$T/want" "$T/got"
	check_passes "$T/x.speedscope.json"
	check_passes "$T/x.trace.json"
	check_passes "$T/x.cpuprofile"
}

# A trace by another hand: speedscope reads it as we do.
trace() { # SEED
	speedscope_setup
	"$PYTHON" "$HERE/../../bench/trace_gen.py" 300000 "$1" >"$T/in.json"
	"$OTPROF" show --json "$T/in.json" >"$T/all.json"
	viewers_oracle totals "$T/all.json" trace >"$T/want"
	import_sums trace "$T/in.json" >"$T/got"
	same_lines "$T/want" "$T/got"
	check_passes "$T/in.json"
	imports "$T/in.json"
}

# What Node.js writes, every nanosecond of it.
node_profile() {
	needs node
	cat >"$T/work.js" <<-END
		const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
		const start = Date.now();
		while (Date.now() - start < 400) JSON.stringify([fib(18), [1, 2].map((x) => fib(10 + x))]);
	END
	node --cpu-prof --cpu-prof-interval 200 --cpu-prof-dir "$T/prof" "$T/work.js"
	mv "$T"/prof/*.cpuprofile "$T/in.cpuprofile"
	viewers_oracle cpuprofile "$T/in.cpuprofile" >"$T/want"
	"$OTPROF" show --json "$T/in.cpuprofile" >"$T/all.json"
	viewers_oracle totals "$T/all.json" "" | cut -f 2 >"$T/got"
	same_lines "$T/want" "$T/got"
	convert "$T/in.cpuprofile" "$T/out.cpuprofile"
	"$OTPROF" show --raw "$T/in.cpuprofile" >"$T/want"
	raw_equals "$T/out.cpuprofile" "$T/want"
	imports "$T/in.cpuprofile"
}

# A raw profile of Firefox: speedscope gives each sample the time until the next, if a function of a script is in it.
gecko_times() { # SEED
	speedscope_setup
	"$PYTHON" "$HERE/gecko_gen.py" "$1" tools >"$T/in.json"
	import_sums trace "$T/in.json" >"$T/want"
	"$OTPROF" show --raw "$T/in.json" | viewers_oracle gecko >"$T/got"
	same_lines "$T/want" "$T/got"
}

# The older form of the same file, with timestamps and with counts only, as speedscope and Python see it.
old_cpuprofile() {
	speedscope_setup
	cat >"$T/work.js" <<-END
		const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
		const start = Date.now();
		while (Date.now() - start < 200) JSON.stringify([fib(18), [1, 2].map((x) => fib(10 + x))]);
	END
	node --cpu-prof --cpu-prof-interval 200 --cpu-prof-dir "$T/prof" "$T/work.js"
	viewers_oracle nested "$T"/prof/*.cpuprofile "$T/old.cpuprofile" "$T/counts.cpuprofile" >"$T/want.counts"
	# speedscope leaves out when nothing ran.
	"$OTPROF" show --json --ignore '^\(idle\)$' "$T/old.cpuprofile" >"$T/all.json"
	viewers_oracle totals "$T/all.json" trace >"$T/want"
	import_sums trace "$T/old.cpuprofile" >"$T/got"
	same_lines "$T/want" "$T/got"
	"$OTPROF" show --json "$T/counts.cpuprofile" >"$T/all.json"
	viewers_oracle totals "$T/all.json" "" >"$T/got"
	same_lines "$T/want.counts" "$T/got"
	check_passes "$T/old.cpuprofile"
	check_passes "$T/counts.cpuprofile"
}

# A heap profile of Node.js: the bytes of all nodes, as speedscope and Python see them.
heap_profile() {
	speedscope_setup
	cat >"$T/work.js" <<-END
		const kept = [];
		const make = (n) => Array.from({ length: n }, (_, i) => ({ i, text: "x" + i, list: new Array(20).fill(i) }));
		for (let i = 0; i < 100; i++) kept.push(make(2000));
	END
	node --heap-prof --heap-prof-interval 8192 --heap-prof-dir "$T/prof" "$T/work.js"
	mv "$T"/prof/*.heapprofile "$T/in.heapprofile"
	"$OTPROF" show --json "$T/in.heapprofile" >"$T/all.json"
	viewers_oracle totals "$T/all.json" "" >"$T/got"
	viewers_oracle heapprofile "$T/in.heapprofile" >"$T/want"
	same_lines "$T/want" "$T/got"
	import_sums "" "$T/in.heapprofile" >"$T/got"
	same_lines "$T/want" "$T/got"
	check_passes "$T/in.heapprofile"
	imports "$T/in.heapprofile"
}

try viewers-example imports "$BUILD/example.otlp"
try viewers-node node_profile
try viewers-old-cpuprofile old_cpuprofile
try viewers-heap heap_profile
for seed in 1 2 3; do
	try "viewers-trace-$seed" trace $seed
done
for seed in 1 2 3; do
	try "viewers-gecko-$seed" gecko_times $seed
done
