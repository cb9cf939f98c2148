// SPDX-License-Identifier: Apache-2.0
// Names that are hard to write and calls that are inlined.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace app {
namespace {

struct visitor {
	virtual ~visitor() {}
	virtual int visit(const std::string &s) { return (int)s.size(); }
};

template <class T> struct box : visitor {
	std::vector<T> items;

	int visit(const std::string &s) override
	{
		items.push_back(T(s.size()));
		std::sort(items.begin(), items.end());
		return (int)items.size();
	}
};

int sum(const std::map<std::string, std::vector<int>> &m)
{
	int n = 0;

	for (auto &p : m)
		for (int i : p.second)
			n += i;
	return n;
}

} // namespace

int run(int times)
{
	std::map<std::string, std::vector<int>> m;
	box<double> b;
	std::function<int(int)> f = [&](int i) {
		m[std::to_string(i)].push_back(i);
		return b.visit("x" + std::to_string(i));
	};

	for (int i = 0; i < times; i++)
		try {
			f(i);
			if (i > 1000)
				throw std::string("too many");
		} catch (std::string &) {
			return -1;
		}
	return sum(m);
}

} // namespace app

int main(int argc, char **)
{
	std::cout << app::run(10 + argc) << "\n";
}
