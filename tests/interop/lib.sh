# Shared by run and its groups: counting, the venv, the program, the oracle.

OTP_V1_7=1.39.1  # opentelemetry-proto releases that carry an older dialect
OTP_V1_9=1.42.1
SPLUNK_OTEL=2.13.2 # Splunk's own library for Python, splunk-opentelemetry

passed=0 failed=0 skipped=0

ok() { passed=$((passed + 1)); printf 'ok %s\n' "$1"; }
not_ok() { failed=$((failed + 1)); printf 'not ok %s: %s\n' "$1" "$2"; }
skip() { skipped=$((skipped + 1)); printf 'skip %s: %s\n' "$1" "$2"; }

# try NAME FUNCTION ARGS: runs it under set -e in a folder of its own. Status 77 is a skip; output tells why.
try() {
	local name=$1 rc log
	shift
	T=$WORK/$name
	log=$WORK/$name.log
	rm -rf "$T"
	mkdir -p "$T"
	(set -e; "$@") >"$log" 2>&1
	rc=$?
	case $rc in
	0) ok "$name"; rm -rf "$T" "$log" ;;
	77) skip "$name" "$(tail -n 1 "$log")" ;;
	*) not_ok "$name" "$(tail -n 4 "$log" | tr '\n\t' '| ' | cut -c1-600) (status $rc, files in $T)" ;;
	esac
	return 0
}

# Inside a test: give up with a reason.
fail() { echo "$*"; exit 1; }
needs() { command -v "$1" >/dev/null || { echo "no $1"; exit 77; }; }

oracle() { "$PYTHON" "$HERE/otlp_oracle.py" "$@"; }
oracle_with() { local release=$1; shift; PYTHONPATH=$CACHE/otp-$release oracle "$@"; }

# same_lines WANT GOT: names the first line that differs.
same_lines() {
	cmp -s "$1" "$2" && return 0
	diff "$1" "$2" | head -n 4 | cut -c1-250
	fail "lines differ: $(wc -l <"$1") wanted, $(wc -l <"$2") came"
}

# raw_equals FILE WANT: show --raw FILE prints the lines in WANT.
raw_equals() {
	"$OTPROF" show --raw "$1" >"$T/got.raw" || fail "show --raw $1: status $?"
	same_lines "$2" "$T/got.raw"
}

check_passes() {
	local rc=0
	"$OTPROF" check "$1" >"$T/check.out" 2>&1 || rc=$?
	[ $rc -eq 0 ] || { grep -v -i warning "$T/check.out" | head -n 3; fail "check $1: status $rc"; }
}

convert() { "$OTPROF" convert "$1" -o "$2" || fail "convert $1: status $?"; }

# send_certs: a CA, and certificates it signed for a server at 127.0.0.1 and for a client, into $T.
send_certs() {
	local who
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test-ca \
		-keyout "$T/ca.key" -out "$T/ca.pem" 2>/dev/null
	for who in server client; do
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=$who \
			-keyout "$T/$who.key" -out "$T/$who.csr" 2>/dev/null
		openssl x509 -req -in "$T/$who.csr" -CA "$T/ca.pem" -CAkey "$T/ca.key" -CAcreateserial -days 2 \
			-extfile <(echo "subjectAltName=IP:127.0.0.1,DNS:localhost") -out "$T/$who.pem" 2>/dev/null
	done
}

setup() {
	local stamp=$CACHE/stamp want
	want=$(cat "$HERE/requirements.txt"; echo "$OTP_V1_7 $OTP_V1_9 $SPLUNK_OTEL")
	PYTHON=$CACHE/venv/bin/python
	if [ -x "$PYTHON" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then
		return 0
	fi
	rm -rf "$CACHE/venv" "$CACHE"/otp-* "$CACHE"/splunk-* "$stamp"
	mkdir -p "$CACHE"
	python3 -m venv "$CACHE/venv" &&
		"$PYTHON" -m pip install -q --disable-pip-version-check -r "$HERE/requirements.txt" || return 1
	local v
	for v in $OTP_V1_7 $OTP_V1_9; do
		"$PYTHON" -m pip install -q --disable-pip-version-check --no-deps --target "$CACHE/otp-$v" \
			"opentelemetry-proto==$v" || return 1
	done
	# Its protobuf is another one than ours.
	"$PYTHON" -m pip install -q --disable-pip-version-check --target "$CACHE/splunk-$SPLUNK_OTEL" \
		"splunk-opentelemetry==$SPLUNK_OTEL" || return 1
	printf '%s\n' "$want" >"$stamp"
}
