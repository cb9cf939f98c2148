# SPDX-License-Identifier: Apache-2.0
#
# diff: what changed, as text, as JSON and as a profile.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
small_file small.otlp
"$OTPROF" merge small.otlp small.otlp example.otlp -o more.otlp

# --- views ---

expect_exit 0 diff/text -- "$OTPROF" diff --no-symbols small.otlp more.otlp
check diff/text-is-quiet test ! -s err
golden diff/text.txt out
expect_exit 0 diff/json -- "$OTPROF" diff --json small.otlp more.otlp
golden diff/text.json out
if has_tool diff/json-is-json python3; then
	check diff/json-is-json python3 -m json.tool out
fi
expect_exit 0 diff/top -- "$OTPROF" diff --top 1 example.otlp small.otlp
check diff/top-is-one-row-a-list test "$(grep -c '^  *[+-]' out)" = 6
expect_exit 0 diff/same -- "$OTPROF" diff example.otlp example.otlp
check diff/same-has-no-rows bash -c '! grep -q "function" out'
check diff/same-has-totals grep -qx \
	'samples/count: before 3, after 3: 0 (+0.00%)' out
expect_exit 0 diff/type -- "$OTPROF" diff --type cpu small.otlp more.otlp
check diff/type-is-one test "$(grep -c 'before [0-9]' out)" = 1
expect_exit 0 diff/normalize -- \
	"$OTPROF" diff --normalize --type cpu small.otlp more.otlp
check diff/normalize-makes-totals-equal grep -qx \
	'cpu/nanoseconds: before 10, after 10: 0 (+0.00%)' out
fails 2 diff/no-such-type "no profile of type 'wall'" \
	-- "$OTPROF" diff --type wall small.otlp more.otlp

# Events of one type are told apart if a file has several.
event() # NAME VALUE
{
	echo '{"resourceProfiles":[{"resource":{},"scopeProfiles":[{
	"scope":{},"profiles":[{"sampleType":{"typeStrindex":1,
	"unitStrindex":2},"attributeIndices":[1],
	"samples":[{"stackIndex":1,"values":["'$2'"]}]}]}]}],
	"dictionary":{"mappingTable":[{}],"linkTable":[{}],
	"locationTable":[{},{"lines":[{"functionIndex":1}]}],
	"functionTable":[{},{"nameStrindex":3}],
	"stringTable":["","wait","nanoseconds","f","otprof.event.type"],
	"attributeTable":[{},{"keyStrindex":4,
	"value":{"stringValue":"'$1'"}}],
	"stackTable":[{},{"locationIndices":[1]}]}}'
}
event park 5 >park.json
event monitor 7 >monitor.json
"$OTPROF" merge park.json monitor.json -o both.otlp
expect_exit 0 diff/events -- "$OTPROF" diff park.json both.otlp
check diff/events-are-apart grep -qxF \
	'wait/nanoseconds (monitor): before 0, after 7: +7' out
check diff/events-are-the-same grep -qxF \
	'wait/nanoseconds (park): before 5, after 5: 0 (+0.00%)' out
expect_exit 0 diff/events-json -- "$OTPROF" diff --json park.json both.otlp
check diff/events-json-names-them grep -q '"event": "monitor"' out
"$OTPROF" diff both.otlp park.json -o events.otlp
prints diff/events-in-a-profile \
	'-7ns  -100.00%  -100.00%  -7ns  -100.00%  f' \
	-- "$OTPROF" top --type monitor events.otlp
expect_exit 0 diff/one-event-each -- "$OTPROF" diff park.json monitor.json
check diff/one-event-each-is-one-row grep -qxF \
	'wait/nanoseconds: before 5, after 7: +2 (+40.00%)' out

# --- as a profile ---

expect_exit 0 diff/profile -- "$OTPROF" diff more.otlp small.otlp -o d.otlp
check diff/profile-is-quiet test ! -s out -a ! -s err
expect_exit 0 diff/profile-is-read -- "$OTPROF" show --raw d.otlp
check diff/profile-has-signs grep -q $'cpu/nanoseconds\t-5\t' out
expect_exit 0 diff/profile-says-so -- "$OTPROF" show --json d.otlp
check diff/profile-has-the-attribute grep -q '"otprof.diff": true' out
"$OTPROF" diff more.otlp small.otlp -t otlp >e.otlp
same diff/to-stdout-is-the-same d.otlp e.otlp
expect_exit 0 diff/profile-conforms -- "$OTPROF" check d.otlp
expect_exit 0 diff/checked -- \
	"$OTPROF" diff --check more.otlp small.otlp -o e.otlp
same diff/checked-is-the-same d.otlp e.otlp

# More less small is small and the example: with all content, exactly.
expect_exit 0 diff/exact -- \
	"$OTPROF" diff --exact --type cpu small.otlp more.otlp -o exact.otlp
prints diff/exact-is-what-was-added \
	$'0.0.0\tcpu/nanoseconds\t5\t-\t-\t-\t"main"' \
	-- "$OTPROF" show --raw exact.otlp
"$OTPROF" diff example.otlp example.otlp -t otlp >none.otlp
check diff/same-has-no-samples test -z "$("$OTPROF" show --raw none.otlp)"
"$OTPROF" diff --exact small.otlp example.otlp -t otlp >exact.otlp
check diff/exact-keeps-lines bash -c \
	"'$OTPROF' show --raw exact.otlp | grep -q 'app.c.:25'"
"$OTPROF" diff small.otlp example.otlp -t otlp >names.otlp
check diff/names-only bash -c \
	"! '$OTPROF' show --raw names.otlp | grep -q app.c"

# --- views ---

cat >before.folded <<'END'
main;parse;read 50
main;render;draw 30
main;idle 20
END
cat >after.folded <<'END'
main;parse;read 90
main;render;draw 10
main;render;cache;read 5
main;idle 20
END
: >views.txt
for view in '--by function' '--by function --top 2' --tree '--tree --inverted' \
	'--peek ^read$' '--unit count --normalize'; do
	# shellcheck disable=SC2086 # several arguments
	expect_exit 0 "diff/view '$view'" -- \
		"$OTPROF" diff $view before.folded after.folded
	check "diff/view '$view' is quiet" test ! -s err
	{ echo "== $view"; cat out; } >>views.txt
done
golden diff/views.txt views.txt
expect_exit 0 diff/csv -- "$OTPROF" diff --csv before.folded after.folded
golden diff/views.csv out
expect_exit 0 diff/tree-json -- \
	"$OTPROF" diff --tree --json before.folded after.folded
golden diff/tree.json out
expect_exit 0 diff/by-thread -- \
	"$OTPROF" diff --by thread --type samples small.otlp more.otlp
check diff/by-thread-names-them grep -qE '^ +3  100.00%  worker$' out
expect_exit 0 diff/view-of-a-type -- \
	"$OTPROF" diff --by function --type inuse_space small.otlp more.otlp
check diff/view-of-a-type-has-it grep -q '^inuse_space: before 0, after 5 KiB' out
check diff/view-names-other-types grep -q '^samples 3: --type samples$' out

fails 2 diff/tree-and-peek 'mutually exclusive' \
	-- "$OTPROF" diff --tree --peek x small.otlp more.otlp
fails 2 diff/tree-as-csv '--tree has no CSV form' \
	-- "$OTPROF" diff --tree --csv small.otlp more.otlp
fails 2 diff/inverted-without-tree 'are for --tree' \
	-- "$OTPROF" diff --by function --inverted small.otlp more.otlp
fails 2 diff/view-and-profile 'mutually exclusive' \
	-- "$OTPROF" diff --by thread small.otlp more.otlp -o x.otlp
fails 1 diff/peek-at-nothing "no function matches 'nosuch'" \
	-- "$OTPROF" diff --peek nosuch small.otlp more.otlp
