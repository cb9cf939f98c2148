// SPDX-License-Identifier: Apache-2.0
#include "fmt/unsupported.h"

#include "test.h"

#define ROW(kind, text)                      \
	{                                    \
		kind, text, sizeof(text) - 1 \
	}

static const struct {
	const char *kind; /* NULL: none that is known */
	const char *text;
	size_t n;
} rows[] = {
	ROW("an ELF binary", "\x7f"
			     "ELF\2\1\1"),
	ROW("a Java heap dump", "JAVA PROFILE 1.0.2"),
	ROW("a gprof file", "gmon\1\0\0\0"),
	ROW("a zip archive", "PK\3\4"),
	ROW("a bzip2 file", "BZh91AY&SY"),
	ROW("an HTML page", "<!doctype html><p>"),
	ROW("a callgrind file", "# callgrind format\n"),
	ROW("a callgrind file", "version: 1\nevents: Ir\nfl=a.c\n"),
	ROW("a callgrind file", "events: Ir\npositions: line\n"),
	ROW("a callgrind file", "events: Ir\nfn=main\n"),
	ROW("a Massif file", "desc: x\ncmd: ./a\ntime_unit: i\n"),
	ROW("a file of Prometheus metrics",
	    "# HELP a b\n# TYPE a counter\na 1\n"),
	ROW("a stackprof file", "{\"gc_samples\":1,\"frames\":{}}"),
	ROW("a V8 heap snapshot", "{\"snapshot\":{},\"strings\":[]}"),
	ROW("a Safari timeline recording", "{\"version\":1,\"recording\":{}}"),
	ROW("a GHC profile", "{\"program\":\"a\",\"rts_arguments\":[]}"),
	/* Half of what would tell it, or at another place. */
	ROW(NULL, "gmon"),
	ROW(NULL, "x\x7f"
		  "ELF"),
	ROW(NULL, "events: Ir\n"),
	ROW(NULL, "my events: Ir\nfn=main\n"),
	ROW(NULL, "desc: x\ncmd: ./a\n"),
	ROW(NULL, "# HELP a b\n"),
	ROW(NULL, "{\"frames\":{}}"),
	ROW(NULL, "{"),
	ROW(NULL, "[\"gc_samples\",\"frames\"]"),
	ROW(NULL, "main;work 3\n"),
};

TEST(kinds)
{
	for (size_t i = 0; i < op_countof(rows); i++)
		CHECK_STR(op_unsupported_kind(op_view(rows[i].text, rows[i].n)),
			  rows[i].kind);
}

/* A tar archive has its magic far behind its beginning. */
TEST(tar)
{
	uint8_t block[512] = "file";

	CHECK_STR(op_unsupported_kind(op_view(block, sizeof(block))), NULL);
	memcpy(block + 257, "ustar", 5);
	CHECK_STR(op_unsupported_kind(op_view(block, sizeof(block))),
		  "a tar archive");
	CHECK_STR(op_unsupported_kind(op_view(block, 261)), NULL);
}

TEST_MAIN(kinds, tar)
