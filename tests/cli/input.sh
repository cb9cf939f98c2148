# SPDX-License-Identifier: Apache-2.0
#
# Where input comes from: files, stdin, packed files, files of many messages,
# files of older senders; and where output goes when it cannot.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
small_file small.otlp
"$OTPROF" show --raw example.otlp >example.raw
"$OTPROF" show --raw small.otlp >small.raw

reads() # NAME WANT FILE: `show --raw` of FILE is WANT
{
	expect_exit 0 "input/$1" -- "$OTPROF" show --raw "$3"
	same "input/$1-has-all-samples" "$2" out
}

# --- stdin ---

for cmd in show check convert; do
	expect_exit 0 "input/stdin-$cmd" -- \
		"$OTPROF" "$cmd" - <example.otlp
	cat example.otlp | expect_exit 0 "input/pipe-$cmd" -- \
		"$OTPROF" "$cmd" -
done
"$OTPROF" show --raw - <example.otlp >out
same input/stdin-has-all-samples example.raw out
"$OTPROF" convert - <example.otlp >a.otlp
"$OTPROF" convert example.otlp >b.otlp
same input/stdin-converts-alike a.otlp b.otlp
fails 1 input/stdin-empty '-: is empty' -- "$OTPROF" show - </dev/null
fails 1 input/stdin-too-large '-: ' \
	-- "$OTPROF" show --max-size 100 - <example.otlp

# What stands before the current place of stdin is not part of it.
{
	printf 'a line before\n'
	cat small.otlp
} >behind_a_line
behind_a_line()
{
	{
		read -r _
		"$OTPROF" show --raw -
	} <behind_a_line
}
expect_exit 0 input/stdin-from-its-place -- behind_a_line
same input/stdin-from-its-place-has-all-samples small.raw out
reads fifo example.raw <(cat example.otlp)

# --- text of other encodings, and files of other kinds ---

printf 'a;b 5\nc 7\n' >plain.folded
"$OTPROF" show --raw plain.folded >plain.raw
printf '\xff\xfea\0;\0b\0 \0005\0\r\0\n\0c\0 \0007\0\r\0\n\0' >le.folded
reads utf-16-little-endian plain.raw le.folded
printf '\xfe\xff\0a\0;\0b\0 \0005\0\n\0c\0 \0007\0\n' >be.folded
reads utf-16-big-endian plain.raw be.folded
printf '\xef\xbb\xbfa;b 5\nc 7\n' >mark.folded
reads utf-8-with-a-mark plain.raw mark.folded
printf '\xff\xfea\0;' >half.folded
fails 1 input/utf-16-cut-off 'ends in half a character' -- \
	"$OTPROF" show half.folded

other_kind() # NAME KIND TEXT
{
	printf "$3" >"$1"
	fails 1 "input/kind-$1" "$1: $2: not supported$" -- "$OTPROF" show "$1"
}
other_kind callgrind 'a callgrind file' \
	'version: 1\ncreator: x\npositions: line\nevents: Ir\n\nfn=(1) main\n16 20\n'
other_kind massif 'a Massif file' 'desc: x\ncmd: ./a\ntime_unit: i\n#---\n'
other_kind stackprof 'a stackprof file' \
	'{"version":1.2,"mode":"cpu","samples":3,"gc_samples":0,"frames":{}}'
other_kind heapsnapshot 'a V8 heap snapshot' \
	'{"snapshot":{"meta":{}},"nodes":[],"strings":[]}'
other_kind metrics 'a file of Prometheus metrics' \
	'# HELP a Some.\n# TYPE a counter\na{b="c"} 1\na{b="d"} 2\n'
other_kind hprof 'a Java heap dump' 'JAVA PROFILE 1.0.2\0\0\0\0\4'
other_kind gmon 'a gprof file' 'gmon\1\0\0\0'

# --- packed ---

for tool in gzip zstd lz4; do
	has_tool "input/$tool" $tool || continue
	$tool -c <example.otlp >packed
	reads "$tool" example.raw packed
	expect_exit 0 "input/$tool-summary" -- "$OTPROF" show packed
	check "input/$tool-is-named" grep -q " bytes ($tool, unpacked " out
	expect_exit 0 "input/$tool-check" -- "$OTPROF" check packed
	"$OTPROF" convert packed >a.otlp
	same "input/$tool-converts-alike" a.otlp b.otlp
	"$OTPROF" show --raw - <packed >out
	same "input/$tool-on-stdin" example.raw out
	head -c 300 example.otlp | $tool -c >parts
	tail -c +301 example.otlp | $tool -c >>parts
	reads "$tool-in-two-parts" example.raw parts
	head -c 100 packed >cut
	fails 1 "input/$tool-cut-off" 'cut: .* \(at byte [0-9]+\)$' \
		-- "$OTPROF" show cut
	fails 3 "input/$tool-cut-off-check" 'cut: .* \(at byte [0-9]+\)$' \
		-- "$OTPROF" check cut
	: | $tool -c >nothing
	fails 1 "input/$tool-of-nothing" 'nothing: is empty' \
		-- "$OTPROF" show nothing
	head -c 100000000 /dev/zero | $tool -c >bomb
	fails 1 "input/$tool-bomb" 'bomb: unpacks to more than 1048576 bytes$' \
		-- "$OTPROF" show --max-size 1M bomb
	rm bomb
done
if has_tool input/packed-twice gzip && has_tool input/packed-twice zstd; then
	gzip -c <example.otlp | zstd -c >twice
	reads packed-twice example.raw twice
	cp twice deep
	for _ in 1 2 3; do
		gzip -c <deep >deeper
		mv deeper deep
	done
	fails 1 input/packed-five-times 'deep: more than 4 layers of compression' \
		-- "$OTPROF" show deep
fi

# --- many messages, each behind its length ---

framed "$(example)" >framed.otlp
reads framed example.raw framed.otlp
framed "$(small)" >>framed.otlp
{
	cat example.raw
	sed 's/^0/1/' small.raw
} >both.raw
reads framed-two both.raw framed.otlp
framed '' >>framed.otlp
reads framed-empty-message both.raw framed.otlp
framed '' >first_empty.otlp
framed "$(small)" >>first_empty.otlp
reads framed-first-message-empty small.raw first_empty.otlp
expect_exit 0 input/framed-converts -- \
	"$OTPROF" convert framed.otlp -o bare.otlp
reads framed-becomes-bare both.raw bare.otlp
bytes "$(with_sample "$(uint 1 9)$(packed 4 1)")" >past
framed "$(small)" >framed.bad
first=$(stat -c %s framed.bad)
framed "$(with_sample "$(uint 1 9)$(packed 4 1)")" >>framed.bad
at=$("$OTPROF" show past 2>&1 | sed 's/.*at byte \([0-9]*\).*/\1/')
fails 1 input/framed-error-counts-from-the-start-of-the-file \
	"framed.bad: stack index 9 .* \(at byte $((first + 4 + at))\)$" \
	-- "$OTPROF" show framed.bad
expect_exit 1 input/framed-check -- "$OTPROF" check framed.bad
check input/framed-check-names-the-message grep -q \
	'message\[1\].resource_profiles\[0\]' out
head -c -3 framed.otlp >cut
fails 1 input/framed-prefix-cut-off 'cut: truncated length of a message \(at byte' \
	-- "$OTPROF" show cut
framed "$(example)" | head -c 500 >cut
fails 1 input/framed-message-cut-off \
	'cut: a message declares [0-9]+ bytes, but only 496 are left \(at byte 0\)' \
	-- "$OTPROF" show cut

# --- older senders ---

# v1.9 has values where attributes are today, v1.8 another number for the id.
bytes "$(resource_profiles '' "$(
	cpu_profile "$(uint 1 1)$(packed 2 5)$(packed 3 1)")")$(
	small_dictionary)$(len 2 "$(text 5 k)$(
	len 6 "$(uint 1 4)$(len 2 "$(text 1 v)")")")" >v1.9.otlp
expect_exit 0 input/v1.9 -- "$OTPROF" show v1.9.otlp
check input/v1.9-is-named grep -q '^v1.9.otlp: otlp v1.9,' out
prints input/v1.9-is-upgraded \
	$'0.0.0\tcpu/nanoseconds\t5\t-\t-\tk="v"\t"main"' \
	-- "$OTPROF" show --raw v1.9.otlp
expect_exit 0 input/v1.9-check -- "$OTPROF" check v1.9.otlp
check input/v1.9-is-a-warning grep -q 'has wire version v1.9, .* \[dialect\]' out
expect_exit 0 input/v1.9-convert -- "$OTPROF" convert v1.9.otlp -o new.otlp
expect_exit 0 input/v1.9-becomes-today -- "$OTPROF" show new.otlp
check input/v1.9-becomes-today-named grep -q '^new.otlp: otlp v1.10,' out

# v1.4: tables inside the profile, two types a sample, no zero elements.
bytes "$(resource_profiles '' "$(
	len 1 "$(uint 1 1)$(uint 2 2)"
	len 1 "$(uint 1 3)$(uint 2 4)"
	len 2 "$(uint 2 1)$(packed 3 7 70)"
	len 4 "$(len 3 "$(uint 1 0)")"
	packed 5 0
	len 6 "$(uint 1 5)"
	strings | sed 's/^2a/52/'
	text 10 samples
	text 10 count
	text 10 cpu
	text 10 nanoseconds
	text 10 main
	uint 11 $START
)")" >v1.4.otlp
printf '%s\n' $'0.0.0\tsamples/count\t7\t-\t-\t-\t"main"' \
	$'0.0.1\tcpu/nanoseconds\t70\t-\t-\t-\t"main"' >v1.4.raw
reads v1.4 v1.4.raw v1.4.otlp
expect_exit 0 input/v1.4-summary -- "$OTPROF" show v1.4.otlp
check input/v1.4-is-named grep -q '^v1.4.otlp: otlp v1.4,' out

# --- output that goes nowhere ---

large_file large.otlp 400
for args in 'show large.otlp' 'show --raw large.otlp' 'show --tree large.otlp' \
	'show --json large.otlp' 'check small.otlp' 'check --json small.otlp' \
	'check --rules' 'convert large.otlp' 'help' 'version'; do
	# shellcheck disable=SC2086 # several arguments
	to_full()
	{
		"$OTPROF" $args >/dev/full
	}
	fails 1 "input/full-disk '$args'" 'No space left on device$' -- to_full
done
raw_to_head()
{
	"$OTPROF" show --raw large.otlp | head -n 1 >/dev/null
	return "${PIPESTATUS[0]}"
}
expect_exit 141 input/closed-pipe -- raw_to_head
check input/closed-pipe-is-quiet test ! -s err

# --- a file that shrinks while it is shown ---

# The reader of the fifo takes one line, so show stands still in its first
# megabyte; then the file goes. What was read is shown whole.
"$OTPROF" show --raw large.otlp >whole
mkfifo slow
{
	read -r line
	: >large.otlp
	{
		echo "$line"
		cat
	} >seen
} <slow &
"$OTPROF" show --raw large.otlp >slow
wait
check input/file-shrinks cmp whole seen

# --- a line while one waits ---

# The writer of the fifo waits for the line, then lets the reader go on.
if ! script -qec true typescript </dev/null >/dev/null 2>&1; then
	skip input/progress "no terminal can be made here"
else
	mkfifo late.otlp
	SHELL=/bin/bash timeout 100 script -qefc "'$OTPROF' show late.otlp" \
		typescript </dev/null >/dev/null 2>&1 &
	exec 9>late.otlp
	until grep -q 'reading late.otlp: 0 MiB, [1-9]' typescript ||
		! kill -0 $! 2>/dev/null; do :; done
	cat small.otlp >&9
	exec 9>&-
	wait
	check input/progress grep -q 'reading late.otlp: 0 MiB, [1-9]' typescript
	check input/progress-ends grep -q 'late.otlp: otlp v1' typescript
fi
"$OTPROF" show small.otlp >/dev/null 2>err
check input/progress-only-on-a-terminal test ! -s err
