# SPDX-License-Identifier: Apache-2.0
#
# No command lets a terminal obey what a profile, a file name, an option or a
# server says: hostile text goes in everywhere, and nothing but lines and tabs
# comes out.
. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

# Sets the title, clears the screen, C0, DEL, C1 as UTF-8 and as a byte, text
# that runs backwards, and a line that the program did not write.
hostile=$'h\e]0;PWNED\a\e[2J\b\177\xc2\x9b31m\xe2\x80\xae\xe2\x81\xa6\rq\nFORGED'
raw=$hostile$'\x9b31m'
json='h\u001b]0;PWNED\u0007\u001b[2J\b\u007f\u009b31m\u202e\u2066\rq\nFORGED'

# What a terminal would obey, as bytes, or a line that is not ours.
obeyed='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]'
obeyed+='|\xe2\x81[\xa6-\xa9]|^FORGED'

is_clean() # FILE
{
	! LC_ALL=C grep -aqP "$obeyed" "$1" &&
		iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1
}

# clean NAME CMD...: whatever becomes of the command, it prints clean text, and
# something at all.
clean()
{
	local name=terminal/$1 rc=0

	shift
	timeout 60 "$@" >out 2>err </dev/null || rc=$?
	if [ "$rc" -ge 99 ]; then
		not_ok "$name" "exit status $rc"
	elif ! is_clean out || ! is_clean err; then
		cat -v out err | head -n 5 >&2
		not_ok "$name" "prints what a terminal obeys"
	elif [ ! -s out ] && [ ! -s err ]; then
		not_ok "$name" "prints nothing"
	else
		ok "$name"
	fi
}

# The check itself must find what it looks for.
for bad in $'\e' $'\a' $'\r' $'\177' $'\xc2\x85' $'\xe2\x80\xae' \
	$'\xe2\x81\xa9' $'\x9b' $'a\nFORGED'; do
	printf '%s\n' "x$bad" >bad.txt
	check_not "terminal/sees-$(od -An -tx1 <<<"$bad" | tr -d ' \n')" \
		is_clean bad.txt
done
printf 'a\tb\n\xc3\xa9\n' >good.txt
check terminal/lets-text-pass is_clean good.txt

# --- names in profiles ---

# Every string of it is hostile; the key that is there twice is an error.
profile() # VALUE
{
	local attr='{"key":"'$json'","value":{"stringValue":"'$json'"}}'

	cat <<-END
	{"resourceProfiles":[{"resource":{"attributes":[$attr]},
	"scopeProfiles":[{"scope":{"name":"$json","version":"$json"},
	"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":1},
	"samples":[{"stackIndex":1,"values":["$1"],"attributeIndices":[1,2]}],
	"timeUnixNano":"1","durationNano":"5"}]}]}],
	"dictionary":{"stringTable":["","$json","a$json"],
	"mappingTable":[{},{"filenameStrindex":1,"memoryLimit":"4096"}],
	"locationTable":[{},{"mappingIndex":1,"address":"16",
	"lines":[{"functionIndex":1,"line":"3"}]}],
	"functionTable":[{},{"nameStrindex":1,"systemNameStrindex":1,
	"filenameStrindex":1}],
	"linkTable":[{}],
	"attributeTable":[{},{"keyStrindex":1,"value":{"stringValue":"$json"}},
	{"keyStrindex":1,"value":{"stringValue":"2"},"unitStrindex":1}],
	"stackTable":[{},{"locationIndices":[1]}]}}
	END
}
profile 7 >names.json
profile 9 >after.json
"$OTPROF" convert names.json -o names.otlp 2>err
check terminal/example-is-hostile grep -qaP '\e\]0;PWNED' names.otlp

for command in show 'show --top 5' 'show --tree' 'show --raw' 'show --json' \
	'show --top 5 --json' 'show --tree --json' check 'check --strict' \
	'check --json' 'show --symbolize' 'show --payload' top 'top --json' \
	'top --csv' 'top --by line,file,module' 'top --by a,b,thread' tree \
	'tree --json' 'tree --inverted' 'peek .' 'peek --json .' 'peek --csv .' \
	'list .' 'list --json .' 'list --csv .' stat 'stat --json' 'stat --csv' \
	'stat --by a,thread' 'stat --series' flame 'flame --json'; do
	for file in names.otlp names.json; do
		clean "${command// /}-$file" "$OTPROF" $command $file
	done
done
clean diff "$OTPROF" diff names.json after.json
clean diff-json "$OTPROF" diff --json names.json after.json
for view in '--by function' --tree '--peek .' --csv; do
	clean "diff${view// /}" "$OTPROF" diff $view names.json after.json
done
clean top-by-a-hostile-label "$OTPROF" top --by "$hostile" names.json
clean list-hostile-source bash -c 'mkdir -p s && printf "%s\n" "$1" >s/x.c &&
	"$2" list --source-path s . "$3"' - "$raw" "$OTPROF" names.json

# What is said about what a format cannot hold.
for format in otlp-json pprof folded chrome-trace cpuprofile speedscope firefox \
	svg html otep239 otep-arrays otlp-events otlp-events-text splunk-text \
	splunk-pprof; do
	clean "convert-$format" bash -c "'$OTPROF' convert --check names.json \
		-t $format -o converted.$format; echo status \$?"
done

# Input of other formats, whole and broken, with hostile text in it.
printf '%s;%s 1\n%s\n' "${raw%%$'\n'*}" "${raw##*$'\n'}" "$raw" >raw.folded
for format in folded perf-script otlp-json pprof chrome-trace cpuprofile \
	heapprofile speedscope firefox gperftools jfr perf simpleperf \
	otlp-events-text splunk-text; do
	clean "read-$format" bash -c "'$OTPROF' show --top 3 -f $format \
		raw.folded; echo status \$?"
	clean "read-strict-$format" bash -c "'$OTPROF' check --strict -f \
		$format raw.folded; echo status \$?"
done
for key in resourceProfiles nodes traceEvents profiles shared head; do
	printf '{"%s":[{"%s":"%s"},"%s",{"a":' "$key" "$json" "$json" "$json" \
		>broken.json
	clean "broken-$key" "$OTPROF" show broken.json
done

# --- names of files ---

cp names.otlp "$raw.otlp"
printf 'not a profile' >"$raw.txt"
mkdir "$raw.d"
for command in show 'show --top 5' 'show --payload' check 'check --json'; do
	clean "file-${command// /}" "$OTPROF" $command "$raw.otlp"
	clean "file-missing-${command// /}" "$OTPROF" $command "$raw.gone"
	clean "file-bad-${command// /}" "$OTPROF" $command "$raw.txt"
done
for command in convert merge filter; do
	clean "file-$command" bash -c '"$@"; echo status $?' - \
		"$OTPROF" $command --check "$raw.otlp" -o "$raw.pprof"
	clean "file-missing-$command" "$OTPROF" $command "$raw.gone" -o x.otlp
	clean "file-no-folder-$command" "$OTPROF" $command names.otlp \
		-o "$raw/none/x.otlp"
	clean "file-ending-$command" "$OTPROF" $command names.otlp -o "x.$raw"
	clean "file-is-folder-$command" "$OTPROF" $command names.otlp \
		-o "$raw.d"
	clean "file-empty-folder-$command" "$OTPROF" $command "$raw.d" \
		-o x.otlp
done
clean file-diff "$OTPROF" diff "$raw.otlp" "$raw.gone"
ln -s "$raw.nowhere" "$raw.link"
clean file-link "$OTPROF" convert names.otlp -t otlp -o "$raw.link"

# --- words of the command line ---

clean command "$OTPROF" "$raw"
clean help-command "$OTPROF" help "$raw"
for command in check convert diff filter list merge peek send show stat top tree; do
	clean "option-$command" "$OTPROF" $command "--$raw" names.otlp
	clean "option-letter-$command" "$OTPROF" $command "-$raw" names.otlp
	clean "option-value-$command" "$OTPROF" $command "--json=$raw" names.otlp
	clean "format-$command" "$OTPROF" $command -f "$raw" names.otlp
done
for option in from to type focus ignore latency tail event thread cpu jobs \
	state preset min-width title pack output-format max-bytes symbol-root \
	symbol-path splunk-frames logs-encoding top; do
	for file in names.otlp "$TOP/tests/fuzz/corpus/jfr/mix"; do
		clean "value-$option-$(basename "$file")" bash -c \
			'"$@"; echo status $?' - \
			"$OTPROF" filter "--$option" "[$raw" "$file" -o x.svg
	done
	clean "value-$option-show" bash -c '"$@"; echo status $?' - \
		"$OTPROF" show "--$option" "[$raw" names.otlp
done

# --- sending ---

if can_send; then
	for option in endpoint headers header protocol compression spool as \
		retry-for timeout certificate; do
		clean "send-$option" timeout 20 "$OTPROF" send --endpoint \
			http://127.0.0.1:1 --retry-for 1ms "--$option" "$raw" \
			names.otlp
	done
	for variable in ENDPOINT HEADERS PROTOCOL COMPRESSION TIMEOUT \
		CERTIFICATE; do
		clean "send-variable-$variable" timeout 20 env \
			"OTEL_EXPORTER_OTLP_$variable=$raw" \
			"$OTPROF" send --retry-for 1ms names.otlp
	done
	mkdir "$raw.spool"
	clean send-spool timeout 20 "$OTPROF" send --endpoint \
		http://127.0.0.1:1 --retry-for 1ms --spool "$raw.spool" \
		names.otlp
	# %XX is a byte in the server's script.
	answer=$(printf '%s' "$raw" | od -An -tx1 -v | tr -d '\n' |
		sed 's/ /%/g')
	inline=$(printf '%s' "${raw//[$'\r\n']/}" | od -An -tx1 -v |
		tr -d '\n' | sed 's/ /%/g')
	for line in "status=400 body=$answer" \
		"status=400 header=content-type:text/plain body=$answer" \
		"status=200 header=content-type:$inline body=$answer" \
		"status=503 header=retry-after:$inline body=$answer"; do
		serve_start "$line"
		clean "send-answer-${line%% body*}" timeout 20 "$OTPROF" send \
			--endpoint "$ENDPOINT" --retry-for 10ms names.otlp
		serve_stop
	done
	serve_start "grpc=3 trailer=grpc-message:${answer//%/%25}"
	clean send-answer-grpc timeout 20 "$OTPROF" send --protocol grpc \
		--endpoint "$ENDPOINT" --retry-for 10ms names.otlp
	serve_stop
fi

# --- on a terminal ---

# The line with the progress is ours, and so is how it is cleared.
cp names.otlp "$raw.2.otlp"
if has_tool terminal/progress script; then
	printf -v words '%q ' "$OTPROF" merge "$raw.otlp" "$raw.2.otlp" "$raw.gone" \
		-o x.otlp
	SHELL=/bin/bash script -qec "$words" typescript </dev/null >seen 2>&1
	check terminal/progress-is-shown grep -qaF $'\r\e[K1 of 3: ' seen
	sed -e $'s/\r\e\\[K//g' -e $'s/\r$//' seen >out
	check terminal/progress is_clean out
	for to in /dev/tty /dev/stdout -; do
		printf -v words '%q ' "$OTPROF" convert names.otlp -t folded \
			-o "$to"
		SHELL=/bin/bash script -qec "$words" typescript </dev/null \
			>seen 2>&1
		check "terminal/no-profile-to-$to" grep -qa \
			'not writing a profile to a terminal' seen
		sed -e $'s/\r\e\\[K//g' -e $'s/\r$//' seen >out
		check "terminal/no-name-to-$to" is_clean out
	done
fi
