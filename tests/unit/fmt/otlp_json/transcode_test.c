// SPDX-License-Identifier: Apache-2.0
/* JSON texts beside the wire that says the same. */
#include "fmt/otlp_json/transcode.h"

#include "test.h"
#include "write/json_text.h"
#include "write/sketch.h"
#include "write/wire.h"

static struct json_text t;
static struct wire w;

struct row {
	const char *name, *json, *wire;
};

static void check_row(const struct row *r)
{
	int before = test_failed;
	struct op_model m, want;
	struct op_err err, wire_err;

	json_set(&t, r->json);
	wire_set(&w, r->wire);
	CHECK_EQ(wire_decode(&want, wire_view(&w), NULL, &wire_err), OP_OK);
	CHECK_EQ(json_read(&m, op_view(t.p, t.n), NULL, &err), OP_OK);
	if (!err.code && !wire_err.code) {
		CHECK(json_same(&m, &want));
		CHECK(!m.dialect_note);
	}
	if (test_failed != before)
		fprintf(stderr, "  in row '%s': %s at %d\n", r->name, err.text,
			(int)err.at);
	op_model_free(&m);
	op_model_free(&want);
}

/* --- every field --- */

#define TABLES "2{ 1{} 2{} 3{} 4{} 5'' 5'a' 5'b' 6{} 6{} 7{} 7{} } "
#define JSON_TABLES                                                        \
	"'dictionary':{'mappingTable':[{}],'locationTable':[{}],"          \
	"'functionTable':[{}],'linkTable':[{}],'stringTable':['','a','b']" \
	",'attributeTable':[{},{}],'stackTable':[{},{}]}"
#define PROFILE(json)                                                \
	"{'resourceProfiles':[{'scopeProfiles':[{'profiles':[{" json \
	"}]}]}]," JSON_TABLES "}"
#define WIRE_PROFILE(wire) "1{ 2{ 2{ " wire " } } } " TABLES
#define SAMPLE_OF(json) PROFILE("'samples':[{" json "}]")
#define WIRE_SAMPLE(wire) WIRE_PROFILE("2{ " wire " }")
#define ROW_OF(table, json)                                                \
	"{'dictionary':{'stringTable':['','a','b'],'" table "':[{},{" json \
	"}]}}"
#define WIRE_ROW(num, wire) "2{ 5'' 5'a' 5'b' " num "{} " num "{ " wire " } }"
#define VALUE(json)                                        \
	"{'resourceProfiles':[{'resource':{'attributes':[" \
	"{'key':'k','value':" json "}]}}]," JSON_TABLES "}"
#define WIRE_VALUE(wire) "1{ 1{ 1{ 1'k' " wire " } } } " TABLES

static const struct row fields[] = {
	{ "nothing", "{}", "" },
	{ "no resources", "{'resourceProfiles':[]}", "" },
	{ "an empty resource", "{'resourceProfiles':[{}]}", "1{}" },
	{ "dictionary first",
	  "{" JSON_TABLES ",'resourceProfiles':[{'schemaUrl':'u'}]}",
	  "1{ 3'u' } " TABLES },
	{ "resource",
	  "{'resourceProfiles':[{'schemaUrl':'u','resource':{"
	  "'attributes':[{'key':'k','value':{'stringValue':'v'}}],"
	  "'droppedAttributesCount':3,'entityRefs':[{'schemaUrl':'s',"
	  "'type':'t','idKeys':['i','j'],'descriptionKeys':['d']}]}}]}",
	  "1{ 3'u' 1{ 1{ 1'k' 2{ 1'v' } } 2:3 "
	  "3{ 1's' 2't' 3'i' 3'j' 4'd' } } }" },
	{ "resource, snake_case",
	  "{'resource_profiles':[{'schema_url':'u','resource':{"
	  "'attributes':[{'key':'k','value':{'string_value':'v'}}],"
	  "'dropped_attributes_count':3,'entity_refs':[{'schema_url':'s',"
	  "'type':'t','id_keys':['i','j'],'description_keys':['d']}]}}]}",
	  "1{ 3'u' 1{ 1{ 1'k' 2{ 1'v' } } 2:3 "
	  "3{ 1's' 2't' 3'i' 3'j' 4'd' } } }" },
	{ "scope",
	  "{'resourceProfiles':[{'scopeProfiles':[{'schemaUrl':'u','scope':{"
	  "'name':'n','version':'v','attributes':[{'key':'k'}],"
	  "'droppedAttributesCount':4}}]}]}",
	  "1{ 2{ 3'u' 1{ 1'n' 2'v' 3{ 1'k' } 4:4 } } }" },
	{ "profile",
	  PROFILE("'sampleType':{'typeStrindex':1,'unitStrindex':2},"
		  "'timeUnixNano':'7','durationNano':'8','periodType':{"
		  "'typeStrindex':2,'unitStrindex':1},'period':'-9',"
		  "'profileId':'00112233445566778899aabbccddeeFF',"
		  "'droppedAttributesCount':5,'originalPayloadFormat':'f',"
		  "'originalPayload':'Zm9v','attributeIndices':[1]"),
	  WIRE_PROFILE("1{ 1:1 2:2 } 3@7 4:8 5{ 1:2 2:1 } 6:-9 "
		       "7#00112233445566778899aabbccddeeff 8:5 9'f' 10'foo' "
		       "11[1]") },
	{ "profile, snake_case",
	  PROFILE("'sample_type':{'type_strindex':1,'unit_strindex':2},"
		  "'time_unix_nano':'7','duration_nano':'8','period_type':{"
		  "'type_strindex':2,'unit_strindex':1},'period':'-9',"
		  "'profile_id':'00112233445566778899aabbccddeeFF',"
		  "'dropped_attributes_count':5,'original_payload_format':'f',"
		  "'original_payload':'Zm9v','attribute_indices':[1]"),
	  WIRE_PROFILE("1{ 1:1 2:2 } 3@7 4:8 5{ 1:2 2:1 } 6:-9 "
		       "7#00112233445566778899aabbccddeeff 8:5 9'f' 10'foo' "
		       "11[1]") },
	{ "sample",
	  SAMPLE_OF("'stackIndex':1,'attributeIndices':[1,0],'linkIndex':0,"
		    "'values':['1','-2'],'timestampsUnixNano':['3','4']"),
	  WIRE_SAMPLE("1:1 2[1 0] 4[1 -2] 5<3 4>") },
	{ "sample, snake_case, in another order",
	  SAMPLE_OF("'timestamps_unix_nano':['3','4'],'values':['1','-2'],"
		    "'link_index':0,'attribute_indices':[1,0],"
		    "'stack_index':1"),
	  WIRE_SAMPLE("1:1 2[1 0] 4[1 -2] 5<3 4>") },
	{ "mapping",
	  ROW_OF("mappingTable", "'memoryStart':'1','memoryLimit':'2',"
				 "'fileOffset':'3','filenameStrindex':2,"
				 "'attributeIndices':[0]"),
	  WIRE_ROW("1", "1:1 2:2 3:3 4:2 5[0]") },
	{ "location",
	  ROW_OF("locationTable",
		 "'mappingIndex':0,'address':'18446744073709551615','lines':[{"
		 "'functionIndex':0,'line':'4','column':'5'},{}],"
		 "'attributeIndices':[0]"),
	  WIRE_ROW("2", "2:-1 3{ 2:4 3:5 } 3{} 4[0]") },
	{ "function",
	  ROW_OF("functionTable", "'nameStrindex':1,'systemNameStrindex':2,"
				  "'filenameStrindex':1,'startLine':'6'"),
	  WIRE_ROW("3", "1:1 2:2 3:1 4:6") },
	{ "link",
	  ROW_OF("linkTable", "'traceId':'0123456789abcdef0123456789ABCDEF',"
			      "'spanId':'0123456789abcdef'"),
	  WIRE_ROW("4", "1#0123456789abcdef0123456789abcdef "
			"2#0123456789abcdef") },
	{ "attribute",
	  ROW_OF("attributeTable",
		 "'keyStrindex':1,'value':{'intValue':'1'},'unitStrindex':2"),
	  WIRE_ROW("6", "1:1 2{ 3:1 } 3:2") },
	{ "stack",
	  "{'dictionary':{'locationTable':[{},{},{}],'stackTable':[{},"
	  "{'locationIndices':[2,1,2]}]}}",
	  "2{ 2{} 2{} 2{} 7{} 7{ 1[2 1 2] } }" },
};

TEST(every_field)
{
	for (size_t i = 0; i < op_countof(fields); i++)
		check_row(&fields[i]);
}

/* --- every form of a value --- */

static const struct row values[] = {
	{ "string", VALUE("{'stringValue':'s'}"), WIRE_VALUE("2{ 1's' }") },
	{ "empty string", VALUE("{'stringValue':''}"), WIRE_VALUE("2{ 1'' }") },
	{ "escapes", VALUE("{'stringValue':'\\u00fc\\n\\ud83d\\udd25\\ud83d'}"),
	  WIRE_VALUE("2{ 1#c3bc0af09f94a5efbfbd }") },
	{ "escapes in a key", VALUE("{'string\\u0056alue':'s'}"),
	  WIRE_VALUE("2{ 1's' }") },
	{ "bool", VALUE("{'boolValue':true}"), WIRE_VALUE("2{ 2:1 }") },
	{ "false", VALUE("{'boolValue':false}"), WIRE_VALUE("2{ 2:0 }") },
	{ "int", VALUE("{'intValue':'-5'}"), WIRE_VALUE("2{ 3:-5 }") },
	{ "int as a number", VALUE("{'intValue':9007199254740993}"),
	  WIRE_VALUE("2{ 3:9007199254740993 }") },
	{ "least int", VALUE("{'intValue':'-9223372036854775808'}"),
	  WIRE_VALUE("2{ 3:0x8000000000000000 }") },
	{ "int 0", VALUE("{'intValue':'0'}"), WIRE_VALUE("2{ 3:0 }") },
	{ "double", VALUE("{'doubleValue':1.5}"),
	  WIRE_VALUE("2{ 4@0x3ff8000000000000 }") },
	{ "double in a string", VALUE("{'doubleValue':'1.5'}"),
	  WIRE_VALUE("2{ 4@0x3ff8000000000000 }") },
	{ "double of an integer", VALUE("{'doubleValue':-2}"),
	  WIRE_VALUE("2{ 4@0xc000000000000000 }") },
	{ "minus 0.0", VALUE("{'doubleValue':-0.0}"),
	  WIRE_VALUE("2{ 4@0x8000000000000000 }") },
	{ "not a number", VALUE("{'doubleValue':'NaN'}"),
	  WIRE_VALUE("2{ 4@0x7ff8000000000000 }") },
	{ "infinity", VALUE("{'doubleValue':'Infinity'}"),
	  WIRE_VALUE("2{ 4@0x7ff0000000000000 }") },
	{ "minus infinity", VALUE("{'doubleValue':'-Infinity'}"),
	  WIRE_VALUE("2{ 4@0xfff0000000000000 }") },
	{ "array",
	  VALUE("{'arrayValue':{'values':[{'boolValue':true},{},"
		"{'stringValue':'x'}]}}"),
	  WIRE_VALUE("2{ 5{ 1{ 2:1 } 1{} 1{ 1'x' } } }") },
	{ "empty array", VALUE("{'arrayValue':{}}"), WIRE_VALUE("2{ 5{} }") },
	{ "list of pairs",
	  VALUE("{'kvlistValue':{'values':[{'key':'a','value':{'intValue':1}},"
		"{'keyStrindex':1}]}}"),
	  WIRE_VALUE("2{ 6{ 1{ 1'a' 2{ 3:1 } } 1{ 3:1 } } }") },
	{ "bytes", VALUE("{'bytesValue':'Zm9vYg=='}"),
	  WIRE_VALUE("2{ 7'foob' }") },
	{ "bytes without padding, URL-safe", VALUE("{'bytesValue':'-_8'}"),
	  WIRE_VALUE("2{ 7#fbff }") },
	{ "bytes with escapes", VALUE("{'bytesValue':'\\/\\/\\u002f/'}"),
	  WIRE_VALUE("2{ 7#ffffff }") },
	{ "no bytes", VALUE("{'bytesValue':''}"), WIRE_VALUE("2{ 7'' }") },
	{ "reference", VALUE("{'stringValueStrindex':1}"),
	  WIRE_VALUE("2{ 8:1 }") },
	{ "reference 0", VALUE("{'stringValueStrindex':0}"),
	  WIRE_VALUE("2{ 8:0 }") },
	{ "no value", VALUE("{}"), WIRE_VALUE("") },
	{ "null for a value", VALUE("null"), WIRE_VALUE("") },
	{ "null in a value", VALUE("{'intValue':null}"), WIRE_VALUE("") },
	{ "the last of two kinds", VALUE("{'intValue':1,'boolValue':true}"),
	  WIRE_VALUE("2{ 2:1 }") },
	/* integers */
	{ "64 bits as numbers", SAMPLE_OF("'values':[1,-2,0]"),
	  WIRE_SAMPLE("4[1 -2 0]") },
	{ "64 bits as strings and numbers", SAMPLE_OF("'values':['1',2]"),
	  WIRE_SAMPLE("4[1 2]") },
	{ "the ends of int64",
	  SAMPLE_OF("'values':[9223372036854775807,-9223372036854775808,"
		    "'9223372036854775807','-9223372036854775808']"),
	  WIRE_SAMPLE("4[0x7fffffffffffffff 0x8000000000000000 "
		      "0x7fffffffffffffff 0x8000000000000000]") },
	{ "the end of uint64",
	  SAMPLE_OF("'timestampsUnixNano':[18446744073709551615,"
		    "'18446744073709551615']"),
	  WIRE_SAMPLE("5<-1 -1>") },
	{ "integers with points and exponents",
	  SAMPLE_OF("'values':[1e3,12.0,'1.5e1',-2.0E+2]"),
	  WIRE_SAMPLE("4[1000 12 15 -200]") },
	{ "32 bits as strings", SAMPLE_OF("'stackIndex':'1','values':[1]"),
	  WIRE_SAMPLE("1:1 4[1]") },
	{ "32 bits with a point", SAMPLE_OF("'stackIndex':1.0,'values':[1]"),
	  WIRE_SAMPLE("1:1 4[1]") },
	{ "lists with white space",
	  SAMPLE_OF("'attributeIndices' : [ 1 , 0\n,1 ] , 'values':[ '5' ]"),
	  WIRE_SAMPLE("2[1 0 1] 4[5]") },
	{ "lists in strings",
	  SAMPLE_OF("'attributeIndices':['1',0,'1'],"
		    "'values':[1]"),
	  WIRE_SAMPLE("2[1 0 1] 4[1]") },
	{ "null in a list is its zero value",
	  SAMPLE_OF("'attributeIndices':[1,null,1],'values':[1,null]"),
	  WIRE_SAMPLE("2[1 0 1] 4[1 0]") },
	{ "null for a list", SAMPLE_OF("'attributeIndices':null,'values':[1]"),
	  WIRE_SAMPLE("4[1]") },
	{ "null for a row",
	  "{'dictionary':{'stringTable':[null,'a'],"
	  "'functionTable':[null,{'nameStrindex':1}]}}",
	  "2{ 5'' 5'a' 3{} 3{ 1:1 } }" },
	/* ids */
	{ "ids in base64",
	  ROW_OF("linkTable", "'traceId':'ASNFZ4mrze8BI0VniavN7w==',"
			      "'spanId':'ASNFZ4mrze8='"),
	  WIRE_ROW("4", "1#0123456789abcdef0123456789abcdef "
			"2#0123456789abcdef") },
	{ "ids in base64 without padding",
	  ROW_OF("linkTable", "'traceId':'ASNFZ4mrze8BI0VniavN7w',"
			      "'spanId':'ASNFZ4mrze8'"),
	  WIRE_ROW("4", "1#0123456789abcdef0123456789abcdef "
			"2#0123456789abcdef") },
	{ "base64 that could be hex of another length",
	  ROW_OF("linkTable", "'traceId':'ABCDABCDABCDABCDABCDAA'"),
	  WIRE_ROW("4", "1#00108300108300108300108300108300") },
	{ "no ids", ROW_OF("linkTable", "'traceId':'','spanId':''"),
	  WIRE_ROW("4", "") },
	{ "profile id in base64",
	  PROFILE("'profileId':"
		  "'ASNFZ4mrze8BI0VniavN7w=='"),
	  WIRE_PROFILE("7#0123456789abcdef0123456789abcdef") },
	{ "profile id of 8 bytes", PROFILE("'profileId':'0123456789abcdef'"),
	  WIRE_PROFILE("7#00000000000000000123456789abcdef") },
	/* keys */
	{ "unknown keys",
	  SAMPLE_OF("'x':[{'a':[]},'}',1e9],'values':[1],'':null,"
		    "'stack__index':{}"),
	  WIRE_SAMPLE("4[1]") },
	{ "of a number that comes twice the last counts",
	  SAMPLE_OF("'stackIndex':0,'stackIndex':1,'values':[1]"),
	  WIRE_SAMPLE("1:1 4[1]") },
	{ "lists that come twice are joined",
	  SAMPLE_OF("'values':[1],'values':['2']"), WIRE_SAMPLE("4[1 2]") },
	{ "messages that come twice are joined",
	  "{'dictionary':{'stringTable':['']},'dictionary':{'stringTable':"
	  "['a']}}",
	  "2{ 5'' 5'a' }" },
	{ "type and unit of some converters",
	  PROFILE("'sample_type':{'type':1,'unit':2}"),
	  WIRE_PROFILE("1{ 1:1 2:2 }") },
};

TEST(every_form)
{
	for (size_t i = 0; i < op_countof(values); i++)
		check_row(&values[i]);
}

/* Numbers of each length, in each place of the last words of the text. */
TEST(number_lengths)
{
	static const char *const rows[] = {
		"0",	   "9",	       "10",	   "127",	"128",
		"999",	   "16383",    "16384",	   "2097151",	"2097152",
		"9999999", "10000000", "99999999", "268435456", "2147483647",
	};
	char json[256], wire[256];

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_read_opts opts = { .unchecked = true };
		struct op_model m;
		struct op_err err;

		for (int quotes = 0; quotes < 2; quotes++) {
			const char *q = quotes ? "'" : "";

			snprintf(json, sizeof(json),
				 "{'dictionary':{'stackTable':[{"
				 "'locationIndices':[%s%s%s,1,%s%s%s]}]}}",
				 q, rows[i], q, q, rows[i], q);
			snprintf(wire, sizeof(wire), "%s", rows[i]);
			json_set(&t, json);
			CHECK_EQ(json_read(&m, op_view(t.p, t.n), &opts, &err),
				 OP_OK);
			CHECK_EQ(op_list(&m.dict.stacks, 0).n, 3);
			snprintf(json, sizeof(json), "%u,1,%u",
				 m.dict.stacks.items[0],
				 m.dict.stacks.items[2]);
			snprintf(wire, sizeof(wire), "%s,1,%s", rows[i],
				 rows[i]);
			CHECK_STR(json, wire);
			op_model_free(&m);
		}
	}
}

/* A list of more ids than room is made for at once. */
TEST(long_list)
{
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	struct op_model m;

	op_buf_z(&b, "{\"dictionary\":{\"stackTable\":[{\"locationIndices\":[");
	for (unsigned int i = 0; i < 20000; i++)
		op_buf_printf(&b, "%s%u", i ? "," : "", i * 400);
	op_buf_z(&b, "]}]}}");
	CHECK_EQ(json_read(&m, op_view(b.p, b.n),
			   &(struct op_read_opts){ .unchecked = true }, &err),
		 OP_OK);
	CHECK_EQ(op_list(&m.dict.stacks, 0).n, 20000);
	for (unsigned int i = 0; i < 20000; i++)
		CHECK_EQ(m.dict.stacks.items[i], i * 400);
	op_model_free(&m);
	op_buf_free(&b);
}

/* --- older releases --- */

struct release {
	const char *name, *json, *dialect, *result;
	bool dialect_note;
};

#define HEAD                                                            \
	"'resourceProfiles':[{'resource':{'attributes':[{'key':'host'," \
	"'value':{'stringValue':'h'}}]},'scopeProfiles':[{'profiles':[{"
#define TAIL "}]}]}]"
#define LEGACY_TABLES                                                       \
	"'stringTable':['','cpu','ns','leaf','main'],'functionTable':[{"    \
	"'nameStrindex':3},{'nameStrindex':4}],'locationTable':[{'address'" \
	":'9'},{'line':[{}]},{'line':[{'functionIndex':1}]}],"              \
	"'attributeTable':[{'key':'k','value':{'stringValue':'v'}}],"       \
	"'linkTable':[{'traceId':'01000000000000000000000000000000',"       \
	"'spanId':'0100000000000000'}]"
#define LEGACY_PROFILE                                                     \
	"'sampleType':[{'typeStrindex':1,'unitStrindex':2}],'sample':[{"   \
	"'locationsStartIndex':1,'locationsLength':2,'value':['5'],"       \
	"'attributeIndices':[0],'linkIndex':0}],'locationIndices':[0,1,2]" \
	",'timeNanos':'7','durationNanos':'8','period':'9'"
#define RESULT(attrs)                                                     \
	"resource host=h\nscope \nprofile cpu/ns period 9 7+8" attrs "\n" \
	"\tmain;leaf 5 k=v #1\n"
#define STACK_TABLES(lines)                                                  \
	"'dictionary':{'stringTable':['','cpu','ns','leaf','main','k'],"     \
	"'functionTable':[{},{'nameStrindex':3},{'nameStrindex':4}],"        \
	"'locationTable':[{},{'" lines "':[{'functionIndex':1}]},{'" lines   \
	"':[{'functionIndex':2}]}],'attributeTable':[{},{'keyStrindex':5,"   \
	"'value':{'stringValue':'v'}}],'stackTable':[{},{'locationIndices'"  \
	":[1,2]}],'linkTable':[{},{'traceId':'01000000000000000000000000000" \
	"000','spanId':'0100000000000000'}]}"
#define STACK_PROFILE(samples)                                              \
	"'sampleType':{'typeStrindex':1,'unitStrindex':2},'" samples "':[{" \
	"'stackIndex':1,'values':['5'],'attributeIndices':[1],"             \
	"'linkIndex':1}],'timeUnixNano':'7','durationNano':'8','period':'9'"

#define LEFTOVERS                                            \
	",'commentStrindices':[3,4],'attributeIndices':[1]," \
	"'sampleType':{'aggregationTemporality':"            \
	"'AGGREGATION_TEMPORALITY_CUMULATIVE'}"

static const struct release releases[] = {
	{ "v1.4",
	  "{" HEAD LEGACY_PROFILE "," LEGACY_TABLES
	  ",'attributes':[{'key':'k','value':{'stringValue':'v'}}]" TAIL "}",
	  "v1.4", RESULT(" k=v"), false },
	{ "v1.5",
	  "{" HEAD LEGACY_PROFILE "," LEGACY_TABLES
	  ",'attributeIndices':[0]" TAIL "}",
	  "v1.5", RESULT(" k=v"), false },
	{ "v1.6", "{" HEAD LEGACY_PROFILE TAIL "," LEGACY_TABLES "}", "v1.6",
	  RESULT(""), false },
	{ "v1.6, tables first",
	  "{" LEGACY_TABLES "," HEAD LEGACY_PROFILE
	  ",'attributeIndices':[0]" TAIL "}",
	  "v1.6", RESULT(" k=v"), false },
	{ "v1.7",
	  "{" HEAD LEGACY_PROFILE TAIL ",'dictionary':{" LEGACY_TABLES "}}",
	  "v1.7", RESULT(""), false },
	{ "v1.7, dictionary first",
	  "{'dictionary':{" LEGACY_TABLES "}," HEAD LEGACY_PROFILE TAIL "}",
	  "v1.7", RESULT(""), false },
	{ "v1.8",
	  "{" HEAD STACK_PROFILE("sample") TAIL "," STACK_TABLES("line") "}",
	  "v1.8", RESULT(""), false },
	{ "v1.8 with comments and a temporality",
	  "{" HEAD STACK_PROFILE("sample") LEFTOVERS TAIL
	  "," STACK_TABLES("line") "}",
	  "v1.8",
	  "resource host=h\nscope \nprofile cpu/ns period 9 7+8 k=v "
	  "otprof.aggregation_temporality=cumulative "
	  "pprof.profile.comment=(kind 5, 2 elements):leaf,main\n"
	  "\tmain;leaf 5 k=v #1\n",
	  false },
	{ "old names of some fields only",
	  "{" HEAD STACK_PROFILE("sample") TAIL "," STACK_TABLES("lines") "}",
	  "v1.8", RESULT(""), false },
	{ "v1.9 and later",
	  "{" HEAD STACK_PROFILE("samples") TAIL "," STACK_TABLES("lines") "}",
	  "v1.10", RESULT(""), false },
	{ "a key of v1.4 in a message of today is unknown",
	  "{" HEAD "'attributes':[{'key':'x'}]," STACK_PROFILE("samples") TAIL
	  "," STACK_TABLES("lines") "}",
	  "v1.10", RESULT(""), true },
	{ "several sample types",
	  "{" HEAD "'sampleType':[{'typeStrindex':1},{'typeStrindex':2}],"
	  "'sample':[{'value':[5,6]}]" TAIL ",'dictionary':{" LEGACY_TABLES
	  "}}",
	  "v1.7",
	  "resource host=h\nscope \nprofile cpu/\n\t- 5\nprofile ns/\n\t- 6\n",
	  false },
};

TEST(each_release)
{
	for (size_t i = 0; i < op_countof(releases); i++) {
		const struct release *r = &releases[i];
		int before = test_failed;
		struct op_model m;
		struct op_err err;

		json_set(&t, r->json);
		CHECK_EQ(json_read(&m, op_view(t.p, t.n), NULL, &err), OP_OK);
		CHECK_STR(m.dialect, r->dialect);
		CHECK_EQ(m.dialect_note != NULL, r->dialect_note);
		CHECK_STR(sketch_text(&m), r->result);
		if (test_failed != before)
			fprintf(stderr, "  in row '%s': %s at %d\n%s\n",
				r->name, err.text, (int)err.at,
				sketch_text(&m));
		op_model_free(&m);
	}
}

/* What a converter of JFR recordings writes: names of fields as in the
 * schema, 64 bits as numbers, an id of eight bytes, no mappings. */
TEST(loose)
{
	struct op_model m;
	struct op_err err;

	json_set(&t, "{ 'resource_profiles': [{ 'scope_profiles': [{ "
		     "'profiles': [{ 'sample_type': {'type': 1, 'unit': 2}, "
		     "'samples': [{ 'stack_index': 1, 'attribute_indices': "
		     "[1], 'link_index': 1, 'values': [100], "
		     "'timestamps_unix_nano': [1234567890000000] }], "
		     "'time_unix_nano': 1234567890000000, 'duration_nano': "
		     "60000000000, 'profile_id': '7123456789abcdef' }] }] }], "
		     "'dictionary': { 'string_table': ['', 'cpu', 'samples', "
		     "'main', 'k'], 'function_table': [{}, {'name_strindex': "
		     "3}], 'location_table': [{}, {'lines': [{"
		     "'function_index': 1}]}], 'stack_table': [{}, {"
		     "'location_indices': [1]}], 'link_table': [{}, {"
		     "'trace_id': '01000000000000000000000000000000', "
		     "'span_id': '0200000000000000'}], 'attribute_table': [{}"
		     ", {'key_strindex': 4, 'value': {'string_value': 'v'}}]"
		     " } }");
	CHECK_EQ(json_read(&m, op_view(t.p, t.n), NULL, &err), OP_OK);
	CHECK_STR(sketch_text(&m), "resource\nscope \nprofile cpu/samples "
				   "1234567890000000+60000000000 id 0\n"
				   "\tmain 100@1234567890000000 k=v #1\n");
	CHECK_EQ(m.resources[0].scopes[0].profiles[0].id[8], 0x71);
	op_model_free(&m);
}

/* --- what is refused, and where --- */

struct refusal {
	const char *json; /* ^ where */
	const char *why;
	int code;
};

static const struct refusal refusals[] = {
	/* the text */
	{ SAMPLE_OF("'values':[1,^]"), "'values' must be an integer",
	  OP_EFORMAT },
	{ SAMPLE_OF("'values':[1 ^2]"), "expected ',' or ']'", OP_EFORMAT },
	{ SAMPLE_OF("'x':[1,^]"), "expected a value", OP_EFORMAT },
	{ SAMPLE_OF("'x':tru^"), "", OP_EFORMAT },
	{ SAMPLE_OF("'stackIndex' ^1"), "expected ':'", OP_EFORMAT },
	{ VALUE("{'stringValue':'a^\n'}"), "a control character in a string",
	  OP_EFORMAT },
	{ VALUE("{'stringValue':'a^\\x'}"), "invalid escape", OP_EFORMAT },
	{ "{'resourceProfiles':[{}^", "the JSON text is truncated",
	  OP_EFORMAT },
	{ "^", "is truncated", OP_EFORMAT },
	{ "^[]", "expected a JSON object", OP_EFORMAT },
	{ "{}^x", "expected a JSON object", OP_EFORMAT },
	{ "{}\n^null", "expected a JSON object", OP_EFORMAT },
	/* kinds */
	{ "{'resourceProfiles':^{}}", "'resourceProfiles' must be an array",
	  OP_EFORMAT },
	{ "{'resourceProfiles':[^1]}", "'resourceProfiles' must be an object",
	  OP_EFORMAT },
	{ "{'dictionary':^[]}", "'dictionary' must be an object", OP_EFORMAT },
	{ "{'dictionary':{'stringTable':['',^1]}}", "must be a string",
	  OP_EFORMAT },
	{ SAMPLE_OF("'stackIndex':^[]"), "'stackIndex' must be an integer",
	  OP_EFORMAT },
	{ SAMPLE_OF("'stackIndex':^true"), "must be an integer", OP_EFORMAT },
	{ SAMPLE_OF("'stackIndex':^'x'"), "must be an integer", OP_EFORMAT },
	{ SAMPLE_OF("'stackIndex':^''"), "must be an integer", OP_EFORMAT },
	{ SAMPLE_OF("'stackIndex':^1.5"), "not a fraction", OP_EFORMAT },
	{ SAMPLE_OF("'stackIndex':^2147483648"), "is out of range",
	  OP_EFORMAT },
	{ SAMPLE_OF("'stackIndex':^-2147483649"), "is out of range",
	  OP_EFORMAT },
	{ SAMPLE_OF("'stackIndex':^01"), "not a number", OP_EFORMAT },
	{ SAMPLE_OF("'attributeIndices':[0,^00]"), "not a number", OP_EFORMAT },
	{ SAMPLE_OF("'values':^1"), "'values' must be an array", OP_EFORMAT },
	{ SAMPLE_OF("'values':[^9223372036854775808]"), "out of range",
	  OP_EFORMAT },
	{ SAMPLE_OF("'values':['1',^'-9223372036854775809']"), "out of range",
	  OP_EFORMAT },
	{ SAMPLE_OF("'timestampsUnixNano':[^-1]"), "out of range", OP_EFORMAT },
	{ SAMPLE_OF("'timestampsUnixNano':[^18446744073709551616]"),
	  "out of range", OP_EFORMAT },
	{ PROFILE("'droppedAttributesCount':^4294967296"), "out of range",
	  OP_EFORMAT },
	{ PROFILE("'droppedAttributesCount':^-1"), "out of range", OP_EFORMAT },
	{ PROFILE("'originalPayload':^'Zm9vY'"), "must be base64", OP_EFORMAT },
	{ PROFILE("'originalPayload':^1"), "must be base64", OP_EFORMAT },
	{ PROFILE("'profileId':^'xyz!'"), "must be an id in hex", OP_EFORMAT },
	{ PROFILE("'profileId':^7"), "must be an id in hex", OP_EFORMAT },
	{ VALUE("{'boolValue':^1}"), "must be true or false", OP_EFORMAT },
	{ VALUE("{'doubleValue':^true}"), "must be a number", OP_EFORMAT },
	{ VALUE("{'doubleValue':^'nan'}"), "must be a number", OP_EFORMAT },
	{ VALUE("{'doubleValue':^1e999}"), "out of range", OP_EFORMAT },
	/* what the decoder of the wire finds, in places of the text */
	{ SAMPLE_OF("'stackIndex':^9,'values':[1]"),
	  "stack index 9 is out of range for a table of 2", OP_EFORMAT },
	{ SAMPLE_OF("'values':[1],'stackIndex':^-1"),
	  "stack index -1 is out of range for a table of 2", OP_EFORMAT },
	{ SAMPLE_OF("'attributeIndices':[1,0,^7,1],'values':[1]"),
	  "attribute index 7 is out of range", OP_EFORMAT },
	{ "{'dictionary':{'stackTable':[{},{'locationIndices':[0, ^1 ]}]}}",
	  "location index 1 is out of range", OP_EFORMAT },
	{ "{'dictionary':{'stringTable':['a long string','b'],"
	  "'functionTable':[{'nameStrindex':1},{'nameStrindex':^2}]}}",
	  "string index 2 is out of range", OP_EFORMAT },
	{ PROFILE("'samples':[{'values':[1,2],'timestampsUnixNano':[1]}^]"),
	  "different numbers of values and timestamps", OP_EFORMAT },
	{ PROFILE("'profileId':^'010203'"), "an id of 3 bytes", OP_EFORMAT },
	{ ROW_OF("linkTable", "'traceId':^'0102'"), "an id of 2 bytes",
	  OP_EFORMAT },
	{ "{" HEAD "'sample':[{'value':[1],'attributeIndices':[^3]}],"
	  "'timeNanos':1" TAIL ",'dictionary':{" LEGACY_TABLES "}}",
	  "attribute index 3 is out of range for a table of 1", OP_EFORMAT },
};

TEST(refused)
{
	for (size_t i = 0; i < op_countof(refusals); i++) {
		const struct refusal *r = &refusals[i];
		int before = test_failed;
		struct op_model m;
		struct op_err err;

		json_set(&t, r->json);
		CHECK_EQ(json_read(&m, op_view(t.p, t.n), NULL, &err), r->code);
		CHECK(err.has_at);
		if (strstr(r->json, "tru^"))
			t.mark -= 3;
		CHECK_EQ(err.at, t.mark);
		CHECK(strstr(err.text, r->why));
		if (test_failed != before)
			fprintf(stderr, "  in row %zu %s: %s at %d\n", i,
				r->json, err.text, (int)err.at);
		op_model_free(&m);
	}
}

/* A value this many arrays deep. */
static void deep(struct op_buf *b, int n)
{
	op_buf_z(b, "{\"resourceProfiles\":[{\"resource\":{\"attributes\":[{"
		    "\"value\":");
	for (int i = 0; i < n; i++)
		op_buf_z(b, "{\"arrayValue\":{\"values\":[");
	for (int i = 0; i < n; i++)
		op_buf_z(b, "]}}");
	op_buf_z(b, "}]}}]}");
}

TEST(depth)
{
	static const struct {
		int n, code;
	} rows[] = { { 63, OP_OK },
		     { 64, OP_OK },
		     { 65, OP_ELIMIT },
		     { 1000, OP_ELIMIT },
		     { 100000, OP_ELIMIT } };

	for (size_t i = 0; i < op_countof(rows); i++) {
		struct op_err err = { 0 };
		struct op_buf b = { .err = &err };
		struct op_model m;

		deep(&b, rows[i].n);
		CHECK_EQ(json_read(&m, op_view(b.p, b.n), NULL, &err),
			 rows[i].code);
		CHECK_EQ(err.has_at, rows[i].code != 0);
		CHECK(err.at < b.n);
		op_model_free(&m);
		op_buf_free(&b);
	}
}

TEST(quota)
{
	struct op_read_opts opts = { .mem_quota = 20000 };
	struct op_err err = { 0 };
	struct op_buf b = { .err = &err };
	struct op_model m;

	op_buf_z(&b, "{\"dictionary\":{\"stringTable\":[\"\"");
	for (int i = 0; i < 10000; i++)
		op_buf_z(&b, ",\"abcdef\"");
	op_buf_z(&b, "]}}");
	json_read(&m, op_view(b.p, b.n), &opts, &err);
	CHECK(err.code == OP_ELIMIT || err.code == OP_ENOMEM);
	CHECK_EQ(json_read(&m, op_view(b.p, b.n), NULL, &err), OP_OK);
	op_model_free(&m);
	op_buf_free(&b);
}

/* Wherever the quota ends it. */
TEST(every_quota)
{
	for (size_t i = 0; i < op_countof(releases); i++) {
		struct op_read_opts opts = { 0 };
		struct op_model m;
		struct op_err err;

		json_set(&t, releases[i].json);
		for (opts.mem_quota = 1; opts.mem_quota < 1500;
		     opts.mem_quota++) {
			json_read(&m, op_view(t.p, t.n), &opts, &err);
			CHECK(err.code == OP_ELIMIT || err.code == OP_ENOMEM);
		}
	}
}

static void all_allocations_fail(const char *json)
{
	json_set(&t, json);
	EACH_ALLOC_FAILS(k) {
		struct op_model m;
		struct op_err err;

		json_read(&m, op_view(t.p, t.n), NULL, &err);
		/* Arrays that cannot be made smaller stay as they are. */
		CHECK(!err.code || err.code == OP_ENOMEM);
		CHECK(!err.code || op_alloc_failed());
		op_model_free(&m);
	}
}

TEST(allocations)
{
	all_allocations_fail(fields[4].json);
	all_allocations_fail(releases[0].json);
	all_allocations_fail(releases[7].json);
	all_allocations_fail(SAMPLE_OF("'attributeIndices':[1,1,1],'values':["
				       "1,2],'timestampsUnixNano':[1,2]"));
	all_allocations_fail(
		VALUE("{'stringValue':'\\n','bytesValue':'Zm9v'}"));
}

/* The place of an error survives a failing allocation in looking for it. */
TEST(place_without_memory)
{
	json_set(&t, SAMPLE_OF("'stackIndex':9,'values':[1]"));
	EACH_ALLOC_FAILS(k) {
		struct op_model m;
		struct op_err err;

		json_read(&m, op_view(t.p, t.n), NULL, &err);
		CHECK(err.code == OP_EFORMAT || err.code == OP_ENOMEM);
		CHECK(err.at <= t.n);
	}
}

TEST_MAIN(every_field, every_form, number_lengths, long_list, each_release,
	  loose, refused, depth, quota, every_quota, allocations,
	  place_without_memory)
