// SPDX-License-Identifier: Apache-2.0
/* fmt/unsupported.c: signatures of files that nobody here reads. */
#include "fmt/unsupported.h"

#include "pb/json_extract.h"

static const struct {
	const char *kind;
	size_t at;
	const char *magic;
	size_t n;
} magics[] = {
#define MAGIC(kind, at, text)                    \
	{                                        \
		kind, at, text, sizeof(text) - 1 \
	}
	MAGIC("an ELF binary", 0,
	      "\x7f"
	      "ELF"),
	MAGIC("a Java heap dump", 0, "JAVA PROFILE 1.0"),
	MAGIC("a gprof file", 0, "gmon\1\0\0\0"),
	MAGIC("a trace-cmd recording", 0,
	      "\x17\x08"
	      "Dtracing"),
	MAGIC("an SQLite database", 0, "SQLite format 3"),
	MAGIC("a Ruby Marshal file", 0, "\x04\x08"),
	MAGIC("a log of V8", 0, "v8-version,"),
	MAGIC("a copy of an Instruments call tree", 0, "Weight\tSelf "),
	MAGIC("a copy of an Instruments call tree", 0, "Bytes Used\tCount"),
	MAGIC("a macOS sample report", 0, "Analysis of sampling "),
	MAGIC("a zip archive", 0, "PK\x03\x04"),
	MAGIC("a bzip2 file", 4, "1AY&SY"),
	MAGIC("an xz file", 0,
	      "\xfd"
	      "7zXZ"),
	MAGIC("a tar archive", 257, "ustar"),
	MAGIC("an HTML page", 0, "<!DOCTYPE html"),
	MAGIC("an HTML page", 0, "<!doctype html"),
	MAGIC("an XML file", 0, "<?xml"),
	MAGIC("a PDF file", 0, "%PDF-"),
	MAGIC("a PNG picture", 0, "\x89PNG"),
#undef MAGIC
};

/* Whether one of the first lines begins with this. */
static bool has_line(struct op_view in, const char *start)
{
	enum { ENOUGH = 4096 };
	size_t n = strlen(start), end = in.n < ENOUGH ? in.n : ENOUGH;

	for (size_t i = 0; i + n <= end; i++)
		if ((!i || in.p[i - 1] == '\n') && !memcmp(in.p + i, start, n))
			return true;
	return false;
}

static bool is_callgrind(struct op_view in)
{
	return has_line(in, "# callgrind format") ||
	       (has_line(in, "events: ") &&
		(has_line(in, "positions: ") || has_line(in, "fl=") ||
		 has_line(in, "fn=")));
}

static bool is_massif(struct op_view in)
{
	return has_line(in, "desc: ") && has_line(in, "cmd: ") &&
	       has_line(in, "time_unit: ");
}

static bool has_key(struct op_view in, const char *key)
{
	struct op_view value;

	return op_json_sniff_key(in, key, &value);
}

static const char *json_kind(struct op_view in)
{
	if (has_key(in, "gc_samples") && has_key(in, "frames"))
		return "a stackprof file";
	if (has_key(in, "snapshot") && has_key(in, "strings"))
		return "a V8 heap snapshot";
	if (has_key(in, "recording") && has_key(in, "version"))
		return "a Safari timeline recording";
	if (has_key(in, "program") && has_key(in, "rts_arguments"))
		return "a GHC profile";
	return NULL;
}

const char *op_unsupported_kind(struct op_view in)
{
	for (size_t i = 0; i < op_countof(magics); i++)
		if (in.n >= magics[i].at + magics[i].n &&
		    !memcmp(in.p + magics[i].at, magics[i].magic, magics[i].n))
			return magics[i].kind;
	if (is_callgrind(in))
		return "a callgrind file";
	if (is_massif(in))
		return "a Massif file";
	if (has_line(in, "# TYPE ") && has_line(in, "# HELP "))
		return "a file of Prometheus metrics";
	return in.p[0] == '{' ? json_kind(in) : NULL;
}
