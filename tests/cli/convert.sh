# SPDX-License-Identifier: Apache-2.0
#
# convert: where the output goes, what it is made of, and that it appears whole
# or not at all.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
small_file small.otlp
"$OTPROF" show --raw example.otlp >example.raw
"$OTPROF" show --raw small.otlp >small.raw

# --- to a file, to stdout ---

expect_exit 0 convert/to-file -- "$OTPROF" convert example.otlp -o one.otlp
check convert/to-file-is-quiet test ! -s out -a ! -s err
expect_exit 0 convert/to-file-can-be-read -- "$OTPROF" show --raw one.otlp
same convert/to-file-has-all-samples example.raw out
expect_exit 0 convert/to-file-conforms -- "$OTPROF" check --strict one.otlp
"$OTPROF" convert example.otlp | cat >two.otlp
same convert/to-pipe-is-the-same one.otlp two.otlp
"$OTPROF" convert -o - example.otlp >two.otlp
same convert/to-dash-is-the-same one.otlp two.otlp
"$OTPROF" convert -t otlp example.otlp >two.otlp
same convert/named-format-is-the-same one.otlp two.otlp
expect_exit 0 convert/again -- "$OTPROF" convert one.otlp -o two.otlp
same convert/again-changes-nothing one.otlp two.otlp
expect_exit 0 convert/onto-itself -- "$OTPROF" convert one.otlp -o one.otlp
same convert/onto-itself-changes-nothing one.otlp two.otlp
(umask 027 && "$OTPROF" convert small.otlp -o mode.otlp)
check convert/mode-is-by-umask test "$(stat -c %a mode.otlp)" = 640
mkfifo pipe.otlp
cat pipe.otlp >from_pipe.otlp &
expect_exit 0 convert/to-fifo -- "$OTPROF" convert example.otlp -o pipe.otlp
wait
same convert/to-fifo-is-the-same one.otlp from_pipe.otlp
check convert/to-fifo-stays-one test -p pipe.otlp
if ! script -qec true typescript </dev/null >/dev/null 2>&1; then
	skip convert/to-terminal "no terminal can be made here"
else
	script -qec "'$OTPROF' convert small.otlp" typescript \
		</dev/null >out 2>&1 || :
	check convert/to-terminal-is-refused \
		grep -q 'not writing a profile to a terminal: use -o' out
fi

# --- several files ---

expect_exit 0 convert/several -- \
	"$OTPROF" convert example.otlp small.otlp -o both.otlp
{
	cat example.raw
	sed 's/^0/1/' small.raw
} >both.raw
expect_exit 0 convert/several-can-be-read -- "$OTPROF" show --raw both.otlp
same convert/several-keep-their-order both.raw out
expect_exit 0 convert/several-conform -- "$OTPROF" check both.otlp

# --- ids ---

id_of()
{
	"$OTPROF" show --json "$1" | sed -n 's/.*"profile_id": "\(.*\)".*/\1/p'
}

check convert/keeps-an-id test "$(id_of one.otlp | head -n 1)" = \
	000102030405060708090a0b0c0d0e0f
check convert/gives-an-id test "$(id_of one.otlp | tail -n 1 | wc -c)" = 33
check convert/different-content-has-another-id test \
	"$(id_of one.otlp | tail -n 1)" != "$("$OTPROF" convert small.otlp \
		>s.otlp && id_of s.otlp)"
bytes "$(small_dictionary)$(resource_profiles "$(attribute service.name shop)" \
	"$(cpu_profile "$(packed 4 5)$(uint 1 1)")")" >reversed.otlp
"$OTPROF" convert reversed.otlp >r.otlp
same convert/order-of-fields-does-not-matter s.otlp r.otlp

# --- what it makes better ---

# Duplicates, orphans and samples of one identity.
bytes "$(resource_profiles '' "$(cpu_profile "$(uint 1 1)$(packed 4 5)" \
	"$(uint 1 2)$(packed 4 6)")")$(small_dictionary)$(
	len 2 "$(text 5 main)$(text 5 unused)$(len 3 "$(uint 1 4)")$(
		len 2 "$(len 3 "$(uint 1 2)")")$(len 7 "$(packed 1 2)")"
)" >wasteful.otlp
expect_exit 1 convert/wasteful-input -- \
	"$OTPROF" check --strict wasteful.otlp
"$OTPROF" convert wasteful.otlp -o thrifty.otlp
expect_exit 0 convert/drops-duplicates-and-orphans -- \
	"$OTPROF" check --strict thrifty.otlp
prints convert/joins-samples-of-one-identity \
	$'0.0.0\tcpu/nanoseconds\t11\t-\t-\t-\t"main"' \
	-- "$OTPROF" show --raw thrifty.otlp

bytes "$(resource_profiles '' "$(cpu_profile "$(uint 1 1)$(packed 4 5)")")$(
	len 2 "$(zeros)$(strings cpu nanoseconds)$(len 5 6dff696e)$(
		len 3 "$(uint 1 3)")$(len 2 "$(len 3 "$(uint 1 1)")")$(
		len 7 "$(packed 1 1)")")" >latin.otlp
expect_exit 1 convert/invalid-utf8-does-not-conform -- \
	"$OTPROF" check latin.otlp
check convert/invalid-utf8-is-named grep -q '\[utf8\]' out
expect_exit 0 convert/invalid-utf8-is-read -- "$OTPROF" show --raw latin.otlp
check convert/invalid-utf8-is-shown-as-utf8 \
	grep -qF $'"m\xef\xbf\xbdin"' out
expect_exit 0 convert/invalid-utf8 -- \
	"$OTPROF" convert latin.otlp -o utf8.otlp
expect_exit 0 convert/invalid-utf8-is-made-valid -- \
	"$OTPROF" check utf8.otlp

# --- failures leave nothing behind ---

mkdir dir
cp one.otlp dir/kept.otlp
printf 'not a profile' >text
before=$(ls -A dir)

fails 1 convert/into-missing-folder \
	"cannot create 'nowhere/x.otlp': No such file or directory\$" \
	-- "$OTPROF" convert small.otlp -o nowhere/x.otlp
fails 1 convert/into-a-file-as-folder \
	"cannot (create|open) 'small.otlp/x.otlp': Not a directory\$" \
	-- "$OTPROF" convert small.otlp -o small.otlp/x.otlp
fails 1 convert/onto-a-folder "cannot open 'dir': Is a directory\$" \
	-- "$OTPROF" convert small.otlp -o dir
fails 1 convert/unwritable-folder "cannot create '/proc/x.otlp': " \
	-- "$OTPROF" convert small.otlp -o /proc/x.otlp
fails 1 convert/full-device "cannot write '/dev/full': No space left" \
	-- "$OTPROF" convert small.otlp -o /dev/full
check convert/full-device-stays-one test -c /dev/full
fails 1 convert/bad-input "text: not a profile" \
	-- "$OTPROF" convert text -o dir/new.otlp
fails 1 convert/bad-input-over-existing-file "text: not a profile" \
	-- "$OTPROF" convert text -o dir/kept.otlp
fails 1 convert/one-bad-file-of-two "text: not a profile" \
	-- "$OTPROF" convert small.otlp text -o dir/kept.otlp
fails 1 convert/one-missing-file-of-two "cannot open 'gone.otlp': No such file" \
	-- "$OTPROF" convert small.otlp gone.otlp -o dir/kept.otlp

# A disk that is full after a kilobyte.
large_file large.otlp 10
bytes "$(resource_profiles '' "$(cpu_profile "$(uint 1 1)$(packed 4 $(
	seq 1000))$(times 5 $(seq 1000))")")$(small_dictionary)" >wide.otlp
limited()
{
	(
		ulimit -f 1
		"$OTPROF" "$@"
	)
}
fails 1 convert/disk-becomes-full "cannot write 'dir/new.otlp': File too large" \
	-- limited convert wide.otlp -o dir/new.otlp
fails 1 convert/disk-becomes-full-over-existing-file \
	"cannot write 'dir/kept.otlp': File too large" \
	-- limited convert wide.otlp -o dir/kept.otlp

check convert/no-file-is-left-behind test "$(ls -A dir)" = "$before"
same convert/existing-file-is-untouched one.otlp dir/kept.otlp

# --- what it writes to -------------------------------------------------------

expect_exit 2 convert/unknown-ending -- "$OTPROF" convert small.otlp -o out.xyz
check convert/unknown-ending-says-so grep -q "no format has the extension" err
expect_exit 0 convert/unknown-ending-with-format -- \
	"$OTPROF" convert small.otlp -t otlp -o out.xyz
expect_exit 2 convert/stdin-twice -- "$OTPROF" convert - - -o out.otlp
ln -s target.otlp link.otlp
: > target.otlp
expect_exit 0 convert/through-a-link -- "$OTPROF" convert small.otlp -o link.otlp
check convert/link-stays test -L link.otlp
check convert/link-target-written test -s target.otlp

ln -s not-there.otlp dangling.otlp
fails 1 convert/dangling-link \
	"cannot create 'dangling.otlp': it is a link to a file that does not exist\$" \
	-- "$OTPROF" convert small.otlp -o dangling.otlp
check convert/dangling-link-stays test -L dangling.otlp
check convert/dangling-link-creates-nothing test ! -e not-there.otlp

# --- who may read it ---------------------------------------------------------

for mode in 600 640 664 444; do
	cp one.otlp private.otlp
	chmod $mode private.otlp
	chmod u+w private.otlp
	want=$(stat -c %a:%u:%g private.otlp)
	(umask 0 && "$OTPROF" convert small.otlp -o private.otlp)
	check "convert/mode-$mode-is-kept" \
		test "$(stat -c %a:%u:%g private.otlp)" = "$want"
	check "convert/mode-$mode-is-written" test "$(wc -c <private.otlp)" != \
		"$(wc -c <one.otlp)"
	rm -f private.otlp
done

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
if [ "$(id -u)" != 0 ] || ! as_nobody test -x "$OTPROF"; then
	echo "skip convert/owner: needs root and a build that all can run"
else
	mkdir -m 777 shared
	cp one.otlp shared/theirs.otlp
	chmod 600 shared/theirs.otlp
	chown 65534:65534 shared/theirs.otlp
	expect_exit 0 convert/owner -- \
		"$OTPROF" convert small.otlp -o shared/theirs.otlp
	check convert/owner-is-kept test \
		"$(stat -c %a:%u:%g shared/theirs.otlp)" = 600:65534:65534

	cp one.otlp shared/ours.otlp
	chmod 666 shared/ours.otlp
	as_root=$(stat -c %a:%u:%g shared/ours.otlp)
	chmod 755 .
	fails 1 convert/owner-cannot-be-kept \
		"cannot keep the owner and mode of 'shared/ours.otlp': Operation" \
		-- as_nobody "$OTPROF" convert - -o shared/ours.otlp <small.otlp
	check convert/owner-cannot-be-kept-leaves-it \
		cmp -s one.otlp shared/ours.otlp
	check convert/owner-cannot-be-kept-leaves-mode \
		test "$(stat -c %a:%u:%g shared/ours.otlp)" = "$as_root"
	chmod 644 shared/ours.otlp
	fails 1 convert/read-only-file \
		"cannot open 'shared/ours.otlp': Permission denied\$" \
		-- as_nobody "$OTPROF" convert - -o shared/ours.otlp <small.otlp
	check convert/no-file-is-left-in-shared \
		test "$(ls -A shared | wc -l)" = 2
fi

# --- folders -----------------------------------------------------------------

mkdir folder-of-two folder-of-two/below
cp small.otlp folder-of-two/b.otlp
cp one.otlp folder-of-two/a.otlp
: >folder-of-two/.hidden
"$OTPROF" convert folder-of-two/a.otlp folder-of-two/b.otlp -o by-name.otlp
expect_exit 0 convert/folder -- "$OTPROF" convert folder-of-two -o by-folder.otlp
same convert/folder-is-its-files-in-order by-name.otlp by-folder.otlp

# --- the result of another format, again -------------------------------------

"$OTPROF" convert small.otlp -t pprof -o small.pprof 2>/dev/null
"$OTPROF" convert small.pprof -o once.otlp
"$OTPROF" convert once.otlp -o twice.otlp
same convert/pprof-again-changes-nothing once.otlp twice.otlp

# --- closed standard files ---------------------------------------------------

# What is said must not get into the file that is written.
"$OTPROF" convert small.otlp -t pprof -o silent.pprof 2>&-
same convert/closed-stderr small.pprof silent.pprof
"$OTPROF" top small.otlp 2>said >&-
check convert/closed-stdout test $? = 1
check convert/closed-stdout-is-told grep -q 'cannot write the output' said
