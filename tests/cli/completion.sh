# SPDX-License-Identifier: Apache-2.0
#
# Completion of command lines: the scripts that the program prints for shells.
. "$TOP/tests/cli/aid.bash"

# --- the scripts ---

for shell in bash zsh fish; do
	expect_exit 0 "completion/$shell" -- \
		"$OTPROF" help --completion "$shell"
	cp out "script.$shell"
	check "completion/$shell-prints-no-error" test ! -s err
	has_tool "completion/$shell-syntax" "$shell" || continue
	check "completion/$shell-syntax" "$shell" -n "script.$shell"
done
check completion/zsh-begins-with-compdef \
	test "$(head -n 1 script.zsh)" = '#compdef otprof'
fails 2 completion/unknown-shell \
	"--completion takes bash, zsh or fish, not 'tcsh'" \
	-- "$OTPROF" help --completion tcsh
fails 2 completion/no-shell '--completion requires bash\|zsh\|fish' \
	-- "$OTPROF" help --completion

# --- what bash is offered ---

. ./script.bash

# Sets COMPREPLY for a command line whose last word is to be completed.
complete_line() # WORD...
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_otprof
}

offers() # NAME CANDIDATES WORD...
{
	local name=completion/bash-$1 want=$2

	shift 2
	complete_line "$@"
	if [ "${COMPREPLY[*]}" = "$want" ]; then
		ok "$name"
	else
		not_ok "$name" "'${COMPREPLY[*]}', not '$want'"
	fi
}

commands=$("$OTPROF" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' |
	paste -sd' ')
offers commands "$commands --help --version" otprof ''
offers command 'convert' otprof co
offers option '--output --output-format' otprof convert --outp
offers option-behind-file '--pack' otprof convert a.pprof --pa
offers option-behind-value '--pack' otprof convert -t otlp --pa
offers option-of-format '--alloc-objects' otprof show --alloc-
offers only-own-options '' otprof check --output
offers values 'none gzip zstd lz4' otprof convert --pack ''
offers value 'zstd' otprof convert --pack z
offers values-behind-equals 'none gzip zstd lz4' otprof convert --pack =
offers value-behind-equals 'zstd' otprof convert --pack = z
offers values-of-format 'pretty compact lines' otprof convert --style ''
offers values-of-send 'grpc http/protobuf http/json' otprof send --protocol ''
offers input-formats 'speedscope splunk-text splunk-pprof' otprof show -f sp
offers no-input-format-that-is-only-written '' otprof show -f ht
offers output-format 'html' otprof convert -t ht
offers no-output-format-that-is-only-read '' otprof convert -t jf
offers topics "$commands formats" otprof help ''
offers shells 'bash zsh fish' otprof help --completion ''
offers files-for-arguments '' otprof show ''
offers files-for-values '' otprof convert -o ''
offers files-behind-dashes '' otprof show -- --t
offers nothing-for-unknown-commands '' otprof explode --
offers value-that-is-a-command '' otprof convert -o check

# Whatever the help lists is offered.
options_of() # COMMAND
{
	"$OTPROF" "$1" --help >help.txt
	{
		sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\2/p' help.txt
		sed '1,/^format options/d' help.txt | grep -oE -e '--[a-z-]+'
	} | sort -u
}

for command in $commands; do
	complete_line otprof "$command" --
	printf '%s\n' "${COMPREPLY[@]}" | sort >offered.txt
	options_of "$command" >wanted.txt
	same "completion/bash-$command-has-all-options" wanted.txt offered.txt
	# fish writes an option as -l NAME.
	for shell in zsh fish; do
		sed 's/ -l / --/g' "script.$shell" | grep -oE -e '--[a-z-]+' |
			sort -u >named.txt
		check "completion/$shell-$command-lacks-no-option" \
			test -z "$(comm -23 wanted.txt named.txt)"
	done
done
