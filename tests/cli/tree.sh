# SPDX-License-Identifier: Apache-2.0
#
# tree: branches, what is cut, and the tree turned over.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
small_file small.otlp
cat >calls.folded <<'END'
main;parse;read 500
main;parse;lex 30
main;parse 20
main;render;read 400
main;render;draw 46
main;tidy 3
main;exit 1
END

expect_exit 0 tree/text -- "$OTPROF" tree calls.folded
check tree/text-is-quiet test ! -s err
golden tree/text.txt out
expect_exit 0 tree/all -- "$OTPROF" tree --min-share 0 calls.folded
check tree/all-is-not-cut bash -c '! grep -qF ... out'
check tree/all-has-the-smallest grep -q ' exit$' out
expect_exit 0 tree/inverted -- "$OTPROF" tree --inverted calls.folded
golden tree/inverted.txt out
expect_exit 0 tree/depth -- "$OTPROF" tree --depth 2 calls.folded
golden tree/depth.txt out
expect_exit 0 tree/by -- "$OTPROF" tree --by thread,line example.otlp
golden tree/by.txt out
expect_exit 0 tree/by-labels -- "$OTPROF" tree --by service,thread example.otlp
check tree/by-labels-are-nested grep -qE '^ *3 +100.00% +3   worker$' out
expect_exit 0 tree/unit -- "$OTPROF" tree --unit s example.otlp
check tree/unit-is-used grep -qE '^ *0.0300s .* main$' out
"$OTPROF" tree <calls.folded >out
"$OTPROF" tree calls.folded | cmp - out && ok tree/no-file-is-stdin ||
	not_ok tree/no-file-is-stdin differs

# Deep stacks are told by numbers, and the text does not grow with the square.
stack=$(printf 'f%d;' {1..200})
echo "${stack%;} 1" >deep.folded
expect_exit 0 tree/deep -- "$OTPROF" tree deep.folded
check tree/deep-has-numbers grep -qE '\[199\] f200$' out

expect_exit 0 tree/json -- "$OTPROF" tree --json --min-share 4 calls.folded
golden tree/text.json out
if has_tool tree/json-is-json python3; then
	check tree/json-is-json python3 -m json.tool out
	"$OTPROF" tree --json --min-share 0 deep.folded >out
	check tree/deep-json-is-json python3 -c '
import json, sys
sys.setrecursionlimit(10000)
json.load(open("out"))'
fi

for share in x -1 101 1%; do
	fails 2 "tree/min-share-$share" "--min-share expects a percentage" \
		-- "$OTPROF" tree "--min-share=$share" calls.folded
done
fails 2 tree/no-csv "unknown option '--csv'" \
	-- "$OTPROF" tree --csv calls.folded
