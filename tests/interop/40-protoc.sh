# protoc with our schema: knows every field we write, and what it writes we read.

MESSAGE=opentelemetry.proto.profiles.v1development.ProfilesData

protoc_roundtrip() { # SEED
	needs protoc
	oracle gen --seed "$1" --size 15 -o "$T/in.otlp"
	oracle raw "$T/in.otlp" >"$T/want.raw"
	convert "$T/in.otlp" "$T/out.otlp"
	"$OTPROF" show --raw "$T/out.otlp" >"$T/out.raw"
	protoc -I "$HERE/schema" --decode=$MESSAGE otlp_v1_10.proto <"$T/out.otlp" >"$T/out.txt"
	if grep -nE '^[[:space:]]*[0-9]+[:[:space:]]' "$T/out.txt" | head -n 3 | grep .; then
		fail "fields that protoc does not know"
	fi
	protoc -I "$HERE/schema" --encode=$MESSAGE otlp_v1_10.proto <"$T/out.txt" >"$T/back.otlp"
	raw_equals "$T/back.otlp" "$T/out.raw"
	oracle equal --merge "$T/in.otlp" "$T/back.otlp"
}

for seed in 301 302 303 304 305 306; do
	try "protoc-$seed" protoc_roundtrip $seed
done
