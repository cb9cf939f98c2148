# Stacks of real programs, unwound by us and by elfutils from the same registers and memory (unwind/). Programs are stopped at
# random moments and instruction by instruction; recordings of perf and core files are read. At least 99.9 % of all frames are
# to be equal, and no difference is left that unwind/main.c has no reason for.

UNWIND=$HERE/unwind
UNWIND_SUMS=$CACHE/unwind.sums

unwind_build() {
	local bin=$CACHE/unwind
	mkdir -p "$bin"
	"${CC:-cc}" -std=gnu11 -O2 -g -D_GNU_SOURCE= -DXXH_INLINE_ALL= -I"$HERE/../../src" -I"$UNWIND" -o "$bin/compare" \
		"$UNWIND"/{main,snap,ours,libdw,live,stopped,core,perf}.c "$BUILD/libotprof.a" -ldw -lelf \
		$(pkg-config --libs libdeflate libzstd liblz4 libpcre2-8) -lm &&
		"${CXX:-c++}" -O2 -fomit-frame-pointer -o "$bin/throws" "$UNWIND/throws.cc" &&
		"${CC:-cc}" -O2 -fomit-frame-pointer -D_GNU_SOURCE -o "$bin/signals" "$UNWIND/signals.c" &&
		"${CC:-cc}" -O2 -fomit-frame-pointer -D_GNU_SOURCE -static -o "$bin/signals-static" "$UNWIND/signals.c" || return 1
	if command -v musl-gcc >/dev/null; then
		musl-gcc -O2 -fomit-frame-pointer -D_GNU_SOURCE -static -o "$bin/signals-musl" "$UNWIND/signals.c" || return 1
	fi
}

# unwind_same ARGS: what compare says of these stacks; none may differ without a reason.
unwind_same() {
	timeout 300 "$CACHE/unwind/compare" "$@" >"$T/sums" 2>"$T/differences" ||
		fail "compare: status $?: $(tail -n 1 "$T/differences")"
	cat "$T/sums" >>"$UNWIND_SUMS"
	awk '/^stacks/ { if ($2 < 1 || $8 > 0) bad = 1 } END { exit bad }' "$T/sums" && return
	head -n 12 "$T/differences"
	fail "$(cat "$T/sums")"
}

unwind_live() { # STACKS PROGRAM ARGS
	local n=$1
	shift
	needs "$1"
	unwind_same live "$n" 1 "$@"
	unwind_same step "$((n / 2))" 2 "$@"
}

# Without build IDs: perf 6.1 aborts as it reads that of a BPF program which samples fall into (util/build-id.c:1010), and
# others may have loaded one.
unwind_perf() {
	needs perf
	perf record -q -B -F 2000 --call-graph dwarf -o "$T/perf.data" -- timeout 2 "$@" >/dev/null 2>"$T/log" || true
	[ -s "$T/perf.data" ] || { echo "perf records nothing here: $(tail -n 1 "$T/log")"; exit 77; }
	unwind_same perf "$T/perf.data"
}

unwind_core() {
	local pid i
	needs gcore
	for i in 1 2 3 4 5 6; do
		"$@" >/dev/null 2>&1 &
		pid=$!
		sleep 0.3
		gcore -o "$T/core" "$pid" >"$T/log" 2>&1 || true
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		[ -s "$T/core.$pid" ] || { echo "gcore makes no core here: $(tail -n 1 "$T/log")"; exit 77; }
		unwind_same core "$T/core.$pid"
		rm -f "$T/core.$pid"
	done
}

unwind_total() {
	awk '/^stacks/ { stacks += $2; frames += $4; equal += $6 }
	/^explained/ { n = $2; $1 = $2 = ""; why[$0] += n }
	END {
		for (reason in why)
			printf "%d differ:%s\n", why[reason], reason
		printf "%d stacks, %d frames, %d equal: %.3f %%\n", stacks, frames, equal, 100 * equal / frames
		exit !(stacks >= 10000 && equal >= frames * 0.999)
	}' "$UNWIND_SUMS" | tee "$CACHE/unwind.total"
	[ "${PIPESTATUS[0]}" -eq 0 ]
}

unwind_group() {
	local query script bin=$CACHE/unwind name python=/usr/bin/python3
	if ! echo '#include <elfutils/libdwfl.h>' | "${CC:-cc}" -E - >/dev/null 2>&1; then
		skip unwind "no libdw to compare with"
		return
	fi
	if ! unwind_build >"$CACHE/unwind.log" 2>&1; then
		not_ok unwind "$(head -n 3 "$CACHE/unwind.log" | tr '\n' ' ')"
		return
	fi
	: >"$UNWIND_SUMS"
	[ -x $python ] || python=python3
	script='import json, re
for i in range(10 ** 6):
    text = json.dumps([{"a": i, "b": [str(k) for k in range(50)]} for i in range(20)])
    sorted(json.loads(text), key=lambda x: -x["a"]); re.sub(r"(\d+)", lambda m: m[1] * 2, text)'
	query="with recursive c(x) as (select 1 union all select x + 1 from c where x < 9000000)
		select count(distinct x * 7 % 1000), sum(length(printf('%d %s', x, hex(x)))) from c group by x % 97 order by 1"
	for name in throws signals signals-static; do
		try "unwind-$name" unwind_live 1500 "$bin/$name"
	done
	# Fewer, since elfutils stops at each signal frame.
	try unwind-signals-musl unwind_live 500 "$bin/signals-musl"
	try unwind-python unwind_live 2000 $python -c "$script"
	try unwind-sqlite unwind_live 1500 sqlite3 :memory: "$query"
	try unwind-git unwind_live 1500 git -C "$HERE" log -p --all
	try unwind-node unwind_live 1500 node "$UNWIND/work.js"
	try unwind-perf-throws unwind_perf "$bin/throws"
	try unwind-perf-python unwind_perf $python -c "$script"
	try unwind-perf-node unwind_perf node "$UNWIND/work.js"
	try unwind-core-throws unwind_core "$bin/throws"
	try unwind-core-signals unwind_core "$bin/signals"
	try unwind-core-node unwind_core node "$UNWIND/work.js"
	try unwind-total unwind_total
}

unwind_group
