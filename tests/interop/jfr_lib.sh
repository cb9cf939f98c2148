# Shared by the JFR group and bench/run: JDKs, async-profiler and its converter, recordings.
# Wants HERE (this folder) and CACHE (a folder to keep things in).

AP_VERSION=4.5
AP_SHA=d0184907de67ca63363f1a6333c75eb7414fb3e13c564641304fe0fdca97363e
JFRCONV_SHA=d8a5452b26adb11a2a0abf0c53799a6fd60dbccb0647efa5a734e3c46ced3df4
MVN_COPY=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy
AP_LIB=$CACHE/java/libasyncProfiler.so
JFRCONV=$CACHE/java/jfr-converter-$AP_VERSION.jar

# java_feature HOME: 17, 25; nothing if it is no JDK with Flight Recorder.
java_feature() {
	[ -x "$1/bin/java" ] && [ -x "$1/bin/jfr" ] && [ -f "$1/release" ] || return 0
	sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

# Sets JAVA_FIRST, the one on the PATH, and JAVA_LAST, the newest; both may be the same. 11 is the first that runs a
# source file.
java_find() {
	local home feature best=0
	JAVA_FIRST='' JAVA_LAST=''
	for home in "$(readlink -f "$(command -v java)" 2>/dev/null | sed 's,/bin/java$,,')" "${JAVA_HOME:-}" \
		/usr/lib/jvm/*; do
		feature=$(java_feature "$home")
		[ "${feature:-0}" -ge 11 ] || continue
		[ "$JAVA_FIRST" ] || JAVA_FIRST=$home
		[ "$feature" -le $best ] || { JAVA_LAST=$home best=$feature; }
	done
	[ "$JAVA_FIRST" ] || { echo "no JDK with jfr, 11 or later"; return 1; }
}

# jar_get ARTIFACT VERSION SHA256: out of the repository that Maven is set up with, one at a time. Nothing is left in the
# user's own folders.
jar_get() {
	mkdir -p "$CACHE/java"
	(flock 7 && jar_fetch "$@") 7>"$CACHE/java/lock"
}

jar_fetch() {
	local jar=$CACHE/java/$1-$2.jar
	if [ ! -f "$jar" ]; then
		command -v mvn >/dev/null || { echo "no mvn to fetch $1"; return 1; }
		mvn -q -B -Dmaven.repo.local="$CACHE/java/m2" $MVN_COPY -Dartifact="tools.profiler:$1:$2" \
			-DoutputDirectory="$CACHE/java" || { echo "Maven cannot fetch $1 $2"; return 1; }
	fi
	echo "$3  $jar" | sha256sum --status -c && return 0
	rm -f "$jar"
	echo "$1 $2 has another sum"
	return 1
}

# ap_folder: where the library for this machine is in async-profiler's jar.
ap_folder() {
	case $(uname -m) in
	x86_64) echo linux-x64 ;;
	aarch64) echo linux-arm64 ;;
	*) echo "no async-profiler for $(uname -m)"; return 1 ;;
	esac
}

# ap_library VERSION FILE: the agent out of the jar.
ap_library() {
	local folder part=$2.$BASHPID
	folder=$(ap_folder) || return 1
	[ ! -s "$2" ] || return 0
	python3 -c 'import sys, zipfile
sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' \
		"$CACHE/java/async-profiler-$1.jar" "$folder/libasyncProfiler.so" >"$part" && mv "$part" "$2"
}

# The agent and the converter.
async_profiler() {
	ap_folder >/dev/null || { ap_folder; return 1; }
	jar_get async-profiler $AP_VERSION $AP_SHA && jar_get jfr-converter $AP_VERSION $JFRCONV_SHA || return 1
	ap_library $AP_VERSION "$AP_LIB"
}

jfrconv() { "$JAVA_LAST/bin/java" -jar "$JFRCONV" "$@"; }

# jfr_run HOME MILLISECONDS CHUNKS JAVA-OPTION...: the workload, watched. TMPDIR is for the files it makes.
jfr_run() {
	local java=$1/bin/java ms=$2 chunks=$3
	shift 3
	"$java" -Xmx256m -Djava.io.tmpdir="${TMPDIR:-/tmp}" "$@" "$HERE/java/Workload.java" "$ms" "$chunks"
}

# jfr_record FILE HOME MILLISECONDS CHUNKS SETTINGS: by Flight Recorder; jfr_profile FILE HOME MILLISECONDS ARGUMENTS: by
# async-profiler.
jfr_record() {
	jfr_run "$2" "$3" "$4" "-XX:StartFlightRecording=filename=$1,$5" >"$1.log" 2>&1 && [ -s "$1" ]
}

jfr_profile() {
	jfr_run "$2" "$3" 1 "-agentpath:$AP_LIB=start,file=$1,$4" >"$1.log" 2>&1 && [ -s "$1" ]
}
