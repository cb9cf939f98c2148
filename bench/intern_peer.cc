// SPDX-License-Identifier: Apache-2.0
/* bench/intern_peer.cc: interning as one writes it in C++ without thinking
 * twice. The keys are std::string and std::vector already, which spares the
 * peer a copy for each lookup that a real caller would make. */
#include "intern_peer.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

size_t hash_bytes(const void *p, size_t n)
{
	return std::hash<std::string_view>()(
		std::string_view(static_cast<const char *>(p), n));
}

struct stack_hash {
	size_t operator()(const std::vector<uint32_t> &v) const
	{
		return hash_bytes(v.data(), v.size() * sizeof(v[0]));
	}
};

struct function_hash {
	size_t operator()(const key_function &f) const
	{
		size_t h = static_cast<size_t>(f.start_line);

		for (size_t v : { f.name, f.system_name, f.filename })
			h ^= v + 0x9e3779b9 + (h << 6) + (h >> 2);
		return h;
	}
};

struct function_eq {
	bool operator()(const key_function &a, const key_function &b) const
	{
		return a.start_line == b.start_line && a.name == b.name &&
		       a.system_name == b.system_name &&
		       a.filename == b.filename;
	}
};

template <typename Map, typename Keys>
uint64_t put(Map &map, const Keys &keys, const uint32_t *stream, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = static_cast<uint32_t>(map.size()) + 1;

		sum += map.try_emplace(keys[stream[i]], next).first->second;
	}
	return sum;
}

} // namespace

struct peer {
	std::vector<std::string> strings;
	std::vector<key_function> functions;
	std::vector<std::vector<uint32_t>> stacks;
	std::unordered_map<std::string, uint32_t> string_ids;
	std::unordered_map<key_function, uint32_t, function_hash, function_eq>
		function_ids;
	std::unordered_map<std::vector<uint32_t>, uint32_t, stack_hash>
		stack_ids;
};

struct peer *peer_new(const struct keys *keys)
{
	peer *p = new peer;

	for (uint32_t i = 0; i < keys->nr; i++) {
		const uint32_t *s = keys->stacks[i];

		p->strings.emplace_back(keys->strings[i],
					KEY_STRING_BYTES);
		p->functions.push_back(keys->functions[i]);
		p->stacks.emplace_back(s, s + KEY_STACK_FRAMES);
	}
	return p;
}

void peer_free(struct peer *p)
{
	delete p;
}

/* A new map, not clear(): that would keep the buckets and their growth. */
void peer_clear(struct peer *p, enum key_kind kind)
{
	if (kind == KEY_STRING)
		p->string_ids = {};
	else if (kind == KEY_FUNCTION)
		p->function_ids = {};
	else
		p->stack_ids = {};
}

uint64_t peer_put(struct peer *p, enum key_kind kind, const uint32_t *stream,
		  uint32_t n)
{
	if (kind == KEY_STRING)
		return put(p->string_ids, p->strings, stream, n);
	if (kind == KEY_FUNCTION)
		return put(p->function_ids, p->functions, stream, n);
	return put(p->stack_ids, p->stacks, stream, n);
}
