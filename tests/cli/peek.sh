# SPDX-License-Identifier: Apache-2.0
#
# peek: callers and callees of functions.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
cat >calls.folded <<'END'
main;parse;read 500
main;parse;lex 30
main;parse 20
main;render;read 400
main;render;draw;draw 46
main;read 3
END

expect_exit 0 peek/text -- "$OTPROF" peek '^(parse|read)$' calls.folded
check peek/text-is-quiet test ! -s err
golden peek/text.txt out
"$OTPROF" peek '^(parse|read)$' <calls.folded >none.txt
same peek/no-file-is-stdin out none.txt
prints peek/recursion '  46   46  100.00%          draw' \
	-- "$OTPROF" peek draw calls.folded
check peek/recursion-has-no-callee bash -c '! grep -q callee out'
expect_exit 0 peek/rows -- "$OTPROF" peek -n 1 read calls.folded
check peek/rows-says-what-is-left grep -qE '^ +403 +44.63%  caller  \.\.\. 2 sm' out
expect_exit 0 peek/functions -- "$OTPROF" peek -n 1 . calls.folded
check peek/functions-says-what-is-left grep -qx 'and 5 more that match' out
expect_exit 0 peek/by -- "$OTPROF" peek --by line 'app.c:25' example.otlp
check peek/by-line grep -qE 'callee  inner app.c:31$' out
expect_exit 0 peek/json -- "$OTPROF" peek --json '^parse$' calls.folded
golden peek/text.json out
if has_tool peek/json-is-json python3; then
	check peek/json-is-json python3 -m json.tool out
fi
expect_exit 0 peek/csv -- "$OTPROF" peek --csv '^(parse|read)$' calls.folded
golden peek/text.csv out

fails 1 peek/no-match "no function matches 'nosuch' \(6 looked at\)$" \
	-- "$OTPROF" peek nosuch calls.folded
check peek/no-match-prints-nothing test ! -s out
fails 2 peek/no-regex 'expected a REGEX' -- "$OTPROF" peek
fails 2 peek/bad-regex 'byte' -- "$OTPROF" peek '(' calls.folded
fails 2 peek/by-label "not of 'thread'" \
	-- "$OTPROF" peek --by thread,function read calls.folded
