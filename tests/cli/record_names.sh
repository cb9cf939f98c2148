# SPDX-License-Identifier: Apache-2.0
#
# otprof record: names of code that is not in a file of this root: binaries of
# containers, replaced binaries, code made at run time. Where there is no name,
# there is the module and a reason, and nothing else suffers.
. "$TOP/tests/cli/record.bash"

record()
{
	"$OTPROF" record "$@"
}

can_record record-names/all || exit 0

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

# named NAME FUNCTION ARGUMENT...: the function is what has been recorded.
named()
{
	local name=$1 function=$2

	shift 2
	expect_exit 0 "record-names/$name" -- record -F 997 -d 0.4 "$@"
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

# --- code made at run time ---

# Makes code that never ends, writes a perf map for it, as its own PID names
# it, and runs it; with a second argument in a child too, which has its own map.
cat >made.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void run(void *code, const char *name)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = strcmp(name, "-") ? fopen(path, "w") : NULL;
	if (f) {
		fprintf(f, "%lx 10 old_name\n%lx 10 %s\n", (long)code,
			(long)code, name);
		fclose(f);
	}
	((void (*)(void))code)();
}

int main(int argc, char **argv)
{
	/* push rbp; mov rbp, rsp; jmp to itself */
	static const char bytes[] = "\x55\x48\x89\xe5\xeb\xfe";
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(p, bytes, sizeof(bytes));
	mprotect(p, 4096, PROT_READ | PROT_EXEC);
	alarm(60);
	if (argc > 2 && !fork()) {
		alarm(60);
		run(p, argv[2]);
	}
	run(p, argv[1]);
}
C
if ! ${CC:-gcc} -O1 -static -fno-omit-frame-pointer -o made made.c 2>log; then
	skip record-names/made "the compiler does not make it"
	exit 0
fi

# Whether a process has written its map.
has_map() # FILE
{
	[ -s "$1" ]
}

# made NAME...: runs it as $pid, whose map is $map.
made()
{
	start ./made "$@"
	map=/tmp/perf-$pid.map
	left_files="$left_files $map"
	[ "$1" = - ] || wait_for has_map "$map"
}

made made_here
named made made_here -p "$pid"
check_not record-names/made-has-the-newest-name grep -q old_name out
expect_exit 0 record-names/made-to-file -- \
	record -F 997 -d 0.3 -p "$pid" -o made.otlp
expect_exit 0 record-names/made-conforms -- \
	"$OTPROF" check --strict made.otlp

# not_named NAME: the process has no map that may be used; the code is that of
# the map that there might be, and the reason is said.
not_named()
{
	expect_exit 0 "record-names/$1" -- \
		record -F 997 -d 0.3 -p "$pid" -o none.otlp
	expect_exit 0 "record-names/$1-can-be-read" -- "$OTPROF" top none.otlp
	check "record-names/$1-has-the-module" grep -qF "[perf-$pid.map]" out
	check_not "record-names/$1-has-no-name" grep -q made_ out
	check "record-names/$1-says-why" eval \
		'"$OTPROF" show --raw none.otlp | grep -q no-map'
}

touch -d '2 days ago' "$map"
not_named map-of-an-earlier-process
touch "$map"
chmod 666 "$map"
not_named map-that-others-can-write
chmod 644 "$map"
mv "$map" kept.map
ln -s "$PWD/kept.map" "$map"
not_named map-that-is-a-link
rm "$map"
not_named no-map
mv kept.map "$map"
if chown 12345 "$map" 2>log; then
	not_named map-of-another-user
fi
kill "$pid"

# The only child of a process.
child_of() # PID
{
	local all

	all=$(cat "/proc/$1/task/$1/children")
	echo "${all%% *}"
}

# The same address in two processes is two functions.
made made_parent made_child
child=$(child_of "$pid")
started="$started $child"
left_files="$left_files /tmp/perf-$child.map"
wait_for has_map "/tmp/perf-$child.map"
named two-processes made_parent -p "$pid,$child"
check record-names/two-processes-has-both grep -qE ' made_child$' out
kill "$pid" "$child"

# In a container it has another number, and another /tmp.
cp made root/bin/made
if unshare -pf chroot root /bin/true 1 2>log; then
	start unshare -pf --kill-child chroot root /bin/made made_inside
	wait_for has_map root/tmp/perf-1.map
	inner=$(child_of "$pid")
	started="$started $inner"
	left_files="$left_files /tmp/perf-$inner.map /tmp/perf-1.map"
	echo '0 ffffffffffff made_elsewhere' >"/tmp/perf-$inner.map"
	named container made_inside -p "$inner"
	check_not record-names/container-has-its-own-map \
		grep -q made_elsewhere out
	kill -9 "$inner"
else
	skip record-names/container "$(head -n 1 log)"
fi
