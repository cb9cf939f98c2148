# SPDX-License-Identifier: Apache-2.0
#
# Formats of viewers through the program: traces, CPU profiles of V8, files of
# speedscope and of the Firefox Profiler.
. "$TOP/tests/cli/aid.bash"

cat >a.json <<END
[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
{"ph":"X","name":"a","cat":"c","pid":1,"tid":2,"ts":10,"dur":100},
{"ph":"X","name":"b","pid":1,"tid":2,"ts":20.5,"dur":10},
{"ph":"b","name":"x","pid":1,"tid":2,"ts":50,"id":1},
{"ph":"e","name":"x","pid":1,"tid":2,"ts":60,"id":1},
END

# --- traces ---

expect_exit 0 viewers/trace-is-read -- "$OTPROF" show --raw a.json
check viewers/trace-tells-of-async grep -qxF \
	'otprof show: a.json: warning: 2 async events skipped' err
{
	printf '0.0.0\twall/nanoseconds\t%s\t-\tthread.id=2 thread.name="main"\t%s\n' \
		$'10500,79500\t10000,30500' '"a" {otprof.trace.category="c"}' \
		$'10000\t20500' '"b" ; "a" {otprof.trace.category="c"}'
} >want
same viewers/trace-text want out
expect_exit 0 viewers/trace-conforms -- "$OTPROF" check a.json
fails 3 viewers/trace-strict '2 async events skipped.*--strict' -- \
	"$OTPROF" check --strict a.json
expect_exit 0 viewers/trace-folded -- "$OTPROF" convert a.json -t folded
printf 'a 90000\na;b 10000\n' >want.folded
same viewers/trace-folded-text want.folded out
# A range cuts the run that it crosses.
expect_exit 0 viewers/trace-range -- \
	"$OTPROF" filter --to 0.00006 a.json -t folded
printf 'a 40000\na;b 10000\n' >want
same viewers/trace-range-text want out
printf '{"traceEvents":[]}' >none.json
expect_exit 0 viewers/trace-of-nothing -- "$OTPROF" show none.json

# --- there and back ---

for name in trace.json speedscope.json cpuprofile firefox.json; do
	expect_exit 0 "viewers/$name-is-written" -- \
		"$OTPROF" convert a.json -o "b.$name"
	expect_exit 0 "viewers/$name-is-read" -- \
		"$OTPROF" convert "b.$name" -t folded
	same "viewers/$name-has-all" want.folded out
	expect_exit 0 "viewers/$name-conforms" -- \
		"$OTPROF" check --strict "b.$name"
	expect_exit 0 "viewers/$name-again" -- \
		"$OTPROF" convert "b.$name" -o "c.$name"
	same "viewers/$name-again-is-the-same" "b.$name" "c.$name"
	"$OTPROF" convert "b.$name" -o "c.$name.gz"
	expect_exit 0 "viewers/$name-packed" -- \
		"$OTPROF" convert "c.$name.gz" -t folded
	same "viewers/$name-packed-has-all" want.folded out
done
for name in trace.json speedscope.json firefox.json; do
	"$OTPROF" show --raw a.json 2>err | sed 's/ {otprof[^}]*}//' >want
	"$OTPROF" show --raw "b.$name" | sed 's/ {otprof[^}]*}//' >out
	same "viewers/$name-has-times-and-threads" want out
done

# --- all types and threads ---

example_file example.otlp
expect_exit 0 viewers/firefox -- \
	"$OTPROF" convert example.otlp -o e.firefox.json
if has_tool viewers/firefox-tables python3; then
	check viewers/firefox-tables python3 - e.firefox.json <<-END
		import json, sys
		for t in json.load(open(sys.argv[1]))["threads"]:
		    for name in "samples stackTable frameTable funcTable".split():
		        columns = [c for c in t[name].values() if isinstance(c, list)]
		        assert columns and {len(c) for c in columns} == {t[name]["length"]}
		    stacks, frames = t["stackTable"], t["frameTable"]
		    assert all(p is None or p < i for i, p in enumerate(stacks["prefix"]))
		    assert all(s < stacks["length"] for s in t["samples"]["stack"])
		    assert all(f < frames["length"] for f in stacks["frame"])
		    assert all(f < t["funcTable"]["length"] for f in frames["func"])
		    assert all(s < len(t["stringArray"]) for s in t["funcTable"]["name"])
	END
fi
expect_exit 0 viewers/firefox-of-two-types-again -- \
	"$OTPROF" show e.firefox.json
check viewers/firefox-has-samples grep -q 'samples/count.*total 3$' out
check viewers/firefox-has-heap grep -q 'inuse_space/bytes.*total 5,120$' out
expect_exit 0 viewers/speedscope-of-two-types -- \
	"$OTPROF" convert example.otlp -o e.speedscope.json
expect_exit 0 viewers/speedscope-of-two-types-again -- \
	"$OTPROF" show e.speedscope.json
check viewers/speedscope-has-samples grep -q 'samples/count.*total 3$' out
check viewers/speedscope-has-heap grep -q 'inuse_space/bytes.*total 5,120$' out
expect_exit 0 viewers/trace-of-two-types -- \
	"$OTPROF" convert example.otlp -o e.trace.json
check viewers/trace-tells-of-units grep -q 'is shown as time\|are shown as time' err
expect_exit 0 viewers/cpuprofile-of-two-types -- \
	"$OTPROF" convert example.otlp -o e.cpuprofile
check viewers/cpuprofile-tells-of-types grep -q 'inuse_space/bytes is left out' err

# --- profiles of Gecko and samply ---

cat >g.json <<END
{"meta":{"interval":1,"startTime":1000.5},"libs":[],"threads":[{"name":"Main","tid":7,"pid":5,
"samples":{"schema":{"stack":0,"time":1},"data":[[1,0],[null,0.25]]},
"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]},
"frameTable":{"schema":{"location":0,"line":1},"data":[[0],[1,9]]},
"stringTable":["(root)","f (a.js:3)"]}]}
END
expect_exit 0 viewers/gecko-is-read -- "$OTPROF" show --raw g.json
printf '0.0.0\tsamples/count\t-\t%s\t-\tthread.id=7 thread.name="Main"\t%s\n' \
	1000500000 '"f" "a.js":9^3 ; "(root)"' 1000750000 - >want
same viewers/gecko-text want out
gzip -c g.json >g.json.gz
expect_exit 0 viewers/gecko-packed -- "$OTPROF" show --raw g.json.gz
same viewers/gecko-packed-text want out
expect_exit 0 viewers/gecko-conforms -- "$OTPROF" check --strict g.json

cat >s.json <<END
{"meta":{"startTime":1000,"preprocessedProfileVersion":48,"sampleUnits":{"threadCPUDelta":"ns"}},"libs":[],
"threads":[{"samples":{"stack":[0,0],"time":[0,1],"weight":[2,3],"threadCPUDelta":[0,7]},
"stackTable":{"prefix":[null],"frame":[0]},"frameTable":{"func":[0]},"funcTable":{"name":[0]},"stringArray":["f"]}]}
END
expect_exit 0 viewers/firefox-weights -- "$OTPROF" convert s.json -t folded
printf 'f 5\n' >want
same viewers/firefox-weights-text want out
check viewers/firefox-reports-cpu grep -q 'CPU times of 1 samples skipped: --event' err
fails 3 viewers/firefox-strict 'CPU times.*--strict' -- "$OTPROF" check --strict s.json
expect_exit 0 viewers/firefox-cpu -- "$OTPROF" convert --event cpu s.json -t folded
printf 'f 7\n' >want
same viewers/firefox-cpu-text want out
fails 2 viewers/firefox-bad-event '--event x: Firefox profiles have' -- \
	"$OTPROF" show --event x s.json

# --- what is refused ---

printf '{"traceEvents":[{"ph":"X","ts":1,"dur":tru}]}' >bad.json
fails 1 viewers/bad-trace 'bad.json: expected a number \(at byte 39\)' -- \
	"$OTPROF" show bad.json
printf '{"nodes":[{"callFrame":{}}]}' >bad.cpuprofile
fails 1 viewers/bad-cpuprofile 'a node without an id \(at byte 10\)' -- \
	"$OTPROF" convert bad.cpuprofile -o new.otlp
printf '{"shared":{"frames":[]},"profiles":[{}]}' >bad.speedscope
fails 1 viewers/bad-speedscope 'a profile has neither events nor samples and weights \(at byte 36\)' -- \
	"$OTPROF" show bad.speedscope
printf '{"meta":{"interval":1,"startTime":1},"threads":[{"samples":{"stack":[0],"time":[0]}}]}' >bad.firefox.json
fails 1 viewers/bad-firefox 'stack index 0 is out of range for a table of 0 \(at byte 48\)' -- \
	"$OTPROF" show bad.firefox.json

# --- V8's heap profiles and older CPU profiles ---

corpus=$TOP/tests/fuzz/corpus
cp "$corpus/heapprofile/node" h.heapprofile
expect_exit 0 viewers/heap -- "$OTPROF" convert h.heapprofile -t folded
printf 'f 128\nf;(anonymous) 1024\n' >want
same viewers/heap-text want out
expect_exit 0 viewers/heap-conforms -- "$OTPROF" check --strict h.heapprofile
fails 2 viewers/heap-not-written 'can only be read' -- \
	"$OTPROF" convert h.heapprofile -o x.heapprofile
fails 1 viewers/heap-bad 'no head with a selfSize \(at byte 0\)' -- \
	"$OTPROF" show -f heapprofile - <<<'{}'
expect_exit 0 viewers/old-cpuprofile -- \
	"$OTPROF" convert "$corpus/cpuprofile/head" -t folded
printf 'f 150000\nf;(anonymous) 150000\n' >want
same viewers/old-cpuprofile-text want out
expect_exit 0 viewers/counts-cpuprofile -- \
	"$OTPROF" convert "$corpus/cpuprofile/hits" -t folded
printf 'f 2\n' >want
same viewers/counts-cpuprofile-text want out
for name in head hits; do
	expect_exit 0 "viewers/cpuprofile-$name-conforms" -- \
		"$OTPROF" check --strict "$corpus/cpuprofile/$name"
done
