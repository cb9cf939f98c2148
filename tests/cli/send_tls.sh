# SPDX-License-Identifier: Apache-2.0
#
# otprof send over TLS: openssl is the outside of the scripted server.
. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

can_send || exit 0
has_tool tls openssl || exit 0
example_file example.otlp
"$OTPROF" convert example.otlp -o whole.otlp

# --- certificates ---

certificate() # NAME SUBJECT-ALT-NAME CA
{
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
		-keyout "$1.key" -out "$1.csr" -subj "/CN=$1"
	openssl x509 -req -in "$1.csr" -out "$1.pem" -days 2 -CA "$3.pem" \
		-CAkey "$3.key" -CAcreateserial \
		-extfile <(echo "subjectAltName=$2")
}

authority() # NAME
{
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
		-nodes -keyout "$1.key" -out "$1.pem" -days 2 -subj "/CN=$1"
}

if ! {
	authority ca && authority stranger &&
		certificate server IP:127.0.0.1 ca &&
		certificate elsewhere DNS:elsewhere.example ca &&
		certificate client DNS:client ca
} >made 2>&1; then
	cat made >&2
	not_ok tls/certificates "openssl cannot make them"
	exit 1
fi

# --- a server behind openssl ---

# The port that a process listens on.
port_of() # PID
{
	local fd inode

	for fd in /proc/"$1"/fd/*; do
		inode=$(readlink "$fd")
		inode=${inode#socket:[}
		awk -v inode="${inode%]}" '$4 == "0A" && $10 == inode {
			sub(/.*:/, "", $2)
			print $2
		}' /proc/net/tcp /proc/net/tcp6 2>/dev/null
	done | head -n 1
}

# Whether there is no point in waiting for it.
tunnel_is_up()
{
	[ -n "$(port_of "$TUNNEL")" ] || ! kill -0 "$TUNNEL"
}

tls_start() # ANSWER OPENSSL-OPTION...
{
	local port

	nr_servers=$((nr_servers + 1))
	SERVED=$PWD/served.$nr_servers
	mkdir "$SERVED"
	echo "$1" >"$SERVED/script"
	shift
	mkfifo "$SERVED/in" "$SERVED/out"
	"$BUILD/tests/serve/serve" --pipe "$SERVED" "$SERVED/script" \
		<"$SERVED/in" >"$SERVED/out" &
	SERVER=$!
	# In the order in which the other side opens them.
	openssl s_server -quiet -accept 127.0.0.1:0 -naccept 1 \
		-cert server.pem -key server.key "$@" \
		>"$SERVED/in" <"$SERVED/out" 2>"$SERVED/openssl" &
	TUNNEL=$!
	wait_for tunnel_is_up
	port=$(port_of "$TUNNEL")
	[ -n "$port" ] || return 1
	ENDPOINT=https://127.0.0.1:$((16#$port))
}

tls_stop()
{
	kill "$TUNNEL" "$SERVER" 2>/dev/null
	wait "$TUNNEL" "$SERVER" 2>/dev/null
}

send()
{
	"$OTPROF" send --endpoint "$ENDPOINT" --retry-for 10ms "$@"
}

# case_of STATUS NAME ANSWER OPENSSL-OPTION... -- ARGS
case_of()
{
	local want=$1 name=$2 options=()

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	tls_start "${options[@]}"
	expect_exit "$want" "tls/$name" -- send "$@" whole.otlp
	tls_stop
}

# --- cases ---

case_of 0 http status=200 -alpn http/1.1 -- --ca ca.pem
same tls/http-is-the-same whole.otlp "$SERVED/1.body"
case_of 0 http2 status=200 -alpn h2 -- --ca ca.pem
same tls/http2-is-the-same whole.otlp "$SERVED/1.body"
case_of 0 grpc grpc=0 -alpn h2,http/1.1 -- --ca ca.pem --protocol grpc
tail -c +6 "$SERVED/1.body" >body
same tls/grpc-is-the-same whole.otlp body
case_of 0 grpc-gzip grpc=0 -alpn h2 -- --ca ca.pem --protocol grpc \
	--compression gzip

case_of 1 stranger status=200 -- --ca stranger.pem
check tls/stranger-says-why grep -qi certificate err
check tls/stranger-got-nothing test ! -e "$SERVED/1.head"
case_of 1 system status=200 --
check tls/system-says-why grep -qi certificate err
case_of 1 elsewhere status=200 -cert elsewhere.pem -key elsewhere.key -- \
	--ca ca.pem
check tls/elsewhere-got-nothing test ! -e "$SERVED/1.head"
case_of 1 grpc-without-http2 grpc=0 -alpn http/1.1 -- --ca ca.pem \
	--protocol grpc
check tls/grpc-without-http2-says-why grep -q 'HTTP/2' err

mutual=(-CAfile ca.pem -Verify 1 -verify_return_error)
case_of 0 mutual grpc=0 -alpn h2 "${mutual[@]}" -- --ca ca.pem \
	--cert client.pem --key client.key --protocol grpc
tail -c +6 "$SERVED/1.body" >body
same tls/mutual-is-the-same whole.otlp body
case_of 1 mutual-without status=200 "${mutual[@]}" -- --ca ca.pem
check tls/mutual-without-got-nothing test ! -e "$SERVED/1.head"

# The same by variables.
tls_start status=200 "${mutual[@]}"
expect_exit 0 tls/variables -- \
	env OTEL_EXPORTER_OTLP_ENDPOINT="$ENDPOINT" \
	OTEL_EXPORTER_OTLP_CERTIFICATE=ca.pem \
	OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=client.pem \
	OTEL_EXPORTER_OTLP_PROFILES_CLIENT_KEY=client.key \
	"$OTPROF" send whole.otlp
tls_stop
same tls/variables-is-the-same whole.otlp "$SERVED/1.body"
