# SPDX-License-Identifier: Apache-2.0
#
# tests/agent/programs.bash: builds the programs to profile into the directory
# $programs.
mkdir -p "$programs"

# As most software is built.
build() # NAME FLAG...
{
	local name=$1

	shift
	"$CC" -O2 -g -Wall -Wextra -D_GNU_SOURCE -fomit-frame-pointer -pthread \
		-o "$programs/$name" "$@"
}

build torture tests/agent/torture.c
build truth tests/agent/truth.c -Wl,--export-dynamic-symbol=otel_thread_ctx_v1
build library.so tests/agent/library.c -shared -fPIC -Wl,-z,relro,-z,now
