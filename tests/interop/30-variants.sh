# The same message in other bytes: everything the wire format allows and writers do.

variant() { # VARIANT SEED
	oracle gen --seed "$2" --size 12 -o "$T/in.otlp"
	oracle raw "$T/in.otlp" >"$T/want.raw"
	oracle rewrite --variant "$1" --seed "$2" "$T/in.otlp" "$T/variant.otlp"
	raw_equals "$T/variant.otlp" "$T/want.raw"
	convert "$T/variant.otlp" "$T/out.otlp"
	oracle equal --merge "$T/in.otlp" "$T/out.otlp"
}

# Strings that are not UTF-8 must not reach a file that we write: strict decoders refuse all of it.
bad_utf8() {
	oracle bad-utf8 "$T/bad.otlp" "$T/clean.otlp"
	if oracle raw "$T/bad.otlp" >/dev/null 2>&1; then
		fail "protobuf takes the broken strings: the test tests nothing"
	fi
	oracle raw "$T/clean.otlp" >"$T/want.raw"
	raw_equals "$T/bad.otlp" "$T/want.raw"
	convert "$T/bad.otlp" "$T/out.otlp"
	oracle equal --merge "$T/clean.otlp" "$T/out.otlp"
}

for name in descending shuffled unpacked chunked long-varints defaults unknown split last-wins zero-forms everything; do
	for seed in 201 202 203; do
		try "variant-$name-$seed" variant $name $seed
	done
done
try bad-utf8 bad_utf8
