# Files of older dialects. The expected message of today is made along with each file.

legacy_file() { # FILE EXPECT DIALECT
	oracle raw "$2" >"$T/want.raw"
	raw_equals "$1" "$T/want.raw"
	"$OTPROF" show --json "$1" >"$T/in.json"
	oracle summary --dialect "$3" "$2" "$T/in.json"
	convert "$1" "$T/out.otlp"
	check_passes "$T/out.otlp"
	oracle equal --loose "$2" "$T/out.otlp"
	oracle raw "$T/out.otlp" >"$T/out.raw"
	raw_equals "$T/out.otlp" "$T/out.raw"
	"$OTPROF" show --json "$T/out.otlp" >"$T/out.json"
	oracle summary --dialect v1.10 "$T/out.otlp" "$T/out.json"
}

legacy() { # DIALECT SEED [RELEASE]: the old bytes by protoc's schema, or by a release of that time
	needs protoc
	if [ $# -gt 2 ]; then
		oracle_with "$3" legacy --release --dialect "$1" --seed "$2" --size 15 -o "$T/in.otlp" --expect "$T/expect"
	else
		oracle legacy --dialect "$1" --seed "$2" --size 15 -o "$T/in.otlp" --expect "$T/expect"
	fi
	legacy_file "$T/in.otlp" "$T/expect" "$1"
}

corner() { # NAME
	needs protoc
	oracle corner-cases "$T"
	legacy_file "$T/$1.otlp" "$T/$1.expect" "$(cat "$T/$1.dialect")"
}

for seed in 1 2 3 4 5 6; do
	for dialect in v1.4 v1.5 v1.6 v1.8; do
		try "legacy-$dialect-$seed" legacy $dialect $seed
	done
	try "legacy-v1.7-$seed" legacy v1.7 $seed "$OTP_V1_7"
	try "legacy-v1.9-$seed" legacy v1.9 $seed "$OTP_V1_9"
done
for name in v1.9-only-values v1.8-only-values v1.9-values-and-times v1.10-attributes-and-times v1.7-empty-first; do
	try "legacy-corner-$name" corner $name
done
