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

# --- on a terminal ---

# Draws what the program wrote: places and text, other sequences do nothing.
# Prints the screen as it was before the program left it.
screen_text() # FILE
{
	LC_ALL=C awk -v esc=$'\e' '
	BEGIN { RS = esc; last = 0 }
	NR == 1 { next }
	/^\[\?1049l/ { exit }
	/^\[2J/ { for (i in at) delete at[i] }
	{
		match($0, /^\[[?]?[0-9;]*[A-Za-z]/)
		code = substr($0, 2, RLENGTH - 1)
		text = substr($0, RLENGTH + 1)
		if (code ~ /H$/) {
			split(substr(code, 1, length(code) - 1), n, ";")
			row = n[1] + 0
			col = n[2] + 0
			if (row > last)
				last = row
		}
		for (i = 1; i <= length(text); i++)
			at[row, col++] = substr(text, i, 1)
	}
	END {
		for (r = 1; r <= last; r++) {
			line = ""
			for (c = 1; c <= 80; c++)
				line = line ((r, c) in at ? at[r, c] : " ")
			sub(/ +$/, "", line)
			print line
		}
	}' "$1"
}

# Waits until the program has written something that was not there before:
# more than so many bytes with the last line of a screen at the end.
wait_screen() # BYTES
{
	local i

	for ((i = 0; i < 1200; i++)); do
		[ "$(stat -c %s seen)" -gt "$1" ] &&
			tail -c 200 seen | grep -qaF $'\e[0;1m' && return
		sleep 0.05
	done
}

# on_terminal DO WORD...: runs a command on a terminal, and DO, which can wait
# for it, as the user. Sets rc.
on_terminal()
{
	local user=$1 words

	shift
	printf -v words '%q ' "$@"
	rm -f pid tty
	: >seen
	{ wait_screen 100; $user; } | SHELL=/bin/bash timeout 100 script -qefc \
		"stty rows 14 cols 80 -echo; tty >tty; echo \$\$ >pid; exec $words" \
		typescript >>seen 2>&1
	rc=${PIPESTATUS[1]}
	screen_text seen >out
}

press()
{
	printf '%b' "$keys"
}

# explore NAME KEYS [OPTION...]: the screen after these keys.
explore()
{
	local name=flame/$1 keys=$2

	shift 2
	on_terminal press env "TERM=${TERMINAL:-xterm-256color}" \
		"${COLOUR:-NO_COLOR=1}" "$OTPROF" flame "$@"
	if [ "$rc" != 0 ]; then
		not_ok "$name" "exit status $rc"
	elif ! grep -qaF $'\e[?1049l' seen; then
		not_ok "$name" "the screen was not restored"
	else
		golden "$name.screen" out
	fi
}

# signalled NAME STATUS DO: DO ends the program, which restores the screen.
signalled()
{
	on_terminal "$3" env TERM=xterm "$OTPROF" flame calls.folded
	check "flame/$1-ends" test "$rc" = "$2"
	check "flame/$1-restores" grep -qaF $'\e[?7h\e[?25h\e[?1049l' seen
}

resize()
{
	local before

	before=$(stat -c %s seen)
	stty -F "$(cat tty)" rows 10 cols 40
	wait_screen "$before"
	printf q
}

# As a shell does with a program that was stopped.
continued()
{
	local before

	before=$(stat -c %s seen)
	kill -CONT "$(cat pid)"
	wait_screen "$before"
	printf q
}

if has_tool flame/screen script; then
	explore first q calls.folded
	explore moves 'jj\e[C\e[Bq' calls.folded
	explore back 'jjlhkq' calls.folded
	explore zoom 'jjl\nq' calls.folded
	explore zoom-out 'jjl\n\x7fq' calls.folded
	explore zoom-to-caller 'jjl\nkk\n\x7fq' calls.folded
	explore search '/Reader\nq' calls.folded
	explore next-match '/Reader\nnq' calls.folded
	explore previous-match '/Reader\nnNNq' calls.folded
	explore no-match '/nothing\nq' calls.folded
	explore search-twice '/xyz\n/\nq' calls.folded
	explore invert 'ijq' calls.folded
	explore types 'tq' example.otlp
	explore other-type 'tj\nq' example.otlp
	explore one-type 'tq' calls.folded
	explore odd 'jjlq' -f folded odd.folded
	on_terminal resize env TERM=xterm NO_COLOR=1 "$OTPROF" flame \
		calls.folded
	check flame/resize-has-room grep -qx '\[main \{34\}\]' out
	on_terminal continued env TERM=xterm "$OTPROF" flame calls.folded
	check flame/continued-is-drawn test \
		"$(grep -oaF $'\e[?25l' seen | wc -l)" = 2
	interrupt() { printf '\003'; }
	terminate() { kill -TERM "$(cat pid)"; }
	hang_up() { kill -HUP "$(cat pid)"; }
	signalled interrupt 130 interrupt
	signalled terminate 143 terminate
	signalled hang-up 129 hang_up
	COLOUR=A=1 explore colours 'jjlq' calls.folded
	check flame/colours-are-256 grep -qaF $'\e[0;38;5;16;48;5;' seen
	COLOUR=A=1 TERMINAL=xterm explore colours-8 'jjlq' calls.folded
	check flame/colours-are-8 grep -qaE $'\e\\[0;30;4[1-7]m' seen
	printf -v words '%q ' env TERM=dumb "$OTPROF" flame calls.folded
	SHELL=/bin/bash script -qec "stty cols 80; $words" typescript \
		</dev/null 2>&1 | tr -d '\r' >out
	check flame/dumb-is-text grep -qF '[main ' out
	printf -v words '%q ' env TERM=xterm "$OTPROF" flame --plain calls.folded
	SHELL=/bin/bash script -qec "stty cols 80; $words" typescript \
		</dev/null 2>&1 | tr -d '\r' >out
	same flame/plain-is-text out text
fi
