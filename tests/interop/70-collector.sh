# The Collector's pdata and the profiling group's profcheck, both in Go.

pdata() { "$GOPEERS/pdatatool" "$@"; }

# Its -check-orphans came later than the release here; with it, strings of resources and scopes are false orphans.
profcheck() { "$GOPEERS/profcheck" -check-dupes "$@"; }

# pdata takes an inline key of a resource for string 0 (go.opentelemetry.io/collector/pdata/pprofile, resolving
# references): of what others wrote it keeps samples, of what we write, with keys by reference, everything.
pdata_file() { # OTLP
	local in=$1
	oracle raw "$in" >"$T/in.raw"
	pdata proto "$in" "$T/theirs.otlp"
	raw_equals "$T/theirs.otlp" "$T/in.raw"
	convert "$in" "$T/ours.otlp"
	profcheck "$T/ours.otlp"
	"$OTPROF" show --raw "$T/ours.otlp" >"$T/ours.raw"
	pdata proto "$T/ours.otlp" "$T/again.otlp"
	oracle equal "$T/ours.otlp" "$T/again.otlp"
	raw_equals "$T/again.otlp" "$T/ours.raw"
	convert "$T/again.otlp" "$T/back.otlp"
	cmp "$T/ours.otlp" "$T/back.otlp"
	pdata equal "$T/again.otlp" "$T/back.otlp"
	pdata json "$T/ours.otlp" "$T/theirs.json"
	pdata proto "$T/theirs.json" "$T/of-json.otlp"
	oracle equal "$T/ours.otlp" "$T/of-json.otlp"
}

pdata_generated() { # SEED
	oracle gen --seed "$1" --size $(($1 * 3 % 60 + 1)) -o "$T/in.otlp"
	pdata_file "$T/in.otlp"
}

pdata_json() { # SEED
	oracle gen --seed "$1" --size $(($1 * 3 % 60 + 1)) -o "$T/in.otlp"
	convert "$T/in.otlp" "$T/ours.otlp"
	"$OTPROF" show --raw "$T/ours.otlp" >"$T/ours.raw"
	pdata json "$T/ours.otlp" "$T/theirs.json"
	raw_equals "$T/theirs.json" "$T/ours.raw"
	convert "$T/theirs.json" "$T/back.otlp"
	cmp "$T/ours.otlp" "$T/back.otlp"
	convert "$T/ours.otlp" "$T/ours.json"
	pdata equal "$T/ours.otlp" "$T/ours.json"
	pdata proto "$T/ours.json" "$T/of-ours.otlp"
	oracle equal "$T/ours.otlp" "$T/of-ours.otlp"
	convert "$T/of-ours.otlp" "$T/back.otlp"
	oracle equal "$T/ours.otlp" "$T/back.otlp" # not by bytes: Go reads NaN as one with another last bit
}

# A message that pdata takes apart and one that it must see as different: the comparison itself works.
pdata_differs() {
	local name
	"$PYTHON" "$HERE/otlp_broken.py" make sound "$T/a"
	pdata equal "$T/a" "$T/a"
	pdata dump "$T/a" | grep -q 'sample .*=3 .*=4.*"thread.name"="worker".*"main"' || fail "values are not in field 4"
	for name in mapping-range line column start-line time-early sample-values shapes no-profile; do
		"$PYTHON" "$HERE/otlp_broken.py" make $name "$T/b"
		! pdata equal "$T/a" "$T/b" || fail "$name: no difference seen"
	done
}

broken() { # NAME RULE both|ours
	local rc=0
	"$PYTHON" "$HERE/otlp_broken.py" make "$1" "$T/m.otlp"
	"$OTPROF" check --strict "$T/m.otlp" >"$T/check.out" 2>&1 || rc=$?
	if [ "$1" = sound ]; then
		[ $rc -eq 0 ] || fail "check: $(cat "$T/check.out")"
		profcheck "$T/m.otlp"
		return
	fi
	[ $rc -eq 1 ] || fail "check: status $rc"
	grep -q "\[$2\]" "$T/check.out" || fail "check says $(head -n 1 "$T/check.out"), not $2"
	[ "$3" = ours ] || ! profcheck "$T/m.otlp" || fail "profcheck sees nothing"
}

if go_group collector ./pdatatool $PROFCHECK; then
	try pdata-example pdata_file "$BUILD/example.otlp"
	try pdata-differs pdata_differs
	for seed in $(seq 201 230); do
		try "pdata-$seed" pdata_generated "$seed"
	done
	if group_needs pdata-json otlp-json; then
		for seed in $(seq 231 250); do
			try "pdata-json-$seed" pdata_json "$seed"
		done
	fi
	try broken-sound broken sound
	while read -r name rule who; do
		try "broken-$name" broken "$name" "$rule" "$who"
	done < <("$PYTHON" "$HERE/otlp_broken.py" list)
fi
