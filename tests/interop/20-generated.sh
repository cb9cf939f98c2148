# Random files of the current dialect, written by protobuf: read, checked, written again.

generated() { # SEED
	local in=$T/in.otlp size=$(($1 * 2 % 60 + 1))
	oracle gen --seed "$1" --size $size -o "$in"
	oracle raw "$in" >"$T/want.raw"
	raw_equals "$in" "$T/want.raw"
	check_passes "$in"
	"$OTPROF" show --json "$in" >"$T/in.json"
	oracle summary --dialect v1.10 "$in" "$T/in.json"
	convert "$in" "$T/out.otlp"
	oracle equal --merge "$in" "$T/out.otlp"
	check_passes "$T/out.otlp"
	convert "$T/out.otlp" "$T/again.otlp"
	cmp "$T/out.otlp" "$T/again.otlp"
}

# Around the bytes: compressed, and with a length in front as the Collector's file exporter writes them.
wrapped() { # SEED gzip|zstd|lz4|frame
	local in=$T/in.otlp
	oracle gen --seed "$1" --size 20 -o "$in"
	oracle raw "$in" >"$T/want.raw"
	case $2 in
	frame) oracle frame "$in" "$T/wrapped" ;;
	*) needs "$2"; "$2" -q -c "$in" >"$T/wrapped" ;;
	esac
	raw_equals "$T/wrapped" "$T/want.raw"
	convert "$T/wrapped" "$T/out.otlp"
	oracle equal --merge "$in" "$T/out.otlp"
	convert "$in" "$T/plain.otlp"
	cmp "$T/plain.otlp" "$T/out.otlp"
}

for seed in $(seq 1 40); do
	try "generated-$seed" generated "$seed"
done
for seed in 101 102 103 104; do
	for how in gzip zstd lz4 frame; do
		try "wrapped-$how-$seed" wrapped "$seed" $how
	done
done
