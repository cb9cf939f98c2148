# SPDX-License-Identifier: Apache-2.0
#
# What each view of `show` prints of a file whose content is known. The text
# of --raw is stable (docs/raw.md); the others may grow.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp

view() # NAME ARGS...
{
	local name=$1

	shift
	expect_exit 0 "show/$name" -- "$OTPROF" show "$@" example.otlp
	check "show/$name-is-quiet" test ! -s err
	golden "show/$name" out
}

view summary.txt
view summary.json --json
view top.txt --top 10
view top.json --top 10 --json
view tree.txt --tree
view tree.json --tree --json
view raw.txt --raw

# --- parts of it ---

expect_exit 0 show/top-1 -- "$OTPROF" show --top 1 example.otlp
check show/top-1-is-one-line-a-profile \
	test "$(grep -c '%' out)" = 2

expect_exit 0 show/type -- "$OTPROF" show --raw --type inuse_space example.otlp
check show/type-selects-its-profile test "$(cut -f1 out | sort -u)" = 0.0.1
cp out by_type.txt
expect_exit 0 show/type-and-unit -- \
	"$OTPROF" show --raw --type inuse_space/bytes example.otlp
same show/type-and-unit-is-the-same by_type.txt out
for view in '' --raw '--top 3' --tree --json '--top 3 --json' \
	'--tree --json'; do
	# shellcheck disable=SC2086 # several arguments or none
	expect_exit 0 "show/type-of-none '$view'" -- \
		"$OTPROF" show $view --type inuse_space/lightyears example.otlp
	check "show/type-of-none '$view' shows no profile" \
		bash -c '! grep -q "5.\{0,1\}120" out'
done

# --- what the raw form does with odd content ---

# 4: a name with what must be quoted; 5: an empty one is no function
bytes "$(resource_profiles '' "$(cpu_profile "$(uint 1 1)$(packed 2 1 2)$(
	packed 4 -7)")")$(len 2 "$(zeros)$(
	strings cpu nanoseconds $'a\tb"c\\d\x01' 'key with space' by %
	len 3 "$(uint 1 3)"
	len 2 "$(len 3 "$(uint 1 1)$(uint 2 3)")"
	len 2 "$(len 3 "$(uint 2 9)")"
	len 2 "$(uint 2 255)"
	len 2 ''
	len 6 "$(uint 1 5)$(len 2 "$(uint 3 -1)")$(uint 3 6)"
	len 6 "$(uint 1 4)$(len 2 "$(len 5 "$(
		len 1 "$(uint 2 1)"
		len 1 "$(fixed64 4 4607182418800017408)"
		len 1 "$(len 7 00ff)"
		len 1 ''
		len 1 "$(len 6 "$(len 1 "$(text 1 k)$(len 2 "$(text 1 v)")")")"
	)")")"
	len 7 "$(packed 1 1 2 3 4)"
)")" >odd.otlp
expect_exit 0 show/raw-odd -- "$OTPROF" show --raw odd.otlp
golden show/odd.txt out

# A sample without a stack, one that is cumulative to nothing, none at all.
bytes "$(with_sample "$(packed 4 5)")" >no_stack.otlp
prints show/raw-no-stack $'0.0.0\tcpu/nanoseconds\t5\t-\t-\t-\t-' \
	-- "$OTPROF" show --raw no_stack.otlp
bytes "$(resource_profiles '' "$(cpu_profile)")$(small_dictionary)" \
	>no_samples.otlp
expect_exit 0 show/raw-no-samples -- "$OTPROF" show --raw no_samples.otlp
check show/raw-no-samples-prints-nothing test ! -s out
for view in '' '--top 3' --tree --json '--top 3 --json' '--tree --json'; do
	# shellcheck disable=SC2086 # several arguments or none
	expect_exit 0 "show/no-samples '$view'" -- \
		"$OTPROF" show $view no_samples.otlp
done

# Totals stop at the largest number and do not wrap.
most=9223372036854775807
bytes "$(resource_profiles '' "$(cpu_profile "$(uint 1 1)$(packed 4 $most)" \
	"$(packed 4 $most)")")$(small_dictionary)" >most.otlp
expect_exit 0 show/sums-saturate -- "$OTPROF" show --json most.otlp
check show/sums-saturate-total grep -q "\"total\": $most" out
