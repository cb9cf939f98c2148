# CPU time by the agent and by gperftools' profiler, of Debian's package, in two runs of the same program.

# gperftools_shares FILE OPTION...: the percentage of each function itself.
gperftools_shares() {
	"$OTPROF" top --csv -n 0 "$@" | awk -F, 'NR > 1 { sum += $1; flat[$3] = $1 }
		END { for (f in flat) if (flat[f] >= sum / 50) printf "%s %.2f\n", f, 100 * flat[f] / sum }' | sort
}

# Another program may take the CPU from one run and not from the other: three tries.
gperftools_agrees() {
	local profiler tries
	profiler=$(gcc -print-file-name=libprofiler.so.0)
	[ -e "$profiler" ] || { echo "gperftools is not installed"; exit 77; }
	gcc -O2 -g -o "$T/prog" "$HERE/cpu_shares.c"
	for tries in 1 2 3; do
		env LD_PRELOAD="$profiler" CPUPROFILE="$T/cpu.prof" CPUPROFILE_FREQUENCY=250 "$T/prog" 10
		"$OTPROF" run --interval 4 -o "$T/agent.otlp" -- "$T/prog" 10
		gperftools_shares --symbolize "$T/cpu.prof" >"$T/want"
		gperftools_shares --state running "$T/agent.otlp" >"$T/got"
		[ "$(wc -l <"$T/want")" = 4 ] || fail "$(cat "$T/want")"
		if join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$T/want" "$T/got" | awk '{ d = $2 - $3; if (d < 0) d = -d
			printf "%s %s %% (%s %%)  ", $1, $3, $2; if (d > 2) bad = 1 } END { exit bad }' \
			>"$WORK/gperftools.figures"; then
			return 0
		fi
	done
	fail "$(cat "$WORK/gperftools.figures")"
}

rm -f "$WORK/gperftools.figures"
try gperftools-agrees gperftools_agrees
[ ! -s "$WORK/gperftools.figures" ] ||
	echo "   the agent (gperftools $(dpkg-query -W -f '${Version}' libgoogle-perftools4)): $(cat "$WORK/gperftools.figures")"
