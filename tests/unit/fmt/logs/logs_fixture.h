// SPDX-License-Identifier: Apache-2.0
/* What the tests of logs share: messages as text (write/wire.h). */
#ifndef OP_TESTS_UNIT_FMT_LOGS_FIXTURE_H
#define OP_TESTS_UNIT_FMT_LOGS_FIXTURE_H

#include "fmt/logs/logs.h"
#include "test.h"
#include "write/json_text.h"
#include "write/wire.h"

/* A record with every field, around one resource and scope. */
#define LOGS_TRACE "000102030405060708090a0b0c0d0e0f"
#define LOGS_SPAN "1011121314151617"
#define LOGS_FULL                                                             \
	"1{ 1{ 1{ 1'service.name' 2{ 1'shop' } } 2:1 "                        \
	"      3{ 1'e' 2'service' 3'service.name' 4'd' } } "                  \
	"   2{ 1{ 1'otel.profiling' 2'0.1.0' 3{ 1'k' 2{ 3:0 } } 4:2 } "       \
	"      2{ 1@1700000000000000001 2:9 3'INFO' 4'name' 5{ 1'body' } "    \
	"         6{ 1's' 2{ 1'' } } 6{ 1'b' 2{ 2:1 } } 6{ 1'i' 2{ 3:-5 } } " \
	"         6{ 1'd' 2{ 4@4609434218613702656 } } "                      \
	"         6{ 1'a' 2{ 5{ 1{ 3:1 } 1{ 1'x' } } } } "                    \
	"         6{ 1'm' 2{ 6{ 1{ 1'k' 2{ 3:2 } } } } } "                    \
	"         6{ 1'y' 2{ 7#00ff } } "                                     \
	"         7:3 8%1 9#" LOGS_TRACE " 10#" LOGS_SPAN                     \
	"         11@1700000000000000002 12'event' } 3'u' } 3'v' }"

#define LOGS_FULL_JSON                                                      \
	"{'resourceLogs':[{'resource':{'attributes':[{'key':'service.name'" \
	",'value':{'stringValue':'shop'}}],'droppedAttributesCount':1,"     \
	"'entityRefs':[{'schemaUrl':'e','type':'service',"                  \
	"'idKeys':['service.name'],'descriptionKeys':['d']}]},"             \
	"'scopeLogs':[{'scope':{'name':'otel.profiling','version':'0.1.0'," \
	"'attributes':[{'key':'k','value':{'intValue':'0'}}],"              \
	"'droppedAttributesCount':2},'logRecords':[{"                       \
	"'timeUnixNano':'1700000000000000001',"                             \
	"'observedTimeUnixNano':'1700000000000000002','severityNumber':9,"  \
	"'severityText':'INFO','name':'name','body':{'stringValue':'body'}" \
	",'attributes':[{'key':'s','value':{'stringValue':''}},"            \
	"{'key':'b','value':{'boolValue':true}},"                           \
	"{'key':'i','value':{'intValue':'-5'}},"                            \
	"{'key':'d','value':{'doubleValue':1.5}},"                          \
	"{'key':'a','value':{'arrayValue':{'values':[{'intValue':'1'},"     \
	"{'stringValue':'x'}]}}},"                                          \
	"{'key':'m','value':{'kvlistValue':{'values':[{'key':'k',"          \
	"'value':{'intValue':'2'}}]}}},"                                    \
	"{'key':'y','value':{'bytesValue':'AP8='}}],"                       \
	"'droppedAttributesCount':3,'flags':1,"                             \
	"'traceId':'" LOGS_TRACE "','spanId':'" LOGS_SPAN "',"              \
	"'eventName':'event'}],'schemaUrl':'u'}],'schemaUrl':'v'}]}"

/* Decoded from a copy that ends where the message ends, so that ASan sees a
 * byte too far; the copy is the caller's to free. */
static inline uint8_t *logs_decode(struct op_logs *l, struct op_view in,
				   struct op_err *err)
{
	uint8_t *copy = op_heap_resize(NULL, in.n + !in.n, err);

	*l = (struct op_logs){ 0 };
	if (!copy)
		return NULL;
	if (in.n)
		memcpy(copy, in.p, in.n);
	op_logs_decode(l, op_view(copy, in.n), err);
	return copy;
}

#endif
