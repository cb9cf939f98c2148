# Views: what top, tree, peek, list and diff say, number by number as google/pprof, jfrconv and perf report say it.
# The differences that are accepted are listed in views_oracle.py.
. "$HERE/jfr_lib.sh"

views_oracle() { (cd "$T" && python3 "$HERE/views_oracle.py" "$@"); }

# --- pprof: every sample type of a file

views_pprof() { views_oracle pprof "$OTPROF" "$PPROF" "$1"; }
views_source() { views_oracle source "$OTPROF" "$PPROF" "$1" "$T/src"; }
views_diff() { views_oracle diff "$OTPROF" "$PPROF" "$1" "$2"; }

# Older formats, by way of what google/pprof makes of them.
views_legacy() { # FILE
	"$GOPEERS/pproftool" write "$1" "$T/in.pprof"
	views_pprof "$T/in.pprof"
}

# Other formats, by way of what we make of them: sums only, as pprof has them.
views_converted() { # FILE
	"$OTPROF" convert --aggregate "$1" -o "$T/in.pprof" 2>"$T/notes"
	views_pprof "$T/in.pprof"
}


# In CI a third of the files, and those that have a partner: all of them take minutes.
views_some() {
	if [ "${CI:-}" = true ]; then
		awk 'NR % 3 == 1 || /cpu-exemplars|testdata-heap|default.pgo|sample.pprof|after.pprof|testdata-cpu/'
	else
		cat
	fi
}

views_pprof_group() {
	local file before
	go_env python3 "$HERE/pprof_fetch.py" "$GO" "$CACHE/pprof" >"$CACHE/views.list" 2>"$CACHE/views.missing"
	[ ! -s "$CACHE/views.missing" ] || skip views-fetch "$(head -n 1 "$CACHE/views.missing")"
	while read -r file; do
		name=${file##*/}
		name=${name#github.com-}
		case $("$GOPEERS/pproftool" kind "$file") in
		pprof) try "views-$name" views_pprof "$file" ;;
		legacy) try "views-legacy-$name" views_legacy "$file" ;;
		esac
		case $file in
		*cpu-exemplars.pb.gz | *testdata-heap.pprof | *default.pgo | *x-tools*sample.pprof)
			try "views-source-$name" views_source "$file"
			;;
		*.after.pprof)
			before=${file%.after.pprof}.before.pprof
			[ ! -f "$before" ] || try "views-diff-$name" views_diff "$before" "$file"
			;;
		*pprof-testdata-cpu.pb.gz)
			try "views-diff-$name" views_diff "$file" "${file%cpu.pb.gz}cpu-exemplars.pb.gz"
			;;
		esac
	done < <(views_some <"$CACHE/views.list")
	for file in jfr/async jfr/endpoints perf/events; do
		try "views-converted-${file#*/}" views_converted "$HERE/../fuzz/corpus/$file"
	done
}

# --- JFR: sums of the stacks that async-profiler's converter writes

views_jfr() { # ASYNC-PROFILER-ARGUMENTS
	jfr_profile "$T/in.jfr" "$JAVA_LAST" 1500 "$1" || fail "$(tail -n 2 "$T/in.jfr.log")"
	shift
	jfrconv --dot --threads -o collapsed "$1" $2 "$T/in.jfr" "$T/stacks" >"$T/jfrconv.log" 2>&1 ||
		fail "$(tail -n 1 "$T/jfrconv.log")"
	shift 2
	views_oracle collapsed "$OTPROF" "$T/in.jfr" "$T/stacks" "$@"
}
views_cpu() { views_jfr event=itimer,interval=1ms --cpu '' --type jdk.ExecutionSample; }
views_wall() { views_jfr event=wall,interval=5ms --wall '' --type profiler.WallClockSample; }
views_alloc() { views_jfr event=itimer,interval=1ms,alloc=16k --alloc --total --class --type alloc_space; }

# --- perf

# The same names on both sides, perf's: its text. Then ours, for functions of the program.
views_perf() {
	perf record -q --no-bpf-event -e cpu-clock -F 999 -g -o "$T/in.data" -- "$CACHE/perf/spin" 1 >"$T/record.log" 2>&1 ||
		{ echo "perf cannot record this here"; exit 77; }
	perf report -i "$T/in.data" --stdio --children --no-inline -g none -F overhead_children,sample,symbol -t '|' \
		>"$T/report.txt" 2>"$T/report.err" || fail "$(tail -n 1 "$T/report.err")"
	perf script -i "$T/in.data" --ns --no-inline -F comm,pid,tid,time,event,ip,sym,dso >"$T/in.perf" 2>"$T/script.err"
	views_oracle perf "$OTPROF" "$T/in.perf" "$T/report.txt"
	views_oracle perf "$OTPROF" "$T/in.data" "$T/report.txt" work node left run right middle
}

if group_needs views pprof && go_group views ./pproftool; then
	if PPROF=$(go_env "$GO" tool -n pprof 2>"$CACHE/views.log") && [ -x "$PPROF" ]; then
		views_pprof_group
	else
		skip views-pprof "no go tool pprof: $(tail -n 1 "$CACHE/views.log")"
	fi
fi

if ! why=$(java_find && async_profiler 2>&1); then
	skip views-jfr "$why"
else
	java_find
	for name in cpu wall alloc; do
		try "views-jfr-$name" "views_$name"
	done
fi

if ! command -v perf >/dev/null; then
	skip views-perf "no perf"
else
	mkdir -p "$CACHE/perf"
	[ -x "$CACHE/perf/spin" ] ||
		"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -o "$CACHE/perf/spin" "$HERE/perf_spin.c" -pthread
	try views-perf views_perf
fi
