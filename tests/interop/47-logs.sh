# Profiles in OTLP logs against the released opentelemetry-proto: what it writes we read, what we write it reads, of text
# and of pprof, as protobuf and as JSON.

logs() { "$PYTHON" "$HERE/logs_oracle.py" "$@"; }

raw_is() { # FILE EXPECT
	"$OTPROF" show --raw "$1" >"$T/got.raw" || fail "show --raw $1: status $?"
	logs raw "$T/got.raw" >"$T/got"
	same_lines "$2" "$T/got"
}

logs_generated() { # SEED
	logs gen --seed "$1" --json "$T/in.json" "$T/in.logs" "$T/expect"
	raw_is "$T/in.logs" "$T/expect"
	raw_is "$T/in.json" "$T/expect"
	# As text, both encodings say the same.
	convert "$T/in.logs" "$T/out.text.logs.otlp"
	convert "$T/in.logs" "$T/out.text.logs.json"
	logs same "$T/in.logs" "$T/out.text.logs.otlp"
	logs equal "$T/out.text.logs.json" "$T/out.text.logs.otlp"
	raw_is "$T/out.text.logs.json" "$T/expect"
	# As pprof.
	convert "$T/in.logs" "$T/out.logs.otlp"
	convert "$T/in.logs" "$T/out.logs.json"
	logs pprof "$T/in.logs" "$T/out.logs.otlp"
	logs equal "$T/out.logs.json" "$T/out.logs.otlp"
	raw_is "$T/out.logs.otlp" "$T/expect"
}

logs_old() { # SEED
	logs gen --seed "$1" --old "$T/in.logs" "$T/expect"
	raw_is "$T/in.logs" "$T/expect"
}

# Any profile there is, by way of logs.
logs_profiles() { # SEED
	oracle gen --seed "$1" --size 15 -o "$T/in.otlp"
	local form
	for form in a.text.logs a.logs; do
		"$OTPROF" convert "$T/in.otlp" -o "$T/$form.otlp" 2>/dev/null
		"$OTPROF" convert "$T/in.otlp" -o "$T/$form.json" 2>/dev/null
		logs equal "$T/$form.json" "$T/$form.otlp"
		"$OTPROF" show --raw "$T/$form.otlp" >"$T/want.raw"
		raw_equals "$T/$form.json" "$T/want.raw"
	done
}

for seed in $(seq 501 512); do
	try "logs-$seed" logs_generated "$seed"
done
for seed in 521 522 523; do
	try "logs-old-$seed" logs_old "$seed"
	try "logs-profiles-$seed" logs_profiles "$seed"
done
