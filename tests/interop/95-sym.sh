# Names, lines and inlined calls of real binaries, against readelf, llvm-symbolizer and c++filt: addresses all over
# their code, in programs of C, C++, Rust and Go that are compiled here, and in libraries of the system.

sym_oracle() { "$PYTHON" "$HERE/sym_oracle.py" "$@"; }

# The compiled programs; a compiler that is not there makes none.
SYM_BIN=$WORK/sym-bin
sym_build() {
	local cxx=${CXX:-g++} mode
	mkdir -p "$SYM_BIN"
	cd "$SYM_BIN"
	$cxx -g -O0 -o cxx-O0 "$HERE/sym_prog.cc"
	$cxx -g -O2 -o cxx-O2 "$HERE/sym_prog.cc"
	$cxx -g -O2 -gdwarf-4 -o cxx-dwarf4 "$HERE/sym_prog.cc"
	$cxx -g -O2 -gz=zlib -o cxx-zlib "$HERE/sym_prog.cc"
	objcopy --compress-debug-sections=zstd cxx-O2 cxx-zstd || rm -f cxx-zstd
	$cxx -g -O2 -gsplit-dwarf -o cxx-split "$HERE/sym_prog.cc"
	$cxx -g -O2 -no-pie -ffunction-sections -Wl,--gc-sections -o cxx-fixed "$HERE/sym_prog.cc"
	! command -v clang++-14 >/dev/null || clang++-14 -g -O2 -o cxx-clang "$HERE/sym_prog.cc"
	if command -v rustc >/dev/null; then
		rustc -g -O -o rust "$HERE/sym_prog.rs"
		rustc -g -O -C symbol-mangling-version=v0 -o rust-v0 "$HERE/sym_prog.rs"
	fi
	if command -v go >/dev/null; then
		GOFLAGS=-mod=mod go build -o go-prog "$HERE/sym_prog.go"
		for mode in exe pie; do
			GOFLAGS=-mod=mod go build -buildmode=$mode -o "go-$mode" "$HERE/sym_prog.go"
			GOFLAGS=-mod=mod go build -buildmode=$mode -ldflags '-s -w' -o "go-$mode-s" "$HERE/sym_prog.go"
		done
	fi
}

# The same names for the same addresses: of a profile with addresses of the file, all over its code.
sym() { # BINARY [JUDGED-BY]: the same code in a file that the peers can read
	local what
	[ -e "$1" ] || { echo "no ${1##*/} here"; exit 77; }
	needs readelf
	sym_oracle make "$1" 4000 1 >"$T/in.json"
	"$OTPROF" convert --symbolize "$T/in.json" -o "$T/out.json" 2>"$T/notes" || fail "convert: status $?"
	for what in names text lines; do
		[ $what != lines ] || command -v llvm-symbolizer-14 >/dev/null || continue
		sym_oracle check "${2:-$1}" "$T/out.json" $what
	done
}

# A stripped copy and its debug file, by build id, give what the whole binary gives.
sym_stripped() {
	local b=$SYM_BIN/cxx-O2 id
	[ -e "$b" ] || { echo "no cxx-O2 here"; exit 77; }
	needs objcopy
	id=$(readelf -n "$b" | sed -n 's/.*Build ID: //p')
	mkdir -p "$T/debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug "$b" "$T/debug/.build-id/${id:0:2}/${id:2}.debug"
	objcopy --strip-all "$b" "$T/stripped"
	sym_oracle make "$b" 2000 2 >"$T/whole.json"
	sed "s|$b|$T/stripped|" "$T/whole.json" >"$T/in.json"
	"$OTPROF" convert --symbolize "$T/whole.json" -t folded >"$T/want" 2>"$T/notes"
	"$OTPROF" convert --symbolize --symbol-path "$T/debug" "$T/in.json" -t folded 2>"$T/notes" |
		sed "s|stripped+|cxx-O2+|g" >"$T/got"
	same_lines "$T/want" "$T/got"
	grep -q 'app::run' "$T/got"
}

# A stripped Go program has the frames that DWARF gives, from its own table.
sym_go_stripped() { # MODE
	local b=$SYM_BIN/go-$1
	[ -e "$b-s" ] || { echo "no go-$1-s here"; exit 77; }
	needs readelf
	sym_oracle make "$b" 4000 3 >"$T/whole.json"
	sym_oracle make "$b-s" 4000 3 >"$T/in.json"
	"$OTPROF" convert --symbolize "$T/whole.json" -o "$T/want.json" 2>"$T/notes"
	"$OTPROF" convert --symbolize "$T/in.json" -o "$T/got.json" 2>"$T/notes"
	sym_oracle same "$T/want.json" "$T/got.json"
}

try sym-build sym_build
for b in cxx-O0 cxx-O2 cxx-dwarf4 cxx-zlib cxx-split cxx-fixed cxx-clang rust rust-v0 go-prog; do
	try "sym-$b" sym "$SYM_BIN/$b"
done
try sym-cxx-zstd sym "$SYM_BIN/cxx-zstd" "$SYM_BIN/cxx-O2"
for b in libc.so.6 libstdc++.so.6 libm.so.6; do
	try "sym-$b" sym "$(readlink -f "$(ldconfig -p | sed -n "s|.*$b .*x86-64.*=> ||p" | head -n 1)" || echo none)"
done
try sym-git sym "$(readlink -f "$(command -v git || echo none)")"
try sym-python3 sym "$(readlink -f /usr/bin/python3 || echo none)"
try sym-otprof sym "$OTPROF"
try sym-stripped sym_stripped
for mode in exe pie; do
	try "sym-go-$mode-stripped" sym_go_stripped $mode
done
