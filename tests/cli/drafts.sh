# SPDX-License-Identifier: Apache-2.0
#
# The drafts of OTLP Profiles through the program: there and back, what they
# show of their own examples, and what is said of a loss.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
"$OTPROF" convert example.otlp -o plain.otlp
"$OTPROF" show --raw plain.otlp >want.all

# --- there and back ---

for format in otep239 otep-arrays otlp-events otlp-events-text; do
	expect_exit 0 drafts/$format-write -- \
		"$OTPROF" convert -t $format example.otlp -o a.$format
	expect_exit 0 drafts/$format-read -- "$OTPROF" show --raw a.$format
	check drafts/$format-read-is-quiet test ! -s err
	# One cannot hold columns, which it reports.
	sed 's/:7^/^/' want.all >want.otep-arrays
	want=want.$format
	[ -f $want ] || want=want.all
	same drafts/$format-read-is-the-same $want out
	expect_exit 0 drafts/$format-again -- \
		"$OTPROF" convert -t $format a.$format -o b.$format
	same drafts/$format-again-changes-nothing a.$format b.$format
	expect_exit 0 drafts/$format-conforms -- "$OTPROF" check a.$format
done
expect_exit 0 drafts/ending -- "$OTPROF" convert example.otlp -o a.txtpb
same drafts/ending-is-the-same a.otlp-events-text a.txtpb

# --- pprof, which the reader of OTEP 239 must know ---

"$OTPROF" convert example.otlp -o a.pprof 2>/dev/null
"$OTPROF" convert --pack none example.otlp -t pprof -o plain.pprof 2>/dev/null
"$OTPROF" show --raw a.pprof >want.pprof
for file in a.pprof plain.pprof; do
	expect_exit 0 drafts/otep239-of-$file -- \
		"$OTPROF" show --raw -f otep239 $file
	same drafts/otep239-of-$file-is-the-same want.pprof out
done

# --- the examples of the proposals ---

for name in aggregated-cpu timed-cpu thread-state aggregated-heap; do
	file=$TOP/tests/golden/otlp-events/$name.txtpb
	expect_exit 0 drafts/events-$name -- "$OTPROF" show --raw "$file"
	golden otlp-events/$name.raw out
	expect_exit 0 drafts/events-$name-convert -- \
		"$OTPROF" convert "$file" -t otlp-events-text
	golden otlp-events/$name.text out
done

# The payload of the arrays draft, which it also writes as folded stacks.
trace=01020304010203040102030401020304
span=9999999999999999
printf '%s\n' "foo;bar;baz 100 region=us,trace_id=0x$trace,span_id=0x$span 1687841528000000" \
	'foo;bar 200 region=us' >example.folded
line() { len 3 "$(uint 1 "$1")"; }
set_us=$(len 1 "$(text 1 region)$(len 2 "$(text 1 us)")")
profile=$(len 12 "")$(len 12 "$set_us")
profile+=$(len 10 "$(uint 1 1)")$(len 10 "$(uint 1 2)")$(len 10 "$(uint 1 3)")
profile+=$(len 11 "$(len 1 "")$(len 2 "")")
profile+=$(len 11 "$(len 1 $trace)$(len 2 $span)")
profile+=$(len 9 "$(len 3 "")")$(len 9 "$(line 1)")$(len 9 "$(line 2)")
profile+=$(len 14 "$(packed 12 1 1)$(packed 11 1 0)$(packed 10 0 1)$(
	packed 14 1687841528000000 0)$(packed 13 100 200)")
profile+=$(len 7 "$(packed 1 0 1 2)")$(len 7 "$(packed 1 0 1)")
profile+=$(text 13 "")$(text 13 foo)$(text 13 bar)$(text 13 baz)
profile+=$(len 1 0102030405060708090a0b0c0d0e0f10)
bytes "$(len 1 "$(len 1 "")$(text 3 todo)$(
	len 2 "$(len 1 "")$(len 2 "$profile")")")" >example.otep-arrays
expect_exit 0 drafts/arrays-example -- "$OTPROF" show --raw example.otep-arrays
golden otep-arrays/example.raw out
sed 's,""/"",samples/count,' out >arrays.raw
"$OTPROF" show --raw example.folded >folded.raw
same drafts/arrays-example-is-its-folded-text folded.raw arrays.raw

# --- losses and errors ---

printf 'otprof convert: p.otep-arrays: warning: %s\n' \
	'otep-arrays cannot hold periods of some profiles' >want.err
"$OTPROF" convert "$TOP/tests/golden/otlp-events/timed-cpu.txtpb" -o p.otlp
expect_exit 0 drafts/loss -- "$OTPROF" convert p.otlp -o p.otep-arrays
same drafts/loss-is-told want.err err
printf 'strings: [""]\nevents { event_type_index: 3 }\n' >bad.txtpb
fails 1 drafts/bad-text \
	'bad.txtpb: event type index 3 is out of range for a table of 0 \(at byte 41\)$' \
	-- "$OTPROF" show bad.txtpb
head -c 100 example.otep-arrays >cut.otep-arrays
fails 1 drafts/cut 'cut.otep-arrays: .*\(at byte [0-9]+\)$' \
	-- "$OTPROF" show -f otep-arrays cut.otep-arrays
