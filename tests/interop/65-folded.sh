# Folded stacks: every stack's total, by a reader of a few lines of Python.

folded_oracle() { "$PYTHON" "$HERE/folded_oracle.py" "$@"; }

folded() { # SEED
	folded_oracle gen "$1" >"$T/in.folded"
	folded_oracle sums "$T/in.folded" >"$T/want"
	"$OTPROF" show --raw "$T/in.folded" | folded_oracle raw-sums >"$T/read"
	same_lines "$T/want" "$T/read"
	convert "$T/in.folded" "$T/out.folded"
	folded_oracle sums "$T/out.folded" >"$T/written"
	same_lines "$T/want" "$T/written"
	convert "$T/in.folded" "$T/out.otlp"
	check_passes "$T/out.otlp"
	convert "$T/out.otlp" "$T/again.folded"
	cmp "$T/out.folded" "$T/again.folded"
}

for seed in 1 2 3 4 5 6 7 8; do
	try "folded-$seed" folded $seed
done
