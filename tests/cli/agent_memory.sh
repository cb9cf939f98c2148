# SPDX-License-Identifier: Apache-2.0
#
# Allocations, end to end: otprof run --memory of programs of which is known
# what they allocate, agent_memory.c and agent_memory_new.cc. A block of S bytes
# is sampled with p = 1 - exp(-S / 512 KiB) and stands for 1 / p, so that the
# sum of N blocks has the variance N S^2 (1 - p) / p. Each sum must be within
# six standard deviations and, since few of the large blocks are not sampled,
# five samples: that fails by chance once in 10^6 runs or less.
. "$TOP/tests/cli/aid.bash"
. "$TOP/tests/cli/serve.bash"

unset ${!OTPROF_@}
OTPROF=$BUILD/otprof
agent=$BUILD/libotprof-agent.so

if ! ${CC:-gcc} -g -O2 -pthread -c -o memory.o \
	"$TOP/tests/cli/agent_memory.c" 2>log ||
	! ${CC:-gcc} -pthread -o in-c memory.o 2>log; then
	skip agent-memory "no compiler that makes programs"
	exit 0
fi
# A sanitizer must be loaded first, and the program has none.
if ! env LD_PRELOAD="$agent" true 2>log; then
	skip agent-memory "$(head -n 1 log)"
	exit 0
fi

# within SIZE-FACTOR COLUMN FILE: of the lines that a program prints, whether
# the sums by function agree with those in a file of CSV. COLUMN is that of how
# many blocks there are, SIZE-FACTOR 1 for bytes and 0 for blocks.
within()
{
	awk -v power="$1" -v column="$2" '
	BEGIN { FS = " " }
	FNR == NR {
		p = 1 - exp(-$2 / 524288)
		each = power ? $2 : 1
		sum[$1] += $column * each
		variance[$1] += $column * each * each * (1 - p) / p
		if ($column && sample[$1] < each / p)
			sample[$1] = each / p
		next
	}
	FNR == 1 { next }
	{
		split($0, part, ",")
		sub(/\(.*/, "", part[3])
		got[part[3]] = part[2]
	}
	END {
		for (f in sum) {
			off = got[f] - sum[f]
			most = 6 * sqrt(variance[f]) + 5 * sample[f]
			printf "%s: %d of %d, %d at most\n", f, off, sum[f], most
			if (off > most || -off > most)
				bad = 1
		}
		exit bad
	}' truth "$3"
}

# sums NAME FILE TYPE SIZE-FACTOR COLUMN
sums()
{
	expect_exit 0 "agent-memory/$1-has-$3" -- \
		"$OTPROF" top --cum --csv -n 0 --type "$3" "$2"
	cp out "$3.csv"
	check "agent-memory/$1-$3-is-right" within "$4" "$5" "$3.csv"
}

# measure NAME PROGRAM. On a machine that is busy the agent may not get the time
# to take all samples, which it says: the program is run again.
measure()
{
	local name=$1 i

	for i in 1 2 3 4 5; do
		rm -f "$name.otlp"
		"$OTPROF" run --memory -o "$name.otlp" -- "./$2" >truth 2>log
		echo $? >status
		grep -qE '[1-9][0-9]* samples lost' log || break
	done
	check "agent-memory/$name-status" grep -qx 5 status
	check_not "agent-memory/$name-loses-nothing" \
		grep -E '[1-9][0-9]* samples lost' log
	expect_exit 0 "agent-memory/$name-conforms" -- \
		"$OTPROF" check --strict "$name.otlp"
	sums "$name" "$name.otlp" alloc_space 1 3
	sums "$name" "$name.otlp" alloc_objects 0 3
	sums "$name" "$name.otlp" inuse_space 1 4
	sums "$name" "$name.otlp" inuse_objects 0 4
}

measure c in-c
"$OTPROF" show c.otlp >out
check agent-memory/period test "$(grep -c 'every 524288 space/bytes' out)" = 4
check agent-memory/in-use-is-a-state test "$(grep -c 'inuse_.*(last)' out)" = 2
check agent-memory/stacks-go-on-to-main eval \
	'"$OTPROF" tree --type alloc_space c.otlp | grep -q main'

# Programs that end at once have nothing to say; this one runs three.
expect_exit 0 agent-memory/short -- \
	"$OTPROF" run --memory -- sh -c 'true; env true; true'
check_not agent-memory/short-says-nothing grep ': 0 samples in' err

# Without the option there is none of it.
expect_exit 5 agent-memory/off -- "$OTPROF" run -o off.otlp -- ./in-c
"$OTPROF" show off.otlp >out
check_not agent-memory/off-has-none grep -qE 'alloc_|inuse_' out

if ${CXX:-g++} -std=c++17 -g -O2 -pthread -o in-c++ memory.o \
	"$TOP/tests/cli/agent_memory_new.cc" 2>log; then
	measure c++ in-c++
	check agent-memory/c++-has-new grep -q 'operator new' alloc_space.csv
else
	skip agent-memory/c++ "no compiler that makes C++ programs"
fi

# --- a library with another malloc() ---

cat >other.c <<'C'
#include <stddef.h>
#include <unistd.h>

static char room[1 << 20];
static size_t used;

void *malloc(size_t n)
{
	return room + (used += (n + 31) & ~(size_t)15);
}

void free(void *p)
{
	if ((char *)p < room || (char *)p >= room + sizeof(room))
		_exit(9);
}
C
cat >deep.c <<'C'
#include <stdlib.h>

static void *volatile block;

__attribute__((constructor)) static void begin(void)
{
	block = malloc(10);
}

void again(void)
{
	free(block);
	block = malloc(10);
}
C
cat >binds.c <<'C'
#include <dlfcn.h>
#include <unistd.h>

int main(void)
{
	void *lib = dlopen("./libdeep.so", RTLD_NOW | RTLD_DEEPBIND);
	void (*again)(void);

	*(void **)&again = dlsym(lib, "again");
	for (int i = 0; i < 30; i++) {
		again();
		usleep(10000);
	}
	return 6;
}
C
if ${CC:-gcc} -shared -fPIC -fno-builtin -o libother.so other.c 2>log &&
	${CC:-gcc} -shared -fPIC -fno-builtin -o libdeep.so deep.c -L. -lother \
		-Wl,-rpath,. 2>log &&
	${CC:-gcc} -D_GNU_SOURCE -o binds binds.c 2>log; then
	expect_exit 6 agent-memory/another-malloc -- \
		"$OTPROF" run --memory -- ./binds
else
	skip agent-memory/another-malloc "$(head -n 1 log)"
fi

# --- what is sent ---

can_send || exit 0
serve_start grpc=0
env LD_PRELOAD="$agent" OTPROF_PROGRAM="$OTPROF" \
	SPLUNK_PROFILER_ENABLED=true SPLUNK_PROFILER_MEMORY_ENABLED=true \
	SPLUNK_PROFILER_CALL_STACK_INTERVAL=10 \
	OTEL_EXPORTER_OTLP_ENDPOINT="$ENDPOINT" \
	OTPROF_AGENT_OUTPUT=splunk-text,splunk-pprof,otlp,file:sent.otlp \
	./in-c 2>&1 >out | cat >err
serve_stop
check_not agent-memory/sent-says-nothing grep -v ' lost' err

# All that is sent has the numbers of the file. Functions without a name are
# addresses in text, binaries elsewhere.
top() # TYPE FILE
{
	"$OTPROF" top --cum --csv -n 0 --type "$1" "$2" |
		grep -vE ',(0x[0-9a-f]+|\[.*\])$'
}

nr_requests agent-memory/requests 3
for i in 1 2 3; do
	tail -c +6 "$SERVED/$i.body" >"$i.sent"
	for type in alloc_space alloc_objects inuse_space inuse_objects; do
		top $type sent.otlp >want
		top $type $i.sent >got 2>err
		same "agent-memory/sent-$i-$type" want got
	done
done
