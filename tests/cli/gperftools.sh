#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Profiles of gperftools, and the other formats that pprof reads, by way of the
# commands. What each line becomes is told by the unit tests.
set -u
. "$TOP/tests/cli/aid.bash"

corpus=$TOP/tests/fuzz/corpus/gperftools

# --- show and convert ---

cp "$corpus/cpu64" cpu.prof
prints gperftools/show 'cpu.prof: gperftools, 186 bytes' -- \
	"$OTPROF" show cpu.prof
expect_exit 0 gperftools/top -- "$OTPROF" show --top 3 cpu.prof
check gperftools/top-total \
	grep -qxF 'profile 0.0.0: cpu/nanoseconds, total 40,000,000' out
for name in alloc contention count cpu32be cpu64 heap java javacpu threads; do
	expect_exit 0 "gperftools/$name-otlp" -- \
		"$OTPROF" convert "$corpus/$name" -o x.otlp
	expect_exit 0 "gperftools/$name-conforms" -- \
		"$OTPROF" check x.otlp
	# By way of pprof nothing changes.
	expect_exit 0 "gperftools/$name-pprof" -- \
		"$OTPROF" convert "$corpus/$name" -o x.pprof
	"$OTPROF" show --raw x.otlp >want
	"$OTPROF" show --raw x.pprof >out
	same "gperftools/$name-is-pprof" want out
	"$OTPROF" convert x.pprof -o y.otlp
	same "gperftools/$name-is-the-same-otlp" x.otlp y.otlp
done
expect_exit 0 gperftools/names -- "$OTPROF" convert "$corpus/count" -t folded
printf 'main.g;main.f 1\n0x45045;main.g;main.f 2\n' | sort >want
sort out >out.sorted
same gperftools/names-text want out.sorted
gzip -c cpu.prof >cpu.prof.gz
prints gperftools/packed 'cpu.prof.gz: gperftools, '"$(wc -c <cpu.prof.gz)"' bytes (gzip, unpacked 186)' -- \
	"$OTPROF" show cpu.prof.gz
fails 2 gperftools/not-written 'can only be read' -- \
	"$OTPROF" convert cpu.prof -t gperftools -o out.prof

# --- what is skipped and refused ---

{
	cat "$corpus/threads"
	echo 'what is this'
} >odd
expect_exit 0 gperftools/skipped -- "$OTPROF" show odd
check gperftools/skipped-is-said grep -qxF \
	'otprof show: odd: warning: 1 unknown lines skipped' err
fails 3 gperftools/strict 'odd: 1 unknown lines skipped .*--strict' -- \
	"$OTPROF" check --strict odd
head -c 100 cpu.prof >cut.prof
fails 1 gperftools/cut 'a stack extends past the end of the file \(at byte 80\)' -- \
	"$OTPROF" show cut.prof
head -c 112 cpu.prof >whole.prof
expect_exit 0 gperftools/no-end -- "$OTPROF" show whole.prof
check gperftools/no-end-is-said \
	grep -q 'warning: no end mark: the profile may be truncated' err
