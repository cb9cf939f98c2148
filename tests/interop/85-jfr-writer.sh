# Recordings that tests/write/jfr.h writes, read by the JDK's own tool: a reader's tests are worth as much as their files.

# Each jfr there is, once: $JFR, the one in the path, and those of other JDKs.
jfr_tools() {
	local tool
	for tool in "$JFR" "$(command -v jfr)" "$JAVA_HOME/bin/jfr" /usr/lib/jvm/*/bin/jfr; do
		[ -x "$tool" ] && readlink -f "$tool"
	done | awk '!seen[$0]++'
}

jfr_files_build() {
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE= -O1 -I"$HERE/../../src" -I"$HERE/.." -o "$CACHE/jfr_files" \
		"$HERE/jfr_files.c" "$HERE"/../write/jfr*.c
}

# Events by type, as the summary counts them: a line for each id that the type has in a chunk.
jfr_counts() { # TOOL FILE
	"$1" summary "$2" | awk '/^=+$/ { on = 1; next }
		on && $2 > 0 && $1 !~ /^jdk\.(Metadata|Check[Pp]oint)$/ { nr[$1] += $2 }
		END { for (type in nr) print type, nr[type] }' | sort
}

jfr_file() { # TOOL NAME
	"$CACHE/jfr_files" "$2" "$T/$2.jfr"
	TZ=UTC "$1" print --json --stack-depth 64 "$T/$2.jfr" >"$T/json" || fail "$(cut -c1-200 "$T/json" | head -n 2)"
	python3 "$HERE/jfr_lines.py" <"$T/json" >"$T/lines"
	case $2 in
	all-*)
		"$CACHE/jfr_files" types >"$T/want"
		cut -d' ' -f1,2 "$T/lines" >"$T/got"
		;;
	*)
		sed -n "/^== $2\$/,/^== /{/^==/!p}" "$HERE/jfr_files.txt" >"$T/want"
		cp "$T/lines" "$T/got"
		;;
	esac
	[ -s "$T/want" ] || fail "nothing is wanted of $2"
	same_lines "$T/want" "$T/got"
	cut -d' ' -f1 "$T/lines" | sort | uniq -c | awk '{ print $2, $1 }' >"$T/want.counts"
	jfr_counts "$1" "$T/$2.jfr" >"$T/got.counts"
	same_lines "$T/want.counts" "$T/got.counts"
}

jfr_group() {
	local tool name version
	if [ -z "$(jfr_tools)" ]; then
		skip jfr-writer "no JDK with the tool jfr"
		return
	fi
	if ! jfr_files_build >"$CACHE/jfr_files.log" 2>&1; then
		not_ok jfr-writer "$(head -n 2 "$CACHE/jfr_files.log")"
		return
	fi
	for tool in $(jfr_tools); do
		version=$("${tool%jfr}java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
		for name in $("$CACHE/jfr_files"); do
			try "jfr-$version-$name" jfr_file "$tool" "$name"
		done
	done
}

jfr_group
