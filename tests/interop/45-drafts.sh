# The drafts of OTLP Profiles and protoc with our schemas of them: it knows every field we write, what it writes we
# read, and the text format is the same to both.

protoc_draft() { # encode|decode MESSAGE SCHEMA
	protoc -I "$HERE/schema" "--$1=$2" "$3.proto"
}

# Packed fields, order, defaults: all by protoc's rules.
draft_roundtrip() { # FORMAT MESSAGE SCHEMA SEED
	needs protoc
	oracle gen --seed "$4" --size 15 -o "$T/in.otlp"
	"$OTPROF" convert "$T/in.otlp" -t "$1" -o "$T/out.$1" 2>"$T/notes"
	"$OTPROF" show --raw -f "$1" "$T/out.$1" >"$T/want.raw"
	protoc_draft decode "$2" "$3" <"$T/out.$1" >"$T/out.txt"
	if grep -nE '^[[:space:]]*[0-9]+[:[:space:]]' "$T/out.txt" | head -n 3 | grep .; then
		fail "fields that protoc does not know"
	fi
	protoc_draft encode "$2" "$3" <"$T/out.txt" >"$T/back.$1"
	"$OTPROF" show --raw "$T/back.$1" >"$T/got.raw" || fail "show --raw: status $?"
	same_lines "$T/want.raw" "$T/got.raw"
}

# Our text is protoc's text, both ways.
draft_text() { # SEED
	needs protoc
	oracle gen --seed "$1" --size 15 -o "$T/in.otlp"
	"$OTPROF" convert "$T/in.otlp" -o "$T/a.otlp-events" 2>/dev/null
	"$OTPROF" convert "$T/in.otlp" -o "$T/a.txtpb" 2>/dev/null
	message=draft.events.ProfilesData
	grep -q '^resource_profiles' "$T/a.txtpb" || message=draft.events.Profile
	protoc_draft encode $message otlp_events <"$T/a.txtpb" >"$T/b.otlp-events"
	protoc_draft decode draft.events.ProfilesData otlp_events <"$T/a.otlp-events" >"$T/b.txtpb"
	"$OTPROF" show --raw "$T/a.otlp-events" >"$T/want.raw"
	raw_equals "$T/b.txtpb" "$T/want.raw"
	[ $message = draft.events.Profile ] || raw_equals "$T/b.otlp-events" "$T/want.raw"
}

for seed in 401 402 403 404; do
	try "otep239-$seed" draft_roundtrip otep239 draft.otep239.ProfilesData otep239 $seed
	try "otep-arrays-$seed" draft_roundtrip otep-arrays draft.arrays.ProfilesData otep_arrays $seed
	try "otlp-events-$seed" draft_roundtrip otlp-events draft.events.ProfilesData otlp_events $seed
	try "otlp-events-text-$seed" draft_text $seed
done
