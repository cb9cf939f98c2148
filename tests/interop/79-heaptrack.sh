# Allocations by the agent and by heaptrack, of Debian's package, in two runs of the same program: both hook malloc(), but
# the agent samples.

# A run of Python that allocates 17 GiB: some 30,000 samples, and so a standard deviation of 0.6 %.
heaptrack_script() {
	cat >"$T/work.py" <<-'END'
	import json, sqlite3, zlib
	data = json.dumps([{"id": i, "name": "item %d" % i, "tags": ["a", "b", str(i)]} for i in range(300)])
	db = sqlite3.connect(":memory:")
	db.execute("create table t (k integer primary key, v text)")
	for i in range(25000):
	    zlib.compress(data.encode(), 1)
	    data.replace("item", "article")
	    b"".join([data.encode()] * 20)
	    db.execute("insert into t values (?, ?)", (i, data if i % 10 == 0 else "x"))
	db.execute("select sum(length(hex(v || v))) from t").fetchone()
	END
}

heaptrack_agrees() {
	local tries
	needs heaptrack
	needs zstd
	heaptrack_script
	heaptrack -o "$T/heaptrack" "$PYTHON" "$T/work.py"
	# Without a CPU for a while the agent loses samples, and says so.
	for tries in 1 2 3; do
		"$OTPROF" run --memory -o "$T/agent.otlp" -- "$PYTHON" "$T/work.py" 2>"$T/said"
		grep ' lost' "$T/said" || break
	done
	zstd -qd "$T/heaptrack.zst"
	"$OTPROF" top --cum --csv -n 0 --type alloc_space "$T/agent.otlp" >"$T/agent.csv"
	python3 "$HERE/heaptrack_oracle.py" "$T/heaptrack" "$T/agent.csv" >"$WORK/heaptrack.figures" ||
		{ cat "$WORK/heaptrack.figures"; fail "bytes or shares differ"; }
}

rm -f "$WORK/heaptrack.figures"
try heaptrack-agrees heaptrack_agrees
[ ! -s "$WORK/heaptrack.figures" ] ||
	echo "   heaptrack $(dpkg-query -W -f '${Version}' heaptrack): $(tail -n 1 "$WORK/heaptrack.figures")"
