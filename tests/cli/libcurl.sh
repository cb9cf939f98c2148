# SPDX-License-Identifier: Apache-2.0
#
# libcurl is loaded by what sends, and by nothing else.
. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

can_send || exit 0
small_file small.otlp

# loads NAME yes|no -- CMD...: whether CMD loads libcurl, as the loader says.
loads()
{
	local name=$1 want=$2 got=no

	shift 3
	LD_DEBUG=files LD_DEBUG_OUTPUT=$PWD/ld "$@" >out 2>err
	if ! cat ld.* >loaded; then
		skip "$name" "the loader has no LD_DEBUG"
		return
	fi
	rm -f ld.*
	! grep -q libcurl loaded || got=yes
	if [ "$got" = "$want" ]; then
		ok "$name"
	else
		not_ok "$name" "loads libcurl: $got"
	fi
}

loads libcurl/version no -- "$OTPROF" --version
loads libcurl/convert no -- "$OTPROF" convert small.otlp -o small.json
loads libcurl/show no -- "$OTPROF" show --symbolize small.otlp
serve_start status=200
loads libcurl/send yes -- "$OTPROF" send --endpoint "$ENDPOINT" small.otlp
serve_stop

# A loader that finds only an empty file in its place. LD_LIBRARY_PATH is for
# the program alone: the shell's own commands may use libcurl, too.
mkdir empty
: >empty/libcurl.so.4
: >empty/libcurl-gnutls.so.4
fails 1 libcurl/missing \
	'libcurl\.so\.4 \(package libcurl4\) cannot be loaded: ' -- \
	env LD_LIBRARY_PATH="$PWD/empty" "$OTPROF" send \
	--endpoint http://127.0.0.1:1 small.otlp
expect_exit 0 libcurl/missing-convert -- \
	env LD_LIBRARY_PATH="$PWD/empty" "$OTPROF" convert small.otlp -o x.json
