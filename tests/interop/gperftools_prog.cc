// SPDX-License-Identifier: Apache-2.0
/* Profiles itself with gperftools: time, a heap with and without sampling,
 * growth. */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gperftools/heap-profiler.h>
#include <gperftools/malloc_extension.h>
#include <gperftools/profiler.h>

static std::vector<void *> kept;

__attribute__((noinline)) static long spin(int n)
{
	volatile long sum = 0;

	for (long i = 0; i < n * 1000L; i++)
		sum += i * i % 7;
	return sum;
}

__attribute__((noinline)) static long work(int n)
{
	return spin(n) + spin(n / 2) + 1;
}

__attribute__((noinline)) static void allocate(int n)
{
	for (int i = 0; i < n; i++) {
		void *p = malloc(100 + i % 5000);

		if (i % 3)
			free(p);
		else
			kept.push_back(p);
	}
}

static void save(const char *path, const std::string &text)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text.data(), 1, text.size(), f) != text.size() ||
	    fclose(f))
		abort();
}

int main()
{
	std::string text;

	ProfilerStart("cpu.prof");
	for (int i = 0; i < 60; i++)
		work(5000);
	ProfilerStop();
	HeapProfilerStart("heap");
	allocate(20000);
	HeapProfilerDump("end");
	HeapProfilerStop();
	MallocExtension::instance()->GetHeapSample(&text);
	save("sample.heap", text);
	text.clear();
	MallocExtension::instance()->GetHeapGrowthStacks(&text);
	save("growth.heap", text);
}
