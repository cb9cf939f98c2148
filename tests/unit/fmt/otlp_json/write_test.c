// SPDX-License-Identifier: Apache-2.0
/* What is written, and that it reads back as it was. */
#include "fmt/otlp_json/otlp_json_int.h"

#include "model/content.h"
#include "test.h"
#include "write/json_text.h"
#include "write/sketch.h"
#include "write/wire.h"

static struct json_text t;
static struct wire w;

/* Tables as they are without rows, at the end of every text. */
#define TABLES(strings, attrs, stacks)                                    \
	"'dictionary':{'mappingTable':[{}],'locationTable':[{}],"         \
	"'functionTable':[{}],'linkTable':[{}],'stringTable':[''" strings \
	"],'attributeTable':[{}" attrs "],'stackTable':[{}" stacks "]}}\n"
#define NO_ROWS TABLES("", "", "")
#define ZEROS "2{ 1{} 2{} 3{} 4{} 5'' 6{} 7{} } "
#define VALUE(json)                                                        \
	"{'resourceProfiles':[{'resource':{'attributes':[{'key':'k'," json \
	"}]}}]," NO_ROWS
#define WIRE_VALUE(wire) "1{ 1{ 1{ 1'k' " wire " } } }"
#define PROFILE(json) \
	"{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{" json "}]}]}],"
#define WIRE_PROFILE(wire) "1{ 2{ 2{ " wire " } } } "

static const struct {
	const char *wire, *json;
} rows[] = {
	{ "", "{" NO_ROWS },
	{ "1{}", "{'resourceProfiles':[{}]," NO_ROWS },
	{ "1{ 2{} 3'u' }", "{'resourceProfiles':[{'scopeProfiles':[{}],"
			   "'schemaUrl':'u'}]," NO_ROWS },
	{ "1{ 1{ 2:4294967295 3{ 1'u' 2't' 3'a' 3'b' 4'' } 3{} } }",
	  "{'resourceProfiles':[{'resource':{'droppedAttributesCount':"
	  "4294967295,'entityRefs':[{'schemaUrl':'u','type':'t','idKeys':["
	  "'a','b'],'descriptionKeys':['']},{}]}}]," NO_ROWS },
	{ "1{ 2{ 1{ 1'n' 2'v' 3{ 3:1 2{ 8:1 } } 4:2 } 3'u' } } 2{ 5'' 5's' }",
	  "{'resourceProfiles':[{'scopeProfiles':[{'scope':{'name':'n',"
	  "'version':'v','attributes':[{'keyStrindex':1,'value':{"
	  "'stringValueStrindex':1}}],'droppedAttributesCount':2},"
	  "'schemaUrl':'u'}]}]," TABLES(",'s'", "", "") },
	/* values */
	{ WIRE_VALUE("2{ 1'a' }"), VALUE("'value':{'stringValue':'a'}") },
	{ WIRE_VALUE("2{ 1'' }"), VALUE("'value':{'stringValue':''}") },
	{ WIRE_VALUE("2{ 2:0 }"), VALUE("'value':{'boolValue':false}") },
	{ WIRE_VALUE("2{ 3:-1 }"), VALUE("'value':{'intValue':'-1'}") },
	{ WIRE_VALUE("2{ 4@0 }"), VALUE("'value':{'doubleValue':0.0}") },
	{ WIRE_VALUE("2{ 4@0x7ff8000000000000 }"),
	  VALUE("'value':{'doubleValue':'NaN'}") },
	{ WIRE_VALUE("2{ 5{ 1{ 2:1 } 1{} } }"),
	  VALUE("'value':{'arrayValue':{'values':[{'boolValue':true},{}]}}") },
	{ WIRE_VALUE("2{ 5{} }"), VALUE("'value':{'arrayValue':{}}") },
	{ WIRE_VALUE("2{ 6{ 1{ 1'a' } } }"),
	  VALUE("'value':{'kvlistValue':{'values':["
		"{'key':'a','value':{}}]}}") },
	{ WIRE_VALUE("2{ 6{} }"), VALUE("'value':{'kvlistValue':{}}") },
	{ WIRE_VALUE("2{ 7#00ff }"), VALUE("'value':{'bytesValue':'AP8='}") },
	{ WIRE_VALUE("2{ 8:0 }"), VALUE("'value':{'stringValueStrindex':0}") },
	{ WIRE_VALUE(""), VALUE("'value':{}") },
	/* profiles */
	{ WIRE_PROFILE("1{ 1:1 } 3@-1 4:-1 5{ 2:1 } 6:-1 "
		       "7#000102030405060708090a0b0c0d0e0f 8:7 9'f' 10'foo' "
		       "11[1 0]") "2{ 5'' 5's' 6{} 6{ 1:1 } }",
	  PROFILE("'sampleType':{'typeStrindex':1},'timeUnixNano':"
		  "'18446744073709551615','durationNano':"
		  "'18446744073709551615','periodType':{'unitStrindex':1},"
		  "'period':'-1','profileId':"
		  "'000102030405060708090a0b0c0d0e0f',"
		  "'droppedAttributesCount':7,'originalPayloadFormat':'f',"
		  "'originalPayload':'Zm9v','attributeIndices':[1,0]")
		  TABLES(",'s'", ",{'keyStrindex':1,'value':{}}", "") },
	{ WIRE_PROFILE("2{ 1:1 2[1] 3:0 4[5 -6] 5<7 8> } 2{ 4[0] } "
		       "2{ 5<0> } 2{}") "2{ 6{} 6{ 3:0 } 7{} 7{ 1[0 0] } }",
	  PROFILE("'samples':[{'stackIndex':1,'attributeIndices':[1],"
		  "'values':['5','-6'],'timestampsUnixNano':['7','8']},"
		  "{'values':['0']},{'timestampsUnixNano':['0']},{}]")
		  TABLES("", ",{}", ",{'locationIndices':[0,0]}") },
	/* rows */
	{ "2{ 5'' 5'n' 1{} 1{ 1:-1 2:2 3:3 4:1 5[0] } 2{} 2{ 1:1 2:9 "
	  "3{ 2:-4 3:5 } 3{} 4[0] } 3{} 3{ 1:1 2:1 3:1 4:8 } 4{} "
	  "4{ 1#000102030405060708090a0b0c0d0e0f 2#0001020304050607 } 6{} "
	  "6{ 1:1 2{ 3:0 } 3:1 } }",
	  "{'dictionary':{'mappingTable':[{},{'memoryStart':"
	  "'18446744073709551615','memoryLimit':'2','fileOffset':'3',"
	  "'filenameStrindex':1,'attributeIndices':[0]}],'locationTable':[{},"
	  "{'mappingIndex':1,'address':'9','lines':[{'line':'-4','column':"
	  "'5'},{}],'attributeIndices':[0]}],'functionTable':[{},"
	  "{'nameStrindex':1,'systemNameStrindex':1,'filenameStrindex':1,"
	  "'startLine':'8'}],'linkTable':[{},{'traceId':"
	  "'000102030405060708090a0b0c0d0e0f','spanId':'0001020304050607'}],"
	  "'stringTable':['','n'],'attributeTable':[{},{'keyStrindex':1,"
	  "'value':{'intValue':'0'},'unitStrindex':1}],'stackTable':[{}]}}\n" },
	{ "2{ 5'' 5#22ff5c09 }",
	  "{" TABLES(",'\\\"\xef\xbf\xbd\\\\\\u0009'", "", "") },
};

TEST(golden)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		int before = test_failed;
		struct op_model m;
		struct op_err err;
		struct op_buf b = { .err = &err };

		wire_set(&w, rows[i].wire);
		json_set(&t, rows[i].json);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
		CHECK_EQ(json_write(&m, NULL, &b), OP_OK);
		CHECK(op_view_eq(op_view(b.p, b.n), op_view(t.p, t.n)));
		if (test_failed != before)
			fprintf(stderr, "  in row %zu: %s\n%.*s", i, err.text,
				(int)b.n, (char *)b.p);
		op_model_free(&m);
		op_buf_free(&b);
	}
}

/* Both styles read back as what was written. */
static void check_back(const struct op_model *m, const char *what)
{
	static const char *const styles[] = { "compact", "pretty" };
	int before = test_failed;

	for (size_t i = 0; i < op_countof(styles); i++) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err }, again = { .err = &err };
		struct op_model copy;

		CHECK_EQ(json_write(m, styles[i], &b), OP_OK);
		CHECK_EQ(json_read(&copy, op_view(b.p, b.n), NULL, &err),
			 OP_OK);
		if (!err.code) {
			CHECK(json_same(m, &copy));
			CHECK_STR(copy.dialect, "v1.10");
			CHECK(!copy.dialect_note);
			CHECK_EQ(json_write(&copy, styles[i], &again), OP_OK);
			CHECK(op_view_eq(op_view(b.p, b.n),
					 op_view(again.p, again.n)));
		}
		if (test_failed != before)
			fprintf(stderr, "  of %s: %s at %d\n", what, err.text,
				(int)err.at);
		op_model_free(&copy);
		op_buf_free(&again);
		op_buf_free(&b);
	}
}

TEST(golden_rows_read_back)
{
	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_model m;
		struct op_err err;

		wire_set(&w, rows[i].wire);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
		check_back(&m, rows[i].wire);
		op_model_free(&m);
	}
}

TEST(generated_read_back)
{
	static char text[WIRE_MAX];

	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct op_model m;
		struct op_err err;

		wire_generate(text, sizeof(text), seed);
		wire_set(&w, text);
		CHECK_EQ(wire_decode(&m, wire_view(&w), NULL, &err), OP_OK);
		check_back(&m, text);
		op_model_free(&m);
	}
}

static const struct sketch sketches[] = {
	{ .samples = "main;work 3 thread=a #1\nmain 4\n- 0\n" },
	{ .samples = "main;work 3@100 -4@200\nmain 5@300 a=b c=d #2\n",
	  .type = "wall",
	  .unit = "nanoseconds",
	  .resource = "service.name=shop host=h",
	  .scope = "scope",
	  .attrs = "k=v l=w",
	  .period = 7,
	  .time_ns = UINT64_MAX,
	  .duration_ns = 1,
	  .id = 255 },
	{ .samples = "", .scope = "scope" },
	{ .samples = "a;b;c 9223372036854775807\na -9223372036854775808\n",
	  .resource = "x=" },
};

TEST(sketches_read_back)
{
	struct op_model m = { 0 };
	struct op_err err = { 0 };

	CHECK_EQ(sketch_model(&m, sketches, op_countof(sketches), &err), OP_OK);
	check_back(&m, "sketches");
	op_content_ids(&m, &err);
	check_back(&m, "sketches with ids");
	op_model_free(&m);
}

/* --- failures --- */

struct bad_sink {
	struct op_sink sink;
	size_t nr_writes, largest;
};

static int refuse(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	struct bad_sink *s = (struct bad_sink *)sink;

	s->nr_writes++;
	if (v.n > s->largest)
		s->largest = v.n;
	return op_fail(err, OP_EIO, "full");
}

static int count(struct op_sink *sink, struct op_view v, struct op_err *err)
{
	struct bad_sink *s = (struct bad_sink *)sink;

	s->nr_writes++;
	if (v.n > s->largest)
		s->largest = v.n;
	return err->code;
}

/* A model of some megabytes of text. */
static void large(struct op_model *m)
{
	static char text[200000];
	size_t n = 0;

	for (int i = 0; i < 10000; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "f%d 5@%d\n",
				      i, i);
	sketch_one(m, &(struct sketch){ .samples = text });
}

TEST(goes_out_in_pieces)
{
	struct bad_sink s = { .sink.write = count };
	struct op_err err = { 0 };
	struct op_model m;

	large(&m);
	CHECK_EQ(op_format_otlp_json.write(&m, NULL, &s.sink, &err), OP_OK);
	CHECK(s.nr_writes > 10);
	CHECK(s.largest <= 65536);
	/* A failure is the last that the sink hears. */
	s = (struct bad_sink){ .sink.write = refuse };
	CHECK_EQ(op_format_otlp_json.write(&m, NULL, &s.sink, &err), OP_EIO);
	CHECK_EQ(s.nr_writes, 1);
	op_model_free(&m);
}

TEST(allocations)
{
	struct op_model m;

	sketch_one(&m, &sketches[1]);
	EACH_ALLOC_FAILS(k) {
		struct bad_sink s = { .sink.write = count };
		struct op_err err = { 0 };

		op_format_otlp_json.write(&m, NULL, &s.sink, &err);
		CHECK_EQ(err.code, op_alloc_failed() ? OP_ENOMEM : OP_OK);
	}
	op_model_free(&m);
}

TEST_MAIN(golden, golden_rows_read_back, generated_read_back,
	  sketches_read_back, goes_out_in_pieces, allocations)
