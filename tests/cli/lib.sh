# SPDX-License-Identifier: Apache-2.0
#
# Helpers of the command line tests. tests/run starts each script in an empty
# folder with OTPROF (the program), TOP (the repository) and BUILD set:
#
#   . "$TOP/tests/cli/lib.sh"
#   expect_exit 2 convert/no-file -- "$OTPROF" convert
#   check convert/no-file-text grep -q 'expected a FILE' err
#   golden show/example.txt out
#
# BLESS=1 (tests/run --bless) rewrites golden files.

nr_failed=0
trap 'rc=$?; [ "$nr_failed" = 0 ] || rc=1; exit "$rc"' EXIT

ok()
{
	echo "ok $1"
}

not_ok()
{
	nr_failed=$((nr_failed + 1))
	echo "not ok $1: $2"
	return 0
}

skip()
{
	echo "skip $1: $2"
}

# expect_exit STATUS NAME -- CMD...: runs CMD, leaves what it printed in the
# files out and err.
expect_exit()
{
	local want=$1 name=$2 rc=0
	shift 3
	"$@" >out 2>err || rc=$?
	if [ "$rc" = "$want" ]; then
		ok "$name"
	else
		tail -n 20 err >&2
		not_ok "$name" "exit status $rc, not $want: $(head -n 1 err)"
	fi
}

# check NAME CMD...: CMD must succeed.
check()
{
	local name=$1
	shift
	if "$@" >check.out 2>&1; then
		ok "$name"
	else
		head -n 20 check.out >&2
		not_ok "$name" "failed: $*"
	fi
}

# check_not NAME CMD...: CMD must fail, with any status below 99.
check_not()
{
	local name=$1 rc=0
	shift
	"$@" >check.out 2>&1 || rc=$?
	if [ "$rc" != 0 ] && [ "$rc" -lt 99 ]; then
		ok "$name"
	else
		head -n 20 check.out >&2
		not_ok "$name" "exit status $rc: $*"
	fi
}

# golden NAME FILE: FILE must equal tests/golden/NAME.
golden()
{
	local name=$1 file=$2 want=$TOP/tests/golden/$1
	if [ "${BLESS:-0}" = 1 ]; then
		mkdir -p "$(dirname "$want")"
		cp "$file" "$want"
	fi
	if diff -u "$want" "$file" >golden.diff 2>&1; then
		ok "golden/$name"
	else
		head -n 20 golden.diff >&2
		not_ok "golden/$name" "differs"
	fi
}
