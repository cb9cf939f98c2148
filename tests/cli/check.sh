# SPDX-License-Identifier: Apache-2.0
#
# check: its statuses, its forms, and one file that breaks each rule. Status 0
# conforms, 1 does not, 3 cannot be read; of several files the highest.
. "$TOP/tests/cli/aid.bash"
example_file good.otlp
small_file plain.otlp

# --- files that conform ---

prints check/good 'good.otlp: conforms: 0 errors, 0 warnings' \
	-- "$OTPROF" check good.otlp
prints check/good-strict 'good.otlp: conforms: 0 errors, 0 warnings' \
	-- "$OTPROF" check --strict good.otlp
expect_exit 0 check/good-json -- "$OTPROF" check --json good.otlp
golden check/good.json out
expect_exit 0 check/several-good -- "$OTPROF" check good.otlp plain.otlp
check check/several-good-one-line-each test "$(wc -l <out)" = 2

# --- rules ---

expect_exit 0 check/rules -- "$OTPROF" check --rules
golden check/rules.txt out
cut -d' ' -f1 out | sort >rules.txt
: >tried.txt

# Whether a finding of this severity and rule is all there is of it.
found() # SEVERITY RULE
{
	grep -q "^bad.otlp: $1: .* \[$2\]$" out
}

# breaks RULE NAME HEX: an error.
breaks()
{
	local rule=$1 name=check/$1-$2

	bytes "$3" >bad.otlp
	expect_exit 1 "$name" -- "$OTPROF" check bad.otlp
	check "$name-is-named" found error "$rule"
	check "$name-summary" grep -qE \
		'^bad.otlp: does not conform: [1-9][0-9]* errors, ' out
	echo "$rule" >>tried.txt
}

# bends RULE NAME HEX: a warning, with --strict an error.
bends()
{
	local rule=$1 name=check/$1-$2

	bytes "$3" >bad.otlp
	expect_exit 0 "$name" -- "$OTPROF" check bad.otlp
	check "$name-is-named" found warning "$rule"
	expect_exit 1 "$name-strict" -- "$OTPROF" check --strict bad.otlp
	check "$name-strict-is-named" found error "$rule"
	echo "$rule" >>tried.txt
}

empty_tables()
{
	len 2 "$(zeros)$(len 5 '')"
}

one=$(uint 1 1)$(packed 4 5)
breaks resource-missing none "$(small_dictionary)"
breaks scope-missing none "$(len 1 "$(len 1 '')")$(empty_tables)"
breaks profile-missing none "$(resource_profiles '')$(empty_tables)"
breaks zero-element no-dictionary \
	"$(resource_profiles '' "$(fixed64 3 $START)$(
		len 2 "$(packed 4 1)")")"
breaks zero-element string-first "$(
	resource_profiles '' "$(cpu_profile "$(packed 4 5)")")$(
	len 2 "$(zeros)$(text 5 cpu)$(text 5 x)$(text 5 y)")"
breaks string-index of-function "$(with_row 3 "$(uint 1 99)")"
breaks string-index negative "$(with_row 3 "$(uint 1 -1)")"
breaks string-index of-type "$(resource_profiles '' "$(
	len 1 "$(uint 1 77)")$(len 2 "$one")")$(small_dictionary)"
breaks attribute-index of-sample "$(with_sample "$(packed 2 7)$one")"
breaks stack-index of-sample "$(with_sample "$(uint 1 7)$(packed 4 1)")"
breaks link-index of-sample "$(with_sample "$(uint 3 7)$one")"
breaks location-index of-stack "$(with_row 7 "$(packed 1 7)")"
breaks mapping-index of-location "$(with_row 2 "$(uint 1 7)")"
breaks function-index of-line "$(with_row 2 "$(len 3 "$(uint 1 7)")")"
breaks key-twice in-resource "$(resource_profiles \
	"$(attribute a 1)$(attribute a 2)" "$(cpu_profile "$one")")$(
	small_dictionary)"
breaks key-twice in-sample "$(with_sample "$(packed 2 1 2)$one")$(
	len 2 "$(text 5 k)$(len 6 "$(uint 1 4)$(len 2 "$(uint 3 1)")")$(
	len 6 "$(uint 1 4)$(len 2 "$(uint 3 2)")")")"
breaks key-ambiguous in-resource "$(resource_profiles "$(len 1 "$(
	text 1 k)$(uint 3 1)")" "$(cpu_profile "$one")")$(small_dictionary)"
breaks sample-empty none "$(with_sample "$(uint 1 1)")"
breaks sample-counts two-and-one \
	"$(with_sample "$(uint 1 1)$(packed 4 1 2)$(times 5 $START)")"
breaks sample-values two "$(with_sample "$(uint 1 1)$(packed 4 1 2)")"
breaks mapping-range backwards "$(with_row 1 "$(uint 1 9)$(uint 2 5)")"
breaks line-negative line "$(with_row 2 "$(len 3 "$(uint 1 1)$(uint 2 -4)")")"
breaks line-negative start "$(with_row 3 "$(uint 1 3)$(uint 4 -4)")"
breaks function-name none "$(with_row 3 "$(uint 4 3)")"
breaks id-length of-trace "$(with_row 4 "$(len 1 0102)$(
	len 2 0102030405060708)")"
breaks id-length of-profile "$(resource_profiles '' "$(cpu_profile "$one")$(
	len 7 0102)")$(small_dictionary)"
breaks profile-id-zero zeros "$(resource_profiles '' "$(cpu_profile "$one")$(
	len 7 00000000000000000000000000000000)")$(small_dictionary)"
breaks payload-format no-payload "$(resource_profiles '' "$(
	cpu_profile "$one")$(text 9 pprof)")$(small_dictionary)"
breaks payload-format no-format "$(resource_profiles '' "$(
	cpu_profile "$one")$(len 10 00ff)")$(small_dictionary)"
breaks utf8 string-table "$(with_row 5 ff)"
breaks utf8 attribute "$(resource_profiles "$(len 1 "$(text 1 k)$(
	len 2 "$(len 1 c3)")")" "$(cpu_profile "$one")")$(small_dictionary)"

bends time-range before "$(with_sample "$(uint 1 1)$(times 5 5)")"
bends time-range at-the-end "$(with_sample "$(uint 1 1)$(
	times 5 $((START + 1000000000)))")"
bends sample-shapes two "$(resource_profiles '' "$(cpu_profile "$one" \
	"$(packed 4 1)$(times 5 $START)")")$(small_dictionary)"
bends sample-twice two "$(resource_profiles '' "$(cpu_profile "$one" \
	"$one")")$(small_dictionary)"
bends link-zero zeros "$(with_sample "$(uint 3 1)$one")$(len 2 "$(len 4 "$(
	len 1 00000000000000000000000000000000)$(
	len 2 0000000000000000)")")"
bends duplicate string "$(with_row 5 "$(hex main)")"
bends orphan string "$(with_row 5 "$(hex unused)")"
bends dialect v1.9 "$(with_sample "$(uint 1 1)$(packed 2 5)")"
bytes "$(with_row 1 "$(uint 1 1)$(uint 2 9)$(uint 4 3)")$(len 2 "$(
	len 2 "$(uint 1 1)$(uint 2 3)")$(len 7 "$(packed 1 2)")")" >bad.otlp
expect_exit 0 check/build-id -- "$OTPROF" check bad.otlp
check check/build-id-is-named found warning build-id
echo build-id >>tried.txt
sort -u tried.txt >tried.sorted
same check/each-rule-has-a-case rules.txt tried.sorted

# --- forms ---

bytes "$(with_sample "$(uint 1 7)$(uint 3 8)")" >bad.otlp
expect_exit 1 check/bad -- "$OTPROF" check bad.otlp
golden check/bad.txt out
check check/bad-is-quiet test ! -s err
expect_exit 1 check/bad-json -- "$OTPROF" check --json bad.otlp
golden check/bad.json out

# The first twenty of a rule, or all.
twice=
for _ in {1..30}; do
	twice+=$(text 5 main)
done
bytes "$(small)$(len 2 "$twice")" >many.otlp
expect_exit 0 check/many -- "$OTPROF" check many.otlp
check check/many-lists-twenty test "$(grep -c '\[duplicate\]$' out)" = 20
check check/many-says-how-many-more grep -qx \
	'many.otlp: 10 more of \[duplicate\], --all lists them' out
check check/many-counts-all grep -qx \
	'many.otlp: conforms: 0 errors, 60 warnings' out
expect_exit 0 check/all -- "$OTPROF" check --all many.otlp
check check/all-lists-them test "$(grep -c '\[duplicate\]$' out)" = 30

# --- several files ---

printf 'no profile' >text
fails 3 check/unreadable 'otprof check: text: not a profile' \
	-- "$OTPROF" check text
fails 3 check/missing "otprof check: cannot open 'gone.otlp': No such file" \
	-- "$OTPROF" check gone.otlp
fails 3 check/highest-status-wins 'text: not a profile' \
	-- "$OTPROF" check good.otlp bad.otlp text plain.otlp
check check/goes-on-behind-a-bad-file grep -q '^plain.otlp: conforms' out
expect_exit 1 check/bad-and-good -- "$OTPROF" check bad.otlp good.otlp
expect_exit 3 check/unreadable-json -- "$OTPROF" check --json text good.otlp
golden check/unreadable.json out
check check/unreadable-json-says-it-on-stderr-too test "$(wc -l <err)" = 1
