# SPDX-License-Identifier: Apache-2.0
#
# Files that are not what they should be. Whatever they hold, every command
# ends with status 0, 1 or 3; a failure is one line on stderr that has the file
# and, where a byte is to blame, its place.
. "$TOP/tests/cli/aid.bash"
small_file small.otlp

# --- not a profile ---

refused() # NAME FILE PATTERN: by all three commands
{
	local name=bad-input/$1 file=$2 text="$2: $3"

	[[ $3 == cannot* ]] && text=$3
	fails 1 "$name-show" "otprof show: $text" -- "$OTPROF" show "$file"
	fails 1 "$name-convert" "otprof convert: $text" \
		-- "$OTPROF" convert "$file" -o new.otlp
	fails 3 "$name-check" "otprof check: $text" -- "$OTPROF" check "$file"
	check "$name-writes-nothing" test -z "$(ls -A | grep '^new.otlp')"
}

other='not a profile in any known format \(at byte 0\)$'
: >empty
refused empty empty 'is empty$'
mkdir folder
fails 1 bad-input/folder-show "cannot read 'folder': Is a directory\$" \
	-- "$OTPROF" show folder
fails 3 bad-input/folder-check "cannot read 'folder': Is a directory\$" \
	-- "$OTPROF" check folder
fails 1 bad-input/folder-convert 'folder: contains no files$' \
	-- "$OTPROF" convert folder -o new.otlp
refused missing gone "cannot open 'gone': No such file or directory\$"
ln -s loop loop
refused loop-of-links loop "cannot open 'loop': Too many levels"
printf 'some text\nof two lines\n' >text
refused text text "$other"
printf '{"events":[]}' >json
refused json json "$other"
printf '\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00' >elf
refused elf elf 'an ELF binary: not supported$'
printf '\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01' >png
refused png png 'a PNG picture: not supported$'
printf 'PK\x03\x04\x14\x00\x00\x00\x08\x00' >zip
refused zip zip 'a zip archive: not supported$'
head -c 4096 /dev/zero >zeros
refused zeros zeros '.*'
bytes "$(len 1 "$(uint 1 1)$(uint 2 2)")$(len 2 "$(packed 1 1)$(
	packed 2 5)")$(text 6 '')$(text 6 cpu)$(text 6 ns)" >pprof
refused pprof pprof 'there is no location with the id 1 \(at byte 10\)$'

# --- broken messages ---

broken() # NAME HEX PATTERN
{
	bytes "$2" >"$1.otlp"
	refused "$1" "$1.otlp" "$3 \(at byte [0-9]+\)$"
}

ffs=ffffffffffffffffff
gib=8080808004 # 1 << 30
broken field-zero "$(small)0001" '.*'
broken group "$(small)1b1c" 'field 3 is a group, which is not supported'
broken wire-type-7 "$(small)0f" 'field 1 has invalid wire type 7'
broken huge-length "$(small)0a${ffs}01" \
	'18446744073709551615 bytes declared, but only 0 are left'
broken negative-length "$(len 1 "$(len 1 '')0a${ffs}01")" '[0-9]+ bytes declared, but only 0 are left'
broken gib-in-twenty-bytes "0a${gib}0a0412020a000000000000000000" \
	'1073741824 bytes declared, but only 14 are left'
broken gib-inside "$(len 1 "12${gib}")" '1073741824 bytes declared, but only 0 are left'
broken gib-of-strings "$(len 2 "2a00 2a$gib")" '1073741824 bytes declared, but only 0 are left'
broken varint-of-eleven-bytes "$(small)10${ffs}ff01" \
	'a number has more than 64 bits'
broken varint-of-65-bits "$(small)10${ffs}02" \
	'a number has more than 64 bits'
broken varint-cut-off "$(small)10ff" 'truncated number'
broken times-of-nine-bytes \
	"$(with_sample "$(uint 1 1)$(len 5 000000000000000000)")" \
	'9 bytes of timestamps, not a multiple of 8'
bytes "40000000$(len 1 '')" >prefix
refused gib-prefix prefix '.*'
bytes "07000000$(len 1 '')" >prefix
refused large-prefix prefix '.*'
bytes 00000000 >prefix
refused prefix-of-nothing prefix "$other"

# The longest varint that is one, where it is allowed: values.
bytes "$(with_sample "$(uint 1 1)$(len 4 "${ffs}01")")" >minus_one.otlp
prints bad-input/ten-byte-varint-is-minus-one \
	$'0.0.0\tcpu/nanoseconds\t-1\t-\t-\t-\t"main"' \
	-- "$OTPROF" show --raw minus_one.otlp

# --- broken folded stacks ---

folded() # NAME TEXT PATTERN
{
	printf "$2" >"$1.folded"
	refused "folded-$1" "$1.folded" "$3 \(at byte [0-9]+\)$"
}

# A few lines that are no stack are skipped, unless --strict forbids it.
printf 'x\na;b 1\na;c 2\nb 1\n12\nb 3\n' >some.folded
expect_exit 0 bad-input/folded-some -- "$OTPROF" convert some.folded -t folded
printf 'a;b 1\na;c 2\nb 4\n' >want
same bad-input/folded-some-text want out
check bad-input/folded-some-note grep -q \
	'warning: 2 lines without a stack and a count skipped, the first at byte 1$' err
fails 1 bad-input/folded-some-strict \
	'line 1: does not end in a space and a count \(at byte 1\)$' \
	-- "$OTPROF" convert --strict some.folded -o new.otlp
printf 'a;b 1\nx\ny\n' >most.folded
fails 1 bad-input/folded-most \
	'line 2: does not end in a space and a count \(at byte 7\)$' \
	-- "$OTPROF" convert -f folded most.folded -o new.otlp
check bad-input/folded-writes-nothing test ! -e new.otlp
folded large-count 'a;b 9223372036854775808\n' \
	'line 1: the count does not fit in 64 bits'
folded large-difference 'a;b -9223372036854775808 1\n' \
	'line 1: the count does not fit in 64 bits'
folded broken-escape '# otprof\na%%2 1\n' \
	'line 2: a percent sign without two hex digits'
folded cut-off-escaped '# otprof\na;b' 'line 2: no count after the stack'
folded broken-fact '# otprof time=now\na 1\n' 'line 1: the value of this field is not valid'
folded broken-time '# otprof\na 1 k=v now\n' 'line 2: the text after the count is neither attributes nor a time'

# --- indexes past their tables: an error to all but check, which lists them ---

past() # NAME HEX
{
	local name=bad-input/index-of-$1 text

	bytes "$2" >past.otlp
	text="past.otlp: $1 index -?[0-9]+ is out of range for a table of [0-9]+ \(at"
	fails 1 "$name-show" "$text" -- "$OTPROF" show past.otlp
	fails 1 "$name-convert" "$text" -- "$OTPROF" convert past.otlp
	expect_exit 1 "$name-check" -- "$OTPROF" check past.otlp
	check "$name-check-is-named" grep -q "\[$1-index\]" out
	check "$name-check-is-quiet" test ! -s err
}

one=$(uint 1 1)$(packed 4 5)
for n in 4 100 2147483647 4294967295 4294967296 -1; do
	past string "$(with_row 3 "$(uint 1 $n)")"
	past stack "$(with_sample "$(uint 1 $n)$(packed 4 1)")"
	past link "$(with_sample "$one$(uint 3 $n)")"
	past attribute "$(with_sample "$one$(packed 2 $n)")"
	past location "$(with_row 7 "$(packed 1 $n)")"
	past mapping "$(with_row 2 "$(uint 1 $n)")"
	past function "$(with_row 2 "$(len 3 "$(uint 1 $n)")")"
done

# --- nesting ---

# A value this many arrays deep, in an attribute of the resource.
nested() # DEPTH
{
	local n=$1 size=0 level= all=()

	while ((n--)); do
		varint $size
		level=0a$R
		varint $((size + ${#level} / 2))
		level=2a$R$level
		size=$((size + ${#level} / 2))
		all+=("$level")
	done
	for ((n = ${#all[@]}; n--;)); do
		printf %s "${all[n]}"
	done
}

deep() # DEPTH
{
	resource_profiles "$(len 1 "$(text 1 k)$(len 2 "$(nested "$1")")")" \
		"$(cpu_profile "$one")"
	small_dictionary
}

bytes "$(deep 20)" >deep.otlp
expect_exit 0 bad-input/nested-20-deep -- "$OTPROF" show deep.otlp
expect_exit 0 bad-input/nested-20-deep-json -- "$OTPROF" show --json deep.otlp
bytes "$(deep 10000)" >deep.otlp
refused nested-10000-deep deep.otlp \
	'values nested more than [0-9]+ deep \(at byte [0-9]+\)$'
bytes "$(small)$(len 99 "$(nested 10000)")" >deep.otlp
expect_exit 0 bad-input/unknown-field-10000-deep -- "$OTPROF" show deep.otlp

# --- every length of a file ---

# Cut after each byte it either is a message still, or an error at a byte.
size=$(stat -c %s small.otlp)
for cmd in show convert check; do
	bad=
	for ((n = 1; n < size; n++)); do
		head -c "$n" small.otlp >cut.otlp
		rc=0
		"$OTPROF" $cmd cut.otlp >out 2>err || rc=$?
		case $cmd:$rc in
		check:0 | check:1 | show:0 | convert:0) lines=0 ;;
		check:3 | show:1 | convert:1) lines=1 ;;
		*) lines=-1 ;;
		esac
		if [ "$(wc -l <err)" != $lines ]; then
			bad+=" $n:$rc"
		elif [ $lines = 1 ] &&
			! grep -q "^otprof $cmd: cut.otlp: .*(at byte" err; then
			bad+=" $n:$(cat err)"
		fi
	done
	check "bad-input/cut-anywhere-$cmd" test -z "$bad"
done

# Each byte made 0xff: no promise but that it ends, with one line if it fails.
bad=
whole=$(small)
whole=${whole//[[:space:]]/}
for ((n = 0; n < size; n++)); do
	bytes "${whole:0:n * 2}ff${whole:n * 2 + 2}" >changed.otlp
	rc=0
	"$OTPROF" show --raw changed.otlp >out 2>err || rc=$?
	[ $rc -le 1 ] && [ "$(wc -l <err)" -le 1 ] || bad+=" $n:$rc"
done
check bad-input/changed-anywhere test -z "$bad"

# --- size ---

fails 1 bad-input/larger-than-allowed \
	"small.otlp: $size bytes exceed the limit of 100$" \
	-- "$OTPROF" show --max-size 100 small.otlp
expect_exit 0 bad-input/as-large-as-allowed -- \
	"$OTPROF" show --max-size "$size" small.otlp

# --- files that are valid and odd ---

bytes "$(small)$(uint 1000 1)$(fixed64 1001 1)$(text 1002 x)" >unknown.otlp
expect_exit 0 bad-input/unknown-fields-are-skipped -- \
	"$OTPROF" check --strict unknown.otlp
bytes "$(resource_profiles "$(attribute a 1)$(attribute a 2)" \
	"$(cpu_profile "$one")")$(small_dictionary)" >twice.otlp
expect_exit 0 bad-input/key-twice-is-read -- "$OTPROF" show twice.otlp
expect_exit 0 bad-input/key-twice-is-converted -- \
	"$OTPROF" convert twice.otlp -o kept.otlp
expect_exit 0 bad-input/key-twice-json -- "$OTPROF" show --json twice.otlp
