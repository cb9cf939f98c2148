# JFR: recordings of our own workload, by the JDKs found and by async-profiler. Each event is judged by the JDK's own
# `jfr print`, sums by async-profiler's jfrconv.
. "$HERE/jfr_lib.sh"

jfr_oracle() { "$PYTHON" "$HERE/jfr_oracle.py" "$@"; }

# What holds for any recording. Arguments for the oracle's check may follow. The profiles are listed in $T/profiles.
jfr_judge() { # JFR ARGUMENT...
	local jfr=$1
	shift
	cp "$jfr" "$CACHE/jfr/${T##*/}.jfr"
	convert "$jfr" "$T/out.otlp"
	jfr_oracle check --jfr "$JAVA_LAST/bin/jfr" "$@" "$jfr" "$T/out.otlp" >"$T/profiles" 2>"$T/findings" ||
		fail "$(head -n 4 "$T/findings")"
	jfr_oracle times "$jfr" "$T/out.otlp"
	"$OTPROF" check --strict "$T/out.otlp" >"$T/check.out" 2>&1 || { head -n 3 "$T/check.out"; fail "check --strict"; }
	[ ! -x "$GOPEERS/profcheck" ] || "$GOPEERS/profcheck" -check-dupes "$T/out.otlp"
	jfr_oracle split "$jfr" "$T"
}

# sums JFR TYPES EVENT...: SUMS becomes folded files, and PPROFS the same by way of pprof, of these profiles.
sums() {
	local jfr=$1 types=$2 event type one
	shift 2
	SUMS=() PPROFS=()
	for event; do
		for type in $types; do
			grep -q " $event $type\$" "$T/profiles" || continue
			one=$T/$event-${type%/*}
			"$OTPROF" convert --event "$event" --type "$type" "$jfr" -o "$one.folded" || fail "--event $event"
			"$OTPROF" convert --type "$event" "$jfr" -o "$T/event.otlp" || fail "--type $event"
			"$OTPROF" convert --type "$type" "$T/event.otlp" -o "$one.pprof" 2>/dev/null
			"$OTPROF" convert "$one.pprof" -o "$one.pprof.folded"
			SUMS+=("$one.folded") PPROFS+=("$one.pprof.folded")
		done
	done
	[ ${#SUMS[@]} -gt 0 ]
}

# by_jfrconv FORMAT OPTION...: its output of each chunk of the recording, in the folder $T/FORMAT. By itself, because it
# takes stacks that a chunk lacks from the chunks before, be they of another JVM.
by_jfrconv() {
	local format=$1
	shift
	rm -rf "${T:?}/$format"
	mkdir "$T/$format"
	jfrconv "$@" -o "$format" "$T"/chunk-*.jfr "$T/$format" >/dev/null
}

# same_as_jfrconv JFR OPTIONS TYPES EVENT...: jfrconv's stacks are the sums of these profiles. What may differ:
# it writes slashes and suffixes in frames, gives the class of an object a frame of its own, and leaves events without a
# stack out of collapsed (not of pprof, so that there the totals are equal).
same_as_jfrconv() {
	local jfr=$1 options=$2 types=$3 class=--class file
	shift 3
	sums "$jfr" "$types" "$@" || return 0
	case $options in --cpu | --wall) class= ;; esac
	# shellcheck disable=SC2086
	by_jfrconv collapsed $options
	cat "$T"/collapsed/* >"$T/theirs.collapsed"
	# shellcheck disable=SC2086
	jfr_oracle collapsed $class "$T/theirs.collapsed" "${SUMS[@]}" || fail "against jfrconv $options"
	# shellcheck disable=SC2086
	by_jfrconv pprof $options
	for file in "$T"/pprof/*; do
		"$OTPROF" convert "$file" -o "$file.folded"
	done
	[ "$(jfr_oracle total "$T"/pprof/*.folded)" = "$(jfr_oracle total "${PPROFS[@]}")" ] ||
		fail "pprof against jfrconv $options"
}

# It tells samples apart by the thread's state, not by their event type: all of the JDK's are "wall".
jfrconv_of_jdk() { # JFR
	same_as_jfrconv "$1" --wall samples/count jdk.ExecutionSample jdk.NativeMethodSample
	jfrconv_of_any "$1"
}

jfrconv_of_async() { # JFR
	same_as_jfrconv "$1" --cpu samples/count jdk.ExecutionSample
	same_as_jfrconv "$1" --wall samples/count profiler.WallClockSample
	same_as_jfrconv "$1" '--live --total' inuse_space/bytes profiler.LiveObject
	jfrconv_of_any "$1"
}

jfrconv_of_any() { # JFR
	local objects='jdk.ObjectAllocationInNewTLAB jdk.ObjectAllocationOutsideTLAB jdk.ObjectAllocationSample'
	# shellcheck disable=SC2086
	same_as_jfrconv "$1" '--alloc --total' alloc_space/bytes $objects
	same_as_jfrconv "$1" '--lock --total' 'lock/nanoseconds park/nanoseconds park_timed/nanoseconds' \
		jdk.JavaMonitorEnter jdk.ThreadPark
}

# --- recordings

# jdk HOME CHUNKS SETTINGS [PERIOD]: PERIOD is that of jdk.ExecutionSample.
jdk() {
	jfr_record "$T/in.jfr" "$1" 1500 "$2" "$3" || { tail -n 2 "$T/in.jfr.log"; fail "no recording"; }
	jfr_judge "$T/in.jfr" --period jdk.ExecutionSample="$4" --period jdk.NativeMethodSample=20000000
	[ ! -f "$JFRCONV" ] || jfrconv_of_jdk "$T/in.jfr"
}

async() { # HOME ARGUMENTS CHECK-ARGUMENT...
	local home=$1 arguments=$2
	shift 2
	jfr_profile "$T/in.jfr" "$home" 1500 "$arguments" || { tail -n 2 "$T/in.jfr.log"; fail "no recording"; }
	jfr_judge "$T/in.jfr" "$@"
	jfrconv_of_async "$T/in.jfr"
}

# Chunks of the JDK and of async-profiler in one file; jfrconv knows the thread states of the first alone.
mixed() { # HOME
	jfr_profile "$T/in.jfr" "$1" 1500 event=itimer,interval=10ms,wall=50ms,alloc=512k,jfrsync=default ||
		fail "no recording"
	jfr_judge "$T/in.jfr"
}

# Samples of wall time as jdk.ExecutionSample, which they were before version 4: told apart as jfrconv does it.
engines() { # HOME
	local kind
	jfr_profile "$T/in.jfr" "$1" 1500 event=itimer,interval=5ms,wall=20ms,nobatch || fail "no recording"
	for kind in cpu wall; do
		jfrconv "--$kind" -o collapsed "$T/in.jfr" "$T/$kind.collapsed" >/dev/null
		"$OTPROF" convert "--$kind" "$T/in.jfr" -o "$T/$kind.folded" || fail "--$kind"
		[ -s "$T/$kind.folded" ] || fail "no samples of --$kind"
		jfr_oracle collapsed "$T/$kind.collapsed" "$T/$kind.folded" || fail "against jfrconv --$kind"
	done
}

# Recordings of several JVMs behind each other are one: all observations of each, once.
concatenated() {
	cat "$CACHE"/jfr/*-profile-chunks.jfr "$CACHE"/jfr/*-all.jfr >"$T/in.jfr"
	jfr_judge "$T/in.jfr"
}

# Times below which events are not written: all of them shall be.
EVERY='jdk.ThreadPark#threshold=0ms,jdk.ThreadSleep#threshold=0ms,jdk.JavaMonitorEnter#threshold=0ms'
EVERY=$EVERY,'jdk.JavaMonitorWait#threshold=0ms,jdk.FileRead#threshold=0ms,jdk.FileWrite#threshold=0ms'
EVERY=$EVERY,'jdk.SocketRead#threshold=0ms,jdk.SocketWrite#threshold=0ms,jdk.JavaExceptionThrow#enabled=true'
EVERY=$EVERY,'jdk.ObjectAllocationInNewTLAB#enabled=true,jdk.ObjectAllocationOutsideTLAB#enabled=true'
EVERY=$EVERY,'jdk.GCPhasePause#threshold=0ms,jdk.ExecuteVMOperation#threshold=0ms,jdk.OldObjectSample#cutoff=0ms'
TRACED='+jdk.CPUTimeSample#enabled=true,+jdk.CPUTimeSample#throttle=10ms,jdk.VirtualThreadPinned#threshold=0ms'
TRACED=$TRACED,'jdk.MethodTrace#enabled=true,jdk.MethodTrace#threshold=0ms,jdk.MethodTrace#filter=Workload::pass'

jdk_group() { # HOME
	local home=$1 feature name
	feature=$(java_feature "$home") name=jfr-jdk$(java_feature "$home")
	try "$name-default" jdk "$home" 1 settings=default 20000000
	try "$name-profile-chunks" jdk "$home" 3 settings=profile 10000000
	if [ "$feature" -ge 25 ]; then
		try "$name-every" jdk "$home" 2 "settings=profile,$EVERY,$TRACED" 10000000
	elif [ "$feature" -ge 17 ]; then
		try "$name-every" jdk "$home" 2 "settings=profile,$EVERY" 10000000
	fi
}

async_group() {
	local first=jfr-async$(java_feature "$JAVA_FIRST") last=jfr-async$(java_feature "$JAVA_LAST")
	try "$first-all" async "$JAVA_FIRST" event=cpu,interval=5ms,wall=20ms,alloc=64k,lock=10us \
		--period jdk.ExecutionSample=5000000 --period profiler.WallClockSample=20000000
	try "$first-live" async "$JAVA_FIRST" event=ctimer,cstack=no,alloc=16k,live
	try "$last-nativemem" async "$JAVA_LAST" event=itimer,interval=2ms,nativemem=32k,lock=10us \
		--period jdk.ExecutionSample=2000000
	try "$last-jfrsync" mixed "$JAVA_LAST"
	try "$last-engines" engines "$JAVA_LAST"
	try jfr-concatenated concatenated
}

jfr_group() {
	rm -rf "$CACHE/jfr"
	mkdir -p "$CACHE/jfr"
	jdk_group "$JAVA_FIRST"
	[ "$JAVA_LAST" = "$JAVA_FIRST" ] || jdk_group "$JAVA_LAST"
	if async_profiler >"$CACHE/jfr-setup.log" 2>&1; then
		async_group
	else
		skip jfr-async "$(tail -n 1 "$CACHE/jfr-setup.log")"
	fi
}

if group_needs jfr jfr; then
	if ! java_find >"$CACHE/jfr-setup.log" 2>&1; then
		skip jfr "$(tail -n 1 "$CACHE/jfr-setup.log")"
	else
		go_peers $PROFCHECK >"$CACHE/jfr-build.log" 2>&1 || skip jfr-profcheck "no profcheck"
		jfr_group
	fi
fi
