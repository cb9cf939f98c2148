# SPDX-License-Identifier: Apache-2.0
#
# otlp-json: there and back, told from its bytes, and errors with their place.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
small_file small.otlp
"$OTPROF" convert example.otlp -o normal.otlp
"$OTPROF" show --raw example.otlp >example.raw

# --- there and back ---

for ending in json jsonl otlp.json; do
	expect_exit 0 otlp-json/to-$ending -- \
		"$OTPROF" convert example.otlp -o there.$ending
	check otlp-json/to-$ending-is-an-object grep -q '^{"resource' there.$ending
	check otlp-json/to-$ending-is-one-line test "$(wc -l <there.$ending)" = 1
	expect_exit 0 otlp-json/from-$ending -- \
		"$OTPROF" convert there.$ending -o back.otlp
	same otlp-json/from-$ending-is-the-same normal.otlp back.otlp
done
"$OTPROF" convert -t otlp-json example.otlp >there.json
same otlp-json/by-name-is-the-same there.json there.jsonl
expect_exit 0 otlp-json/again -- "$OTPROF" convert there.json -o again.json
same otlp-json/again-changes-nothing there.json again.json
golden otlp-json/example.json there.json
if has_tool otlp-json/python python3; then
	check otlp-json/python-can-read-it \
		python3 -c 'import json; json.load(open("there.json"))'
	python3 -c 'import json; print(json.dumps(json.load(open("there.json")),
		indent=3, ensure_ascii=True))' >python.json
	expect_exit 0 otlp-json/from-python -- \
		"$OTPROF" convert python.json -o back.otlp
	same otlp-json/from-python-is-the-same normal.otlp back.otlp
fi
gzip -c there.json >packed.json.gz
expect_exit 0 otlp-json/packed -- "$OTPROF" convert packed.json.gz -o back.otlp
same otlp-json/packed-is-the-same normal.otlp back.otlp

# --- other commands ---

expect_exit 0 otlp-json/show -- "$OTPROF" show --raw there.json
same otlp-json/show-is-the-same example.raw out
"$OTPROF" show there.json >out
check otlp-json/show-names-it grep -q 'there.json: otlp-json v1.10' out
expect_exit 0 otlp-json/check -- "$OTPROF" check --strict there.json
cat there.json there.json >two.jsonl
expect_exit 0 otlp-json/check-two -- "$OTPROF" check two.jsonl
"$OTPROF" convert small.otlp -t otlp-json >>there.jsonl
expect_exit 0 otlp-json/lines -- "$OTPROF" convert there.jsonl -o lines.otlp
"$OTPROF" convert example.otlp small.otlp -o both.otlp
same otlp-json/lines-are-one-message both.otlp lines.otlp
expect_exit 0 otlp-json/stdin -- "$OTPROF" convert - -o back.otlp <there.json
same otlp-json/stdin-is-the-same normal.otlp back.otlp

# check reads what the others refuse.
printf '%s' '{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"samples":[{' \
	'"stackIndex":7,"values":["1"]}]}]}]}]}' >past.json
fails 1 otlp-json/index-show \
	'past.json: stack index 7 is out of range for a table of 1 \(at byte 78\)$' \
	-- "$OTPROF" show past.json
expect_exit 1 otlp-json/index-check -- "$OTPROF" check past.json
check otlp-json/index-check-names-it grep -q '\[stack-index\]' out

# --- older releases ---

printf '%s' '{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{' \
	'"sampleType":[{"typeStrindex":1,"unitStrindex":2}],"sample":[{' \
	'"locationsStartIndex":0,"locationsLength":1,"value":["5"]}],' \
	'"locationIndices":[0]}]}]}],"dictionary":{"stringTable":["","cpu",' \
	'"ns","main"],"functionTable":[{"nameStrindex":3}],"locationTable":[' \
	'{"line":[{}]}]}}' >old.json
prints otlp-json/old-release $'0.0.0\tcpu/ns\t5\t-\t-\t-\t"main"' \
	-- "$OTPROF" show --raw old.json
"$OTPROF" show old.json >out
check otlp-json/old-release-is-named grep -q 'otlp-json v1.7' out

# --- broken texts ---

broken() # NAME TEXT PATTERN
{
	printf "$2" >"$1.json"
	fails 1 "otlp-json/$1-show" "$1.json: $3" -- "$OTPROF" show "$1.json"
	fails 3 "otlp-json/$1-check" "$1.json: $3" -- "$OTPROF" check "$1.json"
	fails 1 "otlp-json/$1-convert" "$1.json: $3" \
		-- "$OTPROF" convert "$1.json" -o new.otlp
	check "otlp-json/$1-writes-nothing" test ! -e new.otlp
}

broken cut-off '{"resourceProfiles":[' 'the JSON text is truncated \(at byte 21\)$'
broken no-comma '{"resourceProfiles":[] "x":1}' "expected ',' or '}' \(at byte 23\)$"
broken text-behind '{"resourceProfiles":[]}\nend' \
	'expected a JSON object \(at byte 24\)$'
broken second-line '{"resourceProfiles":[]}\n{"dictionary":1}' \
	"'dictionary' must be an object \(at byte 38\)$"
broken bad-escape '{"dictionary":{"stringTable":["\\x"]}}' \
	'invalid escape \(at byte 31\)$'
broken control '{"dictionary":{"stringTable":["\t"]}}' \
	'a control character in a string \(at byte 31\)$'
broken range '{"resourceProfiles":[{"resource":{"droppedAttributesCount":-1}}]}' \
	"'droppedAttributesCount' is out of range \(at byte 59\)$"
printf '{"dictionary":%s' "$(printf '{"x":%.0s' {1..2000})" >deep.json
fails 1 otlp-json/deep 'deep.json: nested more than [0-9]+ deep \(at byte' \
	-- "$OTPROF" show deep.json

# Cut after each byte it is an error at a byte.
"$OTPROF" convert small.otlp -o small.json
size=$(stat -c %s small.json)
bad=
for ((n = 22; n < size - 1; n += 3)); do
	head -c "$n" small.json >cut.json
	rc=0
	"$OTPROF" show cut.json >out 2>err || rc=$?
	[ $rc = 1 ] && grep -q "cut.json: .*(at byte $n)" err || bad+=" $n:$rc"
done
check otlp-json/cut-anywhere test -z "$bad"
