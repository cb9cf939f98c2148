# OTLP/JSON against protobuf's json_format, which writes ids as base64.

json() { "$PYTHON" "$HERE/otlp_json.py" "$@"; }
json_with() { local release=$1; shift; PYTHONPATH=$CACHE/otp-$release json "$@"; }

json_generated() { # SEED OPTIONS...: of json_format
	local seed=$1 size=$(($1 * 2 % 60 + 1))
	shift
	oracle gen --seed "$seed" --size $size -o "$T/in.otlp"
	oracle raw "$T/in.otlp" >"$T/want.raw"
	convert "$T/in.otlp" "$T/want.otlp"
	# What it writes, we read.
	json write "$@" "$T/in.otlp" "$T/theirs.json"
	raw_equals "$T/theirs.json" "$T/want.raw"
	check_passes "$T/theirs.json"
	convert "$T/theirs.json" "$T/read.otlp"
	cmp "$T/want.otlp" "$T/read.otlp"
	# What we write, it reads, and so do we.
	convert "$T/in.otlp" "$T/ours.json"
	json equal "$T/ours.json" "$T/want.otlp"
	convert "$T/ours.json" "$T/back.otlp"
	cmp "$T/want.otlp" "$T/back.otlp"
}

json_lines() { # SEED: three messages a file
	local i
	for i in 1 2 3; do
		oracle gen --seed $(($1 + i)) --size 10 -o "$T/$i.otlp"
	done
	json lines "$T/1.otlp" "$T/2.otlp" "$T/3.otlp" "$T/in.jsonl"
	"$OTPROF" convert "$T/1.otlp" "$T/2.otlp" "$T/3.otlp" -o "$T/want.otlp"
	convert "$T/in.jsonl" "$T/out.otlp"
	cmp "$T/want.otlp" "$T/out.otlp"
}

# An older message in JSON says what the same message says in bytes.
json_legacy() { # DIALECT SEED [RELEASE]
	needs protoc
	if [ $# -gt 2 ]; then
		oracle_with "$3" legacy --release --dialect "$1" --seed "$2" --size 15 -o "$T/in.otlp" --expect "$T/expect"
		json_with "$3" write --release "$T/in.otlp" "$T/in.json"
	else
		oracle legacy --dialect "$1" --seed "$2" --size 15 -o "$T/in.otlp" --expect "$T/expect"
		json write --dialect "$1" "$T/in.otlp" "$T/in.json"
	fi
	oracle raw "$T/expect" >"$T/want.raw"
	raw_equals "$T/in.json" "$T/want.raw"
	convert "$T/in.otlp" "$T/want.otlp"
	convert "$T/in.json" "$T/out.otlp"
	cmp "$T/want.otlp" "$T/out.otlp"
	"$OTPROF" show --json "$T/in.json" >"$T/in.summary"
	# The keys of v1.9 are today's.
	oracle summary --dialect "${1/v1.9/v1.10}" "$T/expect" "$T/in.summary"
}

for seed in $(seq 1 12); do
	try "json-$seed" json_generated "$seed"
done
try json-proto-names json_generated 21 --names proto
try json-indented json_generated 22 --indent 4
try json-ascii json_generated 23 --ascii --indent 1 --names proto
for seed in 400 500; do
	try "json-lines-$seed" json_lines $seed
done
for seed in 1 2 3; do
	for dialect in v1.4 v1.5 v1.6 v1.8; do
		try "json-$dialect-$seed" json_legacy $dialect $seed
	done
	try "json-v1.7-$seed" json_legacy v1.7 $seed "$OTP_V1_7"
	try "json-v1.9-$seed" json_legacy v1.9 $seed "$OTP_V1_9"
done
