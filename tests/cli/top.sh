# SPDX-License-Identifier: Apache-2.0
#
# top: rows of functions and of labels, in every form.
. "$TOP/tests/cli/aid.bash"
example_file example.otlp
small_file small.otlp

# --- text ---

expect_exit 0 top/text -- "$OTPROF" top --no-symbols example.otlp
check top/text-is-quiet test ! -s err
golden top/text.txt out
expect_exit 0 top/stdin -- "$OTPROF" top - <example.otlp
"$OTPROF" top <example.otlp >none.txt
same top/no-file-is-stdin out none.txt
for by in thread function,thread line file module service; do
	expect_exit 0 "top/by-$by" -- "$OTPROF" top --by "$by" example.otlp
	cat out >>by.txt
done
golden top/by.txt by.txt
expect_exit 0 top/cum -- "$OTPROF" top --cum example.otlp
check top/cum-has-main-first bash -c 'sed -n 3p out | grep -q " main$"'
expect_exit 0 top/rows -- "$OTPROF" top -n 1 example.otlp
check top/rows-says-what-is-left grep -qx 'and 2 more, 33.33%' out
expect_exit 0 top/all-rows -- "$OTPROF" top -n 0 example.otlp
check top/all-rows-leaves-nothing bash -c '! grep -q "^and" out'

# Three observations every 10 ms are 30 ms; a heap is bytes.
prints top/samples-as-time \
	'20ms  66.67%   66.67%  20ms   66.67%  inner' \
	-- "$OTPROF" top --no-symbols --unit ms example.otlp
expect_exit 0 top/bytes -- "$OTPROF" top --type inuse_space example.otlp
check top/bytes-have-units grep -qE '^4KiB  80.00% .* inner$' out
expect_exit 0 top/merged -- "$OTPROF" top small.otlp small.otlp small.otlp
check top/merged-adds-up grep -qE '^15ns +100.00% .* main$' out

# Samples without a stack are said to be that.
bytes "$(with_sample "$(packed 4 5)")" >nostack.otlp
prints top/no-stack ' 5ns  100.00%  100.00%  5ns  100.00%  (no stack)' \
	-- "$OTPROF" top nostack.otlp

# Lines of a function are told apart even if its file is not known.
cat >nofile.speedscope.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json",
 "shared":{"frames":[{"name":"f","line":3},{"name":"f","line":4}]},
 "profiles":[{"type":"sampled","name":"p","unit":"none","startValue":0,
 "endValue":3,"samples":[[0],[1]],"weights":[1,2]}]}
END
expect_exit 0 top/line-without-file -- \
	"$OTPROF" top --csv --by line nofile.speedscope.json
check top/line-without-file-is-told grep -qx '1,1,f :3' out

# An empty label is none, and hides that of the resource.
labelled() # SERVICE THREAD
{
	local value='"value":{"stringValue":'

	echo '{"resourceProfiles":[{"resource":{"attributes":[
	{"key":"service.name",'$value'"'$1'"}},
	{"key":"thread.name",'$value'"outer"}}]},
	"scopeProfiles":[{"scope":{},"profiles":[{"sampleType":
	{"typeStrindex":1,"unitStrindex":2},"samples":[
	{"stackIndex":1,"values":["5"],"attributeIndices":[1]}]}]}]}],
	"dictionary":{"mappingTable":[{}],"linkTable":[{}],
	"locationTable":[{},{"lines":[{"functionIndex":1}]}],
	"functionTable":[{},{"nameStrindex":3}],
	"stringTable":["","cpu","nanoseconds","f","thread.name"],
	"attributeTable":[{},{"keyStrindex":4,'$value'"'$2'"}}],
	"stackTable":[{},{"locationIndices":[1]}]}}'
}
labelled '' '' >empty.json
for by in service thread; do
	prints "top/empty-$by-is-none" \
		"  5ns  100.00%  (no $by)" \
		-- "$OTPROF" top --by "$by" empty.json
done

# Wide characters take two columns, marks none.
labelled 漢字 main >wide.json
labelled e$'\u0301' worker >marks.json
"$OTPROF" merge wide.json marks.json -o wide.otlp
expect_exit 0 top/wide -- "$OTPROF" top --by service,thread wide.otlp
golden top/wide.txt out

# Of a state the last counts, also if equal samples are apart.
labelled api main | sed 's/"cpu"/"inuse_space"/; s/"nanoseconds"/"bytes"/
	s/{"stackIndex":1,"values":\["5"\],"attributeIndices":\[1\]}/\
	{"stackIndex":1,"values":["100"],"timestampsUnixNano":["10"]},\
	{"stackIndex":1,"values":["50"],"timestampsUnixNano":["20"]}/' >state.json
prints top/last-of-a-state ' 50B  100.00%  100.00%  50B  100.00%  f' \
	-- "$OTPROF" top state.json
"$OTPROF" filter --aggregate state.json -o state.otlp
prints top/last-of-a-state-aggregated \
	' 50B  100.00%  100.00%  50B  100.00%  f' -- "$OTPROF" top state.otlp

# Names that are missing count by their share of the samples.
nameless() # VALUE
{
	local id=abcdef0123456789abcdef0123456789abcdef01

	echo '{"resourceProfiles":[{"resource":{},"scopeProfiles":[{
	"scope":{},"profiles":[{"sampleType":{"typeStrindex":1,
	"unitStrindex":2},"samples":[{"stackIndex":1,"values":["'$1'"]},
	{"stackIndex":2,"values":["5"]}]}]}]}],
	"dictionary":{"linkTable":[{}],"mappingTable":[{},{
	"memoryStart":"4096","memoryLimit":"65536","filenameStrindex":4,
	"attributeIndices":[1]}],
	"locationTable":[{},{"lines":[{"functionIndex":1}]},
	{"mappingIndex":1,"address":"4200"}],
	"functionTable":[{},{"nameStrindex":3}],
	"stringTable":["","cpu","nanoseconds","f","/nowhere/libx.so",
	"process.executable.build_id.gnu"],
	"attributeTable":[{},{"keyStrindex":5,
	"value":{"stringValue":"'$id'"}}],
	"stackTable":[{},{"locationIndices":[1]},{"locationIndices":[2]}]}}'
}
nameless 95 >few.json
expect_exit 0 top/few-names-missing -- "$OTPROF" top few.json
check top/few-names-missing-is-quiet test ! -s err
nameless 20 >many.json
expect_exit 0 top/many-names-missing -- "$OTPROF" top many.json
check top/many-names-missing-is-said grep -q \
	'names of 20% of the frames are missing (/nowhere/libx.so' err

# --- JSON and CSV ---

expect_exit 0 top/json -- "$OTPROF" top --json --by thread,function \
	-n 2 example.otlp
golden top/text.json out
if has_tool top/json-is-json python3; then
	check top/json-is-json python3 -m json.tool out
fi
expect_exit 0 top/csv -- "$OTPROF" top --csv --by thread,line example.otlp
golden top/text.csv out
printf '%s 3\n' 'main;a "b", c;=x' >quote.folded
prints top/csv-is-quoted '0,3,"a ""b"", c"' -- "$OTPROF" top --csv quote.folded

# --- a terminal ---

if has_tool top/terminal script; then
	name=$(printf 'long%.0s' {1..60})
	echo "main;$name 3" >long.folded
	printf -v words '%q ' env TERM=xterm "$OTPROF" top long.folded
	SHELL=/bin/bash script -qec "stty cols 60; $words" typescript \
		</dev/null >seen 2>&1
	check top/terminal-cuts-names bash -c \
		"grep -a 'longlo.*\.\.\.' seen | tr -d '\r' |
		sed 's/\x1b\[[0-9;]*m//g' | awk 'length > 60 { exit 1 }'"
	check top/terminal-has-colours grep -qa $'\e\\[1m' seen
	for no in 'NO_COLOR=1' 'TERM=dumb'; do
		sed "s/TERM=xterm/$no/" <<<"$words" >cmd
		SHELL=/bin/bash script -qec "stty cols 60; $(cat cmd)" \
			typescript </dev/null >seen 2>&1
		check_not "top/no-colours-with-$no" grep -qaF $'\e[1m' seen
	done
	printf -v words '%q ' "$OTPROF" top
	SHELL=/bin/bash script -qec "$words" typescript </dev/null >seen 2>&1
	check top/terminal-without-file grep -qa 'expected a FILE' seen
	printf -v words '%q ' "$OTPROF" top --by service wide.otlp
	SHELL=/bin/bash script -qec "stty cols 24; $words" typescript \
		</dev/null >seen 2>&1
	check top/terminal-breaks-the-head bash -c \
		"tr -d '\r' <seen | grep -A 1 -x 'cpu 10 ns, 2 services,' |
		grep -qx '2 threads'"
	printf -v words '%q ' "$OTPROF" diff page0.folded long.folded
	echo 'main;f 3' >page0.folded
	SHELL=/bin/bash script -qec "stty cols 70; $words" typescript \
		</dev/null >seen 2>&1
	check top/terminal-cuts-names-of-diff bash -c \
		"tr -d '\r' <seen | grep -x '.\{67\}\.\.\.' | grep -q longlo"
	printf -v words '%q ' "$OTPROF" stat example.otlp
	SHELL=/bin/bash script -qec "stty cols 80; $words" typescript \
		</dev/null >seen 2>&1
	check_not top/narrow-stat-has-no-times grep -qa ' time ' seen
	"$OTPROF" top long.folded >out
	check top/no-terminal-no-cut grep -q "$name" out
fi

# --- a pager ---

# on_terminal WORD...: what the command prints on a terminal, in seen.
on_terminal()
{
	local words

	printf -v words '%q ' "$@"
	SHELL=/bin/bash script -qec "stty cols 60; $words" typescript \
		</dev/null >seen 2>&1
}
if has_tool top/pager script; then
	echo 'main;f 3' >page.folded
	on_terminal env -u PAGER "OTPROF_PAGER=sed s/^/paged:/" TERM=xterm \
		"$OTPROF" top page.folded
	check top/pager-of-the-variable grep -qa '^paged:samples 3' seen
	check top/pager-has-all-of-it grep -qa '^paged:.*100.00%.*f' seen
	check top/pager-has-colours grep -qa $'paged:\e\\[1m' seen
	on_terminal env -u OTPROF_PAGER "PAGER=sed s/^/paged:/" \
		"$OTPROF" top page.folded
	check_not top/pager-only-if-asked grep -qa '^paged:' seen
	on_terminal env -u OTPROF_PAGER "PAGER=sed s/^/paged:/" \
		"$OTPROF" stat --pager page.folded
	check top/pager-by-option grep -qa '^paged:samples 3' seen
	on_terminal env -u LESS "OTPROF_PAGER=cat; echo LESS=\$LESS" \
		"$OTPROF" tree page.folded
	check top/pager-sets-less grep -qa '^LESS=FRX' seen
	on_terminal env LESS=S "OTPROF_PAGER=cat; echo LESS=\$LESS" \
		"$OTPROF" tree page.folded
	check top/pager-keeps-less grep -qa $'^LESS=S\r*$' seen
	on_terminal env OTPROF_PAGER=/nowhere/more "$OTPROF" top page.folded
	check top/no-such-pager grep -qa \
		"cannot run the pager '/nowhere/more'" seen
	on_terminal env OTPROF_PAGER=/nowhere/more "$OTPROF" top nowhere.folded
	check_not top/no-pager-for-an-error grep -qa pager seen
	for ((i = 0; i < 20000; i++)); do echo "main;f$i 3"; done >many.folded
	on_terminal env "OTPROF_PAGER=head -n 1" "$OTPROF" top -n 0 many.folded
	check top/pager-left-early test "$(wc -l <seen)" = 1
fi
expect_exit 0 top/pager-needs-a-terminal -- env OTPROF_PAGER=/nowhere/more \
	"$OTPROF" top --pager page.folded

# --- wrong usage ---

fails 2 top/no-such-label "no sample has the label 'threed' \(did you mean" \
	-- "$OTPROF" top --by threed example.otlp
fails 2 top/no-such-type "no profile of type 'wall'" \
	-- "$OTPROF" top --type wall example.otlp
fails 2 top/unit-is-none '--unit expects one of' \
	-- "$OTPROF" top --unit parsec example.otlp
fails 2 top/unit-does-not-fit '--unit B does not fit cpu' \
	-- "$OTPROF" top --unit B small.otlp
fails 2 top/two-forms 'mutually exclusive' \
	-- "$OTPROF" top --json --csv small.otlp
fails 2 top/by-nothing '--by expects labels' -- "$OTPROF" top --by , small.otlp
