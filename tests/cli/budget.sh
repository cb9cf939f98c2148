# SPDX-License-Identifier: Apache-2.0
#
# What a small file may take, and the option that allows more.
. "$TOP/tests/cli/aid.bash"

# hex TIMES TEXT
repeat()
{
	local out
	printf -v out "%$1s" ''
	echo "${out// /$2}"
}

# A location of many lines, as often in one stack.
many=12000
lines=$(repeat $many "$(len 3 "$(uint 1 1)")")
frames=$(repeat $many 01)
dictionary="$(len 1 '')$(len 2 '')$(len 2 "$lines")$(len 3 '')"
dictionary+="$(len 3 "$(uint 1 1)")$(len 4 '')$(text 5 '')$(text 5 f)"
dictionary+="$(len 6 '')$(len 7 '')$(len 7 "$(len 1 "$frames")")"
sample=$(len 2 "$(uint 1 1)$(packed 4 5)")
bytes "$(len 1 "$(len 2 "$(len 2 "$sample")")")$(len 2 "$dictionary")" \
	>product.otlp

allows='bytes of input.*; --budget N allows N times as much$'
fails 1 budget/work "takes more work than .* $allows" \
	-- "$OTPROF" show --top 5 product.otlp
expect_exit 0 budget/twice -- "$OTPROF" show --budget 2 --top 5 product.otlp
check budget/answer grep -q '100.00% *5 100.00%  f$' out
expect_exit 0 budget/no-limit -- "$OTPROF" show --budget 0 --top 5 product.otlp
expect_exit 0 budget/look -- "$OTPROF" show product.otlp

# A long name, as often in one stack.
name=$(repeat 100000 6e)
dictionary="$(len 1 '')$(len 2 '')$(len 2 "$(len 3 "$(uint 1 1)")")$(len 3 '')"
dictionary+="$(len 3 "$(uint 1 1)")$(len 4 '')$(text 5 '')$(len 5 "$name")"
dictionary+="$(len 6 '')$(len 7 '')$(len 7 "$(len 1 "$frames")")"
bytes "$(len 1 "$(len 2 "$(len 2 "$sample")")")$(len 2 "$dictionary")" \
	>long.otlp
fails 1 budget/memory "takes more than .* MiB of memory, .* $allows" \
	-- "$OTPROF" convert long.otlp -o made.folded
check_not budget/nothing-is-written test -e made.folded

# What unpacks to far more than it is.
head -c 300000000 /dev/zero | gzip -1 >zeros.gz
for command in show check convert; do
	status=1
	[ $command != check ] || status=3
	expect_exit $status "budget/unpacked-$command" \
		-- "$OTPROF" $command zeros.gz
	check "budget/unpacked-$command-says" grep -q "$allows" err
done

# Files that are checked after it have a budget of their own.
example_file example.otlp
expect_exit 3 budget/others-are-checked \
	-- "$OTPROF" check zeros.gz example.otlp
check budget/others-are-fine grep -q '^example.otlp: ' out
