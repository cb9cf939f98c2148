# SPDX-License-Identifier: Apache-2.0
#
# otprof record: names of code that is not in a file of this root: binaries of
# containers, replaced binaries, code made at run time. Where there is no name,
# there is the module and a reason, and nothing else suffers.
. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

record()
{
	"$OTPROF" record "$@"
}

if ! record -a -d 0.1 >out 2>err; then
	skip record-names/all "$(sed -n '1s/^otprof record: //p' err)"
	exit 0
fi

# --- programs ---

cat >prog.c <<'C'
#include <stdlib.h>
#include <time.h>

volatile long sink;

__attribute__((noinline)) void WORK(long ms)
{
	while (clock() < ms * (CLOCKS_PER_SEC / 1000))
		for (int i = 0; i < TIMES; i++)
			sink++;
}

int main(int argc, char **argv)
{
	WORK(argc > 1 ? atol(argv[1]) : 20000);
	return 0;
}
C
# The build ID is made of the code.
build() # NAME FUNCTION TIMES
{
	${CC:-gcc} -O2 -static -Wl,--build-id=sha1 -DWORK="$2" -DTIMES="$3" \
		-o "$1" prog.c
}
if ! build prog work_one 100000 2>log ||
	! build other work_two 90000 2>log; then
	skip record-names/all "no compiler that makes static programs"
	exit 0
fi

started=
start() # COMMAND...: runs it in the background as $pid
{
	"$@" >/dev/null 2>&1 &
	pid=$!
	started="$started $pid"
}
trap 'kill -9 $started 2>/dev/null' EXIT

# Whether a process runs this program.
runs() # PID NAME
{
	[ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ]
}

# named NAME FUNCTION ARGUMENT...: the function is what has been recorded.
named()
{
	local name=$1 function=$2

	shift 2
	expect_exit 0 "record-names/$name" -- record -F 997 -d 0.6 "$@"
	check "record-names/$name-has-the-name" grep -qE " $function\$" out
	check "record-names/$name-is-complete" \
		grep -qE ' (9[0-9]|100)\.[0-9]% of stacks complete' err
}

# --- binaries of another root ---

mkdir -p root/bin root/tmp
cp prog root/bin/only-there
cp prog root/bin/true
if chroot root /bin/only-there 1; then
	start chroot root /bin/only-there
	wait_for runs "$pid" only-there
	named chroot work_one -p "$pid"
	kill "$pid"
	# A file of that name is here too, of another build.
	start chroot root /bin/true
	wait_for runs "$pid" true
	named chroot-other-build work_one -p "$pid"
	kill "$pid"
	# Processes end before they are looked at.
	start sh -c 'while :; do chroot root /bin/only-there 30; done'
	expect_exit 0 record-names/chroot-short -- \
		record -F 997 -d 1 --comm '^only-there$' -n 100
	check record-names/chroot-short-has-the-name grep -qE ' work_one$' out
	kill "$pid"
else
	skip record-names/chroot "chroot is not allowed"
fi

cat >in-namespace <<'S'
mount --make-rprivate / &&
mount -t tmpfs none mnt &&
cp prog mnt/mounted &&
exec mnt/mounted
S
mkdir mnt
if unshare -m true 2>log; then
	start unshare -m sh ./in-namespace
	wait_for runs "$pid" mounted
	named mount-namespace work_one -p "$pid"
	check record-names/mount-namespace-is-not-ours test ! -e mnt/mounted
	kill "$pid"
else
	skip record-names/mount-namespace "$(head -n 1 log)"
fi

# --- binaries that were deleted or replaced ---

cp prog deleted
start ./deleted
wait_for runs "$pid" deleted
rm deleted
named deleted work_one -p "$pid"
kill "$pid"

cp prog replaced
start ./replaced
wait_for runs "$pid" replaced
cp other new && mv new replaced
named replaced-before work_one -p "$pid"
check_not record-names/replaced-has-no-wrong-name grep -q work_two out
kill "$pid"

cp prog replaced
start ./replaced
wait_for runs "$pid" replaced
(sleep 0.3; cp other new && mv new replaced) &
named replaced-meanwhile work_one -p "$pid"
check_not record-names/replaced-meanwhile-has-no-wrong-name \
	grep -q work_two out
kill "$pid"
wait
