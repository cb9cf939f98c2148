# SPDX-License-Identifier: Apache-2.0
#
# The command line itself: help, versions, options, and what is wrong usage
# (status 2, one line that says where to look).
. "$TOP/tests/cli/aid.bash"
small_file small.otlp

# --- help and version ---

prints usage/version-command "otprof $("$OTPROF" --version | cut -d' ' -f2)" \
	-- "$OTPROF" version
check usage/version-is-a-number grep -qE '^otprof [0-9]+\.[0-9]+\.[0-9]+$' out
prints usage/help 'commands:' -- "$OTPROF" help
cp out help.txt
prints usage/help-option 'commands:' -- "$OTPROF" --help
same usage/help-option-is-help help.txt out
prints usage/help-letter 'commands:' -- "$OTPROF" -h
expect_exit 2 usage/no-command -- "$OTPROF"
same usage/no-command-prints-help-on-stderr help.txt err
check usage/no-command-prints-nothing-else test ! -s out
prints usage/help-formats 'formats:' -- "$OTPROF" help formats
check usage/help-formats-has-otlp grep -q '^  otlp ' out

for cmd in check convert diff filter flame list merge peek send show stat top \
	tree; do
	check "usage/help-lists-$cmd" grep -q "^  $cmd " help.txt
	prints "usage/$cmd-help" 'options:' -- "$OTPROF" "$cmd" --help
	cp out long.txt
	golden "help/$cmd.txt" out
	expect_exit 0 "usage/$cmd-help-letter" -- "$OTPROF" "$cmd" -h
	same "usage/$cmd-help-letter-is-help" long.txt out
	expect_exit 0 "usage/help-$cmd" -- "$OTPROF" help "$cmd"
	same "usage/help-$cmd-is-help" long.txt out
	expect_exit 0 "usage/$cmd-help-wins-over-files" -- \
		"$OTPROF" "$cmd" nowhere.otlp --help
done
prints usage/help-help \
	'usage: otprof help [OPTION]... [COMMAND | FORMAT | formats]' \
	-- "$OTPROF" help help

# A format says which files are its own, and what its options are for.
expect_exit 0 usage/help-format -- "$OTPROF" help jfr
golden help/jfr.txt out
expect_exit 0 usage/help-format-without-options -- "$OTPROF" help pprof
check usage/help-format-without-options-text test -s out

# --- wrong usage ---

# What is wrong, and the help to look at.
wrong() # NAME TEXT ARGS...
{
	local name=$1 text=$2

	shift 2
	fails 2 "usage/$name" "$text; see 'otprof [a-z]+ --help'$" \
		-- "$OTPROF" "$@"
	check "usage/$name-prints-nothing" test ! -s out
}

expect_exit 2 usage/unknown-command -- "$OTPROF" explode small.otlp
check usage/unknown-command-text grep -qx \
	"otprof: unknown command 'explode'; see 'otprof help'" err
wrong help-of-unknown "no command or format is called 'explode'" help explode

for cmd in check convert filter merge show; do
	wrong "$cmd-without-file" "otprof $cmd: expected (a|exactly one) FILE" "$cmd"
	wrong "$cmd-unknown-option" "unknown option '--colour'" \
		"$cmd" --colour small.otlp
	wrong "$cmd-unknown-option-with-value" "unknown option '--colour'" \
		"$cmd" --colour=red small.otlp
	wrong "$cmd-unknown-letter" "unknown option '-z'" "$cmd" -z small.otlp
	wrong "$cmd-unknown-format" "unknown format 'smoke'" \
		"$cmd" -f smoke small.otlp
	wrong "$cmd-no-format-name" "-f requires FORMAT" "$cmd" small.otlp -f
	wrong "$cmd-no-size" "--max-size requires BYTES" \
		"$cmd" small.otlp --max-size
	for size in x 1x 1KB -1 '' 1.5M 99999999999999999999 99999999999T; do
		wrong "$cmd-size-'$size'" \
			"--max-size expects a number, not '$size'" \
			"$cmd" "--max-size=$size" small.otlp
	done
	for size in 4096 1K 1M 1G 1T; do
		expect_exit 0 "usage/$cmd-size-$size" -- "$OTPROF" "$cmd" \
			--max-size $size small.otlp
	done
done
wrong show-two-files "expected exactly one FILE" show small.otlp small.otlp
wrong show-top-and-tree "are mutually exclusive" show --top 3 --tree small.otlp
wrong show-tree-and-raw "are mutually exclusive" show --tree --raw small.otlp
wrong show-raw-json "--raw has no JSON form" show --raw --json small.otlp
wrong show-top-no-number "--top expects a number, not 'many'" \
	show --top many small.otlp
wrong show-top-negative "--top expects a number, not '-3'" \
	show --top=-3 small.otlp
wrong show-flag-with-value "--tree takes no value" show --tree=yes small.otlp
wrong convert-unknown-output-format "unknown format 'smoke'" \
	convert -t smoke small.otlp -o out.otlp
for cmd in convert filter merge show; do
	wrong "$cmd-bad-time" "'noon' is not a time: .*\(at byte 0\)" \
		"$cmd" --from noon small.otlp
	wrong "$cmd-times-turned" "--from is not before --to" \
		"$cmd" --from 5 --to 5 small.otlp
done
wrong filter-unknown-output-format "unknown format 'smoke'" \
	filter -t smoke small.otlp -o out.otlp
wrong merge-unknown-ending "extension of 'out.xyz': use -t FORMAT" \
	merge small.otlp -o out.xyz
wrong diff-without-file "expected two FILEs" diff
wrong diff-one-file "expected two FILEs" diff small.otlp
wrong diff-three-files "expected two FILEs" diff small.otlp small.otlp small.otlp
wrong diff-stdin-twice "can be read only once" diff - -
wrong diff-top-none "--top expects at least 1" diff --top 0 small.otlp small.otlp
wrong diff-json-and-profile "are mutually exclusive" \
	diff --json -o out.otlp small.otlp small.otlp
wrong diff-check-of-nothing "--check requires a profile to write \\(-o, -t\\)" \
	diff --check small.otlp small.otlp
wrong show-payload-and-raw "are mutually exclusive" \
	show --payload --raw small.otlp
wrong show-payload-json "--payload has no JSON form" \
	show --payload --json small.otlp
check usage/convert-wrong-usage-writes-nothing test ! -e out.otlp

# --- forms of options ---

"$OTPROF" show --top 1 small.otlp >top.txt
for args in '--top=1 small.otlp' 'small.otlp --top 1' '--top 1 -- small.otlp' \
	'-f otlp --top 1 small.otlp' '-fotlp --top 1 small.otlp' \
	'--input-format=otlp --top 1 small.otlp'; do
	# shellcheck disable=SC2086 # several arguments
	expect_exit 0 "usage/form '$args'" -- "$OTPROF" show $args
	same "usage/form '$args' is the same" top.txt out
done
cp small.otlp ./--raw
expect_exit 0 usage/file-named-like-an-option -- "$OTPROF" check -- --raw
cp small.otlp 'a name with spaces'
expect_exit 0 usage/file-name-with-spaces -- \
	"$OTPROF" check 'a name with spaces'
