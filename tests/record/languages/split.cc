// SPDX-License-Identifier: Apache-2.0
/* Spends CPU time in a known way: 60, 30 and 10 % in destructors that an
 * exception runs, each in the frame of the function whose object it is. */
#include <cstdio>
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

APART void work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

template <unsigned long n> struct Guard {
	APART ~Guard()
	{
		work(n);
		sink++;
	}
};

APART void ten()
{
	Guard<100000> guard;

	sink++;
	throw std::runtime_error("end");
}

APART void thirty()
{
	Guard<300000> guard;

	ten();
	sink++;
}

APART void sixty()
{
	Guard<600000> guard;

	thirty();
	sink++;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;

	puts("ready");
	fflush(stdout);
	while (cpu_s() < seconds) {
		try {
			sixty();
		} catch (const std::runtime_error &) {
			sink++;
		}
	}
	return 0;
}
