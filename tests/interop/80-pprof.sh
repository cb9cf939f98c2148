# pprof: real profiles and made-up ones, read and written by us, judged by google/pprof and the Collector's translator.

pproftool() { "$GOPEERS/pproftool" "$@"; }

# canon_equals FILE WANT: the content of a pprof file, whatever its ids and order.
canon_equals() {
	pproftool canon "$1" >"$T/got.canon"
	cmp -s "$2" "$T/got.canon" && return 0
	echo "${1##*/} against the original:"
	same_lines "$2" "$T/got.canon"
}

# Header and samples as "pprof -raw" prints them, without ids of locations and the line of no period type.
raw_samples() {
	pproftool raw "$1" | sed -n '/^Locations/q; /^PeriodType: *$/d; s/^\( *[0-9-][-0-9 ]*: \)[0-9 ]*$/\1/; p' | sort
}

# Equal samples become one; where there are none, -raw shows the same.
raw_agrees() { # PPROF OURS
	raw_samples "$1" >"$T/want.samples"
	raw_samples "$2" >"$T/got.samples"
	if [ "$(grep -c '^ *[0-9-][-0-9 ]*: $' "$T/want.samples")" = "$(grep -c '^sample' "$T/want.canon")" ]; then
		same_lines "$T/want.samples" "$T/got.samples"
	fi
}

# pprof to pprof, directly and by way of what else holds a whole profile.
pprof_file() { # PPROF
	local way ways="pprof otlp"
	case $FORMATS in *otlp-json*) ways="$ways json" ;; esac
	pproftool canon "$1" >"$T/want.canon"
	for way in $ways; do
		convert "$1" "$T/by.$way"
		convert "$T/by.$way" "$T/$way.pprof"
		canon_equals "$T/$way.pprof" "$T/want.canon"
	done
	"$OTPROF" convert -t pprof "$T/by.otlp" >"$T/stdout.pprof"
	canon_equals "$T/stdout.pprof" "$T/want.canon"
	check_passes "$T/by.otlp"
	"$GOPEERS/profcheck" -check-dupes "$T/by.otlp"
	raw_agrees "$1" "$T/otlp.pprof"
}

# Through the Collector: what it makes of a profile, we turn back as it does itself. It refuses labels of several
# values and loses the order of inlined calls.
translated() { # PPROF
	if ! "$GOPEERS/pdatatool" from-pprof "$1" "$T/theirs.otlp" 2>"$T/error"; then
		echo "the translator refuses it: $(tail -n 1 "$T/error" | cut -c1-150)"
		exit 77
	fi
	"$GOPEERS/pdatatool" to-pprof "$T/theirs.otlp" "$T/theirs.pprof"
	pproftool canon "$T/theirs.pprof" >"$T/theirs.canon"
	convert "$T/theirs.otlp" "$T/ours.pprof"
	canon_equals "$T/ours.pprof" "$T/theirs.canon"
}

# Formats from before protobuf: read by us and written as pprof, what google/pprof reads itself. Names beside addresses
# and the mapping it makes up are left aside (pproftool bare).
legacy_file() { # FILE
	pproftool write "$1" "$T/theirs.pprof"
	"$OTPROF" convert "$1" -o "$T/ours.pprof" 2>"$T/notes"
	"$OTPROF" convert "$1" -o "$T/ours.otlp" 2>"$T/notes"
	check_passes "$T/ours.otlp"
	"$GOPEERS/profcheck" -check-dupes "$T/ours.otlp"
	pproftool bare "$T/theirs.pprof" >"$T/want.bare"
	pproftool bare "$T/ours.pprof" >"$T/got.bare"
	same_lines "$T/want.bare" "$T/got.bare"
	pproftool drops "$T/theirs.pprof" >"$T/want.drops"
	pproftool drops "$T/ours.pprof" >"$T/got.drops"
	same_lines "$T/want.drops" "$T/got.drops"
	# Nothing changes by way of OTLP.
	convert "$T/ours.otlp" "$T/again.pprof"
	pproftool canon "$T/ours.pprof" >"$T/want.canon"
	canon_equals "$T/again.pprof" "$T/want.canon"
}

# Made by gperftools itself, if it is installed.
gperftools_live() {
	needs c++
	echo '#include <gperftools/profiler.h>' | c++ -x c++ -fsyntax-only - 2>/dev/null || {
		echo "gperftools is not installed"
		exit 77
	}
	c++ -O1 -o "$T/prog" "$HERE/gperftools_prog.cc" -lprofiler -ltcmalloc
	(cd "$T" && TCMALLOC_SAMPLE_PARAMETER=4096 ./prog 2>log)
	for file in cpu.prof sample.heap growth.heap heap.0001.heap; do
		[ "$("$OTPROF" show "$T/$file" 2>"$T/notes" | sed -n '1s/.*: \([a-z-]*\), .*/\1/p')" = gperftools ] || fail "$file is not recognised"
		legacy_file "$T/$file"
	done
}

# What is no profile: refused in one sentence, nothing else.
other_format() { # FILE
	local rc=0
	timeout 20 "$OTPROF" convert "$1" -o "$T/out.pprof" >"$T/out" 2>&1 || rc=$?
	[ $rc -eq 0 ] || [ $rc -eq 1 ] || fail "status $rc"
	[ $rc -eq 0 ] || [ "$(wc -l <"$T/out")" = 1 ] || fail "$(head -n 3 "$T/out")"
	[ $rc -ne 0 ] || [ "$(pproftool kind "$T/out.pprof")" = pprof ] || fail "what was written is no pprof"
}

# Several events of one type: pprof's own program finds each by its name, with the total that the event has.
sample_types() { # FILE
	local type unit total
	"$OTPROF" show --json "$1" 2>"$T/notes" | python3 -c '
import json, sys
def totals(node):
    if isinstance(node, dict) and "total" in node and "unit" in node:
        yield int(node["total"])
    elif isinstance(node, (dict, list)):
        for value in node.values() if isinstance(node, dict) else node:
            yield from totals(value)
print("\n".join(map(str, totals(json.load(sys.stdin)))))' | sort >"$T/want.totals"
	"$OTPROF" convert "$1" -o "$T/out.pprof" 2>"$T/notes"
	pproftool totals "$T/out.pprof" >"$T/types"
	cut -d ' ' -f 3 "$T/types" | sort >"$T/got.totals"
	same_lines "$T/want.totals" "$T/got.totals"
	[ -z "$(cut -d ' ' -f 1 "$T/types" | sort | uniq -d)" ] || fail "two types have one name"
	while read -r type unit total; do
		go_env "$GO" tool pprof -symbolize=none -unit="$unit" -sample_index="$type" -top "$T/out.pprof" >"$T/top" 2>"$T/error" ||
			fail "pprof refuses $type: $(tail -n 1 "$T/error")"
		[ "$(sed -n 's/^Type: //p' "$T/top")" = "$type" ] || fail "pprof shows another type than $type"
		[ "$total" = 0 ] || grep -qE "Total samples = ${total}([^0-9]|$)|of ${total}[a-z]* total" "$T/top" ||
			fail "$type: $(grep -m 1 total "$T/top"), not $total"
	done <"$T/types"
}

pprof_made() { # SEED
	pproftool gen "$1" "$T/in.pprof"
	pprof_file "$T/in.pprof"
}

pprof_live() { # KIND
	cp "$CACHE/live/$1.pprof" "$T/in.pprof"
	pprof_file "$T/in.pprof"
}

# pprof_name FILE: a short name that tells the file.
pprof_name() {
	local name=${1##*/}
	name=${name#github.com-}
	printf '%s\n' "$name" | sed 's/-\(testdata\|internal\|profiler\|pkg\|src\|test-fixtures\|convert\|cmd\)\>//g'
}

pprof_group() {
	local file name made=$CACHE/pprof-written
	mkdir -p "$CACHE/live" "$made"
	pproftool live "$CACHE/live"
	go_env python3 "$HERE/pprof_fetch.py" "$GO" "$CACHE/pprof" >"$CACHE/pprof.list" 2>"$CACHE/pprof.missing"
	while read -r why; do
		skip pprof-fetch "$why"
	done <"$CACHE/pprof.missing"
	while read -r file; do
		name=$(pprof_name "$file")
		case $(pproftool kind "$file") in
		pprof)
			try "pprof-$name" pprof_file "$file"
			try "translated-$name" translated "$file"
			;;
		legacy)
			try "legacy-$name" legacy_file "$file"
			pproftool write "$file" "$made/$name"
			try "pprof-of-$name" pprof_file "$made/$name"
			;;
		*) try "no-pprof-$name" other_format "$file" ;;
		esac
	done <"$CACHE/pprof.list"
	for name in cpu heap allocs goroutine mutex block threadcreate; do
		try "pprof-live-$name" pprof_live $name
	done
	for name in heap allocs goroutine mutex block threadcreate; do
		try "legacy-live-$name" legacy_file "$CACHE/live/$name.text"
	done
	try legacy-gperftools gperftools_live
	for name in jfr/async jfr/endpoints jfr/two-stacks perf/events; do
		try "pprof-types-${name#*/}" sample_types "$HERE/../fuzz/corpus/$name"
	done
	for name in $(seq 1 40); do
		try "pprof-made-$name" pprof_made "$name"
	done
}

if group_needs pprof pprof && go_group pprof ./pproftool ./pdatatool $PROFCHECK; then
	FORMATS=$("$OTPROF" help formats)
	pprof_group
fi
