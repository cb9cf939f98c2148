# SPDX-License-Identifier: Apache-2.0
#
# What the command line tests share beyond lib.sh: protobuf by hand, example
# profiles, and one assertion for failures.
#
# A message is a string of hex digits, in which white space does not count, put
# together from its fields:
#
#   bytes "$(len 1 "$(text 1 main)$(uint 2 7)")" >file
#
# uint, len, text, fixed64 and packed make one field each.

. "$TOP/tests/cli/lib.sh"

# --- protobuf ---

# Sets R to the varint of a 64-bit number; negative ones take ten bytes.
varint()
{
	local n=$1 b

	R=
	while ((n < 0 || n > 127)); do
		printf -v b %02x $((n & 127 | 128))
		R+=$b
		n=$(((n >> 7) & 0x1ffffffffffffff))
	done
	printf -v b %02x "$n"
	R+=$b
}

# Sets R to eight bytes, the lowest first.
le64()
{
	local n=$1 b i

	R=
	for i in 0 8 16 24 32 40 48 56; do
		printf -v b %02x $(((n >> i) & 255))
		R+=$b
	done
}

uint() # FIELD NUMBER
{
	local tag

	varint $(($1 << 3))
	tag=$R
	varint "$2"
	echo "$tag$R"
}

fixed64() # FIELD NUMBER
{
	local tag

	varint $(($1 << 3 | 1))
	tag=$R
	le64 "$2"
	echo "$tag$R"
}

len() # FIELD HEX
{
	local tag body=${2//[[:space:]]/}

	varint $(($1 << 3 | 2))
	tag=$R
	varint $((${#body} / 2))
	echo "$tag$R$body"
}

hex() # TEXT
{
	local s=$1 out= b i LC_ALL=C

	for ((i = 0; i < ${#s}; i++)); do
		printf -v b %02x "'${s:i:1}"
		out+=${b: -2}
	done
	echo "$out"
}

text() # FIELD TEXT
{
	len "$1" "$(hex "$2")"
}

packed() # FIELD NUMBER...
{
	local field=$1 n run=

	shift
	for n; do
		varint "$n"
		run+=$R
	done
	len "$field" "$run"
}

times() # FIELD NUMBER...
{
	local field=$1 n run=

	shift
	for n; do
		le64 "$n"
		run+=$R
	done
	len "$field" "$run"
}

# The bytes of hex digits, to stdout.
bytes()
{
	local digits=${1//[[:space:]]/} i step=65536

	for ((i = 0; i < ${#digits}; i += step)); do
		printf "$(sed 's/../\\x&/g' <<<"${digits:i:step}")"
	done
}

# The bytes behind their number as four bytes, big-endian.
framed() # HEX
{
	local digits=${1//[[:space:]]/} n

	printf -v n %08x $((${#digits} / 2))
	bytes "$n$digits"
}

# --- OTLP ---

# One resource, one scope and its profiles: RESOURCE-HEX PROFILE-HEX...
resource_profiles()
{
	local resource=$1 profiles= p

	shift
	for p; do
		profiles+=$(len 2 "$p")
	done
	len 1 "$(len 1 "$resource")$(len 2 "$(len 1 "$(text 1 demo)")$profiles")"
}

attribute() # KEY TEXT: of a resource
{
	len 1 "$(text 1 "$1")$(len 2 "$(text 1 "$2")")"
}

strings() # TEXT...: the string table, without its zero element
{
	local s

	len 5 ''
	for s; do
		text 5 "$s"
	done
}

# The zero elements of all tables but that of strings.
zeros()
{
	echo 0a00 1200 1a00 2200 3200 3a00
}

START=1700000000000000000

# The smallest profile worth the name: one function, one sample of 5.
# Strings: 1 cpu, 2 nanoseconds, 3 main.
small_dictionary()
{
	len 2 "$(zeros)$(strings cpu nanoseconds main)$(
		len 3 "$(uint 1 3)"
		len 2 "$(len 3 "$(uint 1 1)")"
		len 7 "$(packed 1 1)"
	)"
}

# A profile of the samples given: SAMPLE-HEX...
cpu_profile()
{
	local s samples=

	for s; do
		samples+=$(len 2 "$s")
	done
	len 1 "$(uint 1 1)$(uint 2 2)"
	echo "$samples"
	fixed64 3 $START
	uint 4 1000000000
}

small()
{
	with_sample "$(uint 1 1)$(packed 4 5)"
}

# small, with another sample.
with_sample() # SAMPLE-HEX
{
	resource_profiles "$(attribute service.name shop)" \
		"$(cpu_profile "$1")"
	small_dictionary
}

# small, with one more row in table FIELD of its dictionary.
with_row() # FIELD ROW-HEX
{
	small
	len 2 "$(len "$1" "$2")"
}

# Two profiles that use everything: on-CPU samples with times, attributes, a
# link and inlined calls, and a heap that is a gauge. It conforms.
example_dictionary()
{
	strings cpu nanoseconds samples count main work inner app.c /bin/app \
		thread.name worker inuse_space bytes _ZL5inner6thing \
		process.executable.build_id.gnu cafe service.name shop \
		profile.frame.type native
	# 1: the program
	len 1 "$(uint 1 4194304)$(uint 2 8388608)$(uint 3 4096)$(uint 4 9)$(
		packed 5 2)"
	# 1: main, 2: work with inner inlined, 3: an address
	len 2 "$(uint 1 1)$(uint 2 4194560)$(
		len 3 "$(uint 1 1)$(uint 2 12)")$(packed 4 3)"
	len 2 "$(uint 1 1)$(uint 2 4194816)$(
		len 3 "$(uint 1 3)$(uint 2 31)$(uint 3 7)")$(
		len 3 "$(uint 1 2)$(uint 2 25)")"
	len 2 "$(uint 1 1)$(uint 2 4195072)"
	len 3 "$(uint 1 5)$(uint 3 8)$(uint 4 10)"
	len 3 "$(uint 1 6)$(uint 3 8)$(uint 4 20)"
	len 3 "$(uint 1 7)$(uint 2 14)$(uint 3 8)$(uint 4 30)"
	len 4 "$(len 1 0102030405060708090a0b0c0d0e0f10)$(
		len 2 1112131415161718)"
	# 1: thread.name, 2: build id, 3: frame type
	len 6 "$(uint 1 10)$(len 2 "$(uint 8 11)")"
	len 6 "$(uint 1 15)$(len 2 "$(uint 8 16)")"
	len 6 "$(uint 1 19)$(len 2 "$(uint 8 20)")"
	len 7 "$(packed 1 1)"
	len 7 "$(packed 1 2 1)"
	len 7 "$(packed 1 3 2 1)"
}

example()
{
	local cpu heap

	cpu=$(
		len 1 "$(uint 1 3)$(uint 2 4)"
		len 2 "$(uint 1 1)$(packed 2 1)$(times 5 $((START + 5)))"
		len 2 "$(uint 1 2)$(packed 2 1)$(uint 3 1)$(
			times 5 $((START + 10)) $((START + 20)))"
		fixed64 3 $START
		uint 4 1000000000
		len 5 "$(uint 1 1)$(uint 2 2)"
		uint 6 10000000
		len 7 000102030405060708090a0b0c0d0e0f
	)
	heap=$(
		len 1 "$(uint 1 12)$(uint 2 13)"
		len 2 "$(uint 1 2)$(packed 4 4096)"
		len 2 "$(uint 1 3)$(packed 4 1024)"
		fixed64 3 $START
		uint 4 1000000000
	)
	resource_profiles "$(len 1 "$(uint 3 17)$(len 2 "$(uint 8 18)")")" \
		"$cpu" "$heap"
	len 2 "$(zeros)$(example_dictionary)"
}

example_file() # FILE
{
	bytes "$(example)" >"$1"
}

small_file() # FILE
{
	bytes "$(small)" >"$1"
}

# small with its sample this many hundred times: 37 bytes each of raw text.
large_file() # FILE HUNDREDS
{
	local sample run= all= i

	sample=$(len 2 "$(uint 1 1)$(packed 4 5)")
	for ((i = 0; i < 100; i++)); do
		run+=$sample
	done
	for ((i = 0; i < $2; i++)); do
		all+=$run
	done
	bytes "$(resource_profiles '' "$(len 1 "$(uint 1 1)$(uint 2 2)")$all")$(
		small_dictionary)" >"$1"
}

# --- assertions ---

# fails STATUS NAME PATTERN -- CMD...: CMD exits with STATUS and says exactly
# one line on stderr: `otprof COMMAND: ` and something that PATTERN, a regular
# expression, matches.
fails()
{
	local want=$1 name=$2 pattern=$3 rc=0 n

	shift 4
	"$@" >out 2>err || rc=$?
	n=$(wc -l <err)
	if [ "$rc" != "$want" ]; then
		tail -n 20 err >&2
		not_ok "$name" "exit status $rc, not $want: $(head -n 1 err)"
	elif [ "$n" != 1 ]; then
		head -n 20 err >&2
		not_ok "$name" "$n lines on stderr, not one"
	elif ! grep -qE "^otprof [a-z]+: " err; then
		not_ok "$name" "does not name the command: $(cat err)"
	elif ! grep -qE -- "$pattern" err; then
		not_ok "$name" "not '$pattern': $(cat err)"
	else
		ok "$name"
	fi
}

# prints NAME TEXT -- CMD...: CMD succeeds without a word on stderr, and one of
# its lines is TEXT.
prints()
{
	local name=$1 text=$2 rc=0

	shift 3
	"$@" >out 2>err || rc=$?
	if [ "$rc" != 0 ] || [ -s err ]; then
		not_ok "$name" "exit status $rc: $(head -n 1 err)"
	elif ! grep -qxF -- "$text" out; then
		head -n 20 out >&2
		not_ok "$name" "no line '$text'"
	else
		ok "$name"
	fi
}

# same NAME FILE FILE
same()
{
	check "$1" cmp "$2" "$3"
}

# has_tool NAME PROGRAM: skips NAME if there is no such program.
has_tool()
{
	command -v "$2" >/dev/null && return 0
	skip "$1" "there is no $2 here"
	return 1
}
