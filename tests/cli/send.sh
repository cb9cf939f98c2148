# SPDX-License-Identifier: Apache-2.0
#
# otprof send, against a server that answers as the case says.
. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

can_send || exit 0
example_file example.otlp
# As it is sent: each profile has an id.
"$OTPROF" convert example.otlp -o whole.otlp

send()
{
	"$OTPROF" send --endpoint "$ENDPOINT" "$@"
}

# case STATUS NAME ANSWER... -- ARGS: exit status, with these answers.
case_of()
{
	local want=$1 name=$2 answers=()

	shift 2
	while [ "$1" != -- ]; do
		answers+=("$1")
		shift
	done
	shift
	serve_start "${answers[@]}"
	expect_exit "$want" "send/$name" -- send "$@"
	serve_stop
}

# --- what arrives ---

case_of 0 http status=200 -- whole.otlp
same send/http-is-the-same whole.otlp "$SERVED/1.body"
check send/http-says-so grep -q '^sent 1 message, [0-9]* bytes, to http' out
check send/http-path grep -qx 'POST /v1development/profiles' "$SERVED/1.head"
check send/http-is-silent test ! -s err

case_of 0 grpc grpc=0 -- --protocol grpc whole.otlp
tail -c +6 "$SERVED/1.body" >body
same send/grpc-is-the-same whole.otlp body

case_of 0 grpc-length 'hex=0000000000 grpc=0 length' -- --protocol grpc \
	whole.otlp
nr_requests send/grpc-length-once 1

case_of 0 json 'body=%7b%7d' -- --protocol http/json whole.otlp
expect_exit 0 send/json-can-be-read -- \
	"$OTPROF" convert -f otlp-json "$SERVED/1.body" -t otlp
same send/json-is-the-same whole.otlp out

for kind in gzip zstd; do
	case_of 0 "$kind" status=200 -- --compression "$kind" whole.otlp
	if has_tool "send/$kind-is-the-same" "$kind"; then
		"$kind" -dc <"$SERVED/1.body" >body
		same "send/$kind-is-the-same" whole.otlp body
	fi
	check "send/$kind-says-so" \
		grep -qix "content-encoding: $kind" "$SERVED/1.head"
done

case_of 0 without-ids status=200 -- example.otlp
expect_exit 0 send/without-ids-gets-them -- "$OTPROF" convert "$SERVED/1.body"
same send/without-ids-is-the-same whole.otlp out

printf 'main;work 3\nmain 4\n' >a.folded
case_of 0 other-format status=200 -- a.folded
expect_exit 0 send/other-format-is-otlp -- \
	"$OTPROF" convert -f otlp "$SERVED/1.body" -t folded
sort out >sorted
printf 'main 4\nmain;work 3\n' >want
same send/other-format-is-the-same want sorted

mkdir folder
cp whole.otlp folder/1.otlp
gzip -c whole.otlp >folder/2.otlp.gz
case_of 0 folder status=200 -- folder a.folded
nr_requests send/folder-all 3
same send/folder-unpacked whole.otlp "$SERVED/2.body"

case_of 0 headers status=200 -- --header 'api-key=a,b%c' --header x=1 \
	whole.otlp
check send/headers-first grep -qx 'api-key: a,b%c' "$SERVED/1.head"
check send/headers-second grep -qx 'x: 1' "$SERVED/1.head"

# --- proxies ---

serve_start status=200
expect_exit 0 send/proxy -- env http_proxy="$ENDPOINT" \
	"$OTPROF" send --endpoint http://far.example:4318 whole.otlp
serve_stop
check send/proxy-gets-it grep -qx \
	'POST http://far.example:4318/v1development/profiles' "$SERVED/1.head"
same send/proxy-is-the-same whole.otlp "$SERVED/1.body"

# HTTP/2 goes through a tunnel, of which headers are none of the proxy's.
serve_start status=403
expect_exit 1 send/proxy-grpc -- env http_proxy="$ENDPOINT" \
	"$OTPROF" send --endpoint http://far.example:4317 --protocol grpc \
	--header api-key=secret --retry-for 10ms whole.otlp
serve_stop
check send/proxy-grpc-is-a-tunnel \
	grep -qx 'CONNECT far.example:4317' "$SERVED/1.head"
check_not send/proxy-grpc-has-no-headers grep -q secret "$SERVED/1.head"

# --- size ---

for i in {1..200}; do
	echo "main;work_$i;deeper_$i $i"
done >large.folded
case_of 0 split status=200 -- --max-size 2000 large.folded
check send/split-in-several test "$(nr_served)" -gt 4
check send/split-small-enough \
	test -z "$(find "$SERVED" -name '*.body' -size +2000c)"
sort large.folded >want
expect_exit 0 send/split-can-be-joined -- \
	"$OTPROF" merge -f otlp "$SERVED"/*.body -t folded
sort out >sorted
same send/split-is-the-same want sorted

# --- answers: each row of the tables ---

# A RetryInfo of a millisecond, as a body and as a trailer.
info=$(len 3 "$(text 1 type.googleapis.com/google.rpc.RetryInfo)$(
	len 2 "$(len 1 "$(uint 2 1000000)")")")
soon="header=content-type:application/x-protobuf hex=$info"
soon_grpc="trailer=grpc-status-details-bin:$(bytes "$info" | base64 -w 0 |
	tr -d =)"

for status in 429 502 503 504; do
	case_of 0 "http-$status" "status=$status $soon" status=200 -- whole.otlp
	nr_requests "send/http-$status-is-tried-again" 2
	same "send/http-$status-the-same-again" "$SERVED/1.body" \
		"$SERVED/2.body"
done
for status in 301 400 401 403 404 405 408 413 415 500 501 505; do
	case_of 1 "http-$status" "status=$status $soon" status=200 -- whole.otlp
	nr_requests "send/http-$status-is-not-tried-again" 1
	check "send/http-$status-is-said" grep -q "HTTP $status" err
	check "send/http-$status-counted" \
		grep -q '1 message refused by the server' err
done
for code in 1 4 8 10 11 14 15; do
	case_of 0 "grpc-$code" "grpc=$code $soon_grpc" grpc=0 -- \
		--protocol grpc whole.otlp
	nr_requests "send/grpc-$code-is-tried-again" 2
	same "send/grpc-$code-the-same-again" "$SERVED/1.body" "$SERVED/2.body"
done
for code in 2 3 5 6 7 9 12 13 16; do
	case_of 1 "grpc-$code" "grpc=$code $soon_grpc" grpc=0 -- \
		--protocol grpc whole.otlp
	nr_requests "send/grpc-$code-is-not-tried-again" 1
done
case_of 1 grpc-8-without-a-time grpc=8 grpc=0 -- --protocol grpc whole.otlp
nr_requests send/grpc-8-without-a-time-is-not-tried-again 1
check send/grpc-8-is-said grep -q 'gRPC RESOURCE_EXHAUSTED' err

case_of 1 partial 'hex=0a070803120374746c' -- whole.otlp
nr_requests send/partial-is-not-tried-again 1
check send/partial-is-said grep -q 'rejected 3 profiles: ttl' err
check send/partial-counted grep -q '3 profiles rejected by the server' err

case_of 0 warning 'hex=0a05120374746c' -- whole.otlp
check send/warning-is-said grep -q 'ttl' err

case_of 1 large-answer 'status=503 fill=4194305' status=200 -- whole.otlp
nr_requests send/large-answer-is-not-tried-again 1

# No answer is worth another try, which waits about a second.
case_of 0 no-answer close status=200 -- whole.otlp
nr_requests send/no-answer-is-tried-again 2
case_of 0 garbage garbage grpc=0 -- --protocol grpc whole.otlp
case_of 0 retry-after 'status=503 header=retry-after:1' status=200 -- whole.otlp
nr_requests send/retry-after-is-tried-again 2

# --- nobody there ---

serve_nobody
expect_exit 1 send/nobody -- send --retry-for 10ms whole.otlp
check send/nobody-says-why grep -q 'no response: ' err
check send/nobody-says-what grep -q '1 message given up and lost' err

expect_exit 1 send/spool -- send --retry-for 10ms --spool spool whole.otlp
check send/spool-says-where \
	grep -q '1 message left in spool to be sent later' err
serve_start status=200
expect_exit 0 send/spool-alone -- send --spool spool
serve_stop
same send/spool-is-the-same whole.otlp "$SERVED/1.body"
expect_exit 0 send/spool-is-empty -- send --spool spool
check send/spool-is-empty-says-so grep -q '^sent 0 messages' out

# --- signals ---

for sig in INT TERM; do
	serve_start hang
	"$OTPROF" send --endpoint "$ENDPOINT" --timeout 0 \
		--spool "kept.$sig" whole.otlp >out 2>err &
	sender=$!
	wait_for test -e "$SERVED/1.head"
	kill "-$sig" "$sender"
	rc=0
	wait "$sender" || rc=$?
	check "send/signal-$sig-ends-it" test "$rc" = 1
	check "send/signal-$sig-says-what-is-left" \
		grep -q "1 message left in kept.$sig" err
	serve_stop
done

# What waits in a spool and is larger than the limit by now goes in pieces; if
# one is to be tried again, all come again.
for answers in 'status=200' 'status=200 status=503 status=200' \
	'status=200 status=400 status=200'; do
	name=${answers//status=/}
	name=${name// /-}
	serve_nobody
	send --retry-for 10ms --spool pieces large.folded >out 2>err
	want=0
	[[ $answers != *400* ]] || want=1
	# shellcheck disable=SC2086
	serve_start $answers
	expect_exit $want "send/pieces-$name" -- \
		send --spool pieces --max-size 3000
	serve_stop
	check "send/pieces-$name-are-small" \
		test -z "$(find "$SERVED" -name '*.body' -size +3000c)"
	check "send/pieces-$name-are-several" test "$(nr_served)" -gt 2
	[ $want = 0 ] || continue
	# What came twice has the same bytes.
	sha256sum "$SERVED"/*.body | sort -u -k1,1 | cut -c67- >distinct
	xargs "$OTPROF" merge -t folded <distinct | sort >sorted
	"$OTPROF" convert large.folded -t folded | sort >wanted
	same "send/pieces-$name-are-all" wanted sorted
done
check send/pieces-refused-is-said grep -q '1 message refused' err

# A spool that cannot be used is told of, and what is left is lost.
echo >no-folder
serve_start hang
"$OTPROF" send --endpoint "$ENDPOINT" --timeout 0 --spool no-folder \
	whole.otlp >out 2>err &
sender=$!
wait_for test -e "$SERVED/1.head"
kill "$sender"
rc=0
wait "$sender" || rc=$?
serve_stop
check send/bad-spool-fails test "$rc" = 1
check send/bad-spool-is-said grep -q 'the spool cannot be used' err
check send/bad-spool-says-what-is-lost \
	grep -q '1 message not sent and lost' err

# --- variables ---

serve_start status=200
expect_exit 0 send/variable-endpoint -- \
	env OTEL_EXPORTER_OTLP_ENDPOINT="$ENDPOINT/base" \
	OTEL_EXPORTER_OTLP_TIMEOUT=soon "$OTPROF" send whole.otlp
serve_stop
check send/variable-path \
	grep -qx 'POST /base/v1development/profiles' "$SERVED/1.head"
check send/variable-bad-is-said \
	grep -q 'OTEL_EXPORTER_OTLP_TIMEOUT=soon is ignored' err

serve_start status=200
expect_exit 0 send/variable-service -- \
	env OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT="$ENDPOINT/x" \
	OTEL_SERVICE_NAME=shop OTEL_RESOURCE_ATTRIBUTES=host.name=here \
	"$OTPROF" send a.folded
serve_stop
check send/variable-path-of-the-signal grep -qx 'POST /x' "$SERVED/1.head"
"$OTPROF" show -f otlp "$SERVED/1.body" --json >shown
check send/variable-service-arrives grep -q '"service.name": "shop"' shown
check send/variable-attribute-arrives grep -q '"host.name": "here"' shown

serve_start status=200
expect_exit 0 send/variable-service-is-there -- \
	env OTEL_SERVICE_NAME=other "$OTPROF" send --endpoint "$ENDPOINT" \
	example.otlp
serve_stop
"$OTPROF" show -f otlp "$SERVED/1.body" --json >shown
check send/variable-service-stays grep -q '"service.name": "shop"' shown

# --- logs ---

for form in splunk-text splunk-pprof; do
	"$OTPROF" convert large.folded -t "$form" >want
	case_of 0 "$form" grpc=0 -- --as "$form" large.folded
	check "send/$form-by-grpc" grep -qx 'POST /opentelemetry.proto.'\
'collector.logs.v1.LogsService/Export' "$SERVED/1.head"
	tail -c +6 "$SERVED/1.body" >body
	"$OTPROF" convert -f "$form" body -t folded | sort >sorted
	"$OTPROF" convert -f "$form" want -t folded | sort >wanted
	same "send/$form-is-the-same" wanted sorted
	case_of 0 "$form-split" status=200 -- --as "$form" --max-size 3000 \
		--protocol http/protobuf large.folded
	check "send/$form-split-in-several" test "$(nr_served)" -gt 2
	check "send/$form-split-small-enough" \
		test -z "$(find "$SERVED" -name '*.body' -size +3000c)"
	"$OTPROF" merge -f "$form" "$SERVED"/*.body -t folded | sort >sorted
	same "send/$form-split-is-the-same" wanted sorted
done
case_of 0 logs-json 'body=%7b%7d' -- --as splunk-text --protocol http/json \
	large.folded
check send/logs-json-path grep -qx 'POST /v1/logs' "$SERVED/1.head"
check send/logs-json-is-json grep -q '^{"resourceLogs":\[' "$SERVED/1.body"

serve_start grpc=0
expect_exit 0 send/splunk-variables -- env SPLUNK_ACCESS_TOKEN=secret \
	SPLUNK_PROFILER_LOGS_ENDPOINT="$ENDPOINT" \
	"$OTPROF" send --as splunk-text a.folded
serve_stop
check send/splunk-token grep -qx 'x-sf-token: secret' "$SERVED/1.head"

# Rows 10 and 11 of Splunk's convention, docs/formats/splunk.md.
serve_start grpc=0
expect_exit 0 'send/row 11: to OTEL_EXPORTER_OTLP_ENDPOINT' -- \
	env OTEL_EXPORTER_OTLP_ENDPOINT="$ENDPOINT" \
	"$OTPROF" send --as splunk-text a.folded
expect_exit 0 'send/row 11: SPLUNK_PROFILER_LOGS_ENDPOINT overrides it' -- \
	env OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 \
	SPLUNK_PROFILER_LOGS_ENDPOINT="$ENDPOINT" \
	"$OTPROF" send --as splunk-text a.folded
serve_stop
check 'send/row 10: logs go by gRPC' grep -qx 'POST /opentelemetry.proto.'\
'collector.logs.v1.LogsService/Export' "$SERVED/1.head" "$SERVED/2.head"
nr_requests 'send/row 11: both came' 2

# --- wrong usage, wrong files ---

while read -r name args; do
	expect_exit 2 "send/usage-$name" -- "$OTPROF" send $args
done <<-END
	no-file
	protocol --protocol http whole.otlp
	endpoint --endpoint host:4318 whole.otlp
	compression --compression lz4 whole.otlp
	timeout --timeout 1s whole.otlp
	ca --ca /nowhere whole.otlp
	header --header x whole.otlp
	as --as pprof whole.otlp
	retry-for --retry-for soon whole.otlp
	max-size --max-size 5G whole.otlp
END

echo 'not a profile at all' >junk
case_of 1 bad-file status=200 -- junk whole.otlp
nr_requests send/bad-file-others-are-sent 1
check send/bad-file-is-named grep -q 'otprof send: junk: ' err
case_of 1 no-such-file status=200 -- nowhere.otlp
nr_requests send/no-such-file-nothing-is-sent 0
