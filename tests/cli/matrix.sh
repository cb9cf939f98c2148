#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# One profile through every pair of formats: what both can hold, as their pages
# in docs/formats say, is there at the end. What a format holds besides what
# those above it hold:
#
#	1 the stacks of one type of profile, and what they add up to
#	2 every type, and the threads
#	3 times
#	4 attributes of samples, lines and names of the linker
#	5 attributes of frames
set -u
. "$TOP/tests/cli/aid.bash"

formats="otlp=5 otlp-json=5 otep239=5 otep-arrays=5 otlp-events=5
otlp-events-text=5 pprof=4 splunk-pprof=4 splunk-text=3 chrome-trace=3
speedscope=2 folded=1 cpuprofile=1"

# view LEVEL FILE: what must be the same. Nothing is told of zeros: pprof has
# a value of every type for each sample.
view()
{
	case $1 in
	1) "$OTPROF" convert --aggregate -t folded "$2" | grep -v ' 0$' ;;
	2)
		"$OTPROF" show "$2" |
			sed -n 's/.*profile [0-9.]*: \([^ ]*\) .*total /\1 /p' |
			grep -v ' 0$'
		"$OTPROF" convert --type samples -t folded --threads "$2" |
			grep -v ' 0$'
		;;
	3) raw "$2" | cut -f1-3 ;;
	4) raw "$2" | sed 's/ {[^}]*}//g' ;;
	5) raw "$2" ;;
	esac 2>/dev/null | LC_ALL=C sort
}

# A line an observation, without the number of its profile. A time without a
# value counts 1.
raw()
{
	"$OTPROF" show --raw "$1" | awk -F'\t' -v OFS='\t' '{
		n = split($4, times, ",")
		has_values = split($3, values, ",") == n && $3 != "-"
		for (i = 1; i <= n; i++) {
			$3 = has_values ? values[i] : 1
			$4 = times[i]
			if ($3 != 0)
				print
		}
	}' | cut -f2-
}

cp "$TOP/tests/fuzz/corpus/jfr/mix" mix.jfr
"$OTPROF" convert mix.jfr -o rich.otlp
for level in 1 2 3 4 5; do
	view $level rich.otlp >want-$level
	check "matrix/view-$level" test -s want-$level
done

pair() # FORMAT LEVEL FORMAT LEVEL
{
	local level=$(($2 < $4 ? $2 : $4))

	"$OTPROF" convert -f "$1" "first.$1" -t "$3" -o second 2>/dev/null &&
		"$OTPROF" convert -f "$3" second -o third.otlp 2>/dev/null
	view $level third.otlp >got
	same "matrix/$1-to-$3" want-$level got
}

for a in $formats; do
	"$OTPROF" convert rich.otlp -t "${a%=*}" -o "first.${a%=*}" 2>/dev/null
	for b in $formats; do
		pair "${a%=*}" "${a#*=}" "${b%=*}" "${b#*=}"
	done
done
