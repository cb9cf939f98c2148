# SPDX-License-Identifier: Apache-2.0
#
# The API of `otprof view` has the numbers that the commands print.
. "$TOP/tests/cli/aid.bash"

has_tool api/all python3 || exit 0
python3 "$TOP/tests/cli/api.py" write 1 >one.json
python3 "$TOP/tests/cli/api.py" write 2 >two.json
expect_exit 0 api/input -- "$OTPROF" check one.json
python3 "$TOP/tests/cli/api.py" ask one.json two.json ||
	not_ok api/asked "ended with $?"
