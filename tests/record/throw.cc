// SPDX-License-Identifier: Apache-2.0
/* tests/record/throw.cc: spends CPU time in destructors that an exception runs,
 * below the C++ library's unwinder. */
#include <cstdlib>
#include <ctime>
#include <stdexcept>

#define APART __attribute__((noinline, noclone))

static volatile unsigned long sink;

static double cpu_s()
{
	timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct Guard {
	APART ~Guard()
	{
		for (unsigned long i = 0; i < 100000; i++)
			sink += i * i;
		sink++;
	}
};

APART void thrower(int depth)
{
	Guard guard;

	if (!depth)
		throw std::runtime_error("end");
	thrower(depth - 1);
	sink++;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;

	while (cpu_s() < seconds) {
		try {
			thrower(20);
		} catch (const std::runtime_error &) {
			sink++;
		}
	}
	return 0;
}
