# SPDX-License-Identifier: Apache-2.0
#
# Profiles as OTLP logs through the program. What the convention of 2021 wants
# is a list of 16 rows (docs/formats/splunk.md); a test of a row names it.
. "$TOP/tests/cli/aid.bash"

# One thread that is looked at twice, in a span and not.
trace=000102030405060708090a0b0c0d0e0f
span=1011121314151617
strings_of_look()
{
	strings samples count wall nanoseconds shop.Cart.add main Cart.java \
		thread.name worker service.name shop
}
look()
{
	local profile

	profile=$(
		len 1 "$(uint 1 1)$(uint 2 2)"
		len 2 "$(uint 1 1)$(packed 2 1)$(uint 3 1)$(
			times 5 $((START + 5000000)))"
		len 2 "$(uint 1 2)$(packed 2 1)$(times 5 $((START + 1)))"
		fixed64 3 $START
		uint 4 10000000
		len 5 "$(uint 1 3)$(uint 2 4)"
		uint 6 10000000
	)
	resource_profiles "$(attribute service.name shop)" "$profile"
	len 2 "$(zeros)$(strings_of_look)$(
		len 2 "$(len 3 "$(uint 1 1)$(uint 2 12)$(uint 3 7)")"
		len 2 "$(len 3 "$(uint 1 2)")"
		len 3 "$(uint 1 5)$(uint 3 7)"
		len 3 "$(uint 1 6)"
		len 4 "$(len 1 $trace)$(len 2 $span)"
		len 6 "$(uint 1 8)$(len 2 "$(uint 8 9)")"
		len 7 "$(packed 1 1 2)"
		len 7 "$(packed 1 2)"
	)"
}
bytes "$(look)" >look.otlp
"$OTPROF" show --raw look.otlp >want.raw

# --- there and back, in each form ---

for name in a.text.logs.otlp a.text.logs.json a.logs.otlp a.logs.json; do
	expect_exit 0 splunk/$name-write -- "$OTPROF" convert look.otlp -o $name
	check splunk/$name-write-is-quiet test ! -s err
	expect_exit 0 splunk/$name-read -- "$OTPROF" show --raw $name
	check splunk/$name-read-is-quiet test ! -s err
	same splunk/$name-is-the-same want.raw out
	case $name in *.json) begins='{' ;; *) begins=$'\n' ;; esac
	check splunk/$name-is-what-it-ends-in \
		test "$(head -c 1 $name; echo .)" = "$begins."
	expect_exit 0 splunk/$name-packed -- \
		"$OTPROF" convert look.otlp -o $name.gz
	"$OTPROF" show --raw $name.gz >out
	same splunk/$name-packed-is-the-same want.raw out
done
expect_exit 0 splunk/setting -- "$OTPROF" convert look.otlp -t splunk-text \
	--logs-encoding json -o b
same splunk/setting-is-json a.text.logs.json b
expect_exit 0 splunk/1.4 -- "$OTPROF" convert look.otlp --splunk-frames 1.4 \
	-o c.text.logs.json
check splunk/1.4-has-columns-behind-a-colon \
	grep -q 'at shop.Cart.add(Cart.java:12:7)\\u000a' c.text.logs.json
"$OTPROF" show --raw c.text.logs.json >out
same splunk/1.4-is-the-same want.raw out

# --- the rows of the convention ---

# has NAME FILE TEXT...: the file has each of them.
has()
{
	local name=$1 file=$2 t

	shift 2
	for t; do
		grep -qF -- "$t" $file || {
			not_ok "$name" "no $t"
			return
		}
	done
	ok "$name"
}

attr_text() # KEY TEXT
{
	echo "{\"key\":\"$1\",\"value\":{\"stringValue\":\"$2\"}}"
}

attr_int() # KEY NUMBER
{
	echo "{\"key\":\"$1\",\"value\":{\"intValue\":\"$2\"}}"
}

text=a.text.logs.json
pprof=a.logs.json

has 'splunk/row 6: the interval is the period, in ms' $text \
	"$(attr_int source.event.period 10)"

# The stack in a span has its ids, the other has none.
has 'splunk/row 9: ids of trace and span are set' $text \
	"\"traceId\":\"$trace\",\"spanId\":\"$span\""
check 'splunk/row 9: a stack outside of spans has none' \
	test "$(grep -o traceId $text | wc -l)" = 1

has 'splunk/row 10: stacks are OTLP logs' $text '{"resourceLogs":[{' \
	'"scopeLogs":[{' '"logRecords":[{'
has 'splunk/row 13: the resource has its attributes' $text \
	"\"resource\":{\"attributes\":[$(attr_text service.name shop)]}"
has 'splunk/row 13: that of pprof too' $pprof \
	"\"resource\":{\"attributes\":[$(attr_text service.name shop)]}"
for file in $text $pprof; do
	has "splunk/row 14: the scope is otel.profiling 0.1.0 ($file)" $file \
		'"scope":{"name":"otel.profiling","version":"0.1.0"'
	has "splunk/row 15: the source type ($file)" $file \
		"$(attr_text com.splunk.sourcetype otel.profiling)"
	has "splunk/row 16: the name, as field 4 and as event ($file)" $file \
		'"name":"otel.profiling"' '"eventName":"otel.profiling"'
done
has 'splunk/row 15: the period' $text "$(attr_int source.event.period 10)"
"$OTPROF" convert "$TOP/tests/fuzz/corpus/jfr/mix" -o mix.text.logs.json \
	2>/dev/null
has 'splunk/row 15: the name of the event' mix.text.logs.json \
	"$(attr_text source.event.name jdk.ExecutionSample)"
has 'splunk/row 16: the time of the stack' $text \
	"\"timeUnixNano\":\"$((START + 5000000))\"" \
	"\"timeUnixNano\":\"$((START + 1))\""
has 'splunk/row 16: the body is the call stack' $text \
	"$(echo '"body":{"stringValue":"\"worker\" #0 prio=0 os_prio=0 cpu=0 elapsed=0 tid=0x0 nid=0x0NNTat shop.Cart.add(Cart.java:12 7)NTat global.main(unknown)N"}' |
		sed 's/N/\\u000a/g; s/T/\\u0009/g')"
check 'splunk/row 16: a record for each stack' \
	test "$(grep -o '"body":' $text | wc -l)" = 2

# --- what newer releases of the convention want ---

has splunk/data-type-and-format $text \
	"$(attr_text profiling.data.type cpu)" \
	"$(attr_text profiling.data.format text)"
has splunk/data-type-and-format-of-pprof $pprof \
	"$(attr_text profiling.data.type cpu)" \
	"$(attr_text profiling.data.format pprof-gzip-base64)" \
	"$(attr_int profiling.data.total.frame.count 3)"
has splunk/allocations mix.text.logs.json \
	"$(attr_text profiling.data.type allocation)" \
	"$(attr_int memory.allocated 64)"

# The body of pprof is a pprof file, without types and values.
grep -o '"stringValue":"H4sI[^"]*' $pprof | head -n 1 |
	sed 's/.*"//' | base64 -d >body.pprof
prints splunk/body-is-pprof \
	'    profile 0.0.0: samples/count (sum), 1 sample, 1 observation, total 1' \
	-- "$OTPROF" show -f pprof body.pprof
gzip -dc body.pprof >body.raw
check splunk/body-has-the-labels grep -qa source.event.time body.raw

# --- what the library of 2021 sends, in its wire of that time ---

stack=$'"main" #1 prio=5 os_prio=0 cpu=2.50ms elapsed=1.00s tid=0x1 nid=0x2 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat shop.Cart.add(Cart.java:12)\n\t- locked <0x1>\n\tat shop.Main.main(Main.java:3)\n'
record=$(fixed64 1 $START)$(text 4 otel.profiling)$(
	len 5 "$(text 1 "$stack")")$(
	len 6 "$(text 1 com.splunk.sourcetype)$(len 2 "$(text 1 otel.profiling)")")$(
	len 6 "$(text 1 source.event.period)$(len 2 "$(uint 3 1000)")")$(
	len 9 $trace)$(len 10 $span)
bytes "$(len 1 "$(len 1 "$(attribute service.name shop)")$(
	len 2 "$(len 1 "$(text 1 otel.profiling)$(text 2 0.1.0)")$(len 2 "$record")")")" >old.logs
expect_exit 0 splunk/old -- "$OTPROF" show --raw old.logs
check splunk/old-remarks-are-told grep -q '1 lines between frames' err
golden splunk/old.raw out
"$OTPROF" show old.logs >out 2>/dev/null
has 'splunk/row 6: the default interval of 1 s is read' out \
	'every 1000000000 wall/nanoseconds'
expect_exit 0 splunk/old-again -- \
	"$OTPROF" convert old.logs -o old.text.logs.otlp
"$OTPROF" show --raw old.logs 2>/dev/null >want.old
"$OTPROF" show --raw old.text.logs.otlp >out
same splunk/old-again-is-the-same want.old out

# --- failures ---

head -c 100 a.logs.otlp >cut.logs.otlp
fails 1 splunk/cut 'cut.logs.otlp: .*\(at byte [0-9]+\)$' \
	-- "$OTPROF" show -f splunk-pprof cut.logs.otlp
sed 's/H4sI/H4s*/' $pprof >bad.logs.json
fails 1 splunk/bad-body 'bad.logs.json: the body is not valid base64 \(at byte [0-9]+\)$' \
	-- "$OTPROF" show bad.logs.json
fails 2 splunk/bad-setting "splunk-frames takes 2021 or 1.4, not '3'" \
	-- "$OTPROF" convert look.otlp -o x.text.logs.otlp --splunk-frames 3
check splunk/bad-setting-leaves-nothing test ! -e x.text.logs.otlp
fails 2 splunk/setting-of-others 'logs-encoding does not apply to these formats' \
	-- "$OTPROF" convert look.otlp -o x.pprof --logs-encoding json
expect_exit 0 splunk/loss -- \
	"$OTPROF" convert "$TOP/tests/fuzz/corpus/jfr/mix" -o x.text.logs.otlp
check splunk/loss-is-told grep -q 'splunk-text cannot hold' err
