# SPDX-License-Identifier: Apache-2.0
#
# flame: the graph as text, and on a terminal.
. "$TOP/tests/cli/aid.bash"
unset COLUMNS
example_file example.otlp
cat >calls.folded <<'END'
main;app.Parser.parse;app.io.Reader.read 500
main;app.Parser.parse;lex 30
main;app.Parser.parse 20
main;render;app.io.Reader.read 400
main;render;draw 36
main;render;blit 10
main;tidy 3
main;exit 1
END

# --- text ---

expect_exit 0 flame/text -- "$OTPROF" flame calls.folded
check flame/text-is-quiet test ! -s err
golden flame/text.txt out
cp out text
expect_exit 0 flame/inverted -- "$OTPROF" flame --inverted calls.folded
golden flame/inverted.txt out
expect_exit 0 flame/width -- "$OTPROF" flame --width 30 calls.folded
golden flame/width.txt out
COLUMNS=30 "$OTPROF" flame calls.folded | cmp - out && ok flame/columns ||
	not_ok flame/columns differs
for columns in 0 -5 x 99999 30x; do
	COLUMNS=$columns "$OTPROF" flame calls.folded >out
	same "flame/columns-$columns" out text
done
expect_exit 0 flame/by -- "$OTPROF" flame --by thread,line example.otlp
golden flame/by.txt out
"$OTPROF" flame --plain <calls.folded >out
same flame/no-file-is-stdin out text

# Wide characters, marks, and what a terminal would obey.
printf '%s 5\n' $'m;\u65e5\u672c\u8a9e\u306e\u95a2\u6570;e\u0301te\u0301' \
	$'m;\e[2J\u202eevil;x' >odd.folded
expect_exit 0 flame/odd -- "$OTPROF" flame --width 40 -f folded odd.folded
golden flame/odd.txt out
LC_ALL=C expect_exit 0 flame/ascii -- \
	env LC_ALL=C "$OTPROF" flame --width 40 -f folded odd.folded
golden flame/ascii.txt out

stack=$(printf 'f%d;' {1..3000})
echo "${stack%;} 1" >deep.folded
expect_exit 0 flame/deep -- "$OTPROF" flame deep.folded
check flame/deep-has-all grep -q '^\[f3000 ' out

expect_exit 0 flame/json -- "$OTPROF" flame --json calls.folded
"$OTPROF" tree --json --min-share 0 calls.folded >tree.json
same flame/json-is-that-of-tree out tree.json

for width in 1 9 10001; do
	fails 2 "flame/width-$width" "--width expects a number from 10 to" \
		-- "$OTPROF" flame --width $width calls.folded
done
fails 2 flame/no-type "no profile" \
	-- "$OTPROF" flame --type none calls.folded
