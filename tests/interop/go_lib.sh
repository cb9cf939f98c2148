# Shared by the groups with Go peers, and by bench/run: a Go that is new enough, and the peers built once.
# Wants HERE (this folder) and CACHE (a folder to keep things in).

GO_MINOR=25  # what go/go.mod asks for
GOPEERS=$CACHE/go/bin

# go_env COMMAND...: nothing is taken from, or left in, the user's own folders.
go_env() {
	env GOPATH="$CACHE/go/path" GOMODCACHE="${GOMODCACHE:-$CACHE/go/mod}" GOCACHE="${GOCACHE:-$CACHE/go/cache}" \
		GOFLAGS='-buildvcs=false -trimpath -modcacherw' GOTOOLCHAIN=local GOWORK=off CGO_ENABLED=0 "$@"
}

go_is_usable() { # GO
	local version
	version=$(go_env "$1" env GOVERSION 2>/dev/null) || return 1
	case $version in go1.[0-9]*) ;; *) return 1 ;; esac
	version=${version#go1.}
	[ "${version%%[!0-9]*}" -ge $GO_MINOR ]
}

# Sets GO, or tells why there is none. One that is too old is not asked to fetch a newer one: Python does it.
go_find() {
	local go
	[ -z "${GO_FOUND:-}" ] || { GO=$GO_FOUND; return 0; }
	for go in "${GO:-}" go /usr/local/go/bin/go "$CACHE/go/sdk/bin/go"; do
		if [ -n "$go" ] && go_is_usable "$go"; then
			GO=$go GO_FOUND=$go
			return 0
		fi
	done
	mkdir -p "$CACHE/go"
	go=$(python3 "$HERE/go_fetch.py" "$CACHE/go/sdk") && go_is_usable "$go" && GO=$go GO_FOUND=$go
}

# go_peers PACKAGE...: builds programs into $GOPEERS, one call at a time. Status 77 if Go or a module cannot be had.
go_peers() {
	local rc=0
	mkdir -p "$GOPEERS"
	exec 9>"$CACHE/go/lock"
	flock 9
	go_build "$@" || rc=$?
	exec 9>&-
	return $rc
}

go_build() {
	go_find || return 77
	(cd "$HERE/go" && go_env "$GO" list -deps "$@" >/dev/null) || return 77
	(cd "$HERE/go" && go_env "$GO" build -ldflags='-s -w' -o "$GOPEERS/" "$@")
}

# go_group NAME PACKAGE...: true if the group can run; otherwise it is counted as skipped or failed.
go_group() {
	local name=$1 log=$CACHE/$1-build.log rc=0
	shift
	go_peers "$@" >"$log" 2>&1 || rc=$?
	case $rc in
	0) return 0 ;;
	77) skip "$name" "no Go 1.$GO_MINOR or no modules: $(tail -n 1 "$log" | cut -c1-200)" ;;
	*) not_ok "$name" "the peers do not build: $(tail -n 2 "$log" | tr '\n' '|' | cut -c1-300)" ;;
	esac
	return 1
}

PROFCHECK=github.com/open-telemetry/sig-profiling/profcheck/cmd/profcheck

# group_needs NAME FORMAT...: true if the program has the formats; otherwise counts one skip.
group_needs() {
	local name=$1 format
	shift
	for format in "$@"; do
		"$OTPROF" help formats | grep -q "^  $format " && continue
		skip "$name" "the program does not know $format"
		return 1
	done
}
