# Recordings by otprof record, of a program that spends CPU time in a known way: checked by profcheck, read by the
# Collector's pdata and by google/pprof.

RECORD_SECONDS=2
RECORD_HERTZ=997

# record_split FILE FOLDER: each message of a recording as a file of its own, which is what profcheck reads.
record_split() {
	"$PYTHON" - "$1" "$2" <<'END'
import struct, sys
data, at, n = open(sys.argv[1], "rb").read(), 0, 0
while at < len(data):
    size, = struct.unpack_from(">I", data, at)
    if at + 4 + size > len(data):
        sys.exit("message %d ends at %d, the file at %d" % (n, at + 4 + size, len(data)))
    with open("%s/%d.otlp" % (sys.argv[2], n), "wb") as out:
        out.write(data[at + 4:at + 4 + size])
    at, n = at + 4 + size, n + 1
sys.exit(0 if n else "there is no message")
END
}

# Every sample is there: their time is what the program was told to use, whatever else runs. What it takes to start and
# end comes on top.
record_time() { # FILE
	"$OTPROF" top --json -n 0 "$1" 2>"$T/notes" | "$PYTHON" -c '
import json, sys
total, seconds = json.load(sys.stdin)["total"] / 1e9, float(sys.argv[1])
if not 0.97 * seconds <= total <= 1.1 * seconds + 0.05:
    sys.exit("%.3f s of CPU time are recorded, %.3f s were used" % (total, seconds))' $RECORD_SECONDS ||
		fail "$(tail -n 1 "$T/record.log")"
}

record_file() { # OPTION...
	local message
	"$OTPROF" record "$@" -F $RECORD_HERTZ -o "$T/in.otlp" -- "$CACHE/record-busy" split $RECORD_SECONDS \
		>"$T/record.log" 2>&1 || fail "record: status $?: $(tail -n 1 "$T/record.log")"
	grep -q ' 0 lost' "$T/record.log" || fail "$(tail -n 1 "$T/record.log")"
	"$OTPROF" check --strict "$T/in.otlp" || fail "check: status $?"
	record_time "$T/in.otlp"
	mkdir "$T/messages"
	record_split "$T/in.otlp" "$T/messages"
	for message in "$T"/messages/*.otlp; do
		"$GOPEERS/profcheck" -check-dupes "$message" || fail "profcheck: status $?"
		"$GOPEERS/pdatatool" proto "$message" "$T/theirs.otlp"
		oracle equal "$message" "$T/theirs.otlp"
	done
	convert "$T/in.otlp" "$T/out.otlp"
	"$GOPEERS/profcheck" -check-dupes "$T/out.otlp" || fail "profcheck of one message: status $?"
	"$OTPROF" convert "$T/in.otlp" -o "$T/out.pprof" 2>"$T/notes"
	(cd "$T" && python3 "$HERE/views_oracle.py" pprof "$OTPROF" "$PPROF" out.pprof in.otlp)
}

# With names, each function has its share.
record_named() { # OPTION...
	record_file "$@"
	"$PPROF" -symbolize=none -trim=false -top -cum "$T/out.pprof" 2>"$T/notes" | awk '
	{ cum[$6] = $5 + 0 }
	END {
		n = split("sixty 60 thirty 30 ten 10", want)
		for (i = 1; i < n; i += 2)
			if (cum[want[i]] < want[i + 1] - 4 || cum[want[i]] > want[i + 1] + 4) {
				printf "%s: %s %%\n", want[i], cum[want[i]]
				bad = 1
			}
		exit bad
	}' || fail "shares"
}

# A message per window, and the views of all of them together.
record_windows() {
	record_named --interval 0.5
	[ "$(ls "$T/messages" | wc -l)" -ge 3 ] || fail "$(ls "$T/messages" | wc -l) messages"
}

record_group() {
	local why
	"${CC:-cc}" -O2 -g -fomit-frame-pointer -o "$CACHE/record-busy" "$HERE/../record/busy.c"
	if ! why=$("$OTPROF" record --no-bpf -- true 2>&1 >/dev/null); then
		skip record "$(tail -n 1 <<<"$why")"
		return
	fi
	if ! why=$("$OTPROF" record -a -d 0.1 2>&1 >/dev/null); then
		skip record-bpf "$(tail -n 1 <<<"$why")"
	else
		try record-bpf record_named
		try record-aggregate record_named --aggregate
		try record-no-symbols record_file --no-symbols
		try record-windows record_windows
	fi
	try record-no-bpf record_named --no-bpf
	try record-no-bpf-aggregate record_named --no-bpf --aggregate
	try record-no-bpf-no-symbols record_file --no-bpf --no-symbols
}

if group_needs record pprof && go_group record ./pdatatool $PROFCHECK; then
	if PPROF=$(go_env "$GO" tool -n pprof 2>"$CACHE/record.log") && [ -x "$PPROF" ]; then
		record_group
	else
		skip record "no go tool pprof: $(tail -n 1 "$CACHE/record.log")"
	fi
fi
