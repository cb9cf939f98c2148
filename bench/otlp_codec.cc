// SPDX-License-Identifier: Apache-2.0
/* bench/otlp_codec.cc: otlp_codec [--quick] FILE...
 *
 * Decodes and encodes the same OTLP message with our codec, door checks and
 * all, and with protobuf's generated C++ code as one tunes it: one arena a
 * message over a block that is used again, so that after the first message
 * its memory comes without the system. Before the clock starts both must
 * agree: protobuf reads what we wrote and finds in it what it read itself.
 *
 * A file of an older dialect is decoded as it came and then, upgraded, goes
 * the same way as the others.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "measure.h"
#include "otlp_v1_10.pb.h"
#include "ours.h"

namespace pb = opentelemetry::proto::profiles::v1development;
using google::protobuf::Arena;
using google::protobuf::ArenaOptions;

namespace {

/* From here on a message is medium or large, and the goals are higher. */
const size_t MEDIUM = 900 * 1000;
const size_t LARGE = 9 * 1000 * 1000;

/* Messages between these sizes say whether time grows as size does. */
const size_t LINEAR_FROM = 900 * 1000;
const size_t LINEAR_TO = 50 * 1000 * 1000;

struct job {
	std::string name;
	std::string bytes;
	struct ours *ours;
	size_t model_bytes; /* of our model, decoded for the first time */
	std::vector<char> block;
	std::unique_ptr<Arena> arena;
	const pb::ProfilesData *peer; /* decoded, for encoding */
	std::vector<uint8_t> out;
};

[[noreturn]] void die(const std::string &name, const std::string &what)
{
	fprintf(stderr, "otlp_codec: %s: %s\n", name.c_str(), what.c_str());
	exit(1);
}

/* --- the works --- */

void ours_decodes(void *arg)
{
	auto *j = static_cast<job *>(arg);
	auto *p = reinterpret_cast<const uint8_t *>(j->bytes.data());

	if (!ours_decode(j->ours, p, j->bytes.size()))
		die(j->name, ours_error(j->ours));
}

void peer_decodes(void *arg)
{
	auto *j = static_cast<job *>(arg);
	pb::ProfilesData *m;

	j->arena->Reset();
	m = Arena::CreateMessage<pb::ProfilesData>(j->arena.get());
	if (!m->ParseFromArray(j->bytes.data(),
			       static_cast<int>(j->bytes.size())))
		die(j->name, "protobuf does not read it");
	j->peer = m;
}

void ours_encodes(void *arg)
{
	auto *j = static_cast<job *>(arg);
	size_t n;

	if (!ours_encode(j->ours, &n))
		die(j->name, ours_error(j->ours));
	bench_keep(&n);
}

void peer_encodes(void *arg)
{
	auto *j = static_cast<job *>(arg);
	size_t n = j->peer->ByteSizeLong();

	if (j->out.size() < n)
		j->out.resize(n);
	bench_keep(j->peer->SerializeWithCachedSizesToArray(j->out.data()));
}

/* --- before the clock --- */

/* Memory that is used again is not trimmed, so the first time counts. */
void ours_start(job *j)
{
	ours_free(j->ours);
	j->ours = ours_new();
	if (!j->ours)
		die(j->name, "no memory");
	ours_decodes(j);
	j->model_bytes = ours_arena_bytes(j->ours);
}

/* A block in which the whole message has room. */
void arena_new(job *j)
{
	ArenaOptions options;

	j->arena = std::make_unique<Arena>();
	peer_decodes(j);
	j->block.resize(j->arena->SpaceAllocated() * 5 / 4 + 4096);
	j->arena.reset();
	options.initial_block = j->block.data();
	options.initial_block_size = j->block.size();
	options.max_block_size = 1 << 20;
	j->arena = std::make_unique<Arena>(options);
	peer_decodes(j);
}

std::string canonical(const std::string &name, const std::string &bytes)
{
	pb::ProfilesData m;

	if (!m.ParseFromString(bytes))
		die(name, "protobuf does not read it");
	return m.SerializeAsString();
}

std::string encoded(job *j)
{
	size_t n;
	const uint8_t *p;

	ours_decodes(j);
	p = ours_encode(j->ours, &n);
	if (!p)
		die(j->name, ours_error(j->ours));
	return std::string(reinterpret_cast<const char *>(p), n);
}

void must_agree(job *j)
{
	if (canonical(j->name, encoded(j)) != canonical(j->name, j->bytes))
		die(j->name, "what we wrote is not what was read");
}

/* --- results --- */

std::string rate(double bytes, double s)
{
	char text[32];

	snprintf(text, sizeof(text), "%.0f MB/s", bytes / s * 1e-6);
	return text;
}

struct goal {
	double ratio; /* 0: none */
	const char *text;
};

/* Of a recording most bytes are times or long stacks, which both sides only
 * have to move. */
goal decode_goal(const job *j)
{
	if (!j->name.compare(0, 10, "recording-"))
		return { 2, ">= 2x" };
	if (j->bytes.size() < MEDIUM)
		return { 2.5, ">= 2.5x" };
	if (j->bytes.size() < LARGE)
		return { 3.5, ">= 3.5x" };
	return { 4, ">= 4x" };
}

void report(const job *j, const char *what, bench_times s, goal g)
{
	double n = static_cast<double>(j->bytes.size());
	std::string work = std::string("OTLP ") + what + " " + j->name;
	std::string a = rate(n, s.ours), b = rate(n, s.peer);
	double ratio = s.peer / s.ours;
	bench_row row = { work.c_str(), a.c_str(), b.c_str(), ratio, g.text,
			  ratio >= g.ratio };

	printf("%-48s %11s %11s %7.2fx\n", work.c_str(), a.c_str(), b.c_str(),
	       ratio);
	bench_report(&row);
}

/* Decode time a byte over sizes, and the memory of the largest. */
struct growth {
	size_t small = 0, large = 0;
	double small_ns = 0, large_ns = 0;
	double arena_ratio = 0;
};

void note(growth *g, const job *j, double s)
{
	size_t n = j->bytes.size();
	double ns = s * 1e9 / static_cast<double>(n);

	printf("%-48s %8.3f ns/byte, model %.2f of the input\n",
	       j->name.c_str(), ns,
	       static_cast<double>(j->model_bytes) / static_cast<double>(n));
	/* Only what is of one kind can be compared over sizes. */
	if (j->name.find("synthetic") == std::string::npos)
		return;
	if (n >= LINEAR_FROM && (!g->small || n < g->small)) {
		g->small = n;
		g->small_ns = ns;
	}
	if (n >= LINEAR_TO && n > g->large) {
		g->large = n;
		g->large_ns = ns;
		g->arena_ratio = static_cast<double>(j->model_bytes) /
				 static_cast<double>(n);
	}
}

void report_growth(const growth &g)
{
	char ours[64];

	if (!g.large)
		return;
	snprintf(ours, sizeof(ours), "%.2f of input", g.arena_ratio);
	bench_row memory = { "OTLP decode, memory of the largest", ours, "-",
			     0, "<= 2.0", g.arena_ratio <= 2.0 };
	bench_report(&memory);
	snprintf(ours, sizeof(ours), "%.2f ns/byte", g.large_ns);
	char small[64];
	snprintf(small, sizeof(small), "%.2f at 1 MB", g.small_ns);
	bench_row linear = { "OTLP decode, largest against 1 MB", ours, small,
			     g.small_ns / g.large_ns, ">= 1/1.3",
			     g.large_ns <= 1.3 * g.small_ns };
	bench_report(&linear);
}

/* --- files --- */

std::string size_text(size_t n)
{
	char text[32];

	if (n < MEDIUM)
		snprintf(text, sizeof(text), "%.0f KB",
			 static_cast<double>(n) * 1e-3);
	else
		snprintf(text, sizeof(text), "%.0f MB",
			 static_cast<double>(n) * 1e-6);
	return text;
}

void read_file(job *j, const char *path)
{
	const char *slash = strrchr(path, '/');
	std::ifstream in(path, std::ios::binary);

	j->name = slash ? slash + 1 : path;
	j->name.resize(std::min(j->name.size(), j->name.find(".otlp")));
	if (!in)
		die(path, "cannot be opened");
	j->bytes.assign(std::istreambuf_iterator<char>(in), {});
	j->name += " (" + size_text(j->bytes.size()) + ")";
}

/* As it came: the dialect is found by looking twice. Protobuf is told. */
void run_older(job *j, bench_effort effort)
{
	bench_pair decode = { ours_decodes, peer_decodes, j };
	std::string what = std::string("decode ") + ours_dialect(j->ours);

	arena_new(j);
	report(j, what.c_str(), bench_run(&decode, effort),
	       { 2.5, ">= 2.5x" });
	j->bytes = encoded(j);
	j->name += " upgraded";
}

void run(job *j, bench_effort effort, growth *g)
{
	bench_pair decode = { ours_decodes, peer_decodes, j };
	bench_pair encode = { ours_encodes, peer_encodes, j };
	bench_times s;

	ours_start(j);
	must_agree(j);
	arena_new(j);
	s = bench_run(&decode, effort);
	report(j, "decode", s, decode_goal(j));
	note(g, j, s.ours);
	report(j, "encode", bench_run(&encode, effort), { 1.2, ">= 1.2x" });
}

} // namespace

int main(int argc, char **argv)
{
	bench_effort effort = bench_effort_for(bench_is_quick(argc, argv));
	growth g;

	printf("%-48s %11s %11s %8s\n", "codec", "ours", "protobuf", "ratio");
	for (int i = 1; i < argc; i++) {
		job j = {};

		if (!strncmp(argv[i], "--", 2))
			continue;
		read_file(&j, argv[i]);
		ours_start(&j);
		if (strcmp(ours_dialect(j.ours), "v1.10"))
			run_older(&j, effort);
		run(&j, effort, &g);
		j.arena.reset();
		ours_free(j.ours);
	}
	report_growth(g);
	return 0;
}
