// SPDX-License-Identifier: Apache-2.0
// Throws through many frames, with destructors on the way, and uses much of
// the library's code: for stacks of a program without frame pointers.
#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static volatile long sink;

struct shrink {
	std::vector<std::string> &v;
	size_t n;
	~shrink()
	{
		v.resize(n);
	}
};

__attribute__((noinline)) static long deep(int n, std::vector<std::string> &v)
{
	shrink back{ v, v.size() };

	v.push_back(std::string(40, (char)('a' + n % 26)));
	if (n == 0)
		throw std::runtime_error("deep");
	if (n % 7 == 3) {
		try {
			return deep(n - 1, v);
		} catch (const std::logic_error &) {
			return 1;
		}
	}
	return deep(n - 1, v) + (long)v.size();
}

int main()
{
	for (int i = 0; i < 2000000; i++) {
		std::vector<std::string> v;
		std::map<int, std::string> m;
		char text[64];

		try {
			sink = sink + deep(i % 40, v);
		} catch (const std::exception &e) {
			sink = sink + e.what()[0];
		}
		for (int k = 0; k < 50; k++)
			m[(i * 7919 + k * 31) % 101] = "x";
		std::sort(v.begin(), v.end());
		sink = sink + snprintf(text, sizeof(text), "%d %g", i, i * 0.5);
	}
}
