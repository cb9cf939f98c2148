# SPDX-License-Identifier: Apache-2.0
#
# Folded stacks through the program.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp

# --- there ---

expect_exit 0 folded/write -- "$OTPROF" convert --no-symbols example.otlp -o a.folded
check folded/write-names-the-other-type grep -qxF \
	'otprof convert: a.folded: warning: inuse_space/bytes is left out: folded stacks hold one type' \
	err
check folded/write-warns-once test "$(wc -l <err)" = 1
printf 'main 1\nmain;work;inner 2\n' >want
same folded/write-text want a.folded
expect_exit 0 folded/collapsed -- "$OTPROF" convert example.otlp -o a.collapsed
same folded/collapsed-is-the-same want a.collapsed
expect_exit 0 folded/named -- "$OTPROF" convert -t folded example.otlp
same folded/named-is-the-same want out

# Options of names.
expect_exit 0 folded/lines -- \
	"$OTPROF" convert --lines --simple --norm --threads example.otlp -t folded
check folded/lines-text test "$(wc -l <out)" -ge 2
fails 2 folded/lines-of-others '--lines does not apply to these formats' -- \
	"$OTPROF" convert --lines example.otlp -o b.pprof

# --- and back ---

expect_exit 0 folded/read -- "$OTPROF" show --raw a.folded
check folded/read-is-quiet test ! -s err
printf '0.0.0\tsamples/count\t%s\t-\t-\t-\t%s\n' 1 '"main"' \
	2 '"inner" ; "work" ; "main"' >want.raw
same folded/read-text want.raw out
expect_exit 0 folded/to-otlp -- "$OTPROF" convert a.folded -o a.otlp
expect_exit 0 folded/to-otlp-conforms -- "$OTPROF" check --strict a.otlp
expect_exit 0 folded/conforms -- "$OTPROF" check --strict a.folded
"$OTPROF" convert a.otlp -o b.folded
same folded/again-changes-nothing a.folded b.folded
expect_exit 0 folded/two-files -- \
	"$OTPROF" convert a.folded b.folded -o both.folded
check folded/two-files-is-quiet test ! -s err
printf 'main 2\nmain;work;inner 4\n' >want
same folded/two-files-are-summed want both.folded

# Annotations, as in the proposal that OTLP Profiles grew from.
trace=01020304010203040102030401020304
printf '%s\n' "foo;bar;baz 100 region=us,trace_id=0x$trace,span_id=0x9999999999999999 1687841528000000" \
	'foo;bar 200 region=us' >annotated.folded
{
	printf '0.0.0\tsamples/count\t100\t1687841528000000000\t%s:9999999999999999\tregion="us"\t%s\n' \
		$trace '"baz" ; "bar" ; "foo"'
	printf '0.0.1\tsamples/count\t200\t-\t-\tregion="us"\t%s\n' '"bar" ; "foo"'
} >want.raw
expect_exit 0 folded/annotated -- "$OTPROF" show --raw annotated.folded
same folded/annotated-text want.raw out

# What other tools need is the count at the end of each line, and no more.
printf '# otprof type=cpu unit=nanoseconds\n%s\n' 'a%3Bb;c 5 k=v 7' >e.folded
expect_exit 0 folded/escaped-to-plain -- "$OTPROF" convert e.folded -t folded
printf 'a:b;c 5\n' >want
same folded/escaped-to-plain-text want out
printf 'x 1' | "$OTPROF" convert -t folded - >out
printf 'x 1\n' >want
same folded/from-a-pipe want out
printf 'some text\n' >text
fails 1 folded/by-name 'text: line 1: does not end in a space and a count \(at' \
	-- "$OTPROF" show -f folded text

# --- packed ---

expect_exit 0 folded/packed -- "$OTPROF" convert a.otlp -o x.folded.gz
expect_exit 0 folded/packed-again -- "$OTPROF" convert x.folded.gz -t folded
same folded/packed-is-the-same a.folded out

# More than gzip packs into one member.
seq 500000 | sed 's/.*/main;f&;work 1/' >wide.folded
expect_exit 0 folded/packed-large -- "$OTPROF" convert wide.folded -o wide2.folded.gz
expect_exit 0 folded/packed-large-again -- "$OTPROF" convert wide2.folded.gz -t folded
check folded/packed-large-has-all test "$(wc -l <out)" = 500000
if has_tool folded/packed-large-unpacks gzip; then
	gzip -dc wide2.folded.gz >unpacked
	same folded/packed-large-unpacks unpacked out
fi
