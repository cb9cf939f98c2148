# perf: recordings that perf makes here, each sample judged by perf script. Then the same by way of its text.

# What is recorded: C programs with frame pointers and without, and a shell that starts others.
perf_programs() {
	mkdir -p "$CACHE/perf"
	[ -x "$CACHE/perf/spin" ] || "${CC:-cc}" -O1 -g -fno-omit-frame-pointer -o "$CACHE/perf/spin" "$HERE/perf_spin.c" -pthread
	[ -x "$CACHE/perf/spin-nofp" ] ||
		"${CC:-cc}" -O2 -g -fomit-frame-pointer -o "$CACHE/perf/spin-nofp" "$HERE/perf_spin.c" -pthread
}

# perf_record OPTION...: into $T/in.data, unless this kernel does not let us. BPF programs are none of ours.
perf_record() {
	perf record -q --no-bpf-event "$@" >"$T/record.log" 2>&1 && [ -s "$T/in.data" ] && return
	tail -n 2 "$T/record.log"
	echo "perf cannot record this here"
	exit 77
}

perf_script() { # FIELDS OPTION...
	local fields=$1
	shift
	perf script -i "$T/in.data" --ns --no-inline -F "$fields" "$@" 2>"$T/script.err"
}

# perf_judge ORACLE-OPTION EVENT...: every sample of these events is what perf script says.
perf_judge() {
	local option=$1 event raws=()
	shift
	perf_script comm,pid,tid,time,event,ip,sym,dso >"$T/script.txt" || fail "perf script: $(tail -n 1 "$T/script.err")"
	for event; do
		"$OTPROF" show --raw --symbol-root / --event "$event" "$T/in.data" >"$T/$event.raw" || fail "--event $event"
		raws+=("$event=$T/$event.raw")
	done
	# shellcheck disable=SC2086
	"$PYTHON" "$HERE/perf_oracle.py" $option "$T/script.txt" "${raws[@]}" || fail "samples differ"
	convert "$T/in.data" "$T/out.otlp"
	check_passes "$T/out.otlp"
}

# The text has as many samples with the same names as the recording with names by perf.
perf_text() {
	perf_script comm,pid,tid,time,period,event,ip,sym,dso >"$T/text.perf"
	"$OTPROF" convert "$T/text.perf" -o "$T/text.folded" || fail "convert text"
	"$PYTHON" "$HERE/perf_oracle.py" --folded "$T/text.perf" "$T/text.folded"
}

# The same samples, whichever fields are printed: with callers, and without.
perf_fields() { # OPTION...
	local fields
	perf_record "$@" -e cpu-clock -F 999 -o "$T/in.data" -- "$CACHE/perf/spin" 1
	perf_script comm,tid,time,event,ip,sym,dso >"$T/all.perf"
	"$OTPROF" convert "$T/all.perf" -t folded | sort >"$T/all.folded"
	for fields in ip,sym,dso comm,ip,sym,dso tid,ip,sym,dso pid,tid,ip,sym,dso event,ip,sym,dso period,event,ip,sym,dso \
		time,ip,sym,dso comm,tid,ip,sym,dso comm,tid,event,ip,sym,dso comm,tid,misc,time,event,ip,sym,symoff,dso; do
		perf_script "$fields" >"$T/some.perf"
		"$OTPROF" convert "$T/some.perf" -t folded 2>/dev/null | sort | cmp -s - "$T/all.folded" || fail "-F $fields"
	done
}
fields() { perf_fields -g && perf_fields; }

fp() { perf_record -e cpu-clock -F 999 -g -o "$T/in.data" -- "$CACHE/perf/spin" 1; perf_judge '' cpu-clock; perf_text; }
packed() { perf_record -z -e cpu-clock -F 999 -g -o "$T/in.data" -- "$CACHE/perf/spin" 1; perf_judge '' cpu-clock; }
machine() { perf_record -a -e cpu-clock -F 999 -g -o "$T/in.data" -- sh "$HERE/perf_shell.sh"; perf_judge '' cpu-clock; perf_text; }
alone() { perf_record -e cpu-clock -F 999 -o "$T/in.data" -- "$CACHE/perf/spin" 1; perf_judge '' cpu-clock; perf_text; }
events() {
	perf_record -g -e cpu-clock,page-faults,context-switches -o "$T/in.data" -- sh "$HERE/perf_shell.sh"
	perf_judge '' cpu-clock page-faults context-switches
}
piped() {
	perf record -q --no-bpf-event -g -e cpu-clock -F 999 -o - -- "$CACHE/perf/spin" 1 2>"$T/record.log" >"$T/in.data" ||
		{ echo "perf cannot record this here"; exit 77; }
	# What the program itself printed is behind the recording.
	perf_judge '' cpu-clock
	"$OTPROF" show --raw --symbol-root / - <"$T/in.data" | cmp - "$T/cpu-clock.raw"
}
dwarf() {
	perf_record -e cpu-clock -F 299 --call-graph dwarf,16384 -o "$T/in.data" -- "$CACHE/perf/spin-nofp" 1
	perf_judge --unwound cpu-clock
}
# Functions by --symbolize are those of perf.
names() {
	perf_record -e cpu-clock -F 999 -g -o "$T/in.data" -- "$CACHE/perf/spin" 1
	perf_script ip,sym,dso >"$T/script.txt"
	"$OTPROF" show --symbolize --raw "$T/in.data" >"$T/named.raw" 2>/dev/null
	"$PYTHON" "$HERE/perf_oracle.py" --names "$T/script.txt" "$T/named.raw"
}
# With a clock that the recording ties to the wall, samples are of the time that it was made.
wall() {
	local before
	before=$(date +%s)
	perf_record -k CLOCK_MONOTONIC -e cpu-clock -F 999 -o "$T/in.data" -- "$CACHE/perf/spin" 1
	"$OTPROF" show --raw "$T/in.data" | cut -f 4 | tr , '\n' >"$T/times"
	awk -v from="$before" -v to="$(date +%s)" \
		'{ s = substr($1, 1, length($1) - 9) } s < from || s > to { bad++ } END { exit bad || !NR }' "$T/times" ||
		fail "times are not those of the recording"
}
# A process that sleeps has an interval of at least that length in which it does not run.
switches() {
	perf_record --switch-events -e cpu-clock -F 999 -o "$T/in.data" -- sh -c 'sleep 0.2'
	"$OTPROF" show --raw --event off_cpu "$T/in.data" | grep 'thread.name="sleep"' | cut -f 2,3 | tr , '\n' |
		awk '$NF >= 200000000 && $NF < 9000000000 { n++ } END { exit n != 1 }' || fail "no interval of 200 ms"
}
# perf was killed: what it had written until then is read.
killed() {
	local n
	fp
	n=$(wc -c <"$T/in.data")
	head -c $((n / 2)) "$T/in.data" >"$T/cut.data"
	! "$OTPROF" show "$T/cut.data" >/dev/null 2>&1 || fail "half a recording was read"
	"$OTPROF" show --raw --recover "$T/cut.data" >"$T/cut.raw" 2>/dev/null || fail "half a recording was refused"
	[ -s "$T/cut.raw" ]
}

if group_needs perf perf; then
	if ! command -v perf >/dev/null; then
		skip perf "no perf"
	elif ! perf_programs >"$CACHE/perf-build.log" 2>&1; then
		not_ok perf "$(tail -n 1 "$CACHE/perf-build.log")"
	else
		for name in fp packed machine alone events piped dwarf names wall switches killed fields; do
			try "perf-$name" "$name"
		done
	fi
fi
