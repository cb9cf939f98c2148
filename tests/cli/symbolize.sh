# SPDX-License-Identifier: Apache-2.0
#
# --symbolize: a small program is compiled, its addresses become a profile, and
# the profile gets names.
. "$TOP/tests/cli/aid.bash"

here=$PWD
export HOME=$here
unset DEBUGINFOD_URLS OTPROF_SYMBOL_PATH

cat >prog.c <<'C'
volatile int sink;
static inline __attribute__((always_inline)) void inner(int n)
{
	sink += n;
}

__attribute__((noinline)) void work(int n)
{
	inner(n);
}

int main(void)
{
	work(3);
	sink++;
	return 0;
}
C
sed 's/sink++/sink--/' prog.c >other.c
build="${CC:-gcc} -g -O1 -Wl,--build-id=sha1"
if ! $build -o prog prog.c 2>log || ! $build -o other other.c 2>log; then
	skip symbolize/all "no compiler that makes programs"
	exit 0
fi
linked=$(ldd "$OTPROF" 2>/dev/null)
lines=no
[[ $linked != *libdw.so* ]] || lines=yes

address_of() # FILE SYMBOL
{
	echo $((0x$(nm "$1" | awk -v s="$2" '$3 == s { print $1 }')))
}

id_of() # FILE
{
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

work=$(($(address_of prog work) + 1))
main=$(($(address_of prog main) + 1))
id=$(id_of prog)

# A profile with one stack, main calling work, at these addresses.
# usage: profile PATH BUILD-ID START LIMIT OFFSET MAIN WORK [TIME] [PID]
profile()
{
	local attrs='' time='' resource=''

	[ -z "$2" ] || attrs=$(packed 5 1)
	[ -z "${8-}" ] || time=$(fixed64 3 "$8")
	[ -z "${9-}" ] || resource=$(
		len 1 "$(text 1 process.pid)$(len 2 "$(uint 3 "$9")")")
	len 1 "$(len 1 "$resource")$(len 2 "$(len 2 "$(
		len 1 "$(uint 1 1)$(uint 2 2)"
		len 2 "$(uint 1 1)$(packed 4 5)"
	)$time")")"
	len 2 "$(zeros)$(strings cpu count "$1" \
		process.executable.build_id.gnu "$2")$(
		len 1 "$(uint 1 "$3")$(uint 2 "$4")$(uint 3 "$5")$(uint 4 3)$attrs"
		len 2 "$(uint 1 1)$(uint 2 "$6")"
		len 2 "$(uint 1 1)$(uint 2 "$7")"
		len 6 "$(uint 1 4)$(len 2 "$(uint 8 5)")"
		len 7 "$(packed 1 2 1)")"
}

make_profile() # FILE and the arguments of profile
{
	local file=$1

	shift
	bytes "$(profile "$@")" >"$file"
}

# named NAME WANT ARGS...: the profile's stack with --symbolize, as folded text.
named()
{
	local name=$1 want=$2 rc=0

	shift 2
	"$OTPROF" convert --symbolize -t folded "$@" >out 2>err || rc=$?
	if [ "$rc" != 0 ]; then
		not_ok "$name" "exit status $rc: $(head -n 1 err)"
	elif [ "$(cat out)" != "$want" ]; then
		not_ok "$name" "'$(head -n 1 out)', not '$want' ($(head -n 1 err))"
	else
		ok "$name"
	fi
}

quiet() # NAME: the last command said nothing
{
	check "$1" test ! -s err
}

warned() # NAME TEXT: the last command said this, in one line
{
	if [ "$(wc -l <err)" = 1 ] && grep -qF -- "$2" err; then
		ok "$1"
	else
		not_ok "$1" "not '$2': $(head -n 1 err)"
	fi
}

full='main;work 5'
[ $lines = no ] || full='main;work;inner 5'
bare="prog+0x$(printf %x "$main");prog+0x$(printf %x "$work") 5"
plain='main;work 5'

# --- addresses ---

make_profile a.otlp "$here/prog" "$id" 0 0 0 "$main" "$work"
expect_exit 0 symbolize/without -- \
	"$OTPROF" convert --no-symbols -t folded a.otlp
check symbolize/without-keeps-addresses test "$(cat out)" = "$bare"
expect_exit 0 symbolize/views-have-names -- "$OTPROF" convert -t folded a.otlp
check symbolize/views-have-names-of-the-build test "$(cat out)" = "$full"
named symbolize/file-addresses "$full" a.otlp
quiet symbolize/file-addresses-is-quiet
make_profile upper.otlp "$here/prog" "${id^^}" 0 0 0 "$main" "$work"
named symbolize/build-id-in-upper-case "$full" upper.otlp

# The same in memory: the segment of code is mapped from its page on.
read -r offset vaddr _ <<<"$(readelf -lW prog |
	awk '$1 == "LOAD" && $7 ~ /E/ { print $2, $3 }
		$1 == "LOAD" && $7 == "R" && $8 == "E" { print $2, $3 }')"
start=$((0x7f1200000000))
page=$((offset / 4096 * 4096))
in_memory() # VADDR
{
	echo $(($1 - vaddr + offset - page + start))
}
make_profile mem.otlp "$here/prog" "$id" $start $((start + 4096)) $page \
	"$(in_memory "$main")" "$(in_memory "$work")"
named symbolize/memory-addresses "$full" mem.otlp

if [ $lines = yes ]; then
	expect_exit 0 symbolize/raw -- "$OTPROF" show --raw --symbolize a.otlp
	check symbolize/lines grep -qE \
		"\"inner\" \"$here/prog.c\":4:[0-9]+\\^2 < \"work\" \"$here/prog.c\":9:[0-9]+\\^7 @0x" \
		out
	check symbolize/flags grep -q 'pprof.mapping.has_inline_frames=true' out
else
	skip symbolize/lines "built without libdw"
fi
expect_exit 0 symbolize/show-top -- "$OTPROF" show --top 9 --symbolize a.otlp
check symbolize/show-top-names grep -q 'work$' out
expect_exit 0 symbolize/focus -- \
	"$OTPROF" convert --symbolize --focus '^work$' -t folded a.otlp
check symbolize/focus-sees-names test "$(cat out)" = "$full"
"$OTPROF" convert --symbolize a.otlp -o named.otlp
named symbolize/twice-changes-nothing "$full" named.otlp
"$OTPROF" convert --symbolize named.otlp -o twice.otlp
same symbolize/twice-gives-the-same-bytes named.otlp twice.otlp
expect_exit 0 symbolize/conforms -- "$OTPROF" check named.otlp
"$OTPROF" convert a.otlp -o a.pprof
named symbolize/pprof "$full" a.pprof

# --- the wrong file ---

make_profile gone.otlp "$here/gone/prog" "$id" 0 0 0 "$main" "$work"
named symbolize/no-file "$bare" gone.otlp
warned symbolize/no-file-says-so \
	"gone/prog: 2 of 2 addresses have no name: file not found"
expect_exit 0 symbolize/no-file-code -- "$OTPROF" show --raw --symbolize gone.otlp
check symbolize/no-file-is-an-attribute \
	grep -q '{otprof.location.unresolved="no-file"}' out
make_profile wrong.otlp "$here/other" "$id" 0 0 0 "$main" "$work"
named symbolize/other-build "${bare//prog/other}" wrong.otlp
warned symbolize/other-build-says-so 'the file found is another build'
make_profile text.otlp "$here/prog.c" "$id" 0 0 0 "$main" "$work"
named symbolize/no-elf "${bare//prog/prog.c}" text.otlp
warned symbolize/no-elf-says-so 'not a valid ELF file'
mkfifo pipe
make_profile pipe.otlp "$here/pipe" "$id" 0 0 0 "$main" "$work"
named symbolize/pipe "${bare//prog/pipe}" pipe.otlp
make_profile hole.otlp "$here/prog" "$id" 0 0 0 9999999 "$work"
named symbolize/no-symbol "prog+0x98967f;${full#main;}" hole.otlp
warned symbolize/no-symbol-says-so '1 of 2 addresses have no name: no symbols'
# What could not be named can be later, and then the attribute goes.
"$OTPROF" convert --symbolize gone.otlp -o later.otlp 2>err
mkdir gone && cp prog gone/
named symbolize/later "$full" later.otlp
"$OTPROF" show --raw --symbolize later.otlp >out
check symbolize/later-without-attribute test "$(grep -c unresolved out)" = 0

# Without a build id in the profile the time is all there is.
now=$(date +%s)000000000
make_profile new.otlp "$here/prog" '' 0 0 0 "$main" "$work" "$now"
touch -d 2001-01-01 prog
named symbolize/unchecked "$full" new.otlp
warned symbolize/unchecked-says-so 'the profile has no build ID for it'
touch -d 2100-01-01 prog
named symbolize/changed "$bare" new.otlp
warned symbolize/changed-says-so 'the file is newer than the profile'
make_profile del.otlp "$here/prog (deleted)" '' 0 0 0 "$main" "$work"
expect_exit 0 symbolize/deleted -- "$OTPROF" convert --symbolize -t folded del.otlp
check symbolize/deleted-is-not-trusted grep -q 'prog' out
make_profile del.otlp "$here/prog (deleted)" "$id" 0 0 0 "$main" "$work"
named symbolize/deleted-but-the-same "$full" del.otlp

# --- files elsewhere ---

mkdir -p root/usr/bin && cp prog root/usr/bin/
make_profile root.otlp /usr/bin/prog "$id" 0 0 0 "$main" "$work"
named symbolize/root "$full" --symbol-root "$here/root" root.otlp
mkdir bins && cp prog bins/
named symbolize/path-by-name "$full" --symbol-path "$here/none:$here/bins" \
	root.otlp
OTPROF_SYMBOL_PATH=$here/bins named symbolize/path-of-variable "$full" root.otlp
mkdir -p "ids/.build-id/${id:0:2}" && cp prog "ids/.build-id/${id:0:2}/${id:2}"
make_profile ids.otlp /none "$id" 0 0 0 "$main" "$work"
named symbolize/path-by-build-id "$full" --symbol-path "$here/ids" ids.otlp
mkdir -p "$here/.debug/.build-id/${id:0:2}/${id:2}"
cp prog "$here/.debug/.build-id/${id:0:2}/${id:2}/elf"
named symbolize/perf-cache "$full" ids.otlp
rm -r "$here/.debug"

# Stripped, with its debug file by each way.
mkdir strip
objcopy --only-keep-debug prog strip/prog.debug
objcopy --strip-all --add-gnu-debuglink=strip/prog.debug prog strip/prog
make_profile strip.otlp "$here/strip/prog" "$id" 0 0 0 "$main" "$work"
named symbolize/debuglink "$full" strip.otlp
mkdir strip/.debug && mv strip/prog.debug strip/.debug/
named symbolize/debuglink-in-folder "$full" strip.otlp
mkdir -p "global$here/strip" && mv strip/.debug/prog.debug "global$here/strip/"
named symbolize/debuglink-in-path "$full" --symbol-path "$here/global" strip.otlp
mkdir -p "dbg/.build-id/${id:0:2}"
mv "global$here/strip/prog.debug" "dbg/.build-id/${id:0:2}/${id:2}.debug"
named symbolize/debug-by-build-id "$full" --symbol-path "$here/dbg" strip.otlp
make_profile nobin.otlp /none/prog "$id" 0 0 0 "$main" "$work"
named symbolize/debug-file-alone "$full" --symbol-path "$here/dbg" nobin.otlp
named symbolize/stripped "${bare//prog/prog}" strip.otlp
objcopy --only-keep-debug other strip/prog.debug
named symbolize/debuglink-of-another-build "$bare" strip.otlp
# Without build ids the sum decides.
objcopy --remove-section=.note.gnu.build-id prog bare.full
objcopy --only-keep-debug bare.full strip/bare.debug
objcopy --strip-all --add-gnu-debuglink=strip/bare.debug bare.full strip/bare
make_profile bare.otlp "$here/strip/bare" '' 0 0 0 "$main" "$work"
named symbolize/debuglink-by-sum "$full" bare.otlp
printf x >>strip/bare.debug
named symbolize/debuglink-of-another-sum "${bare//prog/bare}" bare.otlp

# .gnu_debugdata: the symbols, packed, inside a stripped program.
if [[ $linked != *liblzma.so* ]]; then
	skip symbolize/debugdata "built without liblzma"
elif has_tool symbolize/debugdata xz; then
	objcopy --keep-file-symbols --strip-debug prog mini 2>log
	xz -k --check=crc32 mini
	objcopy --strip-all --add-section .gnu_debugdata=mini.xz prog mini.prog
	make_profile mini.otlp "$here/mini.prog" "$id" 0 0 0 "$main" "$work"
	named symbolize/debugdata "$plain" mini.otlp
fi

# A server, which may be a folder.
mkdir -p "server/buildid/$id" && cp prog "server/buildid/$id/executable"
export DEBUGINFOD_CACHE_PATH=$here/cache
DEBUGINFOD_URLS=file://$here/server
export DEBUGINFOD_URLS
if [ -e "$(ldconfig -p 2>/dev/null |
	sed -n 's/.*libdebuginfod.so.1 .*=> //p' | head -n 1)" ]; then
	named symbolize/debuginfod "$full" nobin.otlp
	DEBUGINFOD_URLS=http://127.0.0.1:9 named symbolize/debuginfod-is-down \
		"$bare" <(bytes "$(profile /none/prog \
			"$(tr 0-9a-f 1-9a-f0 <<<"$id")" 0 0 0 "$main" "$work")")
else
	skip symbolize/debuginfod "there is no libdebuginfod here"
fi
unset DEBUGINFOD_URLS
rm -rf cache
named symbolize/debuginfod-is-not-asked "$bare" nobin.otlp

# --- code made at run time ---

sleep 100 &
pid=$!
map=/tmp/perf-$pid.map
printf '7f0000001000 100 js:main\n7f0000002000 100 js:work a b\n' >"$map"
make_profile jit.otlp //anon '' 0 0 0 $((0x7f0000001010)) $((0x7f0000002010)) \
	"$(date +%s)000000000" $pid
named symbolize/perf-map 'js:main;js:work a b 5' jit.otlp
make_profile jit.otlp "$map" '' 0 0 0 $((0x7f0000001010)) $((0x7f0000002010)) \
	"$(date +%s)000000000"
named symbolize/perf-map-by-name 'js:main;js:work a b 5' jit.otlp
rm -f "$map"
# The same as jitdump: a header, then a record a function.
le() # BYTES NUMBER
{
	local i n=$2

	for ((i = 0; i < $1; i++, n >>= 8)); do
		printf %02x $((n & 255))
	done
}
loaded() # ADDRESS NAME
{
	local name

	name=$(printf %s "$2" | od -An -tx1 | tr -d ' \n')00
	le 4 0
	le 4 $((56 + ${#name} / 2 + 16))
	le 8 1
	le 4 $pid
	le 4 $pid
	le 8 $(($1))
	le 8 $(($1))
	le 8 16
	le 8 1
	printf %s "$name"
	printf %032d 0
}
bytes "4454694a $(le 4 1)$(le 4 40)$(le 4 62)$(le 4 0)$(le 4 $pid)$(le 8 0)
	$(le 8 0)$(loaded 0x7f0000001000 js:main)
	$(loaded 0x7f0000002000 'js:work a b')" >/tmp/jit-$pid.dump
make_profile jit.otlp //anon '' 0 0 0 $((0x7f0000001008)) $((0x7f0000002008)) \
	"$(date +%s)000000000" $pid
named symbolize/jitdump 'js:main;js:work a b 5' jit.otlp
rm -f /tmp/jit-$pid.dump
expect_exit 0 symbolize/no-map -- "$OTPROF" show --raw --symbolize jit.otlp
check symbolize/no-map-code grep -q '"no-map"' out
kill $pid 2>/dev/null
wait $pid 2>/dev/null

# Addresses of a kernel that nobody can tell to be this one.
make_profile kernel.otlp '[kernel.kallsyms]' abcd $((-2147483648)) 0 0 \
	$((-2147483640)) $((-2147483600))
expect_exit 0 symbolize/kernel -- "$OTPROF" show --raw --symbolize kernel.otlp
check symbolize/kernel-code grep -q '"other-kernel"' out

# --- what nobody asked for is not opened ---

# Whoever opens a pipe for reading lets its writer go on.
opens() # NAME yes|no ARGS...
{
	local name=$1 want=$2 got=no writer

	shift 2
	rm -f opened
	(: >pipe && : >opened) 2>/dev/null &
	writer=$!
	"$OTPROF" "$@" >out 2>err
	kill $writer 2>/dev/null
	wait $writer 2>/dev/null
	[ ! -e opened ] || got=yes
	check "$name" test $got = "$want"
}

opens symbolize/opens-nothing no show --raw pipe.otlp
opens symbolize/opens-no-pipe no show --raw --symbolize pipe.otlp
make_profile dots.otlp "/./$here/./pipe" "$id" 0 0 0 "$main" "$work"
opens symbolize/opens-no-pipe-by-other-names no show --raw --symbolize dots.otlp
make_profile up.otlp "/../../../../../../../../$here/prog" "$id" 0 0 0 \
	"$main" "$work"
named symbolize/above-the-root "$full" up.otlp
named symbolize/out-of-the-root "$bare" --symbol-root "$here/root" up.otlp
# Units in a file of their own, which libdw opens by its name.
mkdir split && (cd split && $build -gsplit-dwarf -o prog ../prog.c)
if [ $lines = yes ] && [ -e split/*.dwo ]; then
	make_profile split.otlp "$here/split/prog" "$(id_of split/prog)" 0 0 0 \
		$(($(address_of split/prog main) + 1)) \
		$(($(address_of split/prog work) + 1))
	named symbolize/split "$full" split.otlp
	dwo=$(echo split/*.dwo)
	rm "$dwo" && ln -s ../pipe "$dwo"
	named symbolize/split-pipe "$plain" split.otlp
	opens symbolize/split-pipe-is-not-opened no \
		show --raw --symbolize split.otlp
else
	skip symbolize/split "no lines, or no split units"
fi
ln -s "$here/prog" root/usr/bin/out
make_profile out.otlp /usr/bin/out "$id" 0 0 0 "$main" "$work"
named symbolize/link-out-of-the-root "${bare//prog/out}" \
	--symbol-root "$here/root" out.otlp

# --- bombs: only their own names are lost ---

# A name that is readable only in a build with libiberty.
sed 's/void work(int n)/void work(int n) __asm__("_Z4workv");\n&/' prog.c >cxx.c
$build -o cxx cxx.c
make_profile cxx.otlp "$here/cxx" "$(id_of cxx)" 0 0 0 \
	$(($(address_of cxx main) + 1)) $(($(address_of cxx _Z4workv) + 1))
"$OTPROF" convert --symbolize -t folded cxx.otlp >out
if grep -q 'work()' out; then
	bomb=_Z1fDp$(printf 'Fv%.0s' {1..30})1AS_E$(printf 'S%s_E' {0..9} {A..S})
	sed "s/void work(int n)/void work(int n) __asm__(\"$bomb\");\n&/" prog.c >bomb.c
	$build -o bomb bomb.c
	make_profile bomb.otlp "$here/bomb" "$(id_of bomb)" 0 0 0 \
		$(($(address_of bomb main) + 1)) $(($(address_of bomb "$bomb") + 1))
	named symbolize/slow-name "${full/work/$bomb}" bomb.otlp
	warned symbolize/slow-name-says-so '1 of 2 addresses keep mangled names'
else
	skip symbolize/slow-name "built without libiberty"
fi

# --- damage: names or none, but never a crash ---

size=$(stat -c %s prog)
for i in 0 1 2 3 4 5 6 7 8 9; do
	head -c $((size * i / 10)) prog >cut.$i
	make_profile cut.otlp "$here/cut.$i" "$id" 0 0 0 "$main" "$work"
	"$OTPROF" convert --symbolize -t folded cut.otlp >out 2>err || break
done
check symbolize/cut-files test "$i" = 9

fails 2 symbolize/neither 'excludes --symbolize and --symbol-path' -- \
	"$OTPROF" convert --no-symbols --symbol-path x a.otlp
