// SPDX-License-Identifier: Apache-2.0
/* OTLP/JSON files: one object or several, and what they look like. */
#include "fmt/otlp_json/otlp_json_int.h"

#include "test.h"
#include "write/json_text.h"
#include "write/sketch.h"

static struct json_text t;

struct seen {
	unsigned int nr;
	unsigned int stop_at; /* fail at this message; 0: none */
	char text[256];
};

static int see(void *ctx, struct op_model *m, struct op_err *err)
{
	struct seen *s = ctx;
	size_t n = strlen(s->text);

	s->nr++;
	snprintf(s->text + n, sizeof(s->text) - n, "%s|", sketch_text(m));
	op_model_free(m);
	if (s->nr == s->stop_at)
		return op_fail(err, OP_EUSAGE, "enough");
	return OP_OK;
}

#define A                                                             \
	"{'resourceProfiles':[{'resource':{'attributes':[{'key':'k'," \
	"'value':{'stringValue':'a'}}]}}]}"
#define PRETTY_A                                                           \
	"{\n  'resourceProfiles' : [\r\n\t{ 'resource' : { 'attributes' :" \
	" [ { 'key' : 'k' , 'value' : { 'stringValue' : 'a' } } ] } } ]\n}\n"
#define A_TEXT "resource k=a\n|"

static const struct {
	const char *name, *text; /* ^ where the error is */
	int code;
	unsigned int nr;
	const char *result;
} rows[] = {
	{ "one", A, OP_OK, 1, A_TEXT },
	{ "one and a line feed", A "\n", OP_OK, 1, A_TEXT },
	{ "pretty", PRETTY_A, OP_OK, 1, A_TEXT },
	{ "byte order mark", "\xef\xbb\xbf" A, OP_OK, 1, A_TEXT },
	{ "lines", A "\n{}\n" A "\n", OP_OK, 3, A_TEXT "|" A_TEXT },
	{ "lines with empty ones between", "\n" A "\r\n\n{}\n\n", OP_OK, 2,
	  A_TEXT "|" },
	{ "behind one another", A A "{}", OP_OK, 3, A_TEXT A_TEXT "|" },
	{ "pretty ones", PRETTY_A PRETTY_A, OP_OK, 2, A_TEXT A_TEXT },
	{ "empty object", "{}", OP_OK, 1, "|" },
	{ "white space only", " \n ^", OP_EFORMAT, 0, "" },
	{ "byte order mark only", "\xef\xbb\xbf^", OP_EFORMAT, 0, "" },
	{ "a second byte order mark", "{}\n^\xef\xbb\xbf{}", OP_EFORMAT, 1,
	  "|" },
	{ "an array", "^[" A "]", OP_EFORMAT, 0, "" },
	{ "a comma between", A "^," A, OP_EFORMAT, 1, A_TEXT },
	{ "text behind", A "\n^end", OP_EFORMAT, 1, A_TEXT },
	{ "offsets count from the start of the file",
	  A "\n{'resourceProfiles':^1}", OP_EFORMAT, 1, A_TEXT },
	{ "also those that the decoder finds",
	  A "\n{'dictionary':{'functionTable':[{'nameStrindex':^7}]}}",
	  OP_EFORMAT, 1, A_TEXT },
};

TEST(files)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct op_err err = { 0 };
		struct seen seen = { 0 };

		json_set(&t, rows[i].text);
		CHECK_EQ(op_format_otlp_json.read(op_view(t.p, t.n), NULL, see,
						  &seen, &err),
			 rows[i].code);
		CHECK_EQ(seen.nr, rows[i].nr);
		CHECK_STR(seen.text, rows[i].result);
		if (rows[i].code)
			CHECK_EQ(err.at, t.mark);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s\n", rows[i].name,
				err.text);
	}
}

/* Cut after any byte it fails at a byte, unless only white space is gone. */
TEST(cut_anywhere)
{
	json_set(&t, PRETTY_A);
	for (size_t n = 0; n < t.n; n++) {
		struct op_model m;
		struct op_err err;

		json_read(&m, op_view(t.p, n), NULL, &err);
		CHECK_EQ(err.code, n + 1 < t.n ? OP_EFORMAT : OP_OK);
		CHECK(!err.code || (err.has_at && err.at <= n));
		op_model_free(&m);
	}
}

TEST(callback_fails)
{
	struct seen seen = { .stop_at = 1 };
	struct op_err err = { 0 };

	json_set(&t, A A);
	CHECK_EQ(op_format_otlp_json.read(op_view(t.p, t.n), NULL, see, &seen,
					  &err),
		 OP_EUSAGE);
	CHECK_EQ(seen.nr, 1);
}

TEST(unchecked)
{
	struct op_read_opts opts = { .unchecked = true };
	struct op_model m;
	struct op_err err;

	json_set(&t, "{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{"
		     "'profileId':'01','samples':[{'stackIndex':9,"
		     "'values':['5']}]}]}]}]}");
	CHECK_EQ(json_read(&m, op_view(t.p, t.n), &opts, &err), OP_OK);
	CHECK_EQ(m.resources[0].scopes[0].profiles[0].stack[0], 9);
	CHECK_EQ(m.resources[0].scopes[0].profiles[0].id_len, 1);
	op_model_free(&m);
}

static const struct {
	const char *text;
	int score;
} sniffs[] = {
	{ A, 90 },
	{ PRETTY_A, 90 },
	{ "\xef\xbb\xbf " A, 90 },
	{ "{'resource_profiles':[]}", 90 },
	{ "{'dictionary':{}}", 90 },
	{ "{'other':[1,{}],'dictionary':{}}", 90 },
	{ "{'resourceProfiles':", 90 },
	{ "{}", 5 },
	{ " { } ", 5 },
	{ "{", 0 },
	{ "{'resourcePro", 0 },
	{ "{'traceEvents':[]}", 0 },
	{ "{'nodes':[],'startTime':1,'endTime':2}", 0 },
	{ "{'x':{'resourceProfiles':[]}}", 0 },
	{ "[]", 0 },
	{ "['resourceProfiles']", 0 },
	{ "resourceProfiles", 0 },
	{ " ", 0 },
};

TEST(sniff)
{
	for (size_t i = 0; i < op_countof(sniffs); i++) {
		json_set(&t, sniffs[i].text);
		if (op_format_otlp_json.sniff(op_view(t.p, t.n)) !=
		    sniffs[i].score)
			TEST_FAIL("%s does not score %d", sniffs[i].text,
				  sniffs[i].score);
		if (sniffs[i].score)
			CHECK(op_format_sniff(op_view(t.p, t.n)) ==
			      &op_format_otlp_json);
	}
}

TEST(styles)
{
	static const struct {
		const char *style, *text;
	} styles[] = {
		{ NULL, "{'dictionary':{'mappingTable':[{}],'locationTable':" },
		{ "compact", "{'dictionary':{'mappingTable':[{}]," },
		{ "lines", "{'dictionary':{'mappingTable':[{}]," },
		{ "pretty", "{\n  'dictionary': {\n    'mappingTable': [\n"
			    "      {}\n    ],\n" },
	};
	struct op_model m;
	struct op_err err;
	struct op_buf b = { .err = &err };

	json_set(&t, "{}");
	CHECK_EQ(json_read(&m, op_view(t.p, t.n), NULL, &err), OP_OK);
	for (size_t i = 0; i < op_countof(styles); i++) {
		b.n = 0;
		json_set(&t, styles[i].text);
		CHECK_EQ(json_write(&m, styles[i].style, &b), OP_OK);
		CHECK(b.n > t.n && !memcmp(b.p, t.p, t.n));
		CHECK_EQ(b.p[b.n - 1], '\n');
		CHECK_EQ(memchr(b.p, '\n', b.n - 1) != NULL,
			 styles[i].style && *styles[i].style == 'p');
	}
	CHECK_EQ(json_write(&m, "yaml", &b), OP_EUSAGE);
	CHECK(strstr(err.text, "pretty, compact or lines"));
	op_buf_free(&b);
	op_model_free(&m);
}

TEST_MAIN(files, cut_anywhere, callback_fails, unchecked, sniff, styles)
